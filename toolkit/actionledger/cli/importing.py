"""``import`` and ``ingest``: recorded sessions into a ledger."""

from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.imported import is_of_another_format, print_report
from actionledger.cli.ledgers import DEFAULT_LEDGER, existing
from actionledger.cli.options import LedgerOption
from actionledger.cli.tables import console
from actionledger.cli.tool_files import tools_in
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.plurals import counted
from actionledger.imports.paths import import_path
from actionledger.report.progress import progress


def import_recordings(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Files, plain, compressed (.gz, .zst, .bz2, .xz) or zip archives, folders, patterns, or - for standard input.",
        ),
    ],
    ledger: LedgerOption = None,
    form: Annotated[
        str, typer.Option("--format", "-f", help="The format's name, where it is not to be found out.")
    ] = "",
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-p", help="The profile that reads raw text of sessions that name none."),
    ] = None,
    *,
    dialect: Annotated[
        list[str] | None, typer.Option("--dialect", "-d", help="Look for this dialect in raw text.")
    ] = None,
    parser: Annotated[
        str | None, typer.Option("--parser", help="Read raw text with this named parser.")
    ] = None,
    tools: Annotated[
        Path | None,
        typer.Option(
            "--tools", help="A JSON file of the tools that were offered, as OpenAI's interface takes them."
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN,...",
            help="What holds which field in lines or tables of your own: session=conversation_id,text=response.",
        ),
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--source", help="What records name it; sessions of one source and name are the same session."
        ),
    ] = "",
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            help="A TOML or JSON file of what models cost, for responses of which only the tokens are known.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="How many processes read; by default one for each processor. Little is read by one.",
        ),
    ] = None,
    again_forgotten: Annotated[
        bool,
        typer.Option(
            "--again-forgotten", help="Take in sessions that were forgotten as well; else they are left out."
        ),
    ] = False,
) -> None:
    """Take in recorded sessions of any known format, which is found out; what is there already is passed over."""
    mapping = _mapping(columns or [])
    offered = None if tools is None else tools_in(tools)
    chosen = ledger or DEFAULT_LEDGER
    try:
        with progress() as tell:
            report = import_path(
                paths,
                chosen,
                format=form,
                source=source,
                columns=mapping,
                profile=profile,
                dialects=dialect or (),
                parser=parser,
                tools=offered,
                on_progress=tell,
                prices=prices,
                workers=workers,
                again_forgotten=again_forgotten,
            )
    except KeyboardInterrupt as stopped:
        if (so_far := getattr(stopped, "report", None)) is None:
            raise
        print_report(so_far, chosen, is_stopped=True, form=form)
        raise typer.Exit(ExitCode.STOPPED) from None
    except SourceError as error:
        raise _with_hint(error, paths) from error
    print_report(report, chosen, form=form)
    if report.refusals or report.differing or (form and is_of_another_format(report)):
        raise typer.Exit(ExitCode.FAULT)


def ingest(ledger: LedgerOption = None) -> None:
    """Bring what writers have flushed into the database, and publish it."""
    from actionledger.ledger import open_ledger  # noqa: PLC0415 - slow to load, and an import may find nothing to do

    with open_ledger(existing(ledger)) as opened:
        report = opened.ingest()
    if report.shipped:
        from actionledger.ledger.health.wording import size_words  # noqa: PLC0415 - slow to load, and the same

    if report.shipped and report.was_busy:
        console.print(
            f"{size_words(report.shipped)} shipped; the lake's committer has not taken them in yet."
        )
    elif report.shipped:
        console.print(f"{size_words(report.shipped)} shipped, and taken in by the lake's committer.")
    elif report.was_busy:
        console.print("Another process is taking events in right now; nothing was left to do.")
    else:
        console.print(
            f"{counted(report.events, 'event')} taken in, {report.duplicates:,} known already, "
            f"{counted(report.quarantined, 'line')} that can't be read kept in the table quarantine"
            + (f", {report.forgotten:,} of forgotten sessions passed over." if report.forgotten else ".")
        )


def _mapping(given: list[str]) -> dict[str, str]:
    """Return which column holds which field."""
    found: dict[str, str] = {}
    for pair in (pair for each in given for pair in each.split(",")):
        name, is_pair, column = (part.strip() for part in pair.partition("="))
        if not (name and is_pair and column):
            raise UsageError(
                f"--map {pair!r} names no column; write it as FIELD=COLUMN, such as text=response."
            )
        if name in found:
            raise UsageError(f"--map names {name!r} twice: {found[name]!r} and {column!r}.")
        found[name] = column
    return found


def _with_hint(error: SourceError, paths: list[Path]) -> SourceError:
    """Return an error that says how a format is named, where one was given as if it were a path."""
    from actionledger.imports.sources.registry import sources  # noqa: PLC0415 - only where something went wrong

    named = [str(path) for path in paths if str(path) in sources() and not path.exists()]
    return SourceError(f"{error} A format is named by --format {named[0]}.") if named else error
