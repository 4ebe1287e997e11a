"""The hot path: what a flush acknowledged is in a segment, whole and once."""

import errno
import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage import journal
from actionledger.ledger.storage.encoding import Unmasked
from actionledger.ledger.storage.journal import SegmentWriter


@pytest.fixture
def writer(tmp_path):
    opened = SegmentWriter(tmp_path)
    yield opened
    opened.close()


def contents(folder) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("*.jsonl"))]


def event(line: str) -> Unmasked:
    return Unmasked(line.encode(), is_response=False, is_same=True)


def is_locked(path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_flush_writes_what_was_appended(writer, tmp_path) -> None:
    """Lines are in memory until a flush, then in one segment, in order."""
    writer.append(b"1\n")
    writer.append(b"2\n")
    assert contents(tmp_path) == []
    writer.flush()
    writer.append(b"3\n")
    writer.flush()
    writer.flush()
    assert contents(tmp_path) == [b"1\n2\n3\n"]


def test_an_event_is_masked_before_it_is_written(writer, tmp_path) -> None:
    """Events and lines are written in the order in which they came, and no secret reaches the disk."""
    writer.add(event('"password=hunter2"'))
    writer.append(b"2\n")
    writer.add(event("3"))
    assert contents(tmp_path) == []
    writer.flush()
    writer.flush()
    assert contents(tmp_path) == [b'"password=*******"\n2\n3\n']


def test_events_that_fill_the_buffer_are_flushed(writer, tmp_path, monkeypatch) -> None:
    """What waits to be masked counts as what waits to be written."""
    monkeypatch.setattr(journal, "BUFFER_BYTES", 10)
    writer.append(b"1234\n")
    writer.add(event("56"))
    assert contents(tmp_path) == []
    writer.add(event("7"))
    assert contents(tmp_path) == [b"1234\n56\n7\n"]


def test_a_full_buffer_is_flushed(writer, tmp_path, monkeypatch) -> None:
    """Nobody needs to ask for a flush where much is recorded."""
    monkeypatch.setattr(journal, "BUFFER_BYTES", 10)
    writer.append(b"12345678\n")
    assert contents(tmp_path) == []
    writer.append(b"9\n")
    assert contents(tmp_path) == [b"12345678\n9\n"]


def test_a_full_segment_is_closed(writer, tmp_path, monkeypatch) -> None:
    """Beyond its size a segment is let go of, and the next flush begins another one."""
    monkeypatch.setattr(journal, "SEGMENT_BYTES", 10)
    for line in (b"1234567890\n", b"2\n"):
        writer.append(line)
        writer.flush()
    first, second = sorted(tmp_path.glob("*.jsonl"))
    assert contents(tmp_path) == [b"1234567890\n", b"2\n"]
    assert not is_locked(first)
    assert is_locked(second)


def test_a_segment_is_its_writers_own(writer, tmp_path) -> None:
    """It is locked while it may grow, free afterwards, and nobody else may read it."""
    writer.append(b"1\n")
    writer.flush()
    (path,) = tmp_path.glob("*.jsonl")
    assert path.stat().st_mode & 0o777 == 0o600
    assert is_locked(path)
    writer.close()
    assert not is_locked(path)


def test_two_writers_have_two_segments(writer, tmp_path) -> None:
    """Writers never share a file."""
    other = SegmentWriter(tmp_path)
    for each in (writer, other):
        each.append(b"1\n")
        each.flush()
    other.close()
    assert contents(tmp_path) == [b"1\n", b"1\n"]


def test_short_writes_are_continued(writer, tmp_path, monkeypatch) -> None:
    """A write that takes only a few bytes is followed by another one."""
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, data[:3]))
    writer.append(b"1234567890\n")
    writer.flush()
    assert contents(tmp_path) == [b"1234567890\n"]


@pytest.mark.parametrize("can_truncate", [True, False])
def test_a_failed_flush_leaves_nothing_behind(writer, tmp_path, monkeypatch, can_truncate) -> None:
    """Where the disk is full, whole lines stay whole, the buffer is kept, and a later flush writes it."""
    writer.append(b"good\n")
    writer.flush()
    whole = os.write

    def write(descriptor: int, data: memoryview) -> int:
        if len(data) < 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(descriptor, data[:4])

    def refuse(_descriptor: int, _size: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", write)
        if not can_truncate:
            broken.setattr(os, "ftruncate", refuse)
        writer.append(b"123456789\n")
        with pytest.raises(LedgerError, match="No space left on device"):
            writer.flush()
    writer.flush()
    assert contents(tmp_path) == ([b"good\n123456789\n"] if can_truncate else [b"good\n1234", b"123456789\n"])


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: os.truncate(path, 1)])
def test_a_spoiled_segment_is_not_written_to_in_silence(writer, tmp_path, spoil) -> None:
    """Somebody deletes or cuts a segment while its writer lives: the next flush says so, and keeps what is new."""
    writer.append(b"lost\n")
    writer.flush()
    (segment,) = tmp_path.glob("*.jsonl")
    spoil(segment)
    writer.append(b"kept\n")
    with pytest.raises(
        LedgerError, match=r"A segment in .* (was deleted|holds 6 bytes of 10), by somebody else's hand"
    ):
        writer.flush()
    writer.flush()
    assert contents(tmp_path)[-1] == b"kept\n"


def test_a_full_disk_loses_nothing(path, worker) -> None:
    """Under a limit of the system on the size of files a flush fails in one sentence; without it, all is recorded."""
    done = subprocess.run(
        [sys.executable, worker, "fill_disk", path], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.splitlines() == [
        f"What was recorded can't be written to {path}.d/segments: File too large."
    ]
    count = "from actionledger.ledger import open_ledger; import sys; l = open_ledger(sys.argv[1], read_only=True)"
    count += "; print(l.sql('select count(*) from events').fetchall())"
    shown = subprocess.run(
        [sys.executable, "-c", count, path], capture_output=True, text=True, check=True, timeout=300
    )
    assert shown.stdout == "[(2,)]\n"


def test_a_durable_flush_waits_for_the_disk(writer, monkeypatch) -> None:
    """A durable flush syncs what earlier ones wrote, too; a plain one doesn't wait."""
    synced = []
    monkeypatch.setattr(journal, "_sync_content", synced.append)
    writer.append(b"1\n")
    writer.flush()
    assert synced == []
    writer.flush(durable=True)
    assert len(synced) == 1


def test_a_segment_that_was_taken_for_dead_is_not_used(writer, tmp_path, monkeypatch) -> None:
    """Deleted by an ingester before its writer could lock it, a segment is given up for another one."""
    lock, deleted = fcntl.flock, []

    def lock_late(descriptor: int, operation: int) -> None:
        if not deleted:
            deleted.extend(tmp_path.glob("*.jsonl"))
            deleted[0].unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    writer.append(b"1\n")
    writer.flush()
    assert deleted
    assert contents(tmp_path) == [b"1\n"]


def test_threads_share_a_writer(writer, tmp_path, monkeypatch) -> None:
    """Lines of many threads are whole, and each is there once."""
    monkeypatch.setattr(journal, "BUFFER_BYTES", 1000)

    def append(thread: int) -> None:
        for number in range(300):
            writer.append(b"%d %d\n" % (thread, number))
            if number % 50 == 0:
                writer.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(8)))
    writer.flush()
    lines = b"".join(contents(tmp_path)).splitlines()
    assert sorted(lines) == sorted(
        b"%d %d" % (thread, number) for thread in range(8) for number in range(300)
    )


def test_a_forked_child_starts_its_own_segment(writer, tmp_path) -> None:
    """What the parent had buffered is written once, by the parent; parent and child don't touch each other's file."""
    writer.append(b"flushed by parent\n")
    writer.flush()
    writer.append(b"buffered by parent\n")
    writer.add(event("by parent"))
    child = os.fork()
    if child == 0:
        writer.append(b"child\n")
        writer.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    writer.flush()
    assert sorted(contents(tmp_path)) == [b"child\n", b"flushed by parent\nbuffered by parent\nby parent\n"]


def test_a_child_does_not_keep_its_parents_segment_locked(writer, tmp_path) -> None:
    """A segment is free once its writer has let go of it, though a child that was forked meanwhile lives on."""
    writer.append(b"1\n")
    writer.flush()
    (path,) = tmp_path.glob("*.jsonl")
    ready, release = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ready[1], b"x")
        os.read(release[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    writer.close()
    assert not is_locked(path)
    os.write(release[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
