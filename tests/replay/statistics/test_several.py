"""Holm's adjustment, against statsmodels."""

import pytest
from hypothesis import given
from hypothesis.strategies import floats, lists
from statsmodels.stats.multitest import multipletests

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
