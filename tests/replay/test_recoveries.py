"""Whether the turn behind one that failed does the same again, and how often a session gets through."""

from collections.abc import Iterator

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger, open_ledger

LOOK = '{"type": "list_tasks"}'
WRONG = '{"type": "get_task", "task_id": 7}'
OTHER = '{"type": "get_task", "task_id": 8}'


def block(*actions: str) -> str:
    """Return a response with some actions."""
    return f'Now:\n```actions\n{{"actions": [{", ".join(actions)}]}}\n```'


RESPONSES = [
    block(WRONG),
    block('{"task_id":   7, "type": "get_task"}'),
    block(OTHER),
    block(OTHER, WRONG),
    block(LOOK),
    "```actions\n{oops\n```",
    "\n```actions\n{oops\n```\n",
    "```actions\n{no\n```",
    "Good morning.",
    block(WRONG),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.RecoveryReport]:
    """Of one session of these responses."""
    with open_ledger(tmp_path_factory.mktemp("ledger") / "team.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger, model="m", task="t") as runtime:
            for text in RESPONSES:
                runtime.handle(text)
        yield al.recoveries(ledger)


def test_the_same_is_known_whatever_its_layout(report):
    """Another number makes another call, one of several is enough; so with responses that can't be read."""
    assert [(turn.turn_index, turn.next, turn.is_same) for turn in report.turns] == [
        (0, "repeated", True),
        (1, "changed", False),
        (2, "repeated", True),
        (3, "recovered", False),
        (5, "repeated", True),
        (6, "changed", False),
        (7, "no_action", False),
        (9, "ended", False),
    ]


def test_counts_and_rates_are_of_the_turns_that_failed(report):
    """Each of them once; and of each row of failed turns the first."""
    assert report.counts == {
        "recovered": 1,
        "repeated": 3,
        "changed": 2,
        "no_action": 1,
        "ended": 1,
        "not_recorded": 0,
    }
    assert (report.rate("repeated").successes, report.rate("repeated").count) == (3, 8)
    assert [(rate.successes, rate.count) for rate in map(report.within, (1, 3, 4))] == [
        (0, 3),
        (0, 3),
        (1, 3),
    ]
    assert report.rate("repeated").clustering.sessions == 1


def test_its_rows_are_a_frame(report):
    """What is None there is none."""
    frame = report.df()
    assert list(frame.streak) == [1, 2, 3, 4, 1, 2, 3, 1]
    assert frame.recovered_after.isna().tolist() == [False] * 4 + [True] * 4
    assert (frame.model.unique(), frame.task.unique()) == (["m"], ["t"])


def test_the_same_call_again_may_get_through(tmp_path):
    """Then it has recovered, and ``is_same`` says how."""
    add, find = '{"type": "create_task", "content": "a"}', '{"type": "get_task", "task_id": 1}'
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            for text in (block(find), block(add, find), block(find)):
                runtime.handle(text)
        [turn] = al.recoveries(ledger).turns
    assert (turn.next, turn.is_same, turn.recovered_after) == ("recovered", True, 1)


def test_what_makes_no_sense_is_refused(report):
    """A word that there isn't, turns before the next one, and something that is no ledger."""
    with pytest.raises(UsageError, match="'lost' follows no failure"):
        report.rate("lost")
    with pytest.raises(UsageError, match="0 turns are too few"):
        report.within(0)
    with pytest.raises(UsageError, match="not an open ledger"):
        al.recoveries("team.duckdb")


def test_a_ledger_without_failures_has_no_rates(tmp_path):
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        found = al.recoveries(ledger)
    assert (found.turns, found.within(1).value, len(found.df())) == ((), None, 0)


def test_a_rate_within_its_own_outcome_is_refused(tmp_path):
    """Who asks for turns that failed only would get what they asked for."""
    with open_ledger(tmp_path / "team.duckdb") as ledger, pytest.raises(UsageError, match="its own outcome"):
        _asked(ledger)


def _asked(ledger: Ledger) -> al.RecoveryReport:
    return al.recoveries(ledger, al.Filter(outcomes=("failed",)))
