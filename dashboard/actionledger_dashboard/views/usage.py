"""Tokens and cost by period, project, branch, agent, model, tool or session."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any, get_args

import streamlit as st

from actionledger.core.text import by_prices, counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.tools import PERIODS, Group, spending
from actionledger.ledger.queries.usage import price_sources, unpriced
from actionledger_dashboard.components import charts, filters, links, notices, tables
from actionledger_dashboard.components.controls import heading, line
from actionledger_dashboard.components.stats import Stat, show_strip
from actionledger_dashboard.components.tables import Column, offer_download
from actionledger_dashboard.components.widgets import Bar, Linked
from actionledger_dashboard.components.wording import dollars, share_of, token_count
from actionledger_dashboard.data import ask

Row = Mapping[str, Any]

FIELDS_OF: dict[str, str] = {
    "project": "projects",
    "branch": "branches",
    "agent": "agents",
    "model": "models",
    "source": "sources",
    "profile": "profiles",
    "task": "tasks",
}
"""The filter field for each grouping."""


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("usage")
    within = filters.pick(linked, lists=True)
    bar = Bar(linked)
    by: Any = bar.one("Group by", "by", get_args(Group))
    linked.stop_at_unknown()
    rows, [total] = ask(spent, within, (by,)), ask(spent, within, ()) or [{}]
    if not rows:
        notices.nothing_found()
        return
    offset = bar.page_of(len(rows), tables.PAGE)
    with line():
        heading(
            "Usage and cost",
            "Input tokens include cached ones, output tokens include reasoning. Each response counts once, however often it was read.",
        )
        bar.show()
        offer_download(f"usage_by_{by}", len(rows), lambda: rows)
    show_total(total, within)
    if by in PERIODS:
        if (chart := charts.spending_chart(rows, by)) is not None:
            charts.show_chart("spending", chart, f"What each {by} cost")
        rows = sorted(
            rows, key=lambda row: (row[by] is not None, row[by]), reverse=True
        )  # without a time: last
    show_rows(rows[offset : offset + tables.PAGE], by, within)
    if by == "tool":
        st.caption(
            "A turn with calls of several tools is in the row of each, so that the rows add up to more than all."
        )


def spent(ledger: Queryable, within: Filter, by: tuple[Group, ...]) -> list[Row]:
    """Return the usage of responses, one row for each group."""
    found = ledger.sql(*spending(within, by))
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def show_total(total: Row, within: Filter) -> None:
    """Show the sums in a row, and below them the sources of the cost."""
    show_strip("usage.total", "Sums", [*_costs(total), *_tokens(total), _turns(total)])
    notes = []
    if total["cost_by_prices_usd"]:
        notes.append(f"Costs that were not recorded are {by_prices(ask(price_sources))}.")
    if missing := sum(each.turns for each in ask(unpriced, within)):
        notes.append(f"No cost is known for {counted(missing, 'turn')} with input and output tokens.")
    if not total["counted_turns"]:
        notes.append("Tokens are not recorded.")
    if notes:
        st.caption(" ".join(notes))


def _costs(total: Row) -> list[Stat]:
    """Return the cost, and how much of it failures and idle turns took."""
    if total["cost_usd"] is None:
        return []
    parts = {
        "in turns that failed": total["failing_cost_usd"],
        "in turns that stopped without acting": total["without_action_cost_usd"],
    }
    below = [f"{dollars(value)} {words}" for words, value in parts.items() if value]
    return [Stat("Cost", dollars(total["cost_usd"]), below)]


def _tokens(total: Row) -> list[Stat]:
    """Return input and output tokens, as far as they are recorded."""
    if not total["counted_turns"]:
        return []
    cached = [f"{share_of(total['cache_hit_rate'])} of them cached"] if total["cache_hit_rate"] else []
    thought = [f"{total['reasoning_tokens']:,} of them reasoning"] if total["reasoning_tokens"] else []
    return [
        Stat("Input tokens", token_count(total["input_tokens"]), cached),
        Stat("Output tokens", token_count(total["output_tokens"]), thought),
    ]


def _turns(total: Row) -> Stat:
    return Stat("Turns", f"{total['turns']:,}", [f"in {counted(total['sessions'], 'session')}"])


def show_rows(rows: list[Row], by: str, within: Filter) -> None:
    """Show a page of groups; a row links to the group's sessions, or a session to its replay."""
    sums = {
        **({} if by == "session" else {"Sessions": "sessions"}),
        "Turns": "turns",
        "Tool calls": "tool_calls",
        "Input tokens": "input_tokens",
        "Cached tokens": "cached_tokens",
        "Output tokens": "output_tokens",
        "Reasoning tokens": "reasoning_tokens",
        "Failing turns": "failing_turns",
    }
    money = {"Cost": "cost_usd", "Cost of failing turns": "failing_cost_usd"}
    columns = [
        Column(by.capitalize(), [_called(row, by) for row in rows], "title"),
        *(Column(label, [row[name] for row in rows], "number") for label, name in sums.items()),
        *(
            Column(label, [None if row[name] is None else dollars(row[name]) for row in rows], "number")
            for label, name in money.items()
        ),
    ]
    tables.show_table(
        "usage",
        f"usage by {by}",
        [each for each in columns if any(value not in {None, ""} for value in each.values)],
        [_href(row, by, within) for row in rows],
    )


def _called(row: Row, by: str) -> str:
    if by == "session":
        return str(row["title"] or row["session_id"])
    if by == "month":
        return f"{row[by]:%Y-%m}" if row[by] else "no time recorded"
    return str(row[by]) if row[by] else "no time recorded" if by in PERIODS else "not recorded"


def _href(row: Row, by: str, within: Filter) -> str:
    """Return the link to a group's sessions; empty if no filter picks them."""
    value = row["session_id" if by == "session" else by]
    if not value:
        return ""
    if by == "session":
        return links.replay_href(value)
    if by == "tool":
        return links.sessions_href(replace(within, action=value))
    if by in PERIODS:
        since = datetime.combine(value, time())
        end = min(_end(value, by), within.until) if within.until else _end(value, by)
        return links.sessions_href(replace(within, since=max(since, within.since or since), until=end))
    narrowed: Any = {FIELDS_OF[by]: (value,)}
    return links.sessions_href(replace(within, **narrowed))


def _end(day: date, by: str) -> datetime:
    days = {"day": 1, "week": 7}.get(by, 0)
    end = day + timedelta(days=days) if days else (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return datetime.combine(end, time())


show()
