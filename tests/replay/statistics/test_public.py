"""The intervals and tests of reports for numbers of one's own: they are those of the reports."""

import numpy as np
import pandas as pd
import pytest

import actionledger as al
from actionledger.core.errors import UsageError


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
    """Whatever says so of each."""
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
