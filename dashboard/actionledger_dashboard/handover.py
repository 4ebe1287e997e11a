"""Files for a single download: each waits in a private folder until a browser requests it, and is sent in pieces.

Streamlit keeps a download's whole content in memory until the page has run twice more. So it gets a ticket instead, and a
request for the ticket returns the file. The file's name, type and permission remain Streamlit's.
"""

import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from threading import Timer
from typing import NamedTuple

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from actionledger.core.files import TemporaryFolder

SECONDS = 120.0
"""How long a file waits, in seconds. A browser requests it at once, unless its page was closed."""

_MARK = b"actionledger-export:"
_LENGTH = len(_MARK) + len(secrets.token_hex())
_PIECE = 1 << 20
_GOES_THERE = "navigate"
"""The fetch mode of a browser's request for something to show or save."""

_GONE = "This file was downloaded already, or has expired; export it again."


class _Waiting(NamedTuple):
    """A file that waits for its browser."""

    file: Path  # its path
    folder: TemporaryFolder  # its folder, which has nothing else
    limit: Timer  # the timer that removes it


_waiting: dict[bytes, _Waiting] = {}


def ticket_of(name: str, write: Callable[[Path], object]) -> bytes:
    """Write a file, and return an unguessable ticket that is good for one download."""
    folder = TemporaryFolder("export")
    try:
        file = folder.path / name
        write(file)
    except BaseException:
        folder.remove()
        raise
    ticket = _MARK + secrets.token_hex().encode()
    limit = Timer(SECONDS, _forget, [ticket])
    limit.daemon = True
    _waiting[ticket] = _Waiting(file, folder, limit)
    limit.start()
    return ticket


def _forget(ticket: bytes) -> None:
    if found := _waiting.pop(ticket, None):
        found.folder.remove()


class HandOver:
    """Answers a browser's request for a ticket with the file, which is removed afterwards, even if it was only partly read.

    Streamlit's page requests that address too, for the status alone; it gets the ticket. Old browsers don't say which
    request it is; they get the file, which stays until its time is over.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app  # the app that makes the responses, including tickets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and return any response without a ticket unchanged."""
        start: Message | None = None

        async def send_or_hand_over(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _may_have_ticket(message):
                start = message
                return
            begun, start = start, None
            if begun and message.get("body", b"").startswith(_MARK):
                await _hand_over(message["body"], begun, scope, receive, send)
                return
            if begun:
                await send(begun)
            await send(message)

        await self._app(scope, receive, send_or_hand_over if _is_download(scope) else send)


def _is_download(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and scope["path"].startswith("/media/")
        and _mode(scope) in {None, _GOES_THERE}
    )


def _mode(scope: Scope) -> str | None:
    return Headers(scope=scope).get("sec-fetch-mode")


def _may_have_ticket(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-length") == str(_LENGTH)


async def _hand_over(ticket: bytes, start: Message, scope: Scope, receive: Receive, send: Send) -> None:
    """Send a file with its ticket's headers."""
    is_last = _mode(scope) == _GOES_THERE
    found = _waiting.pop(ticket, None) if is_last else _waiting.get(ticket)
    if found is None:
        await PlainTextResponse(_GONE, 410)(scope, receive, send)
        return
    try:
        response = StreamingResponse(_pieces(found.file))
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-length"] = str(found.file.stat().st_size)
        headers["accept-ranges"] = "none"  # the file is gone when a browser requests a part of it
        del headers["content-range"]
        response.raw_headers = headers.raw
        await response(scope, receive, send)
    finally:
        if is_last:
            found.limit.cancel()
            found.folder.remove()


async def _pieces(file: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(file, "rb") as opened:
        while piece := await opened.read(_PIECE):
            yield piece
