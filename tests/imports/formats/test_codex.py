"""Rollouts of Codex: a response is a turn with its raw arguments, said once, and known again in a copy."""

import json

import pytest
from given_items import left_out

from actionledger.core.recordings import Compaction, RecordedResult, RecordedSession
from actionledger.core.vocabulary import (
    Capture,
    ExecutionStatus,
    LeftOutReason,
    Reason,
    Relation,
    TitleOrigin,
)
from actionledger.imports.formats.codex import SOURCE, read, recognise
from actionledger.imports.shapes.codex_results import WORDINGS
from actionledger.imports.shapes.observations import LaterTools
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.wordings import judged

AT = "2026-04-16T09:34:38.581Z"


def line(kind: str, **payload) -> dict:
    return {"timestamp": AT, "type": kind, "payload": payload}


def meta(session: str = "s1", **fields) -> dict:
    return line("session_meta", id=session, timestamp=AT, cwd="/home/ada", cli_version="0.133", **fields)


def item(kind: str, **fields) -> dict:
    return line("response_item", type=kind, **fields)


def message(role: str, *texts: str) -> dict:
    return item("message", role=role, content=[{"type": "output_text", "text": text} for text in texts])


def call(name: str, arguments: str = '{"cmd":"ls"}') -> dict:
    return item("function_call", name="exec_command", arguments=arguments, call_id=name)


def output(name: str, text: object, kind: str = "function_call_output") -> dict:
    return item(kind, call_id=name, output=text)


def tokens(out: int, total: int) -> dict:
    last = {
        "input_tokens": 100,
        "cached_input_tokens": 60,
        "output_tokens": out,
        "reasoning_output_tokens": 2,
    }
    info = {"last_token_usage": last, "total_token_usage": {"output_tokens": total}}
    return line("event_msg", type="token_count", info=info)


@pytest.fixture
def items(tmp_path):
    """Return what is read of lines."""

    def read_all(*lines: dict, name: str = "rollout-1.jsonl") -> list:
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
        return list(read(path))

    return read_all


def turns(items) -> list:
    return [turn for each in items if isinstance(each, RecordedSession) for turn in each.turns]


CONTEXT = line("turn_context", model="gpt-9", cwd="/home/ada")


def test_what_stands_between_two_counts_is_one_response(items):
    """Its texts, its calls with their arguments as written, its tokens, and what came of it."""
    session, *_ = items(
        meta(),
        CONTEXT,
        message("user", "Look around."),
        item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
        message("assistant", "I'll look."),
        call("a", '{"cmd": "ls",}'),
        call("b"),
        tokens(7, 7),
        output("a", "Chunk ID: 1\nWall time: 0.5000 seconds\nProcess exited with code 0\nOutput:\none"),
        output("b", "Process exited with code 2\nOutput:\nProcess exited with code 0\n"),
        message("assistant", "Done."),
        tokens(3, 10),
        tokens(3, 10),
    )
    first, second = session.turns
    assert (session.external_id, session.model, session.task) == ("s1", "gpt-9", "Look around.")
    assert (first.text, first.prompt, first.reasoning) == ("I'll look.", "Look around.", "Hm.")
    assert first.capture is Capture.ARGUMENTS
    assert [(each.call_id, each.arguments, each.kind) for each in first.calls] == [
        ("a", '{"cmd": "ls",}', "function"),
        ("b", '{"cmd":"ls"}', "function"),
    ]
    assert [(each.exit_status, each.duration_ms) for each in first.results] == [(0, 500.0), (2, None)]
    usage = first.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens) == (
        100,
        60,
        7,
        2,
    )
    assert (second.text, second.usage.output_tokens) == ("Done.", 3)


def test_a_count_behind_the_results_is_the_responses_too(items):
    """Older versions write it there."""
    (turn,) = turns(items(meta(), call("a"), output("a", "x"), tokens(7, 7)))
    assert turn.usage.output_tokens == 7


def test_zeros_after_a_compaction_are_no_response_s(items):
    """The client counts its context anew; the response before keeps its own tokens."""
    zeros = {"last_token_usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 900}}
    anew = line("event_msg", type="token_count", info=zeros | {"total_token_usage": {"output_tokens": 0}})
    (turn,) = turns(items(meta(), call("a"), tokens(20, 20), output("a", "x"), anew))
    assert turn.usage.output_tokens == 20


def test_counters_that_begin_anew_lose_nothing(items):
    """A sum that is smaller than before belongs to another response all the same."""
    found = items(meta(), call("a"), tokens(7, 700), output("a", "x"), call("b"), tokens(5, 5))
    assert [turn.usage.output_tokens for turn in turns(found)] == [7, 5]


def test_a_patch_is_text(items):
    """It is kept as the model wrote it, and its end is in the metadata."""
    patch = "*** Begin Patch\n*** End Patch"
    wrapped = json.dumps({"output": "Success.", "metadata": {"exit_code": 0, "duration_seconds": 0.25}})
    found = items(
        meta(),
        item("custom_tool_call", name="apply_patch", input=patch, call_id="a", status="completed"),
        output("a", wrapped, "custom_tool_call_output"),
    )
    (turn,) = turns(found)
    assert (turn.calls[0].arguments, turn.calls[0].kind) == (patch, "text")
    (result,) = turn.results
    assert (result.output, result.exit_status, result.duration_ms) == ("Success.", 0, 250.0)


def test_events_say_what_the_text_leaves_open(items):
    """How a command and a tool ended, in the event before the result."""
    found = items(
        meta(),
        call("a"),
        call("b"),
        line(
            "event_msg",
            type="exec_command_end",
            call_id="a",
            exit_code=3,
            duration={"secs": 1, "nanos": 5_000_000},
        ),
        line("event_msg", type="patch_apply_end", call_id="b", success=False),
        output("a", "text"),
        output("b", "text"),
    )
    first, second = turns(found)[0].results
    assert (first.exit_status, first.duration_ms) == (3, 1005.0)
    assert judged(first, WORDINGS).reason is Reason.COMMAND_FAILED
    assert judged(second, WORDINGS) == (ExecutionStatus.FAILED, Reason.TOOL_ERROR, False)


def test_a_search_that_its_provider_has_run_is_a_call(items):
    """It has no identifier of its own."""
    search = item("web_search_call", status="completed", action={"type": "search", "query": "git"})
    (turn,) = turns(items(meta(), search, search, message("assistant", "Found.")))
    assert [(each.call_id, each.name) for each in turn.calls] == [("", "web_search"), ("", "web_search")]


def test_a_compaction_stands_before_the_response_that_follows_it(items):
    """Of the response before it nothing more comes."""
    before, after = turns(
        items(
            meta(),
            message("user", "Go on."),
            message("assistant", "Before."),
            line("compacted", message="A summary.", replacement_history=[]),
            message("assistant", "After."),
        )
    )
    assert (before.text, before.compaction) == ("Before.", None)
    assert (after.text, after.compaction) == ("After.", Compaction())


def test_what_is_said_twice_is_counted_once(items):
    """Events repeat messages; what the client puts in a person's place is no prompt; encrypted thoughts are counted."""
    found = items(
        meta(),
        CONTEXT,
        message("developer", "<permissions>"),
        message("user", "# AGENTS.md instructions for /home/ada"),
        message("user", "<environment_context>\n</environment_context>"),
        message("user", "Go on."),
        line("event_msg", type="user_message", message="Go on."),
        item("reasoning", summary=[], encrypted_content="x"),
        line("event_msg", type="agent_message", message="Done."),
        message("assistant", "Done."),
        line("compacted", message="", replacement_history=[]),
        line("event_msg", type="brand_new"),
        line("brand_new"),
        item("brand_new"),
        meta(),
    )
    (turn,) = turns(found)
    assert (turn.text, turn.prompt) == ("Done.", "Go on.")
    assert left_out(found) == {
        (LeftOutReason.INJECTED_CONTEXT, "developer"): 1,
        (LeftOutReason.INJECTED_CONTEXT, "user"): 2,
        (LeftOutReason.DUPLICATE, "user_message"): 1,
        (LeftOutReason.DUPLICATE, "agent_message"): 1,
        (LeftOutReason.ENCRYPTED, "reasoning"): 1,
        (LeftOutReason.COMPACTED, "history"): 1,
        (LeftOutReason.UNKNOWN_KIND, "brand_new"): 3,
        (LeftOutReason.BOOKKEEPING, "session_meta"): 1,
    }


def test_a_copied_history_is_known_again(items):
    """By its calls, and by its texts behind them: a fork's file holds its parent's, with times and prompts of its own."""
    history = [message("assistant", "Hello."), message("user", "Go."), call("a"), output("a", "x")]
    history += [message("assistant", "Done.")]
    parent = items(meta("parent"), *history)
    fork = items(
        meta("child", forked_from_id="parent"), meta("parent"), *history, message("user", "More."), call("b")
    )
    known = [turn.external_id for turn in turns(parent)]
    assert [turn.external_id for turn in turns(fork)] == [*known, "b"]
    assert len(set(known)) == 3
    assert (fork[0].external_id, fork[0].parent, fork[0].relation) == ("child", "parent", Relation.FORK)
    assert fork[0].ids == "source"


def test_calls_that_a_server_counts_from_0_are_their_sessions_own(items):
    """Kimi names each session's first call ``functions.shell:0``; a fork's copy is known again, and so is the answer after it."""
    history = [call("functions.shell:0"), output("functions.shell:0", "x"), message("assistant", "Done.")]
    one, two = turns(items(meta("one"), *history)), turns(items(meta("two"), *history))
    assert one[0].external_id == "one/functions.shell:0"
    assert not {turn.external_id for turn in one} & {turn.external_id for turn in two}
    own = call("functions.shell:1") | {"timestamp": AFTER}
    fork = turns(
        items(meta("three", forked_from_id="one"), meta("one"), *history, message("user", "More."), own)
    )
    named = [*(turn.external_id for turn in one), "three/functions.shell:1"]
    assert [turn.external_id for turn in fork] == named
    assert one[0].formerly == "functions.shell:0"


def test_a_session_that_a_stream_holds_at_several_ages_is_there_once(items):
    """Each text, thought, search and prompt of a response; what it had not by then is added."""
    thought = item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}])
    search = item("web_search_call", status="completed", action={"type": "search", "query": "x"})
    begun = [meta(), message("user", "Look."), thought, message("assistant", "I look."), search]
    whole = [*begun, search, call("a"), output("a", "x"), message("user", "More."), call("b")]
    found = items(*begun, *whole, *whole)
    once = [(each.text, each.reasoning, each.prompt) for each in turns(items(*whole))]
    assert [(each.text, each.reasoning, each.prompt) for each in turns(found)] == once
    assert [[part.name for part in each.calls] for each in turns(found)] == [
        ["web_search", "exec_command"],
        ["exec_command"],
    ]
    assert left_out(found)[LeftOutReason.DUPLICATE, "message"] == 2


def test_a_stream_of_several_sessions_has_each_of_them(items):
    """A head behind what was said begins another one; before that it is of what this one comes from."""
    one = [meta("one"), CONTEXT, message("user", "Go."), call("a"), output("a", "x"), tokens(5, 5)]
    two = [meta("two", forked_from_id="one"), meta("one"), *one[2:5], call("b"), tokens(7, 7)]
    found = items(*one, *two, *two, *one)
    sessions = [each for each in found if isinstance(each, RecordedSession)]
    assert [(each.external_id, each.parent, each.is_last) for each in sessions] == [
        ("one", "", True),
        ("two", "one", True),
        ("one", "", True),
    ]
    assert [[turn.external_id for turn in each.turns] for each in sessions] == [["a"], ["a", "b"], ["a"]]
    assert left_out(found)[LeftOutReason.BOOKKEEPING, "session_meta"] == 3


def test_the_same_words_elsewhere_are_another_response(items):
    """Two sessions that end with "Done." have two responses, and so has one that says it twice."""
    one = items(
        meta("s1"), message("assistant", "Done."), message("user", "Again."), message("assistant", "Done.")
    )
    two = items(meta("s2"), message("assistant", "Done."))
    assert len({turn.external_id for turn in (*turns(one), *turns(two))}) == 3


def test_a_growing_file_keeps_what_it_had(items):
    """Whatever comes later, an identifier stays: also that of a response whose lines are not all there yet."""
    thought = item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}])
    lines = [meta(), thought, message("assistant", "Hello."), call("a"), tokens(1, 1), output("a", "x")]
    lines += [message("assistant", "Bye."), call("b"), call("c")]
    whole = [turn.external_id for turn in turns(items(*lines))]
    assert len(whole) == 2
    for end in range(2, len(lines)):
        grown = [turn.external_id for turn in turns(items(*lines[:end]))]
        assert grown == whole[: len(grown)]
    assert left_out(items(*lines[:2])) == {
        (LeftOutReason.EMPTY, "response"): 1,
        (LeftOutReason.EMPTY, "session"): 1,
    }


def test_a_session_begins_with_its_first_response(items):
    """A file that is read as it grows names the model and the task in no line before; what is recorded of a session stays as it is."""
    begun = (meta(), line("turn_context", model="gpt-5"), message("user", "Mend it."))
    found = items(*begun)
    assert [each for each in found if isinstance(each, RecordedSession)] == []
    assert left_out(found)[LeftOutReason.EMPTY, "session"] == 1
    (session, *_) = items(*begun, call("c1"))
    assert (session.model, session.task) == ("gpt-5", "Mend it.")


def test_sub_agents_are_children(items):
    """Either way that versions have said so."""
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "above", "depth": 1}}}
    for fields in ({"source": spawned}, {"source": {"subagent": "review"}, "parent_thread_id": "above"}):
        session, *_ = items(meta("s2", forked_from_id="fork", **fields), call("a"))
        assert (session.parent, session.relation) == ("above", Relation.SUBAGENT)


SENT = "Message Type: NEW_TASK\nTask name: /root/looker\nSender: /root\nPayload:\n"


@pytest.mark.parametrize(
    ("told", "title"),
    [
        (message("user", "Look at the till."), "Look at the till."),
        (item("agent_message", content=[{"type": "input_text", "text": SENT}]), "looker"),
        (item("agent_message", content=[{"type": "input_text", "text": f"{SENT}Count it."}]), "Count it."),
    ],
    ids=("prompt", "encrypted", "sent"),
)
@pytest.mark.parametrize(
    "history", [(), (meta("above"), message("user", "Review all."), call("a"))], ids=("own", "copied")
)
def test_a_sub_agent_is_called_by_what_it_was_told(items, told, title, history):
    """Not by its parent's prompt, which its file may begin with, nor by what stands around a message of another agent's."""
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "above", "depth": 1}}}
    lines = (
        meta("s2", source=spawned),
        *history,
        told | {"timestamp": "2026-04-16T09:34:41.000Z"},
        call("b"),
    )
    session, *_ = items(*lines)
    assert (session.details.title, session.details.title_from) == (title, TitleOrigin.PROMPT)


def test_a_file_without_a_head_is_named_by_itself(items):
    """Nothing of an excerpt is lost."""
    session, *_ = items(call("a"), name="rollout-9.jsonl")
    assert (session.external_id, len(session.turns)) == ("rollout-9", 1)


@pytest.mark.parametrize("row", WORDINGS, ids=lambda row: row.reason.value)
def test_each_wording_has_an_example_of_its_own(row):
    """The row fits it, and none before does; the words alone say so."""
    found = judged(RecordedResult("a", row.example), WORDINGS)
    assert (found.reason, found.is_inferred) == (row.reason, True)


def test_a_line_that_is_none_is_refused(tmp_path):
    """With its number, and the rest is read."""
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps(meta()) + "\n{oops\n" + json.dumps(call("a")) + "\n")
    found = list(read(path))
    assert [each.line for each in found if isinstance(each, Refusal)] == [2]
    assert len(turns(found)) == 1


def test_it_is_recognised():
    assert recognise(Sample(None, b"", (meta(), call("a")))) == 1
    assert recognise(Sample(None, b"", ({"timestamp": AT, "type": "x", "payload": {}},))) == 0
    assert recognise(Sample(None, b"", ({"session": "s", "text": "x"},))) == 0
    assert SOURCE.keeps is Capture.ARGUMENTS


def test_a_record_of_tokens_goes_before_counts(items):
    """It is each response's own: a count may say 0 of one that was cut, and comes behind the results."""
    usage = {"input_tokens": 100, "output_tokens": 7}
    found = items(
        meta(),
        message("assistant", "Cut by"),
        line("token_usage_record", response_id="r1", usage=usage),
        tokens(0, 7),
        line(
            "event_msg",
            type="task_complete",
            error={"message": "Incomplete response returned, reason: max_output_tokens"},
        ),
    )
    (turn,) = turns(found)
    assert (turn.usage.output_tokens, turn.usage.finish_reason) == (7, "max_output_tokens")


def test_an_answer_without_a_word_is_one(items):
    """Empty, or of thoughts alone: its tokens were recorded, and it keeps the names that the answers behind it have."""
    thought = item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}])
    last = [
        message("assistant", "Done."),
        line("token_usage_record", response_id="r3", usage={"output_tokens": 3}),
    ]
    found = items(
        meta(),
        message("user", "Go."),
        line("token_usage_record", response_id="r1", usage={"output_tokens": 1}),
        thought,
        line("token_usage_record", response_id="r2", usage={"output_tokens": 2}),
        *last,
    )
    empty, thinking, done = turns(found)
    assert (empty.text, empty.prompt, empty.usage.output_tokens) == ("", "Go.", 1)
    assert (thinking.text, thinking.reasoning, thinking.external_id) == ("", "Hm.", "r2")
    assert done.external_id == turns(items(meta(), *last))[0].external_id


def test_a_session_that_only_failed_is_one(items):
    """It has no turn, and says why."""
    error = line("event_msg", type="task_complete", error={"message": "bad request"})
    session, *rest = items(meta(), CONTEXT, message("user", "Go."), error)
    assert (session.turns, session.reason, session.task, session.model) == ((), "bad request", "Go.", "gpt-9")
    assert (LeftOutReason.NO_RESPONSE, "task_complete") in {(each.reason, each.detail) for each in rest}


def test_two_calls_with_one_identifier_are_two(items):
    """Both are run, and each has its result."""
    found = items(
        meta(), call("a", '{"cmd":"one"}'), call("a", '{"cmd":"two"}'), output("a", "1"), output("a", "2")
    )
    (turn,) = turns(found)
    assert [each.arguments for each in turn.calls] == ['{"cmd":"one"}', '{"cmd":"two"}']
    assert [each.output for each in turn.results] == ["1", "2"]


AFTER = "2026-04-16T09:35:00.000Z"
"""Long behind the head of a file: what a model has answered, and nobody has copied."""

FORKED = {"forked_from_id": "s1", "parent_thread_id": "s1"}


@pytest.mark.parametrize(
    "head",
    [
        FORKED,
        {"forked_from_id": "s1"},
        {"parent_thread_id": "s1"},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "s1"}}}},
    ],
)
def test_a_copied_history_without_its_own_head_is_known_again(items, head):
    """The head of the file says whose it is; what the child has answered itself is its own, the same words, too."""
    history = [
        CONTEXT,
        message("assistant", "Hello"),
        tokens(5, 5),
        message("user", "x"),
        message("assistant", "Bye"),
    ]
    own = [message("user", "y") | {"timestamp": AFTER}, message("assistant", "Hello") | {"timestamp": AFTER}]
    first = [turn.external_id for turn in turns(items(meta(), *history))]
    found = turns(items(meta("s2", **head), *history, *own))
    assert [turn.external_id for turn in found][:2] == first
    assert found[2].external_id not in first
    plain = turns(items(meta("s2"), *history, *own))  # as earlier versions have named them
    assert [turn.formerly for turn in found] == [turn.external_id for turn in plain]
    assert {turn.formerly for turn in plain} == {""}


@pytest.mark.parametrize(
    "head",
    [FORKED | {"history_base": {"thread_id": "s1"}}, {"parent_thread_id": "s1", "history_mode": "paginated"}],
)
def test_a_child_without_a_copy_has_answers_of_its_own(items, head):
    """Nor is one that came long behind the head of its file any copy."""
    first = turns(items(meta(), message("assistant", "Hello")))
    assert (
        turns(items(meta("s2", **head), message("assistant", "Hello")))[0].external_id != first[0].external_id
    )
    late = message("assistant", "Hello") | {"timestamp": AFTER}
    assert turns(items(meta("s2", **FORKED), late))[0].external_id != first[0].external_id


def test_a_fork_s_counters_begin_with_its_trunk_s_sum(items):
    """A count before its first answer is nobody's."""
    (found,) = turns(
        items(
            meta("s2", **FORKED, history_base={}), tokens(50, 500), message("assistant", "Hi"), tokens(7, 507)
        )
    )
    assert found.usage.output_tokens == 7


def test_tools_that_a_search_brings_count_once_the_clients_own_are_known():
    """Before, not all that was offered is recorded, and a call of another would be none."""
    brought, own = ({"tools": [{"name": name}]} for name in ("brought", "functions"))
    tools = LaterTools()
    assert (tools.take(brought), tools.text) == (False, "")
    assert tools.take(own)
    assert tools.take(brought)
    assert [each["function"]["name"] for each in json.loads(tools.text)] == ["functions", "brought"]
