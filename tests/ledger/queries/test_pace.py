"""How long executions and responses took."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import pytest

import actionledger as al
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, Origin
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, base
from actionledger.ledger.queries.turn import turn
from actionledger.ledger.queries.turns import timeline

CREATE = "<create_file><path>a</path><content>x</content></create_file>"


class Recorded:
    """A ledger whose executions are said to have come to a status, in no time."""

    def __init__(self, ledger: al.Ledger, status: str) -> None:
        self._ledger = ledger
        self._executions = f"(SELECT * REPLACE ('{status}' AS status, 0.0 AS duration_ms) FROM executions)"

    def sql(self, query: str, parameters: object = None, /) -> base.Result:
        return self._ledger.sql(query.replace("FROM executions", f"FROM {self._executions}"), parameters)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[al.Ledger, al.Turn]]:
    """An open ledger, and the one turn in it."""
    with al.open_ledger(tmp_path_factory.mktemp("durations") / "l.duckdb") as ledger:
        with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
            done = runtime.handle(CREATE)
        yield ledger, done


@pytest.mark.parametrize(
    ("status", "took"),
    [("succeeded", 0.0), ("failed", 0.0), ("timed_out", 0.0)]
    + [
        (status, None)
        for status in ("interrupted", "pending", "denied", "rate_limited", "skipped", "dry_run")
    ],
)
def test_what_was_not_tried_or_not_seen_to_end_has_no_duration(recorded, status, took):
    """A turn and its timeline say the same; 0.0 is what is recorded for want of a time."""
    ledger, done = recorded
    found = turn(Recorded(ledger, status), done.session_id, 0)
    steps = timeline(Recorded(ledger, status), done.turn_id)
    assert [each.duration_ms for each in found.executions] == [took]
    assert [step.duration_ms for step in steps if step.kind == "run"] == [took]


def test_what_a_converted_field_is_has_one_definition():
    """No query spells the code itself."""
    folder = Path(base.__file__).parent
    assert [
        path.name for path in folder.glob("*.py") if "'converted'" in path.read_text(encoding="utf-8")
    ] == []


LATE = ExecutionStatus.TIMED_OUT
TOOK = (10.0, 20.0, 30.0, 40.0, 1000.0)


@pytest.fixture(scope="module")
def pace_ledger(tmp_path_factory):
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


def test_those_of_another_runtime_are_told_apart(pace_ledger):
    """Sixty tries elsewhere, twelve of which ran out of time; none here."""
    rows = pace_ledger.sql("SELECT origin, status, duration_ms FROM executions").fetchall()
    [found] = queries.pace(pace_ledger)
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


def test_usage_by_model_is_that_of_each(pace_ledger):
    """Tokens, cost and latency of either, added up from the rows; together they are the usage of all."""
    by_model = defaultdict(list)
    query = "SELECT model, input_tokens, output_tokens, cost_usd, latency_ms FROM turn_starts"
    for model, *numbers in pace_ledger.sql(query).fetchall():
        by_model[model].append(numbers)
    found = queries.usage_by(pace_ledger, "model")
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
    whole = queries.usage(pace_ledger)
    assert whole.turns == sum(took.turns for took in found.values())
    assert whole.cost_usd == sum(took.cost_usd for took in found.values()) == 3.0
    [of_source] = queries.usage_by(pace_ledger, "source").values()
    assert of_source == whole


def test_nothing_takes_nothing(world):
    """No response, no label; and no sum that is not there."""
    assert queries.usage_by(world, "profile", Filter(models=("nobody",))) == {}
    assert queries.usage(world, Filter(models=("nobody",))).turns == 0
