"""The scripts and styles of our own components, which stand beside their modules."""

from pathlib import Path
from typing import Any

import streamlit as st

_FOLDER = Path(__file__).parent


def mount_of(name: str, *before: str) -> Any:
    """Return what mounts a component whose files are ``NAME.html``, ``NAME.css`` and ``NAME.js``, so far as it has them.

    Args:
        name: the files' common name.
        before: what it shares with some of the others. Those files stand before its own, and ``shared.css`` and ``shared.js``
            before all.
    """
    names = ("shared", *before, name)
    return st.components.v2.component(
        f"actionledger.{name}",
        html=_read(name, "html") or None,
        css="".join(_read(each, "css") for each in names),
        js="".join(_read(each, "js") for each in names),
    )


def _read(name: str, kind: str) -> str:
    file = _FOLDER / f"{name}.{kind}"
    return file.read_text(encoding="utf-8") if file.exists() else ""
