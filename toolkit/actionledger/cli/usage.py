"""``usage`` and ``tools``: tokens and cost by day, project and more; each tool's failures, what precedes and follows them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated, Any, get_args

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import JsonOption, LedgerOption, existing
from actionledger.cli.summary import cost_lines
from actionledger.cli.tables import Sheet, console, plain, print_json, print_text, rate_value, shown_rate
from actionledger.core.text import NO_NAME, by_prices, counted, cut
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.tools import Group, ToolSums, spending, tools
from actionledger.ledger.queries.usage import billed_beside, price_sources, unpriced

NOT_RECORDED = "–"
LONGEST = 48
"""Maximum number of characters shown of a title or project."""

Row = Mapping[str, Any]

_SUMS = {
    "sessions": "sessions",
    "turns": "turns",
    "tool_calls": "tool calls",
    "failing_turns": "failing turns",
    "input_tokens": "input tokens",
    "cached_tokens": "cached",
    "output_tokens": "output tokens",
    "reasoning_tokens": "reasoning",
    "cost_usd": "cost $",
    "failing_cost_usd": "of failing turns $",
    "without_action_cost_usd": "without acting $",
}
"""The columns of sums with their heads; a column without records is not shown."""


@filtered(lists=True)
def show_usage(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    by: Annotated[
        str,
        typer.Option(
            metavar="GROUPS", help=f"Group by these, separated by commas: {', '.join(get_args(Group))}"
        ),
    ] = "day",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows; for periods the latest")] = 60,
    as_json: JsonOption = False,
) -> None:
    """Print tokens and cost by day, project, model, tool and more."""
    groups: list[Any] = [name.strip() for name in by.split(",") if name.strip()]
    with open_ledger(existing(ledger), read_only=True) as opened:
        chosen = within(opened)
        found = opened.sql(*spending(chosen, groups))
        lines = _rows(found)
        [total] = _rows(opened.sql(*spending(chosen, []))) or [{}]
        sources, beside, missing = (
            price_sources(opened),
            billed_beside(opened, chosen),
            unpriced(opened, chosen),
        )
    if as_json:
        print_json(
            {"by": groups, "rows": [_json(row) for row in lines], "total": _json(total), "prices": sources}
        )
        return
    if not total:
        print_text("No response fits, so that nothing was used.")
        return
    is_by_time = bool(groups) and groups[0] in {"day", "week", "month"}
    _print_rows(lines[-limit:] if is_by_time else lines[:limit], total, groups)
    if len(lines) > limit:
        print_text(f"{counted(len(lines) - limit, 'more row')}; --limit shows them.")
    if "tool" in groups:
        print_text("A turn with calls of several tools is in the row of each; the last row counts it once.")
    if total.get("cost_by_prices_usd"):
        print_text(f"Costs that were not recorded are {by_prices(sources)}.")
    for line in cost_lines(beside, missing):
        print_text(line)


def _rows(found: Any) -> list[Row]:
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def _print_rows(lines: Sequence[Row], total: Row, groups: list[str]) -> None:
    shown = {name: head for name, head in _SUMS.items() if total[name] is not None}
    heads = ["session" if name == "session" else name for name in groups]
    table = Sheet(*heads, *shown.values(), numbers=shown.values())
    for row in lines:
        table.add_row(
            *(plain(_group(row, name)) for name in groups), *(_sum(row[name], name) for name in shown)
        )
    if groups:
        table.add_row(
            "all", *[""] * (len(groups) - 1), *(_sum(total[name], name) for name in shown), style="bold"
        )
    console.print(table)


def _group(row: Row, name: str) -> str:
    """Return a row's group, for a cell."""
    if name == "session":
        return cut(row.get("title") or row["session_id"], LONGEST)
    value = row[name]
    if isinstance(value, date):
        return f"{value:%Y-%m}" if name == "month" else value.isoformat()
    return cut(value, LONGEST) if value else NOT_RECORDED if value is None else NO_NAME


def _sum(value: float | None, name: str) -> str:
    if value is None:
        return NOT_RECORDED
    return f"{value:,.2f}" if name.endswith("_usd") else f"{value:,}"


def _json(row: Row) -> dict[str, object]:
    return {
        name: value.isoformat() if isinstance(value, date | datetime) else value
        for name, value in row.items()
    }


@filtered()
def show_tools(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of tools")] = 40,
    as_json: JsonOption = False,
) -> None:
    """Print each tool's calls, failures, reasons and durations."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = tools(opened, within(opened))
    if as_json:
        print_json(
            [
                asdict(each) | {"failure": rate_value(each.failure), "recovery": rate_value(each.recovery)}
                for each in found
            ]
        )
        return
    if not found:
        print_text("No response that fits calls a tool.")
        return
    numbers = ("calls", "sessions", "rejected", "failed", "recovered", "after turns", "cost $")
    table = Sheet(
        *("tool", "calls", "sessions", "rejected", "failed", "failure rate", "most often", "right after"),
        *("called next", "recovered", "after turns", "median", "95 % below", "cost $"),
        numbers=numbers,
    )
    for each in found[:limit]:
        table.add_row(*_tool_cells(each))
    console.print(table)
    if len(found) > limit:
        print_text(f"{counted(len(found) - limit, 'more tool')}; --limit shows them.")
    print_text(
        "Rejected: by the tool's schema. Recovered: failed calls after which the tool succeeded in a later turn of the session, and the "
        "median number of turns until then. Cost: of the turns in which a call failed."
    )


def _tool_cells(each: ToolSums) -> list[Any]:
    reason = f"{each.reason} ({each.reason_count:,})" if each.reason else ""
    return [
        plain(cut(each.name, LONGEST) or NO_NAME),
        f"{each.calls:,}",
        f"{each.sessions:,}",
        f"{each.rejected:,}",
        f"{each.failure.successes:,}" if each.failure.count else NOT_RECORDED,
        shown_rate(each.failure) if each.failure.count else NOT_RECORDED,
        reason,
        plain(cut(each.after or "", LONGEST)),
        plain(cut(each.then or "", LONGEST)),
        f"{each.recovery.successes:,} of {each.recovery.count:,}" if each.recovery.count else NOT_RECORDED,
        NOT_RECORDED if each.recovery_turns is None else f"{each.recovery_turns:g}",
        _took(each.median_ms),
        _took(each.slow_ms),
        NOT_RECORDED if each.cost_usd is None else f"{each.cost_usd:,.2f}",
    ]


def _took(milliseconds: float | None) -> str:
    if milliseconds is None:
        return NOT_RECORDED
    return f"{milliseconds:,.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:,.1f} s"
