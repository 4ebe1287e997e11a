"""How a ledger is: each fault is planted, found in words, and mended where that is safe."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from actionledger.core.errors import LedgerError
from actionledger.core.events import InputLeftOut, SystemNoted
from actionledger.core.ids import new_id, now
from actionledger.core.processes import STALE_SECONDS, FileLock
from actionledger.core.vocabulary import LeftOutReason
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.connections import STORAGE_VERSION
from actionledger.ledger.storage.files import LedgerFiles, wal_of
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.upkeep.health import Check, Finding, Level, examine, mend
from actionledger.ledger.upkeep.health.examination import CHECKS
from actionledger.ledger.upkeep.health.report import size_words, time_words

FIXTURES = Path(__file__).parents[1] / "fixtures"
WORKER = Path(__file__).parents[1] / "worker.py"
TURN = "SELECT count(*) FROM turns"


@pytest.fixture
def files(path, make) -> LedgerFiles:
    """The files of a closed ledger of one turn."""
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.response())
    return LedgerFiles.at(path)


def found(files: LedgerFiles, check: Check) -> list[Finding]:
    return [finding for finding in examine(files.published).findings if finding.check is check]


def worst(files: LedgerFiles, check: Check) -> Finding:
    """The finding of a check that matters most."""
    order = [Level.FINE, Level.NOTE, Level.FAULT]
    return max(found(files, check), key=lambda finding: order.index(finding.level))


def make_old(path: Path, seconds: float = STALE_SECONDS + 60) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def everything(folder: Path) -> dict[str, tuple[int, int]]:
    """All that lies in a folder, with what changes when it is written."""
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


def test_a_ledger_that_is_well_needs_nobody(files, tmp_path) -> None:
    """Every check says that it is, in the order of the checks; nothing is changed, and mending has nothing to do."""
    before = everything(tmp_path)
    health = examine(files.published)
    assert [finding.check for finding in health.findings] == list(Check)
    assert len(CHECKS) == len(Check)
    assert {finding.level for finding in health.findings} == {Level.FINE}
    assert not health.needs_person
    assert (health.schema_version, health.holders, health.waiting.bytes) == (SCHEMA_VERSION, (), 0)
    assert everything(tmp_path) == before
    assert mend(files.published) == ()
    assert everything(tmp_path) == before


def plant_no_published(files: LedgerFiles) -> None:
    files.published.unlink()


def plant_text(files: LedgerFiles) -> None:
    files.published.write_text("Dear diary")


def plant_damage(files: LedgerFiles) -> None:
    data = bytearray(files.published.read_bytes())
    data[12:8192] = os.urandom(8180)
    files.published.write_bytes(data)


def plant_other_database(files: LedgerFiles) -> None:
    files.published.unlink()
    with duckdb.connect(str(files.published)) as other:
        other.execute("CREATE TABLE x (y INTEGER)")


def plant_wal(files: LedgerFiles) -> None:
    wal_of(files.published).write_bytes(b"")


def plant_older(files: LedgerFiles) -> None:
    files.published.unlink()
    files.store.unlink()
    with duckdb.connect(
        str(files.published), config={"storage_compatibility_version": STORAGE_VERSION}
    ) as old:
        old.execute((FIXTURES / "version_2.sql").read_text(encoding="utf-8"))


def plant_newer(files: LedgerFiles) -> None:
    with duckdb.connect(str(files.published)) as newer:
        newer.execute("UPDATE meta SET schema_version = 99, toolkit_version = '9.9'")


def plant_no_folder(files: LedgerFiles) -> None:
    files.folder.rename(files.folder.with_name("elsewhere"))


def plant_link(files: LedgerFiles) -> None:
    target = files.folder.rename(files.folder.with_name("elsewhere"))
    files.folder.symlink_to(target)


def plant_half_line(files: LedgerFiles) -> None:
    (files.segments / "dead.000000.jsonl").write_bytes(b'{"kind": "response_rec')


def plant_file_for_folder(files: LedgerFiles) -> None:
    files.folder.rename(files.folder.with_name("elsewhere"))
    files.folder.write_text("Dear diary")


def plant_file_for_segments(files: LedgerFiles) -> None:
    files.segments.rmdir()
    files.segments.write_text("Dear diary")


def plant_folder_for_lock(files: LedgerFiles) -> None:
    files.ingest_lock.unlink()
    files.ingest_lock.mkdir()


def plant_folder_for_store(files: LedgerFiles) -> None:
    files.store.unlink()
    files.store.mkdir()


def plant_text_for_store(files: LedgerFiles) -> None:
    files.store.write_text("Dear diary")


@pytest.mark.parametrize(
    ("plant", "check", "level", "said"),
    [
        (plant_no_published, Check.PUBLISHED, Level.FAULT, "the working file still has"),
        (plant_text, Check.PUBLISHED, Level.FAULT, "is not a DuckDB database"),
        (plant_damage, Check.PUBLISHED, Level.FAULT, "DuckDB can't open"),
        (plant_other_database, Check.PUBLISHED, Level.FAULT, "but no ledger"),
        (plant_wal, Check.PUBLISHED, Level.FAULT, "Somebody has written into the published file"),
        (plant_older, Check.VERSIONS, Level.FAULT, "has version 2 of the schema"),
        (
            plant_newer,
            Check.VERSIONS,
            Level.FAULT,
            "has version 99 of the schema, written by actionledger 9.9",
        ),
        (plant_no_folder, Check.FOLDER, Level.NOTE, "the file was copied alone"),
        (plant_link, Check.FOLDER, Level.FAULT, "is a symbolic link"),
        (plant_file_for_folder, Check.FOLDER, Level.FAULT, "is a file, where the ledger has a folder"),
        (plant_file_for_segments, Check.FOLDER, Level.FAULT, "is a file, where the ledger has a folder"),
        (plant_folder_for_lock, Check.FOLDER, Level.FAULT, "is a folder, where the ledger has a file"),
        (plant_folder_for_store, Check.FOLDER, Level.FAULT, "is a folder, where the ledger has a file"),
        (plant_text_for_store, Check.FOLDER, Level.FAULT, "is not a DuckDB database"),
        (plant_half_line, Check.SEGMENTS, Level.NOTE, "ends within a line"),
    ],
)
def test_a_fault_of_a_file_is_found(files, plant, check, level, said) -> None:
    """By the check that is about it, with what to do where a person can do something; looking changes nothing."""
    plant(files)
    before = everything(files.published.parent)
    finding = worst(files, check)
    assert (finding.level, said in finding.sentence) == (level, True), finding
    assert finding.to_do or said == "is a symbolic link"
    assert everything(files.published.parent) == before


@pytest.mark.parametrize(
    "plant",
    [
        *(plant_text, plant_damage, plant_other_database, plant_older, plant_newer, plant_link),
        *(plant_file_for_folder, plant_file_for_segments, plant_folder_for_lock, plant_text_for_store),
    ],
)
def test_what_may_be_somebody_elses_is_not_mended(files, plant) -> None:
    """A file that is none of ours, or of another version, stays as it is, and why is said."""
    plant(files)
    before = everything(files.published.parent)
    with pytest.raises(LedgerError):
        mend(files.published)
    assert everything(files.published.parent) == before


def test_a_published_file_that_is_gone_comes_back(files) -> None:
    """From the working file, with all that it had."""
    plant_no_published(files)
    assert found(files, Check.PUBLISHED)[0].is_mendable
    assert found(files, Check.QUARANTINE)[0].sentence.startswith("Not known")
    assert mend(files.published) == ("Published what the working file holds.",)
    assert not examine(files.published).needs_person
    with open_ledger(files.published, read_only=True) as ledger:
        assert ledger.sql(TURN).fetchone() == (1,)


def test_nothing_is_made_of_nothing(files) -> None:
    """Without the published file and the working file there is none to go by: an empty one would hide that."""
    plant_no_published(files)
    files.store.unlink()
    with pytest.raises(LedgerError, match="take one from a backup"):
        mend(files.published)
    assert not files.published.exists()
    assert "no working file either" in found(files, Check.PUBLISHED)[0].sentence


def test_a_file_in_the_place_of_the_ledger_is_moved_by_a_person(files) -> None:
    """What to do is said, and does it."""
    plant_damage(files)
    assert "move it away" in found(files, Check.PUBLISHED)[0].to_do
    files.published.rename(files.published.with_name("damaged"))
    mend(files.published)
    assert not examine(files.published).needs_person


def test_what_a_killed_writer_has_left_is_taken_in(files, monkeypatch) -> None:
    """Nobody takes it in by itself; it is said for how long it waits, and mending takes it in once."""
    killed = subprocess.run([sys.executable, str(WORKER), "flush_and_die", str(files.published)], check=False)
    assert killed.returncode == -signal.SIGKILL
    later = time.time() + 40
    monkeypatch.setattr(time, "time", lambda: later)
    finding = worst(files, Check.INGEST)
    assert (finding.level, finding.is_mendable) == (Level.FAULT, True)
    assert "no process loads them" in finding.sentence
    assert (
        "the oldest for 40 seconds" in finding.sentence
    )  # by its writer's age: the worker's clock says 4 May
    assert examine(files.published).waiting.segments == 1
    assert mend(files.published) == ("Took 1 event in.", "Published what the working file holds.")
    assert mend(files.published) == ()
    assert not examine(files.published).needs_person
    assert list(files.segments.iterdir()) == []
    with open_ledger(files.published, read_only=True) as ledger:
        assert ledger.sql("SELECT message FROM events WHERE code = 'test'").fetchall() == [("left behind",)]


def test_what_a_killed_import_has_put_into_the_working_file_is_published(files) -> None:
    """No reader sees it before; while the import may go on, that needs nobody."""
    with duckdb.connect(str(files.store)) as store:
        store.execute("INSERT INTO turn_starts (turn_id) VALUES (uuid())")
    files.unpublished.touch()
    make_old(files.unpublished, 40)
    assert worst(files, Check.INGEST).level is Level.FINE
    make_old(files.unpublished)
    finding = worst(files, Check.INGEST)
    assert (finding.level, finding.is_mendable, "no reader sees it" in finding.sentence) == (
        Level.FAULT,
        True,
        True,
    )
    assert mend(files.published) == ("Published what the working file holds.",)
    assert not examine(files.published).needs_person
    with open_ledger(files.published, read_only=True) as ledger:
        assert ledger.sql(TURN).fetchone() == (2,)


def test_what_was_flushed_just_now_is_in_time(files, make) -> None:
    """A live writer is one of those that hold a lock, by its process."""
    with open_ledger(files.published, in_background=False) as ledger:
        ledger.record(make.note(recorded_at=now()))
        ledger.flush()
        health = examine(files.published)
        assert not health.needs_person
        assert health.waiting.live_segments == health.waiting.segments == 1
        assert [(holder.what.split()[0], holder.process) for holder in health.holders] == [
            ("segment", os.getpid())
        ]
        assert "which is in time" in worst(files, Check.INGEST).sentence


@pytest.mark.parametrize(("published", "level"), [(5, Level.NOTE), (600, Level.FAULT)])
def test_more_may_be_written_than_is_taken_in(files, make, published, level, monkeypatch) -> None:
    """As long as it is published as it comes, that needs nobody; where nothing is published any more, it does."""
    with open_ledger(files.published, in_background=False) as ledger:
        ledger.record(make.note())
        ledger.flush()
        make_old(files.published, published - 120)
        later = time.time() + 120
        monkeypatch.setattr(time, "time", lambda: later)
        assert worst(files, Check.INGEST).level is level


def test_a_segment_that_somebody_has_cut_is_named(files, make) -> None:
    """What was taken in of it is safe, and what came behind may not be."""
    with open_ledger(files.published, in_background=False) as ledger:
        ledger.record(make.note())
        ledger.ingest()
        [segment] = files.segments.iterdir()
        os.truncate(segment, 10)
        finding = worst(files, Check.SEGMENTS)
        assert finding.level is Level.FAULT
        assert f"{segment.name} was cut by somebody's hand: it has 10 of" in finding.sentence


def test_a_segment_that_can_not_be_opened_is_named(files) -> None:
    (files.segments / "theirs.000000.jsonl").symlink_to("nowhere")
    (files.segments / "theirs.000001.jsonl").mkdir()
    said = " ".join(finding.sentence for finding in found(files, Check.SEGMENTS))
    assert "theirs.000000.jsonl can't be opened" in said
    assert "theirs.000001.jsonl can't be opened" in said


@pytest.fixture
def holder() -> Iterator[Callable[[Path, str], "subprocess.Popen[str]"]]:
    """Starts processes that hold a lock on a file, as ours are held or as DuckDB's are, until the test ends."""
    started = []

    def hold(path: Path, way: str) -> "subprocess.Popen[str]":
        code = f"import fcntl, sys; f = open({str(path)!r}, 'r+'); fcntl.{way}(f, fcntl.LOCK_EX); print(1, flush=True); sys.stdin.read()"
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "1\n"
        return process

    yield hold
    for process in started:
        process.kill()
        with process:
            pass


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system has no list of locks")
def test_an_ingester_that_was_stopped_is_named(files, holder) -> None:
    """It neither works nor lets go: its process and what to type are said; nothing is mended meanwhile."""
    files.ingest_lock.touch()
    leftover = files.folder / "tmp-left"
    leftover.touch()
    make_old(leftover)
    process = holder(files.ingest_lock, "flock")
    assert f"ingest by process {process.pid}" in worst(files, Check.LOCKS).sentence
    assert worst(files, Check.LOCKS).level is Level.FINE
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    finding = worst(files, Check.LOCKS)
    assert finding.level is Level.FAULT
    assert f"kill -CONT {process.pid}" in finding.to_do
    assert mend(files.published) == (
        "Left over files stay: another process is the ingester, and removes them itself.",
    )
    assert leftover.exists()
    process.send_signal(signal.SIGCONT)


def test_a_held_lock_is_seen_where_the_system_does_not_list_it(files, holder, monkeypatch) -> None:
    """As on macOS, or from another container."""
    monkeypatch.setattr("actionledger.ledger.upkeep.health.facts._LOCKS", Path("/nowhere"))
    files.ingest_lock.touch()
    assert examine(files.published).holders == ()
    holder(files.ingest_lock, "flock")
    assert "ingest by a process that the system doesn't name" in worst(files, Check.LOCKS).sentence


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system has no list of locks")
def test_who_has_opened_the_published_file_for_writing_is_named(files, holder) -> None:
    """DuckDB locks what it writes, and so everybody else out."""
    process = holder(files.published, "lockf")
    finding = worst(files, Check.PUBLISHED)
    assert (finding.level, f"rocess {process.pid}" in finding.sentence) == (Level.FAULT, True)


def test_a_killed_sessions_lock_goes_and_a_live_ones_stays(files) -> None:
    """However old it is; and one that is young may be somebody's in a moment."""
    dead, live, young = (files.sessions / f"{new_id()}.lock" for _ in range(3))
    lock = FileLock(live)
    assert lock.acquire()
    for path in (dead, young):
        path.touch()
    for path in (dead, live):
        make_old(path)
    finding = worst(files, Check.LEFTOVERS)
    assert (finding.level, finding.sentence.startswith("1 lock of")) == (Level.NOTE, True)
    assert mend(files.published) == ("Removed 1 lock that no process holds.",)
    assert sorted(files.sessions.iterdir()) == sorted((live, young))
    lock.release()


def test_a_temporary_file_goes_when_it_is_an_hour_old(files) -> None:
    """One of a moment ago may be a reader's; other files are never touched."""
    old, young, folder, other = (files.folder / name for name in ("tmp-a.duckdb", "tmp-b", "tmp-c", "notes"))
    folder.mkdir()
    for path in (old, young, folder / "x", other):
        path.write_text("x")
    for path in (old, folder, other):
        make_old(path)
    assert "2 temporary files" in worst(files, Check.LEFTOVERS).sentence
    assert mend(files.published) == ("Removed 2 temporary files that no process holds.",)
    assert (old.exists(), young.exists(), folder.exists(), other.exists()) == (False, True, False, True)


@pytest.mark.parametrize(("days", "level"), [(1, Level.FAULT), (8, Level.NOTE)])
def test_lines_that_can_not_be_read_are_counted_by_reason(files, days, level, monkeypatch) -> None:
    """They need a person for a week; a half line of a killed writer never does, since nobody was told that it is safe."""
    monkeypatch.setattr("actionledger.ledger.storage.loading.now", lambda: now() - timedelta(days=days))
    lines = b'{"kind": "from_the_future"}\n[1, 2\n[3, 4\n{"kind": "half'
    (files.segments / "bad.000000.jsonl").write_bytes(lines)
    mend(files.published)
    finding = worst(files, Check.QUARANTINE)
    assert (
        finding.level,
        "4 lines could not be read (bad JSON 2, cut off 1, unknown kind 1)" in finding.sentence,
    ) == (level, True)


def test_a_half_line_alone_needs_nobody(files) -> None:
    """It was never acknowledged."""
    plant_half_line(files)
    assert mend(files.published)[0] == "Took 0 events in, and put 1 line that can't be read into quarantine."
    assert worst(files, Check.QUARANTINE).level is Level.NOTE


def test_a_disk_that_is_full_is_said_before_publishing_fails(files, monkeypatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    finding = worst(files, Check.DISK)
    assert (finding.level, finding.sentence.startswith("1.0 kB are free")) == (Level.FAULT, True)


def test_a_read_only_disk_can_be_read(files, monkeypatch) -> None:
    """It is no fault unless something waits that can't be taken in; nothing is mended there."""
    monkeypatch.setattr(os, "access", lambda _path, mode, **_: not mode & os.W_OK)
    status = list(os.statvfs(files.folder))
    status[8] |= os.ST_RDONLY  # f_flag
    read_only = os.statvfs_result(status)
    monkeypatch.setattr(os, "statvfs", lambda _: read_only)
    assert "its file system is read-only" in worst(files, Check.FOLDER).sentence
    assert worst(files, Check.FOLDER).level is Level.NOTE
    plant_half_line(files)
    assert worst(files, Check.FOLDER).level is Level.FAULT
    with pytest.raises(LedgerError, match="can't be written to"):
        mend(files.published)


def test_a_folder_of_another_user_is_said(files, monkeypatch) -> None:
    """Only the published copy is seen then."""
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert "can't be looked into: it belongs to user" in worst(files, Check.FOLDER).sentence


@pytest.mark.parametrize(("kind", "level"), [("nfs4", Level.FAULT), ("ext4", Level.FINE)])
def test_a_network_file_system_is_said(files, tmp_path, monkeypatch, kind, level) -> None:
    """The mount that lies nearest above the ledger is its own, and a later one at the same place."""
    place = str(files.published.parent)
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"a / nfs rw 0 0\nb {place} nfs rw 0 0\nc {place} {kind} rw 0 0\nd {place}x nfs rw 0 0\n"
    )
    monkeypatch.setattr("actionledger.ledger.storage.hosts._MOUNTS", mounts)
    assert worst(files, Check.FOLDER).level is level


def test_an_extension_that_is_not_built_in_is_named(files, monkeypatch) -> None:
    """As in a distribution's DuckDB."""
    monkeypatch.setattr("actionledger.ledger.upkeep.health.file_checks.NEEDED_EXTENSIONS", ("json", "nosuch"))
    assert "without its nosuch" in worst(files, Check.EXTENSIONS).sentence


def test_what_imports_left_out_is_said(files, make) -> None:
    """As a note: it is in no number, and nobody need do anything."""
    with open_ledger(files.published, in_background=False) as ledger:
        ledger.record(
            InputLeftOut(
                event_id=new_id(),
                recorded_at=now(),
                run_id=new_id(),
                path="f",
                reason=LeftOutReason.EMPTY,
                detail="",
                count=3,
            )
        )
    finding = worst(files, Check.LEFT_OUT)
    assert (finding.level, finding.sentence[:43]) == (
        Level.NOTE,
        "Imports skipped 3 things of 1 file; none of",
    )
    assert "the page Skipped" in finding.to_do, "as the dashboard calls it"


def test_what_imports_refused_is_said(files) -> None:
    """As a note beside what they left out: it was said that no import had left anything out."""
    with open_ledger(files.published, in_background=False) as ledger:
        ledger.record(
            SystemNoted(
                event_id=new_id(),
                recorded_at=now(),
                run_id=new_id(),
                code="line_refused",
                message="f:1: No line.",
            )
        )
    finding = worst(files, Check.LEFT_OUT)
    assert finding.level is Level.NOTE
    assert finding.sentence == "Imports refused 1 line, file or turn."


def test_sizes_are_those_of_the_disk(files) -> None:
    """Counted once more by the system."""
    (files.folder / "effects").mkdir(exist_ok=True)
    (files.folder / "effects" / "x").write_bytes(b"x" * 1234)
    sizes = {size.part: (size.files, size.bytes) for size in examine(files.published).sizes}
    assert sizes["published file"] == (1, files.published.stat().st_size)
    assert sizes["effects"] == (1, 1234)


def test_sizes_and_times_are_words() -> None:
    """In the unit that keeps them short."""
    assert [size_words(count) for count in (0, 999, 1000, 14_200_000, 67_300_000_000, 5 * 10**15)] == [
        "0 bytes", "999 bytes", "1.0 kB", "14.2 MB", "67.3 GB", "5,000.0 TB",
    ]  # fmt: skip
    assert [time_words(seconds) for seconds in (0.12, 59, 150, 7300, 200_000)] == [
        "0.1 seconds", "59 seconds", "2 minutes", "2 hours", "2 days",
    ]  # fmt: skip
