"""How far responses and actions get, counted by hand."""

from datetime import datetime
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import ExecutionStatus, Outcome
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.funnel import Dimension, funnel_and_splits, parse_success

LIVE = derived_id("run", "live")
AGAIN = derived_id("run", "again")
AGAIN_ONLY = Filter(run_id=derived_id("run", "again"))
MONDAY = datetime.fromisoformat("2026-03-02T09:00")
TUESDAY = datetime.fromisoformat("2026-03-03T09:00")


def test_counts_first_readings_only(world: queries.Queryable) -> None:
    """Ten responses were read first; the five re-readings are another run's business."""
    found = queries.funnel(world)
    assert found.outcomes == {
        Outcome.CLEAN: 3,
        Outcome.REPAIRED: 1,
        Outcome.PARTIAL: 1,
        Outcome.FAILED: 2,
        Outcome.NO_ACTION: 1,
        Outcome.ABSTAINED: 1,
        Outcome.EMPTY: 1,
    }
    assert (found.responses, found.intent, found.parsed, found.with_valid) == (10, 7, 4, 3)


def test_rates_have_their_own_denominators(world: queries.Queryable) -> None:
    """Reading counts intents, checking what had a catalogue and was meant, acting what was attempted."""
    found = queries.funnel(world)
    assert found.parse_success == Rate(4, 7)
    assert found.strict_success == Rate(3, 7)
    assert found.validation == Rate(4, 6)
    assert found.execution == Rate(2, 5)


def test_each_try_is_an_execution(world: queries.Queryable) -> None:
    """Four actions were tried in five tries; the denied one never was."""
    found = queries.funnel(world)
    assert (found.decoded, found.runnable, found.execution.count) == (7, 5, 5)
    assert found.taken_back == Rate(0, 2)
    assert found.tries[ExecutionStatus.DENIED] == 1
    assert found.tries[ExecutionStatus.INTERRUPTED] == 1


def test_what_is_only_shown_is_counted_beside_the_rates(tmp_path: Path) -> None:
    """Of three responses outside of the rates, one holds illustrations; one more stands beside an action."""
    action = "<read_file>\n<path>a.txt</path>\n</read_file>"
    texts = [
        f"```\n{action}\n{action}\n```",
        f"> {action.replace(chr(10), '')}\n\n{action}",
        "Done.",
        "`<read_file>`",
    ]
    with al.open_ledger(tmp_path / "shown.duckdb") as ledger:
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work") as runtime:
            for text in texts:
                runtime.handle(text)
        found = queries.funnel(ledger)
        (coder,) = [part for label, part in queries.funnel_by(ledger, "profile") if label == "coder"]
    assert (found.responses, found.intent, found.only_shown, found.illustrations) == (4, 1, 1, 3)
    assert (found.decoded, found.parse_success) == (1, Rate(1, 1))
    assert (coder.only_shown, coder.illustrations) == (1, 3)


def test_what_stands_on_evidence_alone_is_counted_beside_the_rates(tmp_path: Path) -> None:
    """Of three responses that were read, two have an action without its format's marks; calls in sentences are in no rate."""
    call = 'read_file(path="a.txt")'
    texts = [
        call,
        f"I read it:\n\n{call}",
        "<read_file>\n<path>a.txt</path>\n</read_file>",
        f"I could use {call} or {call} for it.",
        "read_file(path=a)",
    ]
    with al.open_ledger(tmp_path / "wild.duckdb") as ledger:
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work") as runtime:
            for text in texts:
                runtime.handle(text)
        before = queries.funnel(ledger)
        again = al.reparse(ledger, parser=al.parser("coder").model_copy(update={"evidence": "read"}))
        found = queries.funnel(ledger, Filter(run_id=again.run_id))
        rows = ledger.sql(
            "SELECT evidence FROM actions WHERE status <> 'illustration' ORDER BY ALL"
        ).fetchall()
    assert (before.by_evidence, before.in_sentences, before.parse_success) == (0, 2, Rate(1, 4))
    assert (found.by_evidence, found.in_sentences, found.parse_success) == (2, 2, Rate(3, 4))
    assert rows == [("last",), ("whole",), (None,), (None,)]


def test_of_a_run_counts_its_readings(world: queries.Queryable) -> None:
    """A re-reading has its own outcomes and actions, and no executions."""
    found = queries.funnel(world, AGAIN_ONLY)
    assert found.parse_success == Rate(3, 4)
    assert found.decoded == 4
    assert found.tries == {}


@pytest.mark.parametrize(
    ("within", "responses", "decoded", "attempted"),
    [
        (Filter(models=("small",)), 4, 3, 4),
        (Filter(profiles=("assistant",)), 2, 1, 1),
        (Filter(tasks=("demo",)), 8, 6, 4),
        (Filter(sources=("jsonl",)), 4, 3, 0),
        (Filter(since=TUESDAY), 4, 3, 0),
        (Filter(until=TUESDAY), 2, 3, 4),
        (Filter(models=("small", "large"), profiles=("coder",), since=MONDAY, until=TUESDAY), 2, 3, 4),
        (Filter(run_id=LIVE, models=("small",)), 4, 3, 4),
        (Filter(models=("'; DROP TABLE turn_starts; --",)), 0, 0, 0),
    ],
)
def test_filter_picks_responses_and_all_that_belongs_to_them(
    world: queries.Queryable, within: Filter, responses: int, decoded: int, attempted: int
) -> None:
    """Actions and executions are those of the responses that the filter picks."""
    found = queries.funnel(world, within)
    assert (found.responses, found.decoded, found.execution.count) == (responses, decoded, attempted)


@pytest.mark.parametrize("dimension", ["profile", "model", "task", "source"])
def test_by_a_dimension_equals_the_filter_on_each_value(
    world: queries.Queryable, dimension: queries.Dimension
) -> None:
    """Splitting and filtering are the same question."""
    for label, found in queries.funnel_by(world, dimension):
        assert found == queries.funnel(world, Filter(**{f"{dimension}s": (label,)}))


def test_by_run_counts_re_readings_too(world: queries.Queryable) -> None:
    """A run's own row is the same as the filter on it, the re-reading among them."""
    found = dict(queries.funnel_by(world, "run"))
    assert set(found) == {LIVE, AGAIN}
    for run_id, funnel in found.items():
        assert funnel == queries.funnel(world, Filter(run_id=run_id))


def test_of_nothing_is_all_zero(empty: queries.Queryable) -> None:
    """An empty ledger has rates without a value, and no error."""
    found = queries.funnel(empty)
    assert (found.responses, found.parse_success.value, found.execution.value) == (0, None, None)
    assert queries.funnel_by(empty, "model") == []


def test_unread_counts_what_a_crash_left(world: queries.Queryable) -> None:
    """A response that was recorded and never read is counted, not passed over."""
    assert queries.unread(world) == 1
    assert queries.unread(world, Filter(models=("small",))) == 0
    assert queries.unread(world, AGAIN_ONLY) == 0


def test_refuses_what_is_no_run_id() -> None:
    """A mistyped run is an error in words, not one of the database."""
    with pytest.raises(UsageError, match="'yesterday' is not a run's id"):
        Filter(run_id="yesterday")


def test_parse_success_alone_is_that_of_the_funnel(world: queries.Queryable) -> None:
    """Whatever is asked for, with its clustering and with the word where there is no rate."""
    for within in (Filter(), Filter(models=("large",)), Filter(profiles=("nobody",)), Filter(since=TUESDAY)):
        alone, of_funnel = parse_success(world, within), queries.funnel(world, within).parse_success
        assert (alone, alone.clustering, alone.refusal) == (
            of_funnel,
            of_funnel.clustering,
            of_funnel.refusal,
        )


@pytest.mark.parametrize(
    "within", [Filter(), AGAIN_ONLY, Filter(models=("nobody",))], ids=["all", "a run", "none"]
)
def test_splits_in_the_same_statements_are_as_each_by_itself(
    world: queries.Queryable, within: Filter
) -> None:
    dimensions: tuple[Dimension, ...] = ("profile", "model", "task")
    whole, splits = funnel_and_splits(world, dimensions, within)
    assert whole == queries.funnel(world, within)
    assert splits == {name: queries.funnel_by(world, name, within) for name in dimensions}


def test_splits_of_nothing_are_none(empty: queries.Queryable) -> None:
    assert funnel_and_splits(empty, ("model",)) == (queries.funnel(empty), {"model": []})
