"""The sessions, fifty a page, searched and ordered in the database."""

from typing import Any

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Order, SessionRow
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.wording import counted
from actionledger_dashboard.data import ask

ORDERS: dict[str, Order] = {
    "newest first": "newest",
    "oldest first": "oldest",
    "longest first": "longest",
    "worst read first": "worst",
}


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("sessions")
    within = filters.pick(linked)
    search, only_failing, order = pick_rows(linked)
    count = ask(queries.count_sessions, within, search=search, only_failing=only_failing)
    if not count:
        notices.nothing_found()
        return
    title, pages = st.columns([1, 2], vertical_alignment="center")
    title.caption(counted(count, "session"))
    with pages:
        offset = linked.page_of(count, tables.PAGE, of=(within, search, only_failing, order))
    found = ask(
        queries.sessions,
        within,
        search=search,
        only_failing=only_failing,
        order=order,
        limit=tables.PAGE,
        offset=offset,
    )
    row = show_rows(found)
    if row is not None:
        links.to_replay(found[row].session_id, run_id=within.run_id)


def pick_rows(linked: Linked) -> tuple[str, bool, Order]:
    """Show what narrows and orders the list, and return what is picked."""
    search, failing, order = st.columns([3, 1, 1], vertical_alignment="bottom")
    with search:
        text = linked.text("Search", "search", "Text of a response, or a session's name")
    with failing:
        only_failing = linked.flag("Only with failures", "failing")
    with order:
        picked = linked.one("Order", "order", {name: name for name in ORDERS})
    return text, only_failing, ORDERS[picked]


def show_rows(found: list[SessionRow]) -> int | None:
    """Show a page of sessions; return the row that was opened."""
    columns: dict[str, list[Any]] = {
        "open": ["Open"] * len(found),
        "name": [row.external_id or row.session_id for row in found],
        "started": [row.started_at for row in found],
        "profile": [row.profile for row in found],
        "model": [row.model for row in found],
        "task": [row.task for row in found],
        "turns": [row.turns for row in found],
        "share": [row.parsed.value for row in found],
        "parsed": [f"{row.parsed.successes:,} of {row.parsed.count:,}" for row in found],
        "actions": [row.actions for row in found],
        "invalid": [row.actions - row.valid for row in found],
        "failed": [row.failed for row in found],
        "success": [row.success for row in found],
        "source": [row.source for row in found],
        "reason": [row.reason or "" for row in found],
    }
    return tables.show_table("sessions", columns, shown_columns())


def shown_columns() -> dict[str, Any]:
    """Return how each column is shown; the first dozen fit a laptop's screen."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "name": text("Session", width=115),
        "started": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm", width=130),
        "profile": text("Profile", width=110),
        "model": text("Model", width=120),
        "task": text("Task", width=110),
        "turns": number("Turns", width=55),
        "share": tables.share_column("Read whole", "Responses read whole, of those that meant to act."),
        "parsed": text("n", width=95, help="Read whole, of those that meant to act."),
        "actions": number("Actions", width=65),
        "invalid": number("Not valid", width=75),
        "failed": number("Failed", width=60, help="Executions that were attempted and did not succeed."),
        "success": st.column_config.CheckboxColumn(
            "Success", width=65, help="What the session's source says."
        ),
        "source": text("Source"),
        "reason": text("Ended because"),
    }


show()
