"""The row above a list: switches, choices and the list's pages, each of which leads to another address of the page."""

import json
from collections.abc import Sequence
from math import ceil
from typing import Any

import streamlit as st

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.visible import visible

_mount = mount_of("bar", "addressed")

_MOST_DIGITS = 9
"""No list has so many pages; Python refuses to make a number of some thousand."""


class Bar:
    """The row of one list. What it says is read from the URL, before it is shown.

    Args:
        linked: the widgets of the page, which names what the URL asks for and is not there.
    """

    def __init__(self, linked: Linked) -> None:
        self._linked = linked
        self._items: list[dict[str, Any]] = []
        self._told = ""

    def flag(self, label: str, name: str) -> bool:
        """Let something be switched on, and return whether it is."""
        is_on = self._picked(label, name, ["", "1"]) == "1"
        self._items.append({"kind": "flag", "label": label, "name": name, "isOn": is_on})
        return is_on

    def one(self, label: str, name: str, options: Sequence[str]) -> str:
        """Let one option be picked, and return which is."""
        picked = self._picked(label, name, options)
        self._items.append(
            {"kind": "choice", "label": label, "name": name, "options": list(options), "picked": picked}
        )
        return picked

    def page_of(self, rows: int, size: int) -> int:
        """Let a page of the list be picked, and return how many rows stand before it.

        Where the URL asks for one that is not there, the nearest is shown, and that is said.
        """
        pages = max(1, ceil(rows / size))
        there = st.query_params.get("page", "1")
        page = max(1, min(pages, int(there[:_MOST_DIGITS]))) if there.isdecimal() else 1
        if there != str(page):
            asked = visible(json.dumps(there, ensure_ascii=False))
            self._told = f"There is no page {asked}; this is page {page:,}."
        if pages > 1:
            self._items.append({"kind": "pages", "page": page, "pages": pages})
        return (page - 1) * size

    def show(self) -> None:
        """Show the row, where there is anything in it, and what was asked for and is not there."""
        if self._items:
            _mount(key=f"{self._linked.page}.bar", data={"items": self._items})
        if self._told:
            st.text(self._told)

    def _picked(self, label: str, name: str, options: Sequence[str]) -> str:
        """Return the option that the URL asks for, the first one where it asks for none that there is."""
        there = st.query_params.get_all(name)
        for value in there:
            if value not in options:
                self._linked.note_unknown(label, name, value)
        return next((value for value in there if value in options), options[0])


def page_of(linked: Linked, rows: int, size: int) -> int:
    """Show the pages of a list that has nothing else above it, and return how many rows stand before the one that is picked."""
    bar = Bar(linked)
    before = bar.page_of(rows, size)
    bar.show()
    return before
