"""What other runtimes did: calls beside a text, their results, tokens, lineage, growth. Counted as whoever asks plain SQL counts."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from effort import soaked

from actionledger.core.canonical import json_text
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports import ImportReport, import_sessions
from actionledger.imports.sources.base import Item, LeftOut, Refusal
from actionledger.ledger import Ledger
from actionledger.ledger.storage import encoding

ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
TOOLS = json_text([ADD])


def turn(name: str, *calls: RecordedCall, **given: Any) -> RecordedTurn:
    """A message with its own id; its index is the number at the end of it."""
    values = {"capture": Capture.ARGUMENTS, "calls": calls, "text": f"This is {name}."} | given
    return RecordedTurn(index=int(name[-1]), external_id=name, **values)


def session(name: str, *turns: RecordedTurn, **given: Any) -> RecordedSession:
    return RecordedSession(name, None, "m", "t", turns, **given)


def call(name: str, arguments: Any = '{"a": 1, "b": 2}') -> RecordedCall:
    return RecordedCall(name, "add", arguments)


def take(ledger: Ledger, *items: Item, source: str = "log") -> ImportReport:
    return import_sessions(ledger, items, source=source)


def rows(ledger: Ledger, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in ledger.sql(query).fetchall()]


def count(ledger: Ledger, table: str) -> int:
    [(number,)] = rows(ledger, f"SELECT count(*) FROM {table}")
    return number


def events(ledger: Ledger) -> int:
    return count(ledger, "events")


def test_argument_strings_are_read_and_stand_in_the_text(ledger):
    """Each where it was made, with spans and repairs; what can't be read is a malformed block with a reason."""
    calls = (
        replace(call("c1"), at=5),
        replace(call("c2", '{"a": 1, "b": 2,}'), at=5),
        call("c3", '{"a": '),
        call("c4", "[1]"),
        call("c5", ""),
        replace(call("c6", "*** Begin Patch 漢👍🏽"), kind="text"),
    )
    take(ledger, session("s", turn("t0", *calls, text="Do 漢\n this.", tools=TOOLS)))
    [(text, outcome, capture, parser)] = rows(
        ledger,
        "SELECT text, outcome, p.capture, parser_name FROM turns JOIN parse_attempts p USING (turn_id)",
    )
    assert (outcome, capture, parser) == ("partial", "arguments", "recorded")
    assert text == ('Do 漢\n{"a": 1, "b": 2}\n{"a": 1, "b": 2,}\n this.\n{"a": \n[1]\n*** Begin Patch 漢👍🏽')
    spans = rows(ledger, "SELECT span_start, span_end, status, reason FROM blocks ORDER BY block_index")
    assert [(text[start:end], status, reason) for start, end, status, reason in spans] == [
        ('{"a": 1, "b": 2}', "strict", None),
        ('{"a": 1, "b": 2,}', "repaired", None),
        ('{"a": ', "malformed", "truncated"),
        ("[1]", "malformed", "wrong_shape"),
        ("", "strict", None),
        ("*** Begin Patch 漢👍🏽", "strict", None),
    ]
    [(start, end, kind)] = rows(ledger, "SELECT span_start, span_end, kind FROM repairs")
    assert (text[start:end], kind) == (",", "trailing_comma")
    assert rows(ledger, "SELECT call_id, status, reason, arguments FROM actions ORDER BY action_index") == [
        ("c1", "valid", None, '{"a":1,"b":2}'),
        ("c2", "valid", None, '{"a":1,"b":2}'),
        ("c5", "invalid", "missing_field", "{}"),
        ("c6", "invalid", "missing_field", '{"input":"*** Begin Patch 漢👍🏽"}'),
    ]


def test_parsed_calls_are_checked_against_what_was_offered(ledger):
    """They have no characters: their spans are empty, at their place."""
    calls = (replace(call("c1", {"a": 1, "b": "x"}), at=2), RecordedCall("c2", "subtract", {"a": 1}))
    take(ledger, session("s", turn("t0", *calls, text="So it is.", capture=Capture.CALLS, tools=TOOLS)))
    assert rows(ledger, "SELECT text, capture, call_count FROM turns") == [("So it is.", "calls", 2)]
    assert rows(
        ledger,
        "SELECT name, status, reason, span_start, span_end, catalogue FROM actions ORDER BY action_index",
    ) == [
        ("add", "invalid", "wrong_type", 2, 2, "tools"),
        ("subtract", "unknown", "unknown_action", 9, 9, "tools"),
    ]


def test_tools_are_kept_once(ledger):
    """And linked to the turns that they were offered in."""
    take(ledger, session("s", turn("t0", tools=TOOLS), turn("t1", tools=TOOLS), turn("t2")))
    take(ledger, session("s2", turn("t0", tools=TOOLS)))
    assert rows(ledger, "SELECT tools FROM tools") == [(TOOLS,)]
    assert rows(ledger, "SELECT count(*) FROM turns JOIN tools USING (tools_hash)") == [(3,)]


def test_tools_that_are_none_check_nothing(ledger):
    """They are kept, and every named action counts as it does where nobody knows what was offered."""
    for number, tools in enumerate(('[{"oops": 1}]', "no JSON", "[1]", "{}", "null")):
        take(ledger, session(f"s{number}", turn("t0", call("c"), tools=tools)))
    assert rows(ledger, "SELECT DISTINCT status FROM actions") == [("not_checked",)]


def test_results_are_recorded_executions(ledger):
    """Each once, by its call, with who ran it; a call without one has none."""
    results = (
        RecordedResult("c2", "Exit code 3\nno", is_error=True, duration_ms=12.5),
        RecordedResult("c1", {"sum": 3}, is_error=False),
        RecordedResult("c3", "rejected", refused_by="person"),
    )
    calls = tuple(call(f"c{number}") for number in (1, 2, 3, 4))
    report = take(ledger, session("s", turn("t0", *calls, results=results)))
    assert (report.turns, report.calls, report.results) == (1, 4, 3)
    assert rows(
        ledger,
        "SELECT e.call_id, e.status, e.reason, origin, result, message, duration_ms, a.call_id = e.call_id "
        "FROM executions e JOIN actions a USING (action_id) ORDER BY 1",
    ) == [
        ("c1", "succeeded", None, "recorded", '{"sum":3}', "", None, True),
        ("c2", "failed", "command_failed", "recorded", '"Exit code 3\\nno"', "Exit code 3\nno", 12.5, True),
        ("c3", "denied", "rejected", "recorded", '"rejected"', "rejected", None, True),
    ]


@pytest.mark.parametrize(
    ("told", "held"), [(2**32 - 1, -1), (3221225786, -1073741510), (-7, -7), (2**70, None), (-(2**40), None)]
)
def test_an_exit_status_is_held_in_32_bits(ledger, told, held):
    """Windows' are told without a sign, too; what no system gives is none, and costs no result."""
    call = RecordedCall("c1", "add", "{}")
    answer = turn("m0", call, results=(RecordedResult("c1", "Stopped.", exit_status=told),))
    take(ledger, RecordedSession("s", None, "", "", (answer,)))
    assert rows(ledger, "SELECT exit_status, status, reason FROM executions") == [
        (held, "failed", "command_failed")
    ]


def test_a_score_that_is_no_number_costs_no_end(ledger):
    """It is left out, and the rest of what is known of the session's end is there."""
    scores = {"a": float("nan"), "b": 0.5, "c": float("inf")}
    ended = RecordedSession("s", None, "", "", (turn("m0"),), True, "done", scores=scores)
    assert import_sessions(ledger, [ended]).left_out == {("", LeftOutReason.UNREADABLE, "score"): 2}
    assert rows(ledger, "SELECT success, reason, scores::VARCHAR FROM session_ends") == [
        (True, "done", '{"b":0.5}')
    ]


@pytest.mark.parametrize("index", [2**31, -1])
def test_a_place_that_no_ledger_holds_is_refused(ledger, index):
    """And is said; the turns around it are there."""
    turns = (RecordedTurn(0, "a"), RecordedTurn(index, "b"), RecordedTurn(1, "c"))
    report = import_sessions(ledger, [RecordedSession("s", None, "", "", turns)])
    assert report.turns == 2
    assert [refusal.reason for refusal in report.refusals] == [
        f"Session 's': a turn's place counts from 0 to 2147483647, got {index}."
    ]
    assert rows(ledger, "SELECT text FROM turns ORDER BY 1") == [("a",), ("c",)]


def test_a_result_of_a_call_that_could_not_be_read_is_recorded(ledger):
    """Their runtime has answered it, whatever ours made of the arguments."""
    results = (RecordedResult("c1", "failed to parse arguments", is_error=True),)
    take(ledger, session("s", turn("t0", call("c1", '{"a": '), results=results)))
    assert rows(ledger, "SELECT name, status, reason, call_id FROM executions") == [
        ("add", "failed", "schema_error", "c1")
    ]
    assert count(ledger, "actions") == 0


def test_results_without_an_identifier_follow_by_place(ledger):
    """As in formats whose calls carry none; also where the calls stand in the text."""
    text = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>\n' * 2
    results = (RecordedResult("", "one"), RecordedResult("", "two"), RecordedResult("", "three"))
    report = take(ledger, session("s", turn("t0", text=text, capture=Capture.TEXT, results=results)))
    assert rows(ledger, "SELECT action_index, result FROM executions ORDER BY 1") == [
        (0, '"one"'),
        (1, '"two"'),
    ]
    assert report.left_out_by_reason == {LeftOutReason.NO_CALL: 1}


def test_a_raw_text_is_read_by_dialects_and_its_results_belong_to_what_their_runtime_read(ledger):
    """The call's identifier is the recording's; the action is ours."""
    text = 'Now <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'
    raw = turn(
        "t0",
        call("c1", {"a": 1, "b": 2}),
        text=text,
        capture=Capture.TEXT,
        tools=TOOLS,
        results=(RecordedResult("c1", "3", is_error=False),),
    )
    take(ledger, session("s", raw))
    assert rows(
        ledger,
        "SELECT a.name, a.dialect, a.status, e.status, e.call_id, parser_name FROM actions a JOIN executions e USING (action_id)",
    ) == [("add", "hermes", "valid", "succeeded", "c1", "auto")]


def test_usage_is_of_the_turn(ledger):
    """As the recording says it; what it doesn't say is NULL."""
    usage = Usage(
        input_tokens=100,
        output_tokens=20,
        cached_tokens=90,
        cache_write_tokens=5,
        reasoning_tokens=7,
        cost_usd=0.25,
        latency_ms=800.0,
        time_to_first_token_ms=90.0,
        finish_reason="tool_use",
    )
    take(ledger, session("s", turn("t0", usage=usage, model="other"), turn("t1")))
    assert rows(
        ledger,
        "SELECT message_id, model, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, "
        "cost_usd, cost_origin, latency_ms, time_to_first_token_ms, finish_reason FROM turns ORDER BY turn_index",
    ) == [
        ("t0", "other", 100, 20, 90, 5, 7, 0.25, "recorded", 800.0, 90.0, "tool_use"),
        ("t1", "m", *[None] * 10),
    ]


THOUGHT = (
    'I call <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call> with sk-proj-' + "aB3" * 20
)


def test_thoughts_are_kept_masked_and_never_read(ledger):
    """They are no part of the response: neither its text nor its actions."""
    thinking = turn("t0", text="Done.", capture=Capture.TEXT, tools=TOOLS, reasoning=THOUGHT)
    take(ledger, session("s", thinking, turn("t1")))
    (first, second) = rows(ledger, "SELECT text, reasoning FROM turns ORDER BY turn_index")
    assert (first[0], second[1]) == ("Done.", None)
    assert first[1].startswith(THOUGHT[:80])
    assert "aB3aB3" not in first[1]
    assert rows(ledger, "SELECT count(*) FROM actions WHERE turn_index = 0") == [(0,)]


@pytest.mark.soak
def test_a_thought_that_makes_its_event_too_large_is_cut_and_says_so(ledger, monkeypatch):
    """As a prompt is: the response is recorded whole."""
    monkeypatch.setattr(encoding, "LINE_LIMIT", 8_000_000)
    take(ledger, session("s", turn("t0", text="Done.", reasoning="\0" * 1_400_000)))
    ((text, kept),) = rows(ledger, "SELECT text, reasoning FROM turns")
    assert text == "Done."
    assert kept.endswith("(cut: 1,048,576 of 1,400,000 characters are kept)")


def test_children_stand_under_their_parent(ledger):
    """In whatever order their files come; scores and labels keep their names."""
    child = session(
        "c", turn("t0"), parent="p", relation=Relation.SUBAGENT, scores={"reward": 0.5}, labels=("hard",)
    )
    take(ledger, child, session("p", turn("t0")))
    assert rows(
        ledger,
        "SELECT c.external_id, c.relation, p.external_id, c.scores->>'reward', c.labels FROM sessions c "
        "JOIN sessions p ON p.session_id = c.parent_session_id",
    ) == [("c", "subagent", "p", "0.5", '["hard"]')]


def test_other_words_under_a_known_identifier_are_told_also_beside_its_calls(ledger):
    """However short they are; an earlier state begins as what is there does."""
    take(ledger, session("s", turn("m0", call("c1", {}), text="Hello there.", capture=Capture.CALLS)))
    begun = take(ledger, session("s", turn("m0", call("c1", {}), text="Hello", capture=Capture.CALLS)))
    other = take(ledger, session("s", turn("m0", call("c1", {}), text="Bye.", capture=Capture.CALLS)))
    assert [(each.known, len(each.differing)) for each in (begun, other)] == [(1, 0), (0, 1)]


@pytest.mark.parametrize("is_taken_in", [True, False])
def test_a_part_of_a_message_is_no_state_of_it(ledger, is_taken_in):
    """A source that gives a message in parts hears of it: a call that is not recorded is never taken for one that is."""
    take(ledger, session("s", turn("m0", call("c1"), call("c2"))))
    if is_taken_in:
        ledger.ingest()
    for part in (turn("m0", call("c2"), text=""), turn("m0", text="")):
        assert (take(ledger, session("s", part)).known, count(ledger, "turns")) == (1, 1)
    report = take(ledger, session("s", turn("m0", call("c3"), text="")))
    assert (report.known, len(report.differing)) == (0, 1)


def test_results_of_no_call_are_counted(ledger):
    """Those of calls that have one already are not: importing again leaves nothing out."""
    answered = RecordedResult("c0", "ok", is_error=False)
    items = (
        session("s", turn("m0", call("c0")), is_last=False),
        session("s", results=(answered, RecordedResult("lost", "?"), RecordedResult("", "?"))),
    )
    for results in (1, 0):
        report = take(ledger, *items)
        assert (report.results, report.left_out_by_reason) == (results, {LeftOutReason.NO_CALL: 2})
    assert rows(ledger, "SELECT reason, count FROM left_out") == [("no_call", 2)]


def test_a_second_result_of_a_call_is_none_without_a_call(ledger):
    """Whether it stands in the call's turn or behind it: the first one is kept."""
    results = tuple(RecordedResult("c0", text, is_error=False) for text in ("one", "two"))
    report = take(ledger, session("s", turn("m0", call("c0"), results=results)))
    assert (report.results, report.left_out_by_reason) == (1, {})
    assert rows(ledger, "SELECT result FROM executions") == [('"one"',)]


def full() -> tuple[RecordedTurn, ...]:
    return tuple(
        turn(
            f"m{number}",
            call(f"c{number}"),
            results=(RecordedResult(f"c{number}", "ok", is_error=False),),
            usage=Usage(output_tokens=10),
        )
        for number in range(4)
    )


WHOLE = (1, 4, 4, 4, 4, 40)


def counts(ledger: Ledger) -> tuple[int, ...]:
    [found] = rows(
        ledger,
        "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM parse_attempts), "
        "(SELECT count(*) FROM actions), (SELECT count(*) FROM executions), (SELECT sum(output_tokens) FROM turns)",
    )
    return found


def test_importing_again_adds_no_event(ledger):
    """Nothing of it: no run, no refusal, nothing that was left out."""
    items = (
        session("s", *full()),
        LeftOut("f", LeftOutReason.INJECTED_CONTEXT),
        LeftOut("f", LeftOutReason.INJECTED_CONTEXT),
        Refusal("f", 3, "The line is not JSON."),
    )
    take(ledger, *items)
    before = events(ledger)
    report = take(ledger, *items)
    assert (report.turns, report.known, report.results) == (0, 4, 0)
    assert counts(ledger) == WHOLE
    assert events(ledger) == before
    assert rows(ledger, "SELECT path, reason, detail, count FROM left_out") == [
        ("f", "injected_context", "", 2)
    ]


ORDERS = [(1, 2, 3, 4), (4, 3, 2, 1), (2, 4, 1, 3), (3, 3, 1, 4)]


@pytest.mark.parametrize("order", soaked(ORDERS, ORDERS[2:]))
def test_growing_prefixes_add_what_is_new(ledger, order):
    for length in order:
        take(ledger, session("s", *full()[:length]))
    assert counts(ledger) == WHOLE


@pytest.mark.parametrize("is_first", [True, False])
def test_a_history_that_was_copied_is_the_same_turns(ledger, is_first):
    """A resumed session's file begins with the one that it goes on from: they share turns, calls and tokens."""
    resumed = session("r", *full(), ids="source", parent="s", relation=Relation.CONTINUATION)
    original = session("s", *full()[:3], ids="source")
    take(ledger, *((resumed, original) if is_first else (original, resumed)))
    assert counts(ledger) == (2, *WHOLE[1:])


def test_identifiers_of_one_session_are_not_anothers(ledger):
    """Where a format counts its messages anew in each session."""
    take(ledger, session("a", *full()), session("b", *full()))
    assert counts(ledger) == (2, 8, 8, 8, 8, 80)


def grown(*states: int) -> list[RecordedTurn]:
    """A message as it stands after each of its lines."""
    calls = tuple(call(f"c{number}", {"a": number, "b": 2}) for number in range(3))
    results = tuple(RecordedResult(each.call_id, "ok", is_error=False) for each in calls)
    return [
        turn(
            "m0",
            *calls[:state],
            capture=Capture.CALLS,
            text="So:" + "." * state,
            results=results[: state - 1],
            usage=Usage(output_tokens=state),
            tools=TOOLS,
        )
        for state in states
    ]


@pytest.mark.parametrize(
    "order", soaked([(1, 2, 3), (1, 3), (3, 1), (3, 2, 1, 3), (2, 2, 3, 3)], [(1, 2, 3), (3, 2, 1, 3)])
)
@pytest.mark.parametrize("is_taken_in", [True, False])
def test_a_message_that_grew_takes_the_place_of_its_earlier_state(ledger, order, is_taken_in):
    """Rows of the earlier one are gone from every table that is counted, whether they were in the database yet or not."""
    for state in grown(*order):
        if is_taken_in:
            ledger.ingest()
        take(ledger, session("s", state))
    for _ in range(2):
        assert counts(ledger) == (1, 1, 1, 3, 2, 3)
        assert rows(ledger, "SELECT text, call_count FROM turns") == [("So:...", 3)]
        assert rows(ledger, "SELECT count(*) FROM blocks") == [(3,)]
        ledger.ingest()
    assert rows(ledger, "SELECT count(*) FROM execution_ends") == [(2,)]
    before = events(ledger)
    for state in grown(3, 1, 2):
        take(ledger, session("s", state))
    assert events(ledger) == before


def test_calls_and_results_of_a_message_that_grew_are_told_once(ledger):
    """As the ledger has them, where copies of it at several ages come in at once; the turns say how many stand for others."""
    for states, told in (((1, 2), (2, 1, 2, 1)), ((3,), (1, 1, 3, 2))):
        report = take(ledger, session("s", *grown(*states)))
        assert (report.turns, report.revised, report.calls, report.results) == told
        assert counts(ledger)[3:5] == told[2:]


def test_a_message_whose_tokens_were_counted_further_is_the_same_message(ledger):
    """Its last line has the sum; the first ones have what was written by then."""
    for tokens in (1, 1, 250, 3):
        take(ledger, session("s", turn("m0", usage=Usage(output_tokens=tokens))))
    assert rows(ledger, "SELECT count(*), sum(output_tokens) FROM turns") == [(1, 250)]


@pytest.mark.parametrize("other", ["Another thing.", "Other."])
def test_another_text_under_one_identifier_is_told_and_the_first_is_kept(ledger, other):
    """It is no later state, and no earlier one: the one doesn't begin as the other."""
    take(ledger, session("s", turn("m0", text="One thing.")))
    report = take(ledger, session("s", turn("m0", text=other)))
    assert (report.turns, len(report.differing)) == (0, 1)
    assert rows(ledger, "SELECT text FROM turns") == [("One thing.",)]
    before = events(ledger)
    take(ledger, session("s", turn("m0", text=other)))
    assert events(ledger) == before


@pytest.mark.parametrize("beside", [True, False])
def test_a_result_may_come_later(ledger, beside):
    """In the same turn of a file that grew, or in a later piece of the session; once."""
    late = (RecordedResult("c0", "done", is_error=False),)
    take(ledger, session("s", turn("m0", call("c0"))))
    assert count(ledger, "executions") == 0
    later = session("s", results=late) if beside else session("s", turn("m0", call("c0"), results=late))
    for _ in range(3):
        take(ledger, later)
    assert rows(
        ledger,
        "SELECT call_id, e.status, name FROM executions e JOIN actions USING (action_id, name, call_id)",
    ) == [("c0", "succeeded", "add")]


def pieces() -> list[RecordedSession]:
    """A session turn by turn, each result in the piece behind its call's."""
    turns = full()
    found = [session("s", replace(each, results=()), is_last=False) for each in turns]
    behind = [session("s", results=each.results, is_last=False) for each in turns]
    return [piece for pair in zip(found, behind, strict=True) for piece in pair]


def test_a_session_in_pieces_is_one(ledger):
    """Whatever stands between them; what the last of them say of its end counts."""
    taken = pieces()
    taken[1] = replace(taken[1], scores={"reward": 1.0}, reason="first")
    taken[-1] = replace(taken[-1], success=True, reason="done")
    report = take(ledger, *taken[:4], session("other", turn("x0", capture=Capture.TEXT)), *taken[4:])
    assert (report.sessions, report.turns, report.results) == (2, 5, 4)
    assert rows(ledger, "SELECT success, reason, scores FROM sessions WHERE external_id = 's'") == [
        (True, "done", '{"reward":1.0}')
    ]
    before = events(ledger)
    take(ledger, *taken)
    assert events(ledger) == before


class KilledError(Exception):
    """The process is gone."""


def cut_off(ledger: Ledger, after: int) -> None:
    """Import until that many events are recorded, and die."""
    left = [after]

    def record_some(event):
        if not left[0]:
            raise KilledError
        left[0] -= 1
        Ledger.record(ledger, event)

    ledger.record = record_some
    with suppress(KilledError):
        take(ledger, *pieces(), session("g", *grown(2)), session("g", *grown(3)))
    del ledger.record


@pytest.mark.parametrize("after", soaked(range(0, 45, 4), range(0, 45, 12)))
def test_an_import_that_was_killed_goes_on_where_it_stopped(ledger, after):
    """After any event: the next import brings everything there once."""
    cut_off(ledger, after)
    whole = (*pieces(), session("g", *grown(3)))
    take(ledger, *whole)
    assert counts(ledger) == (2, 5, 5, 7, 6, 43)
    assert rows(ledger, "SELECT count(DISTINCT session_id) FROM session_ends") == [(2,)]
    before = events(ledger)
    take(ledger, *whole)
    assert events(ledger) == before
