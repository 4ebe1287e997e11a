"""What the processes of an import tell each other: pickled values between processes of one program, each with its length before it."""

import pickle
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from struct import Struct
from typing import IO, Any

from actionledger.imports.news import Facts, FactsOfAll, Made
from actionledger.imports.parts import Part
from actionledger.imports.prices import Prices

_LENGTH = Struct("<Q")

_ON_THEIR_WAY = 6
"""So many values may be on their way: whoever fetches them puts a ledger in order now and then, for as long as five take to be made."""


@dataclass(frozen=True, slots=True)
class HowToRead:
    """How whoever reads parts of an import is to read them: what people have said, by name.

    Args:
        texts: how raw texts are read, as ``importing.told.told`` takes it; None if unknown.
        columns: the column that holds a field, by the field's name.
        prices: what responses cost of which only the tokens are recorded.
        origin: the path that they come from, as the runs say it.
        made_bytes: how much is handed over at a time, in bytes of lines.
        secrets: the user's patterns of secrets.
        facts: what has to be known of whatever source.
    """

    texts: dict[str, Any] | None
    columns: dict[str, str]
    prices: Prices | None
    origin: str
    made_bytes: int
    secrets: tuple[str, ...]
    facts: FactsOfAll


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
class Task:
    """A part that is to be read.

    Args:
        part: the part.
        files: its files.
        facts: what has to be known of sources that the process was told nothing of.
    """

    part: Part
    files: tuple[FileOfPart, ...]
    facts: dict[str, Facts]


@dataclass(slots=True)
class Progress:
    """How far a part was read, and what was made of it since it was said last.

    Args:
        made: what was made; None where the process can't go on by itself: the rest of the part is for others to read.
        file: the place of the file, among those of the part, where the rest of it begins.
        item: the place in that file, among what its source gives.
        bytes: how much was read since, in bytes.
        ended: the files that were read to their end since, by their places, and whether without a trouble.
        is_last: whether it was read to its end.
    """

    made: Made | None
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
