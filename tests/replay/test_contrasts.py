"""Two sets of responses that share no turns, counted once more by hand."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from scipy.stats import permutation_test

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.replay.statistics import task_difference, task_test, unpaired_difference

GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
BAD = '```actions\n{"actions" [\n```'
FIRST, SECOND = al.Filter(models=("first",)), al.Filter(models=("second",))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Two models' answers to the tasks 0 to 23 and 4 to 27: the first fails on every second one, the other on every sixth."""
    with al.open_ledger(tmp_path_factory.mktemp("models") / "models.duckdb") as opened:
        sessions = [
            *(("first", task, BAD if task % 2 else GOOD) for task in range(24)),
            *(("second", task, BAD if task % 6 == 5 else GOOD) for task in range(4, 28)),
        ]
        turns = (
            (
                al.RecordedSession(
                    f"{model} {task}",
                    "assistant",
                    model,
                    f"task {task}",
                    (al.RecordedTurn(0, text), al.RecordedTurn(1, GOOD)),
                    source="trials",
                )
            )
            for model, task, text in sessions
        )
        al.import_sessions(opened, turns)
        yield opened


def test_each_rate_of_both_sides(ledger):
    """Twelve of 48 responses fail against four of 48, by the session as a unit."""
    found = al.compare(ledger, FIRST, SECOND)
    measure = found.measures[0]
    assert measure.name == "parse_success"
    assert (measure.before, measure.after) == (al.Rate(36, 48), al.Rate(44, 48))
    assert measure.difference == unpaired_difference(measure.before, measure.after, measure.p_value)
    assert measure.difference[0] < 8 / 48 < measure.difference[1]
    assert found.not_auditable == (0, 0)


def test_shared_tasks_pair(ledger):
    """Of the tasks 4 to 23, ten were failed by the first, and three of these by the second; scipy's test agrees."""
    tasks = al.compare(ledger, FIRST, SECOND).tasks
    assert (tasks.tasks, tasks.only_before, tasks.only_after) == (20, 4, 4)
    differences = [((task % 6 != 5) - (task % 2 == 0)) / 2 for task in range(4, 24)]
    assert tasks.mean == pytest.approx(sum(differences) / 20)
    assert tasks.difference == task_difference(differences)
    expected = permutation_test((differences,), sum, permutation_type="samples", n_resamples=100_000)
    assert tasks.p_value == pytest.approx(expected.pvalue, abs=0.01)


def test_many_measures_are_held_against_chance_together(ledger):
    """No p-value is below that of its own test."""
    found = al.compare(ledger, FIRST, SECOND)
    names = [measure.name for measure in found.measures]
    assert names == ["parse_success", "strict_success", "validation"]
    smallest = min(measure.p_value for measure in found.measures if measure.p_value is not None)
    assert found.measures[0].p_value >= smallest


def test_a_response_is_on_one_side(ledger):
    """Both sides the same, or overlapping, is no comparison: it says how many, and what to do."""
    with pytest.raises(UsageError, match="48 responses would stand on both sides"):
        al.compare(ledger, FIRST, al.Filter(models=("first", "second")))
    with pytest.raises(UsageError, match="No recorded response fits model third; "):
        al.compare(ledger, FIRST, al.Filter(models=("third",)))
    with pytest.raises(UsageError, match="Both sides are the same"):
        al.compare(ledger, FIRST, FIRST)


def test_a_side_is_named_as_the_command_names_it(ledger):
    """A run's name, or a filter as it stands in a link; what is neither is named with what there is."""
    found = al.compare(ledger, "model=first&source=trials", "model=second")
    assert (found.measures[0].before, found.measures[0].after) == (al.Rate(36, 48), al.Rate(44, 48))
    link = "http://localhost:8501/turns?model=first&source=trials"
    assert al.compare(ledger, link, "turns?model=second").measures == found.measures
    with pytest.raises(UsageError, match=r"There is no filter 'modle'\. Did you mean 'model'\?"):
        al.compare(ledger, "model=first&modle=x", SECOND)
    with pytest.raises(UsageError, match="Nor is it a filter: those have profile, model, task, "):
        al.compare(ledger, "modle=first", SECOND)


def test_runs_over_the_same_turns_pair(tmp_path):
    """Two readings of the same turns are a comparison turn by turn, within what both sides name."""
    with al.open_ledger(tmp_path / "twice.duckdb") as ledger:
        turns = (al.RecordedTurn(0, GOOD), al.RecordedTurn(1, BAD))
        sessions = [al.RecordedSession(name, "assistant", name, "", turns) for name in ("first", "second")]
        al.import_sessions(ledger, sessions)
        again = al.reparse(ledger, parser="assistant").run_id
        whole = al.compare(ledger, None, again)
        within = al.compare(ledger, FIRST, al.Filter(models=("first",), run_id=again))
        other = al.compare(ledger, FIRST, al.Filter(models=("second",), run_id=again))
    assert isinstance(whole, al.PairedComparison)
    assert whole.counts["same"] == 4
    assert within.counts["same"] == 2
    assert (other.measures[0].before, other.measures[0].after) == (al.Rate(1, 2), al.Rate(1, 2))


def test_times_are_sides_too(ledger):
    """Responses without a time are in neither half."""
    with pytest.raises(UsageError, match="No recorded response fits"):
        al.compare(ledger, al.Filter(until=datetime(2026, 1, 1)), al.Filter(since=datetime(2026, 1, 1)))


def test_what_was_not_auditable_is_counted(tmp_path):
    """Parsed calls alone have no parse rate: the word for it stands there, and how many."""
    with al.open_ledger(tmp_path / "calls.duckdb") as ledger:
        for model, capture in (("first", al.Capture.CALLS), ("second", al.Capture.ARGUMENTS)):
            turn = al.RecordedTurn(0, "", calls=(al.RecordedCall("1", "read", "{}"),), capture=capture)
            al.import_sessions(ledger, [al.RecordedSession(model, None, model, "", (turn,), source="trials")])
        found = al.compare(ledger, FIRST, SECOND)
    assert found.not_auditable == (1, 0)
    assert found.measures[0].before.refusal == "not auditable"
    assert found.measures[0].p_value is None
    assert found.tasks is None


def test_few_tasks_and_no_difference():
    """Nothing that differs is no evidence; nine tasks have no interval."""
    assert task_test([0.0] * 30) == 1
    assert task_test([]) == 1
    assert task_difference([0.5] * 9) is None
    assert task_difference([0.5] * 10) == (0.5, 0.5)
    assert task_test([1.0] * 40) == pytest.approx(1 / 5_000)
