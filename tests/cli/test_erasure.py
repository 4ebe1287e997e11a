"""`actionledger forget` after one that was cut off: the same command goes on with it, and ends as the first would have."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from actionledger.cli import app
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.forgetting.intent import Intent


@pytest.fixture
def cut_off(tmp_path: Path) -> tuple[Path, str]:
    """A ledger, and a session of which it is written down that it is being forgotten."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path) as ledger:
        for name in ("bad", "worse", "good"):
            ledger.record_turn(name, "One.")
        ledger.flush()
        asked = "SELECT session_id::VARCHAR FROM sessions WHERE external_id = 'bad'"
        [(bad,)] = ledger.sql(asked).fetchall()
        ledger.ingest()
    Intent.of([bad], [], ["bad"], forgotten_by="ann", why="").save(LedgerFiles.at(path))
    return path, bad


@pytest.mark.parametrize("name", ["its name", "its id", "its id's beginning", "nothing"])
def test_the_same_command_again_goes_on_and_succeeds(cut_off, name) -> None:
    """The session is not in the ledger any more: it is no stranger for that."""
    path, bad = cut_off
    called = {"its name": ["bad"], "its id": [bad], "its id's beginning": [bad[:9]], "nothing": []}[name]
    done = CliRunner().invoke(app, ["forget", *called, "--ledger", str(path), "--yes", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["forgotten"]["sessions"] == [bad]


def test_what_is_named_beside_it_is_forgotten_as_well(cut_off) -> None:
    """And what nothing is called is an error, as ever."""
    path, bad = cut_off
    done = CliRunner().invoke(app, ["forget", "bad", "worse", "--ledger", str(path), "--yes"])
    assert done.exit_code == 0, done.output
    with open_ledger(path, read_only=True) as ledger:
        assert ledger.sql("SELECT external_id FROM sessions").fetchall() == [("good",)]
    Intent.of([bad], [], ["bad"], forgotten_by="ann", why="").save(LedgerFiles.at(path))
    done = CliRunner().invoke(app, ["forget", "bad", "nobody", "--ledger", str(path), "--yes"])
    assert "no session 'nobody'" in str(done.exception)
