"""What other runtimes did, as reports and pages count it: apart from ours, and in no rate that it can't be judged by."""

import pytest

import actionledger as al
from actionledger.core.rates import NOT_AUDITABLE, Rate
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Origin, Reason, Relation
from actionledger.ledger import queries

TEXT = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'


def turn(number: int, capture: Capture, *results: al.RecordedResult, broken: bool = False) -> al.RecordedTurn:
    """A turn with a call: in the text, as an argument string, or parsed."""
    call = al.RecordedCall(
        f"c{number}", "add", {"a": 1} if capture is Capture.CALLS else '{"a"' if broken else '{"a": 1}'
    )
    text = TEXT if capture is Capture.TEXT else "Adding."
    usage = (
        Usage(input_tokens=100, output_tokens=10, cost_usd=0.5, latency_ms=1000.0 * number)
        if number
        else Usage()
    )
    calls = () if capture is Capture.TEXT else (call,)
    return al.RecordedTurn(number, text, capture=capture, calls=calls, results=results, usage=usage)


def failed(call_id: str, text: str) -> al.RecordedResult:
    return al.RecordedResult(call_id, text, is_error=True)


@pytest.fixture
def ledger(tmp_path):
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        yield opened


@pytest.fixture
def recorded(ledger):
    """Six responses: two of text, two of argument strings (one broken), two of parsed calls."""
    ran = al.RecordedResult("", "3", is_error=False)
    turns = (
        turn(0, Capture.TEXT, ran),
        turn(1, Capture.TEXT),
        turn(2, Capture.ARGUMENTS, failed("c2", "Exit code 1")),
        turn(3, Capture.ARGUMENTS, broken=True),
        turn(4, Capture.CALLS, failed("c4", "String to replace not found in file.")),
        turn(5, Capture.CALLS, al.RecordedResult("c5", "no", refused_by="person")),
    )
    items = [
        al.RecordedSession("p", None, "m", "", turns),
        al.RecordedSession("c", None, "m", "", (), parent="p", relation=Relation.SUBAGENT),
        al.LeftOut("f", LeftOutReason.DUPLICATE, "agent_message", 3),
        al.LeftOut("f", LeftOutReason.DUPLICATE, "agent_message", 2),
        al.LeftOut("g", LeftOutReason.DUPLICATE, "agent_message"),
        al.LeftOut("f", LeftOutReason.EMPTY),
    ]
    al.import_sessions(ledger, items)
    return ledger


def test_a_parse_rate_is_about_what_was_kept_as_it_was_written(recorded):
    """Six meant to act; four of them can be audited, and one of those could not be read."""
    found = queries.funnel(recorded)
    assert (found.responses, found.intent, found.not_auditable) == (6, 6, 2)
    assert (found.parse_success, found.strict_success, found.parsed) == (Rate(3, 4), Rate(3, 4), 3)
    assert found.meant == Rate(6, 6)
    assert found.with_valid == 3
    assert sum(part.share.count for part in queries.dialects(recorded) if part.dialect == "hermes") == 4
    trend = queries.success_over_time(recorded)
    assert trend.undated == 4
    [row] = [row for row in queries.sessions(recorded) if row.external_id == "p"]
    assert row.parsed == Rate(3, 4)


def test_where_nothing_can_be_audited_the_rate_is_refused(ledger):
    """With the word for it, and not as 100 % or as nothing."""
    calls = (turn(0, Capture.CALLS), turn(1, Capture.CALLS))
    al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", calls)])
    found = queries.funnel(ledger)
    for rate in (found.parse_success, found.strict_success, queries.sessions(ledger)[0].parsed):
        assert (rate.value, rate.count, rate.refusal) == (None, 0, NOT_AUDITABLE)
        assert str(rate) == "not auditable (0)"
    assert found.meant == Rate(2, 2)
    assert found.with_valid == 0
    assert queries.dialects(ledger) == []


def test_nothing_recorded_is_no_refusal(ledger):
    """A rate of nothing is a rate of nothing."""
    assert queries.funnel(ledger).parse_success.refusal == ""


def test_executions_of_other_runtimes_are_counted_apart(recorded):
    """Ours are none; theirs succeed and fail in their own line."""
    found = queries.funnel(recorded)
    assert (found.tries, found.execution) == ({}, Rate(0, 0))
    assert found.recorded == {
        ExecutionStatus.SUCCEEDED: 1,
        ExecutionStatus.FAILED: 2,
        ExecutionStatus.DENIED: 1,
    }
    assert found.recorded_execution == Rate(1, 3)
    with al.Runtime("assistant", ledger=recorded) as runtime:
        runtime.handle(al.render([("create_task", {"content": "tea"})], "actions"))
    both = queries.funnel(recorded)
    assert (both.execution, both.recorded_execution) == (Rate(1, 1), Rate(1, 3))


def test_why_they_failed_and_who_had_run_them(recorded):
    """The reasons are of the same closed list."""
    found = {(failure.code, failure.origin) for failure in queries.reasons(recorded)}
    assert found == {
        (Reason.TRUNCATED, None),
        (Reason.COMMAND_FAILED, Origin.RECORDED),
        (Reason.NO_MATCH, Origin.RECORDED),
        (Reason.REJECTED, Origin.RECORDED),
    }


def test_usage_is_summed_over_turns(recorded):
    """Each once, however often it was read; how many say something stands beside it."""
    for _ in range(2):
        found = queries.usage(recorded)
        assert (found.turns, found.counted, found.priced, found.timed) == (6, 5, 5, 5)
        assert (found.input_tokens, found.output_tokens, found.cost_usd) == (500, 50, 2.5)
        assert found.latency_ms == 3000.0
        al.reparse(recorded, parser="auto")


def test_what_was_left_out_is_counted_by_what_it_is(recorded):
    """A file that grew counts as it stood last."""
    assert [(each.reason, each.detail, each.count, each.files) for each in queries.left_out(recorded)] == [
        (LeftOutReason.DUPLICATE, "agent_message", 6, 2),
        (LeftOutReason.EMPTY, "", 1, 1),
    ]
    al.import_sessions(recorded, [al.LeftOut("f", LeftOutReason.DUPLICATE, "agent_message", 9)])
    assert queries.left_out(recorded)[0].count == 10


def test_children_are_found_under_their_parent(recorded):
    [parent] = [row for row in queries.sessions(recorded) if row.external_id == "p"]
    [child] = queries.children(recorded, parent.session_id)
    assert (child.external_id, child.relation, child.turns) == ("c", Relation.SUBAGENT, 0)
    assert queries.session(recorded, child.session_id).parent_session_id == parent.session_id
    assert queries.children(recorded, "nobody") == []


def test_only_raw_texts_are_read_again(recorded):
    """What calls stood beside is no text: another parser has nothing to say about it."""
    assert al.reparse(recorded, parser="auto").turns == 2
