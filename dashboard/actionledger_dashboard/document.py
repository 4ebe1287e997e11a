"""The document that a browser opens: Streamlit's own, which says where its server is, names the scripts that pages go on with, and has our style."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_STATIC = Path(st.__file__).with_name("static")
_PARTS = ("BidiComponent",)
"""What Streamlit calls the parts that every page begins with."""

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
