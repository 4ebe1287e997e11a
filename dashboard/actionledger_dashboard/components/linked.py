"""Widgets whose values stand in the URL, so that any state of a page is a link.

Streamlit's own binding of widgets to query parameters is not used: with it, a page can't lead to another one by a link
that holds a parameter which one of its own widgets is bound to, and all our pages share the filters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

import streamlit as st

from actionledger_dashboard.components import notices
from actionledger_dashboard.components.choice import show_choice
from actionledger_dashboard.components.fields import FIRST_DAY, LAST_DAY, day_of


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that the URL asks for and that is not there.

    Args:
        label: what people call the parameter.
        name: the query parameter.
        value: what it asks for.
        is_further: whether it is there, and asked for beside another value of what has one.
    """

    label: str
    name: str
    value: str
    is_further: bool = False


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

    def note_unknown(self, label: str, name: str, value: str, *, is_further: bool = False) -> None:
        """Note that the URL asks for something that is not there."""
        self._unknown.append(Unknown(label, name, value, is_further))

    def stop_at_unknown(self) -> None:
        """Name what the URL asked for and is not there, and end the page where there is any."""
        for unknown in dict.fromkeys(self._unknown):  # a link can ask for the same twice
            say = notices.only_one if unknown.is_further else notices.unknown_value
            say(
                unknown.label,
                unknown.value,
                key=f"{self.page}.{unknown.name}.remove.{unknown.value}",
                on_remove=partial(_take_out, unknown),
            )
        if self._unknown:
            st.stop()

    def one(self, label: str, name: str, options: Mapping[str, str]) -> str:
        """Let one option be picked."""
        first = next(iter(options))
        there = st.query_params.get_all(name)
        self._unknown += [Unknown(label, name, value) for value in there if value not in options]
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
        self, name: str, label: str, is_known: Callable[[str], bool], read: Callable[[list[str]], object]
    ) -> str:
        """Return the key of a widget's state, which is set to what the URL says where that is news."""
        key = f"{self.page}.{name}"
        there = st.query_params.get_all(name)
        known = [item for item in there if is_known(item)]
        self._unknown += [Unknown(label, name, item) for item in there if item not in known]
        if key not in st.session_state or there != st.session_state.get(f"{key}.written"):
            st.session_state[key] = read(known)
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


def _take_out(unknown: Unknown) -> None:
    """Take out of the URL what is not there."""
    st.query_params[unknown.name] = [
        value for value in st.query_params.get_all(unknown.name) if value != unknown.value
    ]
