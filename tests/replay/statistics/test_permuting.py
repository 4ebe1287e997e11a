"""Sessions dealt to two sides anew: against a count of every way, and what the test, the interval and the verdict say together."""

from collections import Counter
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis.strategies import integers, lists, tuples
from steps import steps

import actionledger as al
from actionledger.core.rates import Rate, clustered
from actionledger.replay.statistics import (
    difference_test,
    is_dealt,
    permutation_test,
    permutation_tests,
    score_test,
    smallest_p_value,
    unpaired_difference,
)

SESSION = integers(1, 12).flatmap(lambda count: tuples(integers(0, count), integers(count, count)))
SIDE = lists(SESSION, min_size=2, max_size=40)
Sessions = list[tuple[int, int]]
"""Of each session how many things had the property, and how many it has."""


def cells(sessions: Sessions) -> Counter[tuple[int, int]]:
    return Counter((count, hits) for hits, count in sessions)


def statistic(one: Sessions, other: Sessions) -> float:
    """Return the difference over its standard error, squared, as the paper has it."""
    found = []
    for side in (one, other):
        hits, counts = (np.array(each, float) for each in zip(*side, strict=True))
        share, many = hits.sum() / counts.sum(), len(side)
        found.append((share, many / (many - 1) * ((hits - share * counts) ** 2).sum() / counts.sum() ** 2))
    difference, variance = found[1][0] - found[0][0], found[0][1] + found[1][1]
    if abs(difference) < 1e-12:
        return 0.0
    return difference**2 / variance if variance > 1e-15 else np.inf


@pytest.mark.parametrize("seed", range(6))
def test_a_few_sessions_are_dealt_in_every_way(seed):
    """Four and five of them: 126 ways, counted one by one with no sums kept."""
    chance = np.random.default_rng(seed)
    counts = chance.integers(1, 9, 9)
    every = list(zip(chance.binomial(counts, 0.5).tolist(), counts.tolist(), strict=True))
    seen = statistic(every[:4], every[4:])
    ways = [
        statistic([every[at] for at in chosen], [every[at] for at in range(9) if at not in chosen])
        for chosen in combinations(range(9), 4)
    ]
    expected = sum(way >= seen - 1e-9 for way in ways) / len(ways)
    assert permutation_test(cells(every[:4]), cells(every[4:])) == pytest.approx(expected)


@settings(max_examples=examples(60))
@given(SIDE, SIDE)
def test_the_sides_and_the_outcomes_may_be_swapped(one, other):
    """Neither says anything of how far apart the two are; nor does the order in which sessions were counted."""
    p_value = permutation_test(cells(one), cells(other))
    assert 0 < p_value <= 1
    assert permutation_test(cells(one[::-1]), cells(other)) == p_value
    failing = [[(count - hits, count) for hits, count in side] for side in (one, other)]
    assert permutation_test(*map(cells, failing)) == pytest.approx(
        p_value, abs=0.06
    )  # two draws of some thousand permutations each
    assert permutation_test(cells(other), cells(one)) == p_value


def agrees(difference: tuple[float, float] | None, p_value: float | None) -> bool:
    """Return whether an interval says of 0 what a p-value says."""
    if difference is None or p_value is None:
        return difference is None and p_value is None
    low, high = difference
    return -1 <= low <= high <= 1 and (p_value < 0.05) is (not low <= 0 <= high)


@settings(max_examples=examples(200))
@given(SIDE, SIDE)
def test_the_test_and_the_interval_never_contradict_each_other(one, other):
    """Also where a p-value was adjusted for others; and the interval holds what was seen."""
    before, after = clustered(one), clustered(other)
    p_value = difference_test(before, after)
    found = unpaired_difference(before, after)
    assert agrees(found, p_value)
    if p_value is not None and found is not None:
        change = after.value - before.value
        assert found[0] - 1e-9 <= change <= found[1] + 1e-9
        for times in (2, 5):
            adjusted = min(1.0, times * p_value)
            assert agrees(unpaired_difference(before, after, adjusted), adjusted)


@given(*[integers(1, 300)] * 4)
def test_nor_do_they_where_each_thing_stands_for_itself(first, first_count, second, second_count):
    """Newcombe's interval and the score test differ at the edge of what is more than chance."""
    before = Rate(min(first, first_count), first_count)
    after = Rate(min(second, second_count), second_count)
    assert agrees(unpaired_difference(before, after), score_test(before, after))


def test_the_end_towards_zero_moves_and_the_other_stays():
    """The less sure, the nearer to 0 and beyond it."""
    before, after = Rate(20, 100), Rate(40, 100)
    ends = [unpaired_difference(before, after, p_value) for p_value in (0.001, 0.06, 0.2, 0.6)]
    assert len({high for _, high in ends}) == 1
    assert all(low > other for (low, _), (other, _) in pairwise(ends))
    assert ends[0][0] > 0 > ends[1][0] > -0.01


def test_several_properties_are_dealt_together():
    """Each has the p-value that it has alone, but for the other draws."""
    sizes = [8] * 40
    groups = [dict.fromkeys(range(20), 4), dict.fromkeys(range(0, 40, 2), 1), {}]
    first, second, none = permutation_tests(sizes, 20, groups)
    assert first < 0.001
    assert second == none == 1


def test_a_group_among_many_can_be_found():
    """Of a hundred groups the one that came anew stands after Holm's procedure."""
    chance = np.random.default_rng(2)
    noise = [{int(at): 1 for at in chance.choice(60, 6, replace=False)} for _ in range(99)]
    found = permutation_tests([10] * 60, 30, [dict.fromkeys(range(30, 52), 3), *noise])
    adjusted = al.statistics.holm(found)
    assert adjusted[0] < 0.05
    assert sum(each < 0.05 for each in adjusted[1:]) == 0


def test_many_sessions_take_no_longer():
    """Not dealt from some number on; up to there, the steps are bounded."""
    assert is_dealt(500, 19_500)
    assert not is_dealt(501, 501)
    assert not is_dealt(3, 20_000)
    side = clustered([(1, 2)] * 600 + [(2, 2)] * 200)
    assert difference_test(side, side) == score_test(side, side) == 1
    few, many = (Counter({(2, 1): sessions}) for sessions in (300, 2_000))
    assert steps(lambda: permutation_test(few, many)) < 4_000_000


def test_nothing_on_one_side_is_no_difference():
    """And one session on a side says nothing."""
    assert permutation_test(Counter(), cells([(1, 2)] * 9)) == 1
    assert permutation_test(cells([(2, 2)]), cells([(0, 2)] * 9)) > 0.05


SIZES = {"equal": (20, 20), "unequal": (12, 36)}


@pytest.mark.parametrize("sides", SIZES)
def test_equal_rates_are_seldom_told_apart_and_unequal_ones_often(sides):
    """Of sessions of nineteen turns whose turns are alike by 0.1; a share of 2 % against 2 %, and against 8 %."""
    chance = np.random.default_rng(len(sides))
    found = {}
    for other in (0.02, 0.08):
        rejected = []
        for _ in range(60):
            rates = []
            for share, many in zip((0.02, other), SIZES[sides], strict=True):
                counts = chance.geometric(1 / 19, many)
                hits = chance.binomial(counts, chance.beta(share * 9, (1 - share) * 9, many))
                rates.append(clustered(zip(hits.tolist(), counts.tolist(), strict=True)))
            p_value = difference_test(*rates)
            rejected.append(p_value is not None and p_value < 0.05)
        found[other] = sum(rejected)
    assert found[0.02] <= 8
    assert found[0.08] >= 22


def test_what_the_telling_sessions_bear_is_counted_by_hand():
    """Five of twenty sessions all on one side of ten: 2 · C(15, 5) / C(20, 10); one alone tells nothing."""
    assert smallest_p_value(10, 10, 5) == pytest.approx(2 * comb(15, 5) / comb(20, 10))
    assert smallest_p_value(10, 10, 1) == smallest_p_value(10, 10, 0) == 1.0
    assert smallest_p_value(3, 30, 4) == pytest.approx(comb(29, 3) / comb(33, 3))
    assert smallest_p_value(10, 10, 11) == 0.0
