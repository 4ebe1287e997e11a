"""The scripts and styles of our own components, which stand beside their modules."""

from pathlib import Path
from typing import Any

import streamlit as st

_FOLDER = Path(__file__).parent


def mount_of(name: str) -> Any:
    """Return what mounts a component whose files are ``NAME.html``, ``NAME.css`` and ``NAME.js``, so far as it has them.

    Args:
        name: the files' common name.
            ``shared.css`` and ``shared.js`` stand before its own.
    """
    parts = {kind: _read(name, kind) for kind in ("html", "css", "js")}
    return st.components.v2.component(
        f"actionledger.{name}",
        html=parts["html"] or None,
        css=_read("shared", "css") + parts["css"],
        js=_read("shared", "js") + parts["js"],
    )


def _read(name: str, kind: str) -> str:
    file = _FOLDER / f"{name}.{kind}"
    return file.read_text(encoding="utf-8") if file.exists() else ""
