"""The links to all pages above each page, the change from one page to another, and the query parameters that each page reads."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import NoReturn
from urllib.parse import urlsplit

import streamlit as st

from actionledger.core.ids import new_id
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.links import FILTERS, query_of

FIRST = ("", "sessions", "usage", "tools", "review")
"""The paths of the pages that a phone shows too; the others are in a menu there."""

_mount_bar = mount_of("navigation")
_mount_navigator = mount_of("navigator")


@dataclass(frozen=True, slots=True)
class Target:
    """A page to choose."""

    title: str  # its title
    path: str  # its address, relative to the first page
    is_here: bool  # whether it is the current page
    has_filters: bool  # whether it uses the filters, so that links to it keep them
    is_first: bool  # whether a phone shows it too


def show_navigation(targets: Sequence[Target], *, keeps: bool) -> None:
    """Show the links to pages. They keep the address's filters or, on a page without filters, those of the last page that had any."""
    data = {
        "pages": [asdict(target) for target in targets],
        "names": FILTERS,
        "keeps": keeps,
        "here": query_of(
            {name: st.query_params.get_all(name) for name in FILTERS if name in st.query_params}
        ),
    }
    _mount_bar(key="navigation", data=data)


def go_to(href: str) -> NoReturn:
    """Go to another page; the page that is left stays unchanged in the browser's history.

    Streamlit's own ``switch_page`` adds the new page's parameters to the history as a state of the page that is left.
    """
    _mount_navigator(key="navigator", data={"href": href, "nonce": new_id()})
    st.stop()


_TURN = ("session", "turn", "run")
_SIDES = tuple(
    f"{side}_{name}"
    for side in ("before", "after")
    for name in ("run", "model", "source", "profile", "since", "until")
)

_SEVERAL = ("of", "measure", "row", "before_session", "after_session")
"""The parameters for a table of sides, a cell of it, and two sessions."""

_READ: Mapping[str, frozenset[str]] = {
    "": frozenset((*FILTERS, "show", "unit", "by", "reasons", "group")),
    "sessions": frozenset((*FILTERS, "order", "hide", "also", "page")),
    "turns": frozenset((*FILTERS, "page")),
    "usage": frozenset((*FILTERS, "by", "page")),
    "tools": frozenset((*FILTERS, "page")),
    "alerts": frozenset(("page",)),
    "transcript": frozenset(("session", "turn", "find")),
    "replay": frozenset((*_TURN, "at", "find", "beside", "child", "child_turn", "child_at", "child_find")),
    "compare": frozenset(
        (*FILTERS, *_TURN, *_SIDES, *_SEVERAL, "as", "by", "group", "bucket", "of_dialect", "page")
    ),
    "playground": frozenset((*_TURN, "kind", "read", "beside", "catalogue")),
    "review": frozenset((*FILTERS, *_TURN, "by", "queue", "approval", "page")),
    "left_out": frozenset(("by", "page")),
    "live": frozenset(("window", "paused")),
    "sql": frozenset(("q", "page", "x", "y", "as")),
    "health": frozenset(),
}
"""The parameters that each page reads, by its path, which is empty for the first page."""


def has_filters(page: str) -> bool:
    """Return whether a page uses the filters."""
    return _READ[page].issuperset(FILTERS)


def say_what_is_no_page() -> None:
    """Name the requested page if there is none of that name; the overview is shown instead."""
    asked = urlsplit(st.context.url or "").path.strip("/")
    if asked and asked not in _READ:
        notices.unknown_page(asked, [page for page in _READ if page])


def say_what_is_not_read(page: str) -> None:
    """Name each parameter of the link that the page does not know, with a button that removes it."""
    for name in [name for name in st.query_params if name not in _READ[page]]:
        notices.unknown_parameter(name, key=f"parameter.remove.{name}", on_remove=partial(_take_out, name))


def _take_out(name: str) -> None:
    st.query_params.pop(name, None)
