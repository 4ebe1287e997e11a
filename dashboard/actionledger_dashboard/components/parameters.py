"""Which query parameters each page reads; what else a link has changes nothing on the page, and that is said."""

from collections.abc import Mapping
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from actionledger_dashboard.components import notices
from actionledger_dashboard.components.links import FILTERS

_TURN = ("session", "turn", "run")
_SIDES = tuple(
    f"{side}_{name}"
    for side in ("before", "after")
    for name in ("run", "model", "source", "profile", "since", "until")
)

_READ: Mapping[str, frozenset[str]] = {
    "": frozenset((*FILTERS, "unit", "by", "reasons", "group")),
    "sessions": frozenset((*FILTERS, "order", "page")),
    "turns": frozenset((*FILTERS, "page")),
    "replay": frozenset((*_TURN, "at", "find", "beside", "child", "child_turn", "child_at", "child_find")),
    "compare": frozenset((*FILTERS, *_TURN, *_SIDES, "by", "group", "bucket", "of_dialect", "page")),
    "playground": frozenset((*_TURN, "kind", "read", "beside", "catalogue")),
    "review": frozenset((*FILTERS, *_TURN, "by", "queue", "approval", "page")),
    "left_out": frozenset(("by", "page")),
    "live": frozenset(("window", "paused")),
    "sql": frozenset(("q", "page", "x", "y", "as")),
    "health": frozenset(),
}
"""By the page's path, which is empty for the first one."""


def has_filters(page: str) -> bool:
    """Return whether a page is narrowed by the filters."""
    return _READ[page].issuperset(FILTERS)


def say_what_is_no_page() -> None:
    """Name the page that the address asks for where there is none of that name: the overview is shown in its place."""
    asked = urlsplit(st.context.url or "").path.strip("/")
    if asked and asked not in _READ:
        notices.unknown_page(asked)


def say_what_is_not_read(page: str) -> None:
    """Name what the link has and the page does not know, each with a button that takes it out."""
    for name in [name for name in st.query_params if name not in _READ[page]]:
        notices.unknown_parameter(name, key=f"parameter.remove.{name}", on_remove=partial(_take_out, name))


def _take_out(name: str) -> None:
    st.query_params.pop(name, None)
