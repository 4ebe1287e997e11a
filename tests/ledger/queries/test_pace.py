"""How long executions took and how many ran out of time, and what responses took by model: counted once more from rows."""

from collections import defaultdict
from statistics import median, quantiles

import pytest

import actionledger as al
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, Origin
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter

LATE = ExecutionStatus.TIMED_OUT
TOOK = (10.0, 20.0, 30.0, 40.0, 1000.0)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """Two models in twelve sessions: five results each, one of which ran out of time, tokens in every second turn."""

    def session(number):
        calls = tuple(al.RecordedCall(f"{number}.{place}", "run", '{"a": 1}') for place in range(5))
        results = tuple(
            al.RecordedResult(
                call.call_id, "ok", status=LATE if took > 100 else None, duration_ms=took + 7.0 * number
            )
            for call, took in zip(calls, TOOK, strict=True)
        )
        usage = Usage(
            input_tokens=100 * number, output_tokens=number, cost_usd=0.5, latency_ms=100.0 * number
        )
        turn = al.RecordedTurn(
            0,
            "x",
            capture=Capture.ARGUMENTS,
            calls=calls,
            results=results,
            usage=usage if number % 2 else Usage(),
        )
        return al.RecordedSession(f"s{number}", None, "odd" if number % 3 else "third", "", (turn,))

    with al.open_ledger(tmp_path_factory.mktemp("pace") / "l.duckdb") as opened:
        al.import_sessions(opened, [session(number) for number in range(12)])
        yield opened


def test_those_of_another_runtime_are_told_apart(ledger):
    """Sixty tries elsewhere, twelve of which ran out of time; none here."""
    rows = ledger.sql("SELECT origin, status, duration_ms FROM executions").fetchall()
    [found] = queries.pace(ledger)
    assert found.origin is Origin.RECORDED
    late = [row for row in rows if row[1] == "timed_out"]
    assert (found.timeouts.successes, found.timeouts.count) == (len(late), len(rows)) == (12, 60)
    assert found.timeouts.clustering.sessions == 12
    times = [row[2] for row in rows if row[2] is not None]
    assert (found.timed, found.median_ms) == (len(times), median(times))
    assert found.p95_ms == pytest.approx(quantiles(times, n=20, method="inclusive")[-1])


def test_ours_are_counted_by_hand(world):
    """Five were tried: one timed out, one never ended and has no time; the denied one was none."""
    [found] = queries.pace(world)
    assert (found.origin, found.timeouts) == (Origin.RUNTIME, al.Rate(1, 5))
    assert (found.timed, found.median_ms, found.p95_ms) == (4, 1.5, 1.5)
    assert queries.pace(world, Filter(profiles=("nobody",))) == []


def test_usage_by_model_is_that_of_each(ledger):
    """Tokens, cost and latency of either, added up from the rows; together they are the usage of all."""
    by_model = defaultdict(list)
    query = "SELECT model, input_tokens, output_tokens, cost_usd, latency_ms FROM turn_starts"
    for model, *numbers in ledger.sql(query).fetchall():
        by_model[model].append(numbers)
    found = queries.usage_by(ledger, "model")
    assert found.keys() == by_model.keys() == {"odd", "third"}
    for model, rows in by_model.items():
        known = [row for row in rows if row[0] is not None]
        took = found[model]
        assert (took.turns, took.counted, took.priced) == (len(rows), len(known), len(known))
        assert (took.input_tokens, took.output_tokens) == tuple(
            sum(row[at] for row in known) for at in (0, 1)
        )
        assert took.latency_ms == median(row[3] for row in known)
        assert took.slow_ms == pytest.approx(
            quantiles([row[3] for row in known], n=20, method="inclusive")[-1]
        )
    whole = queries.usage(ledger)
    assert whole.turns == sum(took.turns for took in found.values())
    assert whole.cost_usd == sum(took.cost_usd for took in found.values()) == 3.0
    [of_source] = queries.usage_by(ledger, "source").values()
    assert of_source == whole


def test_nothing_takes_nothing(world):
    """No response, no label; and no sum that is not there."""
    assert queries.usage_by(world, "profile", Filter(models=("nobody",))) == {}
    assert queries.usage(world, Filter(models=("nobody",))).turns == 0
