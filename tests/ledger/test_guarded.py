"""A stranger's SQL, over all that was recorded, and nothing beyond it. Every statement: ``tests/cli/test_asking.py``."""

from pathlib import Path

import pytest

from actionledger.errors import LedgerError, UsageError
from actionledger.ledger import open_ledger


def test_what_is_not_taken_in_yet_is_seen(tmp_path):
    """Like any query: what was recorded a moment ago is there."""
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded() as guarded:
        with guarded.ask("SELECT count(*) AS n FROM turns") as answer:
            assert (answer.names, list(answer.rows)) == (("n",), [(0,)])
        with guarded.ask("SELECT [now()] AS x, {'a': now()} AS y") as answer:
            [(times, named)] = answer.rows
            assert times[0].tzinfo is None
            assert named["a"] == times[0]


def test_one_guard_takes_one_question_after_the_other(tmp_path):
    """One that was stopped, or is wrong, spoils none."""
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded(seconds=0.5) as guarded:
        for wrong in (
            "SELECT count(*) FROM range(100000000000) WHERE hash(range) % 7 = 1",
            "SELECT nope",
            "SET x = 1",
            "",
        ):
            with pytest.raises(UsageError), guarded.ask(wrong) as answer:
                list(answer.rows)
            with guarded.ask("SELECT 1") as answer:
                assert list(answer.rows) == [(1,)]


def test_nothing_is_left_of_it(tmp_path):
    """What it spilled to goes with it; closed, it answers no more."""
    with open_ledger(tmp_path / "x.duckdb") as ledger:
        guarded = ledger.guarded()
        folder = guarded._folder
        guarded.close()
    assert not Path(folder).exists()
    with pytest.raises(LedgerError, match="closed"), guarded.ask("SELECT 1"):
        pass
