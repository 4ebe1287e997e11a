"""``replay``: recorded turns under another parser."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, cast, get_args

import typer
from rich.console import Console

from actionledger.cli.exits import ExitCode
from actionledger.cli.filters import ModelsOption, ProfilesOption
from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import (
    beside,
    console,
    plain,
    print_json,
    print_note,
    print_text,
    rate_value,
    shown_rate,
)
from actionledger.display.comparisons import in_words
from actionledger.errors import UnknownNameError
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.compare import QUIET, Bucket
from actionledger.ledger.queries.differences import TurnDifference
from actionledger.ledger.queries.filters import Filter
from actionledger.parsing.parsers import parser_named
from actionledger.plurals import counted
from actionledger.rates import TOO_FEW, shown_p
from actionledger.replay.fitting import unfit_turns
from actionledger.replay.placing import PAYS_FROM
from actionledger.replay.recorded_run import ReparseProgress, ReparseStopped
from actionledger.replay.reparse import ReparseReport, reparse
from actionledger.vocabulary import LEFT_OUT, SENTENCES

SHOWN_TURNS = 5
SHOWABLE = 200


def replay(
    parser: Annotated[str, typer.Option("--parser", help="The parser that reads the turns again.")],
    ledger: LedgerOption = None,
    run: Annotated[
        str | None, typer.Option(help="Compare with this run, not with the first readings.")
    ] = None,
    profile: ProfilesOption = None,
    *,
    model: ModelsOption = None,
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
    against: Annotated[
        str | None,
        typer.Option(
            metavar="WHEEL|FOLDER|COMMIT",
            help="Read with another version of actionledger: a wheel, a folder with its source, or a commit, branch or tag of the "
            "repository here. Its code is run with your rights, so take what you trust.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="PARQUET", help="Take the texts from these files, as 'export turns' writes them."
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
    within = Filter(run_id=run, profiles=tuple(profile or ()), models=tuple(model or ()))
    shown = _shown_buckets(bucket)
    with open_ledger(existing(ledger)) as opened:
        if against is None:
            _warn(parser, unfit_turns(opened, parser_named(parser), within))
        try:
            with _progress() as tell:
                report = reparse(
                    opened,
                    parser=parser,
                    within=within,
                    workers=workers,
                    resume=resume,
                    against=against,
                    source=source,
                    place="ray" if ray else "processes",
                    on_progress=tell,
                )
        except ReparseStopped as stopped:
            _say_stopped(stopped)
            raise typer.Exit(ExitCode.STOPPED) from None
        differences = _differences(report, shown, show or (SHOWN_TURNS if bucket else 0))
    if as_json:
        print_json(_as_value(report) | {"differences": differences})
    else:
        _print(report, differences)


def _say_stopped(stopped: ReparseStopped) -> None:
    console.print(
        f"Stopped. {stopped.turns:,} of {counted(stopped.total, 'turn')} are read and kept (run {stopped.run_id}); "
        "the same command with --resume goes on."
    )


def _shown_buckets(bucket: str | None) -> tuple[Bucket, ...]:
    """Return whose turns are shown.

    Raises:
        UnknownNameError: there is no such bucket.
    """
    if bucket is None:
        return tuple(each for each in get_args(Bucket) if each not in QUIET)
    if bucket not in get_args(Bucket):
        raise UnknownNameError("bucket", bucket, get_args(Bucket))
    return (cast("Bucket", bucket),)


def _differences(report: ReparseReport, buckets: Iterable[Bucket], most: int) -> list[TurnDifference]:
    turns = [turn for bucket in buckets for turn in report.comparison.turns[bucket]]
    return [report.difference_of(turn) for turn in turns[:most]]


@contextmanager
def _progress() -> Iterator[Callable[[ReparseProgress], None] | None]:
    """Show how far a replay is, where somebody watches."""
    if not beside.file.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("reading turns again"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=beside, transient=True) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda now: progress.update(task, completed=now.turns, total=now.total)


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
    if compared.intent:
        _print_success(report)
    else:
        console.print("no turn that both readings take for intent: there is no success to compare")
    table = Sheet("what changed", "turns", "for example")
    for bucket, count in compared.counts.items():
        examples = ", ".join(
            f"{turn.session_id}#{turn.turn_index}" for turn in compared.turns[bucket][:SHOWN_TURNS]
        )
        is_quiet = bucket in QUIET
        table.add_row(in_words(bucket), f"{count:,}", plain("" if is_quiet else examples))
    console.print(table)
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


def _print_success(report: ReparseReport) -> None:
    compared = report.comparison
    console.print(
        f"over the {counted(compared.intent, 'turn')} that both readings take for intent, "
        f"in {counted(compared.net.sessions, 'session')}:"
    )
    console.print(f"success before {shown_rate(compared.before)}, after {shown_rate(compared.after)}")
    console.print(
        f"difference {_difference(report)}, {shown_p(report.p_value)} by the sign-flip test over sessions"
    )
    console.print(
        f"{shown_p(report.p_value_by_turn)} by the exact McNemar test, which takes turns for independent; "
        f"sessions widen the variance {compared.design_effect:.1f} times"
    )


def _difference(report: ReparseReport) -> str:
    if report.difference is None:
        return TOO_FEW
    low, high = report.difference
    return f"[{low:+.1%}, {high:+.1%}] (95 %)"


def _as_value(report: ReparseReport) -> dict[str, object]:
    return {
        "run_id": report.run_id,
        "parser": report.parser_name,
        "turns": report.turns,
        "unfit": dict(report.unfit),
        "intent": report.comparison.intent,
        "before": rate_value(report.comparison.before),
        "after": rate_value(report.comparison.after),
        "counts": report.counts,
        "p_value": report.p_value,
        "p_value_by_turn": report.p_value_by_turn,
        "difference": report.difference,
        "seconds": report.seconds,
        "resumed": report.resumed,
        "failed": dict(report.failed),
        "left_out": dict(report.left_out),
    }
