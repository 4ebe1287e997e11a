"""The parts of an import that several processes read: groups of files, and the shares of large files by session."""

import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import IO, TYPE_CHECKING, Any
from zlib import crc32

from actionledger.core.compressed import SUFFIXES
from actionledger.core.errors import ActionLedgerError, in_words
from actionledger.core.recordings import RecordedSession
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.handovers import MadePart, SharedFacts, SourceFacts
from actionledger.imports.prices import Prices
from actionledger.imports.recognition import ToRead
from actionledger.imports.sources.base import Item, LeftOut, ReadFile, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.files import size_of

if TYPE_CHECKING:
    from concurrent.futures import Future

GROUP_BYTES = 4 * 2**20
"""The target size of a part, in unpacked bytes: about a second of reading."""

GROUP_FILES = 256
"""The most files in one part."""

SHARED_BYTES = 8 * GROUP_BYTES
"""Split files of at least this many unpacked bytes by session, if their format says that sessions are independent."""

WORTH_BYTES = 4 * GROUP_BYTES
"""Read less than this (unpacked bytes, in all) in one process: starting another takes half a second of reading."""

_UNPACKED = 5
"""The assumed compression ratio."""


@dataclass(frozen=True, slots=True)
class ImportPart:
    """Some files, or some sessions of one file, that one process reads."""

    number: int  # the number of the part; all shares of a file have the same one
    files: tuple[int, ...]  # the indexes of its files among those to be read
    share: int = 0  # the share of the file's sessions that it reads, from 0
    shares: int = 1  # the number of shares of the file
    size: int = 0  # the approximate unpacked size of its files, in bytes

    @property
    def is_small(self) -> bool:
        """Whether it is read in about a second."""
        return self.size <= GROUP_BYTES

    def has(self, item: Item) -> bool:
        """Return whether an item of its file belongs to it; the first share gets what belongs to no session."""
        if self.shares == 1:
            return True
        if not isinstance(item, RecordedSession):
            return self.share == 0
        return crc32(utf8_with_halves(item.external_id)) % self.shares == self.share


def unpacked_size(file: ToRead) -> int | None:
    """Return the approximate unpacked size of a file in bytes; None if unknown."""
    size = size_of(file.path)
    return size if size is None or file.path.suffix not in SUFFIXES else size * _UNPACKED


def parts_of(files: Iterable[ToRead], count: int, least_bytes: int = 0) -> Iterator[list[ImportPart]]:
    """Yield the parts of the files to be read, in order; parts of one list may be imported in any order.

    A part has about ``least_bytes`` of a ledger that takes fewer and larger pieces.
    """
    group_bytes = max(GROUP_BYTES, least_bytes)
    number, group, size = 0, list[int](), 0
    for place, file in enumerate(files):
        more = unpacked_size(file) or 0
        is_shared = file.format.stands_alone and more >= SHARED_BYTES
        if group and (is_shared or size + more > group_bytes or len(group) == GROUP_FILES):
            yield [ImportPart(number, tuple(group), size=size)]
            number, group, size = number + 1, [], 0
        if is_shared:
            yield [ImportPart(number, (place,), share, count, more) for share in range(count)]
            number += 1
        else:
            group.append(place)
            size += more
    if group:
        yield [ImportPart(number, tuple(group), size=size)]


# Items of a file, whatever error its reader meets.
class _ReadCallback:
    """Reports how far a file is read, and keeps an exception of the callback: it is no fault of the file."""

    def __init__(self, on_read: OnRead) -> None:
        self._on_read = on_read
        self.fault: Exception | None = None

    def __call__(self, count: int) -> None:
        try:
            self._on_read(count)
        except Exception as error:
            self.fault = error
            raise


def items_of(path: Path, form: str, read: ReadFile, on_read: OnRead) -> Iterator[Item]:
    """Yield a file's items; an error that stops the reader becomes a refusal, so that the other files are still read.

    A file without any item, such as one of another format, is reported as skipped.
    """
    has_none = True
    told = _ReadCallback(on_read)
    try:
        for item in read(path, told):
            has_none = False
            yield item
    except Exception as error:  # noqa: BLE001 - after any error in a format or its libraries, the other files are still read
        if told.fault is not None:
            raise told.fault from None
        is_said = isinstance(error, ActionLedgerError)
        why = str(error) if is_said else f"The reader of {form} gives up here: {in_words(error)}."
        yield Refusal(shown(path), 0, why)
    else:
        if has_none and size_of(path) != 0:
            yield LeftOut(shown(path), LeftOutReason.EMPTY, "file")


# Messages between the processes of an import: pickled values of one program, each after its length.
_LENGTH = Struct("<Q")

_ON_THEIR_WAY = 6
"""The most values in transit: the receiver sometimes puts a ledger in order, which takes as long as making five."""


@dataclass(frozen=True, slots=True)
class HowToRead:
    """The options for worker processes: what the user has named."""

    texts: Mapping[str, Any] | None  # how raw texts are parsed, as arguments of `ReadAs.of`; None if unknown
    columns: Mapping[str, str]  # the column that holds a field, by the field's name
    prices: Prices | None  # prices for responses recorded with tokens but without a cost
    origin: str  # the imported path, as the runs record it
    made_bytes: int  # how much to send at once, in bytes of lines
    secrets: tuple[str, ...]  # the user's patterns of secrets
    facts: SharedFacts  # the facts about every source


@dataclass(frozen=True, slots=True)
class FileOfPart:
    """A file to be read."""

    path: str
    form: str  # its format's name
    name: str  # the source's name in records


@dataclass(frozen=True, slots=True)
class PartTask:
    """A part to be read."""

    part: ImportPart
    files: tuple[FileOfPart, ...]
    facts: dict[str, SourceFacts]  # facts about sources that the process doesn't know yet, by name


@dataclass(slots=True)
class PartProgress:
    """The progress on a part, and the events made of it, since the last report."""

    # the events made; None if the process can't continue and the parent must read the rest of the part
    made: MadePart | None
    file: int  # the index of the file in the part where the rest begins
    item: int  # the index of the item in that file where the rest begins
    bytes: int  # how many bytes were read since the last report
    # the files read to their end since the last report: the index, and whether without an error
    ended: list[tuple[int, bool]] = field(default_factory=list)
    is_last: bool = False  # whether the part was read to its end


def send(stream: IO[bytes], value: object) -> None:
    """Write a value and flush it."""
    _write(stream, _pickled(value))


class SentBehind:
    """Sends values in order without waiting for the receiver: some are in transit while the next is made."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - slow to load, and one process reads little

        self._thread = ThreadPoolExecutor(1)
        self._on_their_way: deque[Future[None]] = deque()

    def send(self, value: object) -> None:
        """Send a value; wait only if too many are in transit."""
        data = _pickled(value)
        while len(self._on_their_way) >= _ON_THEIR_WAY:
            self._on_their_way.popleft().result()
        self._on_their_way.append(self._thread.submit(_write, self._stream, data))


def _pickled(value: object) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def received(stream: IO[bytes]) -> Any:
    """Return the next value that was sent."""
    [size] = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return pickle.loads(_exactly(stream, size))  # noqa: S301 - from a process that we started


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    data = bytearray(size)
    view, place = memoryview(data), 0
    while place < size:
        count = stream.readinto(view[place:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        place += count
    return data
