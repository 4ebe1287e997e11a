"""Two rates over different turns, against statsmodels."""

from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis.strategies import integers
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from actionledger.core.rates import Clustering, Rate
from actionledger.replay.statistics import score_test, unpaired_difference

COUNTS = integers(1, 400)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_interval_agrees_with_statsmodels(first, first_count, second, second_count):
    """Newcombe's, to the digit, where the test says the same of 0."""
    first, second = min(first, first_count), min(second, second_count)
    expected = confint_proportions_2indep(
        second, second_count, first, first_count, method="newcomb", compare="diff"
    )
    of_a_test_that_agrees = 0.5 if expected[0] <= 0 <= expected[1] else 0.01
    given_ends = unpaired_difference(
        Rate(first, first_count), Rate(second, second_count), of_a_test_that_agrees
    )
    assert given_ends == pytest.approx(expected, abs=1e-9)


def test_a_published_interval():
    """Newcombe's table II, contrast (a), method 10: 56/70 - 48/80 is 0.2, from 0.0524 to 0.3339."""
    assert unpaired_difference(Rate(48, 80), Rate(56, 70)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_test_agrees_with_statsmodels(first, first_count, second, second_count):
    """The pooled z test."""
    first, second = min(first, first_count), min(second, second_count)
    assume(0 < first + second < first_count + second_count)
    _, expected = proportions_ztest([first, second], [first_count, second_count])
    assert score_test(Rate(first, first_count), Rate(second, second_count)) == pytest.approx(
        expected, rel=1e-6
    )


def test_sessions_make_it_less_sure():
    """Forty sessions of ten turns that are all alike say what forty turns do, or less."""
    alike = Clustering(sessions=40, sizes=4_000, totals=3_000, products=3_000)
    other = Clustering(sessions=40, sizes=4_000, totals=2_000, products=2_000)
    before, after = Rate(300, 400, alike), Rate(200, 400, other)
    sure, unsure = score_test(Rate(300, 400), Rate(200, 400)), score_test(before, after)
    assert sure is not None
    assert unsure is not None
    assert sure < 1e-6 < score_test(Rate(30, 40), Rate(20, 40)) <= unsure * 1.2
    low, high = unpaired_difference(before, after)
    plain_low, plain_high = unpaired_difference(Rate(300, 400), Rate(200, 400))
    assert high - low > 2 * (plain_high - plain_low)
    assert (plain_high - plain_low) < 4 / sqrt(400)


def test_no_difference_is_no_evidence():
    """Also where all succeeded, or none; and nothing counted gives nothing."""
    assert score_test(Rate(5, 5), Rate(9, 9)) == 1
    assert score_test(Rate(0, 5), Rate(0, 9)) == 1
    assert score_test(Rate(0, 0), Rate(0, 9)) is None
    assert unpaired_difference(Rate(0, 0), Rate(0, 9)) is None
