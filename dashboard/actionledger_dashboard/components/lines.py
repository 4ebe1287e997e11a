"""A line of a page whose first part begins where the page does and whose last part ends there; what has no room goes below."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def line() -> DeltaGenerator:
    """Return a line to put parts in, none of them wider than it is."""
    return st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")


def heading(text: str, meaning: str | None = None) -> None:
    """Show a heading that leaves room beside it."""
    st.subheader(text, help=meaning, anchor=False, width="content")
