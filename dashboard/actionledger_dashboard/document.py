"""The document that a browser opens: Streamlit's own, which says where its server is, and names at once the scripts that the page goes on with."""

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
_EVERYWHERE = ("BidiComponent", "Html")
_LISTS = ("TextInput", "Checkbox", "Selectbox", "Pagination")
_PARTS = {"sessions": _LISTS, "turns": _LISTS}
"""What Streamlit calls the parts that a page begins with, beside those that all begin with."""

_IMPORTED = re.compile(rb'(?:from|import)\s*"\./([\w.-]+\.js)"')

# Else Streamlit looks for its server below the page's own address first, and asks how it is before it opens its socket. The cookie is the
# answer's, and a login is only seen by a socket that has it.
_WHERE = (
    "window.__streamlit={BACKEND_BASE_URL:location.origin,"
    "...(document.cookie.includes('_streamlit_xsrf=')&&{HOST_CONFIG:{allowedOrigins:[location.origin],useExternalAuthToken:false}})}"
)


def routes_of(pages: Iterable[str]) -> list[Route]:
    """Return the routes that serve the document of each page.

    Args:
        pages: their parts of the address.
    """
    return [Route(f"/{page}", _serve) for page in pages]


def script_sources() -> str:
    """Return the hashes of the scripts that stand in a document itself, as a policy names them."""
    scripts = re.findall(r"<script>(.*?)</script>", document_of(""), re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


@cache
def document_of(page: str) -> str:
    """Return the document of a page.

    Args:
        page: its part of the address.
    """
    whole = (_STATIC / "index.html").read_text(encoding="utf-8")
    named = "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">\n' for name in _scripts_of(page)
    )
    head, end, body = whole.partition("</head>")
    before, first, rest = head.partition('<script type="module"')
    return f"{before}<script>{_WHERE}</script>\n{first}{rest}{named}{end}{body}"


def _serve(request: Request) -> HTMLResponse:
    return HTMLResponse(document_of(request.url.path.strip("/")), headers={"cache-control": "no-cache"})


def _scripts_of(page: str) -> list[str]:
    """Return the scripts that a page begins with, behind those that Streamlit's own document names."""
    parts = (*_EVERYWHERE, *_PARTS.get(page, ()))
    return sorted(_with_imports(parts) - _with_imports(("index",)))


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
