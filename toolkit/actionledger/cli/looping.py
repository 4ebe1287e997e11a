"""``loops``: which recorded sessions go in circles."""

from collections.abc import Mapping
from dataclasses import asdict

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, print_json, rate_value, shown_rate
from actionledger.core.text import counted
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.names import session_names
from actionledger.replay.loops import LoopReport, loops


@filtered()
def show_loops(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    as_json: JsonOption = False,
) -> None:
    """Look through the recorded sessions for loops, as the guard of live ones does."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        report = loops(opened, within(opened))
        names = session_names(opened, {loop.session_id for loop in report.loops})
    if as_json:
        print_json(_as_value(report, names))
    else:
        _print(report, names)


def _print(report: LoopReport, names: Mapping[str, str]) -> None:
    if report.loops:
        table = Sheet("session", "from turn", "to turn", "pattern", "count", "action", "live")
        for loop in report.loops:
            live = "stopped" if loop.is_stop else "told"
            turns = str(loop.first_turn), str(loop.last_turn)
            name = loop.name or "(none was read)"
            table.add_row(names[loop.session_id], *turns, loop.pattern, f"{loop.count:,}", name, live)
        console.print(table)
    console.print(
        f"sessions with a loop to be stopped {shown_rate(report.rate)} ({report.rate.successes:,}), to be told of at least "
        f"{shown_rate(report.told)} ({report.told.successes:,}), of {counted(report.sessions, 'session')}; "
        f"beside them not recorded, what their actions came to: {counted(report.not_recorded, 'session')}"
    )


def _as_value(report: LoopReport, names: Mapping[str, str]) -> dict[str, object]:
    return {
        "loops": [asdict(loop) | {"session": names[loop.session_id]} for loop in report.loops],
        "sessions": report.sessions,
        "not_recorded": report.not_recorded,
        "rate": rate_value(report.rate),
        "told": rate_value(report.told),
    }
