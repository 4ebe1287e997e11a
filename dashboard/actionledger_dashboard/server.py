"""Serves the dashboard to this machine alone: the document that a browser opens, and a policy that keeps pages from other hosts."""

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
"""Streamlit's names of the parts that pages start with: our components, and the choice of a period in the filter bar."""

_PARTS_OF_PAGES = ("_stcore", "component", "media", "static")
"""Streamlit's paths for the resources of pages."""

_IMPORTED = re.compile(rb'(?:from|import)\s*"\./([\w.-]+\.js)"')

# Without it, Streamlit first looks for its server below the page's own address, and checks its health before it opens its socket. That check's answer
# sets the cookie, and only a socket that has it is logged in.
_WHERE = (
    "window.__streamlit={BACKEND_BASE_URL:location.origin,"
    "...(document.cookie.includes('_streamlit_xsrf=')&&{HOST_CONFIG:{allowedOrigins:[location.origin],useExternalAuthToken:false}})}"
)


def routes_of(pages: Iterable[str]) -> list[Route]:
    """Return the routes that serve the document at each page's path."""
    return [Route(f"/{page}", _serve) for page in pages]


def script_sources() -> str:
    """Return the hashes of the document's inline scripts, in a policy's format."""
    scripts = re.findall(r"<script>(.*?)</script>", document(), re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


@cache
def document() -> str:
    """Return the document: Streamlit's own, with our additions to its head and our style after Streamlit's."""
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
    """Serves the document for unknown addresses too; the page then says that there is no such page.

    Streamlit serves its own document, with scripts relative to the address. Below an address such as ``/sessions/x`` there are
    none, and the window stayed empty.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app  # the app that makes the responses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and replace Streamlit's document in the response by ours."""
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
    """Return whether a response is a page to show, not a part of one or a file to save."""
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
    """Return the document; its scripts and links are relative to the first page, whatever the address."""
    is_below = path.count("/") > 1
    whole = document().replace("<head>", '<head><base href="/">', 1) if is_below else document()
    return HTMLResponse(whole, headers={"cache-control": "no-cache"})


async def _serve(request: Request) -> HTMLResponse:
    return _response(request.url.path)


def _scripts() -> list[str]:
    """Return the scripts that pages start with, without those that Streamlit's own document names."""
    return sorted(_with_imports(_PARTS) - _with_imports(("index",)))


def _with_imports(parts: Iterable[str]) -> set[str]:
    """Return the files of parts and of all that they import; the names have a hash."""
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
"""The logger of errors from a download button's callable."""


def say_no_more_than_why() -> None:
    """Make Streamlit log expected errors as one sentence; unexpected ones keep their traceback."""
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
}  # each theme's primary colour, which is text on its own background

# Streamlit imports a component's script from a blob and styles its elements inline. The page has an inline script of Streamlit's and one of ours,
# both allowed by hash. No other script runs, whatever a text contains.
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "script-src 'self' blob: {scripts}; font-src 'self' data:; "
    "connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; worker-src 'self' blob:; frame-src 'none'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)


class SecurityHeaders:
    """Adds the headers that keep a page from reaching another host, whatever a model wrote into it.

    Args:
        app: the app that makes the responses.
        port: the server's port.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._headers = [
            (b"content-security-policy", POLICY.format(port=port, scripts=script_sources()).encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class OwnOrigin:
    """Refuses requests from pages of another origin, even of another port of this machine, since they would see the ledger.

    A browser sends the page's origin with each socket and each cross-origin request. Other programs send none, but they may
    read the ledger's file anyway.

    Args:
        app: the app that answers other requests.
        port: the server's port.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._own = {f"http://{host}:{port}".encode() for host in HOSTS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless a foreign page made it."""
        foreign = [
            value
            for name, value in scope.get("headers", ())
            if name.lower() == b"origin" and value not in self._own
        ]
        if not foreign:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # not accepted yet: status 403
        else:
            await PlainTextResponse("A page of another origin may not ask this.", 403)(scope, receive, send)


def serve(ledger: Path, port: int | None = None, *, headless: bool = True, read_only: bool = False) -> int:
    """Serve the dashboard until it is interrupted.

    Args:
        ledger: the ledger to show.
        port: the port on 127.0.0.1; None for the first free one from 8501 on.
        headless: whether to open no browser.
        read_only: whether pages may write nothing.

    Returns:
        The exit code for a shell.

    Raises:
        LedgerError: there is no such ledger.
        UsageError: no port is free, or the login's configuration is invalid.
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
    )  # else Streamlit asks for a restart
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
    """Set an environment variable for the pages, or unset it."""
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
    """Return the first port that nothing listens on."""
    for port in range(first, first + PORTS):
        with closing(socket.socket()) as probe:
            if probe.connect_ex((ADDRESS, port)) != 0:
                return port
    raise UsageError(f"No port from {first} to {first + PORTS - 1} is free; choose another with --port.")


@asynccontextmanager
async def _warm(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Import the first page's modules in the background; importing is most of that page's time."""
    threading.Thread(target=load, args=(script_of(""),), daemon=True).start()
    yield {}
