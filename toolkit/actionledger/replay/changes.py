"""Find when parse success changed and what was new then, and compare the latest period with the one before."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import parse_success
from actionledger.ledger.queries.trend import Arrival, Unit, arrivals, spanning_sessions, success_over_time
from actionledger.replay.statistics import change_points, difference_test, unpaired_difference

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class PeriodChange:
    """Parse success in a period and in the equally long one before it."""

    days: int  # length of each period, in days
    is_whole: bool  # whether the later one is the whole requested time, not only its last days
    earlier: Filter  # earlier, later: filters for each period's responses
    later: Filter
    before: Rate  # before, after: each period's parse success; a session in both counts in both
    after: Rate
    # the 95 % interval of the second minus the first, -1 to 1; None if either side has no interval
    difference: tuple[float, float] | None
    p_value: float | None  # of the permutation test over sessions; None likewise


def latest_two(first: date, last: date) -> tuple[date, date, date, date]:
    """Return the first and last day of the week before a range's last week, then of that week; of the range's halves if it is under two weeks."""
    days = (last - first).days + 1
    length = min(WEEK, timedelta(days=days // 2))
    begin = last - length + timedelta(days=1)
    return begin - length, begin - timedelta(days=1), begin, last


def change_since_before(ledger: Queryable, within: Filter = EVERYTHING) -> PeriodChange | None:
    """Compare parse success of the latest responses with that of the period before.

    If the filter has a start and an end, this is the later period, and the earlier one is as long. Otherwise the later period is
    the last week with auditable responses, or half of the days if they are less than two weeks.
    """
    periods = _periods_of(within) or _latest(ledger, within)
    if periods is None:
        return None
    earlier, later = (replace(within, since=since, until=until) for since, until in periods)
    before, after = (parse_success(ledger, side, by_session=True) for side in (earlier, later))
    p_value = difference_test(before, after)
    since, until = periods[1]
    return PeriodChange(
        days=max(1, (until - since).days),
        is_whole=later == within,
        earlier=earlier,
        later=later,
        before=before,
        after=after,
        difference=unpaired_difference(before, after, p_value),
        p_value=p_value,
    )


_Period = tuple[datetime, datetime]


def _periods_of(within: Filter) -> tuple[_Period, _Period] | None:
    """Return the filter's period after the one before it; None if it lacks a start or an end."""
    if within.since is None or within.until is None or within.since >= within.until:
        return None
    length = within.until - within.since
    return (within.since - length, within.since), (within.since, within.until)


def _latest(ledger: Queryable, within: Filter) -> tuple[_Period, _Period] | None:
    days = [period.start.date() for period in success_over_time(ledger, within, "day").periods]
    if not days or days[0] == days[-1]:
        return None
    first, middle, begin, last = latest_two(days[0], days[-1])
    return _whole_days(first, middle), _whole_days(begin, last)


def _whole_days(first: date, last: date) -> _Period:
    return datetime.combine(first, time()), datetime.combine(last + timedelta(days=1), time())


@dataclass(frozen=True, slots=True)
class Change:
    r"""A day or week at which parse success changed.

    Args:
        start: its begin, UTC without a zone.
        before: parse success between the previous change and this one.
        after: parse success from here to the next change.
        difference: the 95 % interval of the step, -1 to 1; too narrow, because the largest step was chosen.
        p_value: the probability that chance makes so large a step anywhere in this stretch.
        new: values that first appear in this period's responses.

    Example:
        >>> from datetime import datetime
        >>> day = lambda number: datetime(2026, 3, number)
        >>> good, bad = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```', '```actions\n{"actions"\n```'
        >>> sessions = [
        ...     al.RecordedSession(
        ...         f"{number}.{nth}", "assistant", model, "", (al.RecordedTurn(0, text, occurred_at=day(number)),)
        ...     )
        ...     for number, model, text in ((1, "old", good), (2, "old", good), (3, "new", bad), (4, "new", bad))
        ...     for nth in range(20)
        ... ]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     imported = al.import_sessions(ledger, sessions)
        ...     [change] = al.changes(ledger)
        >>> change.start.day, str(change.before), [(each.what, each.label) for each in change.new]
        (3, '100.0% [91.2%, 100.0%] (40/40 in 40 sessions)', [('model', 'new')])
    """

    start: datetime
    before: Rate
    after: Rate
    difference: tuple[float, float] | None
    p_value: float
    new: tuple[Arrival, ...]


def changes(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> tuple[Change, ...]:
    """Return when parse success changed by more than chance, and what was new then.

    New values need not be the cause; they are only other changes in the same period.

    Args:
        ledger: the ledger to query.
        within: filter for the responses; those without a time are left out.
        unit: length of a period, ``day`` or ``week``.

    Returns:
        The changes, in order; see docs/statistics.md for how they are found.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     al.changes(ledger)
        ()
    """
    refuse_no_ledger(ledger)
    periods = success_over_time(ledger, within, unit).periods
    starts = [period.start for period in periods]
    spanning = spanning_sessions(ledger, starts, within, unit) if len(starts) > 1 else []
    points = change_points([period.success for period in periods], spanning=spanning)
    new = arrivals(ledger, within) if points else []
    return tuple(
        Change(
            start=(at := periods[point.index]).start,
            before=point.before,
            after=point.after,
            difference=point.difference,
            p_value=point.p_value,
            new=tuple(each for each in new if at.start <= each.first_at < at.end),
        )
        for point in points
    )
