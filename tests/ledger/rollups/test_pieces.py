"""A rollup is made in pieces: each session in one of them, each piece from its own links, and what was cut off goes on with the rest."""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pytest
from duckdb import DuckDBPyConnection

from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage import ingest
from actionledger.ledger.storage.connections import store
from actionledger.ledger.storage.files import LedgerFiles, wal_of
from actionledger.ledger.storage.rollups import state, tables, writer
from actionledger.ledger.storage.rollups.state import is_current
from actionledger.ledger.storage.rollups.tables import PICKED, PIECE, pick_changed
from actionledger.ledger.storage.schema import TABLES
from actionledger.ledger.storage.working_file import with_store
from actionledger.ledger.upkeep.rollups import faults_of_rollup

READ = "<execute>1 + 1</execute>"
BROKEN = "<execute>1 + 1"
SESSIONS = 6


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working file of a ledger without a rollup: sessions that were taken in one by one, the first of them with a turn at the end."""
    folder = tmp_path_factory.mktemp("many")
    with open_ledger(folder / "many.duckdb", in_background=False) as opened:
        for number in range(SESSIONS):
            for text in (READ, *[BROKEN] * (number % 2)):
                opened.record_turn(f"{number}", text, profile="mint")
            opened.ingest()
        opened.record_turn("0", BROKEN, profile="mint")
        opened.ingest()
        # Closing it would end all sessions, by one link.
        return Path(shutil.copyfile(opened.path, folder / "copy.duckdb"))


@pytest.fixture
def working(recorded: Path, tmp_path: Path) -> Iterator[DuckDBPyConnection]:
    with store(Path(shutil.copyfile(recorded, tmp_path / "store.duckdb"))) as connection:
        yield connection


@pytest.fixture
def ledger(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """A ledger of which each session is a piece, and worth it."""
    monkeypatch.setattr(tables, "WORTH_BYTES", 0)
    monkeypatch.setattr(writer.roll_up, "__kwdefaults__", writer.roll_up.__kwdefaults__ | {"at_once": 1})
    with open_ledger(
        Path(shutil.copyfile(recorded, tmp_path / "many.duckdb")), in_background=False
    ) as opened:
        yield opened


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions that are counted, in order; nothing is counted of them."""
    sessions: list[str] = []

    def told(connection: DuckDBPyConnection, *, is_new: bool) -> None:
        found = connection.execute(f"SELECT session_id::VARCHAR FROM {PIECE}").fetchall()
        sessions.extend(name for (name,) in found)

    monkeypatch.setattr(writer, "_roll", told)
    return sessions


def test_pieces_follow_the_links(working: DuckDBPyConnection) -> None:
    """Each begins where its sessions began, and has none of the last of the piece before: so much is read, and no more."""
    pieces = pick_changed(working, None, 1)
    assert [piece.number for piece in pieces] == sorted({piece.number for piece in pieces})
    assert [(piece.first, piece.last) for piece in pieces] == [(2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (1, 7)]
    assert [(piece.first, piece.last) for piece in pick_changed(working, None, 10**6)] == [(1, 7)]


def test_pieces_come_to_what_the_rows_say(working: DuckDBPyConnection) -> None:
    writer.roll_up(working, at_once=12)
    assert working.execute("SELECT count(*) FROM rollup_parts").fetchone() == (SESSIONS,)
    assert is_current(working, "store")
    assert faults_of_rollup(working) == []


def test_a_piece_holds_the_rows_of_its_sessions(
    working: DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their own names, while it is counted; all of them are there again after it, also where that fails."""
    seen: list[int] = []

    def told(connection: DuckDBPyConnection, *, is_new: bool) -> None:
        seen.extend(connection.execute("SELECT count(*) FROM parse_attempts").fetchone() or ())
        if len(seen) == SESSIONS:
            raise duckdb.OutOfMemoryException

    monkeypatch.setattr(writer, "_roll", told)
    with pytest.raises(duckdb.OutOfMemoryException):
        writer.roll_up(working, at_once=1)
    assert seen == [2, 1, 2, 1, 2, 2]
    assert working.execute("SELECT count(*) FROM parse_attempts").fetchone() == (sum(seen),)


def test_what_was_cut_off_goes_on_with_the_rest(working: DuckDBPyConnection, counted: list[str]) -> None:
    """Nobody relies on it until it is whole."""
    for step in range(1, SESSIONS):
        writer.roll_up(working, pieces=1, at_once=1)
        assert len(counted) == step
        assert not is_current(working, "store")
    stops = count()
    writer.roll_up(working, is_stopped=lambda: next(stops) == 0, at_once=1)
    assert len(counted) == SESSIONS - 1
    writer.roll_up(working, pieces=1, at_once=1)
    assert len(set(counted)) == len(counted) == SESSIONS
    assert is_current(working, "store")
    writer.roll_up(working)
    assert len(counted) == SESSIONS


def test_what_comes_to_a_session_meanwhile_is_counted_once_more(ledger: Ledger, counted: list[str]) -> None:
    """And no other one; it stands behind those that are left."""
    files = LedgerFiles.at(ledger.path)
    with_store(files, lambda connection: writer.roll_up(connection, pieces=3))
    done = set(counted)
    ledger.record_turn("1", READ, profile="mint")
    ledger.ingest()
    assert ledger.has_rollup
    assert counted[-1] in done
    assert len(counted) == SESSIONS + 1


def test_a_publication_leaves_what_is_too_much_to_the_next(
    ledger: Ledger, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is made while others write, or by the way; what is asked for is made whole."""
    monkeypatch.setattr(ingest, "PIECES", 2)
    for publishing, has_rollup in (
        (ingest.Publishing.UNLESS_OTHERS_WRITE, False),
        (ingest.Publishing.AT_THE_END, True),
    ):
        ledger.record_turn("0", READ, profile="mint")
        ledger.flush()
        files = LedgerFiles.at(ledger.path)
        with monkeypatch.context() as patch:
            patch.setattr(ingest, "has_live_writer", lambda _: False)
            ingest.ingest(files, publishing)
        assert ledger.has_rollup is has_rollup
    assert len(counted) == SESSIONS


def test_what_came_in_is_put_in_order_first(
    ledger: Ledger, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the memory that it takes until then comes to what counting takes."""
    logs: list[int] = []

    def seen(files: LedgerFiles, *given: Any, **named: Any) -> None:
        log = wal_of(files.store)
        logs.append(log.stat().st_size if log.exists() else 0)
        state.keep_rolled_up(files, *given, **named)

    monkeypatch.setattr(ingest, "keep_rolled_up", seen)
    ledger.record_turn("0", READ, profile="mint")
    ledger.ingest()
    assert logs == [0]
    assert len(counted) == SESSIONS


def test_what_is_forgotten_is_in_no_rollup_that_can_not_be_made_whole(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no memory for it, nothing of it stays."""
    with_store(LedgerFiles.at(ledger.path), lambda connection: writer.roll_up(connection, pieces=1))

    def fails(*_: object, **__: object) -> None:
        raise duckdb.OutOfMemoryException

    monkeypatch.setattr(writer, "roll_up", fails)
    ledger.forget(["1"])
    with duckdb.connect(str(ledger.path), read_only=True) as connection:
        assert connection.execute("FROM duckdb_tables() WHERE table_name LIKE 'rollup%'").fetchall() == []


@pytest.mark.soak
def test_what_names_a_session_is_an_event_of_it_or_says_that_it_is_forgotten(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no other table is looked at for what has come to sessions."""
    monkeypatch.setattr(state, "forget_rolled_up", lambda *_: None)
    monkeypatch.setattr(ingest, "keep_rolled_up", lambda *_, **__: None)
    ledger.forget(["3"])
    ledger.ingest()
    named = " UNION ".join(
        f"SELECT session_id FROM {table.name}" for table in TABLES if "session_id" in table.columns
    )
    with store(LedgerFiles.at(ledger.path).store) as connection:
        pick_changed(connection, None)
        others = f"FROM ({named}) WHERE session_id IS NOT NULL EXCEPT SELECT session_id FROM {PICKED}"
        assert connection.execute(others).fetchall() == []
