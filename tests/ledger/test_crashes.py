"""Many processes at once, and processes that are killed: nothing acknowledged is lost, nothing is there twice."""

import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pytest
from effort import is_soak
from forked_python import Running

from actionledger.ledger import open_ledger
from actionledger.ledger.storage import spare
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import ingest
from actionledger.ledger.storage.store import Publishing

Start = Callable[[str], Running]


@pytest.fixture
def start(worker, path, forked) -> Iterator[Start]:
    """Starts a job of ``worker.py`` on the ledger; whatever still runs at the end is killed."""
    code = Path(worker).read_text(encoding="utf-8")
    with ExitStack() as running:
        yield lambda job: running.enter_context(forked.begun(code, path.parent, job, path))


def lines_until_killed(process: Running, count: int) -> list[str]:
    """Read some lines, kill without warning, and read what was still said."""
    lines = [process.stdout.readline() for _ in range(count)]
    process.kill()
    lines += process.stdout.readlines()
    assert not process.stderr.read()
    return [line for line in lines if line.endswith("\n")]


def event_ids(path: Path) -> list[str]:
    with open_ledger(path) as ledger:
        return [event_id for (event_id,) in ledger.sql("SELECT event_id::VARCHAR FROM events").fetchall()]


def test_processes_write_and_read_at_once(path, ledger, start) -> None:
    """Two writers and a reader meet no lock; the reader's count never goes down and is complete in the end."""
    reader, writers = start("read"), [start("write_some"), start("write_some")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert [writer.stdout.read() for writer in writers] == ["done\n", "done\n"]
    while (said := reader.stdout.readline()) != "200\n":
        assert said, reader.stderr.read()
    assert len(event_ids(path)) == 200


def test_killed_writers_lose_nothing_that_was_flushed(path, ledger, start) -> None:
    """Whatever a writer acknowledged before it was killed is there once, whole."""
    acknowledged = set()
    for writer in [start("write") for _ in range(3)]:
        for line in lines_until_killed(writer, 20):
            acknowledged.update(line.split())
    found = event_ids(path)
    assert len(found) == len(set(found))
    assert acknowledged <= set(found)
    with open_ledger(path) as again:
        assert {size for (size,) in again.sql("SELECT DISTINCT length(message) FROM events").fetchall()} == {
            2000
        }


def test_killed_ingesters_leave_nothing_inconsistent(path, ledger, start) -> None:
    """An ingester is killed at its work, another one takes over, and each event is taken in once."""
    writer = start("write")
    acknowledged = set(writer.stdout.readline().split())
    for kill_after in (1, 2, 1, 3, 1):
        lines_until_killed(start("ingest"), kill_after)
    for line in lines_until_killed(writer, 1):
        acknowledged.update(line.split())
    found = event_ids(path)
    assert len(found) == len(set(found))
    assert acknowledged <= set(found)
    assert not list(Path(f"{path}.d").glob("tmp-*"))
    with open_ledger(path, read_only=True) as reader:
        assert reader.sql("SELECT count(*) FROM quarantine WHERE reason != 'cut off'").fetchall() == [(0,)]


def die_at(step: int) -> None:
    """Kill this process at its so-manieth touch of a file."""
    touched = 0

    def count(event: str, _args: object) -> None:
        nonlocal touched
        if event in FILE_EVENTS:
            touched += 1
            if touched == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    write = os.pwrite

    def pwrite(*arguments: object) -> int:
        count("open", ())
        return write(*arguments)

    os.pwrite = pwrite


FILE_EVENTS = {
    "open",
    "os.rename",
    "os.link",
    "os.truncate",
    "os.chmod",
    "os.utime",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.scandir",
    "os.listdir",
    "shutil.rmtree",
}


@pytest.mark.scaled
@pytest.mark.parametrize("spared_bytes", [0, 8_000_000], ids=["by turns", "whole"])
def test_killed_at_every_step_of_an_ingest(path, ledger, make, monkeypatch, spared_bytes) -> None:
    """Taking in, copying, renaming, clearing away: whichever file is touched last, nothing is lost or doubled, and anybody can read."""
    monkeypatch.setattr(spare, "SPARED_BYTES", spared_bytes)
    monkeypatch.setattr(spare, "WATCHED_BYTES", spared_bytes)
    files, recorded, seen = LedgerFiles.at(path), [], 0
    for step in itertools.count(1, 1 if is_soak() else 3):
        event = make.note()
        recorded.append(event.event_id)
        ledger.record(event)
        ledger.flush()
        child = os.fork()
        if child == 0:
            die_at(step)
            ingest(files, Publishing.AT_THE_END)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        with duckdb.connect(str(path), read_only=True) as plain:
            count, distinct = plain.execute(
                "SELECT count(*), count(DISTINCT event_id) FROM events"
            ).fetchone()
        assert count == distinct >= seen
        seen = count
        if status == 0:
            break
    assert step > 10
    ledger.ingest()
    assert files.published.read_bytes() == files.store.read_bytes()
    found = [event_id for (event_id,) in ledger.sql("SELECT event_id::VARCHAR FROM events").fetchall()]
    assert sorted(found) == sorted(recorded)
