"""Holm's adjustment, against statsmodels."""

import pytest
from hypothesis import given
from hypothesis.strategies import floats, lists
from statsmodels.stats.multitest import multipletests

from actionledger.core.errors import UsageError
from actionledger.replay.statistics import holm


@given(lists(floats(0, 1), min_size=1, max_size=40))
def test_it_agrees_with_statsmodels(p_values):
    """To the digit, whatever the order and the ties."""
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-15)


def test_one_comparison_is_itself():
    """And none is none."""
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
