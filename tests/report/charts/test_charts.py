"""Charts for a notebook: what they show is what the queries count, and a name that somebody wrote is text in them."""

from datetime import date, datetime
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.rates import Clustering, Rate
from actionledger.ledger.queries import Period, Trend, funnel, funnel_by, success_over_time
from actionledger.ledger.queries.stages import stages_of
from actionledger.replay.contrasts import Measure
from actionledger.report.charts.contrast import contrast_of
from actionledger.report.charts.trend import trend_of
from actionledger.report.trend_spec import Event

HOSTILE = "<b>small\u202e</b>"
MONDAY, SUNDAY, LATER = (datetime.fromisoformat(day) for day in ("2026-03-02", "2026-03-09", "2026-03-16"))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """Two models: one that is read, and one that is not, whose name is hostile."""
    with al.open_ledger(tmp_path_factory.mktemp("drawn") / "team.duckdb") as opened:
        for model, texts in (
            ("large", ["<execute>1 + 1</execute>", "<execute>3</execute>"]),
            (HOSTILE, ["<execute>1 +", "<execute>2</execute>"]),
        ):
            with al.Runtime("mint", ledger=opened, model=model) as runtime:
                for text in texts:
                    runtime.handle(text)
        yield opened


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """Return the rows that a chart draws, of all its parts."""
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def test_a_funnel_draws_what_is_counted(ledger):
    """Each step of each stage, with what was lost on the way; of a funnel, of a ledger, of an address."""
    found = funnel(ledger)
    steps = [step for stage in stages_of(found) for step in stage.steps]
    drawn = [(row["step"], row["count"], row["lost"]) for row in rows_of(al.charts.funnel(ledger))]
    assert drawn == [(step.label, step.count, step.lost) for step in steps]
    assert drawn[:4] == [
        ("Responses", 4, 0),
        ("Meant to act", 4, 0),
        ("Parsed", 3, 1),
        ("With a valid action", 3, 0),
    ]
    assert rows_of(al.charts.funnel(found)) == rows_of(al.charts.funnel(ledger))
    for address in ("turns?model=large", "model=large", "?model=large&by=profile&group=reading"):
        assert rows_of(al.charts.funnel(ledger, address))[0]["count"] == 2
    with pytest.raises(UsageError, match="'modle', which is none of"):
        al.charts.funnel(ledger, "?modle=large")


def test_groups_draw_each_value_with_its_count(ledger):
    """Models by how many responses they have, others the best first; a name is text, what can't be seen of it a token."""
    counted = {name: found.parse_success for name, found in funnel_by(ledger, "model")}
    small, large = rows_of(al.charts.groups(ledger))
    assert (large["name"], large["share"]) == ("large", counted["large"].value)
    assert (small["name"], small["count"]) == ("<b>small⟨U+202E⟩</b>", counted[HOSTILE].count)
    assert (small["low"], small["interval"]) == (None, "too few sessions")
    few = al.charts.groups(ledger, most=1).to_dict()
    assert few["title"] == "the 1 with the most responses, of 2"


def test_a_trend_draws_both_rates_of_each_period(ledger):
    """With their counts; what happened is marked with its words."""
    periods = success_over_time(ledger, unit="day").periods
    drawn = rows_of(al.charts.trend(ledger, unit="day"))
    assert len(drawn) == 2 * len(periods)
    assert drawn[0]["count"] == periods[0].success.count
    marked = al.charts.trend(ledger, unit="day", events=[Event(date(2026, 3, 2), HOSTILE, HOSTILE)])
    assert "<b>small⟨U+202E⟩</b>" in [row.get("label") for row in rows_of(marked)]


def test_a_trend_tells_the_period_that_is_not_over():
    """And has no band where sessions are too few for an interval."""
    few = Rate(1, 2, Clustering(1, 4, 1, 2))
    found = Trend((Period(MONDAY, SUNDAY, Rate(9, 10), few), Period(SUNDAY, LATER, few, few)), undated=0)
    states = {(row["day"], row["state"]) for row in rows_of(trend_of(found, SUNDAY))}
    assert states == {("2026-03-02", "over"), ("2026-03-09", "not over yet")}
    none = trend_of(Trend((Period(MONDAY, SUNDAY, few, few),), undated=0), LATER)
    assert "area" not in {layer["mark"]["type"] for layer in none.to_dict()["layer"]}


def test_a_comparison_draws_both_sides(ledger):
    """Sets that share no turns, and runs that have read the same ones."""
    models = al.compare(ledger, al.Filter(models=("large",)), al.Filter(models=(HOSTILE,)))
    drawn = rows_of(al.charts.compared(models, "large", HOSTILE))
    assert len(drawn) == 2 * len(models.measures)
    assert {row["side"] for row in drawn} == {"before: large", "after: <b>small⟨U+202E⟩</b>"}
    again = al.compare(ledger, None, al.reparse(ledger, parser="mint-harness").run_id)
    both = rows_of(al.charts.compared(again))
    assert [row["count"] for row in both] == [again.before.count, again.after.count]


def test_what_there_is_nothing_to_draw_of_is_refused(ledger):
    """With what was asked for, and never as an empty picture."""
    nobody = al.Filter(models=("nobody",))
    for draw in (
        al.charts.funnel,
        al.charts.trend,
        lambda opened, within: al.charts.groups(opened, "task", within),
    ):
        with pytest.raises(al.ActionLedgerError, match="no response of model nobody"):
            draw(ledger, nobody)


def test_a_chart_can_be_changed(ledger):
    """It is Altair's own value, and what is set in it stays."""
    measure = Measure("parse_success", Rate(1, 2), Rate(2, 2), None, None)
    chart = contrast_of([measure], {"parse_success": "read"}, "a", "b").properties(width=77, title="mine")
    assert (chart.to_dict()["width"], chart.to_dict()["title"]) == (77, "mine")
    assert al.charts.funnel(ledger).configure_axis(labelColor="red").to_dict()["config"]["axis"]


@pytest.mark.parametrize(("shares", "place"), [((9, 10), "height - datum.off"), ((2, 5), "datum.off")])
def test_labels_of_events_are_away_from_the_line(shares, place):
    """At the bottom if the line is in the upper half, else at the top."""
    first, second = (Rate(share, 10, Clustering(10, 10, share, share)) for share in shares)
    found = Trend((Period(MONDAY, SUNDAY, first, first), Period(SUNDAY, LATER, second, second)), undated=0)
    drawn = trend_of(found, LATER, [Event(SUNDAY.date(), "large", "new")]).to_dict()
    steps = [step for layer in drawn["layer"] for step in layer.get("transform", [])]
    assert [step["calculate"] for step in steps if "calculate" in step] == [place]
