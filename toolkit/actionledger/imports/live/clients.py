"""Recording in one line: of a provider's client, an HTTP client, a function that calls a model, or a block of code."""

import atexit
import inspect
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import UsageError, require_path
from actionledger.core.ids import new_id, now
from actionledger.imports.live.calls import (
    SOURCE,
    Answered,
    CallAbout,
    CallReader,
    WireReader,
    package_of,
    plain,
    recorded_http,
)
from actionledger.imports.live.recording import Recording
from actionledger.imports.live.tap import RawExchange
from actionledger.imports.prices import Prices
from actionledger.imports.sources.base import Item
from actionledger.ledger import Ledger, open_ledger

AnyLedger: TypeAlias = Ledger | str | os.PathLike[str]
"""A ledger, or its path."""

AnyPath: TypeAlias = str | os.PathLike[str]
"""A path of a file."""

Target = TypeVar("Target")

_recordings: "WeakKeyDictionary[Ledger, Recording[Any]]" = WeakKeyDictionary()
_opened: dict[Path, Ledger] = {}
_lock = Lock()


def record(
    target: Target,
    *,
    ledger: AnyLedger,
    session: str = "",
    model: str = "",
    task: str = "",
    profile: str | None = None,
    tools: list[JsonMap] | None = None,
    prices: Prices | AnyPath | None = None,
) -> Target:
    """Return a client or function that works as before and whose model responses are recorded.

    A separate thread records, so that a slow, full or broken ledger doesn't affect the call.

    Args:
        target: a client of OpenAI's or Anthropic's library, synchronous or asynchronous, or of ``httpx``: its requests become sessions by the history
            that they repeat. Or a function that calls a model: each text, message or response that it returns or yields is a turn.
        ledger: an open ledger, which writes what is queued when it is closed, or its path, open until the program ends.
        session: for a function, the session of its calls; one of its own by default.
        model: for a function, the language model.
        task: for a function, what the session is about.
        profile: for a function, the profile whose parser parses texts; every format by default.
        tools: for a function, the tools that the model is offered, as the OpenAI interface takes them.
        prices: prices for responses with tokens but without a cost, or the price file; the same for all recordings into the ledger.

    Raises:
        SourceError: the prices can't be read.
        UsageError: the target can't be recorded, or the ledger's recording has other prices.
        LedgerError: the ledger can't be opened.

    Example:
        >>> def ask(question):
        ...     return f'<tool_call>{{"name": "add", "arguments": {{"a": {question}}}}}</tool_call>'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     answer = al.record(ask, ledger=ledger, session="s1")(1)
        >>> with al.open_ledger("team.duckdb", read_only=True) as ledger:
        ...     ledger.sql("SELECT name, arguments FROM actions").fetchall()
        [('add', '{"a":1}')]
    """
    client: Any = target
    http = client if package_of(client) else getattr(client, "_client", None)
    if package_of(http):
        copied = recorded_http(http, recording_of(ledger, prices).put)
        return cast("Target", copied if http is client else client.with_options(http_client=copied))
    if not callable(target):
        raise UsageError(
            f"A client of OpenAI, Anthropic or httpx is recorded, or a function; not {type(target).__name__}."
        )
    name = session or f"{getattr(target, '__name__', 'calls')} {new_id()}"
    about = CallAbout(name, model, task, profile, tools)
    return cast("Target", _recorded_function(target, recording_of(ledger, prices), about))


class Call:
    """One call of a model in progress."""

    def __init__(self) -> None:
        self.value: Any = None
        self.more: JsonDict = {}

    def answered(self, value: object, **more: Any) -> None:
        """Set the model's answer.

        Args:
            value: a text, or a provider's message or response.
            **more: ``usage``, ``prompt`` and ``results``, as ``Ledger.record_turn`` takes them.
        """
        self.value, self.more = value, more


@contextmanager
def recorded_call(
    ledger: AnyLedger,
    session: str,
    *,
    model: str = "",
    task: str = "",
    profile: str | None = None,
    tools: list[JsonMap] | None = None,
    prices: Prices | AnyPath | None = None,
) -> Iterator[Call]:
    """Record the model's answer in a block of code, its duration, or the kind of error that ended it.

    Args:
        ledger: an open ledger, or its path.
        session: the session that it belongs to.
        model: the language model.
        task: what the session is about.
        profile: the profile whose parser reads texts; every format by default.
        tools: the tools that the model is offered, as the OpenAI interface takes them.
        prices: prices for responses with tokens but without a cost, or the price file; the same for all recordings into the ledger.

    Raises:
        SourceError: the prices can't be read.
        UsageError: the ledger's recording has other prices.
        LedgerError: the ledger can't be opened.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.recorded_call(ledger, "s1", model="m") as call:
        ...         call.answered("All done.", usage={"output_tokens": 3})
        >>> with al.open_ledger("team.duckdb", read_only=True) as ledger:
        ...     ledger.sql("SELECT text, output_tokens FROM turns").fetchall()
        [('All done.', 3)]
    """
    call = Call()
    with _measured(recording_of(ledger, prices), CallAbout(session, model, task, profile, tools), call):
        yield call


def recording_of(ledger: AnyLedger, prices: Prices | AnyPath | None = None) -> Recording[Any]:
    """Return the ledger's one recording, which ends when the ledger is closed or the program ends."""
    costs = prices if prices is None or isinstance(prices, Prices) else Prices.of(prices)
    there = opened(ledger)
    with _lock:
        if there not in _recordings:
            _recordings[there] = _begun(there)
        recording = _recordings[there]
    if costs is not None:
        recording.price_by(costs)
    return recording


def opened(ledger: AnyLedger) -> Ledger:
    """Return a ledger; one given by its path stays open until the program ends."""
    if isinstance(ledger, Ledger):
        return ledger
    require_path("A ledger that is not open yet", ledger)
    path = Path(ledger).absolute()
    with _lock:
        if path not in _opened:
            _opened[path] = open_ledger(path)
            atexit.register(_opened[path].close)
        return _opened[path]


def _begun(ledger: Ledger) -> Recording[Any]:
    origin = f"program {now():%Y-%m-%d %H:%M:%S.%f}"
    wire, calls = WireReader(origin), CallReader(ledger, origin)

    def read(thing: RawExchange | Answered) -> Iterator[Item]:
        return wire.read(thing) if isinstance(thing, RawExchange) else calls.read(thing)

    recording: Recording[Any] = Recording(ledger, read, source=SOURCE, origin=origin)
    ledger.internals.before_close(recording.close)
    return recording


@contextmanager
def _measured(recording: Recording[Any], about: CallAbout, call: Call) -> Iterator[None]:
    """Record a call when it ends, with or without an error."""
    started_at, began = now(), perf_counter()

    def put(error: str) -> None:
        latency = (perf_counter() - began) * 1000
        value, size = plain(call.value)
        kind = type(call.value).__name__
        recording.put(Answered(about, value, kind, error, started_at, latency, size, call.more))

    try:
        yield
    except GeneratorExit:
        put("")  # the caller stopped reading
        raise
    except BaseException as error:
        put(type(error).__name__)
        raise
    put("")


def _recorded_function(function: Any, recording: Recording[Any], about: CallAbout) -> Any:
    """Return a recorded function of the same kind: plain, asynchronous, or a generator."""
    if inspect.isasyncgenfunction(function):

        @wraps(function)
        async def yielding_later(*args: Any, **named: Any) -> AsyncIterator[Any]:
            call, pieces = Call(), list[Any]()
            with _measured(recording, about, call):
                try:
                    async for piece in function(*args, **named):
                        pieces.append(piece)
                        yield piece
                finally:
                    call.answered(_joined(pieces))

        return yielding_later
    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def yielding(*args: Any, **named: Any) -> Iterator[Any]:
            call, pieces = Call(), list[Any]()
            with _measured(recording, about, call):
                try:
                    for piece in function(*args, **named):
                        pieces.append(piece)
                        yield piece
                finally:
                    call.answered(_joined(pieces))

        return yielding
    return _recorded_returning(function, recording, about)


def _recorded_returning(function: Any, recording: Recording[Any], about: CallAbout) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def returning_later(*args: Any, **named: Any) -> Any:
            call = Call()
            with _measured(recording, about, call):
                answer = await function(*args, **named)
                call.answered(answer)
            return answer

        return returning_later

    @wraps(function)
    def returning(*args: Any, **named: Any) -> Any:
        call = Call()
        with _measured(recording, about, call):
            answer = function(*args, **named)
            call.answered(answer)
        return answer

    return returning


def _joined(pieces: list[Any]) -> object:
    """Return the joined text pieces; other pieces are returned unchanged, as an unknown answer."""
    return "".join(pieces) if all(isinstance(piece, str) for piece in pieces) else pieces
