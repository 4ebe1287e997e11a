"""What is rolled up follows the rows: what is new, what takes another's place, what is forgotten, and what somebody has changed by hand."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from effort import soaked

import actionledger as al
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.rollups import tables, writer
from actionledger.ledger.storage.rollups.tables import PIECE
from actionledger.ledger.upkeep.health import Check, Level, examine, mend, records
from actionledger.ledger.upkeep.rollups import faults_of_rollup

READ = "<execute>1 + 1</execute>"
BROKEN = "<execute>1 + 1"


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ledger is worth a rollup."""
    monkeypatch.setattr(tables, "WORTH_BYTES", 0)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "rolled.duckdb", in_background=False) as opened:
        record(opened, "one", READ, BROKEN)
        record(opened, "two", READ)
        opened.ingest()
        yield opened


def record(ledger: Ledger, session: str, *texts: str) -> None:
    for text in texts:
        ledger.record_turn(session, text, profile="mint")


def kept(ledger: Ledger, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(ledger.path), read_only=True) as connection:
        return connection.execute(query).fetchall()


def faults(ledger: Ledger) -> list[str]:
    with duckdb.connect(str(ledger.path), read_only=True) as connection:
        return faults_of_rollup(connection)


def test_only_what_is_new_is_rolled_up_again(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that has a turn more is counted anew, in the place of what it was; all others stay."""
    counted: list[int] = []
    count = writer.count_parts

    def told(connection: duckdb.DuckDBPyConnection) -> None:
        counted.extend(connection.execute(f"SELECT count(*) FROM {PIECE}").fetchone() or ())
        count(connection)

    monkeypatch.setattr(writer, "count_parts", told)
    record(ledger, "one", READ)
    ledger.ingest()
    assert counted == [1]
    assert faults(ledger) == []
    assert sorted(kept(ledger, "SELECT responses FROM rollup_parts JOIN rollup_kinds USING (kind)")) == [
        (1,),
        (3,),
    ]
    assert ledger.has_rollup
    assert al.funnel(ledger).parse_success.successes == 3


def test_what_is_not_published_yet_counts(ledger: Ledger) -> None:
    """A reader asks the rows of sessions that something has come to since, and finds the rest rolled up."""
    record(ledger, "two", BROKEN)
    record(ledger, "three", READ)
    found = al.funnel(ledger).parse_success
    assert (found.successes, found.count, found.clustering.sessions) == (3, 5, 3)
    assert ledger.has_rollup


def test_a_rollup_of_an_earlier_link_is_not_asked(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it could not be brought up to date, the rows are asked, and the next publication brings it up."""
    with monkeypatch.context() as patch:
        patch.setattr(writer, "roll_up", lambda *_, **__: None)
        record(ledger, "two", BROKEN)
        ledger.ingest()
        assert not ledger.has_rollup
        assert al.funnel(ledger).parse_success.count == 4
    record(ledger, "two", READ)
    ledger.ingest()
    assert ledger.has_rollup
    assert faults(ledger) == []


def test_what_is_forgotten_is_in_no_rollup(ledger: Ledger) -> None:
    """Neither its parts nor a kind that nobody else is of."""
    record(ledger, "odd", BROKEN, BROKEN, BROKEN)
    ledger.ingest()
    assert (3,) in kept(ledger, "SELECT responses FROM rollup_kinds")
    ledger.forget(["odd"])
    assert ledger.has_rollup
    assert (3,) not in kept(ledger, "SELECT responses FROM rollup_kinds")
    assert kept(ledger, "SELECT count(*) FROM rollup_parts") == [(2,)]
    assert kept(ledger, "SELECT count(*) FROM rollup_apart") == [(0,)]
    assert faults(ledger) == []
    assert al.funnel(ledger).parse_success.count == 3


CHANGES = (
    "UPDATE rollup_kinds SET read = read + 1",
    "UPDATE rollup_parts SET model = 'other'",
    "DELETE FROM rollup_parts WHERE session_id = (SELECT min(session_id) FROM rollup_parts)",
    "DELETE FROM rollup_failures",
    "UPDATE rollup_dialects SET dialect = 'other'",
    "INSERT INTO rollup_apart SELECT session_id FROM rollup_parts",
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_rollup_that_was_changed_is_found(tmp_path: Path, change: str) -> None:
    """What verifies a ledger makes its rollup again; a whole one is no fault and no stranger."""
    with open_ledger(tmp_path / "rolled.duckdb", in_background=False) as opened:
        record(opened, "one", READ, BROKEN)
        opened.ingest()
        path = opened.path
    found = verify(path)
    assert (found.faults, found.notes) == ((), ())
    with duckdb.connect(str(path)) as connection:
        connection.execute(change)
    assert [fault.table for fault in verify(path).faults][:1] == ["rollup_parts"]


@pytest.mark.parametrize(
    "change",
    ["DROP TABLE rollup_kinds", "ALTER TABLE rollup_parts DROP COLUMN model", "DELETE FROM rollup_state"],
)
def test_tables_that_somebody_has_changed_are_made_anew(ledger: Ledger, change: str) -> None:
    """Nothing that was recorded waits for them: the rows are asked until the next publication, which makes them again."""
    ledger.close()
    files = LedgerFiles.at(ledger.path)
    for path in (files.store, files.published):
        with duckdb.connect(str(path)) as connection:
            connection.execute(change)
    with open_ledger(ledger.path, in_background=False) as opened:
        assert not opened.has_rollup
        assert al.funnel(opened).parse_success.count == 3
        record(opened, "three", READ)
        opened.ingest()
        assert opened.has_rollup
        assert faults(opened) == []
        assert al.funnel(opened).parse_success.count == 4


def test_what_can_not_be_counted_ahead_is_published(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the rollup is none of the ledger's: it has none then, and its rows are asked."""

    def fails(*_: object, **__: object) -> None:
        raise duckdb.BinderException("no such column")

    monkeypatch.setattr(writer, "roll_up", fails)
    record(ledger, "two", BROKEN)
    assert ledger.ingest().published
    assert not ledger.has_rollup
    assert al.funnel(ledger).parse_success.count == 4


@pytest.mark.parametrize("change", soaked(CHANGES, CHANGES[:1]))
def test_doctor_finds_what_was_changed_and_mends_it(tmp_path: Path, change: str) -> None:
    """Some sessions are counted again, and what every filter could pick; --fix makes the rollup anew of the rows."""
    with open_ledger(tmp_path / "rolled.duckdb", in_background=False) as opened:
        record(opened, "one", READ, BROKEN)
    files = LedgerFiles.at(opened.path)
    assert rolled_up(files) == (Level.FINE, False)
    for path in (files.store, files.published):
        with duckdb.connect(str(path)) as connection:
            connection.execute(change)
    assert rolled_up(files) == (Level.FAULT, True)
    assert any("counted again" in sentence for sentence in mend(files.published))
    assert rolled_up(files) == (Level.FINE, False)
    assert verify(files.published).faults == ()


def test_doctor_sees_sessions_that_it_has_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many responses there are of each model and day is compared for all of them."""
    monkeypatch.setattr(records, "_DRAWN", 0)
    with open_ledger(tmp_path / "rolled.duckdb", in_background=False) as opened:
        record(opened, "one", READ, BROKEN)
    files = LedgerFiles.at(opened.path)
    with duckdb.connect(str(files.published)) as connection:
        connection.execute("UPDATE rollup_parts SET model = 'other'")
    assert rolled_up(files) == (Level.FAULT, True)


def test_doctor_says_that_a_rollup_is_behind(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wrong then, but slow; the next publication counts it, or --fix."""
    with monkeypatch.context() as patch:
        patch.setattr(writer, "roll_up", lambda *_, **__: None)
        record(ledger, "two", BROKEN)
        ledger.close()
    files = LedgerFiles.at(ledger.path)
    assert rolled_up(files) == (Level.NOTE, True)
    mend(files.published)
    assert rolled_up(files) == (Level.FINE, False)


def rolled_up(files: LedgerFiles) -> tuple[Level, bool]:
    """What doctor says of the rollup: how much it matters, and whether --fix mends it."""
    [found] = {each for each in examine(files.published).findings if each.check is Check.ROLLUP}
    return found.level, found.is_mendable


def test_a_small_ledger_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows are asked as fast, and its file has nothing more in it."""
    monkeypatch.undo()
    with open_ledger(tmp_path / "small.duckdb", in_background=False) as opened:
        record(opened, "one", READ)
        opened.ingest()
        assert not opened.has_rollup
        assert kept(opened, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'rollup%'") == [(0,)]
