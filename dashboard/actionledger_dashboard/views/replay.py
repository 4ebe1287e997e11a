"""One session, turn by turn: the model's input, its response, the parsed calls, their results, and the feedback."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import streamlit as st

from actionledger.core.ids import now
from actionledger.core.values import Span
from actionledger.ledger import queries
from actionledger.ledger.queries import Session
from actionledger.ledger.queries.lineage import starts
from actionledger_dashboard.components import links, notices
from actionledger_dashboard.components.controls import show_anchors
from actionledger_dashboard.components.fields import place_of
from actionledger_dashboard.components.readings import reading_choices, show_beside
from actionledger_dashboard.components.sharing import offer_session
from actionledger_dashboard.components.sides import FIRST as BESIDE_FIRST
from actionledger_dashboard.components.transcript import Names, session_meant, show_facts, show_transcript
from actionledger_dashboard.components.wording import called, visible
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import Values
from actionledger_dashboard.viewer.marks import span_of
from actionledger_dashboard.viewer.queries import Asked, course_of, session_view
from actionledger_dashboard.viewer.session import Course, facts_of, family_of

EVERY_SECONDS = 2
"""How often a live session is checked for new turns, in seconds."""

LATELY = timedelta(hours=1)
"""How long after its last response a session that has not ended counts as live."""

OUTER = Names()
INNER = Names("child_turn", "child_at", "child_find")
"""The query parameters of a child session that is opened in place."""


def show() -> None:
    """Show the page."""
    asked = st.query_params.get("session")
    if not asked:
        notices.no_session(links.replay_href)
        return
    session_id = session_meant(asked)
    if session_id is None:
        return
    since = (now() - LATELY).replace(second=0, microsecond=0)
    every = EVERY_SECONDS if ask(queries.goes_on, session_id, since) else None
    follow = st.fragment(partial(show_session, session_id), run_every=every)
    follow()


@notices.unreadable_is_said()
def show_session(session_id: str) -> None:
    """Show the turn and the child that the URL names. As a fragment, only this runs again at a step or a check for new turns."""
    session = ask(queries.session, session_id)
    if session is None:
        notices.unknown_session()
        return
    runs = {run.run_id for run in ask(queries.runs)}
    for parameter, known in (("run", runs), ("beside", runs | {BESIDE_FIRST})):
        value = st.query_params.get(parameter)
        if value is not None and value not in known:
            key = f"{parameter}.remove"
            notices.unknown_value("Run", value, key=key, on_remove=partial(forget, parameter))
            return
    show_outer(session, st.query_params.get("run"))
    if child := st.query_params.get("child"):
        show_child(session, child)


def forget(*names: str) -> None:
    """Remove parameters from the URL."""
    for name in names:
        st.query_params.pop(name, None)


def show_outer(session: Session, run_id: str | None) -> None:
    """Show the page's session."""
    asked = asked_for(session.session_id, OUTER, run_id)
    course = course_of(ask, asked)
    if course is None:
        show_facts("facts", facts_of(session), family(session))
        st.info("No response of this session is recorded yet.")
        return
    detail = ask(queries.turn, session.session_id, course.index, run_id)
    if detail is None:
        notices.unknown_session()
        return
    turn = (session.session_id, course.index, run_id)
    ways = [
        ("transcript", links.transcript_href(session.session_id, course.index)),
        ("review this turn", links.review_href(*turn)),
        ("in the playground", links.playground_href(*turn)),
        ("next to another session", links.beside_href(session.session_id)),
    ]
    show_facts("facts", facts_of(session), family(session, course), reading_choices(detail, run_id), ways)
    if not show_beside(detail, run_id, course):
        here = session.session_id
        show_turn(
            "transcript", asked, course, OUTER, lambda child, turn: links.replay_href(here, turn, child=child)
        )
    offer_session(session.session_id, called(session.external_id, session.session_id, session.title), run_id)


def show_child(session: Session, child_id: str) -> None:
    """Show a child session in place, below its parent's turn."""
    child = ask(queries.session, child_id)
    if child is None:
        notices.unknown_value(
            "Child session", child_id, key="child.remove", on_remove=lambda: forget("child")
        )
        return
    here = max(0, place_of(st.query_params.get("turn", "0")))
    ways = [
        ("Close it", links.replay_href(session.session_id, here)),
        ("On a page of its own", links.replay_href(child_id)),
    ]
    show_anchors("child", ways, "Opened in place:")
    asked = asked_for(child_id, INNER, None)
    course = course_of(ask, asked)
    show_facts("child.facts", facts_of(child), family(child, outer=(session.session_id, here)))
    if course is None:
        st.info("No response of this session is recorded yet.")
        return
    outer = session.session_id
    show_turn(
        "child.transcript", asked, course, INNER, lambda child, _: links.replay_href(outer, here, child=child)
    )


def asked_for(session_id: str, names: Names, run_id: str | None) -> Asked:
    """Return the turn of a session that the URL requests; the first one if it names no number."""
    turn = max(0, place_of(st.query_params.get(names.turn, "0")))
    return Asked(session_id, turn, run_id, st.query_params.get(names.find, ""))


def show_turn(
    key: str, asked: Asked, course: Course, names: Names, opened_of: Callable[[str, int], str]
) -> None:
    """Show a turn in lanes, with notes on a turn or span in the URL that does not exist."""
    wanted = st.query_params.get(names.turn, "0")
    if wanted not in {
        str(course.index),
        "0",
    }:  # 0 means the session's first turn, which in a fork has a higher index
        st.text(f"This session has no turn {visible(json.dumps(wanted))}; the nearest one is shown.")
    written = st.query_params.get(names.at)
    at = None if written is None else span_in_response(asked.session_id, course.index, written)
    if written is not None and at is None:
        st.text(f"This response has no characters {visible(json.dumps(written))}; a span is written 412-420.")

    def step(index: int) -> None:
        forget(names.at)
        st.query_params[names.turn] = str(index)

    def find(text: str) -> None:
        if not text:
            forget(names.find)
            return
        st.query_params[names.find] = text
        having = [mention.index for mention in ask(queries.mentions, asked.session_id, text)]
        if having and course.index not in having:
            step(next((index for index in having if index > course.index), having[0]))

    view = session_view(ask, asked, course, at, opened_of)
    show_transcript(key, view, names, on_step=step, on_find=find, is_inner=names is INNER)


def span_in_response(session_id: str, index: int, written: str) -> Span | None:
    """Return the span of a response that the URL names; None if it has no such span."""
    response = ask(queries.response, session_id, index)
    return None if response is None else span_of(written, response.text)


def family(
    session: Session, course: Course | None = None, *, outer: tuple[str, int] | None = None
) -> list[Values]:
    """Return a session's parent and children with their links; a child opens in place, even within another one."""
    parent = ask(queries.session, session.parent_session_id) if session.parent_session_id else None
    page, turn = outer or (session.session_id, course.index if course else 0)
    children = ask(queries.children, session.session_id)
    return family_of(
        session,
        parent,
        children,
        ask(starts, session.session_id) if children else (),
        href_of=links.replay_href,
        opened_of=lambda child, started: links.replay_href(
            page, turn if outer or started is None else started, child=child
        ),
    )


show()
