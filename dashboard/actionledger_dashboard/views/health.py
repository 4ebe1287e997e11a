"""The ledger's health: the findings of ``actionledger doctor`` on a page."""

import streamlit as st

from actionledger.core.text import counted
from actionledger.ledger.upkeep.health import Health, Level, examine
from actionledger_dashboard.components import notices, tables
from actionledger_dashboard.components.controls import show_findings
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.data import ledger_path


def show() -> None:
    """Show the page; it works for an unreadable ledger too."""
    found = examine(ledger_path())
    title, again = st.columns([6, 1], vertical_alignment="bottom")
    title.subheader(verdict(found), anchor=False)
    again.button("Refresh", width="stretch")
    st.text(f"{found.ledger} · looked at {found.examined_at:%Y-%m-%d %H:%M:%S} UTC")
    show_findings(found.findings)
    notices.doctor(is_mendable=any(finding.is_mendable for finding in found.findings))
    sizes, holders = st.columns(2)
    with sizes:
        show_sizes(found)
    with holders:
        show_holders(found)


def verdict(found: Health) -> str:
    """Return the ledger's health in a sentence."""
    faults = sum(finding.level is Level.FAULT for finding in found.findings)
    return f"{counted(faults, 'thing needs', 'things need')} you" if faults else "All good"


def show_sizes(found: Health) -> None:
    """Show the disk usage of the ledger's parts."""
    taken = [size for size in found.sizes if size.bytes]
    columns = [
        Column("Part", [size.part for size in taken]),
        Column("Files", [size.files for size in taken], "number"),
        Column("Bytes", [size.bytes for size in taken], "number"),
    ]
    st.caption("What it takes on the disk")
    tables.show_table("sizes", "what the parts of the ledger take", columns, None)


def show_holders(found: Health) -> None:
    """Show each lock and its holder."""
    st.caption("Who works with it")
    if not found.holders:
        st.text("Nobody writes to it or takes anything in just now.")
        return
    columns = [
        Column("Lock", [holder.what for holder in found.holders]),
        Column(
            "Process",
            ["not known" if holder.process is None else str(holder.process) for holder in found.holders],
        ),
        Column("Program", [holder.program for holder in found.holders]),
        Column("State", ["stopped" if holder.is_stopped else "runs" for holder in found.holders]),
    ]
    tables.show_table("holders", "who holds which lock", columns, None)


show()
