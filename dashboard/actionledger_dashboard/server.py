"""Serves the dashboard to this machine alone, behind a policy that lets a page reach no other host."""

import os
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger.memory import FIRST_VARIABLE, limit_for
from actionledger_dashboard import ALLOWED_VARIABLE, LEDGER_VARIABLE, READ_ONLY_VARIABLE
from actionledger_dashboard.document import EveryAddress, routes_of, script_sources
from actionledger_dashboard.handover import HandOver
from actionledger_dashboard.loading import APP, load, pages, script_of
from actionledger_dashboard.login import allowed_by_settings
from actionledger_dashboard.logs import say_no_more_than_why

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
