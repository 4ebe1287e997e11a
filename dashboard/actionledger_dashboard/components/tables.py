"""Tables whose rows lead somewhere. Cells are text: nothing in them is ever read as Markdown or HTML."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

import streamlit as st

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces

PAGE = 50
"""How many rows a page of a table has."""

Kind: TypeAlias = Literal["text", "long", "number", "share", "verdict"]
"""How a column is shown; of the long ones as much as there is room for, and verdicts with a colour and a shape."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")

_mount = mount_of("table")


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
    """

    label: str
    values: Sequence[str | float | None]
    kind: Kind = "text"
    meaning: str = ""
    widest: float = 1.0
    looks: Sequence[str] = ()


def show_table(
    key: str,
    label: str,
    columns: Sequence[Column],
    hrefs: Sequence[str] | None,
    *,
    seen: int | None = None,
    reveal: str = "",
) -> None:
    """Show a table whose rows are links.

    Args:
        key: tells this table from the page's others.
        label: what the table is, for who can't see it.
        columns: from left to right; the first holds the links.
        hrefs: where each row leads; None where they lead nowhere.
        seen: how many rows are seen at once, the others by scrolling; None for all of them.
        reveal: what the reader asked for, so that the table is brought into view whenever that is something else; empty for nothing.
    """
    heads = [
        {
            "label": column.label,
            "kind": column.kind,
            "help": column.meaning,
            "widest": column.widest,
            "looks": list(column.looks),
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
    }
    _mount(key=key, data=data)


def offer_download(name: str, count: int, rows: Callable[[], Iterable[Mapping[str, object]]]) -> None:
    """Offer the rows of a whole list, and not of its page alone, as a CSV file.

    Args:
        name: what the rows are, in the plural.
        count: how many there are.
        rows: gives them when they are asked for, each with the same columns.
    """
    st.download_button(
        f"Download {count:,} as CSV",
        data=lambda: csv_text(rows()).encode("utf-8-sig"),
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def offer_whole_rows(name: str, count: int, write: Callable[[Path], object]) -> None:
    """Offer the same rows as Parquet, every column of each as it is recorded.

    Args:
        name: what the rows are, in the plural.
        count: how many there are.
        write: writes the file when it is asked for.
    """

    def content() -> bytes:
        with TemporaryDirectory() as folder:
            file = Path(folder, f"{name}.parquet")
            write(file)
            return file.read_bytes()

    st.download_button(
        f"Download {count:,} as Parquet",
        data=content,
        file_name=f"{name}.parquet",
        mime="application/vnd.apache.parquet",
        on_click="ignore",
        icon=":material/download:",
    )


def csv_text(rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV; a text that a spreadsheet would take for a formula begins with an apostrophe there.

    Args:
        rows: with the same columns each.
    """
    written = io.StringIO(newline="")
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(written, list(row))
            writer.writeheader()
        writer.writerow({name: _harmless(value) for name, value in row.items()})
    return written.getvalue()


def _cell(value: str | float | None) -> Any:
    return pieces(value) if isinstance(value, str) else value


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
