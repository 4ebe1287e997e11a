"""The bootstrap over sessions, against numpy drawing each session by itself."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest

from actionledger.replay.statistics import paired_difference, resampled_difference


def sessions(seed: int, count: int) -> list[tuple[int, int]]:
    """Return sessions' numbers of turns and their shifts, which lie together."""
    chance = np.random.default_rng(seed)
    sizes = chance.geometric(0.2, count)
    leaning = chance.beta(1, 5, count)
    return [(int(size), int(chance.binomial(size, lean))) for size, lean in zip(sizes, leaning, strict=True)]


@pytest.mark.parametrize("count", [40, 300, 3_000])
def test_it_is_what_drawing_each_session_gives(count):
    """Within what two thousand draws leave open: a tenth of the interval's width."""
    drawn = sessions(count, count)
    low, high = resampled_difference(Counter(drawn))
    sizes, shifts = np.array(drawn).T
    picked = np.random.default_rng(2).integers(0, count, (4_000, count))
    shares = shifts[picked].sum(axis=1) / sizes[picked].sum(axis=1)
    expected_low, expected_high = np.quantile(shares, [0.025, 0.975])
    assert abs(low - expected_low) < (expected_high - expected_low) / 10
    assert abs(high - expected_high) < (expected_high - expected_low) / 10


def test_the_same_seed_gives_the_same():
    """And the order in which the sessions come changes nothing."""
    cells = Counter(sessions(1, 100))
    again = dict(reversed(list(cells.items())))
    assert resampled_difference(cells) == resampled_difference(again)
    assert resampled_difference(cells) != resampled_difference(cells, seed=2)


def test_sessions_of_one_turn_agree_with_the_formula():
    """Where each session has a turn, it comes near the interval of the paired difference."""
    cells = {(1, 1): 60, (1, -1): 20, (1, 0): 920}
    low, high = resampled_difference(cells)
    formula = paired_difference(20, 60, 1_000)
    assert (low, high) == pytest.approx(formula, abs=0.1 * sqrt(80) / 1_000 * 2)


def test_few_sessions_have_no_interval():
    """One giant session beside small ones is hardly more than one."""
    assert resampled_difference({(1, 1): 9}) is None
    assert resampled_difference({(10_000, 10): 1, (1, 0): 30}) is None
    assert resampled_difference({}) is None
    assert resampled_difference({(3, 0): 20}) == (0, 0)
