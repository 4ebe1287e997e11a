"""When a new copy is worth its cost, and how it takes the old one's place."""

import errno
import itertools
import os
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import duckdb
import pytest
from effort import is_soak

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage import ingest as ingest_module, publishing, spare
from actionledger.ledger.storage.files import LedgerFiles, wal_of
from actionledger.ledger.storage.publishing import StoppedError, due_in, publish
from actionledger.ledger.storage.schema import SCHEMA_VERSION


@pytest.fixture
def files(tmp_path) -> LedgerFiles:
    """A ledger's files with content of no meaning."""
    made = LedgerFiles.at(tmp_path / "x.duckdb")
    made.make_folders()
    made.store.write_bytes(b"new")
    made.published.write_bytes(b"old")
    made.ingest_lock.touch()
    return made


def set_size(files: LedgerFiles, size: int) -> None:
    os.truncate(files.store, size)


def set_age(files: LedgerFiles, seconds: float) -> None:
    os.utime(files.ingest_lock, times=(time.time() - seconds,) * 2)


@pytest.mark.parametrize(
    ("size", "age", "expected"),
    [
        (1_000, 0, 1.0),
        (1_000, 0.4, 0.6),
        (1_000, 1.1, 0.0),
        (63_000_000, 0, 1.0),
        (499_000_000, 0, 25.0),
        (600_000_000, 10, 21.0),
        (600_000_000, 31.5, 0.0),
        (600_000_000, -3600, 0.0),
    ],
)
def test_how_long_a_copy_may_wait(files, monkeypatch, size, age, expected) -> None:
    """A small ledger is copied every second, a middling one twice a minute, a large one a twentieth of the time."""
    set_size(files, size)
    set_age(files, age)
    now = files.ingest_lock.stat().st_mtime + age
    monkeypatch.setattr(publishing.time, "time", lambda: now)
    assert due_in(files) == pytest.approx(expected, abs=0.001)


def test_whoever_touches_the_copy_does_not_put_off_the_next_one(files) -> None:
    """As a notebook does that writes to it again and again, or a program that keeps files in step."""
    publish(files)
    set_age(files, 5)
    os.utime(files.published)
    assert due_in(files) == 0


@pytest.mark.parametrize("seconds", [-1000, 1000])
def test_a_file_server_with_another_clock_is_no_reason_to_publish_again(files, monkeypatch, seconds) -> None:
    """What is due is due by our own clock."""
    now = time.time() + seconds
    monkeypatch.setattr(publishing.time, "time", lambda: now)
    publish(files)
    assert due_in(files) == pytest.approx(1.0, abs=0.001)


def test_a_copy_can_be_stopped(files) -> None:
    """Half a copy is no copy: the old one stays, and the next one is whole."""
    set_size(files, 10_000_000)
    answers = iter([False, True])
    with pytest.raises(StoppedError):
        publish(files, lambda: next(answers))
    assert files.published.read_bytes() == b"old"
    publish(files)
    assert files.published.read_bytes() == files.store.read_bytes()


def test_a_ledger_is_for_its_owner_only(files) -> None:
    """The first copy is readable to nobody else, whatever the process's mask."""
    files.published.unlink()
    publish(files)
    assert files.published.stat().st_mode & 0o777 == 0o600


def test_the_copy_takes_the_old_ones_place(files) -> None:
    """Whoever has the old copy open keeps it; the new one has its permissions; nothing is left behind."""
    files.published.chmod(0o640)
    with files.published.open("rb") as held:
        publish(files)
        assert held.read() == b"old"
    assert files.published.read_bytes() == b"new"
    assert files.published.stat().st_mode & 0o777 == 0o640
    assert not list(files.folder.glob("tmp-*"))


def test_a_copy_is_on_the_disk_before_it_takes_the_old_ones_place(files, disk, monkeypatch) -> None:
    """And so is its name, afterwards: a power loss leaves the old copy or the new one, and never half of one."""
    set_size(files, 10_000_000)
    usual, replaced = os.replace, []

    def looking(source, target, **named):
        replaced.append((disk.bytes_of(Path(source)), Path(target)))
        disk.forget()
        return usual(source, target, **named)

    monkeypatch.setattr(os, "replace", looking)
    publish(files)
    assert replaced == [(10_000_000, files.published)]
    assert disk.bytes_of(files.folder) > 0
    assert disk.bytes_of(files.published.parent) > 0


TOUCHES = (
    "open",
    "replace",
    "link",
    "unlink",
    "pwrite",
    "preadv",
    "fsync",
    "ftruncate",
    "fchmod",
    "chmod",
    "utime",
    "copy_file_range",
)


@pytest.mark.scaled
@pytest.mark.parametrize("spared_bytes", [0, 8_000_000], ids=["by turns", "whole"])
def test_whatever_fails_of_publishing_leaves_the_old_copy_or_the_new_one(
    ledger, make, monkeypatch, spared_bytes
) -> None:
    """At each touch of a file: nothing of it is half done, and the next publication is whole and leaves nothing behind."""
    monkeypatch.setattr(spare, "SPARED_BYTES", spared_bytes)
    monkeypatch.setattr(spare, "WATCHED_BYTES", spared_bytes)
    files = LedgerFiles.at(ledger.path)
    for _ in range(2):
        ledger.record(make.note())
        ledger.ingest()
    for step in itertools.count(1, 1 if is_soak() else 3):
        before, left = ledger.path.read_bytes(), step

        def failing(usual, *arguments, **named):
            nonlocal left
            left -= 1
            if not left:
                raise OSError(errno.EIO, "Input/output error")
            return usual(*arguments, **named)

        def publishing_badly(*arguments):
            with monkeypatch.context() as bad:
                for name in TOUCHES:
                    bad.setattr(os, name, partial(failing, getattr(os, name)))
                publish(*arguments)

        ledger.record(make.note())
        with monkeypatch.context() as once, suppress(LedgerError):
            once.setattr(ingest_module, "publish", publishing_badly)
            ledger.ingest()
        assert ledger.path.read_bytes() in {before, files.store.read_bytes()}
        ledger.ingest()
        assert ledger.path.read_bytes() == files.store.read_bytes()
        assert not list(files.folder.glob("tmp-*"))
        if left > 0:
            break
    assert step > 10


def test_a_stranger_who_wrote_to_the_old_copy_does_not_spoil_the_new_one(ledger, make) -> None:
    """What somebody wrote to the published file and never checkpointed isn't taken for a part of the next copy."""
    child = os.fork()
    if child == 0:
        stranger = duckdb.connect(str(ledger.path))
        stranger.execute("INSERT INTO meta VALUES (99, NULL, NULL)")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert wal_of(ledger.path).exists()
    ledger.record(make.note())
    assert ledger.ingest().published
    with duckdb.connect(str(ledger.path), read_only=True) as plain:
        assert plain.execute(
            "SELECT count(*), (SELECT max(schema_version) FROM meta) FROM events"
        ).fetchone() == (1, SCHEMA_VERSION)
