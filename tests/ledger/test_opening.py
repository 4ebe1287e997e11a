"""Opening a ledger: it works, or one sentence says why not and nothing was written."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from actionledger.core.errors import LedgerError, NewerLedgerError, NotALedgerError
from actionledger.core.ids import new_id
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import working_file
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.upkeep import migrations


def entries(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_new_ledger_is_a_database_from_the_start(tmp_path) -> None:
    """Missing folders are made, and the published copy is there before anything is recorded."""
    path = tmp_path / "a" / "b" / "team.duckdb"
    with open_ledger(str(path)) as ledger:
        assert ledger.path == path
        with duckdb.connect(str(path), read_only=True) as plain:
            assert plain.execute("SELECT count(*) FROM runs").fetchall() == [(0,)]
    folder = Path(f"{path}.d")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert entries(folder) == ["ingest.lock", "segments", "sessions", "store.duckdb"]


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch, make) -> None:
    """A program that changes its folder goes on writing to the same ledger."""
    monkeypatch.chdir(tmp_path)
    with open_ledger("team.duckdb") as ledger:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        ledger.record(make.note())
    assert entries(tmp_path / "elsewhere") == []
    with open_ledger(tmp_path / "team.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(1,)]


@pytest.mark.parametrize("name", ["it's.duckdb", "a [b] *.duckdb", "漢 字.duckdb", "no_suffix"])
def test_any_name_will_do(tmp_path, name, make) -> None:
    """Quotes, patterns and spaces in a path mean nothing but themselves."""
    with open_ledger(tmp_path / name / name) as ledger:
        ledger.record(make.note())
        assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(1,)]


def test_a_link_leads_to_the_ledger_itself(tmp_path, path, ledger) -> None:
    """Publishing replaces the file, not the symbolic link to it."""
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    with open_ledger(link) as other:
        assert other.path == path


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\x00" + b"\x00" * 5000])
@pytest.mark.parametrize("read_only", [True, False])
def test_another_file_is_refused(tmp_path, path, content, read_only) -> None:
    """A file that is no DuckDB database stays as it is."""
    path.write_bytes(content)
    with pytest.raises(NotALedgerError, match="is not a DuckDB database"):
        open_ledger(path, read_only=read_only)
    assert entries(tmp_path) == ["team.duckdb"]
    assert path.read_bytes() == content


def test_another_database_is_refused(tmp_path, path) -> None:
    """A database that something else made stays as it is."""
    with duckdb.connect(str(path)) as plain:
        plain.execute("CREATE TABLE meta (x INTEGER)")
    with pytest.raises(NotALedgerError, match="is a DuckDB database, but no ledger"):
        open_ledger(path)
    assert entries(tmp_path) == ["team.duckdb"]


def test_a_folder_is_refused(tmp_path) -> None:
    """A folder is no file."""
    with pytest.raises(NotALedgerError, match="is a folder"):
        open_ledger(tmp_path)


def test_a_damaged_database_is_one_sentence(path, ledger) -> None:
    """What DuckDB says about a file that is cut short is said in one sentence of ours."""
    ledger.close()
    os.truncate(path, 6000)
    with pytest.raises(LedgerError, match=r"^The ledger .*team\.duckdb can't be opened: IO Error: .*\.$"):
        open_ledger(path)


def test_a_newer_ledger_is_refused(path, ledger) -> None:
    """A ledger of a later version of the schema is neither read nor written."""
    ledger.close()
    with duckdb.connect(str(path)) as plain:
        plain.execute("UPDATE meta SET schema_version = ?", [SCHEMA_VERSION + 1])
    for read_only in (True, False):
        with pytest.raises(NewerLedgerError, match="upgrade actionledger"):
            open_ledger(path, read_only=read_only)


def test_an_older_ledger_is_migrated_when_it_is_opened_for_writing(path, ledger, make, monkeypatch) -> None:
    """The working file is migrated and published; a reader that can't do that says so."""
    ledger.record(make.note())
    ledger.close()

    def add_table(connection) -> None:
        connection.execute("CREATE TABLE later (x INTEGER)")

    later = (*migrations.MIGRATIONS, add_table)
    for module in (working_file, migrations):
        monkeypatch.setattr(module, "SCHEMA_VERSION", len(later))
    monkeypatch.setattr(working_file, "migrate", lambda connection: migrations.migrate(connection, later))
    with pytest.raises(LedgerError, match=r"open it once for writing, as 'actionledger ingest --ledger /"):
        open_ledger(path, read_only=True)
    open_ledger(path)
    with duckdb.connect(str(path), read_only=True) as plain:
        assert plain.execute("SELECT count(*), (SELECT count(*) FROM later) FROM events").fetchone() == (1, 0)


def test_reading_needs_a_ledger(tmp_path, path) -> None:
    """Nothing is made for somebody who only wants to read."""
    with pytest.raises(LedgerError, match="There is no ledger"):
        open_ledger(path, read_only=True)
    assert entries(tmp_path) == []


def test_a_copied_ledger_is_taken_over(tmp_path, path, ledger, make) -> None:
    """Where only the published copy was brought along, it becomes the working file."""
    event = make.note()
    ledger.record(event)
    ledger.close()
    copy = tmp_path / "copy" / "moved.duckdb"
    copy.parent.mkdir()
    shutil.copy(path, copy)
    with open_ledger(copy) as moved:
        moved.record(event)
        moved.record(make.note())
        report = moved.ingest()
        assert (report.events, report.duplicates) == (1, 1)
        assert moved.sql("SELECT count(*) FROM events").fetchall() == [(2,)]


def test_a_lost_published_copy_is_published_again(path, ledger, make) -> None:
    """The working file holds all that the published copy held."""
    ledger.record(make.note())
    ledger.close()
    path.unlink()
    with open_ledger(path) as again:
        assert again.sql("SELECT count(*) FROM events").fetchall() == [(1,)]


def test_a_folder_that_may_not_be_written_to_is_refused_at_once(tmp_path, path, monkeypatch) -> None:
    """Nobody records for an hour to hear it at the end."""
    monkeypatch.setattr(os, "access", lambda folder, _mode: folder != tmp_path)
    with pytest.raises(
        LedgerError, match=f"The folder {tmp_path} can't be written to; .* with read_only=True"
    ):
        open_ledger(path)
    assert entries(tmp_path) == []


def test_whoever_may_not_write_reads(worker, make) -> None:
    """Somebody without rights to folder and segments is refused for writing and sees the published copy."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "team.duckdb"
        with open_ledger(path) as ledger:
            ledger.record(make.note("published"))
        path.chmod(0o644)
        folder.chmod(0o555)
        before = entries(folder)
        done = subprocess.run(
            [sys.executable, worker, "drop_rights", path],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        folder.chmod(0o755)
        assert done.stdout.splitlines() == [
            f"The folder {folder} can't be written to; a ledger there can only be read (in Python with read_only=True).",
            "published",
        ], done.stderr
        assert entries(folder) == before


def test_everything_is_for_its_owner_only(path, make) -> None:
    """Files and folders of a ledger are nobody else's to read; a mode that its owner set on purpose survives."""
    mask = os.umask(0)
    try:
        with open_ledger(path) as ledger:
            ledger.internals.counter()
            ledger.record(make.note("a"))
            ledger.ingest()
            lock = ledger.internals.session_lock(new_id())
            assert lock.acquire()
            found = [path, *Path(f"{path}.d").rglob("*")]
            modes = {each: each.stat().st_mode & 0o777 for each in found}
            lock.release()
        assert {
            each.name: oct(mode)
            for each, mode in modes.items()
            if mode != (0o700 if each.is_dir() else 0o600)
        } == {}
        path.chmod(0o640)
        with open_ledger(path) as ledger:
            ledger.record(make.note("b"))
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "part", ["", "store.duckdb", "segments", "sessions", "effects", "ingest.lock", "rates.json"]
)
def test_a_link_in_place_of_a_part_is_refused(tmp_path, path, part) -> None:
    """What is written to a ledger can't be led elsewhere."""
    folder, elsewhere = Path(f"{path}.d"), tmp_path / "elsewhere"
    if part:
        folder.mkdir()
    (folder / part if part else folder).symlink_to(elsewhere)
    with pytest.raises(LedgerError, match="is a symbolic link"):
        open_ledger(path)
    assert not elsewhere.exists()


def test_a_link_that_leads_to_itself_is_a_sentence(tmp_path) -> None:
    """Python says so by an error of its own, another one before 3.13."""
    path = tmp_path / "loop.duckdb"
    path.symlink_to(path)
    with pytest.raises(LedgerError, match=r"loop\.duckdb"):
        open_ledger(path)
