"""The list of turns: those behind a number, those that the filters pick, those with a searched text."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import streamlit as st

from actionledger.core.text import counted
from actionledger.core.values import Span
from actionledger.core.vocabulary import SENTENCES, Outcome, Reason
from actionledger.ledger import queries
from actionledger.ledger.queries import ALL_TURNS, Filter, Hit, TurnBehind, TurnsPage
from actionledger.ledger.queries.marks import listed_turns
from actionledger.ledger.queries.names import sessions_named_so
from actionledger.ledger.queries.recent import latest_turns
from actionledger.ledger.queries.session import turns_of_sessions
from actionledger.ledger.queries.turns import TurnActions, actions_of_turns
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.controls import line, show_anchors
from actionledger_dashboard.components.labels import labels_column
from actionledger_dashboard.components.tables import Column, hrefs_of, offer_export, turn_columns
from actionledger_dashboard.components.widgets import Bar, Linked
from actionledger_dashboard.components.wording import called, minute_of
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import came_to_in_all, look_of

Did: TypeAlias = Mapping[tuple[str, int], TurnActions]
"""The actions of turns, by session and turn index."""

BEGINS = "The response, from its first issue or block on; where the calls alone were recorded, the arguments of the first one."
REASON = "What went wrong. If no action was parsed: the rejected text and why; 'only prose' if nothing looks like an action."
IN = {
    "response": "the response",
    "arguments": "its arguments",
    "result": "a result",
    "name": "the session's name",
}


def show() -> None:
    """Show the page."""
    known = ask(queries.dimensions)
    if known.is_empty:
        notices.empty_ledger()
        return
    linked = Linked("turns")
    within = filters.pick(linked, lists=True)
    bar = Bar(linked)
    bar.flag("Only failing", "failing")
    above, named, below = st.empty(), st.container(), st.container()
    early = ask(latest_turns, within, limit=tables.PAGE) if within.text else None
    is_shown = early is not None and "page" not in st.query_params
    if early is not None and is_shown:
        with above.container():
            show_counting()
        with below:
            show_rows(early, within)
    first = page_at(0, within) if early is None else TurnsPage(ask(queries.count_turns_behind, within), early)
    offset = bar.page_of(first.count, tables.PAGE)
    with above.container():
        show_count(first.count, bar, within, is_dated=known.first is not None)
    if within.text and not offset:
        with named:
            show_named(within)
    if first.count and not is_shown:
        with below:
            show_rows((page_at(offset, within) if offset else first).turns, within)


def page_at(offset: int, within: Filter) -> TurnsPage:
    """Return a page of turns from an offset on, and the number of all turns."""
    return ask(queries.turns_page, within, limit=tables.PAGE, offset=offset)


NAMED = 5
"""The most sessions to link above the turns."""


def show_named(within: Filter) -> None:
    """Link the sessions that are called so: among many turns that contain the text nobody would find them."""
    found = ask(sessions_named_so, within, limit=NAMED + 1)
    begun = {
        each.session_id: each for each in ask(turns_of_sessions, [(each.session_id, 0) for each in found])
    }
    targets = []
    for each in found[:NAMED]:
        at = minute_of(begun[each.session_id].occurred_at) if each.session_id in begun else ""
        name = called(each.external_id, each.session_id, each.title)
        targets.append((" · ".join(filter(None, (name, at))), links.transcript_href(each.session_id)))
    if len(found) > NAMED:
        targets.append(("all of them", links.sessions_href(within)))
    if targets:
        show_anchors("named", targets, "In the names of sessions:")


def show_counting() -> None:
    """Show a line that says that the turns are being counted; it is as high as the one that replaces it."""
    with line():
        st.caption("The latest turns; all are being counted …", width="content")
        st.popover("Export", icon=":material/download:", disabled=True)


def show_count(count: int, bar: Bar, within: Filter, *, is_dated: bool) -> None:
    """Show the number of turns, with links to their other pages and their export."""
    with line():
        order = ", the latest first" if is_dated else ""
        st.caption(f"{counted(count, 'turn')}{order}", width="content")
        bar.show()
        if count:
            offer_export("turns", count, listed_turns(within))
    if not count:
        notices.nothing_found()
    elif len(within.reasons) == 1:
        st.caption(SENTENCES[Reason(within.reasons[0])])


def show_rows(found: list[TurnBehind], within: Filter) -> None:
    """Show a page of turns, each a link to its replay with the searched text marked."""
    turns = [(row.session_id, row.turn_index) for row in found]
    did = {(each.session_id, each.turn_index): each for each in ask(actions_of_turns, turns, within.run_id)}
    said = _what_they_say(found, did, within)
    columns = [
        *turn_columns(turns),
        *said[: len(said) * bool(within.text)],  # what is searched for is seen without scrolling
        Column(
            "Model",
            [row.model for row in found],
            "name",
            hrefs=hrefs_of([row.model for row in found], lambda value: only(within, models=(value,))),
        ),
        Column(
            "Outcome",
            [came_to_in_all(row.outcome, is_failing=bool(row.reasons)) for row in found],
            "verdict",
            looks=["bad" if row.reasons else look_of(row.outcome) for row in found],
            hrefs=hrefs_of(
                [str(row.outcome) for row in found], lambda value: only(within, outcomes=(value,))
            ),
        ),
        Column(
            "Dialect",
            [row.dialect for row in found],
            hrefs=hrefs_of([row.dialect for row in found], lambda value: only(within, dialects=(value,))),
        ),
        *_what_they_did(found, did),
        Column("Reason", [_why(row) for row in found], "code", REASON),
        *_how_they_are_labelled(found, within),
        *said[len(said) * bool(within.text) :],
    ]
    tables.show_table("turns", "turns", columns, [replay_of(row, within) for row in found])


def replay_of(row: TurnBehind, within: Filter) -> str:
    """Return the link to a turn's replay, with the span of the searched text."""
    place = place_of(row.hit)
    if (
        row.hit and place is None and within.run_id is None
    ):  # the transcript marks it in prompts, calls and results
        return links.transcript_href(row.session_id, row.turn_index, find=within.text or "")
    return links.replay_href(row.session_id, row.turn_index, within.run_id, at=place)


def place_of(hit: Hit | None) -> Span | None:
    """Return the span of the response to mark, or None."""
    return Span(hit.start, hit.end) if hit and hit.start is not None and hit.end is not None else None


def only(within: Filter, **value: tuple[str, ...]) -> str:
    """Return the link to the turns that also have a value."""
    return links.turns_href(replace(within, **value), ALL_TURNS)  # type: ignore[arg-type]


def _why(row: TurnBehind) -> str:
    """Return what went wrong in a turn or, if no action was parsed, why its text is not one."""
    if row.outcome is Outcome.NO_ACTION and not (row.reasons or row.set_aside):
        return "only prose" if row.snippet else ""
    return ", ".join(dict.fromkeys(map(str, (*row.reasons, *row.set_aside))))


def _of(row: TurnBehind, did: Did) -> TurnActions | None:
    return did.get((row.session_id, row.turn_index))


def _what_they_did(found: list[TurnBehind], did: Did) -> list[Column]:
    """Return the column of each turn's actions, each name once with its count; empty if no turn has one."""
    if not did:
        return []
    names = [Counter(actions.names if (actions := _of(row, did)) else ()) for row in found]
    cells = [
        ", ".join(name if times == 1 else f"{name} ×{times}" for name, times in each.items())
        for each in names
    ]
    return [Column("Actions", cells, "name", "What was read of it, valid or not.")]


def _how_they_are_labelled(found: list[TurnBehind], within: Filter) -> list[Column]:
    """Return the column of labels of turns and their sessions; empty if none has one."""
    column = labels_column([(row.session_id, row.turn_index) for row in found], partial(only, within))
    return [column] if any(column.values) else []


def _what_they_say(found: list[TurnBehind], did: Did, within: Filter) -> list[Column]:
    """Return the columns of found text and its place; without a search, each response's beginning, or its first call's arguments if it has no text."""
    if not within.text:
        cells = [row.snippet or (actions.arguments if (actions := _of(row, did)) else "") for row in found]
        return [Column("How it begins", cells, "long", BEGINS)]
    places = [IN[row.hit.place] if row.hit else "" for row in found]
    return [
        Column(
            "Found in",
            places,
            meaning="The first place; the response goes before the others, and turns with the text before those whose session only is called so.",
        ),
        Column("What is found", [row.hit for row in found], "found"),
    ]


show()
