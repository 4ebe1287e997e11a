"""An HTTP client that a copy is kept of: another client of the same kind, whose requests are sent by the first.

``httpx`` and ``httpx2``, which the providers' libraries are built on, have the same interface under two names; the classes here are made for
whichever a client comes from.
"""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

from actionledger.core.errors import UsageError
from actionledger.imports.live.tap import Ending, RawExchange, Tap

_PACKAGES = frozenset({"httpx", "httpx2"})

Done = Callable[[RawExchange], None]


def package_of(client: object) -> ModuleType | None:
    """Return the package that a client is of; None where it is no HTTP client of a kind that is known."""
    roots = {each.__module__.partition(".")[0] for each in type(client).__mro__}
    name = next((root for root in roots if root in _PACKAGES), None)
    module = sys.modules[name] if name else None
    is_client = module is not None and isinstance(client, module.Client | module.AsyncClient)
    return module if is_client else None


def recorded_http(client: Any, done: Done) -> Any:
    """Return a client whose requests another one sends, with its transport, proxies, certificates and hooks."""
    package = package_of(client)
    if package is None:
        raise UsageError(f"An HTTP client of httpx or httpx2 is recorded, not {type(client).__name__}.")
    sync, asynchronous = _transports(package)
    settings = {"timeout": client.timeout, "follow_redirects": client.follow_redirects, "trust_env": False}
    if isinstance(client, package.AsyncClient):
        return package.AsyncClient(transport=asynchronous(client, done), base_url=client.base_url, **settings)
    return package.Client(transport=sync(client, done), base_url=client.base_url, **settings)


class _Sending:
    """What both kinds of transport do with a request and a response."""

    def __init__(self, package: ModuleType, client: Any, done: Done) -> None:
        self.package = package
        self.client = client
        self._done = done

    def tap(self, request: Any) -> Tap:
        accepted = request.headers.get("accept-encoding", "")
        # What comes back can be read in this encoding, and in no other one for sure.
        request.headers["accept-encoding"] = "gzip" if "gzip" in accepted else "identity"
        return Tap(self._done, request.method, request.url.path, request.headers.raw)

    def failed(self, tap: Tap, error: Exception) -> None:
        if isinstance(error, self.package.TimeoutException):
            tap.over(Ending.TIMEOUT)
        elif isinstance(error, self.package.ConnectError):
            tap.over(Ending.UNREACHABLE)
        else:
            tap.over(Ending.CUT)

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
    """Return the transports of a package, for threads and asynchronous."""
    return _sync_transport(package), _async_transport(package)


def _sync_transport(package: ModuleType) -> Callable[..., Any]:
    class Copied(package.SyncByteStream):  # type: ignore[name-defined, misc]
        """A body of which a copy is kept as it is read."""

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
            self._tap.over(Ending.WHOLE)

        def close(self) -> None:
            self._stream.close()
            self._tap.over(Ending.CLOSED)

    class Recorded(package.BaseTransport):  # type: ignore[name-defined, misc]
        """Sends requests by a client, and keeps a copy."""

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
            return self._sending.answered(tap, response, Copied)

    return Recorded


def _async_transport(package: ModuleType) -> Callable[..., Any]:
    class Copied(package.AsyncByteStream):  # type: ignore[name-defined, misc]
        """A body of which a copy is kept as it is read."""

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
            self._tap.over(Ending.WHOLE)

        async def aclose(self) -> None:
            await self._stream.aclose()
            self._tap.over(Ending.CLOSED)

    class Recorded(package.AsyncBaseTransport):  # type: ignore[name-defined, misc]
        """Sends requests by a client, and keeps a copy."""

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
            return self._sending.answered(tap, response, Copied)

    return Recorded
