"""``failures`` and ``loops``: groups of failures, and sessions that repeat themselves."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Annotated

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import JsonOption, LedgerOption, existing
from actionledger.cli.tables import (
    Sheet,
    console,
    cut,
    fields_value,
    plain,
    print_json,
    print_text,
    rate_value,
    shown_rate,
)
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import UsageError
from actionledger.core.text import by_prices, counted
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.names import session_names
from actionledger.ledger.queries.reasons import answered_words
from actionledger.ledger.queries.trend import Unit
from actionledger.replay.failure_changes import FailureChanges, failure_changes
from actionledger.replay.failure_groups import FailureGroup, FailureReport
from actionledger.replay.failures import failures
from actionledger.replay.fit import other_format
from actionledger.replay.loops import LoopReport, loops
from actionledger.report.failures import CHANGE_HEADS, HEADS, change_cells, group_cells

ALONE = "Give --between alone: it names its runs, and has no periods."
SHOWN_PERIODS = 6


@filtered()
def show_failures(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="day|week", help="Count by period, and compare the last one with the one before"
        ),
    ] = None,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="RUN RUN",
            help="Compare two runs; 'first' is the first readings",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of groups")] = 30,
    as_json: JsonOption = False,
) -> None:
    """Group failures by kind, the most expensive first."""
    if by not in {None, "day", "week"}:
        raise UsageError(f"--by takes day or week, not {by!r}.")
    if between and by:
        raise UsageError(ALONE)
    unit: Unit = "day" if by == "day" else "week"
    with open_ledger(existing(ledger), read_only=True) as opened:
        chosen = within(opened)
        if between and chosen.run_id:
            raise UsageError(ALONE)
        if between:
            _show_changes(failure_changes(opened, *between, chosen), limit, as_json=as_json)
            return
        report = failures(opened, chosen, unit=unit, keep=True)
        changes = last_changes(opened, report, chosen) if by else None
        names = session_names(opened, {each.session_id for group in report.groups for each in group.examples})
        looks = "" if as_json else other_format(opened, chosen)
    if as_json:
        print_json(_as_value(report, changes, names))
        return
    if looks:
        print_text(looks)
    _print(report, names, limit)
    if by and report.groups:
        _print_periods(report, limit)
    if changes:
        _show_changes(changes, limit, as_json=False)


def last_changes(ledger: Ledger, report: FailureReport, within: Filter) -> FailureChanges | None:
    """Return the changes between the last two periods; None if there are fewer than two."""
    if len(report.periods) < 2:
        return None
    first, second = sorted(report.periods)[-2:]
    length = timedelta(days=1 if report.unit == "day" else 7)
    before = replace(
        within, since=first if within.since is None else max(first, within.since), until=first + length
    )
    end = second + length
    after = replace(within, since=second, until=min(end, within.until) if within.until else end)
    return failure_changes(ledger, before, after)


def _print(report: FailureReport, names: Mapping[str, str], limit: int) -> None:
    if said := answered_words(report.answered):
        print_text(said)
    if not report.groups:
        nothing = "Nothing has failed in the responses that fit."
        print_text(
            nothing if report.turns else "No response that fits meant to act, so that nothing could fail."
        )
        return
    table = Sheet(*HEADS, "for example", title="What fails, by what it made sessions spend")
    for group in report.groups[:limit]:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in group_cells(group)]
        table.add_row(*map(plain, cells), plain(_example(group, names)))
    console.print(table)
    if report.price_sources:
        console.print(f"Costs that were not recorded are {by_prices(report.price_sources)}.")
    hidden = len(report.groups) - limit
    more = f"; {counted(hidden, 'more group')}, --limit shows them" if hidden > 0 else ""
    console.print(
        f"{counted(len(report.groups), 'group')}{_of_loops(report)} in {counted(report.turns, 'response')} that meant to act, of "
        f"{counted(report.sessions, 'session')}; all together {counted(report.spent.turns, 'turn was', 'turns were')} spent until "
        f"an action got through{more}"
    )


def _of_loops(report: FailureReport) -> str:
    """Return the number of groups that are loops, which the dashboard lists separately; empty if there are none."""
    loops = sum(group.key.is_loop for group in report.groups)
    return f", {loops:,} of them of loops," if loops else ""


def _example(group: FailureGroup, names: Mapping[str, str]) -> str:
    example = group.examples[0]
    return f"{names[example.session_id]}#{example.turn_index}: {cut(example.detail)}"


def _print_periods(report: FailureReport, limit: int) -> None:
    periods = sorted(report.periods)[-SHOWN_PERIODS:]
    table = Sheet(
        "where",
        "reason",
        "signature",
        *(f"{each:%Y-%m-%d}" for each in periods),
        title=f"Turns by {report.unit}",
    )
    meant = (f"{report.periods[each].turns:,}" for each in periods)
    table.add_row("all that meant to act", "", "", *meant)
    for group in report.groups[:limit]:
        counts = (f"{group.periods[each].turns:,}" if each in group.periods else "" for each in periods)
        table.add_row(*(plain(cell) for cell in group_cells(group)[:3]), *counts)
    console.print(table)


def _show_changes(changes: FailureChanges, limit: int, *, as_json: bool) -> None:
    if as_json:
        print_json(_changes_value(changes))
        return
    table = Sheet(*CHANGE_HEADS, title="What has changed")
    for change in changes.changes[:limit]:
        table.add_row(*map(plain, change_cells(change)))
    console.print(table)
    on = "" if changes.paired is None else f" ({counted(changes.paired, 'turn')})"
    left = len(changes.changes) - changes.compared
    few = f"; {left:,} more {'is' if left == 1 else 'are'} in too few sessions to tell" if left else ""
    console.print(
        plain(
            f"p by the {changes.test}{on}, adjusted by Holm's procedure for {counted(changes.compared, 'group')}{few}"
        )
    )


def _changes_value(changes: FailureChanges) -> JsonDict:
    return {
        "test": changes.test,
        "paired": changes.paired,
        "changes": [
            asdict(change)
            | {
                "key": change.key._asdict(),
                "before": rate_value(change.before),
                "after": rate_value(change.after),
            }
            for change in changes.changes
        ],
    }


def _as_value(report: FailureReport, changes: FailureChanges | None, names: Mapping[str, str]) -> JsonDict:
    return {
        "groups": [_group_value(group, names) for group in report.groups],
        **fields_value(report, "spent turns sessions price_sources"),
        "no_result": report.answered,
        "unit": report.unit,
        "periods": [asdict(each) for each in report.periods.values()],
        "changes": _changes_value(changes) if changes else None,
    }


def _group_value(group: FailureGroup, names: Mapping[str, str]) -> JsonDict:
    return {
        **group.key._asdict(),
        **fields_value(group, "count turns sessions lost spent first last"),
        "examples": [each._asdict() | {"session": names[each.session_id]} for each in group.examples],
        "periods": {f"{start:%Y-%m-%d}": asdict(each) for start, each in group.periods.items()},
    }


@filtered()
def show_loops(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    as_json: JsonOption = False,
) -> None:
    """Find sessions in which the model repeats itself."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        report = loops(opened, within(opened), keep=True)
        names = session_names(opened, {loop.session_id for loop in report.loops})
    if as_json:
        print_json(_loops_value(report, names))
    else:
        _print_loops(report, names)


def _print_loops(report: LoopReport, names: Mapping[str, str]) -> None:
    if report.loops:
        table = Sheet("session", "from turn", "to turn", "pattern", "count", "action", "live")
        for loop in report.loops:
            live = "stopped" if loop.is_stop else "told"
            turns = str(loop.first_turn), str(loop.last_turn)
            name = loop.name or "(none was read)"
            table.add_row(names[loop.session_id], *turns, loop.pattern, f"{loop.count:,}", name, live)
        console.print(table)
    console.print(
        f"sessions with a loop to stop {shown_rate(report.rate)} ({report.rate.successes:,}), to warn of at least "
        f"{shown_rate(report.told)} ({report.told.successes:,}), of {counted(report.sessions, 'session')}; "
        f"also, with results not recorded: {counted(report.not_recorded, 'session')}"
    )


def _loops_value(report: LoopReport, names: Mapping[str, str]) -> dict[str, object]:
    found = [asdict(loop) | {"session": names[loop.session_id]} for loop in report.loops]
    return {"loops": found, **fields_value(report, "sessions not_recorded rate told")}
