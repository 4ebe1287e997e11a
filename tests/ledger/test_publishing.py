"""When a new copy is worth its cost, and how it takes the old one's place."""

import os
import time

import duckdb
import pytest

from actionledger.ledger.files import LedgerFiles, wal_of
from actionledger.ledger.publishing import is_due, publish
from actionledger.ledger.schema import SCHEMA_VERSION


@pytest.fixture
def files(tmp_path) -> LedgerFiles:
    """A ledger's files with content of no meaning."""
    made = LedgerFiles.at(tmp_path / "x.duckdb")
    made.make_folders()
    made.store.write_bytes(b"new")
    made.published.write_bytes(b"old")
    return made


def set_size(files: LedgerFiles, size: int) -> None:
    os.truncate(files.store, size)


def set_age(files: LedgerFiles, seconds: float) -> None:
    os.utime(files.published, times=(time.time() - seconds,) * 2)


@pytest.mark.parametrize(
    ("size", "age", "unpublished", "expected"),
    [
        (1_000, 0.1, 100, False),
        (1_000, 2, 100, True),
        (600_000_000, 10, 10_000, False),
        (600_000_000, 60, 10_000, True),
        (600_000_000, 10, 50_000_000, True),
        (600_000_000, -3600, 10_000, True),
    ],
)
def test_a_copy_is_due_when_it_is_worth_its_cost(files, size, age, unpublished, expected) -> None:
    """A large ledger is copied more rarely; sooner where the segments would take longer to read than a copy takes."""
    set_size(files, size)
    set_age(files, age)
    assert is_due(files, unpublished) is expected


def test_the_copy_takes_the_old_ones_place(files) -> None:
    """Whoever has the old copy open keeps it; the new one has its permissions; nothing is left behind."""
    files.published.chmod(0o640)
    with files.published.open("rb") as held:
        publish(files)
        assert held.read() == b"old"
    assert files.published.read_bytes() == b"new"
    assert files.published.stat().st_mode & 0o777 == 0o640
    assert not list(files.folder.glob("tmp-*"))


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
