"""The queue to which hosts ship pieces of their segments: a shared folder, or a prefix of a bucket in S3.

    QUEUE/HOST/SEGMENT.START-END.gz     whole lines of a segment, from one byte to another
    QUEUE/refused/HOST/…                pieces that could not be read

A piece appears whole or not at all, and never changes. It is removed once the lake has it. Until then its segment stays, and a lost piece is
reshipped.
"""

import gzip
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Protocol, Self

from actionledger.core.errors import LedgerError
from actionledger.core.ids import new_id
from actionledger.core.patterns import regex
from actionledger.ledger.storage.files import make_private_folders
from actionledger.ledger.storage.lake.place import S3, LakePlace
from actionledger.ledger.storage.segments import LINE_LIMIT, Line, lines_of, qualified_name

PIECE_BYTES = 4 * 1024 * 1024
"""The size of a piece, in bytes of lines; a longer line has a piece of its own."""

REFUSED = "refused/"

_LARGEST = PIECE_BYTES + LINE_LIMIT
_NAME = regex(
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9._-]{0,252})/(?P<segment>[0-9a-f-]{36}\.\d{6}\.jsonl)\.(?P<start>\d{1,18})-(?P<end>\d{1,18})\.gz"
)
_FAST = 1
_BEGUN = ".begun-"


class DamagedPieceError(Exception):
    """A piece does not hold what its name says."""


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """Whole lines of a segment, by their offsets."""

    host: str  # the segment's host
    segment: str  # the segment's name
    start: int  # the start of the piece, in bytes
    end: int  # its end, in bytes

    @classmethod
    def named(cls, name: str) -> Self | None:
        """Return the piece of a name; None if the name is not that of a piece."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        piece = cls(found["host"], found["segment"], int(found["start"]), int(found["end"]))
        return piece if 0 < piece.end - piece.start <= _LARGEST and piece.name == name else None

    @property
    def name(self) -> str:
        """Its name in the queue."""
        return f"{self.host}/{self.segment}.{self.start}-{self.end}.gz"

    @property
    def qualified(self) -> str:
        """The name of its segment among those of all hosts."""
        return qualified_name(self.host, self.segment)

    def covers(self, place: int) -> bool:
        """Return whether the piece contains a byte of the segment."""
        return self.start <= place < self.end


class Queue(Protocol):
    """Shipped segments by name, in a place that hosts and the committer can read and write."""

    def put(self, name: str, data: bytes) -> None:
        """Add a file, whole or not at all."""

    def get(self, name: str) -> bytes | None:
        """Return a file's content; None if it is missing."""

    def names(self, prefix: str = "") -> list[str]:
        """Return the names of the files, or those with a host's prefix."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; missing ones are ignored."""


def queue_of(place: LakePlace) -> Queue:
    """Return the queue of a lake that has one."""
    assert place.queue_path
    if not place.queue_path.startswith(S3):
        return FolderQueue(Path(place.queue_path))
    from actionledger.ledger.storage.lake.s3_queue import S3Queue  # noqa: PLC0415 - part of an extra

    return S3Queue(place.queue_path)


def packed(data: bytes) -> bytes:
    """Compress lines for a piece."""
    return gzip.compress(data, _FAST, mtime=0)


def unpacked(piece: Piece, data: bytes) -> list[Line]:
    """Decompress the lines of a piece."""
    length = piece.end - piece.start
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            lines = file.read(length + 1)  # limited, since an untrusted piece may decompress to any size
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedPieceError(str(error)) from error
    if len(lines) != length:
        raise DamagedPieceError(f"it holds not the {length} bytes that its name says")
    return list(lines_of(BytesIO(lines), piece.qualified, piece.start, take_cut_off=True))


class FolderQueue:
    """A queue in a folder that every host can access, on a disk or a network file system; created for its owner alone if missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> None:
        """Write a temporary file, then rename it."""
        path = self._folder / name
        make_private_folders(path.parent)
        beside = path.parent / f"{_BEGUN}{new_id()}"
        descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise

    def get(self, name: str) -> bytes | None:
        """Read a file."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def names(self, prefix: str = "") -> list[str]:
        """List the files in the folders of hosts; the prefix is a host's name with a slash."""
        try:
            hosts = [self._folder / prefix] if prefix else list(self._folder.iterdir())
        except FileNotFoundError:
            return []
        found: list[str] = []
        for host in hosts:
            with suppress(FileNotFoundError, NotADirectoryError):
                found += (f"{host.name}/{entry.name}" for entry in host.iterdir())
        return found

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)


def refuse(queue: Queue, piece: Piece, data: bytes) -> None:
    """Set aside a piece that can't be read; its host ships it again."""
    try:
        queue.put(REFUSED + piece.name, data)
        queue.remove([piece.name])
    except OSError as error:
        raise LedgerError(f"The piece {piece.name} can't be read, and not be put aside: {error}.") from error
