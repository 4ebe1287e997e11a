"""Which of Streamlit's scripts a page is going to load, so that its browser fetches them with the first ones and not one after the other."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import streamlit as st

_EVERYWHERE = ("BidiComponent", "Html")
_LISTS = ("TextInput", "Checkbox", "Selectbox", "Pagination")
_PARTS = {"sessions": _LISTS, "turns": _LISTS}
"""What Streamlit calls the parts that a page begins with, beside those that all begin with."""

_IMPORTED = re.compile(rb'(?:from|import)\s*"\./([\w.-]+\.js)"')


def preloaded(page: str) -> bytes:
    """Return the value of a ``Link`` header that names the scripts a page begins with; empty where Streamlit has none of them.

    Args:
        page: its part of the address.
    """
    return _links((*_EVERYWHERE, *_PARTS.get(page, ())))


@cache
def _links(parts: tuple[str, ...]) -> bytes:
    folder = Path(st.__file__).with_name("static") / "static" / "js"
    needed = _with_imports(folder, parts) - _with_imports(folder, ("index",))
    return ", ".join(
        f"<./static/js/{name}>; rel=modulepreload; crossorigin" for name in sorted(needed)
    ).encode()


def _with_imports(folder: Path, parts: Iterable[str]) -> set[str]:
    """Return the files of parts and of all that they import, whose names have a hash in them."""
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
