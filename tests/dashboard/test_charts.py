"""The charts' specifications: what they show, and that it can be read on light and on dark."""

import json
from datetime import datetime, timedelta
from typing import Any

from actionledger.core.rates import Clustering, Rate
from actionledger.ledger.queries import Period, Trend
from actionledger.replay.contrasts import Measure
from actionledger.report.drawing import Spec
from actionledger_dashboard.components.charts import Event, context_chart, trend_chart
from actionledger_dashboard.components.contrast_chart import contrast_chart

MONDAY, SUNDAY, LATER = (datetime.fromisoformat(day) for day in ("2026-03-02", "2026-03-09", "2026-03-16"))
TREND = Trend(
    (Period(MONDAY, SUNDAY, Rate(9, 10), Rate(5, 10)), Period(SUNDAY, LATER, Rate(1, 2), Rate(1, 2))),
    undated=0,
)


def rows_of(chart: Spec) -> list[dict[str, Any]]:
    """Return the rows that a chart draws."""
    [rows] = chart["datasets"].values()
    return list(rows)


def test_trend_has_both_rates_with_interval_and_count() -> None:
    """Each period is a point on either line."""
    first = rows_of(trend_chart(TREND, LATER))[0]
    assert (first["day"], first["series"], first["share"], first["count"]) == (
        "2026-03-02",
        "parsed",
        0.9,
        10,
    )
    assert first["low"] < first["share"] < first["high"]


def test_trend_tells_the_period_that_is_not_over() -> None:
    """The last week is hollow until it has ended."""
    states = {(row["day"], row["state"]) for row in rows_of(trend_chart(TREND, SUNDAY))}
    assert states == {("2026-03-02", "over"), ("2026-03-09", "not over yet")}


def test_a_trend_over_too_few_sessions_has_points_and_no_band() -> None:
    """The word for it stands where the interval would, and the points are in sight."""
    few = Rate(1, 2, Clustering(1, 4, 1, 2))
    chart = trend_chart(Trend((Period(MONDAY, SUNDAY, few, few),), undated=0), LATER)
    first = rows_of(chart)[0]
    assert (first["share"], first["interval"]) == (0.5, "too few sessions")
    assert first["low"] is None
    assert "[0.0, 1.0]" in str(chart)
    assert "area" not in {layer["mark"]["type"] for layer in chart["layer"]}


def test_a_line_ends_where_periods_without_data_begin() -> None:
    """Months without a session were crossed by a line, as if they had been measured; a period alone has a bar for its interval."""
    weeks = [MONDAY + timedelta(weeks=each) for each in (0, 1, 2, 3, 20)]
    periods = tuple(
        Period(start, start + timedelta(weeks=1), Rate(90, 100), Rate(80, 100)) for start in weeks
    )
    chart = trend_chart(Trend(periods, undated=0), weeks[-1] + timedelta(weeks=2))
    rows = [row for row in rows_of(chart) if row["series"] == "parsed"]
    assert [(row["stretch"], row["is_alone"]) for row in rows] == [(0, False)] * 4 + [(1, True)]
    marks = {layer["mark"]["type"]: layer for layer in chart["layer"] if isinstance(layer["mark"], dict)}
    assert marks["line"]["encoding"]["detail"]["field"] == "stretch"
    assert {"area", "rule"} <= set(marks)


def test_both_lines_have_their_band_and_a_cut_axis_says_so() -> None:
    """The second rate has as wide an interval as the first; where the axis begins is said beside it."""
    many = Rate(80, 100), Rate(70, 100)
    chart = trend_chart(
        Trend((Period(MONDAY, SUNDAY, *many), Period(SUNDAY, LATER, *many)), undated=0), LATER
    )
    bands = [layer for layer in chart["layer"] if layer["mark"]["type"] == "area"]
    assert len(bands) == 1
    assert {row["series"] for row in rows_of(chart) if row["low"] is not None} == {
        "parsed",
        "without a repair",
    }
    assert "series" not in json.dumps(bands[0]["transform"])
    assert bands[0]["encoding"]["y"]["title"] == "Axis starts at 60%"
    assert bands[0]["encoding"]["y"]["scale"]["domain"] == [0.6, 1.0]
    whole = trend_chart(TREND, LATER)["layer"][0]["encoding"]["y"]
    assert (whole["title"], whole["scale"]["domain"][0]) == (None, 0.0)


def test_what_was_new_is_a_line_with_its_words() -> None:
    """A change of the rate is a solid one; names are seen whole, and lead to the turns of their period."""
    events = [
        Event(SUNDAY.date(), "model a\u202eb", "model a\u202eb; parser p"),
        Event(SUNDAY.date(), "90.0% → 50.0%", "90.0% → 50.0%", is_change=True),
    ]
    specification = trend_chart(TREND, LATER, events)
    lines = next(layer for layer in specification["layer"] if layer["mark"]["type"] == "rule")
    rows = specification["datasets"][lines["data"]["name"]]
    assert [(row["day"], row["label"], row["kind"]) for row in rows] == [
        ("2026-03-09", "model a[U+202E]b", "new"),
        ("2026-03-09", "90.0% → 50.0%", "changed"),
    ]
    many = trend_chart(TREND, LATER, events * 3)
    assert "text" not in {layer["mark"]["type"] for layer in many["layer"]}


class TestContrast:
    def test_both_sides_stand_on_their_intervals(self) -> None:
        """Each measure has a point for each side; without an interval there is no whisker, and hostile names are seen whole."""
        few, many = Rate(3, 4, Clustering(1, 16, 9, 12)), Rate(80, 100)
        measures = [
            Measure("parse_success", few, many, None, None),
            Measure("validation", Rate(0, 0), many, None, None),
        ]
        names = {"parse_success": "Parse success", "validation": "Valid actions"}
        spec = contrast_chart(measures, names, "a\u202eb", "![x](y)").to_dict()
        [rows] = spec["datasets"].values()
        assert [row["side"] for row in rows] == ["before: a[U+202E]b", "after: ![x](y)"] * 2
        assert [(row["share"], row["low"] is None) for row in rows] == [
            (0.75, True),
            (0.8, False),
            (None, True),
            (0.8, False),
        ]
        assert rows[2]["text"] == "–"


def test_the_context_of_a_long_session_is_drawn_by_its_extremes() -> None:
    """A browser takes seconds for ten thousand points; where the context was compacted is seen all the same."""
    turns = [(place, 9_000 if place % 2_000 else 5, None) for place in range(10_000)]
    drawn = rows_of(context_chart(turns))
    assert len(drawn) <= 1_000
    assert [row["turn"] for row in drawn if row["tokens"] == 5] == [0, 2_000, 4_000, 6_000, 8_000]
    assert len(rows_of(context_chart(turns[:800]))) == 800
    assert len(rows_of(context_chart([]))) == 0
