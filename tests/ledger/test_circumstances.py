"""What a ledger meets in the world: full disks, deleted folders, other people's files, other hosts, other clocks, other versions.

``test_journal.py`` has what a flush meets, ``test_ledger.py`` and ``test_background.py`` forks, ``test_crashes.py`` kills,
``test_opening.py`` links and folders that may not be written to.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger.core.errors import LedgerError, NewerLedgerError
from actionledger.core.events import Event
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.storage import hosts, ingest as ingest_module, spare
from actionledger.ledger.storage.connections import connect_store, published
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.storage.store import Publishing
from actionledger.ledger.upkeep.health import examine

COUNT = "SELECT count(*), count(DISTINCT event_id) FROM events"


def messages(ledger: Ledger) -> list[str]:
    return [message for (message,) in ledger.sql("SELECT message FROM events ORDER BY message").fetchall()]


def plainly(path: Path, query: str) -> list[tuple]:
    """What another tool gets."""
    with closing(duckdb.connect()) as plain:
        plain.execute(f"ATTACH '{path}' AS it (READ_ONLY); USE it")
        return plain.execute(query).fetchall()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only a superuser mounts a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def leave_room(disk: Path, kilobytes: int) -> None:
    """Fill a disk but for so much."""
    (disk / "filler").write_bytes(b"x" * (shutil.disk_usage(disk).free - kilobytes * 1024))


TAKING_IN = r"can't load what was recorded: .*No space left on device\."


def test_a_disk_that_is_full_while_flushing_loses_nothing(small_disk, make) -> None:
    """It is said in a sentence, plain DuckDB reads what was published, and all is there once there is room."""
    path = small_disk / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        ledger.ingest()
        leave_room(small_disk, 20)
        ledger.record(make.note(secrets.token_hex(50_000)))
        with pytest.raises(LedgerError, match=r"can't be written to .*/segments: No space left on device\."):
            ledger.flush()
        assert plainly(path, COUNT) == [(0, 0)]
        (small_disk / "filler").unlink()
        assert ledger.ingest().published
    assert plainly(path, COUNT) == [(1, 1)]


@pytest.mark.parametrize(("is_taken_in", "room"), [(False, 600), (True, 1_000)])
def test_a_disk_that_is_full_while_publishing_loses_nothing(
    small_disk, make, monkeypatch, is_taken_in, room
) -> None:
    path = small_disk / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        for _ in range(30):
            ledger.record(make.note(secrets.token_hex(50_000)))
        ledger.flush()
        if is_taken_in:
            with monkeypatch.context() as early:
                early.setattr(ingest_module, "due_in", lambda *_, **__: 10.0)
                ingest_module.ingest(LedgerFiles.at(path), Publishing.WHEN_DUE)
        leave_room(small_disk, room)
        with pytest.raises(LedgerError, match=TAKING_IN):
            ledger.ingest()
        assert plainly(path, COUNT) == [(0, 0)]
        (small_disk / "filler").unlink()
        assert ledger.ingest().published
        assert ledger.sql(COUNT).fetchall() == [(30, 30)]
    assert plainly(path, COUNT) == [(30, 30)]


def test_a_folder_that_is_deleted_is_said_once_and_made_anew(path, ledger, make) -> None:
    """What was flushed to it and not published is lost, and said to be; what comes is kept, beside all that was published."""
    ledger.record(make.note("published"))
    ledger.ingest()
    ledger.record(make.note("lost"))
    ledger.flush()
    shutil.rmtree(f"{path}.d")
    ledger.record(make.note("kept"))
    with pytest.raises(LedgerError, match="was deleted, by somebody else's hand"):
        ledger.flush()
    ledger.flush()
    assert messages(ledger) == ["kept", "published"]
    assert ledger.ingest().events == 1
    assert plainly(path, "SELECT count(*) FROM events") == [(2,)]
    assert Path(f"{path}.d", "segments").stat().st_mode & 0o777 == 0o700


def test_a_ledger_that_is_deleted_whole_begins_anew(tmp_path, make) -> None:
    """Its writer lives, and what it records from then on is a ledger again."""
    path = tmp_path / "gone" / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        shutil.rmtree(path.parent)
        ledger.record(make.note("kept"))
        ledger.ingest()
        assert messages(ledger) == ["kept"]
    assert plainly(path, "SELECT message FROM events") == [("kept",)]


def test_sessions_begin_after_the_folder_was_deleted(path, ledger) -> None:
    """Their locks lie in it."""
    shutil.rmtree(f"{path}.d")
    with al.Runtime("assistant", ledger=ledger) as runtime:
        runtime.handle("Nothing to do.")
    assert ledger.sql("SELECT outcome FROM parse_attempts").fetchall() == [("no_action",)]


@pytest.mark.parametrize("made", ["a folder", "a pipe", "a link"])
def test_what_is_no_segment_holds_up_nobody(path, ledger, make, made) -> None:
    """It is left where it is; the doctor names it."""
    strange = Path(f"{path}.d", "segments", "a.000000.jsonl")
    {
        "a folder": strange.mkdir,
        "a pipe": lambda: os.mkfifo(strange),
        "a link": lambda: strange.symlink_to("/nowhere"),
    }[made]()
    ledger.record(make.note("kept"))
    with open_ledger(path, read_only=True) as reader:
        ledger.flush()
        assert messages(reader) == ["kept"]
    assert ledger.ingest().events == 1
    assert any(strange.name in finding.sentence for finding in examine(path).findings)
    assert strange.is_symlink() or strange.exists()


def test_a_segment_that_may_not_be_read_holds_up_nobody(path, ledger, make, monkeypatch, caplog) -> None:
    """As another user's; it is said once, and taken in when it may be."""
    ledger.record(make.note("theirs"))
    ledger.flush()
    [theirs] = Path(f"{path}.d", "segments").iterdir()
    usual = Path.open

    def refusing(self: Path, *arguments: object, **named: object) -> object:
        if self.name == theirs.name:
            raise PermissionError(13, "Permission denied")
        return usual(self, *arguments, **named)

    with open_ledger(path, in_background=False) as other, monkeypatch.context() as refused:
        refused.setattr(Path, "open", refusing)
        other.record(make.note("ours"))
        assert messages(other) == ["ours"]
        assert other.ingest().events == 1
        assert [record.getMessage() for record in caplog.records] == [
            f"The segment {theirs} is passed over: Permission denied."
        ]
    assert messages(ledger) == ["ours", "theirs"]


NOTE = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE mine AS SELECT 1 AS n'); print('held', flush=True); sys.stdin.read()"


def test_a_notebook_that_writes_into_the_published_file_keeps_what_it_writes_to_itself(
    path, ledger, make, monkeypatch
) -> None:
    """Until the next publication other tools are locked out; then they read the new copy, and the notebook's table is its own alone."""
    monkeypatch.setattr(spare, "SPARED_BYTES", 0)
    monkeypatch.setattr(spare, "WATCHED_BYTES", 0)
    ledger.record(make.note("first"))
    ledger.ingest()
    with subprocess.Popen(
        [sys.executable, "-c", NOTE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as notebook:
        assert notebook.stdout.readline() == "held\n"
        with pytest.raises(duckdb.IOException, match="Conflicting lock"):
            plainly(path, COUNT)
        for count in (2, 3, 4):
            ledger.record(make.note(str(count)))
            assert ledger.ingest().published
            assert plainly(path, COUNT) == [(count, count)]
        notebook.stdin.close()
    assert notebook.returncode == 0
    for count in (5, 6, 7):
        ledger.record(make.note(str(count)))
        ledger.ingest()
    tables = {name for (name,) in plainly(path, "SELECT table_name FROM duckdb_tables()")}
    assert "events" in tables
    assert "mine" not in tables


LATE_NOTE = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.readline(); c.execute(sys.argv[2]); print('written', flush=True); sys.stdin.read()"


@contextmanager
def written_after_a_publication(ledger: Ledger, event: Event, statements: str) -> Iterator[None]:
    """A notebook has the published file open, another one takes its place, and then the notebook writes."""
    with subprocess.Popen(
        [sys.executable, "-c", LATE_NOTE, ledger.path, statements],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as notebook:
        assert notebook.stdout.readline() == "held\n"
        ledger.record(event)
        assert ledger.ingest().published
        assert plainly(ledger.path, COUNT) == [(1, 1)]
        notebook.stdin.write("\n")
        notebook.stdin.flush()
        assert notebook.stdout.readline() == "written\n"
        yield


def test_a_notebook_that_writes_after_a_publication_locks_nobody_out_for_long(path, ledger, make) -> None:
    """What DuckDB keeps of its writing lies beside the new file by then, and has it refused to all: that is a reason to publish anew."""
    with written_after_a_publication(ledger, make.note(), "CREATE TABLE mine AS SELECT 1 AS n"):
        with pytest.raises(duckdb.IOException, match="WAL"):
            plainly(path, COUNT)
        assert ledger.ingest().published
        assert plainly(path, COUNT) == [(1, 1)]
    assert not ledger.ingest().published


def test_what_a_notebook_writes_after_a_publication_is_none_of_the_ledgers(path, ledger, make) -> None:
    """Though DuckDB takes it for a part of the new file, where the notebook has put its own in order since: not for whoever may not write either."""
    statements = "CREATE TABLE mine AS SELECT 1 AS n; CHECKPOINT; DELETE FROM meta"
    with written_after_a_publication(ledger, make.note(), statements):
        assert plainly(path, "SELECT count(*) FROM meta") == [(0,)]
        for may_write in (True, False):
            with published(LedgerFiles.at(path), may_write=may_write) as connection:
                assert connection.execute("SELECT count(*) FROM base.meta").fetchall() == [(1,)]


@pytest.mark.parametrize("put_there", ["an older copy", "another ledger's"])
def test_what_is_put_in_the_published_files_place_gives_it_back(tmp_path, path, make, put_there) -> None:
    """By an ingest that is asked for, though every segment has gone long since."""
    strange = tmp_path / "strange.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note("first"))
    if put_there == "an older copy":
        shutil.copy(path, strange)
    else:
        open_ledger(strange, in_background=False).close()
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note("second"))
    shutil.copy(strange, path)
    with open_ledger(path, in_background=False) as ledger:
        assert ledger.ingest().published
        assert not ledger.ingest().published
        assert messages(ledger) == ["first", "second"]
    assert plainly(path, COUNT) == [(2, 2)]


def a_text(path: Path) -> None:
    path.write_text("my notes")


def a_database(path: Path) -> None:
    path.unlink()
    with closing(duckdb.connect(str(path))) as theirs:
        theirs.execute("CREATE TABLE mine AS SELECT 1 AS n")


def damaged_pages(path: Path) -> None:
    with path.open("r+b") as file:
        for at in range(spare.HEADER_BYTES, path.stat().st_size, spare.PIECE_BYTES):
            file.seek(at)
            file.write(b"damaged!")


def a_newer_ledger(path: Path) -> None:
    with closing(connect_store(path)) as connection:
        connection.execute("UPDATE meta SET schema_version = ?", [SCHEMA_VERSION + 1])


@pytest.mark.parametrize(
    ("put_there", "said"),
    [
        (a_text, "can't be read: .* 'actionledger doctor' says what is wrong"),
        (damaged_pages, "can't be read: .* 'actionledger doctor' says what is wrong"),
        (a_database, "is a DuckDB database, but no ledger"),
        (a_newer_ledger, "upgrade actionledger"),
    ],
)
def test_what_is_not_ours_in_the_published_files_place_is_kept(path, ledger, make, put_there, said) -> None:
    """Somebody may want it back; all that is recorded is there for when it is moved away."""
    ledger.record(make.note("first"))
    ledger.ingest()
    put_there(path)
    theirs = path.read_bytes()
    ledger.record(make.note("second"))
    for _ in range(2):
        with pytest.raises(LedgerError, match=said):
            ledger.ingest()
        assert path.read_bytes() == theirs
    path.unlink()
    assert ledger.ingest().published
    assert messages(ledger) == ["first", "second"]


def test_a_disk_that_fails_is_said_by_what_failed_first(tmp_path) -> None:
    """And not by what DuckDB has made of it (*The database must be restarted*), which nobody can do."""
    said = 'FATAL Error: Failed: database has been invalidated.\nIt must be restarted.\nOriginal error: "fsync failed!"'
    with (
        pytest.raises(LedgerError, match=r"^It can't be done: fsync failed\.$"),
        one_sentence("It can't be done"),
    ):
        raise duckdb.FatalException(said)


def test_a_published_file_copied_alone_is_left_alone(tmp_path, path, ledger, make) -> None:
    """It lacks nothing, and needs no working file before somebody writes."""
    ledger.record(make.note())
    ledger.ingest()
    alone = Path(shutil.copy(path, tmp_path / "alone.duckdb"))
    with open_ledger(alone, in_background=False) as copied:
        assert not copied.ingest().published
        assert not Path(f"{alone}.d", "store.duckdb").exists()


@pytest.mark.parametrize("hours", [-48, 48])
def test_a_clock_that_is_set_stops_nothing(path, make, monkeypatch, hours) -> None:
    """Back or forth, between two flushes of one writer: what comes is recorded, published and read, in whatever order."""
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note("before"))
        ledger.ingest()
        usual = time.time
        monkeypatch.setattr(time, "time", lambda: usual() + 3600 * hours)
        ledger.record(make.note("after"))
        ledger.flush()
        assert ingest_module.ingest(LedgerFiles.at(path), Publishing.WHEN_DUE).published
        with open_ledger(path, in_background=False) as other:
            other.record(make.note("another's"))
        assert messages(ledger) == ["after", "another's", "before"]
    assert plainly(path, COUNT) == [(3, 3)]


@pytest.fixture
def on_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's folder lies on a network file system."""
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/x / ext4 rw 0 0\nserver:/x {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(hosts, "_MOUNTS", mounts)


@pytest.mark.usefixtures("on_network")
def test_a_second_host_on_a_network_file_system_is_refused(path, make, monkeypatch) -> None:
    """With a word that says which host writes; it reads, and writes once the other one has closed, or gave no sign for a minute."""
    ledger = open_ledger(path, in_background=False)
    ledger.record(make.note("a"))
    ledger.ingest()
    with monkeypatch.context() as there:
        there.setattr(hosts, "_this_host", lambda: "other 2")
        with pytest.raises(
            LedgerError, match=r"network file system .nfs4., and the host .* has written to it"
        ):
            open_ledger(path)
        with open_ledger(path, read_only=True) as reader:
            assert messages(reader) == ["a"]
        sign = Path(f"{path}.d", "host")
        os.utime(sign, times=(time.time() - 61,) * 2)
        with open_ledger(path, in_background=False) as other:
            other.record(make.note("b"))
            other.flush()
            with monkeypatch.context() as here:
                here.setattr(hosts, "_this_host", lambda: "first 1")
                ledger.record(make.note("c"))
                with pytest.raises(LedgerError, match="the host other has written"):
                    ledger.ingest()
        ledger.close()
    with open_ledger(path, in_background=False) as again:
        assert messages(again) == ["a", "b", "c"]
    assert not sign.exists()


def test_on_a_disk_of_its_own_no_host_leaves_a_sign(path, ledger, make) -> None:
    """Nothing is to be refused there, whatever the host is called."""
    ledger.record(make.note("a"))
    ledger.ingest()
    assert not Path(f"{path}.d", "host").exists()


def set_version(path: Path, version: int) -> None:
    """Have a ledger's files be another version's."""
    for file in (Path(f"{path}.d", "store.duckdb"), path):
        with closing(connect_store(file)) as connection:
            connection.execute("UPDATE meta SET schema_version = ?", [version])


def test_an_older_writer_keeps_what_it_records_when_a_newer_toolkit_comes(path, make) -> None:
    """It can neither take in nor read any more, and says so; what it flushes is there for the newer one."""
    ledger = open_ledger(path, in_background=False)
    ledger.record(make.note("before"))
    ledger.ingest()
    set_version(path, SCHEMA_VERSION + 1)
    ledger.record(make.note("after"))
    ledger.flush()
    with pytest.raises(NewerLedgerError, match="upgrade actionledger"):
        ledger.ingest()
    with pytest.raises(NewerLedgerError, match="upgrade actionledger"):
        ledger.sql("FROM events")
    with pytest.raises(NewerLedgerError, match="upgrade actionledger"):
        ledger.close()
    set_version(path, SCHEMA_VERSION)
    with open_ledger(path, in_background=False) as newer:
        assert messages(newer) == ["after", "before"]


@pytest.mark.soak
@pytest.mark.parametrize("sessions", [100_000, 1])
def test_a_hundred_thousand_turns(tmp_path, path, sessions) -> None:
    """Each in a session of its own, or all in one: they are taken in, counted, and found."""
    lines = tmp_path / "lines.jsonl"
    with lines.open("w") as file:
        for number in range(100_000):
            file.write(
                json.dumps({"session": f"s{number % sessions}", "text": f"No action, {number}."}) + "\n"
            )
    with open_ledger(path) as ledger:
        al.import_path(lines, ledger)
        assert ledger.sql("SELECT count(*), count(DISTINCT session_id) FROM turns").fetchall() == [
            (100_000, sessions)
        ]
        [row] = queries.sessions(ledger, limit=1)
        assert queries.session(ledger, row.session_id).turns == 100_000 // sessions
    assert plainly(path, "SELECT count(*) FROM turn_starts") == [(100_000,)]


@pytest.mark.soak
def test_thousands_of_live_sessions_leave_nothing_behind(path) -> None:
    """No lock and no segment."""
    with open_ledger(path) as ledger:
        for number in range(5_000):
            with al.Runtime("assistant", ledger=ledger, task=f"task {number}") as runtime:
                runtime.handle("Nothing to do.")
        assert ledger.sql("SELECT count(*), count(finished_at) FROM sessions").fetchall() == [(5_000, 5_000)]
    for folder in ("sessions", "segments"):
        assert not list(Path(f"{path}.d", folder).iterdir())
