"""The tools that models call: their failure rates, most frequent reasons, what precedes and follows a failure, and durations."""

from dataclasses import replace

from actionledger.core.text import NO_NAME, counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.marks import Mark, Selection
from actionledger.ledger.queries.tools import ToolSums, tools, whole_tool_calls
from actionledger.report.drawing import interval
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.controls import heading, line
from actionledger_dashboard.components.tables import Column, offer_export
from actionledger_dashboard.components.widgets import Bar, Linked
from actionledger_dashboard.components.wording import dollars, milliseconds
from actionledger_dashboard.data import ask


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("tools")
    within = filters.pick(linked)
    found = ask(tools, within)
    calls = sum(each.calls for each in found)
    bar = Bar(linked)
    offset = bar.page_of(len(found), tables.PAGE)
    with line():
        heading(
            "Tools",
            f"{counted(calls, 'call')} of {counted(len(found), 'tool')}; those that fail most often first. Each try of a call counts.",
        )
        bar.show()
        if calls:
            offer_export("tool_calls", calls, Selection(*whole_tool_calls(within)))
    if not found:
        notices.nothing_found()
        return
    show_rows(found[offset : offset + tables.PAGE], within)


def show_rows(found: list[ToolSums], within: Filter) -> None:
    """Show a page of tools; a row links to the turns with a failed call of it or, if none failed, to all turns that call it."""
    columns = [
        Column("Tool", [each.name or NO_NAME for each in found], "name"),
        Column("Calls", [each.calls for each in found], "number"),
        Column("Sessions", [each.sessions for each in found], "number"),
        Column(
            "Failed",
            [each.failure.successes if each.failure.count else None for each in found],
            "number",
            "Tries that failed, timed out or were interrupted, of those that were attempted; a dash where no result is recorded.",
        ),
        Column("Failure rate", [each.failure.value for each in found], "share"),
        Column("95 % interval", [interval(each.failure) if each.failure.count else "–" for each in found]),
        Column(
            "Most often",
            [f"{each.reason} ({each.reason_count:,})" if each.reason else "" for each in found],
            "code",
            "The most frequent reason, and how often it is.",
        ),
        Column(
            "Right after",
            [each.after or "" for each in found],
            "name",
            "The tool of the call before the one that fails, most often.",
        ),
        *_recovery(found),
        Column(
            "Cost",
            [_dollars(each.cost_usd) for each in found],
            "number",
            "What the turns cost in which a call of it failed: before any recovery.",
        ),
        Column(
            "Median", [_took(each.median_ms) for each in found], "number", "How long a try took: the median."
        ),
        Column(
            "95 % below",
            [_took(each.slow_ms) for each in found],
            "number",
            "How long 95 % of the tries took at most.",
        ),
        Column(
            "Rejected",
            [each.rejected or None for each in found],
            "number",
            "Calls that the tool's schema rejects.",
        ),
    ]
    hrefs = [_href(each, within) for each in found]
    tables.show_table(
        "tools",
        "tools",
        [each for each in columns if any(value not in {None, ""} for value in each.values)],
        hrefs,
    )


def _recovery(found: list[ToolSums]) -> list[Column]:
    """Return the columns on what follows a failure of each tool."""
    return [
        Column(
            "Called next",
            [each.then or "" for each in found],
            "name",
            "After a failed call, the tool that the next turn with calls begins with, most often.",
        ),
        Column(
            "Recovered",
            [
                f"{each.recovery.successes:,} of {each.recovery.count:,}" if each.recovery.count else None
                for each in found
            ],
            "number",
            "Failed calls after which the same tool succeeded in a later turn of the session, of all failed calls.",
        ),
        Column(
            "After turns",
            [None if each.recovery_turns is None else f"{each.recovery_turns:g}" for each in found],
            "number",
            "How many turns later the tool succeeded: the median.",
        ),
        Column(
            "Recovery cost",
            [_dollars(each.recovery_cost_usd) for each in found],
            "number",
            "What the turns cost from a failed call to the one in which the tool succeeded, in all; each turn counts once.",
        ),
    ]


def _dollars(value: float | None) -> str | None:
    return None if value is None else dollars(value)


def _took(duration_ms: float | None) -> str | None:
    return None if duration_ms is None else milliseconds(duration_ms)


def _href(each: ToolSums, within: Filter) -> str:
    if each.failure.successes:
        return links.turns_href(within, Mark(stage="acting", action=each.name))
    return links.turns_href(replace(within, action=each.name), Mark())


show()
