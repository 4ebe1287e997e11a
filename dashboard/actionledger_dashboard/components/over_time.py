"""Is it getting better: a rate over time, with what was new when; a point opens its turns."""

from dataclasses import replace
from datetime import timedelta
from typing import NoReturn

import streamlit as st

from actionledger.core.clock import now
from actionledger.core.plurals import counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Mark, Period, Unit
from actionledger.ledger.queries.stages import TRIED_ELSEWHERE
from actionledger.ledger.queries.trend import elsewhere_over_time
from actionledger.replay.changes import Change, changes
from actionledger.report.charts.trend import ELSEWHERE, READING
from actionledger_dashboard.components import charts, links
from actionledger_dashboard.components.charts import Event
from actionledger_dashboard.components.lines import heading, line
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.navigation import go_to
from actionledger_dashboard.components.wording import share
from actionledger_dashboard.data import ask

UNITS: dict[str, Unit] = {"by day": "day", "by week": "week"}
BY_DAY_AT_MOST = timedelta(weeks=6)  # a longer course is by week, unless the reader wants the days
MARKED = ("model", "parser", "prompt", "tools")
"""What is marked in the course of time when it is new."""

NOTHING_TO_RATE = "No response within these filters meant to act and was recorded as it was written."

_MEANING = (
    "Bands are 95 % intervals. Dotted lines: a model, a parser, a prompt or tools are new. {more}Select a point: "
    "the turns of that period."
)
_CHANGES = "Solid lines: from here on the rate is another one, by more than chance. "
_RECORDED = "Of what was tried elsewhere, as recorded: nothing says how these responses parse. "


def show_trend(linked: Linked, within: Filter, *, is_elsewhere: bool) -> None:
    """Show parse success over time."""
    known = ask(queries.dimensions)
    is_long = known.first is not None and known.last is not None and known.last - known.first > BY_DAY_AT_MOST
    title = "Success elsewhere over time" if is_elsewhere else "Parse success over time"
    with line():
        heading(title, _MEANING.format(more=_RECORDED if is_elsewhere else _CHANGES))
        units = sorted(UNITS, reverse=is_long)
        unit = UNITS[linked.switch("Unit", "unit", units)]
    trend = ask(elsewhere_over_time if is_elsewhere else queries.success_over_time, within, unit)
    if not trend.periods:
        st.info("These turns carry no time." if trend.undated else NOTHING_TO_RATE)
        return
    if trend.undated:
        things = counted(trend.undated, "execution" if is_elsewhere else "response")
        st.caption(f"Without a time, and so not in this chart: {things}.")
    changed = () if is_elsewhere else ask(changes, within, unit)
    events = events_of(trend.periods, ask(queries.arrivals, within), changed)
    chart = charts.trend_chart(trend, now(), events, ELSEWHERE if is_elsewhere else READING)
    picked = st.altair_chart(chart, key="trend", on_select="rerun")
    for point in charts.picked_points(picked):
        period = next(period for period in trend.periods if period.start.date().isoformat() == point["day"])
        mark = TRIED_ELSEWHERE if is_elsewhere else Mark()
        open_turns(replace(within, since=period.start, until=period.end), mark)


def events_of(
    periods: tuple[Period, ...], arrived: list[queries.Arrival], changed: tuple[Change, ...]
) -> list[Event]:
    """Return what is marked in the course of time: what was new behind the first period, and where the rate changed."""
    steps = {change.start: f"{share(change.before)} → {share(change.after)}" for change in changed}
    found = []
    for period in periods[1:]:
        new = [
            f"{each.what} {each.label}"
            for each in arrived
            if each.what in MARKED and period.start <= each.first_at < period.end
        ]
        step = steps.get(period.start)
        labels = [
            *([step] if step else []),
            *([new[0] if len(new) == 1 else f"{len(new)} new"] if new else []),
        ]
        if labels:
            whole = "; ".join([*([step] if step else []), *new])
            found.append(Event(period.start.date(), ", ".join(labels), whole, is_change=step is not None))
    return found


def open_turns(within: Filter, mark: Mark) -> NoReturn:
    """Go on to the turns behind a number."""
    go_to(links.turns_href(within, mark))
