"""Saved views: pages as somebody has narrowed them and named that, for everybody who opens the ledger."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from actionledger.core.errors import ActionLedgerError
from actionledger.ledger.saved import Saved
from actionledger.ledger.saved_views import KIND, SavedView, read_views, refuse_name, save_view
from actionledger_dashboard.components.anchors import show_anchors
from actionledger_dashboard.components.links import query_of
from actionledger_dashboard.components.visible import visible
from actionledger_dashboard.data import is_read_only, saved
from actionledger_dashboard.loading import pages

PATHS = {"overview": ""}
"""The addresses of the pages whose widgets go by another name."""

_PROBLEM = "views.problem"


def show_views(page: str) -> None:
    """Show the saved views as links, and what saves, renames and deletes one."""
    kept = saved(KIND)
    shelf = read_views(kept)
    count = f" · {len(shelf.views):,}" if shelf.views else " · not readable" if shelf.problem else ""
    with st.popover(f"Views{count}", icon=":material/bookmark:"):
        if problem := st.session_state.pop(_PROBLEM, "") or shelf.problem:
            st.text(visible(problem))
        there = [view for view in shelf.views if view.page in pages()]
        if there:
            show_anchors("views", [(view.name, href_of(view)) for view in there])
        for view in shelf.views:
            if view not in there:
                st.text(visible(f"{view.name}: of the page {view.page}, which this version does not have."))
        if not shelf.views and not shelf.problem:
            st.text("No view is saved yet: narrow a list, and give that a name.")
        if is_read_only():
            st.caption("Nothing can be saved here: this dashboard only reads.")
            return
        _show_saving(kept, PATHS.get(page, page))
        if shelf.views:
            _show_changing(kept, [view.name for view in shelf.views])


def href_of(view: SavedView) -> str:
    """Return the address of a view."""
    return f"{view.page or './'}?{view.query}" if view.query else view.page or "./"


def _show_saving(kept: Saved, page: str) -> None:
    def save() -> None:
        there = {name: st.query_params.get_all(name) for name in st.query_params if name != "page"}
        name = st.session_state["views.name"]
        _tried(partial(save_view, kept, SavedView(name, page, query_of(there))))
        st.session_state["views.name"] = ""

    st.text_input("Name", key="views.name", placeholder="What to call this view")
    st.button("Save this view", key="views.save", on_click=save)


def _show_changing(kept: Saved, names: list[str]) -> None:
    def rename() -> None:
        _tried(partial(_renamed, kept, st.session_state["views.chosen"], st.session_state["views.new"]))
        st.session_state["views.new"] = ""

    def delete() -> None:
        _tried(partial(kept.remove, st.session_state["views.chosen"]))

    if st.session_state.get("views.chosen") not in names:
        st.session_state["views.chosen"] = None
    chosen = st.selectbox(
        "Change a view",
        names,
        index=None,
        format_func=visible,
        key="views.chosen",
        placeholder="Choose one to rename or delete",
    )
    if chosen is None:
        return
    st.text_input("New name", key="views.new")
    st.button("Rename", key="views.rename", on_click=rename)
    st.button("Delete", key="views.delete", on_click=delete)


def _renamed(kept: Saved, name: str, new: str) -> None:
    refuse_name(new)
    kept.rename(name, new)


def _tried(change: Callable[[], None]) -> None:
    """Change the views; what can't be done is said."""
    try:
        change()
    except ActionLedgerError as error:
        st.session_state[_PROBLEM] = str(error)
