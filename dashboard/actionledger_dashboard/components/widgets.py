"""Widgets whose values stand in the URL, so that any state of a page is a link, and the row of them above a list."""

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
    """Something that the URL asks for and that is not there.

    Args:
        label: what people call the parameter.
        name: the query parameter.
        value: what it asks for.
        is_further: whether it is there, and asked for beside another value of what has one.
        near: what is there and nearest to it; empty where nothing is.
    """

    label: str
    name: str
    value: str
    is_further: bool = False
    near: str = ""


class Linked:
    """The widgets of one page.

    A widget takes its value from the URL when the page is opened and whenever the URL was changed by other means than
    the widget (a link, the browser's way back); otherwise the URL follows the widget. What is in a URL and can't be
    picked stays there until the reader takes it out: it is named, and nothing is shown as if it were not there.

    Args:
        page: the page's name.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self._unknown: list[Unknown] = []

    def note_unknown(
        self, label: str, name: str, value: str, *, known: Iterable[str] = (), is_further: bool = False
    ) -> None:
        """Note that the URL asks for something that is not there, of what is known."""
        near = get_close_matches(value, [*known], n=1)
        self._unknown.append(Unknown(label, name, value, is_further, near[0] if near else ""))

    def stop_at_unknown(self) -> None:
        """Name what the URL asked for and is not there, and end the page where there is any."""
        for unknown in dict.fromkeys(self._unknown):  # a link can ask for the same twice
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
        """Let one option be picked."""
        first = next(iter(options))
        there = st.query_params.get_all(name)
        for value in there:
            if value not in options:
                self.note_unknown(label, name, value, known=options)
        picked = next((value for value in there if value in options), first)
        show_choice(f"{self.page}.{name}", label, name, options, picked)
        return picked

    def switch(self, label: str, name: str, options: Sequence[str]) -> str:
        """Let one of a few options be picked from a row of buttons without a label; a link that names another one ends the page here."""
        key = self._key(
            name,
            label,
            lambda item: item in options,
            lambda there: there[0] if there else options[0],
            options,
        )
        # Told anew each time: what a run has said that another one followed at once never reached the page, where nothing was picked then.
        st.session_state[key] = st.session_state[key] or options[0]
        picked = st.segmented_control(label, options, key=key, required=True, label_visibility="collapsed")
        chosen = picked or options[0]
        self._write_option(name, chosen, options[0])
        self.stop_at_unknown()
        return chosen

    def area(self, label: str, name: str, first: str, *, lines: int) -> str:
        """Let a text of several lines be written."""
        key = self._key(name, label, lambda _: True, lambda there: there[0] if there else first)
        written = st.text_area(label, key=key, height=24 * lines + 22) or ""
        self._write_option(name, written, first)
        return written

    def day(self, label: str, name: str) -> date | None:
        """Let a day be picked."""
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
        """Return the key of a widget's state, which is set to what the URL says where that is news."""
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
        """Let the URL follow; a link that names the first option keeps on naming it, whatever is the first one later."""
        is_named = st.query_params.get_all(name) == [picked]
        self._write(name, [picked] if is_named or picked != first else [])

    def _write(self, name: str, values: list[str]) -> None:
        values = values + [unknown.value for unknown in self._unknown if unknown.name == name]
        if values != st.query_params.get_all(name):
            # At once, since each change is a step of the browser's history: another list begins on its first page.
            others = {other: st.query_params.get_all(other) for other in st.query_params}
            kept = {other: there for other, there in others.items() if other not in {name, "page"}}
            st.query_params.from_dict(kept | ({name: values} if values else {}))
        st.session_state[f"{self.page}.{name}.written"] = values


def _take_out(unknown: Unknown, instead: str = "") -> None:
    """Take out of the URL what is not there; something else may take its place."""
    kept = [value for value in st.query_params.get_all(unknown.name) if value not in {unknown.value, instead}]
    st.query_params[unknown.name] = [*kept, *([instead] if instead else [])]


_mount_bar = mount_of("bar", "addressed")

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

    def one(self, label: str, name: str, options: Sequence[str], *, also: Sequence[str] = ()) -> str:
        """Let one option be picked, and return which is; the address may have one of ``also``, too, which only it offers."""
        picked = self._picked(label, name, [*options, *also])
        shown = [*options, *({picked} - {*options})]
        self._items.append(
            {"kind": "choice", "label": label, "name": name, "options": shown, "picked": picked}
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
            _mount_bar(key=f"{self._linked.page}.bar", data={"items": self._items})
        if self._told:
            st.text(self._told)

    def _picked(self, label: str, name: str, options: Sequence[str]) -> str:
        """Return the option that the URL asks for, the first one where it asks for none that there is."""
        there = st.query_params.get_all(name)
        for value in there:
            if value not in options:
                self._linked.note_unknown(label, name, value, known=options)
        return next((value for value in there if value in options), options[0])


def page_of(linked: Linked, rows: int, size: int) -> int:
    """Show the pages of a list that has nothing else above it, and return how many rows stand before the one that is picked."""
    bar = Bar(linked)
    before = bar.page_of(rows, size)
    bar.show()
    return before
