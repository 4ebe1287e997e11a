"""Put pieces that are in no segment into the working file of a ledger in one file."""

import time
from contextlib import AbstractContextManager, ExitStack

import duckdb

from actionledger.core.processes import POLL_SECONDS, FileLock
from actionledger.ledger.storage.connections import (
    LITTLE_STORE_MEMORY,
    MUCH_STORE_LOG,
    MUCH_STORE_MEMORY,
    STORE_LOG,
)
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.ingest import Ingest, begin_ingest
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.working_file import opened, wants_memory, with_store

OPEN_SECONDS = 4.0
"""Seconds that a working file stays open between two pieces, if closing it takes no time."""

LONGEST_OPEN_SECONDS = 15.0
"""The maximum seconds that it stays open, however long closing takes."""

_SHARE_OF_CLOSING = 10
"""It stays open at least this many times as long as the last closing took: 10 instead of 23 closings for half a million turns on a busy machine."""

SMALL_BYTES = 5 * 1024 * 1024
"""A piece with fewer bytes of rows is small; a process that parses for another one hands over larger ones."""

_LITTLE = (LITTLE_STORE_MEMORY, STORE_LOG)
_MUCH = (MUCH_STORE_MEMORY, MUCH_STORE_LOG)
"""The memory and log size for small pieces and for others. Half a million turns take a sixth less processor time than with a quarter of the log."""


class FileIntake:
    """Puts pieces into the working file of a ledger in one file; see ``Intake``."""

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
        """Ingest events that are in no segment."""
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
                time.sleep(2 * POLL_SECONDS)  # else a waiting process finds the lock free only by chance
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
            # Close the file first, since the next ingester opens it.
            store.close()
            self._lock.release()
            raise
        self._store, self._opened_at = store, time.monotonic()
        return True

    def _take_in_alone(self, prepared: Prepared, error: Exception) -> None:
        """Ingest a piece for which there was not enough memory; the parts already ingested are known."""
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
        return one_sentence(f"The ledger {self._files.published} can't load what was recorded")


def _close(files: LedgerFiles, store: ExitStack) -> None:
    try:
        store.close()
    except duckdb.Error as error:
        if not wants_memory(error):
            raise
        with_store(files, lambda connection: connection.execute("CHECKPOINT"))
