"""Read segments, as ingester and readers do: complete lines from a known offset on."""

import fcntl
import logging
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from actionledger.core.events import Event

_log = logging.getLogger(__name__)

SUFFIX = ".jsonl"
"""The suffix of a segment's name."""

BATCH_BYTES = 1024 * 1024
"""The size of the first batch, in bytes of lines: small, so that an ingester that is soon killed has made progress."""

LINE_LIMIT = 64 * 1024 * 1024
"""The maximum length of a line, in bytes, including its line break."""

LARGEST_BATCH_BYTES = 4 * BATCH_BYTES
"""The size of later batches: apart from its rows, a transaction costs 1 ms for each table."""


class Line(NamedTuple):
    """One line of a segment."""

    segment: str  # the segment's name
    start: int  # its offset, in bytes
    data: bytes  # the line, with its line break if it has one
    is_cut_off: bool = False  # whether its writer died in the middle of it
    event: Event | None = None  # its event, if already decoded

    @property
    def end(self) -> int:
        """The offset of the next line, in bytes."""
        return self.start + len(self.data)


def segment_sizes(folder: Path) -> dict[str, int]:
    """Return the size of each segment in bytes, by name, the oldest writer first.

    Empty if the folder is missing or not accessible. Entries of such a name that our writers don't make, such as folders, are left to ``strangers``.
    """
    return {
        name: status.st_size for name, status in _named_as_segments(folder) if stat.S_ISREG(status.st_mode)
    }


def strangers(folder: Path) -> list[str]:
    """Return the names of entries that are named like segments but are not files."""
    return [name for name, status in _named_as_segments(folder) if not stat.S_ISREG(status.st_mode)]


def _named_as_segments(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(
                (entry for entry in entries if entry.name.endswith(SUFFIX)), key=lambda entry: entry.name
            )
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in found:
        with suppress(FileNotFoundError):  # ingested, published and deleted meanwhile
            yield entry.name, entry.stat(follow_symlinks=False)


def batches(
    folder: Path,
    offsets: Mapping[str, int],
    *,
    finish: bool,
    host: str = "",
    first: int | None = None,
    largest: int | None = None,
) -> Iterator[list[Line]]:
    """Read new lines of segments in batches of bounded size, which grows with each batch."""
    batch: list[Line] = []
    size, limit = 0, first or BATCH_BYTES
    for name, segment_size in segment_sizes(folder).items():
        qualified = qualified_name(host, name)
        start = offsets.get(qualified, 0)
        if segment_size <= start:
            continue
        for line in _lines(folder / name, start, finish=finish):
            batch.append(line._replace(segment=qualified) if host else line)
            size += len(line.data)
            if size >= limit:
                yield batch
                batch, size, limit = [], 0, min(2 * limit, largest or LARGEST_BATCH_BYTES)
    if batch:
        yield batch


def qualified_name(host: str, segment: str) -> str:
    """Return a segment's name among those of all hosts; its own name if there is only one host."""
    return f"{host}/{segment}" if host else segment


def lines_of(file: BinaryIO, segment: str, start: int, *, take_cut_off: bool) -> Iterator[Line]:
    """Read lines of a segment from a file's current position."""
    while data := file.readline(LINE_LIMIT):
        is_complete = data.endswith(b"\n") or len(data) == LINE_LIMIT
        if not is_complete and not take_cut_off:
            return
        yield Line(segment, start, data, is_cut_off=not is_complete)
        start += len(data)


def has_live_writer(folder: Path) -> bool:
    """Return whether a writer, in this process or another, holds a segment that may still grow."""
    for name in segment_sizes(folder):
        with (
            suppress(FileNotFoundError, PermissionError),
            (folder / name).open("rb") as file,
            _is_finished(file) as finished,
        ):
            if not finished:
                return True
    return False


def remove_finished(
    folder: Path, offsets: Mapping[str, int], *, host: str = "", older_than: float = 0.0
) -> None:
    """Delete the segments that can't grow any more and are wholly ingested."""
    for name, size in segment_sizes(folder).items():
        known = offsets.get(qualified_name(host, name), 0)
        if size > known:
            continue
        path = folder / name
        with suppress(PermissionError), path.open("rb") as file, _is_finished(file) as finished:
            status = path.stat()
            if finished and status.st_size <= known and time.time() - status.st_mtime >= older_than:
                path.unlink()


def _lines(path: Path, start: int, *, finish: bool) -> Iterator[Line]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except PermissionError as error:
        # Another user's, say. It must not block all others; 'actionledger doctor' names it until somebody has fixed it.
        _say_once(path, error.strerror)
        return
    with file:
        if finish:
            # The lock is held during the read: a writer that has only just created this file waits for us.
            with _is_finished(file) as finished:
                file.seek(start)
                yield from lines_of(file, path.name, start, take_cut_off=finished)
        else:
            file.seek(start)
            yield from lines_of(file, path.name, start, take_cut_off=False)


@cache
def _say_once(path: Path, reason: str | None) -> None:
    _log.warning("The segment %s is passed over: %s.", path, reason)


@contextmanager
def _is_finished(file: BinaryIO) -> Iterator[bool]:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
