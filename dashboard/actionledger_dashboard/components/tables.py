"""Tables with links in their rows, and downloads of a whole list. Cells are text and are never interpreted as Markdown or HTML."""

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
from actionledger.ledger.storage.copies import RowForm, write_rows
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.wording import called, minute_of, pieces
from actionledger_dashboard.data import ask, opened
from actionledger_dashboard.handover import ticket_of

PAGE = 50
"""The number of rows on a page of a table."""

Cell: TypeAlias = str | float | Hit | None
"""The value of a cell."""

Kind: TypeAlias = Literal["text", "code", "name", "title", "long", "found", "number", "share", "verdict"]
"""The way to show a column. Codes have a fixed width; names are cut in the middle and titles at the end.
Long texts fill the free room, found text is marked, and verdicts have a colour and a shape.
"""

_BEFORE = 24
"""The most characters before found text, so that a narrow cell shows it."""

_mount_table = mount_of("table")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    label: str  # its heading
    values: Sequence[Cell]  # its cells, from the first row to the last
    kind: Kind = "text"  # the way to show them
    meaning: str = ""  # its tooltip
    widest: float = 1.0  # the share that fills a cell, in a column of shares
    looks: Sequence[str] = ()  # each cell's look, in a column of verdicts: good, mended, bad or idle
    hrefs: Sequence[str] = ()  # each cell's own link, if other than its row's; empty for none
    order: str = ""  # the link to the list ordered by this column; empty if it can't be
    # the list's present order by this column: `ascending`, `descending` or empty
    sorted: Literal["", "ascending", "descending"] = ""


def turn_columns(turns: Sequence[tuple[str, int]]) -> list[Column]:
    """Return the columns that identify turns: session title, turn index, time, and agent."""
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
    """Return the link of each cell of a column by its value; each distinct value is looked up once."""
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
    """Show a table whose rows are links; rows that are deeper than the row before are folded under it."""
    heads = [
        {
            "label": column.label,
            "kind": column.kind,
            "help": column.meaning,
            "widest": column.widest,
            "looks": list(column.looks),
            "order": column.order,
            "sorted": column.sorted,
            # A link without text would have no name.
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
    """Offer all rows of a list as a CSV file, from rows that are already loaded."""
    st.download_button(
        f"Download {count:,} as CSV",
        data=lambda: csv_text(rows()).encode("utf-8-sig"),
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def csv_text(rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV; a text that a spreadsheet would execute as a formula gets an apostrophe before it."""
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
    """Offer all rows of a list as a file; they are counted and written on request."""
    failed: list[str] = []
    with st.popover(f"Export {count:,}", icon=":material/download:"):
        for form, (label, mime) in _FORMS.items():
            st.download_button(
                f"Download {count:,} as {label}",
                data=partial(content_of, partial(_write, selection, form), f"{name}.{form}", failed),
                file_name=f"{name}.{form}",
                mime=mime,
                on_click="ignore",  # a rerun of the page may drop what makes the file before it is made
                key=f"{name}.export.{form}",
            )
        say_why(name, failed)


@st.fragment
def say_why(name: str, failed: list[str]) -> None:
    """Say why a file could not be made. As a fragment of its own, it leaves the download buttons unchanged."""
    _mount_export(key=f"{name}.exporting", data={"name": name}, on_failed_change=_nothing)
    if failed:
        notices.not_exported(failed[-1])


def _nothing() -> None:
    """Do nothing; without a callback Streamlit doesn't run the fragment."""


def _write(selection: Selection | Picking, form: RowForm, file: Path) -> None:
    write_rows(opened(), selection, file, form)


def content_of(write: Callable[[Path], None], file_name: str, failed: list[str]) -> bytes:
    """Make a file and return its ticket (see ``HandOver``); on an error, append the reason to ``failed``."""
    try:
        return ticket_of(file_name, write)
    except (ActionLedgerError, OSError) as error:
        failed.append(str(error))
        raise
