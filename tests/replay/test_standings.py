"""More than two sides, and two periods: each number counted once more from what was recorded."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import exp
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Capture
from actionledger.ledger import Ledger
from actionledger.ledger.queries.standings import sides_of_sessions
from actionledger.replay.changes import change_since_before, latest_two
from actionledger.replay.standings import Mean, measure_of, pairs, standings

MONDAY = datetime(2026, 3, 2, 9)
GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
BAD = '```actions\n{"actions" [\n```'

Plan = tuple[str, str, bool, bool, float]
"""A session: its model and agent version, whether it succeeded, whether its call failed, and what it cost."""

PLANS: list[Plan] = [
    *(("one", "1.0", number < 18, number < 2, 1.0 + number / 100) for number in range(20)),
    *(("two", "2.0", number < 6, number < 10, 3.0 + number / 100) for number in range(20)),
    *(("three", "2.0", True, False, 2.0) for _ in range(2)),
]


def session(place: int, plan: Plan) -> al.RecordedSession:
    """Return a session of one call, whose result is recorded."""
    model, version, success, fails, cost = plan
    turn = al.RecordedTurn(
        0,
        "",
        occurred_at=MONDAY + timedelta(weeks=place % 2),
        capture=Capture.CALLS,
        calls=(al.RecordedCall("c", "edit", {"path": "a"}),),
        results=(al.RecordedResult("c", "done", is_error=fails),),
        usage=al.Usage(input_tokens=1, cost_usd=cost),
    )
    details = al.SessionDetails(agent="coder", agent_version=version)
    return al.RecordedSession(f"s{place}", None, model, "", (turn,), success=success, details=details)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> al.Ledger:
    path = tmp_path_factory.mktemp("standings") / "l.duckdb"
    with al.open_ledger(path) as opened:
        al.import_sessions(opened, [session(place, plan) for place, plan in enumerate(PLANS)])
    return al.open_ledger(path, read_only=True)


def test_each_number_is_that_of_the_recordings(ledger: al.Ledger) -> None:
    """By model, the one with the most sessions first; counted from the plans, and by plain SQL."""
    found = standings(ledger)
    assert [each.label for each in found] == ["one", "two", "three"]
    plain = dict(
        ledger.sql(
            "SELECT model, count(*) FILTER (status = 'failed') FROM executions GROUP BY ALL"
        ).fetchall()
    )
    for each in found:
        mine = [plan for plan in PLANS if plan[0] == each.label]
        assert (each.sessions, each.responses) == (len(mine), len(mine))
        assert (each.success.successes, each.success.count) == (sum(plan[2] for plan in mine), len(mine))
        assert (each.finished.successes, each.finished.count) == (sum(plan[2] for plan in mine), len(mine))
        assert each.failures.successes == sum(plan[3] for plan in mine) == plain[each.label]
        assert each.failures.count == len(mine)
        assert each.cost.value == pytest.approx(fmean(plan[4] for plan in mine))
        assert each.parsed == Rate(0, 0)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("version", {"coder 1.0": 20, "coder 2.0": 22}),
        ("agent", {"coder": 42}),
        ("week", {"2026-03-02": 21, "2026-03-09": 21}),
        ("prompt", {"": 42}),
    ],
)
def test_sides_are_told_apart_by_what_recordings_say(
    ledger: al.Ledger, by: str, expected: dict[str, int]
) -> None:
    """Weeks begin on Monday; what no recording says has no name."""
    assert {each.label: each.sessions for each in standings(ledger, by)} == expected  # type: ignore[arg-type]


def test_what_tells_no_sides_apart_is_refused(ledger: al.Ledger) -> None:
    """With what there is to choose from."""
    with pytest.raises(UsageError, match="'colour' tells no sides apart; choose from model, agent"):
        sides_of_sessions(ledger, "colour")  # type: ignore[arg-type]


def test_pairs_say_which_difference_is_more_than_chance(ledger: al.Ledger) -> None:
    """Eighteen of twenty against six is; against two of two nobody can tell. Both p-values are adjusted for both pairs."""
    found = standings(ledger)
    two, three = pairs(found, "one", "success")
    assert two.label == "two"
    assert two.change == pytest.approx(6 / 20 - 18 / 20)
    assert two.difference is not None
    assert two.difference[1] < 0
    assert two.p_value is not None
    assert two.p_value < 0.01
    assert (three.label, three.difference, three.p_value) == ("three", None, None)
    failing = pairs(found, "one", "failures")[0]
    assert failing.change == pytest.approx(10 / 20 - 2 / 20)
    cost = pairs(found, "one", "cost")[0]
    assert cost.change == pytest.approx(2.0)
    assert cost.p_value is not None
    assert cost.p_value < 0.01
    assert pairs(found, "one", "parsed") == ()
    assert pairs(found, "nobody", "cost") == ()


def test_a_mean_of_the_same_values_differs_from_itself_by_chance() -> None:
    """Ten thousand dealings of the same cents: no p-value below 1 by far, and an interval with 0 in it."""
    values = tuple(number / 10 for number in range(10))
    mean = Mean(values)
    assert mean.value == pytest.approx(0.45)
    assert mean.interval is not None
    low, high = mean.interval
    assert low == pytest.approx(0.45 - 2.262 * 0.0957427, abs=0.03)
    assert high == pytest.approx(0.45 + 2.262 * 0.0957427, abs=0.03)
    assert Mean(values[:4]).interval is None
    assert Mean(()).value is None


@pytest.mark.parametrize("spread", [1.0, 1.5])
def test_the_mean_of_few_costs_lies_in_its_interval(spread: float) -> None:
    """Where a few of twenty sessions cost most of it all: Student's interval has it in 87 and 74 of 100 cases."""
    chance, true = Random(5), exp(spread * spread / 2)
    drawn = [tuple(chance.lognormvariate(0, spread) for _ in range(20)) for _ in range(200)]
    intervals = [interval for values in drawn if (interval := Mean(values).interval)]
    assert sum(low <= true <= high for low, high in intervals) >= 0.82 * len(drawn)
    assert all(low <= sum(values) / 20 <= high for values, (low, high) in zip(drawn, intervals, strict=True))


@pytest.mark.parametrize(
    ("values", "interval"),
    [
        ((0.1,) * 7, (0.1, 0.1)),
        ((0.0,) * 4 + (5.0,), (0.0, 3.776)),
        (tuple(map(float, range(600))), (285.6, 313.4)),
    ],
)
def test_an_interval_has_two_ends_whatever_the_costs(
    values: tuple[float, ...], interval: tuple[float, float]
) -> None:
    """Of equal ones it is a point; where samples of them are often equal, and of very many, it is Student's."""
    assert Mean(values).interval == pytest.approx(interval, abs=0.05)


def test_parse_rates_stand_only_where_the_same_parsers_read(tmp_path: Path) -> None:
    """Of two models that the assistant's parser has read there is one; a third, read by the coder's, is left out."""
    plans = [("a", "assistant", GOOD), ("a", "assistant", BAD), ("b", "assistant", GOOD), ("c", "coder", "x")]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        for place, (model, profile, text) in enumerate(plans):
            turn = al.RecordedTurn(0, text if profile == "assistant" else "<create_file><path>a</path>")
            al.import_sessions(ledger, [al.RecordedSession(f"s{place}", profile, model, "", (turn,))])
        found = {each.label: each for each in standings(ledger)}
    assert {label: each.is_comparable for label, each in found.items()} == {"a": True, "b": True, "c": False}
    assert measure_of(found["a"], "parsed") == Rate(1, 2)
    assert measure_of(found["c"], "parsed") == Rate(0, 0)
    assert found["c"].parsed.count == 1


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
def periods_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with al.open_ledger(tmp_path_factory.mktemp("days") / "days.duckdb") as opened:
        al.import_sessions(opened, sessions())
        yield opened


def read(days: range) -> al.Rate:
    return al.Rate(sum(20 - FAILING[day] for day in days), 20 * len(days))


def midnight(day: int) -> datetime:
    return datetime(2026, 3, 2) + timedelta(days=day)


def test_the_last_week_stands_beside_the_one_before(periods_ledger: Ledger) -> None:
    """The thirteenth to the last day, beside the seven before, four of which were bad; no deal of the sessions is as far apart."""
    change = change_since_before(periods_ledger)
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


def test_what_is_asked_for_stands_beside_as_much_before_it(periods_ledger: Ledger) -> None:
    """Three days of a filter beside the three before them; all else of the filter holds for both."""
    within = al.Filter(since=midnight(10), until=midnight(13), models=("late",))
    change = change_since_before(periods_ledger, within)
    assert change is not None
    assert (change.before, change.after) == (read(range(7, 10)), read(range(10, 13)))
    assert (change.days, change.is_whole, change.later) == (3, True, within)
    assert change.earlier == al.Filter(since=midnight(7), until=midnight(10), models=("late",))


def test_of_less_than_two_weeks_the_halves_are_compared(periods_ledger: Ledger) -> None:
    """From the fifteenth day on there are six days: three and three."""
    change = change_since_before(periods_ledger, al.Filter(since=midnight(14)))
    assert change is not None
    assert (change.days, change.before, change.after) == (3, read(range(14, 17)), read(range(17, 20)))


@pytest.mark.parametrize("model", ["never", "early", "nobody"])
def test_where_there_is_no_day_before_nothing_is_compared(periods_ledger: Ledger, model: str) -> None:
    """No time, one day, no response at all."""
    assert change_since_before(periods_ledger, al.Filter(models=(model,))) is None


def test_before_the_first_response_there_is_nothing_to_rate(periods_ledger: Ledger) -> None:
    """A period that was asked for is compared with an empty one, which has no rate and so no test."""
    change = change_since_before(periods_ledger, al.Filter(since=midnight(0), until=midnight(5)))
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
