"""Serves the dashboard to this machine alone: the document that a browser opens, and a policy that lets a page reach no other host."""

import logging
import os
import re
import socket
import threading
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from actionledger.core.errors import ActionLedgerError, LedgerError, UsageError
from actionledger.ledger.storage.memory import FIRST_VARIABLE, limit_for
from actionledger_dashboard import ALLOWED_VARIABLE, LEDGER_VARIABLE, READ_ONLY_VARIABLE
from actionledger_dashboard.components.wording import visible
from actionledger_dashboard.handover import HandOver
from actionledger_dashboard.loading import APP, load, pages, script_of
from actionledger_dashboard.login import allowed_by_settings

_STATIC = Path(st.__file__).with_name("static")
_PARTS = ("BidiComponent", "Selectbox")
"""What Streamlit calls the parts that pages begin with: our own ones, and the choice of a time in the bar of filters."""

_PARTS_OF_PAGES = ("_stcore", "component", "media", "static")
"""Where Streamlit keeps what pages are made of."""

_IMPORTED = re.compile(rb'(?:from|import)\s*"\./([\w.-]+\.js)"')

# Else Streamlit looks for its server below the page's own address first, and asks how it is before it opens its socket. The cookie is the
# answer's, and a login is only seen by a socket that has it.
_WHERE = (
    "window.__streamlit={BACKEND_BASE_URL:location.origin,"
    "...(document.cookie.includes('_streamlit_xsrf=')&&{HOST_CONFIG:{allowedOrigins:[location.origin],useExternalAuthToken:false}})}"
)


def routes_of(pages: Iterable[str]) -> list[Route]:
    """Return the routes that serve the document where each page is."""
    return [Route(f"/{page}", _serve) for page in pages]


def script_sources() -> str:
    """Return the hashes of the scripts that stand in the document itself, as a policy names them."""
    scripts = re.findall(r"<script>(.*?)</script>", document(), re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


@cache
def document() -> str:
    """Return the document: Streamlit's own, what we add to its head, and our style behind all of Streamlit's."""
    whole = (_STATIC / "index.html").read_text(encoding="utf-8")
    style = Path(__file__).with_name("app.css").read_text(encoding="utf-8")
    named = "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">\n' for name in _scripts()
    )
    return (
        whole.replace('<script type="module"', f'<script>{_WHERE}</script>\n<script type="module"', 1)
        .replace("</head>", f"{named}</head>", 1)
        .replace("</body>", f"<style>{style}</style></body>", 1)
    )


class EveryAddress:
    """Answers an address of no page with the document, too, which then says that there is none.

    Streamlit answers with its own, whose scripts are named from the address on: below another one, such as ``/sessions/x``, there are
    none, and the window stayed empty.

    Args:
        app: what makes the responses.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and back what is no document of Streamlit's as it is."""
        is_replaced = False

        async def send_ours(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start" and _is_document(scope, message):
                is_replaced = True
                await _response(scope["path"])(scope, receive, send)
            elif not is_replaced:
                await send(message)

        await self._app(scope, receive, send_ours if scope["type"] == "http" else send)


def _is_document(scope: Scope, start: Message) -> bool:
    """Return whether a response is a page to look at, and neither a part of one nor a file to keep."""
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    return (
        scope["method"] == "GET"
        and start["status"] == HTTPStatus.OK
        and headers.get(b"content-type", b"").startswith(b"text/html")
        and b"content-disposition" not in headers
        and any(name.lower() == b"accept" and b"text/html" in value for name, value in scope["headers"])
        and scope["path"].split("/")[1] not in _PARTS_OF_PAGES
    )


def _response(path: str) -> HTMLResponse:
    """Return the document; its scripts and links begin at the first page, whatever address it is asked for under."""
    is_below = path.count("/") > 1
    whole = document().replace("<head>", '<head><base href="/">', 1) if is_below else document()
    return HTMLResponse(whole, headers={"cache-control": "no-cache"})


async def _serve(request: Request) -> HTMLResponse:
    return _response(request.url.path)


def _scripts() -> list[str]:
    """Return the scripts that pages begin with, behind those that Streamlit's own document names."""
    return sorted(_with_imports(_PARTS) - _with_imports(("index",)))


def _with_imports(parts: Iterable[str]) -> set[str]:
    """Return the files of parts and of all that they import, whose names have a hash in them."""
    folder = _STATIC / "static" / "js"
    found: set[str] = set()
    begun = [file.name for part in parts for file in folder.glob(f"{part}.*.js")]
    while begun:
        name = begun.pop()
        if name not in found:
            found.add(name)
            begun += _imports(folder / name)
    return found


def _imports(file: Path) -> Iterator[str]:
    return (name.decode() for name in _IMPORTED.findall(file.read_bytes()))


_LOGGER = "streamlit.runtime.backend_operation_handler"
"""Where Streamlit logs what a download button's callable raised."""


def say_no_more_than_why() -> None:
    """Have Streamlit log a sentence where it knows one; what nobody has foreseen keeps its traceback."""
    logging.getLogger(_LOGGER).addFilter(_as_sentence)


def _as_sentence(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    why = error.__cause__ if error else None
    if isinstance(why, ActionLedgerError | OSError):
        record.msg, record.args = "No file was made. %s", (visible(str(why)),)
        record.exc_info = record.exc_text = None
    return True


ADDRESS = "127.0.0.1"
HOSTS = (ADDRESS, "localhost")
FIRST_PORT = 8501
PORTS = 100
THEMES = {
    "light": "#2463a3",
    "dark": "#7db4ee",
}  # the primary colour of each: it is text on their own backgrounds

# Streamlit imports a component's script from a blob and styles its elements inline; the page has a line of script of its
# own and one of ours, which are let in by their hashes. No other script runs, whatever a text says.
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "script-src 'self' blob: {scripts}; font-src 'self' data:; "
    "connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; worker-src 'self' blob:; frame-src 'none'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)


class SecurityHeaders:
    """Adds to every response what keeps a page from reaching another host, whatever a model wrote into it.

    Args:
        app: what makes the responses.
        port: the port that it is served on.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._headers = [
            (b"content-security-policy", POLICY.format(port=port, scripts=script_sources()).encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its response back with the headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class OwnOrigin:
    """Refuses what a page of another origin asks for, a page of another port of this machine among them: it would see the ledger.

    A browser says of each socket, and of each request that crosses origins, which page it is from; other programs say nothing and
    may read the ledger's file anyway.

    Args:
        app: what answers the others.
        port: the port that it is served on.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._own = {f"http://{host}:{port}".encode() for host in HOSTS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it is a foreign page's."""
        foreign = [
            value
            for name, value in scope.get("headers", ())
            if name.lower() == b"origin" and value not in self._own
        ]
        if not foreign:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the status is 403
        else:
            await PlainTextResponse("A page of another origin may not ask this.", 403)(scope, receive, send)


def serve(ledger: Path, port: int | None = None, *, headless: bool = True, read_only: bool = False) -> int:
    """Serve the dashboard until it is interrupted.

    Args:
        ledger: the ledger to show.
        port: where to listen on 127.0.0.1; None for the first free one from 8501 on.
        headless: whether to leave the browser alone.
        read_only: whether nobody may write anything from a page.

    Returns:
        The exit code for a shell.

    Raises:
        LedgerError: there is no such ledger.
        UsageError: no port is free, or a login is asked for in a way that can't work.
    """
    if not ledger.exists():
        raise LedgerError(
            f"There is no ledger at {ledger}; 'actionledger import' or 'actionledger demo' makes one."
        )
    os.environ[LEDGER_VARIABLE] = str(ledger.resolve())
    os.environ[FIRST_VARIABLE] = limit_for(ledger)
    _say(READ_ONLY_VARIABLE, "1" if read_only else None)
    chosen = free_port() if port is None else port
    settings = _configuration(chosen, headless=headless)
    config.get_config_options(
        force_reparse=True, options_from_flags=settings
    )  # or Streamlit asks to be restarted
    allowed = allowed_by_settings()
    _say(ALLOWED_VARIABLE, None if allowed is None else "\n".join(allowed))
    say_no_more_than_why()
    load(APP)
    app = st.App(
        APP,
        routes=routes_of(pages()),
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS)),
            Middleware(OwnOrigin, port=chosen),
            Middleware(SecurityHeaders, port=chosen),
            Middleware(EveryAddress),
            Middleware(HandOver),
        ],
        lifespan=_warm,
    )
    app.run(config=settings)
    return 0


def _say(variable: str, value: str | None) -> None:
    """Tell the pages something, whatever somebody else has said before."""
    os.environ.pop(variable, None)
    if value is not None:
        os.environ[variable] = value


def _configuration(port: int, *, headless: bool) -> dict[str, Any]:
    return {
        "server.address": ADDRESS,
        "server.port": port,
        "server.headless": headless,
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": False,
        "runner.magicEnabled": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        **{f"theme.{theme}.primaryColor": colour for theme, colour in THEMES.items()},
    }


def free_port(first: int = FIRST_PORT) -> int:
    """Return a port that nothing listens on."""
    for port in range(first, first + PORTS):
        with closing(socket.socket()) as probe:
            if probe.connect_ex((ADDRESS, port)) != 0:
                return port
    raise UsageError(f"No port from {first} to {first + PORTS - 1} is free; choose another with --port.")


@asynccontextmanager
async def _warm(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Import in the background what the first page needs, which is most of the time that it takes."""
    threading.Thread(target=load, args=(script_of(""),), daemon=True).start()
    yield {}
