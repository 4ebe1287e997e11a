"""What DuckDB has written to the working file is what a copy is brought up to date by; whatever else was at either has both compared."""

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest

from actionledger.ledger import Ledger
from actionledger.ledger.storage import spare
from actionledger.ledger.storage.files import LedgerFiles, wal_of
from actionledger.ledger.storage.ingest import ingest
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.store import Publishing

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux says whether a file is open elsewhere"
)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a ledger of more than 64 MB."""
    monkeypatch.setattr(spare, "SPARED_BYTES", 0)
    monkeypatch.setattr(spare, "WATCHED_BYTES", 0)


@pytest.fixture
def files(ledger: Ledger, make) -> LedgerFiles:
    """A ledger of some megabytes, with both copies, and all that differs known."""
    made = LedgerFiles.at(ledger.path)
    publish_one(ledger, make)
    with closing(duckdb.connect(str(made.store))) as store:
        store.execute("CREATE TABLE beside AS SELECT md5(range::VARCHAR) AS word FROM range(60000)")
    for _ in range(2):
        publish_one(ledger, make)
    return made


def publish_one(ledger: Ledger, make) -> None:
    ledger.record(make.note("x" * 1000))
    assert ledger.ingest().published


def pieces_in(files: LedgerFiles) -> int:
    return files.store.stat().st_size // spare.PIECE_BYTES


def test_only_what_was_written_is_looked_at(ledger, files, make, monkeypatch) -> None:
    """Of a file of any size, and what comes of it is the working file, byte for byte."""
    looked_at, usual = [], os.preadv

    def counting(descriptor: int, buffers: list[bytearray], at: int) -> int:
        looked_at.append(at)
        return usual(descriptor, buffers, at)

    monkeypatch.setattr(os, "preadv", counting)
    monkeypatch.setattr(spare, "PROBED", 1)
    publish_one(ledger, make)
    assert 0 < len(set(looked_at)) < pieces_in(files)
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_what_several_ingests_wrote_is_added_up(ledger, files, make) -> None:
    """Also what was deleted, and what grew since the copy before the last."""
    for number in range(3):
        for _ in range(number):
            ledger.record(make.note("word " * 10_000))
            ledger.flush()
            ingest(files, Publishing.WHEN_DUE)
        publish_one(ledger, make)
        assert spare.pieces_of(files, files.published) == frozenset()
        assert spare.pieces_of(files, files.spare)
        assert ledger.path.read_bytes() == files.store.read_bytes()


def test_who_writes_by_another_way_is_noticed(ledger, files, make) -> None:
    """A working file that somebody else has opened is compared with its copies whole."""
    with closing(duckdb.connect(str(files.store))) as store:
        store.execute("DELETE FROM beside WHERE word < 'd'")
    assert spare.pieces_of(files, files.spare) is None
    publish(files)
    assert ledger.path.read_bytes() == files.store.read_bytes()
    publish_one(ledger, make)
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_who_writes_right_before_the_working_file_is_opened_is_noticed(
    ledger, files, make, monkeypatch
) -> None:
    """It is looked at when nobody else can open it any more."""
    usual, late = spare.watched, ["INSERT INTO beside FROM beside"]

    @contextmanager
    def watched(*arguments: object) -> Iterator[None]:
        with usual(*arguments):
            while late:
                with closing(duckdb.connect(str(files.store))) as store:
                    store.execute(late.pop())
            yield

    monkeypatch.setattr(spare, "watched", watched)
    monkeypatch.setattr(spare, "PROBED", 0)
    for _ in range(2):
        publish_one(ledger, make)
        assert ledger.path.read_bytes() == files.store.read_bytes()
    assert not late


def test_who_is_killed_leaves_nothing_to_believe(ledger, files, make) -> None:
    """What was committed and not checkpointed may refer to pieces that nobody has noted."""
    child = os.fork()
    if child == 0:
        try:
            store = duckdb.connect(str(files.store))
            store.execute("DELETE FROM beside WHERE word < 'd'")
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert wal_of(files.store).exists()
    assert spare.pieces_of(files, files.spare) is None
    publish_one(ledger, make)
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_copy_that_somebody_wrote_to_is_compared(ledger, files, make) -> None:
    """A notebook that held the published file, and had closed it again before that was the spare one."""
    with closing(duckdb.connect(str(files.published))) as notebook:
        notebook.execute("CREATE TABLE of_mine AS SELECT range FROM range(100000)")
    assert spare.pieces_of(files, files.published) is None
    for _ in range(2):
        publish_one(ledger, make)
        assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_list_that_is_none_is_passed_over(ledger, files, make) -> None:
    """As a full disk or a hand may leave it."""
    for content in ("", "[]", '{"store": 1}', '{"store": ["a", "b"], "copies": [[1, 2]]}'):
        files.differences.write_text(content)
        assert spare.pieces_of(files, files.spare) is None
    publish_one(ledger, make)
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_log_that_lacks_the_header_is_not_believed(ledger, files, make, monkeypatch) -> None:
    """As a later DuckDB might keep one that is not whole."""
    monkeypatch.setattr(spare, "_written", lambda *_: frozenset({1}))
    for _ in range(3):
        publish_one(ledger, make)
        assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_full_disk_leaves_a_list_that_nobody_believes(ledger, files, make, monkeypatch) -> None:
    """What can't be kept of it costs a comparison, and nothing else."""

    def fail(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "write_text", fail)
        publish_one(ledger, make)
        assert ledger.path.read_bytes() == files.store.read_bytes()
    assert spare.pieces_of(files, files.spare) is None
    publish_one(ledger, make)
    assert ledger.path.read_bytes() == files.store.read_bytes()
    assert not list(files.folder.glob("tmp-*"))


def test_pieces_that_can_not_be_kept_leave_nothing_to_add_to(files, monkeypatch) -> None:
    """Else the next ones would be kept without them, and believed, when the disk has room again before the same ingest ends."""

    def fail(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with closing(duckdb.connect(str(files.store))) as store, monkeypatch.context() as full:
        full.setattr(spare, "_written", lambda *_: frozenset({-1, 3}))
        with monkeypatch.context() as no_room:
            no_room.setattr(Path, "write_text", fail)
            spare.note(files, store)
        spare.note(files, store)
    assert spare.pieces_of(files, files.spare) is None


def test_a_log_that_can_not_be_read_leaves_nothing_to_believe(files, monkeypatch) -> None:
    """It would be taken for one in which nothing was written, where the header is as before."""
    monkeypatch.setattr(spare, "_WRITTEN", "SELECT pos, bytes FROM no_such_log")
    with closing(duckdb.connect(str(files.store))) as store:
        spare.note(files, store)
    assert spare.pieces_of(files, files.spare) is None


def test_a_log_that_lacks_pieces_is_found_out(ledger, files, make, monkeypatch) -> None:
    """As a later DuckDB might keep one that has the header, and not all of what it heads: some pieces are compared that nobody named."""
    monkeypatch.setattr(spare, "_written", lambda *_: frozenset({-1}))
    for _ in range(3):
        publish_one(ledger, make)
        assert ledger.path.read_bytes() == files.store.read_bytes()
    monkeypatch.setattr(spare, "PROBED", 0)
    publish_one(ledger, make)
    assert ledger.path.read_bytes() != files.store.read_bytes()
