"""The ingester beside a process's work: others see what was flushed without being asked, and no fork meets it half-way."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import duckdb
import pytest

from actionledger.core.processes import POLL_SECONDS, FileLock
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import background, spare
from actionledger.ledger.storage.files import LedgerFiles, wal_of
from actionledger.ledger.storage.local import LocalStore

PATIENCE_SECONDS = 120.0
"""Far more than is promised: a busy machine is no fault."""


@pytest.fixture
def live(path):
    """A ledger that publishes beside other work."""
    with open_ledger(path) as opened:
        yield opened


def published(path) -> list[str]:
    """Ask plain DuckDB in this process, by a name of its own."""
    with duckdb.connect() as plain:
        plain.execute(f"ATTACH '{path}' AS it (READ_ONLY)")
        return [
            message for (message,) in plain.execute("SELECT message FROM it.events ORDER BY 1").fetchall()
        ]


def until(is_so: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def _others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of ledgers that tests before left to the garbage collector are nobody's here."""
    monkeypatch.setattr(threads, "others", _all_threads(), raising=False)


def _all_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "actionledger-ingest"]


def threads() -> list[str]:
    return [each.name for each in _all_threads() if each not in threads.others]


def test_others_see_what_was_flushed_without_being_asked(path, live, make) -> None:
    """Neither closed nor queried: plain DuckDB finds it all the same, again and again."""
    for count in (1, 2, 3):
        live.record(make.note(f"note {count}"))
        live.flush()
        until(lambda: len(published(path)) == count)  # noqa: B023 - asked at once


def test_a_full_buffer_is_a_flush(path, live, make) -> None:
    """What the buffer hands over by itself is published as well."""
    live.record(make.note("x" * 2_000_000))
    until(lambda: len(published(path)) == 1)


def test_what_others_left_behind_is_published(path, live, make, worker) -> None:
    """A writer that was killed before anybody took its segment in is made up for by whoever is there."""
    live.record(make.note("mine"))
    live.flush()
    until(lambda: len(published(path)) == 1)
    subprocess.run([sys.executable, worker, "flush_and_die", path], check=False, timeout=300)
    until(lambda: published(path) == ["left behind", "mine"])


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: wal_of(path).write_bytes(b"of a notebook that had the copy before open"),
        lambda path: path.unlink(),
        lambda path: LedgerFiles.at(path).unpublished.touch(),
    ],
    ids=["written into", "deleted", "of a killed import"],
)
def test_a_published_file_that_somebody_has_spoilt_is_made_anew(path, live, make, harm) -> None:
    """While whoever has the ledger open records nothing."""
    live.record(make.note())
    live.flush()
    until(lambda: len(published(path)) == 1)
    before = path.stat().st_ino
    with path.open("rb"):
        harm(path)
        until(lambda: path.exists() and path.stat().st_ino != before)
        assert len(published(path)) == 1
    until(lambda: not LocalStore(LedgerFiles.at(path)).is_behind())


def test_nothing_starts_before_the_first_flush(path, make) -> None:
    """Whoever only reads, or records nothing, has no thread; closing ends it."""
    with open_ledger(path) as ledger:
        ledger.sql("SELECT 1").fetchall()
        assert not threads()
        ledger.record(make.note())
        ledger.flush()
        assert threads()
    assert not threads()


def test_a_ledger_that_nobody_holds_any_more_ends_its_thread(path, make) -> None:
    """The thread keeps nobody's ledger alive; what it had is published."""
    ledger = open_ledger(path)
    ledger.record(make.note("forgotten"))
    ledger.flush()
    del ledger
    until(lambda: not threads())
    assert published(path) == ["forgotten"]


def test_without_it_only_an_ingest_publishes(path, make) -> None:
    """Whoever asks for no thread gets none."""
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note())
        ledger.flush()
        assert not threads()
        assert published(path) == []


def test_a_fork_meets_no_thread_and_both_sides_go_on(path, live, make) -> None:
    """The thread ends before the fork, the parent's starts again, the child's at its own first flush."""
    live.record(make.note("before"))
    live.flush()
    child = os.fork()
    if child == 0:
        seen = threads()
        live.record(make.note("child"))
        live.flush()
        started = threads()
        live.close()
        os._exit(0 if not seen and started else 1)
    assert threads()
    live.record(make.note("parent"))
    live.flush()
    assert os.waitpid(child, 0)[1] == 0
    until(lambda: published(path) == ["before", "child", "parent"])


def test_a_fork_does_not_wait_for_a_long_copy(path, make, monkeypatch) -> None:
    """A copy that is under way is given up for a fork, and made again."""
    monkeypatch.setattr(spare, "_STOP_BYTES", 1)  # by the byte it would take minutes
    with open_ledger(path) as ledger:
        files = LedgerFiles.at(path)
        ledger.record(make.note("x" * 1_000_000))
        ledger.flush()
        until((files.folder / "tmp-published.duckdb").exists)
        child = os.fork()
        if child == 0:
            os._exit(0 if not threads() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert published(path) == []
        monkeypatch.undo()
    assert len(published(path)) == 1


def test_what_can_not_be_taken_in_is_said_once_and_tried_again(path, live, make, monkeypatch, caplog) -> None:
    """A full disk is one warning, however long it lasts; when there is room again, everything is published."""
    tries = []

    def fail(*_given: object) -> None:
        tries.append(1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(background, "_GATHER_SECONDS", 0.01)
    with monkeypatch.context() as full:
        full.setattr(spare, "copy_whole", fail)
        live.record(make.note("kept"))
        live.flush()
        until(lambda: len(tries) >= 3)
    until(lambda: published(path) == ["kept"])
    (said,) = [record.message for record in caplog.records]
    assert said.endswith("No space left on device. It is kept in segments, and tried again.")


def test_a_program_that_ends_meanwhile_says_nothing(path, live, make, monkeypatch, caplog) -> None:
    """Python clears away what is taken in just then; it is kept in segments, as anything is that nobody has closed."""
    tries = []

    def fail(*_given: object) -> None:
        tries.append(1)
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr(background, "_GATHER_SECONDS", 0.01)
    with monkeypatch.context() as ending:
        ending.setattr(background, "main_thread", threading.Thread)
        ending.setattr(spare, "copy_whole", fail)
        live.record(make.note("kept"))
        live.flush()
        until(lambda: len(tries) >= 2)
    until(lambda: published(path) == ["kept"])
    assert not caplog.records


def test_a_live_writer_gets_its_turn_between_two_of_an_importer(path, live, make) -> None:
    """Not by chance: whoever is the ingester again and again leaves it for a moment that is long enough."""
    files = LedgerFiles.at(path)
    live.record(make.note("first"))
    live.flush()
    until(lambda: len(published(path)) == 1)
    importer = FileLock(files.ingest_lock)
    assert importer.acquire(10)
    live.record(make.note("second"))
    live.flush()
    time.sleep(3)
    for _ in range(100):
        importer.release()
        time.sleep(2 * POLL_SECONDS)
        if not importer.acquire():
            break
        time.sleep(0.5)
    until(lambda: len(published(path)) == 2)
    importer.release()
