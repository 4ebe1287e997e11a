"""The filter bar that pages share, and saved views. The picked filters are in the URL, and links to other pages keep them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import streamlit as st

from actionledger.core.errors import ActionLedgerError
from actionledger.core.ids import now
from actionledger.core.text import NO_NAME, counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Dimensions, Filter
from actionledger.ledger.queries.choices import score_counts
from actionledger.ledger.queries.fields import Field
from actionledger.ledger.queries.filters import filter_of_parameters
from actionledger.ledger.queries.labels import label_counts, verdict_counts
from actionledger.ledger.saved import KIND, Saved, SavedView, read_views, refuse_name, save_view
from actionledger_dashboard.components.controls import mount_of, show_anchors
from actionledger_dashboard.components.fields import (
    FIRST_DAY,
    LAST_DAY,
    OFFERED,
    day_of,
    is_known,
    midnight,
    options,
    run_label,
    size_of,
)
from actionledger_dashboard.components.labels import LABELS, field_of, how_many, show_labels
from actionledger_dashboard.components.links import query_of
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import pieces, visible
from actionledger_dashboard.data import ask, is_read_only, saved
from actionledger_dashboard.loading import pages

__all__ = ["FIRST_READINGS", "midnight", "of_query", "pick", "run_label"]


PATHS = {"overview": ""}
"""The paths of pages whose widgets have another name."""

_PROBLEM = "views.problem"


def show_views(page: str) -> None:
    """Show the saved views as links, with controls to save, rename and delete one."""
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
    """Return the link to a view."""
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
    """Change the views; on an error, show it."""
    try:
        change()
    except ActionLedgerError as error:
        st.session_state[_PROBLEM] = str(error)


FIRST_READINGS = "First readings"
"""The label of the first reading of every response."""

SET_ASIDE = "Crossed out: filters on results. Lists use them; rates don't, since a rate within its own outcome says nothing."

_mount_chips = mount_of("chips")
_mount_search = mount_of("search", "addressed")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The URL's values for one field."""

    field: Field  # the field
    choices: Mapping[str, str]  # its choices, each value with its label
    values: tuple[str, ...]  # the requested values


def pick(linked: Linked, *, of_runs: bool = True, lists: bool = False) -> Filter:
    """Show the filters and return the picked ones; the page stops here if its link names something unknown."""
    known, runs = ask(queries.dimensions), ask(queries.runs)
    with st.container(key="filters", horizontal=True, vertical_alignment="center", gap="small"):
        if lists:
            with st.container(width=260):
                _mount_search(key="search", data={"text": st.query_params.get("search", "")})
        asked = [
            _asked_of(field, options(field, known, runs), linked)
            for field in OFFERED
            if of_runs or field.parameter != "run"
        ]
        _show_time()
        with st.popover("Add filter", icon=":material/filter_list:"):
            _show_choice(linked.page, [each for each in asked if lists or not each.field.is_found], known)
        show_views(linked.page)
        _show_chips(asked, lists=lists)
    is_set_aside = not lists and any(each.field.is_found and each.values for each in asked)
    if is_set_aside:
        st.caption(SET_ASIDE)
    linked.stop_at_unknown()
    within = filter_of_parameters({each.field.parameter: each.values for each in asked})
    return within if lists else within.given


TIMES = {"All time": None, "Today": 0, "Last 7 days": 6, "Last 30 days": 29, "Last 90 days": 89}
"""The offered periods, each by how many days before today it begins; days are in UTC."""


def _show_time() -> None:
    """Show the page's period; any other period is picked by the filters for its first and last day."""
    key = "filters.time"
    today = now().date()
    begins = {
        "" if days is None else (today - timedelta(days)).isoformat(): label for label, days in TIMES.items()
    }
    since, until = (st.query_params.get(name, "") for name in ("since", "until"))
    offered = list(TIMES)
    st.session_state[key] = "Other" if until or since not in begins else begins[since]

    def follow() -> None:
        begin = next((begin for begin, label in begins.items() if label == st.session_state[key]), since)
        _write("until", [])
        _write("since", [begin] if begin else [])

    with st.container(width=150):
        st.selectbox(
            "Time",
            [*offered, *(["Other"] if st.session_state[key] == "Other" else [])],
            key=key,
            on_change=follow,
            label_visibility="collapsed",
        )


def of_query() -> Filter:
    """Return the URL's filter for a page without a filter bar; invalid values are ignored."""
    known, runs = ask(queries.dimensions), ask(queries.runs)
    there = {
        field.parameter: _values_of(
            field, options(field, known, runs), st.query_params.get_all(field.parameter)
        )
        for field in OFFERED
    }
    return filter_of_parameters(there).given


def _asked_of(field: Field, choices: Mapping[str, str], linked: Linked) -> _Asked:
    """Return the URL's values for a field, and note unknown ones to show them later."""
    there = st.query_params.get_all(field.parameter)
    for value in there:
        if value and not is_known(field, value, choices):
            linked.note_unknown(field.label, field.parameter, value, known=choices)
    values = _values_of(field, choices, there)
    for value in _known_of(field, choices, there)[len(values) :]:
        linked.note_unknown(field.label, field.parameter, value, is_further=True)
    return _Asked(field, choices, values)


def _values_of(field: Field, choices: Mapping[str, str], there: Sequence[str]) -> tuple[str, ...]:
    """Return the URL's valid values for a field, each once; only the first if the field has a single value."""
    values = _known_of(field, choices, there)
    return values if field.kind in {"many", "score"} else values[:1]


def _known_of(field: Field, choices: Mapping[str, str], there: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in there if is_known(field, value, choices)))


def _show_choice(page: str, asked: Sequence[_Asked], known: Dimensions) -> None:
    """Let the user choose a field and its value."""
    offered = {
        each.field.parameter: each
        for each in asked
        if each.field.kind not in {"many", "one", "switch"} or each.choices
    }
    if not known.scores:
        offered.pop("score", None)
    chosen = st.selectbox(
        "Filter by",
        list(offered),
        index=None,
        format_func=lambda name: offered[name].field.label,
        key=f"{page}.field",
        placeholder="Choose what to filter by",
    )
    if chosen is None:
        show_labels({name: offered[name].values for name in LABELS if name in offered})
    elif chosen == "score":
        _show_score(page, offered[chosen].values)
    else:
        _show_widget(f"{page}.add.{chosen}", offered[chosen])


def _show_widget(key: str, asked: _Asked) -> None:
    """Show the widget that picks a field's values; it takes them from the URL and writes changes to it."""
    field, values, choices = asked.field, list(asked.values), asked.choices

    counts = _counts(field.parameter)

    def called(value: str) -> str:
        words = visible(choices[value]) or NO_NAME
        return f"{words} · {counts[value]}" if value in counts else words

    def follow() -> None:
        picked = st.session_state[key]
        chosen = picked if isinstance(picked, list) else [picked] if picked else []
        _write(field.parameter, [str(value) for value in chosen])

    first = values[0] if values else None
    if field.kind == "many":
        st.session_state[key] = values
        st.multiselect(field.label, list(choices), format_func=called, key=key, on_change=follow)
    elif field.kind in {"one", "switch"}:
        st.session_state[key] = first
        st.selectbox(field.label, list(choices), format_func=called, key=key, on_change=follow, index=None)
    elif field.kind == "day":
        st.session_state[key] = day_of(first) if first else None
        st.date_input(
            field.label,
            None,
            min_value=FIRST_DAY,
            max_value=LAST_DAY,
            key=key,
            on_change=follow,
            format="YYYY-MM-DD",
        )
    elif field.kind == "number":
        st.session_state[key] = size_of(first) if first else None
        st.number_input(field.label, min_value=0.0, value=None, format="%g", key=key, on_change=follow)
    else:
        st.session_state[key] = first or ""
        st.text_input(field.label, key=key, on_change=follow)


def _counts(name: str) -> Mapping[str, str]:
    """Return the count of each value of a field, in words; empty for fields that are not counted."""
    if name in LABELS:
        return {each.label: how_many(each) for each in ask(label_counts) if field_of(each) == name}
    if name == "verdict":
        return {each.verdict: counted(each.readings, "reading") for each in ask(verdict_counts)}
    return {}


def _show_score(page: str, values: Sequence[str]) -> None:
    """Show the widget that adds a bound on a score to the others."""
    scores = {each.name: each for each in ask(score_counts)}

    def called(name: str) -> str:
        each = scores[name]
        return f"{visible(name)} · {counted(each.sessions, 'session')}, {each.low:g} to {each.high:g}"

    name = st.selectbox("Score", list(scores), format_func=called, key=f"{page}.score.name")
    comparison = st.segmented_control(
        "Compared", [">=", "<=", "="], default=">=", required=True, key=f"{page}.score.comparison"
    )
    value = st.number_input("Value", value=0.0, format="%g", key=f"{page}.score.value")
    bound = f"{name}{comparison}{value!r}"
    st.button("Add", key=f"{page}.score.add", on_click=partial(_write, "score", [*values, bound]))


def _show_chips(asked: Sequence[_Asked], *, lists: bool) -> None:
    """Show the picked filters, each with a link that removes it."""
    chips = [
        {
            "label": each.field.label,
            "value": pieces(each.choices.get(value, value) or NO_NAME),
            "without": _query_without(each.field.parameter, value),
            "isSetAside": each.field.is_found and not lists,
        }
        for each in asked
        for value in each.values
    ]
    shown = [each.field.parameter for each in asked]
    others = {name: st.query_params.get_all(name) for name in st.query_params if name not in shown}
    others.pop("page", None)
    _mount_chips(key="chips", data={"chips": chips, "cleared": query_of(others)}, height="content")


def _query_without(name: str, value: str) -> str:
    """Return the page's query without one value; a list restarts on its first page."""
    there = {each: st.query_params.get_all(each) for each in st.query_params if each != "page"}
    kept = [each for each in there[name] if each != value]
    return query_of(there | {name: kept})


def _write(name: str, values: list[str]) -> None:
    """Write a field's values to the URL; a list restarts on its first page."""
    there = {each: st.query_params.get_all(each) for each in st.query_params if each not in {name, "page"}}
    st.query_params.from_dict(there | ({name: values} if values else {}))
