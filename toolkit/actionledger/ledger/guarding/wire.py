"""The messages between the process that runs a stranger's SQL and the one that asks it, each behind its length.

The asking process is trusted, the other one is not: of what that one says only plain values are taken, whatever a fault of DuckDB has
made of it.
"""

import io
import pickle
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import IO, Any

from actionledger.ledger.storage.store import AsOf

REFUSALS = (
    "UsageError",
    "LedgerError",
    "NotALedgerError",
    "NewerLedgerError",
    "MemoryNeededError",
    "ActionLedgerError",
)
"""What the process may refuse a ledger with, by the names of errors."""

_LENGTH = Struct("<Q")
_PIECE = 1 << 20
_LONGEST_WAIT = 3600.0

_VALUES = frozenset(
    {
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "time"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("uuid", "SafeUUID"),
        ("uuid", "UUID"),
    }
)
"""What DuckDB makes of a value beside numbers, texts, bytes, lists and mappings."""


@dataclass(frozen=True, slots=True)
class Place:
    """A ledger as a stranger's SQL may see it.

    Args:
        path: its file, or the one that says where its lake is.
        may_write: whether its folder may be written to for a moment.
        without_text: whether every text is blank.
        as_of: the state of a lake; None for the newest.
    """

    path: str
    may_write: bool = False
    without_text: bool = False
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to the process.

    Args:
        place: the ledger.
        folder: where it may spill to and leave a file: nobody else's.
        seconds: how long a statement may take.
        max_bytes: how large a file may become that it writes.
        environment: the variables of the process that asks.
    """

    place: Place
    folder: str
    seconds: float
    max_bytes: int
    environment: dict[str, str]


class OverLimitError(Exception):
    """A message is longer than it may be."""


class WireTimeoutError(Exception):
    """Nothing was said in time."""


def send(stream: IO[bytes], value: object) -> int:
    """Write a value, and have it go at once; return how many bytes it is."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    rest = memoryview(_LENGTH.pack(len(data)) + data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()
    return len(data)


def received_trusted(stream: IO[bytes]) -> Any:
    """Return the next value that the asking process has sent."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size, lambda: None))
    return pickle.loads(_read(stream, length, lambda: None))  # noqa: S301 - of the process that has started this one


def received(stream: IO[bytes], max_bytes: int, until: float | None) -> tuple[Any, int]:
    """Return the next value that a process has sent that is not trusted, and how many bytes it took."""
    poll = select.poll()
    poll.register(stream, select.POLLIN)

    def wait() -> None:
        while until is None or (left := until - time.monotonic()) > 0:
            seconds = _LONGEST_WAIT if until is None else min(left, _LONGEST_WAIT)
            if poll.poll(1000 * seconds):
                return
        raise WireTimeoutError

    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size, wait))
    if length > max_bytes:
        raise OverLimitError
    return _Plain(io.BytesIO(_read(stream, length, wait))).load(), length


def _read(stream: IO[bytes], count: int, wait: Callable[[], None]) -> bytes:
    pieces = bytearray()
    while len(pieces) < count:
        wait()
        piece = stream.read(min(count - len(pieces), _PIECE))
        if not piece:
            raise EOFError
        pieces += piece
    return bytes(pieces)


class _Plain(pickle.Unpickler):
    """Takes plain values, and calls nothing else that it is told to."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _VALUES:
            raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")
        return super().find_class(module, name)


FORK, END = 1, 2
"""What may be asked for: a process that answers over two descriptors, or the end of one."""


REQUEST, ANSWER = Struct("<Bq"), Struct("<q")


def ask(asking: socket.socket, what: int, value: int, *descriptors: int) -> int:
    """Return what the process at the other end of a socket answers."""
    socket.send_fds(asking, [REQUEST.pack(what, value)], descriptors)
    data = asking.recv(ANSWER.size, socket.MSG_WAITALL)
    if len(data) < ANSWER.size:
        raise BrokenPipeError
    (answer,) = ANSWER.unpack(data)
    return int(answer)
