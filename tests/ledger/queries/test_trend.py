"""Parse success over time, counted by hand."""

from datetime import datetime

from actionledger.core.rates import Rate
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter


def test_has_a_period_for_each_day_with_intent(world: queries.Queryable) -> None:
    """Monday's two were read, Tuesday's three but for one; two carry no time."""
    trend = queries.success_over_time(world)
    monday, tuesday = trend.periods
    assert (monday.start, monday.end) == (
        datetime.fromisoformat("2026-03-02"),
        datetime.fromisoformat("2026-03-03"),
    )
    assert (monday.success, monday.strict) == (Rate(2, 2), Rate(1, 2))
    assert (tuesday.success, tuesday.strict) == (Rate(1, 3), Rate(1, 3))
    assert trend.undated == 2


def test_by_week_begins_on_monday(world: queries.Queryable) -> None:
    """Both days fall into one week."""
    [week] = queries.success_over_time(world, unit="week").periods
    assert (week.start, week.end) == (
        datetime.fromisoformat("2026-03-02"),
        datetime.fromisoformat("2026-03-09"),
    )
    assert week.success == Rate(3, 5)


def test_of_undated_turns_is_empty_and_says_so(world: queries.Queryable) -> None:
    """Turns without a time are counted apart."""
    trend = queries.success_over_time(world, Filter(profiles=("assistant",)))
    assert trend.periods == ()
    assert trend.undated == 2
