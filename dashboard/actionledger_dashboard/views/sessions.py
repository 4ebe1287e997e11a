"""The list of sessions, fifty a page, searched and ordered in the database."""

from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

import streamlit as st

from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Order, SessionRow
from actionledger.ledger.queries.addresses import query_of
from actionledger.ledger.queries.marks import Selection
from actionledger.ledger.queries.names import recorded_among
from actionledger.ledger.queries.sessions import whole_sessions
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.controls import line
from actionledger_dashboard.components.labels import labels_column
from actionledger_dashboard.components.tables import Column, hrefs_of, offer_export
from actionledger_dashboard.components.widgets import Bar, Linked
from actionledger_dashboard.components.wording import called, dollars, duration, known, minute_of, tokens_of
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import SESSION_LOOKS

ORDERS: dict[str, Order] = {
    "newest first": "newest",
    "oldest first": "oldest",
    "most turns first": "longest",
    "longest duration first": "slowest",
    "highest cost first": "costliest",
    "lowest parse rate first": "worst",
}
FORMERLY = {"longest first": "most turns first", "worst read first": "lowest parse rate first"}
"""The former names of orders, which saved views and links still have."""

HEADS = {
    "Session": "title",
    "Started (UTC)": "started",
    "Project": "project",
    "Branch": "branch",
    "Agent": "agent",
    "Model": "model",
    "Outcome": "outcome",
    "Turns": "turns",
    "Tool calls": "tool_calls",
    "Failed": "failed",
    "Cost": "cost",
    "Tokens": "tokens",
    "Duration": "duration",
    "Parsed": "parsed",
    "Valid": "valid",
    "Source": "source",
    "Profile": "profile",
    "Task": "task",
}
"""The headings that order the list: texts ascending first, times and numbers descending first."""

ON_DEMAND = ("Parsed turns", "Success", "Capture", "Id")
"""The columns that are shown only on request: the parse rate and the outcome say most of the first two."""

OTHERS = {"Relation", "Match", "Labels", "Ended because"}
"""The columns that can't order the list; they are shown if they have any value."""

FROM_LEAST = {"title", "project", "branch", "agent", "model", "outcome", "source", "profile", "task"}
BY_HEAD: dict[str, Order] = {
    f"by {label.lower()}, {way}": f"{sign}{name}"
    for label, name in HEADS.items()
    for sign, way in (("", "least first"), ("-", "greatest first"))
}
"""The names of the orders that headings link to."""

AS_COLUMNS = {
    "newest": "-started",
    "oldest": "started",
    "longest": "-turns",
    "slowest": "-duration",
    "costliest": "-cost",
    "worst": "parsed",
}

NAMING = "Its title, else its name where it comes from."
ENDED = {True: "yes", False: "no", None: "not recorded"}


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("sessions")
    within = filters.pick(linked, lists=True)
    bar = Bar(linked)
    if (order := st.query_params.get("order")) in FORMERLY:
        st.query_params["order"] = FORMERLY[order]
    bar.flag("Only failing", "failing")
    ordered = (ORDERS | BY_HEAD)[bar.one("Order", "order", list(ORDERS), also=list(BY_HEAD))]
    for name in ("hide", "also"):
        for label in st.query_params.get_all(name):
            if label not in {*HEADS, *ON_DEMAND, *OTHERS}:
                linked.note_unknown("Column", name, label, known=(*HEADS, *ON_DEMAND))
    hidden = {*st.query_params.get_all("hide"), *ON_DEMAND} - {*st.query_params.get_all("also")}
    linked.stop_at_unknown()
    first = ask(queries.sessions_page, within, order=ordered, limit=tables.PAGE, offset=0)
    count = first.count
    offset = bar.page_of(count, tables.PAGE)
    with line():
        st.caption(counted(count, "session"), width="content")
        bar.show()
        if count:
            offer_columns(hidden)
            offer_export("sessions", count, Selection(*whole_sessions(within, order=ordered)))
    if not count:
        notices.nothing_found()
        return
    found = first
    if offset:
        found = ask(
            queries.sessions_page,
            within,
            order=ordered,
            limit=tables.PAGE,
            offset=offset,
        )
    show_rows(found.sessions, within, ordered, hidden)


def offer_columns(hidden: set[str]) -> None:
    """Show the choice of columns; the URL keeps the hidden ones."""
    key = "sessions.columns"

    def follow() -> None:
        chosen = st.session_state[key]
        others = {
            name: st.query_params.get_all(name) for name in st.query_params if name not in {"hide", "also"}
        }
        said = {
            "hide": [label for label in HEADS if label not in chosen],
            "also": [label for label in ON_DEMAND if label in chosen],
        }
        st.query_params.from_dict(others | {name: labels for name, labels in said.items() if labels})

    with st.popover("Columns", icon=":material/view_column:"):
        offered = [*HEADS, *ON_DEMAND]
        st.session_state[key] = [label for label in offered if label not in hidden]
        st.multiselect("Columns", offered, key=key, on_change=follow, label_visibility="collapsed")


def with_order(column: Column, ordered: Order) -> Column:
    """Return a column whose heading orders the list, or reverses the order."""
    name = HEADS.get(column.label)
    if name is None:
        return column
    now = AS_COLUMNS.get(ordered, ordered)
    first, second = (name, f"-{name}") if name in FROM_LEAST else (f"-{name}", name)
    called = {order: label for label, order in BY_HEAD.items()}
    others = {key: st.query_params.get_all(key) for key in st.query_params if key not in {"order", "page"}}
    return replace(
        column,
        order=f"sessions?{query_of(others | {'order': called[second if now == first else first]})}",
        sorted="ascending" if now == name else "descending" if now == f"-{name}" else "",
    )


def show_rows(found: list[SessionRow], within: Filter, ordered: Order, hidden: set[str]) -> None:
    """Show a page of sessions, each a link to its transcript, with subagents folded under their parents."""
    name, *others = [with_order(each, ordered) for each in columns_of(found, within)]
    alike = _alike_in_all()
    shown = [
        name,
        *(each for each in others if each.label not in {*hidden, *alike} and _says_something(each)),
    ]
    hrefs = [
        # Transcripts show first readings; another run's readings are shown by the replay.
        links.replay_href(row.session_id, run_id=within.run_id)
        if within.run_id
        else links.transcript_href(row.session_id)
        for row in found
    ]
    tables.show_table(
        "sessions",
        "sessions",
        shown,
        hrefs,
        depths=[row.depth for row in found] if any(row.depth for row in found) else (),
    )


def columns_of(found: list[SessionRow], within: Filter) -> list[Column]:
    """Return the columns of a page of sessions; the name is first."""
    return [
        Column("Session", [named(row) for row in found], "title", NAMING),
        Column("Started (UTC)", [minute_of(row.started_at) for row in found]),
        *_where_they_ran(found, within),
        _narrowing("Model", "models", [row.model for row in found], within),
        Column(
            "Outcome",
            ["" if row.outcome is None else row.outcome.words for row in found],
            "verdict",
            "By its last turn and what its source says.",
            looks=["" if row.outcome is None else SESSION_LOOKS[row.outcome] for row in found],
        ),
        Column("Turns", [row.turns for row in found], "number"),
        *_that_match(found),
        Column("Tool calls", [row.actions for row in found], "number"),
        Column(
            "Failed",
            [row.failed if row.executions else None for row in found],
            "number",
            "Executions, by actionledger or by the recorded agent, that were attempted and did not succeed; a dash where none is recorded.",
        ),
        *_what_they_took(found),
        Column(
            "Duration",
            [duration(row.duration_s) for row in found],
            meaning="From its first response to its last one.",
        ),
        *_whose_children(found),
        *_how_they_were_read(found),
        Column(
            "Valid",
            [row.valid if row.checked else None for row in found],
            "number",
            "Of the tool calls that had a schema to be checked against; a dash where none had.",
        ),
        *_how_they_ended(found),
        # An agent's sessions come from its own recordings: its name says both.
        _narrowing(
            "Source", "sources", ["" if row.agent == row.source else row.source for row in found], within
        ),
        _narrowing("Profile", "profiles", [row.profile.removeprefix("none") for row in found], within),
        _narrowing("Task", "tasks", [_task(row) for row in found], within),
        labels_column(
            [(row.session_id, None) for row in found], partial(only, within), "Its own, and its turns'."
        ),
        Column("Ended because", [row.reason or "" for row in found], "long"),
        Column("Id", [row.external_id or row.session_id for row in found], "name"),
    ]


def _title(row: SessionRow) -> str | None:
    """Return a session's title; a session without any name has its task as its title."""
    return row.title or (None if row.external_id else row.task)


def _task(row: SessionRow) -> str:
    """Return a session's task; empty where its title says it, and for agents, whose tasks are their prompts."""
    begin = (_title(row) or "").rstrip("….")
    return (
        ""
        if row.agent or (begin and (row.task.startswith(begin) or begin.startswith(row.task)))
        else row.task
    )


def _says_something(column: Column) -> bool:
    """Return whether a column has any value; shares that are all 100 % say nothing, unless they order the list."""
    if column.kind == "share":
        return bool(column.sorted) or any(value not in {None, 1.0} for value in column.values)
    if column.kind == "number":
        return any(value is not None for value in column.values)
    return any(column.values)


def _alike_in_all() -> list[str]:
    """Return the columns with one value in the whole ledger, which tell no session from another."""
    known = ask(queries.dimensions)
    return [
        label
        for label, values in (("Source", known.sources), ("Profile", known.profiles))
        if len(values) == 1
    ]


def _narrowing(label: str, field: str, values: list[str], within: Filter) -> Column:
    """Return a column whose cells link to the sessions that also have their value."""
    return Column(
        label, values, "name", hrefs=hrefs_of(values, lambda value: only(within, **{field: (value,)}))
    )


def _where_they_ran(found: list[SessionRow], within: Filter) -> list[Column]:
    """Return the project (the folder's name), branch and agent of each session."""
    projects = [row.project or "" for row in found]
    narrowed = hrefs_of(projects, lambda value: only(within, projects=(value,)))
    folders = [PurePosixPath(path.replace("\\", "/")).name or path for path in projects]
    return [
        Column("Project", folders, "name", "The folder that it ran in, by its own name.", hrefs=narrowed),
        _narrowing("Branch", "branches", [row.branch or "" for row in found], within),
        _narrowing("Agent", "agents", [row.agent or "" for row in found], within),
    ]


def _what_they_took(found: list[SessionRow]) -> list[Column]:
    """Return the tokens and the cost of sessions."""
    tokens = [None if row.input_tokens is row.output_tokens is None else _tokens(row) for row in found]
    own = "Of its own turns; a subagent has a row of its own."
    return [
        Column("Cost", [_cost(row) for row in found], "number", f"Recorded, or by list prices. {own}"),
        Column("Tokens", tokens, "number", f"Input and output. {own}"),
    ]


def _tokens(row: SessionRow) -> str:
    """Return a session's tokens; a word says which of them are recorded, if not both."""
    number, what = tokens_of(row.input_tokens, row.output_tokens)
    return number if what == "tokens" else f"{number} {what.removesuffix(' tokens')}"


def _cost(row: SessionRow) -> str | None:
    """Return a session's cost, and separately its subagents' cost."""
    own = None if row.cost_usd is None else known(dollars(row.cost_usd), row.priced, row.turns)
    if row.subagents_cost_usd is None:
        return own
    beside = f"+ {dollars(row.subagents_cost_usd)} in {counted(row.subagents, 'subagent')}"
    return beside if own is None else f"{own} {beside}"


def only(within: Filter, **value: tuple[str, ...]) -> str:
    """Return the link to the sessions that also have a value."""
    return links.sessions_href(replace(within, **value))  # type: ignore[arg-type]


def _whose_children(found: list[SessionRow]) -> list[Column]:
    """Return the column of relations to parents, each with a link to the parent; empty if no session has one."""
    if not any(row.relation for row in found):
        return []
    there = ask(recorded_among, sorted({row.parent_session_id for row in found if row.parent_session_id}))
    parents = [row.parent_session_id if row.parent_session_id in there else None for row in found]
    return [
        Column(
            "Relation",
            [str(row.relation or "") for row in found],
            meaning="How it is related to its parent; a link leads to the parent if the ledger has it.",
            hrefs=[links.transcript_href(parent) if parent else "" for parent in parents],
        )
    ]


def _that_match(found: list[SessionRow]) -> list[Column]:
    """Return the column of matching turns; empty if the filters match whole sessions."""
    if all(row.matching == row.turns for row in found):
        return []
    meaning = "How many of its turns match all filters. The other numbers ignore filters on results."
    return [Column("Match", [row.matching for row in found], "number", meaning)]


def _how_they_ended(found: list[SessionRow]) -> list[Column]:
    """Return the column of success by the sessions' sources; empty if none reports it."""
    if all(row.success is None for row in found):
        return []
    return [
        Column("Success", [ENDED[row.success] for row in found], meaning="What the session's source says.")
    ]


def _how_they_were_read(found: list[SessionRow]) -> list[Column]:
    has_any = any(row.parsed.count for row in found)
    return [
        Column(
            "Parsed",
            [row.parsed.value for row in found],
            "share",
            "Responses that were parsed whole, of those that meant to act.",
        ),
        Column(
            "Parsed turns",
            [
                f"{row.parsed.successes:,} of {row.parsed.count:,}"
                if row.parsed.count
                else (row.parsed.refusal or "") * has_any
                for row in found
            ],
            meaning="Parsed, of those that meant to act; one session has no interval.",
        ),
        Column(
            "Capture",
            [", ".join(row.captures) for row in found],
            meaning="How much was kept of the responses that meant to act; of calls alone, reading can't be audited.",
        ),
    ]


def named(row: SessionRow) -> str:
    """Return a session's name, indented below its ancestors."""
    return f"{'↳ ' * row.depth}{called(row.external_id, row.session_id, _title(row))}"


show()
