"""Widgets whose values are in the URL, so that any state of a page is a link, and the row of them above a list."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from functools import partial
from math import ceil
from typing import Any

import streamlit as st

from actionledger_dashboard.components import notices
from actionledger_dashboard.components.controls import mount_of, show_choice
from actionledger_dashboard.components.fields import FIRST_DAY, LAST_DAY, day_of
from actionledger_dashboard.components.wording import visible


@dataclass(frozen=True, slots=True)
class Unknown:
    """A requested value in the URL that does not exist."""

    label: str  # the parameter's name for people
    name: str  # the query parameter
    value: str  # the requested value
    is_further: bool = False  # whether it exists, but is a second value for a single-valued parameter
    near: str = ""  # the nearest existing value; empty if there is none


class Linked:
    """The widgets of one page.

    A widget takes its value from the URL when the page opens, and when something else changed the URL (a link, the
    browser's back button). Otherwise the URL follows the widget. An invalid value stays in the URL until the user removes
    it: the page names it, and never pretends that it is not there.
    """

    def __init__(self, page: str) -> None:
        self.page = page  # the page's name
        self._unknown: list[Unknown] = []

    def note_unknown(
        self, label: str, name: str, value: str, *, known: Iterable[str] = (), is_further: bool = False
    ) -> None:
        """Note that the URL requests a value that does not exist, with the nearest known one."""
        near = get_close_matches(value, [*known], n=1)
        self._unknown.append(Unknown(label, name, value, is_further, near[0] if near else ""))

    def stop_at_unknown(self) -> None:
        """Name the requested values that do not exist, and stop the page if there are any."""
        for unknown in dict.fromkeys(self._unknown):  # a link can request the same value twice
            key, on_remove = f"{self.page}.{unknown.name}.remove.{unknown.value}", partial(_take_out, unknown)
            if unknown.is_further:
                notices.only_one(unknown.label, unknown.value, key=key, on_remove=on_remove)
                continue
            on_replace = partial(_take_out, unknown, unknown.near)
            notices.unknown_value(
                unknown.label,
                unknown.value,
                key=key,
                on_remove=on_remove,
                near=unknown.near,
                on_replace=on_replace,
            )
        if self._unknown:
            st.stop()

    def one(self, label: str, name: str, options: Mapping[str, str]) -> str:
        """Let the user pick one option."""
        first = next(iter(options))
        there = st.query_params.get_all(name)
        for value in there:
            if value not in options:
                self.note_unknown(label, name, value, known=options)
        picked = next((value for value in there if value in options), first)
        show_choice(f"{self.page}.{name}", label, name, options, picked)
        return picked

    def switch(self, label: str, name: str, options: Sequence[str], default: str = "") -> str:
        """Let the user pick one of a few options in a row of buttons without a label; the page stops at a link with an unknown option."""
        default = default or options[0]
        key = self._key(
            name,
            label,
            lambda item: item in options,
            lambda there: there[0] if there else default,
            options,
        )
        # Set on every run: if another run follows at once, the page never gets the value of the first, and nothing would be picked.
        st.session_state[key] = st.session_state[key] or default
        picked = st.segmented_control(label, options, key=key, required=True, label_visibility="collapsed")
        chosen = picked or default
        self._write_option(name, chosen, default)
        self.stop_at_unknown()
        return chosen

    def area(self, label: str, name: str, first: str, *, lines: int) -> str:
        """Let the user write a text of several lines."""
        key = self._key(name, label, lambda _: True, lambda there: there[0] if there else first)
        written = st.text_area(label, key=key, height=24 * lines + 22) or ""
        self._write_option(name, written, first)
        return written

    def day(self, label: str, name: str) -> date | None:
        """Let the user pick a day."""
        key = self._key(
            name,
            label,
            lambda item: day_of(item) is not None,
            lambda there: day_of(there[0]) if there else None,
        )
        picked: date | None = st.date_input(
            label, None, min_value=FIRST_DAY, max_value=LAST_DAY, key=key, format="YYYY-MM-DD"
        )
        self._write(name, [picked.isoformat()] if picked else [])
        return picked

    def _key(
        self,
        name: str,
        label: str,
        is_known: Callable[[str], bool],
        read: Callable[[list[str]], object],
        known: Iterable[str] = (),
    ) -> str:
        """Return the key of a widget's state, after setting it to the URL's value if that is new."""
        key = f"{self.page}.{name}"
        there = st.query_params.get_all(name)
        fitting = [item for item in there if is_known(item)]
        for item in there:
            if item not in fitting:
                self.note_unknown(label, name, item, known=known)
        if key not in st.session_state or there != st.session_state.get(f"{key}.written"):
            st.session_state[key] = read(fitting)
        return key

    def _write_option(self, name: str, picked: str, first: str) -> None:
        """Write a picked option to the URL; a link that names the first option keeps it, since another may be first later."""
        is_named = st.query_params.get_all(name) == [picked]
        self._write(name, [picked] if is_named or picked != first else [])

    def _write(self, name: str, values: list[str]) -> None:
        values = values + [unknown.value for unknown in self._unknown if unknown.name == name]
        if values != st.query_params.get_all(name):
            # In one step, since each change is an entry of the browser's history; another list begins on its first page.
            others = {other: st.query_params.get_all(other) for other in st.query_params}
            kept = {other: there for other, there in others.items() if other not in {name, "page"}}
            st.query_params.from_dict(kept | ({name: values} if values else {}))
        st.session_state[f"{self.page}.{name}.written"] = values


def _take_out(unknown: Unknown, instead: str = "") -> None:
    """Remove an unknown value from the URL, or replace it."""
    kept = [value for value in st.query_params.get_all(unknown.name) if value not in {unknown.value, instead}]
    st.query_params[unknown.name] = [*kept, *([instead] if instead else [])]


_mount_bar = mount_of("bar", "addressed")

_MOST_DIGITS = 9
"""No list has so many pages, and Python refuses to convert numbers with thousands of digits."""


class Bar:
    """The row above a list. Its values are known from the URL before it is shown."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked  # the page's widgets, which name the unknown values
        self._items: list[dict[str, Any]] = []
        self._told = ""

    def flag(self, label: str, name: str) -> bool:
        """Add a switch to the row, and return whether it is on."""
        is_on = self._picked(label, name, ["", "1"]) == "1"
        self._items.append({"kind": "flag", "label": label, "name": name, "isOn": is_on})
        return is_on

    def one(self, label: str, name: str, options: Sequence[str], *, also: Sequence[str] = ()) -> str:
        """Add a choice to the row, and return the picked option; options of ``also`` are offered only if the URL names one."""
        picked = self._picked(label, name, [*options, *also])
        shown = [*options, *({picked} - {*options})]
        self._items.append(
            {"kind": "choice", "label": label, "name": name, "options": shown, "picked": picked}
        )
        return picked

    def page_of(self, rows: int, size: int) -> int:
        """Add a choice of the list's page, and return the number of rows before that page.

        If the URL requests a page that does not exist, the nearest one is shown, with a note.
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
        """Show the row, if it has anything, and the note on an unknown page."""
        if self._items:
            _mount_bar(key=f"{self._linked.page}.bar", data={"items": self._items})
        if self._told:
            st.text(self._told)

    def _picked(self, label: str, name: str, options: Sequence[str]) -> str:
        """Return the option that the URL requests, or the first one."""
        there = st.query_params.get_all(name)
        for value in there:
            if value not in options:
                self._linked.note_unknown(label, name, value, known=options)
        return next((value for value in there if value in options), options[0])


def page_of(linked: Linked, rows: int, size: int) -> int:
    """Show only the pages of a list, and return the number of rows before the picked one."""
    bar = Bar(linked)
    before = bar.page_of(rows, size)
    bar.show()
    return before
