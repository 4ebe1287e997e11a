"""Two sessions side by side: their usage and outcomes, their tools, and their turns."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

import streamlit as st

from actionledger.core.errors import UsageError
from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.queries import TurnDetail
from actionledger.ledger.queries.names import sessions_called
from actionledger.ledger.queries.session_sums import SessionSums, session_sums
from actionledger.ledger.queries.tools import tools_of_session
from actionledger.ledger.queries.turn import turn_details
from actionledger.ledger.queries.turns import landmarks
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.controls import heading
from actionledger_dashboard.components.sharing import offer_tables
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked, page_of
from actionledger_dashboard.components.wording import (
    NOT_RECORDED,
    called,
    dollars,
    duration,
    minute_of,
    share_of,
)
from actionledger_dashboard.data import ask

SESSIONS = "two sessions"
"""The comparison's name among the ways to compare."""

_OFFERED: Final = 200
"""The number of newest sessions that a list offers; others can be named in a link."""

_TURNS: Final = 40
_LONGEST: Final = 160
"""The number of characters of a turn's text that are shown."""


def show_two_sessions(linked: Linked) -> None:
    """Show the sessions that the URL names, or the two newest ones."""
    newest = {
        row.session_id: _offered(called(row.external_id, row.session_id, row.title), row.started_at)
        for row in ask(queries.sessions, limit=_OFFERED)
    }
    left, right = st.columns(2, gap="small")
    with left:
        before = _pick(linked, "First session", "before_session", newest)
    with right:
        after = _pick(
            linked, "Second session", "after_session", {k: v for k, v in newest.items() if k != before}
        )
    linked.stop_at_unknown()
    if not before or not after:
        st.info("This ledger has one session. Import another one to see both side by side.")
        return
    found = ask(session_sums, [before, after])
    if len(found) == 2:
        one, other = found
        names = f"{_named(one)} and {_named(other)}"
        shared = [("Both sessions", _show_sums(one, other)), ("Tools", _show_tools(one, other))]
        offer_tables("two", names, [(name, columns) for name, columns in shared if columns])
        _show_turns(linked, one, other)


def _offered(name: str, started_at: datetime | None) -> str:
    """Return how a session is offered: its start first, since sessions of one task have the same title."""
    return " · ".join(filter(None, (minute_of(started_at), name)))


def _pick(linked: Linked, label: str, name: str, newest: Mapping[str, str]) -> str:
    """Let the user pick a session; the list also has the one that the URL names, by its name or the start of its id."""
    options = dict(newest)
    asked = st.query_params.get(name)
    if asked and asked not in options:
        try:
            found = ask(sessions_called, asked)
        except UsageError:
            found = []
        if len(found) == 1:
            whole = ask(queries.session, found[0].session_id)
            name_of = called(found[0].external_id, found[0].session_id, found[0].title)
            options[asked] = _offered(name_of, whole.started_at if whole else None)
            picked = linked.one(label, name, options)
            return found[0].session_id if picked == asked else picked
    return linked.one(label, name, options) if options else ""


_FACTS: Final[Mapping[str, Callable[[SessionSums], str]]] = {
    "Outcome": lambda each: each.outcome.words,
    "Agent": lambda each: " ".join(filter(None, (each.agent, each.agent_version))),
    "Models": lambda each: ", ".join(each.models),
    "Project": lambda each: each.project or "",
    "Branch": lambda each: each.git_branch or "",
    "Started (UTC)": lambda each: minute_of(each.started_at),
    "Duration": lambda each: duration(each.duration_s),
    "Turns": lambda each: f"{each.turns:,}",
    "Tool calls": lambda each: f"{each.calls:,}",
    "Failed": lambda each: (
        f"{each.failed:,} of {each.tried:,} ({share_of(each.failed / each.tried)})"
        if each.tried
        else ""
        if each.calls
        else "–"
    ),
    "Input tokens": lambda each: _count(each.input_tokens),
    "Cached tokens": lambda each: _count(each.cached_tokens),
    "Output tokens": lambda each: _count(each.output_tokens),
    "Reasoning tokens": lambda each: _count(each.reasoning_tokens),
    "Cost": lambda each: "" if each.cost_usd is None else dollars(each.cost_usd),
}


def _count(tokens: int | None) -> str:
    return "" if tokens is None else f"{tokens:,}"


def _named(each: SessionSums) -> str:
    return called(each.external_id, each.session_id, each.title)


def _show_sums(one: SessionSums, other: SessionSums) -> list[Column]:
    told = {name: (fact(one), fact(other)) for name, fact in _FACTS.items()}
    there = {name: pair for name, pair in told.items() if any(pair)}
    columns = [
        Column("", [*there]),
        Column("First session", [pair[0] or NOT_RECORDED for pair in there.values()], "title"),
        Column("Second session", [pair[1] or NOT_RECORDED for pair in there.values()], "title"),
    ]
    tables.show_table("two.sums", "both sessions", columns, None)
    return columns


def _show_tools(one: SessionSums, other: SessionSums) -> list[Column]:
    """Show each tool's calls and failed tries in either session."""
    first, second = (
        {tool.name: tool for tool in ask(tools_of_session, each.session_id)} for each in (one, other)
    )
    names = sorted(
        {*first, *second}, key=lambda name: -sum(side[name].calls for side in (first, second) if name in side)
    )
    if not names:
        return []
    heading("Tools")
    columns = [Column("Tool", names, "name")]
    for word, side in (("first", first), ("second", second)):
        columns += [
            Column(
                f"Calls, {word}", [side[name].calls if name in side else None for name in names], "number"
            ),
            Column(
                f"Failed, {word}",
                [
                    side[name].failure.successes if name in side and side[name].failure.count else None
                    for name in names
                ],
                "number",
                "Tries that failed, of those that were attempted; a dash where no result is recorded.",
            ),
        ]
    tables.show_table("two.tools", "tools of both sessions", columns, None, seen=12)
    return columns


def _show_turns(linked: Linked, one: SessionSums, other: SessionSums) -> None:
    """Show one page of both sessions' turns; a row opens its turn in the transcript."""
    heading("Turns")
    offset = page_of(linked, max(one.turns, other.turns), _TURNS)
    for place, (column, each) in enumerate(zip(st.columns(2, gap="small"), (one, other), strict=True)):
        marks = ask(landmarks, each.session_id)
        with column:
            first = offset + (marks.first if marks else 0)
            details = ask(turn_details, each.session_id, (first, first + _TURNS - 1)) if marks else []
            if not details:
                st.caption(f"{counted(each.turns, 'turn')}; none here.")
                continue
            failing = set(marks.failures) if marks else set()
            columns = [
                Column("Turn", [str(detail.response.index) for detail in details]),
                Column(
                    "",
                    ["failed" if detail.response.index in failing else "" for detail in details],
                    "verdict",
                    looks=["bad"] * len(details),
                ),
                Column("Tool calls", [_calls(detail) for detail in details], "name"),
                Column("Says", [_said(detail) for detail in details], "long"),
            ]
            hrefs = [links.transcript_href(each.session_id, detail.response.index) for detail in details]
            tables.show_table(f"two.turns.{place}", f"turns of {_named(each)}", columns, hrefs)


def _calls(detail: TurnDetail) -> str:
    return ", ".join(action.name for action in detail.actions)


def _said(detail: TurnDetail) -> str:
    said = " ".join(detail.response.text.split())
    return said[:_LONGEST]
