"""The interface of an open ledger for this package alone: locks, counts, and direct writing by imports and replays."""

import fcntl
import json
import os
import time
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from actionledger.core.errors import LedgerError
from actionledger.core.events import Event
from actionledger.core.processes import FileLock
from actionledger.ledger.storage.batch import Batch
from actionledger.ledger.storage.files import one_sentence
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.segments import segment_sizes
from actionledger.ledger.storage.store import Publishing, Store
from actionledger.ledger.upkeep.forgetting.intent import SessionLock

BATCH_BYTES = 3 * 1024 * 1024
"""The size of a batch, in bytes of lines: with more, a small import takes more than 200 MB of memory."""

LITTLE_BYTES = 2 * 1024 * 1024
"""A smaller total goes to the segments, in bytes of lines: the statements for a batch of any size take as long as this much takes line by line."""

_INTAKE_PATIENCE_SECONDS = 30.0
_LAST_PATIENCE_SECONDS = 60.0


class DirectRecorder:
    """Records many events at once, in one thread."""

    def __init__(self, store: Store, writer: SegmentWriter) -> None:
        self._store = store
        self._intake = store.intake()
        self._writer = writer
        self._batch = Batch()
        self.is_direct = False
        self.written = 0

    @property
    def least_bytes(self) -> int:
        """The size worth gathering for one piece, in bytes of lines; 0 if it doesn't matter."""
        return self._intake.least_bytes

    def record(self, event: Event) -> None:
        """Record an event; see ``Ledger.record``."""
        self._batch.add(event)
        if self._batch.size >= max(BATCH_BYTES, self.least_bytes):
            self._take_in()

    def take_in(self, prepared: Prepared) -> bool:
        """Ingest prepared events, after those recorded before; return whether that was done."""
        if self._batch and not (before := self._batch.prepared()).events:
            # Lines alone, such as a run's start, need no transaction of their own.
            is_taken = self._is_taken_in(replace(prepared, others=(*before.others, *prepared.others)))
            self._batch = Batch() if is_taken else self._batch
            return is_taken
        self._take_in()
        return self._is_taken_in(prepared)

    def close(self) -> None:
        """Write the rest, and publish what was ingested directly."""
        try:
            if self.is_direct or self._batch.size >= LITTLE_BYTES:
                self._take_in()
            else:
                self._write()
        finally:
            self._intake.close()
        if self.is_direct:
            self._store.ingest(Publishing.AT_THE_END, patience=_LAST_PATIENCE_SECONDS)

    def _take_in(self) -> None:
        if not self._batch:
            return
        if self._is_taken_in(self._batch.prepared()):
            self._batch = Batch()
        else:
            self._write()

    def _is_taken_in(self, prepared: Prepared) -> bool:
        try:
            is_taken = self._intake.take_in(prepared, patience=_INTAKE_PATIENCE_SECONDS)
        except LedgerError:
            return False  # the next ingester tries again, and knows what was ingested
        self.is_direct |= is_taken
        return is_taken

    def _write(self) -> None:
        for line in self._batch.lines():
            self._writer.append(line)
            self.written += 1
        self._batch = Batch()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SharedCounter:
    """Counts across processes, in a file that is no record: if it can't be read, counting starts again. ``clock`` is the same in every process."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock

    def take(self, name: str, count: int, seconds: float) -> float | None:
        """Count one more and return None, if fewer than ``count`` were counted within the last ``seconds``; else return the seconds to wait."""
        with one_sentence(f"What ran lately can't be counted in {self._path}"):
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                return self._take(descriptor, name, count, seconds)
            finally:
                os.close(descriptor)

    def _take(self, descriptor: int, name: str, count: int, seconds: float) -> float | None:
        now = self._clock()
        times = _read(descriptor)
        # After a clock was set back, times in the future are dropped.
        lately = [moment for moment in times.get(name, ()) if 0 <= now - moment < seconds]
        if len(lately) >= count:
            return lately[0] + seconds - now
        times[name] = [*lately, now]
        _write(descriptor, times)
        return None


def _read(descriptor: int) -> dict[str, list[float]]:
    data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    with suppress(ValueError, TypeError, AttributeError):
        return {str(name): [float(moment) for moment in times] for name, times in json.loads(data).items()}
    return {}


def _write(descriptor: int, times: dict[str, list[float]]) -> None:
    data = json.dumps(times).encode()
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))


_PATIENCE_SECONDS = 60.0


class Internals:
    """The internal interface of a writable ledger; what ``before_close`` holds is called before it is closed, the last first."""

    def __init__(self, store: Store, writer: SegmentWriter, before_close: list[Callable[[], object]]) -> None:
        self._store = store
        self._files = store.files
        self._writer = writer
        self._before_close = before_close

    @property
    def host(self) -> str:
        """The name of this host among those of a lake; empty for a ledger in one file."""
        return self._store.host

    def record_lines(self, lines: Iterable[bytes]) -> None:
        """Buffer events that another process of this toolkit has encoded."""
        for line in lines:
            self._writer.append(line)

    def whole(self) -> AbstractContextManager[None]:
        """Return a context within which nothing is flushed until it ends, unless another thread flushes."""
        return self._writer.whole()

    def is_full(self) -> bool:
        """Return whether the buffer is large enough to be flushed."""
        return self._writer.is_full()

    def before_close(self, finish: Callable[[], object]) -> None:
        """Have a function called before the ledger is closed, such as one that writes pending records."""
        self._before_close.append(finish)

    def direct(self) -> DirectRecorder:
        """Return a recorder of many events at once, which go into the database without a segment; close it after use."""
        return DirectRecorder(self._store, self._writer)

    def settle(self) -> bool:
        """Ingest now, so that for an event that several writers recorded it is decided that the first is kept; return whether that was done."""
        self._writer.flush()
        if self._has_no_others():
            return True
        return not self._store.ingest(Publishing.AT_THE_END, patience=_PATIENCE_SECONDS).was_busy

    def is_blank(self) -> bool:
        """Return whether the ledger is certainly empty, so that no query is needed."""
        return not self._writer.has_written and self._store.is_blank()

    def moment(self) -> tuple[Hashable, int]:
        """Return a value that changes when any process records something; see ``is_alone_since``."""
        return None if self._store.host else self._store.state(), self._writer.taken

    def is_alone_since(self, moment: tuple[Hashable, int], written: int) -> bool:
        """Return whether nothing was recorded since a moment except this many events, written here."""
        self._writer.flush()
        state, taken = moment
        return self.moment() == (state, taken + written) and self._has_no_others()

    def _has_no_others(self) -> bool:
        others = any(not self._writer.is_own(name) for name in segment_sizes(self._files.segments))
        # In a lake, other hosts may have recorded the same, which is found on commit.
        return not others and not self._store.is_behind() and not self._store.host

    def session_lock(self, session_id: str) -> FileLock:
        """Return the lock that lets one process at a time work on a session; it is not acquired yet."""
        self._files.make_folders()  # they may have been deleted before a session begins
        return SessionLock(self._files, session_id)

    def decisions_lock(self) -> FileLock:
        """Return the lock that lets one process at a time decide about approvals; it is not acquired yet."""
        return FileLock(self._files.decisions_lock)

    def counter(self) -> SharedCounter:
        """Return the counter of actions for all sessions that write here, in any process."""
        return SharedCounter(self._files.rates)
