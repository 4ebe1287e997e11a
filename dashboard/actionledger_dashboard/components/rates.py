"""Parse success by a dimension and over time, with what was new when; a point links to its turns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, NoReturn

import streamlit as st

from actionledger.core.ids import now
from actionledger.core.rates import Rate
from actionledger.core.text import NO_NAME, counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Mark, Period, ReadIn, Unit
from actionledger.ledger.queries.stages import TRIED_ELSEWHERE
from actionledger.ledger.queries.trend import elsewhere_over_time
from actionledger.replay.changes import Change, changes
from actionledger.report.drawing import beginning, interval
from actionledger.report.trend_spec import ELSEWHERE, READING
from actionledger_dashboard.components import charts, links
from actionledger_dashboard.components.charts import Event
from actionledger_dashboard.components.controls import heading, line, mount_of
from actionledger_dashboard.components.navigation import go_to
from actionledger_dashboard.components.stats import drawn_rate
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import pieces
from actionledger_dashboard.data import ask

DIALECTS = 6  # dialects with a column of their own; the others share one
OTHERS = "other dialects"

_mount = mount_of("rates", "whisker")


@dataclass(frozen=True, slots=True)
class Group:
    """One row."""

    label: str  # what its responses have in common; untrusted text
    rate: Rate  # their parse success
    capture: str  # their captures, in a few words
    href: str  # the link to its turns
    took: Mapping[str, str]  # their usage, by name; empty if not recorded


def show_rates(
    key: str,
    by: str,
    groups: Sequence[Group],
    read_in: Sequence[ReadIn],
    href_of: Callable[[str, str], str],
) -> None:
    """Show groups below each other."""
    frequent = Counter[str]()
    for part in read_in:
        frequent[part.dialect] += part.share.successes
    named = [name for name, _ in frequent.most_common(DIALECTS)]
    shares = {(part.label, part.dialect): part.share for part in read_in}
    rest = [name for name in frequent if name not in named]

    def parts(label: str) -> list[dict[str, Any] | None]:
        found = [_part(name, shares.get((label, name)), href_of(label, name)) for name in named]
        return found + [_others([shares[label, name] for name in rest if (label, name) in shares])] * bool(
            rest
        )

    took = [name for name in groups[0].took if any(group.took[name] for group in groups)]
    data = {
        "label": f"Parse success by {by}",
        "by": by,
        "begin": beginning(group.rate for group in groups),
        "dialects": [pieces(name) for name in named] + [OTHERS] * bool(rest),
        "took": took,
        "groups": [
            {
                "label": pieces(group.label or NO_NAME),
                "href": group.href,
                "rate": drawn_rate(group.rate),
                "text": group.rate.shown_value + (f" of {group.rate.count:,}" if group.rate.count else ""),
                "kept": f" · {group.capture}",
                "parts": parts(group.label),
                "took": [group.took[name] or "–" for name in took],
            }
            for group in groups
        ],
    }
    _mount(key=key, data=data)


def _part(dialect: str, found: Rate | None, href: str) -> dict[str, Any] | None:
    if found is None or not found.successes:
        return None
    read = f"{found.successes:,} of {found.count:,}"
    return {
        "share": found.value,
        "shown": found.shown_value,
        "label": f"{found.shown_value} read in {dialect}: {read} ({interval(found)})",
        "href": href,
    }


def _others(found: Sequence[Rate]) -> dict[str, Any] | None:
    """Return the rarer dialects as one; their shares can be added, since each response is parsed in one dialect."""
    if not found:
        return None
    together = Rate(sum(each.successes for each in found), found[0].count)
    read = f"{together.successes:,} of {together.count:,}"
    return {
        "share": together.value,
        "shown": together.shown_value,
        "label": f"{together.shown_value} read in {OTHERS}: {read}",
        "href": "",
    }


UNITS: dict[str, Unit] = {"by day": "day", "by week": "week"}
BY_DAY_AT_MOST = timedelta(weeks=6)  # a longer trend is by week, unless the reader chooses days
MARKED = ("model", "parser", "prompt", "tools")
"""The kinds of things that the trend marks when they are new."""

NOTHING_TO_RATE = "No response within these filters meant to act and was recorded as it was written."

_MEANING = (
    "Bands are 95 % intervals. Dotted lines: a model, a parser, a prompt or tools are new. {more}Select a point: "
    "the turns of that period."
)
_CHANGES = "Solid lines: from here on the rate is another one, by more than chance. "
_RECORDED = "Executed by the recorded agent; nothing says how these responses parse. "


def show_trend(linked: Linked, within: Filter, *, is_elsewhere: bool) -> None:
    """Show parse success over time."""
    known = ask(queries.dimensions)
    is_long = known.first is not None and known.last is not None and known.last - known.first > BY_DAY_AT_MOST
    title = "Tool call success over time" if is_elsewhere else "Parse success over time"
    with line():
        heading(title, _MEANING.format(more=_RECORDED if is_elsewhere else _CHANGES))
        by_day, by_week = sorted(UNITS)
        unit = UNITS[linked.switch("Unit", "unit", (by_day, by_week), by_week if is_long else by_day)]
    trend = ask(elsewhere_over_time if is_elsewhere else queries.success_over_time, within, unit)
    if not trend.periods:
        st.info("These turns carry no time." if trend.undated else NOTHING_TO_RATE)
        return
    if trend.undated:
        things = counted(trend.undated, "execution" if is_elsewhere else "response")
        st.caption(f"Not in this chart, since no time is recorded: {things}.")
    changed = () if is_elsewhere else ask(changes, within, unit)
    events = events_of(trend.periods, ask(queries.arrivals, within), changed)
    chart = charts.trend_chart(trend, now(), events, ELSEWHERE if is_elsewhere else READING)
    for point in charts.show_chart("trend", chart, title):
        period = next(period for period in trend.periods if period.start.date().isoformat() == point["day"])
        mark = TRIED_ELSEWHERE if is_elsewhere else Mark()
        open_turns(replace(within, since=period.start, until=period.end), mark)


def events_of(
    periods: tuple[Period, ...], arrived: list[queries.Arrival], changed: tuple[Change, ...]
) -> list[Event]:
    """Return the trend's marks: what was new after the first period, and where the rate changed."""
    steps = {change.start: f"{change.before.shown_value} → {change.after.shown_value}" for change in changed}
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
    """Go to the turns behind a number."""
    go_to(links.turns_href(within, mark))
