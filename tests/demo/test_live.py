"""The demo's live sessions: every state that an execution can have, the same each time."""

import re
from pathlib import Path

import pytest

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reversal
from actionledger.demo.live import play
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.funnel import funnel

README = (Path(__file__).parents[2] / "data" / "README.md").read_text(encoding="utf-8")
FAILED = ExecutionStatus.FAILED


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A ledger with all of them."""
    with open_ledger(tmp_path_factory.mktemp("demo") / "demo.duckdb") as ledger:
        assert play(ledger) == 16
        yield ledger


def test_every_state_is_there(played) -> None:
    """But failing, of which the recorded sessions have plenty, and being skipped, which follows from it."""
    counted = funnel(played).tries
    assert set(counted) == set(ExecutionStatus) - {FAILED, ExecutionStatus.SKIPPED}
    for status, count in counted.items():
        assert f"`{status}` {count}" in README
    assert f"Their {sum(counted.values())} executions" in README


def test_what_was_undone_and_decided_is_there(played) -> None:
    """As many of each as the document says."""
    reversals = dict(played.sql("SELECT kind, count(*) FROM reversals GROUP BY kind").fetchall())
    assert reversals == {Reversal.UNDONE: 4, Reversal.REDONE: 2}
    assert funnel(played).taken_back == Rate(2, 28)
    decisions = dict(played.sql("SELECT decision, count(*) FROM approvals GROUP BY decision").fetchall())
    assert decisions == dict.fromkeys([*DecisionKind, None], 2)
    assert played.sql("SELECT count(*) FROM resumptions").fetchone() == (6,)
    assert re.search(r"with 4 undoings and 2 redoings; 8 requests", README)


def test_who_is_killed_is_not_run_again(played) -> None:
    """What came before it is done, the action itself is not begun anew, what follows is."""
    rows = played.sql(
        "SELECT name, status, executions.reason, try_number FROM executions WHERE task = 'killed in between' "
        "AND model = 'heron-70b' ORDER BY action_index"
    ).fetchall()
    assert rows == [
        ("create_file", "succeeded", None, 1),
        ("git_branch", "interrupted", "never_finished", 1),
        ("create_file", "succeeded", None, 1),
    ]


def test_a_second_time_nothing_is_played(played) -> None:
    """The ledger has all of it."""
    before = played.sql("SELECT count(*) FROM events").fetchone()
    assert play(played) == 0
    assert played.sql("SELECT count(*) FROM events").fetchone() == before
