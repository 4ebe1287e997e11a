"""Tables whose rows lead somewhere, and every row of a list as a file. Cells are text: nothing in them is read as Markdown or HTML."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import streamlit as st

from actionledger.core.errors import ActionLedgerError
from actionledger.core.text import harmless
from actionledger.ledger.queries import Hit
from actionledger.ledger.queries.marks import Picking, Selection
from actionledger.ledger.queries.session import turns_of_sessions
from actionledger.ledger.row_files import RowForm, write_rows
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.wording import called, minute_of, pieces
from actionledger_dashboard.data import ask, opened
from actionledger_dashboard.handover import ticket_of

PAGE = 50
"""How many rows a page of a table has."""

Cell: TypeAlias = str | float | Hit | None
"""What stands in a cell."""

Kind: TypeAlias = Literal["text", "code", "name", "title", "long", "found", "number", "share", "verdict"]
"""How a column is shown: codes in a fixed width, names are cut in their middle and titles at their end, of the long ones is seen as much as there is room for, what was found is
marked, and verdicts have a colour and a shape."""

_BEFORE = 24
"""How many characters stand before what was found, at most, so that it is seen in a narrow cell."""

_mount_table = mount_of("table")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Args:
        label: its heading.
        values: its cells, from the first row to the last.
        kind: how they are shown.
        meaning: a sentence for who asks.
        widest: the share that fills a cell, where the column shows shares.
        looks: which verdict each cell is, where the column shows verdicts: good, mended, bad or idle.
        order: where a press on the heading leads: to the list ordered by this column; empty where it can't be.
        sorted: how the list is ordered by it now: ``ascending``, ``descending`` or not at all.
        hrefs: where each cell leads by itself, where it doesn't lead to where its row does; empty for those that lead nowhere.
    """

    label: str
    values: Sequence[Cell]
    kind: Kind = "text"
    meaning: str = ""
    widest: float = 1.0
    looks: Sequence[str] = ()
    hrefs: Sequence[str] = ()
    order: str = ""
    sorted: Literal["", "ascending", "descending"] = ""


def turn_columns(turns: Sequence[tuple[str, int]]) -> list[Column]:
    """Return what people know turns by: the title of the session, the place in it, when, and the agent."""
    known = {(each.session_id, each.turn_index): each for each in ask(turns_of_sessions, turns)}
    found = [known.get(turn) for turn in turns]
    names = [
        called(each.external_id, turn[0], each.title) if each else turn[0]
        for turn, each in zip(turns, found, strict=True)
    ]
    columns = [
        Column("Session", names, "title", "Its title, else its name where it comes from."),
        Column("Turn", [place for _, place in turns], "number"),
        Column("When (UTC)", [minute_of(each.occurred_at) if each else "" for each in found]),
        Column("Agent", [each.agent if each else "" for each in found], "name"),
    ]
    return [*columns[:2], *(each for each in columns[2:] if any(each.values))]


def hrefs_of(values: Sequence[str], href_of: Callable[[str], str]) -> list[str]:
    """Return where each cell of a column leads by its own value; what stands in several rows is asked for once."""
    known = {value: href_of(value) for value in set(values)}
    return [known[value] for value in values]


def show_table(
    key: str,
    label: str,
    columns: Sequence[Column],
    hrefs: Sequence[str] | None,
    *,
    seen: int | None = None,
    reveal: str = "",
    depths: Sequence[int] = (),
) -> None:
    """Show a table whose rows are links; those that stand deeper than the row before them are folded under it."""
    heads = [
        {
            "label": column.label,
            "kind": column.kind,
            "help": column.meaning,
            "widest": column.widest,
            "looks": list(column.looks),
            "order": column.order,
            "sorted": column.sorted,
            # A link of no words has no name.
            "hrefs": [
                "" if value in {None, ""} else href
                for value, href in zip(column.values, column.hrefs, strict=False)
            ],
        }
        for column in columns
    ]
    cells = zip(*([_cell(value) for value in column.values] for column in columns), strict=True)
    data = {
        "label": label,
        "columns": heads,
        "rows": list(cells),
        "hrefs": None if hrefs is None else list(hrefs),
        "seen": seen,
        "reveal": reveal,
        "depths": list(depths),
    }
    _mount_table(key=key, data=data)


def offer_download(name: str, count: int, rows: Callable[[], Iterable[Mapping[str, object]]]) -> None:
    """Offer rows that are here already, and not their page alone, as a CSV file."""
    st.download_button(
        f"Download {count:,} as CSV",
        data=lambda: csv_text(rows()).encode("utf-8-sig"),
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def csv_text(rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV; a text that a spreadsheet would take for a formula begins with an apostrophe there."""
    written = io.StringIO(newline="")
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.writer(written)
            writer.writerow(map(harmless, row))
        writer.writerow(map(harmless, row.values()))
    return written.getvalue()


def _cell(value: Cell) -> Any:
    if isinstance(value, Hit):
        before = value.before if len(value.before) <= _BEFORE else f"…{value.before[-_BEFORE:]}"
        return {"before": pieces(before), "text": pieces(value.text), "after": pieces(value.after)}
    return pieces(value) if isinstance(value, str) else value


_FORMS: dict[RowForm, tuple[str, str]] = {
    "csv": ("CSV", "text/csv"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
    "jsonl": ("JSON lines", "application/jsonl"),
}

_mount_export = mount_of("exporting")


def offer_export(name: str, count: int, selection: Selection | Picking) -> None:
    """Offer every row of a list, and not its page alone, as a file; it is written and counted when it is asked for."""
    failed: list[str] = []
    with st.popover(f"Export {count:,}", icon=":material/download:"):
        for form, (label, mime) in _FORMS.items():
            st.download_button(
                f"Download {count:,} as {label}",
                data=partial(content_of, partial(_write, selection, form), f"{name}.{form}", failed),
                file_name=f"{name}.{form}",
                mime=mime,
                on_click="ignore",  # a run of the page may forget what makes the file before it is made
                key=f"{name}.export.{form}",
            )
        say_why(name, failed)


@st.fragment
def say_why(name: str, failed: list[str]) -> None:
    """Say why a file could not be made; run by itself, which leaves the buttons and what makes their files as they are."""
    _mount_export(key=f"{name}.exporting", data={"name": name}, on_failed_change=_nothing)
    if failed:
        notices.not_exported(failed[-1])


def _nothing() -> None:
    """Without a callback Streamlit doesn't run the fragment."""


def _write(selection: Selection | Picking, form: RowForm, file: Path) -> None:
    write_rows(opened(), selection, file, form)


def content_of(write: Callable[[Path], None], file_name: str, failed: list[str]) -> bytes:
    """Make a file, and return the ticket for it; see ``HandOver``. Why that was not possible is added to what failed."""
    try:
        return ticket_of(file_name, write)
    except (ActionLedgerError, OSError) as error:
        failed.append(str(error))
        raise
