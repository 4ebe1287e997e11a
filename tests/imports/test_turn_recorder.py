"""A program that records turns of another runtime one by one."""

from pathlib import Path

import pytest
from forked_python import ForkedPython

import actionledger as al
from actionledger.core.errors import UnknownNameError, UsageError

TOOL = {
    "name": "add",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
}
TEXT = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": "x"}'}}
CHAT = {"role": "assistant", "content": "On it.", "tool_calls": [CALL]}
ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "On it."},
        {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
    ],
    "usage": {
        "input_tokens": 3,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 7,
        "output_tokens": 5,
    },
}


def rows(ledger, query: str) -> list[tuple]:
    return [tuple(row) for row in ledger.sql(query).fetchall()]


def test_a_text_is_read_by_every_dialect(ledger):
    """Its turns follow each other, and what came of its calls is told by place."""
    for number in range(2):
        ledger.record_turn(
            "s", TEXT, tools=[TOOL], results=[{"output": number, "is_error": False}], model="m"
        )
    assert rows(
        ledger,
        "SELECT t.turn_index, t.capture, a.dialect, a.status, e.result, e.origin, t.model FROM turns t "
        "JOIN actions a USING (turn_id) JOIN executions e USING (action_id) ORDER BY 1",
    ) == [
        (0, "text", "hermes", "valid", "0", "recorded", "m"),
        (1, "text", "hermes", "valid", "1", "recorded", "m"),
    ]


def test_what_reads_a_text_can_be_said(ledger):
    """A profile, a parser or dialects; both of the last are refused, and so are names that there are not."""
    ledger.record_turn("s", TEXT, dialects=["mistral"])
    ledger.record_turn("s", TEXT, parser="gembrain-standard")
    ledger.record_turn("s", "<execute>1 + 1</execute>", profile="mint")
    assert rows(ledger, "SELECT parser_name, action_count FROM parse_attempts ORDER BY turn_index") == [
        ("mistral", 0),
        ("gembrain-standard", 0),
        ("mint", 1),
    ]
    with pytest.raises(UsageError, match="either dialects or a parser"):
        ledger.record_turn("s", TEXT, dialects=["hermes"], parser="auto")
    with pytest.raises(UnknownNameError):
        ledger.record_turn("s", TEXT, profile="pilot")
    assert rows(ledger, "SELECT count(*) FROM turns") == [(3,)]


def test_a_message_keeps_its_argument_strings(ledger):
    """They are in the text with their spans, and are checked against the tools."""
    ledger.record_turn(
        "s", message={"choices": [{"message": CHAT}], "usage": {"completion_tokens": 9}}, tools=[TOOL]
    )
    assert rows(ledger, "SELECT text, capture, output_tokens FROM turns") == [
        ('On it.\n{"a": "x"}', "arguments", 9)
    ]
    assert rows(ledger, "SELECT call_id, status, reason, span_start, span_end FROM actions") == [
        ("c1", "invalid", "wrong_type", 7, 17)
    ]


def test_a_message_with_parsed_calls_can_not_be_audited(ledger):
    """Its parse rate is refused, and its tokens are those of all that was shown."""
    ledger.record_turn("s", message=ANTHROPIC, results=[{"call_id": "c1", "output": "2"}])
    assert rows(
        ledger, "SELECT text, capture, input_tokens, cached_tokens, cache_write_tokens FROM turns"
    ) == [("On it.", "calls", 100, 90, 7)]
    assert rows(ledger, "SELECT status, is_inferred FROM executions") == [("succeeded", True)]


def test_a_turn_under_a_name_is_the_same_one(ledger):
    """As where a client tries again to tell of it."""
    first, again = (ledger.record_turn("s", TEXT, name="m1", usage={"output_tokens": 4}) for _ in range(2))
    other = ledger.record_turn("s", TEXT, name="m2")
    assert first == again != other
    assert rows(ledger, "SELECT turn_id::VARCHAR, turn_index FROM turns ORDER BY 2") == [
        (first, 0),
        (other, 1),
    ]


def test_sessions_go_on_in_another_process(tmp_path):
    """Turns follow those that are there, and each process's run comes to its end."""
    for _ in range(2):
        with al.open_ledger(tmp_path / "l.duckdb") as ledger:
            ledger.record_turn("s", TEXT)
            ledger.record_turn("s", "Done.")
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        assert rows(ledger, "SELECT turn_index FROM turns ORDER BY 1") == [(0,), (1,), (2,), (3,)]
        assert rows(ledger, "SELECT count(*), count(finished_at) FROM runs") == [(2, 2)]
        assert rows(ledger, "SELECT count(*) FROM sessions") == [(1,)]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "either text"),
        ({"text": TEXT, "message": CHAT}, "either text"),
        ({"message": object()}, "decoded JSON"),
        ({"text": TEXT, "results": [{"call": "c1"}]}, "A result is a RecordedResult"),
        ({"text": TEXT, "results": ["done"]}, "A result is a RecordedResult"),
        ({"text": TEXT, "usage": 7}, "A usage is a Usage"),
        ({"text": TEXT, "dialects": "hermes"}, "list of names"),
    ],
)
def test_what_is_none_of_it_is_refused(ledger, given, why):
    """With what is allowed; nothing is recorded."""
    with pytest.raises(UsageError, match=why):
        ledger.record_turn("s", **given)
    assert rows(ledger, "SELECT count(*) FROM events") == [(0,)]


@pytest.mark.parametrize(
    ("usage", "why"),
    [
        ({"output_tokens": -3}, "A usage's output_tokens is a whole number, 0 or more, not -3."),
        ({"prompt_tokens": 2.5}, "A usage's prompt_tokens is a whole number, 0 or more, not 2.5."),
        ({"cached_tokens": True}, "A usage's cached_tokens is a whole number, 0 or more, not True."),
        ({"input_tokens": 2**63}, "A usage's input_tokens is a whole number, 0 or more, not 9223372036854775808."),
        ({"cost_usd": "cheap"}, "A usage's cost_usd is a number, 0 or more, not 'cheap'."),
        ({"latency_ms": -1}, "A usage's latency_ms is a number, 0 or more, not -1."),
        ({"time_to_first_token_ms": float("nan")}, "A usage's time_to_first_token_ms is a number, 0 or more, not nan."),
        ({"finish_reason": 7}, "A usage's finish_reason is a text, not 7."),
        (al.Usage(cost_usd=-0.5), "A usage's cost_usd is a number, 0 or more, not -0.5."),
        (al.Usage(output_tokens=1.5), "A usage's output_tokens is a whole number, 0 or more, not 1.5."),  # type: ignore[arg-type]
        ({"output_token": 3}, "A usage has no 'output_token'. Did you mean 'output_tokens'? It has cache_write_tokens, "),
        ({"output_tokens": 3, 7: 1}, "A usage has no 7. It has cache_write_tokens, "),
    ],
)  # fmt: skip
def test_a_usage_that_cant_be_is_refused(ledger, usage, why):
    """A sum that one of these is in is false, and what is misspelt would be kept as nothing."""
    with pytest.raises(UsageError) as refused:
        ledger.record_turn("s", TEXT, usage=usage)
    assert str(refused.value).startswith(why)
    assert rows(ledger, "SELECT count(*) FROM events") == [(0,)]


def test_a_providers_usage_object_may_have_what_nobody_here_knows(ledger):
    """It grows by a name now and then."""
    for usage in (
        {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10, "cost_details": {"upstream": None}},
        {"input_tokens": 8, "output_tokens": 2, "service_tier": "standard", "new": 1},
        {"input_tokens": 8, "output_tokens": 2, "cached_tokens": None, "finish_reason": "stop"},
        {},
    ):
        ledger.record_turn("s", TEXT, usage=usage)
    asked = "SELECT input_tokens, output_tokens FROM turns ORDER BY turn_index"
    assert rows(ledger, asked) == [(8, 2), (8, 2), (8, 2), (None, None)]


@pytest.mark.parametrize("bad", [-3, 2.5, "many", True, [1], 2**70, float("inf")])
def test_a_usage_within_a_message_never_costs_the_response(ledger, bad):
    """What can't be is not recorded; what stands beside it is."""
    usage = {
        "completion_tokens": bad,
        "prompt_tokens": 4,
        "latency_ms": -1,
        "cost_usd": "cheap",
        "other": bad,
    }
    ledger.record_turn("s", message={"choices": [{"message": CHAT}], "usage": usage})
    asked = "SELECT input_tokens, output_tokens, latency_ms, cost_usd FROM turns"
    assert rows(ledger, asked) == [(4, None, None, None)]


def test_a_response_that_is_too_large_is_refused(ledger, monkeypatch):
    """Nobody gets the id of a turn that is not there; the next one is recorded."""
    monkeypatch.setattr("actionledger.imports.turns.RESPONSE_CHARACTERS", 10)
    with pytest.raises(UsageError, match="larger than what a ledger takes"):
        ledger.record_turn("s", "x" * 11)
    turn_id = ledger.record_turn("s", "x" * 10)
    assert rows(ledger, "SELECT turn_id::VARCHAR, turn_index FROM turns") == [(turn_id, 0)]


@pytest.mark.parametrize(
    "message", [None, [], {}, "x", 7, {"role": "assistant", "content": None}, {"oops": [1]}]
)
def test_any_json_is_recorded(ledger, message):
    """What is no message is a turn with an issue; None is no message at all."""
    if message is None:
        with pytest.raises(UsageError):
            ledger.record_turn("s", message=message)
    else:
        ledger.record_turn("s", message=message)
        assert rows(ledger, "SELECT count(*) FROM turns") == [(1,)]


APPEND = """
import sys, time
from pathlib import Path
import actionledger as al

own, other, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with al.open_ledger("l.duckdb", in_background=False) as ledger:
    for number in range(count):
        ledger.record_turn("s", f"{own} {number}")
        Path(own).write_text(str(number))
        while number < count - 1 and not (Path(other).exists() and int(Path(other).read_text() or -1) >= number):
            time.sleep(0.005)  # by turns, so that neither is done before the other has begun
"""


def test_two_processes_record_into_one_session(tmp_path: Path, forked: ForkedPython):
    """Each turn is there once, at a place of its own, in the order in which they came; neither is taken for the other's."""
    with (
        forked.begun(APPEND, tmp_path, "a", "b", 8) as first,
        forked.begun(APPEND, tmp_path, "b", "a", 8) as second,
    ):
        assert (first.wait(), second.wait()) == (0, 0), first.stderr.read() + second.stderr.read()
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        assert rows(ledger, "SELECT count(*), count(DISTINCT session_id) FROM session_starts") == [(1, 1)]
        found = rows(ledger, "SELECT turn_index, text FROM turns ORDER BY ALL")
        assert [index for index, _ in found] == list(range(16))
        assert {text for _, text in found} == {f"{own} {number}" for own in "ab" for number in range(8)}
        for own in "ab":
            assert [text for _, text in found if text[0] == own] == [f"{own} {number}" for number in range(8)]
        assert rows(ledger, "SELECT code FROM events WHERE code = 'turn_differs'") == []
        places = ledger.path.with_name("l.duckdb.d") / "places"
        ledger.record_turn("s", "the next")
        assert rows(ledger, "SELECT max(turn_index) FROM turns") == [(16,)]
        [session_id] = [str(row[0]) for row in rows(ledger, "SELECT session_id FROM session_starts")]
        assert [path.name for path in places.iterdir()] == [session_id]
        ledger.forget([session_id])
        assert list(places.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": b"Well."}, "decode the bytes first"),
        ({"prompt": 5}, "prompt is a text, not 5"),
        ({"model": 5}, "model is a text, not 5"),
        ({"reasoning": 5}, "reasoning is a text, not 5"),
        ({"at": "2026"}, "at is a datetime, not '2026'"),
        ({"tools": "add"}, "tools is a list of objects"),
        ({"results": 5}, "results is a list"),
        ({"results": {"call_id": "c"}}, "results is a list"),
        ({"results": [{"call_id": "c", "duration_ms": "long"}]}, "A result's duration_ms is 'long'"),
        ({"dialects": 5}, "dialects is a list of names, not 5"),
        ({"parser": 5}, "A parser is a name"),
    ],
)
def test_what_is_not_of_its_kind_is_named_and_nothing_is_recorded(tmp_path, given, said):
    """Neither half a turn nor a session without one."""
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger:
        with pytest.raises(UsageError, match=said):
            ledger.record_turn("s", **{"text": "Well."} | given)
        assert len(ledger.sql("FROM events")) == 0


@pytest.mark.parametrize("given", [5, None, "abc", [None], [al.RecordedTurn(0, "Well.")]])
def test_what_is_no_session_is_named(tmp_path, given):
    """A turn without its session among it."""
    with (
        al.open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger,
        pytest.raises(UsageError, match=r"RecordedSession|recorded sessions"),
    ):
        al.import_sessions(ledger, given)
