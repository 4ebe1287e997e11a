"""The alerts that rules have raised, and which rules fire now."""

import shlex

import streamlit as st

from actionledger.core.errors import LedgerError
from actionledger.core.text import counted
from actionledger.ledger.queries.recent import Alert, alerts, count_alerts
from actionledger.ledger.saved import RAISED
from actionledger_dashboard.components import tables
from actionledger_dashboard.components.controls import heading, line, show_exact
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked, page_of
from actionledger_dashboard.components.wording import visible
from actionledger_dashboard.data import ask, ledger_path, saved


def show() -> None:
    """Show the page."""
    linked = Linked("alerts")
    count = ask(count_alerts)
    with line():
        heading("Alerts", "Rules over the numbers of the report; each alert is raised once while it goes on.")
    if not count:
        show_how()
        return
    try:
        firing = {str(each["rule"]) for each in saved(RAISED).entries().values()}
    except LedgerError as error:
        firing = set()
        st.text(visible(str(error)))
    st.text(f"{counted(count, 'alert')}; {counted(len(firing), 'rule')} firing now.")
    show_alerts(ask(alerts, limit=tables.PAGE, offset=page_of(linked, count, tables.PAGE)), firing)


def show_alerts(found: list[Alert], firing: set[str]) -> None:
    """Show a page of alerts, newest first; the newest alert of a firing rule is marked."""
    seen: set[str] = set()
    states = []
    for each in found:
        states.append("fires" if each.rule in firing and each.rule not in seen else "over")
        seen.add(each.rule)
    columns = [
        Column("Raised (UTC)", [f"{each.raised_at:%Y-%m-%d %H:%M:%S}" for each in found]),
        Column("Rule", [each.rule for each in found], "title"),
        Column("Number", [each.number for each in found], "code"),
        Column("It was", [each.found for each in found]),
        Column("Fires", [each.asked for each in found]),
        Column("Now", states),
    ]
    tables.show_table("alerts", "alerts", columns, None)


def show_how() -> None:
    """Say how to write rules, and which commands check them."""
    st.text(
        "No alert has been raised. Write rules to a file, alerts.toml, and let the dashboard or a watch check them every minute."
    )
    path = shlex.quote(str(ledger_path()))
    show_exact(
        "alerts.how",
        '[[rule]]\nname = "calls fail"\nnumber = "funnel.recorded_execution.failed"\nabove = 0.2\nover = "7d"\n\n'
        '[[rule]]\nname = "cost of a day"\nnumber = "usage.cost_usd"\nabove = 50\nover = "1d"',
    )
    show_exact(
        "alerts.commands",
        f"actionledger check --rules alerts.toml --ledger {path}\nactionledger dashboard --alerts alerts.toml --ledger {path}",
    )


show()
