"""Offers every row of a list as a file, and says why one could not be made."""

from functools import partial

import streamlit as st

from actionledger.core.errors import ActionLedgerError
from actionledger.ledger.queries.selected import Picking, Selection
from actionledger.ledger.row_files import RowForm, write_rows
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.data import opened
from actionledger_dashboard.handover import ticket_of

_FORMS: dict[RowForm, tuple[str, str]] = {
    "csv": ("CSV", "text/csv"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
    "jsonl": ("JSON lines", "application/jsonl"),
}

_mount = mount_of("exporting")


def offer_export(name: str, count: int, selection: Selection | Picking) -> None:
    """Offer every row of a list, and not its page alone, as a file; it is written and counted when it is asked for."""
    failed: list[str] = []
    with st.popover(f"Export {count:,}", icon=":material/download:"):
        for form, (label, mime) in _FORMS.items():
            st.download_button(
                f"Download {count:,} as {label}",
                data=partial(_content, selection, name, form, failed),
                file_name=f"{name}.{form}",
                mime=mime,
                on_click="ignore",  # a run of the page may forget what makes the file before it is made
                key=f"{name}.export.{form}",
            )
        _say_why(name, failed)


@st.fragment
def _say_why(name: str, failed: list[str]) -> None:
    """Say why a file could not be made; run by itself, which leaves the buttons and what makes their files as they are."""
    _mount(key=f"{name}.exporting", data={"name": name}, on_failed_change=_nothing)
    if failed:
        notices.not_exported(failed[-1])


def _nothing() -> None:
    """Without a callback Streamlit doesn't run the fragment."""


def _content(selection: Selection | Picking, name: str, form: RowForm, failed: list[str]) -> bytes:
    """Make a file, and return the ticket for it; see ``HandOver``."""
    try:
        return ticket_of(f"{name}.{form}", lambda file: write_rows(opened(), selection, file, form))
    except (ActionLedgerError, OSError) as error:
        failed.append(str(error))
        raise
