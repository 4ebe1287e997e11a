"""Any call of a model as it happens: its answer, its duration, and its error."""

import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from time import monotonic
from types import ModuleType
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.processes import watch
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.live.tap import ExchangeEnding, RawExchange, Tap
from actionledger.imports.shapes.base import Message, Response
from actionledger.imports.shapes.bodies import exchange_of
from actionledger.imports.shapes.exchanges import Exchange, Exchanges
from actionledger.imports.sources.base import Item, LeftOut
from actionledger.imports.turn_recorder import possible_usage, recorded_turn
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import next_turn_indexes
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.placement import place_taken, remove_old_places

# Traffic between a program and its model: provider bodies read as turns of sessions.
SOURCE = "live"
"""The source's name in records for live recordings."""

UNFINISHED = "unfinished"
"""The finish reason of a stream that ended normally without one."""

_NO_MODEL = ("count_tokens", "input_tokens", "embeddings", "tokenize")
_REFUSED = 400


class WireReader:
    """Makes turns of exchanges, in the order in which they ended."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._exchanges = Exchanges(SOURCE)

    def read(self, raw: RawExchange) -> Iterator[Item]:
        """Yield what an exchange adds to its session, and what is skipped."""
        what = f"{raw.method} {raw.path.rpartition('/')[2]}"
        if not raw.is_kept:
            yield LeftOut(self._origin, LeftOutReason.TOO_LARGE, what)
            return
        asks_a_model = raw.method == "POST" and not raw.path.endswith(_NO_MODEL)
        exchange = exchange_of(raw.request, raw.response, raw.path, raw.headers) if asks_a_model else None
        if exchange is None:
            yield LeftOut(self._origin, LeftOutReason.UNKNOWN_KIND, what)
            return
        yield from self._exchanges.add(exchange._replace(response=_as_it_ended(exchange, raw)))
        for (reason, detail), count in self._exchanges.passed.items():
            yield LeftOut(self._origin, reason, detail, count)
        self._exchanges.passed.clear()


def _as_it_ended(exchange: Exchange, raw: RawExchange) -> Response:
    """Return a model's response with times and the kind of ending, from the wire."""
    if raw.status is None or raw.status >= _REFUSED:
        status = "" if raw.status is None else f"{raw.status} "
        kind = exchange.response.error if raw.ending is ExchangeEnding.WHOLE else str(raw.ending)
        return Response((), f"{status}{kind}".strip())
    if not exchange.response.messages:
        kind = exchange.response.error if raw.ending is ExchangeEnding.WHOLE else str(raw.ending)
        return replace(exchange.response, error=kind)
    first, *others = exchange.response.messages
    return replace(exchange.response, messages=(_timed(first, raw), *others))


def _timed(message: Message, raw: RawExchange) -> Message:
    finish_reason = message.usage.finish_reason
    if raw.ending is not ExchangeEnding.WHOLE and not finish_reason:
        finish_reason = str(raw.ending)
    usage = replace(
        message.usage,
        latency_ms=raw.latency_ms,
        time_to_first_token_ms=raw.first_byte_ms if raw.is_stream else None,
        finish_reason=finish_reason or (UNFINISHED if raw.is_stream else ""),
    )
    return replace(message, usage=usage, occurred_at=message.occurred_at or raw.started_at)


FRESH = 5.0
"""How long the ledger's next turn indexes are trusted, in seconds: others may record into the same sessions."""


@dataclass(frozen=True, slots=True)
class CallAbout:
    """The session, task and other details of calls, known before they are made."""

    session: str
    model: str = ""  # the language model
    task: str = ""  # what the session is about
    profile: str | None = None  # the profile whose parser parses texts; None for every format
    # the tools that the model is offered, as the OpenAI interface takes them
    tools: list[JsonMap] | None = None
    # the process that created this; a forked child has its parent's session name, which the parent continues
    process: int = field(default_factory=os.getpid)

    @property
    def own_session(self) -> str:
        """The session of this process: in its parent's session, its turns would take the indexes of the parent's."""
        process = os.getpid()
        return self.session if process == self.process else f"{self.session} (process {process})"


@dataclass(frozen=True, slots=True)
class Answered:
    """A call that was made."""

    about: CallAbout  # its session and other details
    # the answer: a text, or a provider's message, response or pieces as decoded JSON; None if it is neither
    answer: Any
    kind: str  # its original type
    error: str  # the kind of error; empty if it succeeded
    started_at: datetime  # when it began, UTC without a zone
    latency_ms: float  # its duration
    size: int  # its approximate size in bytes
    more: JsonMap = field(default_factory=dict)  # other values, by the parameters of `Ledger.record_turn`


class CallReader:
    """Makes turns of calls, in order."""

    def __init__(self, ledger: Ledger, origin: str) -> None:
        self._ledger = ledger
        self._origin = origin
        self._places = LedgerFiles.at(ledger.path).places
        self.start_over()
        remove_old_places(self._places)
        watch(self)

    def start_over(self) -> None:
        """Forget the turn indexes, in a forked child: the parent has continued its sessions."""
        self._next: dict[str, int] = {}
        self._there: dict[str, int] = {}
        self._asked_at = -FRESH

    def read(self, made: Answered) -> Iterator[Item]:
        """Yield what a call adds to its session, or a skip."""
        if made.error:
            yield LeftOut(self._origin, LeftOutReason.NO_RESPONSE, made.error[:40])
            return
        about, is_text, took = made.about, isinstance(made.answer, str), made.more.get("usage")
        try:
            turn = recorded_turn(
                made.answer if is_text else None,
                None if is_text else made.answer,
                tools=about.tools,
                results=made.more.get("results", ()),
                usage=None if took is None else possible_usage(took),
                at=made.started_at,
                prompt=made.more.get("prompt"),
            )
        except UsageError:
            yield LeftOut(self._origin, LeftOutReason.UNKNOWN_KIND, made.kind[:40])
            return
        usage = replace(turn.usage, latency_ms=turn.usage.latency_ms or made.latency_ms)
        session = about.own_session
        yield RecordedSession(
            session,
            about.profile,
            about.model,
            about.task,
            (replace(turn, index=self._index(session), usage=usage),),
            source=SOURCE,
            is_last=False,
        )

    def _index(self, session: str) -> int:
        """Return the index of a session's next turn, reserved among processes; if it can't be reserved, by this process's knowledge."""
        session_id = derived_id("session", SOURCE, session)
        known = self._next.get(session)
        asked = cache(lambda: self._known().get(session_id, 0))
        index = asked() if known is None else known
        with suppress(OSError), place_taken(self._places, session_id, known, asked) as place:
            index = place.index
            place.next += 1
        self._next[session] = index + 1
        return index

    def _known(self) -> dict[str, int]:
        """Return the next turn index of each session; one query for all makes a single session cheap."""
        if monotonic() - self._asked_at >= FRESH:
            self._there = next_turn_indexes(self._ledger, SOURCE)
            self._asked_at = monotonic()
        return self._there


def plain(answer: object) -> tuple[Any, int]:
    """Return a copy of an answer, a text or decoded JSON, and its approximate size in bytes; None if it is neither."""
    if isinstance(answer, str):
        return answer, len(answer)
    dump = getattr(answer, "model_dump", None)
    try:
        written = json.dumps(dump(mode="json") if callable(dump) else answer)
    except (TypeError, ValueError, RecursionError):
        return None, 0
    return json.loads(written), len(written)


# A recorded HTTP client: another client of the same kind, whose requests are sent by the original.
_PACKAGES = frozenset({"httpx", "httpx2"})

Done = Callable[[RawExchange], None]


def package_of(client: object) -> ModuleType | None:
    """Return the package of an HTTP client; None if it is no known client."""
    roots = {each.__module__.partition(".")[0] for each in type(client).__mro__}
    name = next((root for root in roots if root in _PACKAGES), None)
    module = sys.modules[name] if name else None
    is_client = module is not None and isinstance(client, module.Client | module.AsyncClient)
    return module if is_client else None


def recorded_http(client: Any, done: Done) -> Any:
    """Return a client whose requests the original sends, with its transport, proxies, certificates and hooks."""
    package = package_of(client)
    if package is None:
        raise UsageError(f"An HTTP client of httpx or httpx2 is recorded, not {type(client).__name__}.")
    sync, asynchronous = _transports(package)
    settings = {"timeout": client.timeout, "follow_redirects": client.follow_redirects, "trust_env": False}
    if isinstance(client, package.AsyncClient):
        return package.AsyncClient(transport=asynchronous(client, done), base_url=client.base_url, **settings)
    return package.Client(transport=sync(client, done), base_url=client.base_url, **settings)


class _Sending:
    """The recording of a request and its response, shared by the blocking and the asynchronous transport."""

    def __init__(self, package: ModuleType, client: Any, done: Done) -> None:
        self.package = package
        self.client = client
        self._done = done

    def tap(self, request: Any) -> Tap:
        accepted = request.headers.get("accept-encoding", "")
        # The recording can decode this encoding, and isn't sure to decode another.
        request.headers["accept-encoding"] = "gzip" if "gzip" in accepted else "identity"
        return Tap(self._done, request.method, request.url.path, request.headers.raw)

    def failed(self, tap: Tap, error: Exception) -> None:
        if isinstance(error, self.package.TimeoutException):
            tap.over(ExchangeEnding.TIMEOUT)
        elif isinstance(error, self.package.ConnectError):
            tap.over(ExchangeEnding.UNREACHABLE)
        else:
            tap.over(ExchangeEnding.CUT)

    def answered(self, tap: Tap, response: Any, stream: Any) -> Any:
        tap.answered(response.status_code, response.headers.get("content-type", ""))
        return self.package.Response(
            response.status_code,
            headers=response.headers,
            stream=stream(response.stream, tap, self),
            extensions=response.extensions,
        )


def _is_json(request: Any) -> bool:
    return "json" in request.headers.get("content-type", "")


@cache
def _transports(package: ModuleType) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a package's synchronous and asynchronous transports."""
    return _sync_transport(package), _async_transport(package)


def _sync_transport(package: ModuleType) -> Callable[..., Any]:
    class CopiedBody(package.SyncByteStream):  # type: ignore[name-defined, misc]
        """A body that is copied as it is read."""

        def __init__(self, stream: Any, tap: Tap, sending: _Sending) -> None:
            self._stream, self._tap, self._sending = stream, tap, sending

        def __iter__(self) -> Iterator[bytes]:
            try:
                for piece in self._stream:
                    self._tap.received(piece)
                    yield piece
            except package.TransportError as error:
                self._sending.failed(self._tap, error)
                raise
            self._tap.over(ExchangeEnding.WHOLE)

        def close(self) -> None:
            self._stream.close()
            self._tap.over(ExchangeEnding.CLOSED)

    class Recorded(package.BaseTransport):  # type: ignore[name-defined, misc]
        """Sends requests through a client, and copies them."""

        def __init__(self, client: Any, done: Done) -> None:
            self._sending = _Sending(package, client, done)

        def handle_request(self, request: Any) -> Any:
            tap = self._sending.tap(request)
            if _is_json(request):
                tap.sent(request.read())
            try:
                response = self._sending.client.send(request, stream=True, auth=None, follow_redirects=False)
            except package.TransportError as error:
                self._sending.failed(tap, error)
                raise
            return self._sending.answered(tap, response, CopiedBody)

    return Recorded


def _async_transport(package: ModuleType) -> Callable[..., Any]:
    class CopiedBody(package.AsyncByteStream):  # type: ignore[name-defined, misc]
        """A body that is copied as it is read."""

        def __init__(self, stream: Any, tap: Tap, sending: _Sending) -> None:
            self._stream, self._tap, self._sending = stream, tap, sending

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for piece in self._stream:
                    self._tap.received(piece)
                    yield piece
            except package.TransportError as error:
                self._sending.failed(self._tap, error)
                raise
            self._tap.over(ExchangeEnding.WHOLE)

        async def aclose(self) -> None:
            await self._stream.aclose()
            self._tap.over(ExchangeEnding.CLOSED)

    class Recorded(package.AsyncBaseTransport):  # type: ignore[name-defined, misc]
        """Sends requests through a client, and copies them."""

        def __init__(self, client: Any, done: Done) -> None:
            self._sending = _Sending(package, client, done)

        async def handle_async_request(self, request: Any) -> Any:
            tap = self._sending.tap(request)
            if _is_json(request):
                tap.sent(await request.aread())
            sending = self._sending.client.send(request, stream=True, auth=None, follow_redirects=False)
            try:
                response = await sending
            except package.TransportError as error:
                self._sending.failed(tap, error)
                raise
            return self._sending.answered(tap, response, CopiedBody)

    return Recorded
