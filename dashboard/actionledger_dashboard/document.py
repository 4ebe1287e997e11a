"""The document that a browser opens: Streamlit's own, which says where its server is, names the scripts that pages go on with, and has our style."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

_STATIC = Path(st.__file__).with_name("static")
_PARTS = ("BidiComponent",)
"""What Streamlit calls the parts that every page begins with."""

_IMPORTED = re.compile(rb'(?:from|import)\s*"\./([\w.-]+\.js)"')

# Else Streamlit looks for its server below the page's own address first, and asks how it is before it opens its socket. The cookie is the
# answer's, and a login is only seen by a socket that has it.
_WHERE = (
    "window.__streamlit={BACKEND_BASE_URL:location.origin,"
    "...(document.cookie.includes('_streamlit_xsrf=')&&{HOST_CONFIG:{allowedOrigins:[location.origin],useExternalAuthToken:false}})}"
)


def routes_of(pages: Iterable[str]) -> list[Route]:
    """Return the routes that serve the document where each page is.

    Args:
        pages: their parts of the address.
    """
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


async def _serve(_request: Request) -> HTMLResponse:
    return HTMLResponse(document(), headers={"cache-control": "no-cache"})


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
