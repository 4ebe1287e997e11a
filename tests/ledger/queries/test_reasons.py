"""Why things fail, dialects, targets and parse success over time, counted by hand."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import ActionStatus, Outcome, Reason, RunKind
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.agreement import timings

from .conftest import MISSING, Book, call

ONE = derived_id("session", "one")


def test_names_every_stage_with_its_share_of_the_intents(world: queries.Queryable) -> None:
    """Each reason of the small world occurs in one of the seven turns that meant to act."""
    found = queries.reasons(world)
    assert {(failure.stage, failure.code, failure.action) for failure in found} == {
        ("reading", Reason.MALFORMED_JSON, ""),
        ("reading", Reason.UNCLOSED_TAG, ""),
        ("reading", Reason.NO_ACTION_FOUND, ""),
        ("checking", Reason.MISSING_FIELD, "create_file"),
        ("checking", Reason.UNKNOWN_ACTION, "fly"),
        ("acting", Reason.HANDLER_ERROR, "create_file"),
        ("acting", Reason.TIMEOUT, "wait"),
        ("acting", Reason.NOT_APPROVED, "create_file"),
        ("acting", Reason.NEVER_FINISHED, "note"),
    }
    assert {failure.turns for failure in found} == {Rate(1, 7)}


def test_gives_an_example_with_its_particulars(world: queries.Queryable) -> None:
    """A reason leads to a turn and says what was the matter there."""
    found = {failure.code: failure for failure in queries.reasons(world)}
    broken = found[Reason.MALFORMED_JSON]
    assert (broken.session_id, broken.turn_index, broken.detail) == (ONE, 2, "The object never ends.")
    assert found[Reason.MISSING_FIELD].detail == "path: expected a path"
    assert found[Reason.HANDLER_ERROR].detail == "no"


def test_limit_keeps_the_most_frequent(world: queries.Queryable) -> None:
    """The limit is on all stages together."""
    assert len(queries.reasons(world, limit=4)) == 4


def test_counts_turns_of_long_sessions_and_of_turns_that_were_read_twice(tmp_path: Path) -> None:
    """Turns are counted by their places where a session has few of them, and by what they are where that tells too little."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.run("more", RunKind.IMPORT)
    sizes = {"short": 3, "twice": 4, "brim": 63, "long": 130}
    for name, size in sizes.items():
        book.session(name)
        for index in range(size):
            book.turn(name, index, "x")
            for run in ("live", "more") if name == "twice" and index == 1 else ("live",):
                failing = (
                    {"outcome": Outcome.FAILED, "reason": Reason.TRUNCATED}
                    if index % 2
                    else {"outcome": Outcome.CLEAN}
                )
                book.read(name, index, run=run, **failing)
    with open_ledger(tmp_path / "sizes.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        [found] = queries.reasons(ledger)
    failed = [size // 2 for size in sizes.values()]
    of = [
        sum(column)
        for column in zip(
            *((n * n, x * x, n * x) for n, x in zip(sizes.values(), failed, strict=True)), strict=True
        )
    ]
    assert (found.count, found.turns.successes, found.turns.count) == (
        sum(failed) + 1,
        sum(failed),
        sum(sizes.values()),
    )
    assert (
        found.turns.clustering.sizes,
        found.turns.clustering.totals,
        found.turns.clustering.products,
    ) == tuple(of)


def test_the_example_is_the_first_thing_that_went_wrong_in_its_response(tmp_path: Path) -> None:
    """Where one response has the same failure twice, the first action's words are shown."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    book.turn("one", 0, "x")
    later, first = (replace(MISSING, path=path) for path in ("a later one", "the first one"))
    actions = (
        call("fly", ActionStatus.INVALID, later, index=1),
        call("fly", ActionStatus.INVALID, first, index=0),
    )
    book.read("one", 0, Outcome.CLEAN, actions=actions)
    with open_ledger(tmp_path / "twice.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        [found] = queries.reasons(ledger)
    assert (found.count, found.detail) == (2, "the first one: expected a path")


def test_a_dialect_is_a_share_of_all_that_meant_to_act(world: queries.Queryable) -> None:
    """Of the three responses of "small" and the four of "large" that meant to act, some were read, each in a dialect."""
    assert [(found.label, found.dialect, found.share) for found in queries.dialects_by(world, "model")] == [
        ("large", "actions", Rate(1, 4)),
        ("large", "json_action", Rate(1, 4)),
        ("small", "xml_tags", Rate(2, 3)),
    ]


@pytest.mark.parametrize("dimension", ["profile", "model", "task", "source", "run"])
def test_shares_of_a_label_sum_up_to_its_parse_success(
    world: queries.Queryable, dimension: queries.Dimension
) -> None:
    """The denominator is the parse rate's own: nothing that could not be read is left out of it."""
    within = Filter()
    found = queries.dialects_by(world, dimension, within)
    for label, funnel in queries.funnel_by(world, dimension, within):
        if dimension == "run" and label not in {part.label for part in found}:
            continue  # re-readings are counted by run alone
        shares = [part.share for part in found if part.label == label]
        assert {share.count for share in shares} <= {funnel.intent}
        assert sum(share.successes for share in shares) == funnel.parsed


def test_all_together(world: queries.Queryable) -> None:
    """Without a dimension there is one label, and a filter narrows the whole."""
    assert [(found.dialect, found.share) for found in queries.dialects(world)] == [
        ("xml_tags", Rate(2, 7)),
        ("actions", Rate(1, 7)),
        ("json_action", Rate(1, 7)),
    ]
    small = queries.dialects(world, Filter(models=("small",)))
    assert [(found.dialect, found.share) for found in small] == [("xml_tags", Rate(2, 3))]


def test_no_rate_and_no_split_is_by_what_reading_found(world: queries.Queryable) -> None:
    """A rate within a dialect would be a rate within its own outcome."""
    with pytest.raises(UsageError, match="a rate within its own outcome"):
        queries.dialects(world, Filter(dialects=("xml_tags",)))
    assert "dialect" not in queries.Dimension.__args__  # type: ignore[attr-defined]


def test_times_are_of_what_was_attempted(world: queries.Queryable) -> None:
    """Four tries took 1.5 ms each; one never ended, so nobody knows its time; the denied one is none."""
    found = timings(world)
    assert (found.count, found.mean_ms, found.p95_ms) == (4, 1.5, 1.5)


def test_where_no_code_ran_there_is_no_share(world: queries.Queryable) -> None:
    """None of none is no rate; and no time is not 0 ms."""
    assert timings(world).code_timeouts.value is None
    nothing = timings(world, Filter(profiles=("nobody",)))
    assert (nothing.count, nothing.mean_ms, nothing.p95_ms) == (0, None, None)


@pytest.mark.parametrize(
    ("name", "count", "late"), [("execute_code", 0, Rate(1, 5)), ("create_task", 4, Rate(0, 0))]
)
def test_code_is_counted_apart(world: queries.Queryable, name: str, count: int, late: Rate) -> None:
    """What runs code counts for the time-outs, everything else for the times."""

    class Renamed:
        """The same ledger, its actions under one name."""

        def sql(self, query: str, parameters: object = None, /) -> queries.base.Result:
            renamed = f"(SELECT * REPLACE ('{name}' AS name) FROM executions)"
            return world.sql(query.replace("FROM executions", f"FROM {renamed}", 1), parameters)

    found = timings(Renamed())
    assert (found.count, found.code_timeouts) == (count, late)


def test_what_was_interrupted_took_nobody_knows_how_long(world: queries.Queryable) -> None:
    """It is recorded with no time of its own, which is no time of 0 ms."""

    class Interrupted:
        """The same ledger, its executions cut off."""

        def sql(self, query: str, parameters: object = None, /) -> queries.base.Result:
            cut_off = "(SELECT * REPLACE ('interrupted' AS status, 0.0 AS duration_ms) FROM executions)"
            return world.sql(query.replace("FROM executions", f"FROM {cut_off}", 1), parameters)

    found = timings(Interrupted())
    assert (found.count, found.mean_ms) == (0, None)


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
