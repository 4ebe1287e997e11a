"""``demo``: the main features on the project's sample sessions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from actionledger.cli.exits import ExitCode
from actionledger.cli.imports import print_refusals, taken
from actionledger.cli.report import print_report
from actionledger.cli.tables import beside, console, plain
from actionledger.core.text import counted
from actionledger.demo import SOURCE, sample_sessions, take_samples
from actionledger.demo.live import play
from actionledger.imports import ImportReport
from actionledger.imports.sources.base import Item
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import Filter

DEMO_LEDGER = Path("demo.duckdb")


def demo(
    ledger: Annotated[
        Path | None,
        typer.Option(
            "--ledger",
            "-l",
            envvar="ACTIONLEDGER_LEDGER",
            metavar="<path>",
            help=f"Ledger file, NAME.duckdb; default: {DEMO_LEDGER} in the current folder",
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Other sessions in the same format")] = None,
) -> None:
    """Run and record the sample sessions, and print their rates."""
    path = ledger or DEMO_LEDGER
    sessions = list(sample_sessions(data))
    with open_ledger(path) as opened:
        report = fill(opened, path, sessions, plays=data is None)
        print_report(opened, Filter(sources=(SOURCE,)))
    print_refusals(report, path)
    console.print(plain(f"Next: actionledger dashboard {path}"), style="bold")
    if report.refusals or report.differing:
        raise typer.Exit(ExitCode.FAULT)


def fill(ledger: Ledger, path: Path, sessions: Sequence[Item], *, plays: bool = True) -> ImportReport:
    """Import sample sessions, run the live ones, and report the counts."""
    shown = track(
        sessions, "reading and running", console=beside, transient=True, disable=not beside.file.isatty()
    )
    report = take_samples(ledger, shown)
    console.print(plain(f"{taken(report)}. Recorded in {path}."))
    if plays:
        played = play(ledger)
        console.print(
            f"{counted(played, 'live session')} played: decided about, taken back, cut off and the like."
        )
    return report
