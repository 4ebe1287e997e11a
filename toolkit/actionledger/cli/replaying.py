"""``replay``: recorded turns under another parser."""

from collections.abc import Iterable, Mapping
from typing import Annotated

import typer
from rich.console import Console

from actionledger.cli.compared import comparison_value, print_comparison, shown_buckets, turns_value
from actionledger.cli.exits import ExitCode
from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.ledgers import existing
from actionledger.cli.options import AgainstOption, JsonOption, LedgerOption
from actionledger.cli.tables import (
    console,
    plain,
    print_json,
    print_note,
    print_text,
)
from actionledger.core.text import counted
from actionledger.core.vocabulary import LEFT_OUT, SENTENCES
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.compare import Bucket
from actionledger.ledger.queries.differences import TurnDifference
from actionledger.reading.parsers import parser_named
from actionledger.replay.fitting import unfit_turns
from actionledger.replay.placing import PAYS_FROM
from actionledger.replay.recorded_run import ReparseStopped
from actionledger.replay.reparse import ReparseReport, reparse
from actionledger.report.progress import progress

SHOWN_TURNS = 5
SHOWABLE = 200


@filtered()
def replay(
    parser: Annotated[str, typer.Option("--parser", help="The parser that reads the turns again.")],
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"How many processes read; by default all cores, from {PAYS_FROM:,} turns on."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the same replay where it was stopped; else it begins anew."
        ),
    ] = False,
    against: AgainstOption = None,
    texts: Annotated[
        str | None,
        typer.Option(
            metavar="PARQUET", help="Take the texts from these files, as 'export rows turns' writes them."
        ),
    ] = None,
    ray: Annotated[
        bool, typer.Option("--ray", help="Read on the cluster that Ray is connected to (the extra lake).")
    ] = False,
    show: Annotated[
        int, typer.Option(min=0, max=SHOWABLE, help="Show how so many turns differ, field by field.")
    ] = 0,
    bucket: Annotated[
        str | None, typer.Option(help="Show turns of this bucket alone, such as lost or newly_rejected.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read recorded turns again with another parser, and say what changed."""
    shown = shown_buckets(bucket)
    with open_ledger(existing(ledger)) as opened:
        chosen = within(opened)
        if against is None:
            _warn(parser, unfit_turns(opened, parser_named(parser), chosen))
        try:
            with progress("reading turns again") as tell:
                report = reparse(
                    opened,
                    parser=parser,
                    within=chosen,
                    workers=workers,
                    resume=resume,
                    against=against,
                    texts=texts,
                    place="ray" if ray else "processes",
                    on_progress=tell,
                )
        except ReparseStopped as stopped:
            _say_stopped(stopped)
            raise typer.Exit(ExitCode.STOPPED) from None
        differences = _differences(report, shown, show or (SHOWN_TURNS if bucket else 0))
    if as_json:
        print_json(
            _as_value(report) | {"examples": turns_value(report.comparison), "differences": differences}
        )
    else:
        _print(report, differences)


def _say_stopped(stopped: ReparseStopped) -> None:
    console.print(
        f"Stopped. {stopped.turns:,} of {counted(stopped.total, 'turn')} are read and kept (run {stopped.run_id}); "
        "the same command with --resume goes on."
    )


def _differences(report: ReparseReport, buckets: Iterable[Bucket], most: int) -> list[TurnDifference]:
    turns = [turn for bucket in buckets for turn in report.comparison.turns[bucket]]
    return [report.difference_of(turn) for turn in turns[:most]]


def _warn(parser: str, unfit: Mapping[str, int]) -> None:
    """Say on the standard error which turns a parser is not for."""
    if unfit:
        of_profiles = ", ".join(f"{profile} ({turns:,})" for profile, turns in unfit.items())
        sentence = (
            f"actionledger: {sum(unfit.values()):,} of the turns are of profiles whose formats {parser} doesn't read: "
            f"{of_profiles}. What it makes of them says nothing; --profile picks others."
        )
        Console(stderr=True).print(plain(sentence), style="yellow", soft_wrap=True)


def _print(report: ReparseReport, differences: list[TurnDifference]) -> None:
    compared = report.comparison
    resumed = f", {report.resumed:,} of them before it was resumed" if report.resumed else ""
    console.print(
        plain(
            f"{counted(report.turns, 'turn')} read again by {report.parser_name} in {report.seconds:.1f} s{resumed}; "
            f"run {report.run_id}"
        )
    )
    _print_losses(report)
    print_comparison(compared)
    for difference in differences:
        print_text(str(difference))


def _print_losses(report: ReparseReport) -> None:
    """Say which texts nobody could read to their end, and what could not be recorded."""
    for reason, count in report.failed.items():
        print_note(f"{counted(count, 'text')} recorded as failed: {SENTENCES[reason]}", style="yellow")
    for left_out, count in report.left_out.items():
        print_note(f"left out {count:,}: {LEFT_OUT[left_out]}")
    if report.comparison.unpaired_before and report.before_run_id is not None:
        print_note(
            f"{counted(report.comparison.unpaired_before, 'turn')} of run {report.before_run_id} not read again."
        )


def _as_value(report: ReparseReport) -> dict[str, object]:
    return {
        "run_id": report.run_id,
        "parser": report.parser_name,
        "turns": report.turns,
        "unfit": dict(report.unfit),
        **comparison_value(report.comparison),
        "seconds": report.seconds,
        "resumed": report.resumed,
        "failed": dict(report.failed),
        "left_out": dict(report.left_out),
    }
