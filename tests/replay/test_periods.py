"""The latest period beside the one before it, counted by hand."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest

import actionledger as al
from actionledger.ledger import Ledger
from actionledger.replay.changes import change_since_before, latest_two

GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
BAD = '```actions\n{"actions" [\n```'
MONDAY = datetime(2026, 3, 2, 9)
FAILING = {day: 10 if day < 10 else 2 for day in range(20)}
"""How many of the twenty sessions of each day fail."""


def sessions() -> Iterator[al.RecordedSession]:
    """Twenty days of twenty sessions of one turn, of which half fail, and from the eleventh day on a tenth; one without a time."""
    for day, failing in FAILING.items():
        for nth in range(20):
            at = MONDAY + timedelta(days=day, minutes=nth)
            turn = al.RecordedTurn(0, BAD if nth < failing else GOOD, occurred_at=at)
            model = "early" if day == 0 else "late"
            yield al.RecordedSession(f"{day}.{nth}", "assistant", model, "", (turn,))
    yield al.RecordedSession("undated", "assistant", "never", "", (al.RecordedTurn(0, BAD),))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with al.open_ledger(tmp_path_factory.mktemp("days") / "days.duckdb") as opened:
        al.import_sessions(opened, sessions())
        yield opened


def read(days: range) -> al.Rate:
    return al.Rate(sum(20 - FAILING[day] for day in days), 20 * len(days))


def midnight(day: int) -> datetime:
    return datetime(2026, 3, 2) + timedelta(days=day)


def test_the_last_week_stands_beside_the_one_before(ledger: Ledger) -> None:
    """The thirteenth to the last day, beside the seven before, four of which were bad; no deal of the sessions is as far apart."""
    change = change_since_before(ledger)
    assert change is not None
    assert (change.before, change.after) == (read(range(6, 13)), read(range(13, 20)))
    assert (change.earlier.since, change.earlier.until) == (midnight(6), midnight(13))
    assert (change.later.since, change.later.until) == (midnight(13), midnight(20))
    assert (change.days, change.is_whole) == (7, False)
    before, after = change.before.successes / 140, change.after.successes / 140
    assert change.p_value == pytest.approx(1 / 2_000)
    assert change.difference is not None
    low, high = change.difference
    assert 0 < low < after - before < high


def test_what_is_asked_for_stands_beside_as_much_before_it(ledger: Ledger) -> None:
    """Three days of a filter beside the three before them; all else of the filter holds for both."""
    within = al.Filter(since=midnight(10), until=midnight(13), models=("late",))
    change = change_since_before(ledger, within)
    assert change is not None
    assert (change.before, change.after) == (read(range(7, 10)), read(range(10, 13)))
    assert (change.days, change.is_whole, change.later) == (3, True, within)
    assert change.earlier == al.Filter(since=midnight(7), until=midnight(10), models=("late",))


def test_of_less_than_two_weeks_the_halves_are_compared(ledger: Ledger) -> None:
    """From the fifteenth day on there are six days: three and three."""
    change = change_since_before(ledger, al.Filter(since=midnight(14)))
    assert change is not None
    assert (change.days, change.before, change.after) == (3, read(range(14, 17)), read(range(17, 20)))


@pytest.mark.parametrize("model", ["never", "early", "nobody"])
def test_where_there_is_no_day_before_nothing_is_compared(ledger: Ledger, model: str) -> None:
    """No time, one day, no response at all."""
    assert change_since_before(ledger, al.Filter(models=(model,))) is None


def test_before_the_first_response_there_is_nothing_to_rate(ledger: Ledger) -> None:
    """A period that was asked for is compared with an empty one, which has no rate and so no test."""
    change = change_since_before(ledger, al.Filter(since=midnight(0), until=midnight(5)))
    assert change is not None
    assert (change.before.value, change.difference, change.p_value) == (None, None, None)


@pytest.mark.parametrize(
    ("days", "expected"),
    [(20, (6, 12, 13, 19)), (14, (0, 6, 7, 13)), (5, (1, 2, 3, 4)), (2, (0, 0, 1, 1))],
)
def test_two_weeks_or_halves(days: int, expected: tuple[int, ...]) -> None:
    """First and last day of either; an odd day at the beginning is left out."""
    first = date(2026, 3, 2)
    found = latest_two(first, first + timedelta(days=days - 1))
    assert tuple((day - first).days for day in found) == expected
