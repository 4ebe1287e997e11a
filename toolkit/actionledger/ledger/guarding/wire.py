"""Messages between the process that runs untrusted SQL and the one that asks it, each with its length before it.

The asking process is trusted, the other is not: its messages may hold only plain values, whatever a fault of DuckDB has made of it.
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
"""Names of the errors with which the process may refuse a ledger."""

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
"""The Python types of DuckDB's values, besides numbers, texts, bytes, lists and mappings."""


@dataclass(frozen=True, slots=True)
class Place:
    """A ledger as untrusted SQL may see it."""

    path: str  # its file, or the one that locates its lake
    may_write: bool = False  # whether its folder may be written to for a moment
    without_text: bool = False  # whether every text is blank
    as_of: AsOf | None = None  # the state of a lake; None for the newest


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to the process."""

    place: Place
    folder: str  # the folder for spilled data and a result file, which nobody else uses
    seconds: float  # the time limit of a statement
    max_bytes: int  # the maximum size of a file that it writes
    environment: dict[str, str]  # the asking process's environment variables


class OverLimitError(Exception):
    """A message is longer than allowed."""


class WireTimeoutError(Exception):
    """No message came in time."""


def send(stream: IO[bytes], value: object) -> int:
    """Write a value and flush it; return its size in bytes."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    rest = memoryview(_LENGTH.pack(len(data)) + data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()
    return len(data)


def received_trusted(stream: IO[bytes]) -> Any:
    """Return the next value from the asking process."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size, lambda: None))
    return pickle.loads(_read(stream, length, lambda: None))  # noqa: S301 - from the process that has started this one


def received(stream: IO[bytes], max_bytes: int, until: float | None) -> tuple[Any, int]:
    """Return the next value from an untrusted process, and its size in bytes."""
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
    """Unpickles plain values, and calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _VALUES:
            raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")
        return super().find_class(module, name)


FORK, END = 1, 2
"""The requests: a process that answers over two descriptors, or the end of one."""


REQUEST, ANSWER = Struct("<Bq"), Struct("<q")


def ask(asking: socket.socket, what: int, value: int, *descriptors: int) -> int:
    """Send a request over a socket and return the answer."""
    socket.send_fds(asking, [REQUEST.pack(what, value)], descriptors)
    data = asking.recv(ANSWER.size, socket.MSG_WAITALL)
    if len(data) < ANSWER.size:
        raise BrokenPipeError
    (answer,) = ANSWER.unpack(data)
    return int(answer)
