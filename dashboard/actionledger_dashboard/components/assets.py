"""Our own components, mounted in Streamlit from the files that stand beside their modules."""

from typing import Any

import streamlit as st

from actionledger_dashboard.viewer.files import joined, read


def mount_of(name: str, *before: str) -> Any:
    """Return what mounts a component whose files are ``NAME.html``, ``NAME.css`` and ``NAME.js``, so far as it has them."""
    names = tuple(dict.fromkeys(("shared", *before, name)))
    return st.components.v2.component(
        f"actionledger.{name}",
        html=read(name, "html") or None,
        css=joined(names, "css"),
        js=joined(names, "js"),
    )
