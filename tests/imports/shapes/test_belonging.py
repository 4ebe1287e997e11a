"""Requests put together to sessions, and whose they are."""

import json

import pytest

from actionledger.core.recordings import RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes.base import (
    HEADERS,
    NOBODY,
    Message,
    Request,
    RequestOwner,
    Response,
    owner_of,
)
from actionledger.imports.shapes.exchanges import Exchange, Exchanges

TOOLS = '[{"name":"sh"}]'
ADA = RequestOwner("ada")


def person(text):
    return Message("person", text)


def said(text="", *call_ids, why="stop", **arguments):
    found = Message("model", text, usage=Usage(finish_reason=why))
    found.calls = [RecordedCall(each, "sh", arguments or {"command": each}) for each in call_ids]
    return found


def result(call_id):
    return Message("tool", results=[RecordedResult(call_id, "done")])


class Wire:
    """Takes exchanges, and keeps what each session came to: its turns, what it is a child of, and what came of its calls."""

    def __init__(self):
        self.exchanges = Exchanges("live")
        self.count = 0
        self.sessions = {}
        self.results = []

    def ask(self, *history, answer, owner=NOBODY, tools=TOOLS):
        """Have a model answer, and return the name of the session and the place that its answer got."""
        self.count += 1
        answer.message_id = f"response-number-{self.count:04}"
        asked = Request((Message("system", "Be kind."), *history), tools, "m", owner=owner)
        for piece in self.exchanges.add(Exchange(Response((answer,)), Capture.ARGUMENTS, asked)):
            turns, *_ = self.sessions.setdefault(
                piece.external_id, ([], piece.parent, piece.relation, piece.task)
            )
            turns += [turn.index for turn in piece.turns]
            self.results += [each.call_id for each in piece.results]
            name = piece.external_id
        return name

    @property
    def links(self):
        return {
            name: (len(turns), parent, relation)
            for name, (turns, parent, relation, _) in self.sessions.items()
        }


@pytest.fixture
def wire():
    return Wire()


@pytest.mark.parametrize("owner", [NOBODY, ADA])
@pytest.mark.parametrize(
    "broken",
    [said("I lo", why="cut_by_server"), said("", why="stop"), said("I", "c9", why="overloaded_error")],
)
def test_what_was_cut_or_empty_is_tried_again_in_the_same_session(wire, owner, broken):
    """At the beginning, where the client may add a note to what was asked, and behind an answer."""
    opening = person("Look at it.")
    first = wire.ask(opening, answer=broken, owner=owner)
    noted = person("Look at it.\nYour answer was empty.")
    assert wire.ask(noted, answer=said("Now.", "c1"), owner=owner) == first
    history = (noted, said("Now.", "c1"), result("c1"))
    assert wire.ask(*history, answer=said("", why="cut_by_server"), owner=owner) == first
    assert wire.ask(*history, answer=said("Done."), owner=owner) == first
    assert wire.links == {first: (4, "", None)}
    assert wire.results == ["c1"]


def test_an_answer_that_nobody_knows_is_passed_over(wire):
    """The client has made it itself, or has changed it; a result behind it belongs to no other call."""
    first = wire.ask(person("Go."), answer=said("I look.", "c1"))
    history = (
        person("Go."),
        said("I look.", "c1"),
        result("c1"),
        said("An error of the client's."),
        result(""),
        person("On."),
    )
    assert wire.ask(*history, answer=said("Done.")) == first
    assert (wire.links, wire.results) == ({first: (2, "", None)}, ["c1"])


def test_two_ways_on_from_a_whole_answer_are_a_fork_where_nobody_says_whose(wire):
    first = wire.ask(person("Go."), answer=said("A?"))
    history = (person("Go."), said("A?"))
    wire.ask(*history, person("Yes."), answer=said("B."))
    fork = wire.ask(*history, person("No."), answer=said("C."))
    assert wire.links[fork] == (1, first, Relation.FORK)


def test_a_client_that_names_its_session_stays_in_it(wire):
    """After it has gone back, and after its history gave way to a summary."""
    wire.ask(person("Go."), answer=said("A?"), owner=ADA)
    wire.ask(person("Go."), said("A?"), person("Yes."), answer=said("B."), owner=ADA)
    wire.ask(person("Go."), said("A?"), person("No."), answer=said("C."), owner=ADA)
    wire.ask(person("We went on with C. Go on."), answer=said("D."), owner=ADA)
    assert wire.links == {"ada": (4, "", None)}
    assert wire.sessions["ada"][0] == [0, 1, 2, 3]


@pytest.mark.parametrize("owner", [NOBODY, ADA])
def test_a_call_whose_identifier_came_before_has_no_result_of_the_earlier_one(wire, owner):
    """A client that sends neither the second call nor its result again says nothing of what came of it."""
    first, second = said("One.", "c1"), said("Two.", "c1", command="two")
    wire.ask(person("Go."), answer=first, owner=owner)
    wire.ask(person("Go."), first, result("c1"), answer=second, owner=owner)
    assert wire.results == ["c1"]
    wire.ask(
        person("Go."),
        first,
        result("c1"),
        said("Two."),
        person("(no content)"),
        answer=said("B."),
        owner=owner,
    )
    assert wire.results == ["c1"]


@pytest.mark.parametrize("owner", [NOBODY, ADA])
def test_a_call_whose_identifier_came_before_has_its_own_result(wire, owner):
    """It is told by its words."""
    first, second = said("One.", "c1"), said("Two.", "c1", command="two")
    wire.ask(person("Go."), answer=first, owner=owner)
    wire.ask(person("Go."), first, result("c1"), answer=second, owner=owner)
    wire.ask(person("Go."), first, result("c1"), second, result("c1"), answer=said("B."), owner=owner)
    assert (wire.results, len(wire.links)) == (["c1", "c1"], 1)


def test_a_client_that_repeats_one_answer_as_a_message_a_call_has_all_results(wire):
    """goose does so, with each call's result behind it; an earlier answer's result under the same identifier isn't one of them."""
    opening = person("Look at it.")
    wire.ask(opening, answer=said("Early.", "c2"))
    early = (opening, said("Early.", "c2"), result("c2"))
    wire.ask(*early, answer=said("Both.", "c1", "c2"))
    parted = (said("Both.", "c1"), result("c1"), said("", "c2"), result("c2"))
    assert wire.ask(*early, *parted, answer=said("Done.")) == wire.ask(
        *early, *parted, said("Done."), person("On."), answer=said("Yes.")
    )
    assert wire.results == ["c2", "c1", "c2"]
    assert [len(turns) for turns, *_ in wire.sessions.values()] == [4]


def test_calls_that_a_client_repeats_in_another_order_keep_their_results(wire):
    """As Kimi does, which puts calls that it refuses first."""
    wire.ask(person("Go."), answer=said("", "c1", "c2"))
    wire.ask(person("Go."), said("", "c2", "c1"), result("c2"), answer=said("A."))
    assert wire.results == ["c2"]


def test_another_name_behind_the_same_history_is_a_fork(wire):
    wire.ask(person("Go."), answer=said("A?"), owner=ADA)
    history = (person("Go."), said("A?"), person("Yes."))
    wire.ask(*history, answer=said("B.", "c1"), owner=RequestOwner("bob"))
    wire.ask(*history, said("B.", "c1"), result("c1"), answer=said("C."), owner=RequestOwner("bob"))
    assert wire.links == {"ada": (1, "", None), "bob": (2, "ada", Relation.FORK)}


def test_the_same_words_in_two_sessions_are_told_apart_by_their_names(wire):
    for name in ("ada", "bob"):
        wire.ask(person("Go."), answer=said("A?"), owner=RequestOwner(name))
    for name in ("ada", "bob"):
        wire.ask(person("Go."), said("A?"), person("Yes."), answer=said("B."), owner=RequestOwner(name))
    assert wire.links == {"ada": (2, "", None), "bob": (2, "", None)}


@pytest.mark.parametrize("owner", [NOBODY, ADA])
def test_a_conversation_that_a_call_has_begun_is_a_sub_agent_s(wire, owner):
    call = said("I delegate.", "c1", prompt="Look at other.txt and report.")
    first = wire.ask(person("Go."), answer=call, owner=owner)
    task = person("You are a helper. Your task:\nLook at other.txt and report.")
    child = wire.ask(task, answer=said("I look.", "c2"), owner=owner)
    assert (
        wire.ask(task, said("I look.", "c2"), result("c2"), answer=said("It is empty."), owner=owner) == child
    )
    assert wire.ask(person("Go."), call, result("c1"), answer=said("Done."), owner=owner) == first
    assert wire.links == {first: (2, "", None), child: (2, first, Relation.SUBAGENT)}
    again = wire.ask(task, answer=said("I look."))
    assert wire.links[again] == (1, "", None)  # no call waits for it any more


def test_a_sub_agent_that_works_in_the_background_is_linked_though_its_call_has_a_result(wire):
    """Its call says at once that the work has begun; the same words much later are anybody's."""
    call = said("I delegate.", "c1", prompt="Look at other.txt and report.")
    first = wire.ask(person("Go."), answer=call)
    history = [person("Go."), call, result("c1")]
    wire.ask(*history, answer=said("It runs."))
    task = person("<system-reminder>Skills.</system-reminder>\nLook at other.txt and report.")
    child = wire.ask(task, answer=said("I look.", "c2"))
    assert wire.links == {first: (2, "", None), child: (1, first, Relation.SUBAGENT)}
    longer = wire.ask(person("Please: Look at other.txt and report."), answer=said("I look, too."))
    for number in range(3):
        history += [said("It runs." if not number else f"Still {number}."), person(f"And {number}?")]
        assert wire.ask(*history, answer=said(f"Still {number + 1}.")) == first
    later = wire.ask(person("Look at other.txt and report."), answer=said("I look again."))
    assert [wire.links[each] for each in (longer, later)] == [(1, "", None)] * 2


def test_a_cut_answer_that_comes_back_without_its_call_is_the_one_before(wire):
    """As Qwen Code tries again: it repeats the words that came, and asks to go on from there."""
    first = wire.ask(person("Go."), answer=said("First try.", "c1", why="cut_by_server"))
    resumed = (person("Go."), said("First try."), person("The connection dropped. Go on."))
    assert wire.ask(*resumed, answer=said("Second try.", "c2")) == first
    assert wire.links == {first: (2, "", None)}


def test_a_sub_agent_that_its_client_names_is_linked(wire):
    wire.ask(person("Go."), answer=said("I delegate.", "c1"), owner=ADA)
    child = RequestOwner("ada/a1", "ada", Relation.SUBAGENT)
    wire.ask(person("Look."), answer=said("I look.", "c2"), owner=child)
    wire.ask(person("Look."), said("I look.", "c2"), result("c2"), answer=said("Done."), owner=child)
    assert wire.links == {"ada": (1, "", None), "ada/a1": (2, "ada", Relation.SUBAGENT)}


def test_a_request_for_a_title_is_beside_its_session(wire):
    wire.ask(person("Go."), answer=said("A."), owner=ADA)
    title = wire.ask(person("Name this: Go."), answer=said("Going"), owner=ADA, tools="")
    assert wire.links == {"ada": (1, "", None), title: (1, "ada", Relation.SUBAGENT)}


def test_a_conversation_that_begins_with_a_summary_is_linked_to_what_it_sums_up(wire):
    first = wire.ask(person("Go."), answer=said("<summary>We echoed one and two.</summary>"))
    told = person("This goes on from before. The summary:\nWe echoed one and two.")
    after = wire.ask(told, answer=said("On."))
    other = wire.ask(told, answer=said("On."), tools='[{"name":"other"}]')
    assert wire.links[after] == (1, first, Relation.CONTINUATION)
    assert wire.links[other] == (1, "", None)


def test_a_summary_that_was_asked_for_again_without_tools_is_a_branch_of_its_session(wire):
    first = wire.ask(person("Go."), answer=said("A."))
    history = (person("Go."), said("A."), person("Sum up."))
    wire.ask(*history, answer=said("I go on.", "call_1"))
    asked = wire.ask(*history, answer=said("We said a letter."), tools="")
    after = wire.ask(person("We said a letter.\n\nGo on."), answer=said("On."))
    assert wire.links[asked] == (1, first, Relation.FORK)
    assert wire.links[after] == (1, asked, Relation.CONTINUATION)


def test_a_result_goes_on_where_its_call_was_made_though_the_history_has_lost_it(wire):
    """As Gemini CLI does where it sums up its history while the model answers."""
    first = wire.ask(person("Go."), answer=said("I look.", "call_1"))
    history = (person("A summary."), said("Got it."), result("call_1"))
    assert wire.ask(*history, answer=said("Seen.")) == first
    assert wire.results == ["call_1"]
    later = wire.ask(person("Other files."), *history[1:], said("Seen."), person("On."), answer=said("Then."))
    assert later == first or wire.links[later][1] == first


def test_a_history_with_its_calls_as_text_is_the_same_session(wire):
    """As smolagents writes it: what came of a call is a person's word then."""
    first = wire.ask(person("New task:\nAdd."), answer=said("", "call_1"))
    text = (
        "Calling tools:\n[{'id': 'call_1', 'type': 'function', 'function': {'name': 'sh', 'arguments': {}}}]"
    )
    history = [person("New task:\nAdd."), Message("model", text), person("Observation:\n3")]
    assert wire.ask(*history, answer=said("Then.", "call_2")) == first
    history += [Message("model", f"Then.\n{text.replace('call_1', 'call_2')}"), person("Observation:\n4")]
    assert wire.ask(*history, answer=said("Done.")) == first
    assert wire.links == {first: (3, "", None)}


def test_a_session_that_began_before_goes_on_under_its_name(wire):
    """Its calls are in the ledger already; so are its places."""
    history = (person("Go."), said("A.", "c1"), result("c1"), said("B.", "c2"), result("c2"))
    wire.ask(*history, answer=said("C."), owner=ADA)
    assert (wire.sessions["ada"][0], wire.results) == ([2], ["c2"])
    assert not wire.exchanges.passed[LeftOutReason.NO_CALL, ""]


def test_a_task_is_the_person_s_words(wire):
    told = person("<system-reminder>\nMuch.\n</system-reminder>\nFix it.\nAt once.")
    name = wire.ask(person("<environment_context>x</environment_context>"), told, answer=said("A."))
    assert wire.sessions[name][3] == "Fix it."


def test_a_compacted_history_that_keeps_its_end_goes_on_in_its_session(wire):
    """It begins with a summary; the calls that it keeps are known by their identifiers, and what was said behind them in that session."""
    first = wire.ask(person("Go."), answer=said("", "c1"))
    wire.ask(person("Go."), said("", "c1"), result("c1"), answer=said("Done."))
    kept = (
        person("Summary: much was done."),
        person("Go."),
        said("", "c1"),
        result("c1"),
        said("Done."),
        person("On."),
    )
    assert wire.ask(*kept, answer=said("Then.")) == first
    assert wire.links == {first: (3, "", None)}


def test_a_notice_of_what_was_compacted_behind_the_first_words_goes_on_in_their_session(wire):
    """Cline sends the task again with a notice, and none of the answers."""
    first = wire.ask(person("Go."), answer=said("I look.", "c1"))
    other = wire.ask(person("Stay."), answer=said("I look.", "c2"))
    notice = "\n\n<SYSTEM_NOTICE>\nEarlier context was compacted. Commands ran: ls"
    assert wire.ask(person("Go." + notice), answer=said("There.", "c3")) == first
    assert wire.ask(person("Go." + notice), said("There.", "c3"), result("c3"), answer=said("Done.")) == first
    assert wire.ask(person("Stay.\n\n<note>\nThe context is clear."), answer=said("So?")) not in {
        first,
        other,
    }
    assert wire.ask(person("Leave." + notice), answer=said("So?")) not in {first, other}
    assert wire.links[first] == (3, "", None)


def test_an_answer_that_was_cut_by_its_length_is_asked_for_again(wire):
    first = wire.ask(person("Go."), answer=said("", "c1"))
    history = (person("Go."), said("", "c1"), result("c1"))
    wire.ask(*history, answer=said("So l", why="length"))
    assert wire.ask(*history, answer=said("So long.")) == first
    assert wire.ask(*history, said("So long."), person("On."), answer=said("Bye.")) == first


@pytest.mark.parametrize(
    ("history", "task"),
    [
        (("Generate a title for this conversation:\n", "Mend the till."), "Mend the till."),
        (("Write a short title for the chat below:\nMend the till.",), "Mend the till."),
        (("Generate a title for this conversation:",), "Generate a title for this conversation:"),
        (("Write a title for the page.",), "Write a title for the page."),
    ],
)
def test_what_a_client_wants_of_a_title_is_not_the_task(wire, history: tuple[str, ...], task: str) -> None:
    """It asks for one before the person's words are answered, in the session's own name."""
    name = wire.ask(*map(person, history), answer=said("A title"), owner=ADA, tools="")
    assert wire.sessions[name][3] == task


ID, OTHER = "01a2285e-bf09-7283-8c61-c4416558e7fc", "01a2285e-f62d-7f83-a2d0-dd1de518a007"


def codex(thread, **more):
    said = json.dumps({"session_id": ID, "thread_id": thread, **more})
    return {
        "prompt_cache_key": ID,
        "client_metadata": {"session_id": ID, "thread_id": thread, "x-codex-turn-metadata": said},
    }


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        ({"metadata": {"user_id": json.dumps({"device_id": "d", "session_id": ID})}}, {}, RequestOwner(ID)),
        ({"metadata": {"user_id": f"user_ab_account__session_{ID}"}}, {}, RequestOwner(ID)),
        ({}, {"x-claude-code-session-id": ID}, RequestOwner(ID)),
        (
            {"metadata": {"user_id": json.dumps({"session_id": ID})}},
            {"x-claude-code-session-id": ID, "x-claude-code-agent-id": "a1"},
            RequestOwner(f"{ID}/a1", ID, Relation.SUBAGENT),
        ),
        (codex(ID), {}, RequestOwner(ID)),
        (codex(OTHER, parent_thread_id=ID), {}, RequestOwner(OTHER, ID, Relation.SUBAGENT)),
        (codex(OTHER, forked_from_thread_id=ID), {}, RequestOwner(OTHER, ID, Relation.FORK)),
        (
            {"prompt_cache_key": ID},
            {"thread-id": OTHER, "x-codex-parent-thread-id": ID},
            RequestOwner(OTHER, ID, Relation.SUBAGENT),
        ),
        ({"prompt_cache_key": "ses_7ab3c9d2e1f0"}, {}, RequestOwner("ses_7ab3c9d2e1f0")),
        ({"conversation": {"id": "conv_1"}}, {}, RequestOwner("conv_1")),
        ({"conversation": "conv_1"}, {}, RequestOwner("conv_1")),
    ],
)
def test_agents_name_their_session_and_what_it_comes_from(body, headers, expected):
    assert owner_of(body, tuple(headers.items())) == expected


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"prompt_cache_key": "my-app-v1"},
        {"metadata": {"user_id": "ada"}},
        {"metadata": {"user_id": '{"session_id": 3}'}},
        {"metadata": {"user_id": "{" * 100_000}},
        {"metadata": {"user_id": '{"a":' * 10_000}},
        {"metadata": "x", "client_metadata": [1], "conversation": 7, "session_id": {}},
        {"session_id": "x" * 100_000},
    ],
)
def test_what_names_no_session_is_nobody_s(body):
    """One name for all that a program asks, a person, and whatever else may stand there."""
    assert owner_of(body, (("authorization", ID), ("user-agent", ID))) == NOBODY


def test_no_header_that_holds_a_key_is_looked_at():
    assert not HEADERS & {"authorization", "x-api-key", "api-key", "cookie", "x-goog-api-key"}
