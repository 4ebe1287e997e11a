"""The pages as links above each page, and how a press leads from one page to another."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NoReturn

import streamlit as st

from actionledger.core.ids import new_id
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.links import FILTERS

_KEPT = "filters.kept"

_mount_bar = mount_of("navigation")
_mount_navigator = mount_of("navigator")


@dataclass(frozen=True, slots=True)
class Target:
    """A page to choose.

    Args:
        title: what it is called.
        path: its address, from the first page's.
        is_here: whether it is the page that is shown.
        has_filters: whether it is narrowed by the filters, so that they are taken along to it.
    """

    title: str
    path: str
    is_here: bool
    has_filters: bool


def show_navigation(targets: Sequence[Target], *, keeps: bool) -> None:
    """Show the pages; the filters in the address are taken along."""
    data = {
        "pages": [asdict(target) for target in targets],
        "names": FILTERS,
        "keeps": keeps,
        "kept": st.session_state.get(_KEPT, ""),
    }
    _mount_bar(key="navigation", data=data)


def keep_filters(query: str) -> None:
    """Remember the filters for when a page without filters is left."""
    st.session_state[_KEPT] = query


def go_to(href: str) -> NoReturn:
    """Go on to another page; the page that is left stays in the browser's history as it is.

    Streamlit's own ``switch_page`` puts the new page's parameters into the history as a state of the page that is left.
    """
    _mount_navigator(key="navigator", data={"href": href, "nonce": new_id()})
    st.stop()
