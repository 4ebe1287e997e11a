"""The sessions, fifty a page, searched and ordered in the database."""

from collections.abc import Iterator
from dataclasses import asdict

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Order, SessionRow
from actionledger.plurals import counted
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.data import ask

ORDERS: dict[str, Order] = {
    "newest first": "newest",
    "oldest first": "oldest",
    "longest first": "longest",
    "worst read first": "worst",
}


ENDED = {True: "yes", False: "no", None: "not recorded"}


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
    title, pages, download = st.columns([2, 3, 1], vertical_alignment="center")
    title.caption(counted(count, "session"))
    with pages:
        offset = linked.page_of(count, tables.PAGE, of=(within, search, only_failing, order))

    def listed(limit: int | None, offset: int = 0) -> list[SessionRow]:
        return ask(
            queries.sessions,
            within,
            search=search,
            only_failing=only_failing,
            order=order,
            limit=limit,
            offset=offset,
        )

    with download:
        tables.offer_download("sessions", count, lambda: as_rows(listed(None)))
    show_rows(listed(tables.PAGE, offset), within)


def pick_rows(linked: Linked) -> tuple[str, bool, Order]:
    """Show what narrows and orders the list, and return what is picked."""
    search, failing, order = st.columns([3, 1, 1], vertical_alignment="bottom")
    with search:
        text = linked.text("Search", "search", "Text of a response, or a session's name")
    with failing:
        only_failing = linked.flag("Only with failures", "failing")
    with order:
        picked = linked.one("Order", "order", {name: name for name in ORDERS})
    linked.stop_at_unknown()
    return text, only_failing, ORDERS[picked]


def show_rows(found: list[SessionRow], within: Filter) -> None:
    """Show a page of sessions, each a link to its replay."""
    columns = [
        Column(
            "Session",
            [named(row) for row in found],
            meaning="A child stands under its parent, where that is in this list too.",
        ),
        Column("Started (UTC)", [started(row) or "not recorded" for row in found]),
        Column("Model", [row.model for row in found]),
        Column("Turns", [row.turns for row in found], "number"),
        *_how_they_were_read(found),
        Column("Actions", [row.actions for row in found], "number"),
        Column("Not valid", [row.actions - row.valid for row in found], "number"),
        Column(
            "Failed",
            [row.failed if row.executions else None for row in found],
            "number",
            "Executions, ours or recorded, that were attempted and did not succeed; a dash where none is recorded.",
        ),
        Column("Success", [ENDED[row.success] for row in found], meaning="What the session's source says."),
        Column("Source", [row.source for row in found]),
        Column("Profile", [row.profile for row in found]),
        Column("Task", [row.task for row in found]),
        Column("Ended because", [row.reason or "" for row in found], "long"),
    ]
    if any(row.relation for row in found):
        columns.insert(
            1,
            Column(
                "Child as",
                [str(row.relation or "") for row in found],
                meaning="How it is another session's child: a sub-agent, a continuation or a fork.",
            ),
        )
    hrefs = [links.replay_href(row.session_id, run_id=within.run_id) for row in found]
    tables.show_table("sessions", "sessions", columns, hrefs)


def _how_they_were_read(found: list[SessionRow]) -> list[Column]:
    return [
        Column(
            "Read whole",
            [row.parsed.value for row in found],
            "share",
            "Responses read whole, of those that meant to act.",
        ),
        Column(
            "n",
            [
                f"{row.parsed.successes:,} of {row.parsed.count:,}"
                if row.parsed.count
                else row.parsed.refusal or "–"
                for row in found
            ],
            meaning="Read whole, of those that meant to act; one session has no interval.",
        ),
        Column(
            "Capture",
            [", ".join(row.captures) for row in found],
            meaning="How much was kept of the responses that meant to act; of calls alone, reading can't be audited.",
        ),
    ]


def named(row: SessionRow) -> str:
    """Return what a session is called, below its ancestors."""
    return f"{'↳ ' * row.depth}{row.external_id or row.session_id}"


def started(row: SessionRow) -> str:
    """Return when a session began, to the minute; empty where its source doesn't say."""
    return f"{row.started_at:%Y-%m-%d %H:%M}" if row.started_at else ""


def as_rows(found: list[SessionRow]) -> Iterator[dict[str, object]]:
    """Yield sessions as the rows of a file."""
    for row in found:
        values = asdict(row)
        del values["parsed"]
        yield values | {
            "captures": " ".join(row.captures),
            "read_whole": row.parsed.successes,
            "meant_to_act": row.parsed.count,
        }


show()
