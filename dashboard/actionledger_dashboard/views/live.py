"""Live activity: the sessions with recent responses, and those responses as they are recorded."""

from datetime import timedelta
from functools import partial

import streamlit as st

from actionledger.core.ids import now
from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.queries import RecentTurn
from actionledger_dashboard.components import links, notices, tables
from actionledger_dashboard.components.controls import heading, line
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Bar, Linked
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import NEUTRAL, look_of

EVERY_SECONDS = 2
TURNS = 100
WINDOWS = {"15 minutes": timedelta(minutes=15), "hour": timedelta(hours=1), "day": timedelta(days=1)}


def show() -> None:
    """Show the page."""
    linked = Linked("live")
    with line():
        heading("Live activity")
        window = linked.switch("How far back", "window", list(WINDOWS))
        bar = Bar(linked)
        is_paused = bar.flag("Pause", "paused")
        bar.show()
    st.caption(
        "A response shows here as soon as its process has written it, a moment after it came. Times are UTC."
    )
    follow = st.fragment(partial(show_window, window), run_every=None if is_paused else EVERY_SECONDS)
    follow()


@notices.unreadable_is_said()
def show_window(window: str) -> None:
    """Show the responses of a time window; its start is rounded so that unchanged answers are from the cache."""
    since = (now() - WINDOWS[window]).replace(second=0, microsecond=0)
    found = ask(queries.recent_turns, since, limit=TURNS)
    if not found:
        notices.nothing_lately(window)
        return
    sessions = {row.session_id: row for row in reversed(found)}
    going = sum(not row.has_ended for row in sessions.values())
    most = f"the last {TURNS:,} responses" if len(found) == TURNS else counted(len(found), "response")
    state = f"{going:,} of which {'go' if going > 1 else 'goes'} on" if going else "all ended"
    st.caption(f"{most} in {counted(len(sessions), 'session')}, {state}")
    show_sessions(found)
    show_turns(found)


def show_sessions(found: list[RecentTurn]) -> None:
    """Show each session with its last response, latest first."""
    by_session: dict[str, list[RecentTurn]] = {}
    for row in found:
        by_session.setdefault(row.session_id, []).append(row)
    last = [rows[0] for rows in by_session.values()]
    columns = [
        *tables.turn_columns([(row.session_id, row.turn_index) for row in last])[:1],
        Column("Last response", [made(row) for row in last]),
        Column("State", ["ended" if row.has_ended else "goes on" for row in last]),
        Column("Responses", [len(rows) for rows in by_session.values()], "number", "Within the window."),
        Column("Waiting", [sum(row.waiting for row in rows) for rows in by_session.values()], "number", "Actions that wait for a person."),
        Column("Not ended", [rows[0].running for rows in by_session.values()], "number", "Executions of the last response that have begun and not ended, or were broken off."),
        Column("Model", [row.model for row in last], "long"),
    ]  # fmt: skip
    hrefs = [links.replay_href(row.session_id, row.turn_index) for row in last]
    tables.show_table("live.sessions", "sessions that have said something lately", columns, hrefs, seen=8)


def show_turns(found: list[RecentTurn]) -> None:
    """Show the responses, latest first."""
    columns = [
        Column("Made", [made(row) for row in found]),
        *tables.turn_columns([(row.session_id, row.turn_index) for row in found])[:2],
        Column(
            "Outcome",
            [outcome(row) for row in found],
            "verdict",
            looks=[look_of(row.outcome or NEUTRAL) for row in found],
        ),
        Column("Actions", [row.actions for row in found], "number"),
        Column("Not valid", [row.refused for row in found], "number"),
        Column("Failed", [row.failed if row.executions else None for row in found], "number"),
        Column("How it begins", [row.snippet for row in found], "long"),
    ]
    hrefs = [links.replay_href(row.session_id, row.turn_index) for row in found]
    tables.show_table("live.turns", "responses that were made lately", columns, hrefs, seen=16)


def made(row: RecentTurn) -> str:
    """Return a response's time, with its day if that is not today."""
    return f"{row.occurred_at:{'%H:%M:%S' if row.occurred_at.date() == now().date() else '%m-%d %H:%M:%S'}}"


def outcome(row: RecentTurn) -> str:
    """Return a response's outcome, in words."""
    return "not read yet" if row.outcome is None else row.outcome.said


show()
