"""Where parse success changed, and two sets of responses that share no turns."""

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from scipy.stats import permutation_test

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.trend import arrivals
from actionledger.replay.statistics import task_difference, task_test, unpaired_difference

GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
BAD = '```actions\n{"actions" [\n```'
MONDAY = datetime(2026, 3, 2, 9)


def sessions() -> Iterator[al.RecordedSession]:
    """Ten days of 20 sessions: half fail, from the sixth day on a tenth; a new model from there, a new source on the eighth."""
    for day in range(10):
        for nth in range(20):
            share = 2 if day < 5 else 10
            at = MONDAY + timedelta(days=day, minutes=nth)
            turn = al.RecordedTurn(0, BAD if nth % share == 0 else GOOD, occurred_at=at)
            model = "small" if day < 5 else "large"
            source = "trials" if day < 7 else "field"
            yield al.RecordedSession(f"{day}.{nth}", "assistant", model, "", (turn,), source=source)
    yield al.RecordedSession("undated", "assistant", "never", "", (al.RecordedTurn(0, BAD),), source="trials")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with al.open_ledger(tmp_path_factory.mktemp("days") / "days.duckdb") as opened:
        al.import_sessions(opened, sessions())
        yield opened


def test_a_change_is_named(ledger):
    """One, on the sixth day, with the model that was new that day and not the source of two days later."""
    [change] = al.changes(ledger)
    assert change.start == datetime(2026, 3, 7)
    assert (change.before, change.after) == (al.Rate(50, 100), al.Rate(90, 100))
    assert change.p_value < 0.001
    low, high = change.difference
    assert 0.2 < low < 0.4 < high < 0.6
    assert [(each.what, each.label, each.responses) for each in change.new] == [("model", "large", 100)]


def test_by_week_and_within_a_filter(ledger):
    """Both weeks are told apart; of one model alone nothing changes."""
    [change] = al.changes(ledger, unit="week")
    assert change.start == datetime(2026, 3, 9)
    assert al.changes(ledger, al.Filter(models=("large",))) == ()


def test_what_was_new_when(ledger):
    """Each by its first response; the undated model was never seen to come."""
    found = {(each.what, each.label): each.first_at for each in arrivals(ledger)}
    assert found["model", "small"] == MONDAY
    assert found["model", "large"] == MONDAY + timedelta(days=5)
    assert found["source", "field"] == MONDAY + timedelta(days=7)
    assert ("model", "never") not in found
    assert {what for what, _ in found} == {"model", "profile", "parser", "source"}


def test_other_instructions_are_new(tmp_path):
    """Where sessions were recorded with them, by the beginning of their hash; the same ones again are not."""
    told = {0: "Be brief.", 1: "Be brief.", 2: "Be thorough.", 3: None}
    items = [
        al.RecordedSession(
            f"s{day}",
            "assistant",
            "m",
            "",
            (al.RecordedTurn(0, GOOD, occurred_at=MONDAY + timedelta(days=day)),),
            metadata={"system": system} if system else {},
        )
        for day, system in told.items()
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, items)
        found = [
            (each.label, each.first_at, each.responses) for each in arrivals(ledger) if each.what == "prompt"
        ]
    hashes = [
        hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:12]
        for text in ("Be brief.", "Be thorough.")
    ]
    assert found == [(hashes[0], MONDAY, 2), (hashes[1], MONDAY + timedelta(days=2), 1)]


FIRST, SECOND = al.Filter(models=("first",)), al.Filter(models=("second",))


@pytest.fixture(scope="module")
def contrasts_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
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


def test_each_rate_of_both_sides(contrasts_ledger):
    """Twelve of 48 responses fail against four of 48, by the session as a unit."""
    found = al.compare(contrasts_ledger, FIRST, SECOND)
    measure = found.measures[0]
    assert measure.name == "parse_success"
    assert (measure.before, measure.after) == (al.Rate(36, 48), al.Rate(44, 48))
    assert measure.difference == unpaired_difference(measure.before, measure.after, measure.p_value)
    assert measure.difference[0] < 8 / 48 < measure.difference[1]
    assert found.not_auditable == (0, 0)


def test_shared_tasks_pair(contrasts_ledger):
    """Of the tasks 4 to 23, ten were failed by the first, and three of these by the second; scipy's test agrees."""
    tasks = al.compare(contrasts_ledger, FIRST, SECOND).tasks
    assert (tasks.tasks, tasks.only_before, tasks.only_after) == (20, 4, 4)
    differences = [((task % 6 != 5) - (task % 2 == 0)) / 2 for task in range(4, 24)]
    assert tasks.mean == pytest.approx(sum(differences) / 20)
    assert tasks.difference == task_difference(differences)
    expected = permutation_test((differences,), sum, permutation_type="samples", n_resamples=100_000)
    assert tasks.p_value == pytest.approx(expected.pvalue, abs=0.01)


def test_many_measures_are_held_against_chance_together(contrasts_ledger):
    """No p-value is below that of its own test."""
    found = al.compare(contrasts_ledger, FIRST, SECOND)
    names = [measure.name for measure in found.measures]
    assert names == ["parse_success", "strict_success", "validation"]
    smallest = min(measure.p_value for measure in found.measures if measure.p_value is not None)
    assert found.measures[0].p_value >= smallest


def test_a_response_is_on_one_side(contrasts_ledger):
    """Both sides the same, or overlapping, is no comparison: it says how many, and what to do."""
    with pytest.raises(UsageError, match="48 responses would stand on both sides"):
        al.compare(contrasts_ledger, FIRST, al.Filter(models=("first", "second")))
    with pytest.raises(UsageError, match="No recorded response fits model third; "):
        al.compare(contrasts_ledger, FIRST, al.Filter(models=("third",)))
    with pytest.raises(UsageError, match="Both sides are the same"):
        al.compare(contrasts_ledger, FIRST, FIRST)


def test_a_side_is_named_as_the_command_names_it(contrasts_ledger):
    """A run's name, or a filter as it stands in a link; what is neither is named with what there is."""
    found = al.compare(contrasts_ledger, "model=first&source=trials", "model=second")
    assert (found.measures[0].before, found.measures[0].after) == (al.Rate(36, 48), al.Rate(44, 48))
    link = "http://localhost:8501/turns?model=first&source=trials"
    assert al.compare(contrasts_ledger, link, "turns?model=second").measures == found.measures
    with pytest.raises(UsageError, match=r"There is no filter 'modle'\. Did you mean 'model'\?"):
        al.compare(contrasts_ledger, "model=first&modle=x", SECOND)
    with pytest.raises(UsageError, match="Nor is it a filter: those have profile, model, task, "):
        al.compare(contrasts_ledger, "modle=first", SECOND)


def test_runs_over_the_same_turns_pair(tmp_path):
    """Two readings of the same turns are a comparison turn by turn, within what both sides name."""
    with al.open_ledger(tmp_path / "twice.duckdb") as contrasts_ledger:
        turns = (al.RecordedTurn(0, GOOD), al.RecordedTurn(1, BAD))
        sessions = [al.RecordedSession(name, "assistant", name, "", turns) for name in ("first", "second")]
        al.import_sessions(contrasts_ledger, sessions)
        again = al.reparse(contrasts_ledger, parser="assistant").run_id
        whole = al.compare(contrasts_ledger, None, again)
        within = al.compare(contrasts_ledger, FIRST, al.Filter(models=("first",), run_id=again))
        other = al.compare(contrasts_ledger, FIRST, al.Filter(models=("second",), run_id=again))
    assert isinstance(whole, al.PairedComparison)
    assert whole.counts["same"] == 4
    assert within.counts["same"] == 2
    assert (other.measures[0].before, other.measures[0].after) == (al.Rate(1, 2), al.Rate(1, 2))


def test_times_are_sides_too(contrasts_ledger):
    """Responses without a time are in neither half."""
    with pytest.raises(UsageError, match="No recorded response fits"):
        al.compare(
            contrasts_ledger, al.Filter(until=datetime(2026, 1, 1)), al.Filter(since=datetime(2026, 1, 1))
        )


def test_what_was_not_auditable_is_counted(tmp_path):
    """Parsed calls alone have no parse rate: the word for it stands there, and how many."""
    with al.open_ledger(tmp_path / "calls.duckdb") as contrasts_ledger:
        for model, capture in (("first", al.Capture.CALLS), ("second", al.Capture.ARGUMENTS)):
            turn = al.RecordedTurn(0, "", calls=(al.RecordedCall("1", "read", "{}"),), capture=capture)
            al.import_sessions(
                contrasts_ledger, [al.RecordedSession(model, None, model, "", (turn,), source="trials")]
            )
        found = al.compare(contrasts_ledger, FIRST, SECOND)
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
