"""One file on one machine: the ingester's working file, and the published copy of it that readers open."""

import os
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import duckdb

from actionledger.core.errors import UsageError, require
from actionledger.core.processes import POLL_SECONDS, FileLock
from actionledger.ledger.storage.chain import Head
from actionledger.ledger.storage.connections import (
    LITTLE_STORE_MEMORY,
    MUCH_STORE_LOG,
    MUCH_STORE_MEMORY,
    STORE_LOG,
    begin_published,
)
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.ingest import Ingest, IngestReport, Publishing, begin_ingest, forget, ingest
from actionledger.ledger.storage.lake.place import LakePlace, is_place
from actionledger.ledger.storage.memory import Instance
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.publishing import due_in, is_behind
from actionledger.ledger.storage.store import AsOf, Store
from actionledger.ledger.storage.working_file import make_ready, open_files, opened, wants_memory, with_store
from actionledger.ledger.upkeep.migrations import refuse_unreadable
from actionledger.ledger.upkeep.proofs.file import verify_file
from actionledger.ledger.upkeep.proofs.report import Verification, heads_in

OPEN_SECONDS = 4.0
"""How long a working file is held open between two pieces, where closing it takes no time."""

LONGEST_OPEN_SECONDS = 15.0
"""How long it is held open at most, however long that takes."""

_SHARE_OF_CLOSING = 10
"""It is held open at least so many times as long as closing it took last: for half a million turns on a busy machine that is 10 times, not 23."""

SMALL_BYTES = 5 * 1024 * 1024
"""What is less is a small piece, in bytes of its rows; who reads for somebody else hands over larger ones."""

_LITTLE = (LITTLE_STORE_MEMORY, STORE_LOG)
_MUCH = (MUCH_STORE_MEMORY, MUCH_STORE_LOG)
"""In what memory, and with how long a log, small pieces come in and others: half a million turns take the database a sixth less
processor time so than with a quarter of the log."""


class FileIntake:
    """Takes pieces into the working file of a ledger in one file; see ``Intake``.

    Args:
        files: the ledger's files.
    """

    least_bytes = 0

    def __init__(self, files: LedgerFiles) -> None:
        self._files = files
        self._lock = FileLock(files.ingest_lock)
        self._store: ExitStack | None = None
        self._ingest: Ingest | None = None
        self._largest = 0
        self._opened_at = 0.0
        self._open_seconds = OPEN_SECONDS

    def take_in(self, prepared: Prepared, *, patience: float = 0.0) -> bool:
        """Take in events that are in no segment."""
        with self._one_sentence():
            if self._ingest is None and not self._open(prepared, patience):
                return False
            assert self._ingest is not None
            try:
                self._ingest.take_in(prepared)
            except duckdb.Error as error:
                self._take_in_alone(prepared, error)
            except BaseException:
                self.close()
                raise
            if time.monotonic() - self._opened_at >= self._open_seconds:
                self.close()
                time.sleep(
                    2 * POLL_SECONDS
                )  # else whoever waits for their turn finds it free by chance alone
            return True

    def close(self) -> None:
        """Close the working file, and let others be the ingester."""
        if self._store is None:
            return
        store, self._store, self._ingest = self._store, None, None
        begin = time.monotonic()
        try:
            with self._one_sentence():
                _close(self._files, store)
        finally:
            self._lock.release()
            took = time.monotonic() - begin
            self._open_seconds = min(max(OPEN_SECONDS, _SHARE_OF_CLOSING * took), LONGEST_OPEN_SECONDS)

    def _open(self, prepared: Prepared, patience: float) -> bool:
        if not begin_ingest(self._files, self._lock, patience):
            return False
        store = ExitStack()
        try:
            self._largest = max(self._largest, prepared.size)  # the last piece of a file may be small
            bounds = _LITTLE if self._largest < SMALL_BYTES else _MUCH
            connection = store.enter_context(opened(self._files, *bounds))
            self._ingest = Ingest(self._files, connection, lambda: False)
        except BaseException:
            # First the file: whoever becomes the ingester opens it.
            store.close()
            self._lock.release()
            raise
        self._store, self._opened_at = store, time.monotonic()
        return True

    def _take_in_alone(self, prepared: Prepared, error: Exception) -> None:
        """Take in a piece for which there was not enough memory; what was taken in of it is known."""
        if not wants_memory(error):
            self.close()
            raise error
        assert self._store is not None
        store, self._store, self._ingest = self._store, None, None
        try:
            _close(self._files, store)
            with_store(self._files, lambda found: Ingest(self._files, found, lambda: False).take_in(prepared))
        finally:
            self._lock.release()

    def _one_sentence(self) -> AbstractContextManager[None]:
        return one_sentence(f"The ledger {self._files.published} can't take in what was recorded")


def _close(files: LedgerFiles, store: ExitStack) -> None:
    try:
        store.close()
    except duckdb.Error as error:
        if not wants_memory(error):
            raise
        with_store(files, lambda connection: connection.execute("CHECKPOINT"))


class LocalStore:
    """A ledger in one file; see ``Store`` for what each method does.

    Args:
        files: its files, checked (``opening.open_files`` does).
    """

    def __init__(self, files: LedgerFiles) -> None:
        self.files = files
        self.folders: tuple[str, ...] = ()
        self.host = ""
        self.as_of: AsOf | None = None
        self.has_tail = True

    def ingest(
        self, publishing: Publishing, *, patience: float = 0.0, is_stopped: Callable[[], bool] = lambda: False
    ) -> IngestReport:
        """Take the segments into the working file; the copy is published as ``publishing`` says."""
        return ingest(self.files, publishing, patience=patience, is_stopped=is_stopped)

    def intake(self) -> FileIntake:
        """Put events into the working file."""
        return FileIntake(self.files)

    def forget(self, *, patience: float = 0.0) -> bool:
        """Make the working file anew, and publish it."""
        return forget(self.files, patience=patience)

    def verify(self, kept: Sequence[Head]) -> Verification:
        """Look at the published copy, the working file and the segments."""
        return verify_file(self.files, kept)

    def due_in(self) -> float:
        """Return in how many seconds another copy is due."""
        return due_in(self.files)

    def is_behind(self) -> bool:
        """Whether the published copy has to be made anew, whatever segments hold."""
        return is_behind(self.files)

    def exists(self) -> bool:
        """Whether there is a published copy."""
        return self.files.published.exists()

    def state(self) -> Hashable:
        """Return what tells one published copy from another."""
        try:
            status = self.files.published.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def holds(self, state: Hashable, since: float) -> bool:  # noqa: ARG002 - time is no matter here
        """Whether no other copy was published since: with one, segments may have gone."""
        return self.state() == state

    def close(self) -> None:
        """Nothing is open."""

    def connect(self, *, may_write: bool) -> Instance:
        """Attach the published copy."""
        instance = begin_published(self.files, may_write=may_write)
        try:
            refuse_unreadable(instance.connection, self.files.published)
        except BaseException:
            instance.connection.close()
            raise
        return instance


def store_at(path: str | os.PathLike[str], *, read_only: bool, as_of: AsOf | None = None) -> Store:
    """Open the store that a path means, by the ending of its name.

    Args:
        path: of the published copy of a ledger in one file, or of the file that says where a lake is.
        read_only: whether nothing may be written.
        as_of: the state of a lake to be read; None for the newest.

    Raises:
        UsageError: a state of the past is asked of a ledger in one file, or the path is DuckLake's own name of a lake.
        LedgerError: see ``open_ledger``.
    """
    if os.fspath(path).startswith("ducklake:"):
        raise UsageError(
            f"A lake is opened by a small file that says where it is: write metadata_path = {os.fspath(path)[9:]!r} and data_path = "
            "'…' below a line [ducklake] into NAME.toml, and open that."
        )
    if is_place(Path(path)):
        return _lake_at(path, read_only=read_only or as_of is not None, as_of=as_of)
    if as_of is not None:
        raise UsageError(
            f"{path} is one file, which keeps no past: only a ledger in a lake has states to go back to."
        )
    return LocalStore(open_files(path, read_only=read_only))


def _lake_at(path: str | os.PathLike[str], *, read_only: bool, as_of: AsOf | None) -> Store:
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.lake.store import LakeStore  # noqa: PLC0415 - of an extra

    files = LedgerFiles.at(path)
    place = LakePlace.read(files.published)
    with one_sentence(f"The ledger {files.published} can't be opened"):
        if not read_only:
            make_ready(files)
        store = LakeStore(place, as_of=as_of)
        if read_only:
            store.check()
        else:
            store.make()
    return store


def verify(path: str | os.PathLike[str], *, since: str = "") -> Verification:
    """Look whether a ledger holds what was taken in; nothing of it is changed.

    Args:
        path: its published file, or the file that says where its lake is.
        since: what was kept elsewhere, as ``Verification.head`` was written then; empty for none.

    Returns:
        What is not as it was, and what can't be told.

    Raises:
        UsageError: ``since`` is no head.
        NotALedgerError: there is something else.
        NewerLedgerError: the ledger was written by a newer version of the toolkit.
        LedgerError: there is no ledger, or it can't be read.
    """
    kept = heads_in(since)
    files = LedgerFiles.at(path)
    if is_place(files.published):
        return store_at(path, read_only=True).verify(kept)
    # One that nothing else can open is looked at, too.
    return verify_file(files, kept)
