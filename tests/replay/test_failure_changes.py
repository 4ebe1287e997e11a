"""What became of groups of failures, and the tests behind it, compared with scipy's."""

from datetime import datetime, timedelta

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from scipy.stats import fisher_exact

import actionledger as al
from actionledger.errors import UsageError
from actionledger.ledger.queries.filters import Filter
from actionledger.replay.statistics import fisher, session_test

MONDAY = datetime.fromisoformat("2026-03-02T09:00+00:00")
SHARES = st.integers(0, 60).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count)))


@settings(max_examples=examples(200))
@given(SHARES, SHARES)
def test_fishers_test_is_scipys(one, two):
    """To nine digits, empty sides included."""
    table = [[one[0], one[1] - one[0]], [two[0], two[1] - two[0]]]
    assert fisher(*one, *two) == pytest.approx(fisher_exact(table).pvalue, rel=1e-9)


@pytest.fixture
def read_twice(tmp_path):
    """Thirty sessions of two turns; the second parser reads none of the first turns, and the same of the second ones."""
    texts = (
        '```actions\n{"actions": [{"type": "list_tasks"},]}\n```',
        '```actions\n{"actions": [{"type": "list_tasks", "limit": 0}]}\n```',
    )
    turns = tuple(al.RecordedTurn(index, text) for index, text in enumerate(texts))
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(
            ledger, [al.RecordedSession(f"s{number}", "assistant", "m", "", turns) for number in range(30)]
        )
        yield ledger, al.reparse(ledger, parser="gembrain-standard").run_id


def test_two_readings_of_the_same_turns_are_compared_turn_by_turn(read_twice):
    """What both refuse is the same, what only the second can't read is new; the test is the one over sessions."""
    ledger, run = read_twice
    found = al.failure_changes(ledger, None, run)
    assert found.paired == 60
    kinds = {(change.kind, str(change.key.code)): change for change in found.changes}
    new = kinds["new", "malformed_json"]
    same = next(change for change in found.changes if change.key.stage == "checking")
    assert (new.turns_before, new.turns_after, new.before.successes, new.after.successes) == (0, 30, 0, 30)
    assert (same.kind, same.turns_before, same.turns_after, same.p_value) == ("same", 30, 30, 1.0)
    assert new.p_value == pytest.approx(session_test({1: 30}))
    assert new.p_holm == pytest.approx(min(1.0, len(found.changes) * new.p_value))
    back = {str(change.key.code): change.kind for change in al.failure_changes(ledger, run, None).changes}
    assert back["malformed_json"] == "gone"


def test_what_was_run_once_is_no_difference_between_readings(tmp_path):
    """Only the first reading of a turn is executed: its failures are not gone because another parser read the text."""
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle('```actions\n{"actions": [{"type": "get_task", "task_id": 9}]}\n```')
        run = al.reparse(ledger, parser="gembrain-standard").run_id
        assert al.failure_changes(ledger, None, run).changes == ()


def test_two_weeks_are_compared_by_sessions(tmp_path):
    """Other turns: the share of sessions that have it, with Fisher's exact test."""

    def item(number: int, week: int, text: str) -> al.RecordedSession:
        turn = al.RecordedTurn(0, text, occurred_at=MONDAY + timedelta(weeks=week))
        return al.RecordedSession(f"{week}-{number}", "assistant", "m", "", (turn,))

    good, bad = (
        f'```actions\n{{"actions": [{{"type": "list_tasks", "limit": {limit}}}]}}\n```' for limit in (5, 0)
    )
    sessions = [
        item(number, week, bad if number < (2, 9)[week] else good) for week in (0, 1) for number in range(12)
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, sessions)
        middle = (MONDAY + timedelta(days=6)).replace(tzinfo=None)
        [change] = al.failure_changes(ledger, Filter(until=middle), Filter(since=middle)).changes
        assert (change.kind, change.before.successes, change.after.successes) == ("grown", 2, 9)
        assert change.p_value == change.p_holm == pytest.approx(fisher_exact([[2, 10], [9, 3]]).pvalue)
        with pytest.raises(UsageError, match="read no response"):
            al.failure_changes(ledger, Filter(until=middle), Filter(models=("other",)))
        with pytest.raises(UsageError, match="the same"):
            al.failure_changes(ledger, None, None)
