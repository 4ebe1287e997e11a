"""What became of groups of failures, and the tests behind it."""

from datetime import datetime, timedelta

import pytest
from scipy.stats import fisher_exact

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger.queries.filters import Filter
from actionledger.replay.statistics import session_test

MONDAY = datetime.fromisoformat("2026-03-02T09:00+00:00")


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
    # What no session shifts in is none of the groups that might have been found.
    assert new.p_holm == new.p_value
    assert found.compared == 1 < len(found.changes)
    back = {str(change.key.code): change.kind for change in al.failure_changes(ledger, run, None).changes}
    assert back["malformed_json"] == "gone"


def test_groups_in_too_few_sessions_to_tell_are_not_counted(tmp_path):
    """Kinds of failure that are in one session each hide no difference that forty sessions show."""
    calls = (
        '{"type": "list_tasks"},',
        '{"type": "nothing_such"}',
        '{"type": "get_task"}',
        '{"type": "get_task", "task_id": "x"}',
    )
    odd = [f'```actions\n{{"actions": [{call}]}}\n```' for call in calls]
    before = [[GOOD, GOOD, GOOD]] * 40
    after = [[GOOD, GOOD, BAD if number % 4 == 0 else GOOD] for number in range(40)]
    after = [[*turns, odd[number]] if number < 4 else turns for number, turns in enumerate(after)]
    with weeks(tmp_path, before, after) as ledger:
        found = al.failure_changes(ledger, Filter(until=MIDDLE), Filter(since=MIDDLE))
    told = [change for change in found.changes if change.after.successes > 5]
    rest = [change for change in found.changes if change.after.successes <= 5]
    assert all(change.p_least >= 0.05 and change.p_holm >= change.p_least for change in rest)
    assert all(change.p_least < 0.05 for change in told)
    assert found.compared == len(told)
    assert all(change.p_holm <= len(told) * change.p_value + 1e-9 for change in told)
    assert (len(rest) > 1, len(told)) == (True, 1)


def test_what_was_run_once_is_no_difference_between_readings(ledger):
    """Only the first reading of a turn is executed: its failures are not gone because another parser read the text."""
    with al.Runtime("assistant", ledger=ledger) as runtime:
        runtime.handle('```actions\n{"actions": [{"type": "get_task", "task_id": 9}]}\n```')
    run = al.reparse(ledger, parser="gembrain-standard").run_id
    assert al.failure_changes(ledger, None, run).changes == ()


GOOD, BAD = (
    f'```actions\n{{"actions": [{{"type": "list_tasks", "limit": {limit}}}]}}\n```' for limit in (5, 0)
)
MIDDLE = (MONDAY + timedelta(days=6)).replace(tzinfo=None)


def weeks(tmp_path, *texts: list[list[str]]) -> al.Ledger:
    """Return a ledger with a week of sessions for each list of them, each a list of responses."""
    sessions = [
        al.RecordedSession(
            f"{week}-{number}",
            "assistant",
            "m",
            "",
            tuple(
                al.RecordedTurn(index, text, occurred_at=MONDAY + timedelta(weeks=week, seconds=index))
                for index, text in enumerate(turns)
            ),
        )
        for week, of_week in enumerate(texts)
        for number, turns in enumerate(of_week)
    ]
    ledger = al.open_ledger(tmp_path / "l.duckdb")
    al.import_sessions(ledger, sessions)
    return ledger


def test_two_weeks_are_compared_by_their_turns(tmp_path):
    """Sessions are dealt to the weeks anew; where each has one turn, all that differs is how many of them fail."""
    before, after = ([[BAD]] * failing + [[GOOD]] * (12 - failing) for failing in (2, 9))
    with weeks(tmp_path, before, after) as ledger:
        [change] = al.failure_changes(ledger, Filter(until=MIDDLE), Filter(since=MIDDLE)).changes
        assert (change.kind, change.before.successes, change.after.successes) == ("grown", 2, 9)
        assert (change.turns_before, change.of_turns_before) == (2, 12)
        assert (change.turns_after, change.of_turns_after) == (9, 12)
        exact = fisher_exact([[2, 10], [9, 3]]).pvalue
        assert change.p_value == change.p_holm == pytest.approx(exact, abs=0.006)
        with pytest.raises(UsageError, match="read no response"):
            al.failure_changes(ledger, Filter(until=MIDDLE), Filter(models=("other",)))
        with pytest.raises(UsageError, match="the same"):
            al.failure_changes(ledger, None, None)


def test_longer_sessions_are_not_more_failures(tmp_path):
    """Every tenth turn fails in both weeks; in the second, sessions are five times as long, so that more of them have one."""
    turns = [BAD if number % 10 == 0 else GOOD for number in range(200)]
    before = [turns[at : at + 2] for at in range(0, 40, 2)]
    after = [turns[at : at + 10] for at in range(0, 200, 10)]
    with weeks(tmp_path, before, after) as ledger:
        [change] = al.failure_changes(ledger, Filter(until=MIDDLE), Filter(since=MIDDLE)).changes
    assert (change.before.successes, change.after.successes) == (4, 20)
    assert (change.kind, change.p_value) == ("same", 1)


def test_many_sessions_are_not_dealt(tmp_path, monkeypatch):
    """By the score test then, at what sessions leave of their turns: much the same."""
    before, after = ([[BAD, BAD]] * failing + [[GOOD, GOOD]] * (30 - failing) for failing in (4, 18))
    with weeks(tmp_path, before, after) as ledger:
        sides = Filter(until=MIDDLE), Filter(since=MIDDLE)
        [dealt] = al.failure_changes(ledger, *sides).changes
        monkeypatch.setattr("actionledger.replay.failure_changes.is_dealt", lambda *_: False)
        [scored] = al.failure_changes(ledger, *sides).changes
    assert 0 < dealt.p_value < 0.003
    assert 0 < scored.p_value < 0.003
