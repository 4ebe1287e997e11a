"""Sessions and tasks turned round: the interval that inverts the test, against a test of every difference, and what it covers."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis.strategies import integers, lists, tuples

from actionledger.core.rates import Clustering
from actionledger.replay.statistics import paired_difference, session_test, task_difference, task_test
from actionledger.replay.statistics.paired import Cell, inverted, inverted_by_sums, share_with_zero, spans

TURNS = tuples(integers(0, 5), integers(0, 5), integers(1, 10))
"""What a session's turns lost, won, and had the same."""


def difference(sessions: list[tuple[int, int, int]]) -> tuple[tuple[float, float] | None, float]:
    """Return the interval of a difference over sessions, and the p-value."""
    cells = Counter((lost + won + same, won - lost) for lost, won, same in sessions)
    clustering = Clustering(
        len(sessions),
        sum(count * count * times for (count, _), times in cells.items()),
        sum(score * score * times for (_, score), times in cells.items()),
        sum(score * count * times for (count, score), times in cells.items()),
        cells,
    )
    lost, won, same = (sum(each) for each in zip(*sessions, strict=True))
    p_value = session_test(Counter(won - lost for lost, won, _ in sessions if won != lost))
    return paired_difference(lost, won, lost + won + same, clustering), p_value


def turned(values: list[tuple[int, float]], true: float) -> float:
    """Return the p-value of a true mean difference, every way counted."""
    left = [score - true * count for count, score in values]
    ways = [
        abs(sum(sign * each for sign, each in zip(signs, left, strict=True)))
        for signs in product((1, -1), repeat=len(left))
    ]
    return sum(way >= abs(sum(left)) - 1e-9 for way in ways) / len(ways)


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_holds_the_differences_that_are_not_rejected(seed):
    """Eight sessions in every way, tested at a hundred differences."""
    chance = np.random.default_rng(seed)
    counts = chance.integers(1, 9, 8)
    values = [(int(count), float(chance.integers(-count, count + 1))) for count in counts]
    found = spans([Cell(count, score, 1) for count, score in values])
    assert share_with_zero(found) == pytest.approx(turned(values, 0.0))
    low, high = inverted(found, share_with_zero(found))
    for true in np.linspace(-0.99, 0.99, 100):
        if min(abs(true - low), abs(true - high)) > 1e-6:
            assert (low <= true <= high) is (turned(values, true) >= 0.05)


@settings(max_examples=examples(200))
@given(lists(TURNS, min_size=5, max_size=60))
def test_the_test_and_the_interval_never_contradict_each_other(sessions):
    found, p_value = difference(sessions)
    if found is not None:
        low, high = found
        assert -1 <= low <= high <= 1
        assert (p_value < 0.05) is (not low <= 0 <= high)


@settings(max_examples=examples(100))
@given(lists(tuples(integers(-3, 3), integers(3, 3)), min_size=10, max_size=40))
def test_nor_do_they_over_tasks(shares):
    """The same draws answer both."""
    differences = [difference / of for difference, of in shares]
    low, high = task_difference(differences)
    assert (task_test(differences) < 0.05) is (not low <= 1e-9 or not high >= -1e-9)


@settings(max_examples=examples(20))
@given(lists(TURNS, min_size=8, max_size=30))
def test_swapping_the_readings_mirrors_the_interval(sessions):
    """Won and lost are alike."""
    found, _ = difference(sessions)
    swapped, _ = difference([(won, lost, same) for lost, won, same in sessions])
    assert (found is None) is (swapped is None)
    if found:
        assert swapped == pytest.approx((-found[1], -found[0]))


def test_nothing_that_shifts_is_no_proof_that_nothing_does():
    """Twenty sessions without a difference leave room for one; two hundred for less."""
    (low, high), p_value = difference([(0, 0, 10)] * 20)
    (_, less), _ = difference([(0, 0, 10)] * 200)
    assert p_value == 1
    assert low == -high
    assert 0.005 < less < high < 0.1


def test_gains_alone_are_not_taken_for_all_that_there_is():
    """A parser that only gains, in few sessions: inverting the test alone would hold the truth in a third to four fifths of draws."""
    chance = np.random.default_rng(4)
    held = 0
    for _ in range(100):
        counts = chance.integers(1, 30, 20)
        won = chance.binomial(counts, chance.beta(0.1, 3.2, 20))
        found, _ = difference([(0, int(w), int(n - w)) for n, w in zip(counts, won, strict=True)])
        held += found[0] <= 0.1 / 3.3 <= found[1]
    assert held >= 93


def test_many_kinds_of_sessions_are_summed_up():
    """The normal sum is near what drawing gives."""
    chance = np.random.default_rng(1)
    each = [Cell(int(count), float(chance.integers(0, 5)), 1) for count in chance.integers(5, 400, 450)]
    assert inverted_by_sums(each[:10]) is None
    drawn = inverted(spans(each), 0.001)
    assert inverted_by_sums(each) == pytest.approx(drawn, abs=0.0006)


@pytest.mark.parametrize("tasks", [10, 15])
def test_the_interval_over_few_tasks_covers_what_it_says(tasks):
    """The percentile bootstrap's covered 82 to 86 %."""
    chance = np.random.default_rng(tasks)
    held = 0
    for _ in range(60):
        before, after = (chance.binomial(3, chance.beta(*shape, tasks)) / 3 for shape in ((1.5, 1.5), (2, 1)))
        low, high = task_difference((after - before).tolist())
        held += low <= 2 / 3 - 1 / 2 <= high
    assert held >= 52
