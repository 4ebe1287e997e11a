"""Downloads a page's session or comparison as one HTML file that opens offline."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from actionledger.core.patterns import regex
from actionledger.report.exports.parts import track
from actionledger.report.exports.reports import session_report, tables_report
from actionledger_dashboard.components.tables import Cell, Column, content_of, say_why
from actionledger_dashboard.data import opened

Pieces = Callable[[], Iterable[str]]
"""A function that makes a file's text piece by piece, on request."""

_HELP = "One HTML file with all that is recorded, secrets masked as in the ledger. It opens offline and runs no script."
_NOT_IN_A_NAME = regex(r"[^\w.-]+")
_LONGEST = 60


def offer_page(key: str, called: str, pieces: Pieces) -> None:
    """Offer a page's content as a file; it is made on request."""
    failed: list[str] = []
    name = f"{_NOT_IN_A_NAME.sub('-', called).strip('-.')[:_LONGEST] or 'actionledger'}.html"
    st.download_button(
        "Share as HTML",
        data=partial(content_of, partial(_write, pieces), name, failed),
        file_name=name,
        mime="text/html",
        on_click="ignore",  # a rerun of the page may drop what makes the file before it is made
        icon=":material/share:",
        help=_HELP,
        key=f"{key}.share",
    )
    say_why(f"{key}.share", failed)


def offer_session(session_id: str, called: str, run_id: str | None = None) -> None:
    """Offer a session with all its turns as a file."""
    offer_page("session", called, lambda: session_report(track(opened(), session_id, run_id)))


def offer_tables(key: str, title: str, tables: Sequence[tuple[str, Sequence[Column]]]) -> None:
    """Offer a page's tables as a file."""
    offer_page(key, title, lambda: tables_report(title, [_tabled(name, columns) for name, columns in tables]))


def _tabled(name: str, columns: Sequence[Column]) -> tuple[str, list[str], list[tuple[Cell, ...]]]:
    heads = [column.label for column in columns]
    return name, heads, list(zip(*(map(_filled, column.values) for column in columns), strict=True))


def _filled(value: Cell) -> Cell:
    """Return a cell as the page shows it: a dash for None."""
    return "–" if value is None else value


def _write(pieces: Pieces, file: Path) -> None:
    with file.open("w", encoding="utf-8") as written:
        written.writelines(pieces())
