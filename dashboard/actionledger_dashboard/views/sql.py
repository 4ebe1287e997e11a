"""The SQL page: one read-only statement, the tables next to it, and its rows as a table and a chart."""

from collections.abc import Mapping
from functools import partial
from typing import get_args

import streamlit as st

from actionledger.core.errors import ActionLedgerError, LedgerError, UsageError
from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.guarding.guard import MEMORY, keep_ready
from actionledger_dashboard.components import charts, links, notices, statements, tables
from actionledger_dashboard.components.controls import show_anchors
from actionledger_dashboard.components.statements import Asked, show_catalogue
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked, page_of
from actionledger_dashboard.components.wording import visible
from actionledger_dashboard.data import ask, is_read_only, saved

FIRST = (
    "SELECT outcome, count(*) AS responses\nFROM parse_attempts WHERE run_kind NOT IN ('reparse', 'rerun')\n"
    "GROUP BY outcome ORDER BY responses DESC"
)
LIMITS = (
    f"One statement that reads. It reaches no file, network or setting, may take {statements.SECONDS:.0f} seconds and {MEMORY.replace('GB', ' GB')}, and "
    f"its first {statements.ROWS:,} rows are kept, up to {statements.MAX_BYTES // 2**20} MB; 'actionledger sql' gives all."
)
_ASKED = "sql.asked"


def show() -> None:
    """Show the page."""
    keep_ready()  # starts the process for the statement while it is being written
    linked = Linked("sql")
    left, right = st.columns([5, 2], gap="medium")
    with left:
        show_saved()
        statement, is_asked = write(linked)
        if is_asked:
            put(statement)
        st.caption(LIMITS)
        keep(statement)
        found = st.session_state.get(_ASKED)
        if isinstance(found, Asked) and found.statement == statement:
            show_answer(linked, found)
        elif isinstance(found, UsageError) and is_asked:
            notices.not_answered(found)
    with right:
        show_catalogue(ask(queries.tables))


def write(linked: Linked) -> tuple[str, bool]:
    """Show the statement's field; it runs only on request, never because a link has it."""
    with st.form("sql.form", border=False):
        statement = linked.area("Statement", "q", FIRST, lines=9)
        is_asked = st.form_submit_button("Run (Ctrl+Enter)")
    return statement, is_asked


def put(statement: str) -> None:
    """Run a statement, and keep its answer or its error."""
    try:
        with st.spinner("Asking …"):
            st.session_state[_ASKED] = statements.answer(statement)
    except UsageError as error:
        st.session_state[_ASKED] = error


def kept_statements() -> tuple[Mapping[str, object], str]:
    """Return the saved statements by name, and the error if their file is unreadable; the rest of the page works without them."""
    try:
        return saved("queries").entries(), ""
    except LedgerError as error:
        return {}, str(error)


def show_saved() -> None:
    """Show the saved statements as links that copy them into the field."""
    kept, problem = kept_statements()
    if problem:
        st.text(visible(problem))
    hrefs = [(name, links.sql_href(str(statement))) for name, statement in kept.items()]
    if hrefs:
        show_anchors("sql.saved", hrefs, "Saved:")


def keep(statement: str) -> None:
    """Offer to save the statement under a name, and to remove saved ones."""
    if is_read_only():
        st.caption("Nothing can be saved here: this dashboard only reads.")
        return
    kept, problem = kept_statements()
    if problem:  # saving would overwrite the file's content
        return
    with st.expander("Save or remove statements"):
        name = st.text_input("Name", key="sql.name", placeholder="Weekly failures", max_chars=80)
        st.button("Save this statement", on_click=partial(_change, "put", statement), disabled=not name)
        gone = st.selectbox("Saved statement", list(kept), index=None, key="sql.gone", format_func=visible)
        st.button("Remove it", on_click=partial(_change, "remove", statement), disabled=gone is None)
    if why := st.session_state.pop("sql.refused", ""):
        st.warning(visible(why).replace("$", r"\$"))


def _change(what: str, statement: str) -> None:
    try:
        if what == "put":
            saved("queries").put(st.session_state["sql.name"], statement)
            st.session_state["sql.name"] = ""
        elif name := st.session_state.get("sql.gone"):
            saved("queries").remove(name)
            st.session_state["sql.gone"] = None
    except ActionLedgerError as error:
        st.session_state["sql.refused"] = str(error)


def show_answer(linked: Linked, found: Asked) -> None:
    """Show the rows as a table, and two of their columns as a chart."""
    more = (
        f"the first {len(found.rows):,} rows, there are more"
        if found.has_more
        else counted(len(found.rows), "row")
    )
    said, download = st.columns([4, 1], vertical_alignment="center")
    said.caption(f"{more}, in {1000 * found.seconds:,.0f} ms")
    if not found.rows:
        st.info("The statement ran and gave no rows.")
        return
    with download:
        tables.offer_download("answer", len(found.rows), lambda: statements.as_rows(found))
    offset = page_of(linked, len(found.rows), tables.PAGE)
    page = found.rows[offset : offset + tables.PAGE]
    columns = [
        Column(
            name,
            [statements.shown(row[place]) for row in page],
            "number" if found.is_number(name) else "text",
        )
        for place, name in enumerate(found.names)
    ]
    tables.show_table("answer", "rows of the answer", columns, None, seen=14)
    show_chart(linked, found)


def show_chart(linked: Linked, found: Asked) -> None:
    """Show one column over another, if any has numbers."""
    numbers = [name for name in found.names if found.is_number(name)]
    if not numbers:
        return
    first = next((name for name in found.names if name not in numbers), found.names[0])
    across, up, kind = st.columns(3)
    with across:
        along = linked.one("Along", "x", {name: name for name in [first, *found.names]})
    with up:
        value = linked.one("Height", "y", {name: name for name in numbers[::-1]})
    with kind:
        shape = linked.one("As", "as", {each: each for each in get_args(charts.Shape)})
    linked.stop_at_unknown()
    if charts.too_many(found.values(along), shape):  # type: ignore[arg-type]
        st.info("There are too many rows for bars; a line or points have room for them.")
        return
    chart = charts.rows_chart((along, value), found.values(along), found.values(value), shape)  # type: ignore[arg-type]
    charts.show_chart("chart", chart, f"{value} by {along}")


show()
