"""Labels, of sources and of people: those that there are, as links that filter by them, and those of a list's rows."""

from collections.abc import Mapping, Sequence

import streamlit as st

from actionledger.ledger.queries.labelling import LabelCount, label_counts, labelled
from actionledger.plurals import counted
from actionledger_dashboard.components.anchors import show_anchors
from actionledger_dashboard.components.links import query_of
from actionledger_dashboard.data import ask

OFFERED = 12
"""How many labels the menu of filters has as links; the others are found in its list."""


def show_labels(picked: Sequence[str]) -> None:
    """Show the labels that most goes by, each a link to the same page of what goes by it, too.

    Args:
        picked: the labels that are filtered by already.
    """
    found = [each for each in ask(label_counts) if each.label not in picked]
    if not found:
        return
    anchors = [(f"{each.label} · {how_many(each)}", _query_with(each.label)) for each in found[:OFFERED]]
    show_anchors("labels", anchors, "Labels")
    if len(found) > OFFERED:
        st.caption(f"{len(found) - OFFERED:,} more: filter by Label.")


def how_many(count: LabelCount) -> str:
    """Return how much goes by a label, in words: what sources have filed under it, and what people have given it."""
    filed = counted(count.sessions, "session") if count.sessions else ""
    given = counted(count.turns, "turn") if count.turns else ""
    return " and ".join(filter(None, (filed, given)))


def labels_of(turns: Sequence[tuple[str, int | None]]) -> list[tuple[str, ...]]:
    """Return the labels of each of some turns: what its session is filed under, then its own.

    Args:
        turns: each a session, and the turn's place in it; None for all that the session and its turns are labelled.
    """
    found: dict[str, dict[int | None, tuple[str, ...]]] = {}
    for each in ask(labelled, sorted({session for session, _ in turns})):
        found.setdefault(each.session_id, {})[each.turn_index] = each.labels
    return [_of(found.get(session, {}), turn) for session, turn in turns]


def _of(session: Mapping[int | None, tuple[str, ...]], turn: int | None) -> tuple[str, ...]:
    own = (
        session.get(turn, ()) if turn is not None else [label for each in session.values() for label in each]
    )
    return tuple(dict.fromkeys((*session.get(None, ()), *own)))


def _query_with(label: str) -> str:
    """Return the page's query with one label more, from the list's first page on."""
    there = {each: st.query_params.get_all(each) for each in st.query_params if each != "page"}
    return f"?{query_of(there | {'label': [*there.get('label', []), label]})}"
