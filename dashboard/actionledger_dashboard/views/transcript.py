"""A session as a conversation, a page of turns at a time: prompts, reasoning, answers, tool calls and results."""

import json

import streamlit as st

from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Session
from actionledger.ledger.queries.lineage import starts
from actionledger.ledger.queries.session import context_growth
from actionledger.ledger.queries.turn import turn_details
from actionledger.ledger.queries.turns import landmarks
from actionledger_dashboard.components import links, notices
from actionledger_dashboard.components.charts import context_chart, show_chart
from actionledger_dashboard.components.controls import line, mount_of, show_anchors
from actionledger_dashboard.components.fields import place_of
from actionledger_dashboard.components.sharing import offer_session
from actionledger_dashboard.components.transcript import session_meant, show_facts
from actionledger_dashboard.components.wording import called, visible
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.conversation import turns_of
from actionledger_dashboard.viewer.looks import Values
from actionledger_dashboard.viewer.session import facts_of, family_of

PAGE = 40
"""The number of turns on a page."""

FOUND = 30
"""The number of turns with a searched text that are listed."""

_mount = mount_of("conversation", "copying")


def show() -> None:
    """Show the page."""
    asked = st.query_params.get("session")
    if not asked:
        notices.no_session()
        return
    session_id = session_meant(asked)
    session = ask(queries.session, session_id) if session_id else None
    if session is None:
        return
    ways = [
        ("step through it", links.replay_href(session.session_id)),
        ("next to another session", links.beside_href(session.session_id)),
    ]
    show_facts("facts", facts_of(session), relatives_of(session), (), ways)
    show_session(session)
    offer_session(session.session_id, called(session.external_id, session.session_id, session.title))


def relatives_of(session: Session) -> list[Values]:
    """Return the session's parent and children; those without a known call are in no other place of the page."""
    parent = ask(queries.session, session.parent_session_id) if session.parent_session_id else None
    children = ask(queries.children, session.session_id)
    begun = ask(starts, session.session_id) if children else ()
    return family_of(session, parent, children, begun, href_of=links.transcript_href)


def show_session(session: Session) -> None:
    """Show the conversation's page with the URL's turn, or its first page."""
    marks = ask(landmarks, session.session_id)
    if marks is None:
        st.info("No response of this session is recorded yet.")
        return
    written = st.query_params.get("turn")
    turn = None if written is None else min(max(place_of(written), marks.first), marks.last)
    first = marks.first + ((turn or marks.first) - marks.first) // PAGE * PAGE
    last = min(first + PAGE - 1, marks.last)
    if turn is not None and written != str(turn):
        st.text(f"This session has no turn {visible(json.dumps(written))}; the nearest one is shown.")
    find = st.query_params.get("find", "")
    found = [each.index for each in ask(queries.mentions, session.session_id, find)] if find else []
    with line():
        show_find(session.session_id, find, found)
        show_pages("above", session.session_id, (first, last), (marks.first, marks.last))
    show_context(session.session_id)
    details = ask(turn_details, session.session_id, (first, last))
    began = ask(starts, session.session_id) if ask(queries.children, session.session_id) else ()
    begun = {(each.turn_index, each.action_index): each for each in began}
    _mount(
        key="conversation",
        data={
            "href": links.transcript_href(session.session_id),
            "turn": turn,
            "first": marks.first,
            "last": marks.last,
            "shown": [first, last],
            "prompts": marks.prompts,
            "failures": marks.failures,
            "find": find,
            "found": found,
            "turns": turns_of(
                details,
                begun,
                failing=marks.failures,
                href_of=lambda place: links.replay_href(session.session_id, place),
                child_of=child_of,
            ),
        },
    )
    show_pages("below", session.session_id, (first, last), (marks.first, marks.last))


def show_context(session_id: str) -> None:
    """Show the growth of the context, if more than one turn has its input tokens recorded."""
    found = ask(context_growth, session_id)
    if len(found) < 2:
        return
    most = max(each.input_tokens or 0 for each in found)
    with st.expander(f"Context: {most:,} input tokens at most, over {counted(len(found), 'turn')}"):
        show_chart("context", context_chart(found), "Input tokens of each turn")


def child_of(session_id: str) -> tuple[str, str]:
    """Return a subagent's name and the link to its transcript."""
    child = ask(queries.session, session_id)
    name = called(child.external_id, session_id, child.title) if child else session_id
    return name, links.transcript_href(session_id)


def show_find(session_id: str, text: str, found: list[int]) -> None:
    """Show a search of the whole session, and the turns that have the text; the conversation marks it."""

    def follow() -> None:
        if text := st.session_state["transcript.find"]:
            st.query_params["find"] = text
        else:
            st.query_params.pop("find", None)

    st.session_state["transcript.find"] = text
    st.text_input(
        "Find in this session",
        key="transcript.find",
        on_change=follow,
        placeholder="Find in this session",
        label_visibility="collapsed",
        width=320,
    )
    if not text:
        return
    anchors = [(str(place), links.transcript_href(session_id, place, find=text)) for place in found[:FOUND]]
    more = f", the first {FOUND}" if len(found) > FOUND else ""
    show_anchors("found", anchors, f"In {counted(len(found), 'turn')}{more}:" if found else "In no turn.")


def show_pages(key: str, session_id: str, shown: tuple[int, int], whole: tuple[int, int]) -> None:
    """Show links to the pages before and after, and to the session's first and last one."""
    (first, last), (begin, end) = shown, whole
    if shown == whole:
        return
    anchors = [("first", begin), ("previous", first - PAGE)] if first > begin else []
    anchors += [("next", last + 1), ("last", end)] if last < end else []
    hrefs = [(word, links.transcript_href(session_id, place)) for word, place in anchors]
    show_anchors(f"pages.{key}", hrefs, f"Turns {first:,}–{last:,}, of {begin:,}–{end:,}:")


show()
