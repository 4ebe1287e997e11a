"""The parts of recordings that imports skipped: by reason, by import, and those that could not be read."""

import streamlit as st

from actionledger.core.text import counted
from actionledger.core.vocabulary import LEFT_OUT, LeftOutReason
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, ImportOmission, Omission
from actionledger_dashboard.components import links, notices, tables
from actionledger_dashboard.components.controls import heading, line
from actionledger_dashboard.components.links import BY_IMPORT, BY_REASON, NOT_READ
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked, page_of
from actionledger_dashboard.data import ask


def show() -> None:
    """Show the page."""
    refused = ask(queries.count_refused)
    found = ask(queries.left_out_by_import)
    if ask(queries.dimensions).is_empty and not (refused or found):
        notices.empty_ledger()
        return
    linked = Linked("left_out")
    with line():
        heading(
            "Skipped on import",
            "No number on other pages includes it. A file that was imported again counts with its last state.",
        )
        way = linked.switch("Ways to look", "by", [BY_REASON, BY_IMPORT, NOT_READ])
    whole = sum(each.count for each in found)
    imports = counted(len({each.run_id for each in found}), "import")
    st.caption(f"{counted(whole, 'thing')} in {imports}, and {refused:,} refused.")
    if way == NOT_READ:
        show_refused(linked, refused)
    elif not found:
        st.info(
            "No import has left out anything that it could read. What could not be read is refused."
            if refused
            else "No import has left anything out: all that its recordings hold is in this ledger."
        )
    elif way == BY_REASON:
        show_reasons(ask(queries.left_out, limit=ALL))
    else:
        offset = page_of(linked, len(found), tables.PAGE)
        show_imports(found[offset : offset + tables.PAGE])


ALL = 2**31


def show_reasons(found: list[Omission]) -> None:
    """Show skipped input by reason, most frequent first, with its kinds folded below it; a row links to the imports."""
    shown = folded(found)
    columns = [
        Column("Reason", [str(each.reason) for each, _ in shown], "code"),
        Column("Kind", [each.detail for each, _ in shown]),
        Column("Times", [each.count for each, _ in shown], "number"),
        Column(
            "Files",
            [each.files or None for each, _ in shown],
            "number",
            "Of one kind; a file can have several.",
        ),
        Column("Meaning", [LEFT_OUT[each.reason] * (not depth) for each, depth in shown], "long"),
    ]
    hrefs = [links.left_out_href(BY_IMPORT)] * len(shown)
    tables.show_table(
        "left_out", "skipped input by reason", columns, hrefs, depths=[depth for _, depth in shown]
    )


def folded(found: list[Omission]) -> list[tuple[Omission, int]]:
    """Return a row for each reason, the most frequent first, and its kinds one level below if there are several."""
    by_reason: dict[LeftOutReason, list[Omission]] = {}
    for each in sorted(found, key=lambda each: -each.count):
        by_reason.setdefault(each.reason, []).append(each)
    shown = []
    for reason, kinds in sorted(
        by_reason.items(), key=lambda pair: (-sum(each.count for each in pair[1]), pair[0])
    ):
        if len(kinds) > 1:
            whole = sum(each.count for each in kinds)
            shown += [(Omission(reason, counted(len(kinds), "kind"), whole, 0), 0)]
        shown += [(each, int(len(kinds) > 1)) for each in kinds]
    return shown


def show_imports(found: list[ImportOmission]) -> None:
    """Show each import's reasons; a row links to the sessions that the import has read."""
    columns = [
        Column("Import of", [each.origin or each.run_id for each in found]),
        Column("Started (UTC)", [f"{each.started_at:%Y-%m-%d %H:%M:%S}" for each in found]),
        Column("Reason", [str(each.reason) for each in found], "code"),
        Column("Kind", [each.detail for each in found]),
        Column("Times", [each.count for each in found], "number"),
        Column("Files", [each.files for each in found], "number"),
    ]
    hrefs = [links.sessions_href(Filter(run_id=each.run_id)) for each in found]
    tables.show_table("left_out", "what each import left out", columns, hrefs)


def show_refused(linked: Linked, count: int) -> None:
    """Show what could not be imported, latest first, and why."""
    if not count:
        st.info("No import has refused anything.")
        return
    st.caption(
        "As the import has said that was the first to come upon it; what was mended since may be there."
    )
    offset = page_of(linked, count, tables.PAGE)
    found = ask(queries.refused, limit=tables.PAGE, offset=offset)
    # A path may contain a colon and a space; the rest of it is then in the other column.
    parts = [each.message.partition(": ") for each in found]
    columns = [
        Column("Which", [which for which, _, _ in parts], "name"),
        Column("Why", [why for _, _, why in parts], "long"),
        Column("Said (UTC)", [f"{each.said_at:%Y-%m-%d %H:%M:%S}" for each in found]),
    ]
    tables.show_table("left_out", "what imports refused", columns, None)


show()
