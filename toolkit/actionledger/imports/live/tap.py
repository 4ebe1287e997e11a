"""Keep a request and its response as they pass: bodies, times, and the headers that name a session."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from time import perf_counter
from urllib.parse import urlsplit

from actionledger.core.ids import now
from actionledger.imports.shapes.base import HEADERS

LARGEST_BODY = 32 * 2**20
"""The largest body that is kept, in bytes; a larger one is counted instead."""


class ExchangeEnding(StrEnum):
    """How an exchange ended; any value but whole is its turn's finish reason."""

    WHOLE = "whole"
    CUT = "cut_by_server"
    CLOSED = "closed_by_client"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class RawExchange:
    """A request and its response."""

    method: str  # the request's method
    path: str  # the request's path without the query, which may hold a key
    request: bytes  # the request's body
    response: bytes  # the response's body, as far as it came
    status: int | None  # the response's status; None if there was none
    is_stream: bool  # whether it was sent as server-sent events
    ending: ExchangeEnding
    is_kept: bool  # whether both bodies were small enough to keep
    started_at: datetime  # when the request began, UTC without a zone
    latency_ms: float  # the time from there to the end
    first_byte_ms: float | None  # the time from there to the body's first byte; None if none came
    headers: tuple[tuple[str, str], ...] = ()  # the request's headers that name its session, in lower case

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.request) + len(self.response)


class Tap:
    """Keeps one exchange while it passes, and passes it on at the end to ``done``, which must not block; of its headers only those that name its session."""

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
        """Pass on the exchange, once."""
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


# Who sends a request to loopback: a program on this machine, or any web page in its browser.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names of this machine."""

_OWN = frozenset({b"same-origin", b"none"})
_SIMPLE = frozenset({b"text/plain", b"application/x-www-form-urlencoded"})


def names_this_machine(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request names this machine: a web page that reaches it by another name (DNS rebinding) doesn't."""
    host = next((value for name, value in headers if name == b"host"), b"")
    try:
        return urlsplit(f"//{host.decode('latin-1')}").hostname in LOOPBACK
    except ValueError:
        return False


def is_of_foreign_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a page of another origin, even of another port here, sent a request: browsers say so, programs say nothing."""
    given = list(headers)
    own = {b"http://" + value.lower() for name, value in given if name == b"host"}
    return any(
        (name == b"origin" and value.lower() not in own)
        or (name == b"sec-fetch-site" and value.lower() not in _OWN)
        for name, value in given
    )


def is_simple(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a browser sends the request's content type for any page without a preflight; no model interface uses these types.

    Programs send files as ``multipart/form-data``, the third such type; for a page that sends it, a browser names the origin.
    """
    kinds = (value for name, value in headers if name == b"content-type")
    return any(kind.split(b";")[0].strip().lower() in _SIMPLE for kind in kinds)
