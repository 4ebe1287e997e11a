"""``recheck``: recorded calls under another schema, policy or rate."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, print_json, rate_value, shown_rate
from actionledger.cli.tool_files import tools_in
from actionledger.core.errors import UsageError
from actionledger.core.plurals import counted
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.naming import session_names
from actionledger.replay.recheck import RecheckReport, recheck
from actionledger.runtime.execution.limits import Limits, RateLimit

SHOWN = 10


@filtered(lists=True)
def recheck_calls(
    ledger: LedgerOption = None,
    tools: Annotated[
        Path | None, typer.Option("--tools", help="A JSON file of tools that the calls are checked against.")
    ] = None,
    under: Annotated[
        str | None, typer.Option("--under", help="A profile whose actions, policy and rates are asked.")
    ] = None,
    policy: Annotated[Path | None, typer.Option("--policy", help="A policy file that decides.")] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate", help="NAME=COUNT/SECONDS, NAME a glob over actions: at most so many in so long."
        ),
    ] = None,
    *,
    within: Chosen,
    as_json: JsonOption = False,
) -> None:
    """Ask what would have come of recorded calls under another schema, policy or rate; nothing runs."""
    offered = None if tools is None else tools_in(tools)
    limits = Limits(rates=tuple(map(_rate_in, rate))) if rate else None
    with open_ledger(existing(ledger), read_only=True) as opened:
        report = recheck(
            opened, profile=under, tools=offered, policy=policy, limits=limits, within=within(opened)
        )
        names = session_names(opened, {call.session_id for call in report.examples})
    if as_json:
        print_json(_as_value(report))
    else:
        _print(report, names)


def _rate_in(text: str) -> tuple[str, RateLimit]:
    """Return a rate as an option gives it."""
    name, _, rate = text.rpartition("=")
    count, _, seconds = rate.partition("/")
    try:
        return name or "*", RateLimit(int(count), float(seconds))
    except ValueError as error:
        raise UsageError(
            f"--rate {text!r} is none; write NAME=COUNT/SECONDS, such as 'send_*=5/60'."
        ) from error


def _print(report: RecheckReport, names: dict[str, str]) -> None:
    table = Sheet("action", "calls", "newly refused", "held", "over rate", "stopped")
    for each in report.by_name:
        numbers = (each.calls, each.refused, each.held, each.over_rate, each.stopped)
        table.add_row(plain(each.name or "(no name)"), *(f"{number:,}" for number in numbers))
    console.print(table)
    changes = ", ".join(f"{count:,} {change.replace('_', ' ')}" for change, count in report.changes.items())
    console.print(f"{counted(report.calls, 'call')}: {changes}")
    if report.converted:
        console.print(
            f"of them valid as written, and now only with converted arguments: {report.converted:,}"
        )
    if report.reasons:
        console.print(
            "newly refused: " + ", ".join(f"{code} {count:,}" for code, count in report.reasons.items())
        )
    if report.verdicts:
        console.print(
            "policy: " + ", ".join(f"{verdict} {count:,}" for verdict, count in report.verdicts.items())
        )
    if report.undated:
        console.print(f"rate not known, since no time is recorded: {counted(report.undated, 'call')}")
    console.print(
        f"would not have run by themselves {shown_rate(report.stopped)} ({report.stopped.successes:,}); "
        f"of these had succeeded: {report.done:,}"
    )
    for call in [call for call in report.examples if call.is_stopped or call.change == "newly_accepted"][
        :SHOWN
    ]:
        why = call.reason or (call.verdict if call.verdict and not call.is_over_rate else "over rate")
        console.print(
            plain(f"  {names[call.session_id]}#{call.turn_index} {call.name}: {why} {call.why}".rstrip())
        )


def _as_value(report: RecheckReport) -> dict[str, object]:
    return {
        "calls": report.calls,
        "changes": report.changes,
        "converted": report.converted,
        "reasons": report.reasons,
        "verdicts": report.verdicts,
        "over_rate": report.over_rate,
        "undated": report.undated,
        "stopped": rate_value(report.stopped),
        "done": report.done,
        "by_name": [asdict(each) for each in report.by_name],
        "examples": [asdict(call) for call in report.examples],
    }
