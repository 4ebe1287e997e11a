"""Labels of sources and of people: all of them as links that filter by them, and those of a list's rows."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.queries.labels import LabelCount, label_counts, labelled
from actionledger_dashboard.components.controls import show_anchors
from actionledger_dashboard.components.links import query_of
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.data import ask

OFFERED = 12
"""The number of labels that the filter menu shows as links; the others are in its lists."""

LABELS = ("turn_label", "label")
"""The fields that filter by labels: people give labels to turns, and sources give labels to sessions."""


def show_labels(picked: Mapping[str, Sequence[str]]) -> None:
    """Show the most used labels, each as a link that filters the same page by it."""
    found = [
        each
        for each in (ask(label_counts) if _any_labels() else ())
        if field_of(each) in picked and each.label not in picked[field_of(each)]
    ]
    if not found:
        return
    anchors = [(f"{each.label} · {how_many(each)}", _query_with(each)) for each in found[:OFFERED]]
    show_anchors("labels", anchors, "Labels")
    if len(found) > OFFERED:
        st.caption(f"{len(found) - OFFERED:,} more: filter by Label or Turn label.")


def _any_labels() -> bool:
    """Whether the ledger has any label; most have none, and looking for those of rows takes as long as a tenth of a list."""
    known = ask(queries.dimensions)
    return bool(known.labels or known.turn_labels)


def field_of(count: LabelCount) -> str:
    """Return the field that filters by a label."""
    return LABELS[0] if count.is_of_turns else LABELS[1]


def how_many(count: LabelCount) -> str:
    """Return the number of turns or sessions with a label, in words."""
    return counted(count.count, "turn" if count.is_of_turns else "session")


def labels_column(
    things: Sequence[tuple[str, int | None]], only: Callable[..., str], tip: str = ""
) -> Column:
    """Return the column with each row's labels: those of its session, then those of turns."""
    found: dict[str, dict[int | None, tuple[str, ...]]] = {}
    for each in ask(labelled, sorted({session for session, _ in things})) if _any_labels() else ():
        found.setdefault(each.session_id, {})[each.turn_index] = each.labels
    cells: list[str] = []
    hrefs: list[str] = []
    for session, turn in things:
        there = found.get(session, {})
        filed = there.get(None, ())
        given = [
            label
            for index, labels in there.items()
            if index is not None and turn in {None, index}
            for label in labels
        ]
        names = tuple(dict.fromkeys((*filed, *given)))
        cells.append(", ".join(names))
        is_one = len(names) == 1 and not (filed and given)
        hrefs.append(only(**{"labels" if filed else "turn_labels": names}) if is_one else "")
    return Column("Labels", cells, "name", tip, hrefs=hrefs)


def _query_with(count: LabelCount) -> str:
    """Return the page's query with one more label; a list restarts on its first page."""
    there = {each: st.query_params.get_all(each) for each in st.query_params if each != "page"}
    field = field_of(count)
    return f"?{query_of(there | {field: [*there.get(field, []), count.label]})}"
