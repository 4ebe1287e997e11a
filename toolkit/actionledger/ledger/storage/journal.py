"""The hot path: events go to a buffer, and the buffer to a segment of this writer's own.

``add`` buffers events; a flush encodes and masks them. Until then they are in this process's memory alone, as before. So all events of a flush are
masked together, and recording waits for neither step. A segment is append-only. Its writer holds an ``flock`` on it while it may grow, so a free
lock means that it is complete. A flush is one ``write``: it survives the death of this process; a durable one also survives a power loss.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from actionledger.core.errors import LedgerError
from actionledger.core.events import ResponseReceived
from actionledger.core.ids import new_id
from actionledger.core.processes import watch
from actionledger.ledger.storage.files import make_private_folders, one_sentence, sync_to_disk
from actionledger.ledger.storage.segments import SUFFIX

if TYPE_CHECKING:
    from actionledger.ledger.storage.encoding import Waiting

BUFFER_BYTES = 1_000_000
"""The buffer is flushed when it exceeds this, in bytes."""

SEGMENT_BYTES = 8 * 1024 * 1024
"""A segment is closed when it exceeds this, in bytes, so that ingested data can be deleted."""

_sync_content = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class SegmentWriter:
    """Appends lines to segments of its own; threads may share it, and a forked child starts another segment. ``on_flush`` must return at once."""

    def __init__(self, folder: Path, on_flush: Callable[[], None] = lambda: None) -> None:
        self._folder = folder
        self._on_flush = on_flush
        self._begin()
        watch(self)

    def _begin(self) -> None:
        self._lock = RLock()
        self._writer_id = ""
        self._number = 0
        self._buffer = bytearray()
        self._waiting: list[Waiting] = []
        self._waiting_size = 0
        self._descriptor: int | None = None
        self._size = 0
        self._held = 0
        self.taken = 0

    @property
    def has_written(self) -> bool:
        """Whether it has written to a segment, or has events to write."""
        return bool(self._number or self._buffer or self._waiting)

    def is_own(self, segment: str) -> bool:
        """Return whether a segment, by its name, is its own."""
        return bool(self._writer_id) and segment.startswith(f"{self._writer_id}.")

    def add(self, event: "Waiting") -> None:
        """Buffer an event."""
        with self._lock:
            self.taken += 1
            self._waiting.append(event)
            self._waiting_size += (
                event.characters if isinstance(event, ResponseReceived) else len(event.line) + 1
            )
            self._flush_if_full()

    def append(self, line: bytes) -> None:
        """Buffer a line."""
        with self._lock:
            self.taken += 1
            self._mask()
            self._buffer += line
            self._flush_if_full()

    def flush(self, *, durable: bool = False) -> None:
        """Write the buffer to the segment."""
        with self._lock, one_sentence(f"What was recorded can't be written to {self._folder}"):
            self._mask()
            if self._buffer:
                self._write_buffer()
                self._on_flush()
            if self._size >= SEGMENT_BYTES:
                self._seal()
            if durable and self._descriptor is not None:
                _sync_content(self._descriptor)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Flush no full buffer within the context: events added there are written together, unless another thread flushes."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1

    def is_full(self) -> bool:
        """Return whether the buffer is so large that the next event flushes it."""
        return len(self._buffer) + self._waiting_size >= BUFFER_BYTES

    def close(self) -> None:
        """Flush and close the segment."""
        with self._lock:
            self.flush()
            self._let_go()

    def start_over(self) -> None:
        """Begin anew in a forked child, since the parent writes the events that it has buffered."""
        self._let_go()
        self._begin()

    def _flush_if_full(self) -> None:
        if self.is_full() and not self._held:
            self.flush()

    def _mask(self) -> None:
        if self._waiting:
            from actionledger.ledger.storage.encoding import masked_lines  # noqa: PLC0415 - slow to load, and a reader writes none

            self._buffer += masked_lines(self._waiting)
            self._waiting.clear()
            self._waiting_size = 0

    def _write_buffer(self) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            descriptor = self._descriptor = self._open()
            sync_to_disk(self._folder)
        rest = memoryview(bytes(self._buffer))
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except BaseException:
            try:
                os.ftruncate(descriptor, self._size)
            except OSError:
                # Half a line stays, so nothing may follow it in this segment. Events that are written twice are ingested once.
                self._let_go()
            raise
        self._refuse_if_spoiled(descriptor)
        self._size += len(self._buffer)
        self._buffer.clear()

    def _refuse_if_spoiled(self, descriptor: int) -> None:
        """Raise if acknowledged data is gone from the segment; the next flush begins another segment."""
        status = os.fstat(descriptor)
        expected = self._size + len(self._buffer)
        if status.st_nlink and status.st_size >= expected:
            return
        self._let_go()
        was = f"holds {status.st_size:,} bytes of {expected:,}" if status.st_nlink else "was deleted"
        raise LedgerError(
            f"A segment in {self._folder} {was}, by somebody else's hand, while its writer lived: what was flushed to it and not "
            "taken in yet may be lost. What is new is kept in memory; the next flush writes it to another segment."
        )

    def _open(self) -> int:
        # Writers are ordered by their first flush: what others flushed before that is ingested first.
        self._writer_id = self._writer_id or new_id()
        while True:
            path = self._folder / f"{self._writer_id}.{self._number:06d}{SUFFIX}"
            self._number += 1
            descriptor = self._create(path)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Before it was locked, an ingester may have taken it for a dead writer's and deleted it.
            if os.fstat(descriptor).st_nlink:
                return descriptor
            os.close(descriptor)

    def _create(self, path: Path) -> int:
        flags = os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY
        try:
            return os.open(path, flags, 0o600)
        except FileNotFoundError:
            # Somebody deleted the folder, which was reported when its segment was found missing. New events are kept all the same.
            make_private_folders(self._folder)
            return os.open(path, flags, 0o600)

    def _seal(self) -> None:
        if self._descriptor is not None:
            _sync_content(self._descriptor)
        self._let_go()

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None
        self._size = 0
