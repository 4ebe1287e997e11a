"""One request and what comes back, kept while it passes: bodies and times, and of the headers those that name a session."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from time import perf_counter
from urllib.parse import urlsplit

from actionledger.core.ids import now
from actionledger.imports.shapes.base import HEADERS

LARGEST_BODY = 32 * 2**20
"""How much of a body is kept, in bytes; of a larger one nothing is, and it is counted."""


class ExchangeEnding(StrEnum):
    """How an exchange came to its end; what is not whole is the finish reason of the turn that came of it."""

    WHOLE = "whole"
    CUT = "cut_by_server"
    CLOSED = "closed_by_client"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class RawExchange:
    """A request and its response, as they passed.

    Args:
        method: of the request.
        path: where it went, without the query, which may hold a key.
        request: its body.
        response: the body that came back, or what came of it.
        status: the response's; None where there was none.
        is_stream: whether it came as server-sent events.
        ending: how it ended.
        is_kept: whether both bodies were small enough to be kept.
        started_at: when the request began, UTC without a zone.
        latency_ms: from there to the end.
        first_byte_ms: from there to the first byte of the body; None where none came.
        headers: those of the request that say whose it is, their names in small letters.
    """

    method: str
    path: str
    request: bytes
    response: bytes
    status: int | None
    is_stream: bool
    ending: ExchangeEnding
    is_kept: bool
    started_at: datetime
    latency_ms: float
    first_byte_ms: float | None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return len(self.request) + len(self.response)


class Tap:
    """Keeps one exchange while it passes, and hands it on when it is over.

    Args:
        done: takes it; it may not wait.
        method: of the request.
        path: where it goes, without the query.
        headers: the request's; those alone are kept that say whose it is.
    """

    def __init__(
        self,
        done: Callable[[RawExchange], None],
        method: str,
        path: str,
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        self._done = done
        self._method = method
        self._path = path
        self._headers = tuple(_of_session(headers))
        self._request, self._response = bytearray(), bytearray()
        self._status: int | None = None
        self._is_stream = False
        self._is_kept = True
        self._is_over = False
        self._started_at = now()
        self._began = perf_counter()
        self._first_byte: float | None = None

    def sent(self, piece: bytes) -> None:
        """Keep a piece of the request."""
        self._keep(self._request, piece)

    def answered(self, status: int, content_type: str) -> None:
        """Note the response's head."""
        self._status = status
        self._is_stream = content_type.startswith(("text/event-stream", "application/vnd.amazon.eventstream"))

    def received(self, piece: bytes) -> None:
        """Keep a piece of the response."""
        if self._first_byte is None and piece:
            self._first_byte = perf_counter()
        self._keep(self._response, piece)

    def over(self, ending: ExchangeEnding) -> None:
        """Hand on what has passed; a second time does nothing."""
        if self._is_over:
            return
        self._is_over = True
        exchange = RawExchange(
            self._method,
            self._path,
            bytes(self._request),
            bytes(self._response),
            self._status,
            self._is_stream,
            ending,
            self._is_kept,
            self._started_at,
            self._milliseconds(perf_counter()),
            None if self._first_byte is None else self._milliseconds(self._first_byte),
            self._headers,
        )
        self._done(exchange)

    def _keep(self, body: bytearray, piece: bytes) -> None:
        if self._is_kept and len(body) + len(piece) <= LARGEST_BODY:
            body += piece
        else:
            self._is_kept = False
            self._request.clear()
            self._response.clear()

    def _milliseconds(self, at: float) -> float:
        return (at - self._began) * 1000


def _of_session(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        if (known := name.decode("latin-1").lower()) in HEADERS:
            yield known, value.decode("latin-1")


# Who asks a server on loopback: a program of this machine, or a page in a browser, which may be anybody's.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""What a client may call this machine."""

_OWN = frozenset({b"same-origin", b"none"})
_SIMPLE = frozenset({b"text/plain", b"application/x-www-form-urlencoded"})


def names_this_machine(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request names this machine: a page of a browser that another name was made to lead here doesn't."""
    host = next((value for name, value in headers if name == b"host"), b"")
    try:
        return urlsplit(f"//{host.decode('latin-1')}").hostname in LOOPBACK
    except ValueError:
        return False


def is_of_foreign_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a page of another origin asks, one of another port of this machine among them; a browser says so, a program says nothing."""
    given = list(headers)
    own = {b"http://" + value.lower() for name, value in given if name == b"host"}
    return any(
        (name == b"origin" and value.lower() not in own)
        or (name == b"sec-fetch-site" and value.lower() not in _OWN)
        for name, value in given
    )


def is_simple(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request's body is of a kind that a browser sends for any page without asking, and no model's interface takes.

    Programs send files as ``multipart/form-data``, the third of these kinds; of a page that sends it a browser says where it is from.
    """
    kinds = (value for name, value in headers if name == b"content-type")
    return any(kind.split(b";")[0].strip().lower() in _SIMPLE for kind in kinds)
