"""The chart of a rate over time, with intervals and events, as Vega-Lite writes it: the dashboard draws it without loading Altair or pandas."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import accumulate, pairwise
from math import ceil
from typing import NamedTuple

from actionledger.core.text import visible
from actionledger.ledger.queries.trend import Period, Trend
from actionledger.report.drawing import BLUE, INK, ORANGE, Spec, beginning, encoded, interval, sessions

_HEIGHT = 270
_LABELS = 12
_LABELLED = 4  # with more events than this, their words are only in tooltips
_LONGEST = 26
_GAP = 4  # a line ends where more of the shortest steps between periods than this have no data


class Wording(NamedTuple):
    """A rate's names in its chart."""

    series: tuple[str, ...]  # the names of the lines: of `success`, and of `strict` if it differs
    things: str  # the name of the counted items
    good: str  # the name of the items that have the property
    whole: str  # the name of the items that they are a share of


READING = Wording(("parsed", "without a repair"), "Responses", "Read", "Meant to act")
ELSEWHERE = Wording(("succeeded",), "Executions", "Succeeded", "Tried")


@dataclass(frozen=True, slots=True)
class Event:
    """An event that may explain a change over time, or the change itself.

    Args:
        day: the period's first day.
        label: the event in a few words; may be untrusted text.
        detail: the full description.
        is_change: whether the rate itself changed here by more than chance.

    Example:
        >>> from datetime import date
        >>> al.charts.Event(date(2026, 3, 2), "large", "the model large is new").label
        'large'
    """

    day: date
    label: str
    detail: str
    is_change: bool = False


def trend_spec(
    found: Trend, at: datetime, events: Sequence[Event] = (), ink: str = INK, wording: Wording = READING
) -> Spec:
    """Return the periods as points on one or two lines with bands; the current, unfinished period is a hollow point off the lines."""
    rows = _rows(found, at, wording)
    axis = {"format": "%b %d", "grid": False, "labelFlush": False, "values": _ticks(found)}
    days = encoded("start", "temporal", timeUnit="utcyearmonthdate", axis=axis)
    marked = _events(events, days, ink, found) if events else []
    of_rows = [{"data": {"name": "rows"}, **each} for each in _lines(rows, days, ink, wording, found)]
    return {
        "height": _HEIGHT,
        "layer": [*({"data": {"name": "events"}, **each} for each in marked), *of_rows],
        "datasets": {"rows": rows} | ({"events": _event_rows(events, found)} if events else {}),
    }


def _lines(rows: list[Spec], days: Spec, ink: str, wording: Wording, found: Trend) -> list[Spec]:
    """Return the layers of the periods: their intervals, lines and points."""
    begin = _begin(found)
    along = {"domain": [begin, 1.0], "clamp": True, "nice": False, "zero": False}
    names, cut = list(wording.series), f"Axis starts at {begin:.0%}" if begin else None
    legend = {"orient": "top", "symbolOpacity": 1}

    def by_series(values: list[str]) -> Spec:
        scale = {"domain": names, "range": values[: len(names)]}
        return encoded("series", "nominal", scale=scale, legend=legend)

    colour = by_series([BLUE, ORANGE])
    shared, over = {"x": days, "color": colour}, "datum.state === 'over'"
    band = shared | {"y": encoded("low", "quantitative", cut, scale=along), "y2": {"field": "high"}}
    line = {"detail": encoded("stretch", "nominal")}
    axis = {"format": "%", "titleColor": ink, "titleFontWeight": "normal"}
    share = shared | {"y": encoded("share", "quantitative", cut, scale=along, axis=axis)}
    has_band = {row["is_alone"] for row in rows if row["state"] == "over" and row["low"] is not None}
    points = {
        "fill": {"condition": {"test": over, **colour}, "value": "transparent"},
        "shape": by_series(["circle", "diamond"]),
        "tooltip": _tooltip(wording),
    }
    layers: list[Spec] = []  # an empty layer would be an unnamed element to screen readers
    if False in has_band:
        kept = [{"filter": f"{over} && isValid(datum.low)"}]
        layers.append({"mark": {"type": "area", "opacity": 0.18}, "encoding": band | line, "transform": kept})
    if True in has_band:  # an area needs two periods; the interval of a single one is a bar
        bar = {"type": "rule", "strokeWidth": 6, "opacity": 0.18}
        kept = [{"filter": f"{over} && datum.is_alone && isValid(datum.low)"}]
        layers.append({"mark": bar, "encoding": band, "transform": kept})
    return [
        *layers,
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": share | line,
            "transform": [{"filter": over}],
        },
        {
            "mark": {"type": "point", "size": 55, "strokeWidth": 2, "opacity": 1},
            "encoding": share | points,
        },
    ]


def _tooltip(wording: Wording) -> list[Spec]:
    return [
        encoded("day", "nominal", "From"),
        encoded("series", "nominal", wording.things),
        encoded("share", "quantitative", "Share", format=".1%"),
        encoded("interval", "nominal", "95 % interval"),
        encoded("read", "quantitative", wording.good, format=","),
        encoded("count", "quantitative", wording.whole, format=","),
        encoded("sessions", "quantitative", "Sessions", format=","),
        encoded("state", "nominal", "Period"),
    ]


def _begin(found: Trend) -> float:
    return beginning(rate for period in found.periods for rate in (period.success, period.strict))


def _is_high(found: Trend) -> bool:
    """Whether the lines are in the chart's upper half."""
    rates = [rate.value for period in found.periods for rate in (period.success, period.strict)]
    values = [value for value in rates if value is not None]
    return bool(values) and sum(values) / len(values) > (1 + _begin(found)) / 2


def _events(events: Sequence[Event], days: Spec, ink: str, found: Trend) -> list[Spec]:
    """Return the layers of the events: vertical lines, solid for changes; labels are at the bottom if the rates are high."""
    fields = {"day": "From", "kind": "What", "detail": "Which"}
    shared = {"x": days, "tooltip": [encoded(name, "nominal", title) for name, title in fields.items()]}
    dashes = {"domain": ["changed", "new"], "range": [[1, 0], [2, 3]]}
    dash = {"strokeDash": encoded("kind", "nominal", scale=dashes, legend=None)}
    lines = {"mark": {"type": "rule", "color": ink, "strokeWidth": 2}, "encoding": shared | dash}
    if len(events) > _LABELLED:
        return [lines]
    place = "height - datum.off" if _is_high(found) else "datum.off"
    where = {
        "y": encoded("place", "quantitative", scale=None, axis=None),
        "text": encoded("label", "nominal"),
    }
    late = _last_labelled_day(found)
    words = [
        {
            "mark": {"type": "text", "color": ink, "align": align, "dx": off, "fontSize": 11},
            "encoding": shared | where,
            "transform": [
                {"filter": f"datum.is_late === {str(is_late).lower()}"},
                {"calculate": place, "as": "place"},
            ],
        }
        for is_late, align, off in ((False, "left", 4), (True, "right", -4))
        if any((event.day > late) == is_late for event in events)
    ]
    return [lines, *words]


def _event_rows(events: Sequence[Event], found: Trend) -> list[Spec]:
    late = _last_labelled_day(found)
    return [
        {
            "day": event.day.isoformat(),
            "start": event.day.isoformat(),
            "label": _shortened(event.label) if len(events) <= _LABELLED else "",
            "detail": visible(event.detail),
            "off": 8 + 14 * at,  # one line each: next to each other they overlap on a phone
            "is_late": event.day > late,
            "kind": "changed" if event.is_change else "new",
        }
        for at, event in enumerate(events)
    ]


def _last_labelled_day(found: Trend) -> date:
    """Return the day after which labels have no room to the right."""
    first, last = found.periods[0].start, found.periods[-1].start
    return (first + (last - first) * 0.7).date()


def _shortened(label: str) -> str:
    shown = visible(label)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _ticks(found: Trend) -> list[Spec]:
    """Return the positions of the axis labels: at periods, and no more than fit."""
    every = ceil(len(found.periods) / _LABELS)
    starts = (period.start for period in found.periods[::every])
    return [{"year": start.year, "month": start.month, "date": start.day, "utc": True} for start in starts]


def _stretches(periods: Sequence[Period]) -> list[int]:
    """Return for each period the number of its stretch; a line over months without data would invent a course."""
    steps = [after.start - before.start for before, after in pairwise(periods)]
    gap = _GAP * min(steps, default=timedelta())
    return list(accumulate((step > gap for step in steps), initial=0))


def _rows(found: Trend, at: datetime, wording: Wording) -> list[Spec]:
    stretches = _stretches(found.periods)
    lengths = Counter(stretches)
    return [
        {
            "stretch": stretch,
            "day": period.start.date().isoformat(),
            "start": period.start.date().isoformat(),
            "series": name,
            "share": rate.value,
            "low": rate.interval[0] if rate.interval else None,
            "high": rate.interval[1] if rate.interval else None,
            "interval": interval(rate),
            "read": rate.successes,
            "count": rate.count,
            "sessions": sessions(rate),
            "state": "over" if period.end <= at else "not over yet",
            "is_alone": lengths[stretch] == 1,
        }
        for period, stretch in zip(found.periods, stretches, strict=True)
        for name, rate in zip(wording.series, (period.success, period.strict), strict=False)
    ]
