"""A proxy before a model's server: it forwards every byte at once, and records a copy of the bodies.

It speaks whatever its upstream speaks. It holds no key: the client's key is forwarded in its header, which is not kept; only headers that name a
session are (``imports/shapes/base``).
"""

import asyncio
import hmac
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes, urlsplit

from actionledger.core.errors import UsageError, require
from actionledger.imports.live.tap import (
    LOOPBACK,
    ExchangeEnding,
    RawExchange,
    Tap,
    is_of_foreign_page,
    is_simple,
    names_this_machine,
)

require("A recording proxy", "live", "httpx", "uvicorn")
import httpx  # noqa: E402 - optional; the call above names a missing package

# Which paths a forwarded request may have, and which of its headers are forwarded.
Headers: TypeAlias = list[tuple[bytes, bytes]]

_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"upgrade",
    }
)
_OF_BODY = (b"content-", b"transfer-encoding")
_LAYERS = 4


def is_plain(path: bytes) -> bool:
    """Return whether a path stays below its root, however the upstream reads it."""
    if not path.startswith(b"/"):
        return False
    for _ in range(_LAYERS):
        parts = path.replace(b"\\", b"/").split(b"/")
        if any(part.split(b";")[0] in {b".", b".."} for part in parts):
            return False
        if (read := unquote_to_bytes(path)) == path:
            return all(0x20 <= byte != 0x7F for byte in path)
        path = read
    return False  # a path escaped this often is not meant to be read


def passed_on(headers: Iterable[tuple[bytes, bytes]], drop: Iterable[bytes]) -> Headers:
    """Return the headers that don't belong to a single connection; the body's encoding headers are always kept."""
    given = [(name.lower(), value) for name, value in headers]
    named = (value for name, value in given if name == b"connection")
    dropped = {each.strip().lower() for value in named for each in value.split(b",")}
    dropped = {name for name in dropped if not name.startswith(_OF_BODY)} | _HOP_BY_HOP | set(drop)
    return [(name, value) for name, value in given if name not in dropped]


def framed(headers: Headers) -> Headers:
    """Return headers with one way to tell where a body ends: chunked, or by its length."""
    lengths = {value.strip() for name, value in headers if name == b"content-length"}
    codings = [value.strip().lower() for name, value in headers if name == b"transfer-encoding"]
    if len(lengths) > 1 or not all(each.isdigit() for each in lengths) or codings not in ([], [b"chunked"]):
        raise ValueError("where its body ends is not plain")
    others = [each for each in headers if each[0] not in {b"content-length", b"transfer-encoding"}]
    if codings:
        return [*others, (b"transfer-encoding", b"chunked")]
    return [*others, *((b"content-length", each) for each in lengths)]


Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

SILENCE = 900.0
"""How long an upstream may be silent, in seconds; clients are usually less patient."""

_CONNECT = 30.0

TOKEN_HEADER = b"x-actionledger-token"
"""The header for the token, if it is not the first part of the path."""


class _RefusedError(Exception):
    """A request that is not forwarded."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class Proxy:
    """An ASGI application that forwards requests to an upstream.

    Raises:
        UsageError: the address is invalid, or the token can't be part of a path.
    """

    def __init__(
        self,
        upstream: str,  # the upstream's address, with a base path if it has one
        done: Callable[[RawExchange], None],  # takes each exchange; it must not block
        *,
        silence: float = SILENCE,  # how long the upstream may be silent, in seconds
        # the token that a request must have as the first part of its path or in a header; empty for none
        token: str = "",
    ) -> None:
        self._upstream = upstream_of(upstream)
        self._token = token_of(token)
        self._done = done
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(silence, connect=_CONNECT, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
            trust_env=self._upstream.host not in LOOPBACK,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; ignore anything else."""
        if scope["type"] != "http":
            return
        try:
            path = self._let_in(scope)
            target = self._target(path, scope["query_string"])
            request = _headers(scope["headers"], target)
        except _RefusedError as error:
            await _refuse(send, error.status, error.kind, str(error))
            return
        tap = Tap(self._done, scope["method"], target.path, scope["headers"])
        passage = _Passage(self._client, target, request, tap, scope=scope, receive=receive, send=send)
        await passage.run()

    async def close(self) -> None:
        """Close the connections to the upstream."""
        await self._client.aclose()

    def _let_in(self, scope: Scope) -> bytes:
        """Return the requested path, without the token."""
        headers = scope["headers"]
        path: bytes = scope.get("raw_path") or scope["path"].encode()
        path = path.partition(b"?")[0]
        if not names_this_machine(headers):
            raise _RefusedError(403, "not_loopback", "This proxy answers to names of this machine alone.")
        if self._token:
            first, slash, rest = path.removeprefix(b"/").partition(b"/")
            named = next((value for name, value in headers if name == TOKEN_HEADER), b"")
            if hmac.compare_digest(first, self._token):
                return slash + rest or b"/"
            if not hmac.compare_digest(named, self._token):
                raise _RefusedError(403, "no_token", "This proxy answers to those alone who name its token.")
        elif is_of_foreign_page(headers) or is_simple(headers):
            message = "A page may not ask this; a program that is none sends JSON, without an Origin."
            raise _RefusedError(403, "foreign_page", message)
        return path

    def _target(self, path: bytes, query: bytes) -> httpx.URL:
        """Return the upstream's URL; a base path that is repeated in the request is not doubled."""
        base = self._upstream.raw_path.rstrip(b"/")
        if not is_plain(path):
            message = "The request's target can't be asked for: it doesn't lead below the upstream's path."
            raise _RefusedError(400, "bad_target", message)
        try:
            if not (path == base or path.startswith(base + b"/")):
                path = base + path
            return self._upstream.copy_with(raw_path=path + b"?" + query if query else path)
        except httpx.InvalidURL as error:
            raise _RefusedError(
                400, "bad_target", f"The request's target can't be asked for: {error}."
            ) from error


class _Passage:
    """One request and its response."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        target: httpx.URL,
        headers: Headers,
        tap: Tap,
        *,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        self._client = client
        self._target = target
        self._headers = headers
        self._scope = scope
        self._receive = receive
        self._send = send
        self._tap = tap
        self._is_asked = asyncio.Event()
        self._is_gone = False

    async def run(self) -> None:
        """Forward the request and the response, until the end or until either side is gone."""
        passing = asyncio.create_task(self._pass())
        leaving = asyncio.create_task(self._client_leaves())
        try:
            await asyncio.wait((passing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            passing.cancel()
            with suppress(asyncio.CancelledError):
                await passing
            self._tap.over(ExchangeEnding.CLOSED)

    async def _pass(self) -> None:
        has_answered = False
        try:
            response = await self._client.send(self._request(), stream=True)
            try:
                content_type = response.headers.get("content-type", "")
                self._tap.answered(response.status_code, content_type)
                await self._send(_head(response))
                has_answered = True
                async for piece in response.aiter_raw():
                    self._tap.received(piece)
                    await self._send({"type": "http.response.body", "body": piece, "more_body": True})
                # Before the client sees the end, so that what it has seen is on its way into the ledger.
                self._tap.over(ExchangeEnding.WHOLE)
                await self._send({"type": "http.response.body", "body": b""})
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            if not self._is_gone:
                await self._fail(error, has_answered=has_answered)

    async def _fail(self, error: httpx.TransportError, *, has_answered: bool) -> None:
        """Report the upstream's failure to the client; if a part of a response was sent, close the connection in the middle."""
        is_timeout = isinstance(error, httpx.TimeoutException)
        is_odd = isinstance(error, httpx.LocalProtocolError)
        if not self._is_asked.is_set():
            with suppress(httpx.WriteError):
                async for _ in self._body():
                    pass  # recorded even if the upstream took none of it
        if has_answered:
            self._tap.over(ExchangeEnding.TIMEOUT if is_timeout else ExchangeEnding.CUT)
            return
        if is_odd:
            self._tap.over(ExchangeEnding.UNREACHABLE)
            await _refuse(self._send, 400, "bad_request", f"The request can't be passed on: {error}.")
        elif is_timeout:
            self._tap.over(ExchangeEnding.TIMEOUT)
            await _refuse(self._send, 504, "upstream_timeout", "The upstream did not answer in time.")
        else:
            reached = not isinstance(error, httpx.ConnectError)
            self._tap.over(ExchangeEnding.CUT if reached else ExchangeEnding.UNREACHABLE)
            what = "broke off before it answered" if reached else "can't be reached"
            await _refuse(self._send, 502, "upstream_failed", f"The upstream {what}.")

    def _request(self) -> httpx.Request:
        names = {name for name, _ in self._headers}
        has_body = b"content-length" in names or b"transfer-encoding" in names
        if not has_body:
            self._is_asked.set()
        return httpx.Request(
            self._scope["method"],
            self._target,
            headers=self._headers,
            content=self._body() if has_body else None,
            extensions={"timeout": self._client.timeout.as_dict()},
        )

    async def _body(self) -> AsyncIterator[bytes]:
        """Yield the request's body as it comes."""
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._leave()
                raise httpx.WriteError("the client has gone")
            piece = message.get("body", b"")
            more = message.get("more_body", False)
            self._tap.sent(piece)
            if piece:
                yield piece
        self._is_asked.set()

    async def _client_leaves(self) -> None:
        """Return when the client is gone."""
        await self._is_asked.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._leave()

    def _leave(self) -> None:
        self._is_gone = True
        self._tap.over(ExchangeEnding.CLOSED)


def upstream_of(address: str) -> httpx.URL:
    """Return an upstream's URL."""
    try:
        parts = urlsplit(address)
        url = httpx.URL(address)
    except (ValueError, httpx.InvalidURL):
        url, parts = httpx.URL(""), urlsplit("")
    if parts.scheme not in {"http", "https"} or not url.host:
        raise UsageError(f"The upstream is a URL such as https://api.anthropic.com, not {address!r}.")
    if url.userinfo or parts.query:
        raise UsageError(
            "The upstream's address holds no name, password or query: clients send their own keys."
        )
    return url


def token_of(token: str) -> bytes:
    """Return a token as part of a path."""
    if token and not re.fullmatch(r"[\w.~-]{8,200}", token, re.ASCII):
        raise UsageError(
            "A token has 8 to 200 letters, digits, dots, dashes, underscores or tildes; 'new' makes one."
        )
    return token.encode()


def _headers(given: Iterable[tuple[bytes, bytes]], target: httpx.URL) -> Headers:
    """Return the headers of the upstream request."""
    given = list(given)
    try:
        headers = framed(passed_on(given, drop=(b"host", b"accept-encoding", b"expect", TOKEN_HEADER)))
    except ValueError as error:
        raise _RefusedError(400, "bad_request", f"The request can't be passed on: {error}.") from error
    return [*headers, (b"host", target.netloc), (b"accept-encoding", _readable(given))]


def _head(response: httpx.Response) -> MutableMapping[str, Any]:
    headers = passed_on(response.headers.raw, drop=(b"transfer-encoding",))
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


def _readable(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the encoding to request: gzip if the client accepts it, since the recording can decode it."""
    taken = b",".join(value for name, value in headers if name == b"accept-encoding")
    return b"gzip" if b"gzip" in taken.lower() else b"identity"


async def _refuse(send: Send, status: int, kind: str, message: str) -> None:
    error = {
        "type": "error",
        "error": {"type": kind, "code": kind, "message": f"actionledger proxy: {message}"},
    }
    body = json.dumps(error).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
