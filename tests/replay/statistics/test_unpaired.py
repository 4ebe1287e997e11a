"""Rates over different turns, Holm's adjustment, the bootstrap, and the same for numbers of one's own."""

from collections import Counter
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis.strategies import floats, integers, lists
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.rates import Clustering, Rate
from actionledger.replay.statistics import (
    holm,
    paired_difference,
    resampled_difference,
    score_test,
    unpaired_difference,
)

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


@given(lists(floats(0, 1), min_size=1, max_size=40))
def test_it_agrees_with_statsmodels(p_values):
    """To the digit, whatever the order and the ties."""
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-15)


def test_one_comparison_is_itself():
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


def test_a_published_example():
    """Four comparisons at 0.01, 0.04, 0.03, 0.005: two hold together."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_what_could_not_have_been_seen_is_not_counted():
    """Twenty groups in one session each take nothing from the one that is in thirty: none of theirs could be below 0.05."""
    assert holm([0.03] + [1.0] * 20, [1e-6] + [1.0] * 20) == [0.03] + [1.0] * 20
    assert holm([0.03, 0.04, 0.2], [0.001, 0.001, 0.06]) == pytest.approx([0.06, 0.06, 0.2])
    # By chance a value is below what so few sessions bear: it stands for no more than that.
    assert holm([0.01, 0.02], [0.001, 0.5]) == [0.01, 0.5]
    with pytest.raises(UsageError, match="2 p-values and 1 least"):
        holm([0.01, 0.02], [0.001])


@given(lists(floats(0, 1), min_size=1, max_size=20))
def test_where_all_can_be_seen_it_is_the_same(p_values):
    """A least value below 0.05 changes nothing."""
    assert holm(p_values, [min(each, 0.01) for each in p_values]) == pytest.approx(holm(p_values))


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


def test_a_rate_of_a_frame_is_the_one_that_the_ledger_counts(tmp_path):
    """Its share, its interval and its sessions, of sessions of several lengths."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        for turns in (1, 2, 3, 4, 2, 1, 3, 2, 4, 1, 2, 3):
            with al.Runtime("mint", ledger=ledger) as runtime:
                for turn in range(turns):
                    runtime.handle("<execute>1</execute>" if turn % 2 else "No.")
        read = ledger.sql("SELECT session_id, outcome FROM parse_attempts").df()
        expected = al.funnel(ledger).parse_success
    found = al.statistics.rate(read.outcome == "clean", by=read.session_id)
    assert (found, found.clustering) == (expected, expected.clustering)
    assert found.interval == expected.interval
    assert found.interval is not None


@pytest.mark.parametrize(
    "hits", [[True, False, True], [1, 0, 1], np.array([True, False, True]), pd.Series([True, False, True])]
)
def test_without_sessions_each_thing_stands_for_itself(hits):
    assert al.statistics.rate(hits) == al.Rate(2, 3)
    assert al.statistics.rate(hits).clustering is None


@pytest.mark.parametrize("hit", [None, float("nan"), pd.NA, "yes", 2, [], {}], ids=repr)
def test_what_says_neither_is_refused(hit):
    """Nobody counts what was not recorded for a no."""
    with pytest.raises(UsageError, match="neither"):
        al.statistics.rate([True, hit])


def test_sessions_of_other_things_are_refused():
    """There has to be one of each."""
    with pytest.raises(UsageError, match="2 things and 1 sessions"):
        al.statistics.rate([True, False], by=["a"])
