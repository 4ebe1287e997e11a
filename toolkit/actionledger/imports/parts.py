"""The parts of an import, which several processes read: groups of files, and shares of large files by their sessions."""

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
"""So much is read as one part, in bytes of what is unpacked: a second or so."""

GROUP_FILES = 256
"""So many files are one part at most."""

SHARED_BYTES = 8 * GROUP_BYTES
"""A file of so many bytes, unpacked, is shared out by its sessions, where its format says that these stand alone."""

WORTH_BYTES = 4 * GROUP_BYTES
"""What is less in all, in bytes of what is unpacked, is read by one process: starting another one takes half a second of it."""

_UNPACKED = 5
"""How much larger what is compressed is taken to be."""


@dataclass(frozen=True, slots=True)
class ImportPart:
    """Some files, or some sessions of one file, that one process reads.

    Args:
        number: which part it is; the shares of a file have the same one.
        files: the places of the files among those that are to be read.
        share: which of the sessions, from 0.
        shares: among how many processes they are shared out.
        size: about how many bytes its files hold.
    """

    number: int
    files: tuple[int, ...]
    share: int = 0
    shares: int = 1
    size: int = 0

    @property
    def is_small(self) -> bool:
        """Whether it is read in a second or so."""
        return self.size <= GROUP_BYTES

    def has(self, item: Item) -> bool:
        """Return whether something in its file is its own; what is of no session is the first share's."""
        if self.shares == 1:
            return True
        if not isinstance(item, RecordedSession):
            return self.share == 0
        return crc32(utf8_with_halves(item.external_id)) % self.shares == self.share


def unpacked_size(file: ToRead) -> int | None:
    """Return about how many bytes a file holds; None if unknown."""
    size = size_of(file.path)
    return size if size is None or file.path.suffix not in SUFFIXES else size * _UNPACKED


def parts_of(files: Iterable[ToRead], count: int) -> Iterator[list[ImportPart]]:
    """Yield the parts of what is to be read, in order; of several together it makes no difference which is taken in first."""
    number, group, size = 0, list[int](), 0
    for place, file in enumerate(files):
        more = unpacked_size(file) or 0
        is_shared = file.format.stands_alone and more >= SHARED_BYTES
        if group and (is_shared or size + more > GROUP_BYTES or len(group) == GROUP_FILES):
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


# What a file gives, whatever its reader comes upon.
class _ReadCallback:
    """Tells how far a file is read, and keeps what whoever is told raises: that is no fault of the file."""

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
    """Yield what a file holds; what keeps it from being read further is a refusal, so that the other files are read.

    One in which a format finds nothing at all, as in a file of another format, is left out.
    """
    has_none = True
    told = _ReadCallback(on_read)
    try:
        for item in read(path, told):
            has_none = False
            yield item
    except Exception as error:  # noqa: BLE001 - whatever a format, or a library under it, comes upon: the other files go on
        if told.fault is not None:
            raise told.fault from None
        is_said = isinstance(error, ActionLedgerError)
        why = str(error) if is_said else f"The reader of {form} gives up here: {in_words(error)}."
        yield Refusal(shown(path), 0, why)
    else:
        if has_none and size_of(path) != 0:
            yield LeftOut(shown(path), LeftOutReason.EMPTY, "file")


# What the processes of an import tell each other: pickled values between processes of one program, each with its length before
# it.
_LENGTH = Struct("<Q")

_ON_THEIR_WAY = 6
"""So many values may be on their way: whoever fetches them puts a ledger in order now and then, for as long as five take to be made."""


@dataclass(frozen=True, slots=True)
class HowToRead:
    """How whoever reads parts of an import is to read them: what people have said, by name.

    Args:
        texts: how raw texts are read, as ``ReadAs.of`` takes it; None if unknown.
        columns: the column that holds a field, by the field's name.
        prices: what responses cost of which only the tokens are recorded.
        origin: the path that they come from, as the runs say it.
        made_bytes: how much is handed over at a time, in bytes of lines.
        secrets: the user's patterns of secrets.
        facts: what has to be known of whatever source.
    """

    texts: Mapping[str, Any] | None
    columns: Mapping[str, str]
    prices: Prices | None
    origin: str
    made_bytes: int
    secrets: tuple[str, ...]
    facts: SharedFacts


@dataclass(frozen=True, slots=True)
class FileOfPart:
    """A file that is to be read.

    Args:
        path: the file.
        form: its format's name.
        name: what records name its sessions' source.
    """

    path: str
    form: str
    name: str


@dataclass(frozen=True, slots=True)
class PartTask:
    """A part that is to be read.

    Args:
        part: the part.
        files: its files.
        facts: what has to be known of sources that the process was told nothing of.
    """

    part: ImportPart
    files: tuple[FileOfPart, ...]
    facts: dict[str, SourceFacts]


@dataclass(slots=True)
class PartProgress:
    """How far a part was read, and what was made of it since it was said last.

    Args:
        made: what was made; None where the process can't go on by itself: the rest of the part is for others to read.
        file: the place of the file, among those of the part, where the rest of it begins.
        item: the place in that file, among what its source gives.
        bytes: how much was read since, in bytes.
        ended: the files that were read to their end since, by their places, and whether without a trouble.
        is_last: whether it was read to its end.
    """

    made: MadePart | None
    file: int
    item: int
    bytes: int
    ended: list[tuple[int, bool]] = field(default_factory=list)
    is_last: bool = False


def send(stream: IO[bytes], value: object) -> None:
    """Write a value, and have it go at once."""
    _write(stream, _pickled(value))


class SentBehind:
    """Sends values one after the other, and doesn't wait until they are fetched: some are on their way while the next is made.

    Args:
        stream: where to.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - slow to load, and one process reads little

        self._thread = ThreadPoolExecutor(1)
        self._on_their_way: deque[Future[None]] = deque()

    def send(self, value: object) -> None:
        """Send a value, once no more than a few are on their way."""
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
