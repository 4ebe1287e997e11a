"""The charts' specifications: what they show, and that it can be read on light and on dark."""

from datetime import datetime
from typing import Any

import pytest

from actionledger.ledger.queries import Mark, Period, ReadIn, Trend
from actionledger.rates import Clustering, Rate
from actionledger.replay.contrasts import Measure
from actionledger_dashboard.components.charts import (
    Chart,
    Group,
    Step,
    contrast_chart,
    dialects_chart,
    funnel_chart,
    groups_chart,
    trend_chart,
)

STEPS = [Step("Responses", 10, 10, Mark()), Step("Read whole", 8, 10, Mark(stage="reading"))]
GROUPS = [Group("small", Rate(9, 10), "text 10"), Group("", Rate(0, 3), "text 3")]
MONDAY, SUNDAY, LATER = (datetime.fromisoformat(day) for day in ("2026-03-02", "2026-03-09", "2026-03-16"))
TREND = Trend(
    (Period(MONDAY, SUNDAY, Rate(9, 10), Rate(5, 10)), Period(SUNDAY, LATER, Rate(1, 2), Rate(1, 2))),
    undated=0,
)


def rows_of(chart: Chart) -> list[dict[str, Any]]:
    """Return the rows that a chart draws."""
    [rows] = chart.to_dict()["datasets"].values()
    return list(rows)


def test_funnel_says_what_is_lost() -> None:
    """A step has its count and, where something was lost, its share."""
    first, second = rows_of(funnel_chart(STEPS))
    assert (first["text"], first["lost"]) == ("10", 0)
    assert (second["text"], second["lost"], second["whole"]) == ("8  (80.0%)", 2, 10)


def test_funnel_of_nothing_is_drawn() -> None:
    """Zero responses are bars without a length, not an error."""
    assert rows_of(funnel_chart([Step("Responses", 0, 0, Mark())]))[0]["text"] == "0"


def test_trend_has_both_rates_with_interval_and_count() -> None:
    """Each period is a point on either line."""
    first = rows_of(trend_chart(TREND, LATER))[0]
    assert (first["day"], first["series"], first["share"], first["count"]) == (
        "2026-03-02",
        "read whole",
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
    assert "[0.48, 1.0]" in str(chart.to_dict())
    assert "area" not in {layer["mark"]["type"] for layer in chart.to_dict()["layer"]}


def test_groups_have_share_interval_and_count() -> None:
    """A point doesn't hide how little it rests on."""
    first, second = rows_of(groups_chart(GROUPS))
    assert [first["text"], second["text"]] == ["90.0% of 10 · text 10", "0.0% of 3 · text 3"]
    assert first["low"] < first["share"] < first["high"]
    assert [first["group"], second["group"]] == ["small", "(empty)"]


@pytest.mark.parametrize(
    ("few", "word"), [(Rate(1, 2, Clustering(1, 4, 1, 2)), "too few sessions"), (Rate(0, 0), "–")]
)
def test_a_group_without_an_interval_has_a_point_alone(few: Rate, word: str) -> None:
    """The word for it stands where the interval would; the axis keeps every point in sight."""
    chart = groups_chart([Group("few", few, ""), Group("many", Rate(90, 100), "")])
    first, second = rows_of(chart)
    assert (first["share"], first["interval"], first["low"]) == (few.value, word, None)
    assert second["low"] is not None
    whiskers = chart.to_dict()["layer"][0]
    assert whiskers["transform"] == [{"filter": "isValid(datum.low)"}]


def test_groups_of_which_none_has_an_interval_are_drawn() -> None:
    """The axis begins where the points do, and not at a number that is none."""
    chart = groups_chart(
        [Group("one", Rate(3, 4, Clustering(1, 16, 9, 12)), ""), Group("none", Rate(0, 0), "")]
    )
    assert "NaN" not in chart.to_json()
    assert "rule" not in {layer["mark"]["type"] for layer in chart.to_dict()["layer"]}


def test_dialects_are_parts_of_all_that_meant_to_act() -> None:
    """The rare ones are together, and a group that is not shown has no bar."""
    parts = [ReadIn("small", f"d{number}", Rate(9 - number, 100)) for number in range(8)]
    rows = rows_of(dialects_chart([*parts, ReadIn("other", "d0", Rate(1, 1))], ["small"]))
    assert [row["shown"] for row in rows] == [f"d{number}" for number in range(6)] + ["other dialects"] * 2
    assert {row["label"] for row in rows} == {"small"}
    assert sum(row["share"] for row in rows) == pytest.approx(0.44)


@pytest.mark.parametrize("chart", [funnel_chart(STEPS), groups_chart(GROUPS)])
def test_labels_are_never_dropped_and_texts_never_default_to_black(chart: Chart) -> None:
    """Every bar and row keeps its label, and every text has a colour of its own."""
    specification = chart.to_dict()
    layers = specification["layer"]
    assert specification["height"] == {"step": 30} or layers[0]["height"] == {"step": 30}
    assert all(layer["encoding"]["y"]["axis"]["labelOverlap"] is False for layer in layers)
    assert all(layer["mark"]["color"] for layer in layers if layer["mark"]["type"] == "text")


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
