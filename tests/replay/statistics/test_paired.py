"""The exact McNemar test and the interval of a paired difference, against an independent implementation."""

from fractions import Fraction
from itertools import product
from math import comb
from operator import mul

import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, integers, lists, tuples
from scipy.stats import binomtest
from steps import steps

from actionledger.core.rates import Clustering
from actionledger.replay.statistics import mcnemar, paired_difference, session_test


def exact(only_before: int, only_after: int) -> Fraction:
    """Return the p-value by counting, without rounding."""
    differing, fewer = only_before + only_after, min(only_before, only_after)
    tail = Fraction(sum(comb(differing, k) for k in range(fewer + 1)), 2**differing)
    return min(Fraction(1), 2 * tail)


@pytest.mark.parametrize("only_before", range(13))
@pytest.mark.parametrize("only_after", range(13))
def test_small_counts_are_exact(only_before, only_after):
    """Every pair of small counts gives what counting gives."""
    assert mcnemar(only_before, only_after) == pytest.approx(float(exact(only_before, only_after)), rel=1e-12)


@pytest.mark.parametrize(
    ("only_before", "only_after"),
    [
        (0, 60),
        (1, 1000),
        (3, 40),
        (45, 70),
        (500, 501),
        (499, 501),
        (900, 1100),
        (4_800, 5_200),
        (40_000, 41_000),
    ],
)
def test_it_agrees_with_scipy(only_before, only_after):
    """Larger counts, too, up to the accuracy that anyone prints."""
    expected = binomtest(only_before, only_before + only_after, 0.5).pvalue
    assert mcnemar(only_before, only_after) == pytest.approx(expected, rel=1e-6)


@given(integers(0, 300), integers(0, 300))
def test_it_is_a_probability_and_takes_no_side(only_before, only_after):
    """It lies between 0 and 1, agrees with scipy, and swapping the readings changes nothing."""
    p_value = mcnemar(only_before, only_after)
    assert 0 <= p_value <= 1
    assert p_value == mcnemar(only_after, only_before)
    if only_before + only_after:
        expected = binomtest(only_before, only_before + only_after, 0.5).pvalue
        assert p_value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100, 100_000])
def test_an_even_split_is_no_evidence(count):
    """Where as many turns change one way as the other, or none does, chance explains it all."""
    assert mcnemar(count, count) == 1
    assert mcnemar(count, count + 1) == 1


def test_the_more_uneven_the_less_likely():
    """The p-value falls with every turn that goes one way only."""
    values = [mcnemar(0, count) for count in range(1, 60)]
    assert values == sorted(values, reverse=True)
    assert values[4] > 0.05 > values[5]


def test_huge_counts_take_no_time():
    """A hundred thousand turns each way are a few steps each, and an extreme split ends at 0."""
    assert 0 < mcnemar(99_500, 100_000) < 1
    assert mcnemar(0, 100_000) == pytest.approx(0, abs=1e-300)
    assert steps(lambda: mcnemar(99_500, 100_000)) < 10 * 100_000


@given(integers(0, 10_000), integers(0, 10_000), integers(0, 10_000))
def test_the_interval_holds_the_difference_and_stays_within_its_bounds(only_before, only_after, same):
    """Its ends lie between -1 and 1, in order, and the difference of the adjusted rates between them."""
    pairs = only_before + only_after + same
    low, high = paired_difference(only_before, only_after, pairs)
    assert -1 <= low <= high <= 1
    assert low <= (only_after - only_before) / (pairs + 2) <= high


@given(integers(0, 1000), integers(0, 1000), integers(0, 1000))
def test_swapping_the_readings_mirrors_the_interval(only_before, only_after, same):
    """What was won is lost the other way round."""
    pairs = only_before + only_after + same
    low, high = paired_difference(only_before, only_after, pairs)
    assert paired_difference(only_after, only_before, pairs) == pytest.approx((-high, -low))


@pytest.mark.parametrize(
    ("only_before", "only_after", "pairs", "interval"),
    [
        # 13/106 - 5/106 = 0.07547, and 1.96 * sqrt((18/106 - 0.07547**2) / 106) = 0.07712 to either side
        (4, 12, 104, (-0.00165, 0.15259)),
        # 1/12 - 11/12 = -0.83333, and 1.96 * sqrt((1 - 0.83333**2) / 12) = 0.31275 to either side
        (10, 0, 10, (-1, -0.52058)),
        (0, 10, 10, (0.52058, 1)),
        # 1.96 * sqrt(2 / 10002 / 10002) to either side
        (0, 0, 10_000, (-0.000277, 0.000277)),
        (0, 0, 0, (-1, 1)),
    ],
)
def test_known_intervals(only_before, only_after, pairs, interval):
    """Computed by hand from the formula; nothing compared says nothing at all."""
    assert paired_difference(only_before, only_after, pairs) == pytest.approx(interval, abs=1e-5)


def test_more_turns_make_it_narrower():
    """The same shares over ten times as many turns."""
    widths = []
    for factor in (1, 10, 100):
        low, high = paired_difference(2 * factor, 5 * factor, 50 * factor)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


@given(integers(0, 300), integers(0, 300))
def test_where_sessions_have_one_turn_that_differs_the_sessions_test_is_mcnemars(only_before, only_after):
    """Exactly, but for what nobody would miss."""
    p_value = session_test({-1: only_before, 1: only_after})
    assert p_value == pytest.approx(mcnemar(only_before, only_after), rel=1e-9, abs=1e-15)


@given(dictionaries(integers(-6, 6), integers(1, 3), max_size=4))
def test_the_sessions_test_counts_every_way_they_can_fall(shifts):
    """Each session as it is or the other way round, all ways alike: counted one by one."""
    each = [shift for shift, sessions in shifts.items() for _ in range(sessions)]
    ways = [
        abs(sum(sign * shift for sign, shift in zip(signs, each, strict=True)))
        for signs in product((1, -1), repeat=len(each))
    ]
    expected = sum(way >= abs(sum(each)) for way in ways) / len(ways)
    assert session_test(shifts) == pytest.approx(expected, rel=1e-9)


def test_turns_of_one_session_are_less_evidence_than_turns_of_many():
    """Twenty turns lost in one session may be one slip; lost in twenty sessions they are not."""
    assert session_test({-20: 1}) == 1
    assert session_test({-5: 4}) == 0.125
    assert session_test({-1: 20}) < 0.001


def test_many_sessions_take_no_time_and_never_give_nothing():
    """Where not all ways are counted the normal approximation comes close to them."""
    assert session_test({1: 2_500, -1: 2_400}) == pytest.approx(session_test({1: 2_600, -1: 2_499}), abs=0.01)
    assert session_test({1: 2_600, -1: 2_499}) == pytest.approx(mcnemar(2_499, 2_600), rel=0.01)
    assert 0 < session_test({1: 100_000}) < 1e-15


def test_the_interval_of_the_difference_is_wider_where_turns_cluster():
    """Ten turns a session that all go one way say as little as ten times fewer turns."""
    alone = paired_difference(10, 30, 400, Clustering(400, 400, 40, 20))
    assert alone == pytest.approx(paired_difference(10, 30, 400))
    together = paired_difference(10, 30, 400, Clustering(40, 4_000, 400, 200))
    fewer = paired_difference(1, 3, 40)
    assert alone[0] > 0 > together[0]
    assert together[1] - together[0] == pytest.approx(fewer[1] - fewer[0], rel=0.15)
    assert paired_difference(10, 30, 400, Clustering(4, 40_000, 400, 200)) is None
    assert paired_difference(0, 0, 0, Clustering(0, 0, 0, 0)) is None


@given(lists(tuples(integers(0, 5), integers(0, 5), integers(1, 10)), min_size=8, max_size=30))
def test_swapping_the_readings_mirrors_the_interval_over_sessions(sessions):
    """Won and lost are alike, however they fall into sessions: no side is taken by what few sessions leave unknown."""
    sizes = [before + after + same for before, after, same in sessions]
    scores = [after - before for before, after, _ in sessions]
    lost, won = (sum(each) for each in list(zip(*sessions, strict=True))[:2])
    totals, squared = sum(score * score for score in scores), sum(size * size for size in sizes)
    products = sum(map(mul, sizes, scores))
    interval = paired_difference(lost, won, sum(sizes), Clustering(len(sizes), squared, totals, products))
    swapped = paired_difference(won, lost, sum(sizes), Clustering(len(sizes), squared, totals, -products))
    assert (interval is None) is (swapped is None)
    if interval:
        assert swapped == pytest.approx((-interval[1], -interval[0]))


@pytest.mark.parametrize("odd", [0, 1])
def test_many_sessions_that_split_evenly_are_no_evidence(odd):
    """Where not all ways are counted, no sum is nearer to 0 than these."""
    assert session_test({1: 5_000 + odd, -1: 5_000}) == 1
