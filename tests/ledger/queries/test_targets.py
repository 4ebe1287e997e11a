"""The plan's targets, counted by hand."""

import pytest

from actionledger.core.rates import Rate
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.agreement import timings


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
