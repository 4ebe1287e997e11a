"""``import`` and ``ingest``: recorded sessions into a ledger."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from actionledger.cli.options import DEFAULT_LEDGER, LedgerOption, existing
from actionledger.cli.tables import console, plain
from actionledger.errors import SourceError
from actionledger.importing import Importer, ImportReport
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.recorded import known_ids
from actionledger.profiles import PROFILES, profile_named
from actionledger.sources.base import Recorded, Refusal
from actionledger.sources.jsonl import read_jsonl
from actionledger.sources.mint import mint_files, read_mint

SHOWN_REFUSALS = 20

app = typer.Typer(help="Take in recorded sessions of others.", no_args_is_help=True, rich_markup_mode=None)


@app.command("mint")
def import_mint(
    path: Annotated[Path, typer.Argument(help="A results.jsonl(.gz), or a folder that holds some.")],
    ledger: LedgerOption = DEFAULT_LEDGER,
) -> None:
    """Take in MINT-bench's recorded sessions (MODEL/…/TASK/results.jsonl.gz)."""
    _import(ledger, source="mint", origin=path, files=mint_files(path), read=read_mint)


@app.command("jsonl")
def import_jsonl(
    path: Annotated[
        Path, typer.Argument(help="One JSON object a line, one line a turn (see docs/jsonl.md).")
    ],
    ledger: LedgerOption = DEFAULT_LEDGER,
    profile: Annotated[
        str, typer.Option("--profile", "-p", help="The profile of lines that name none.")
    ] = "assistant",
    source: Annotated[
        str, typer.Option(help="What records name it; sessions of one source and name are the same session.")
    ] = "",
) -> None:
    """Take in sessions in the simple format: session, text, and whatever else is known."""
    if path.is_dir() or not path.exists():
        raise SourceError(f"There is no file {str(path)!r} to take in.")
    default_profile = profile_named(profile).name

    def read(file: Path) -> Recorded:
        return read_jsonl(file, default_profile=default_profile, profiles=PROFILES)

    _import(ledger, source=source or path.name.split(".")[0], origin=path, files=[path], read=read)


def ingest(ledger: LedgerOption = DEFAULT_LEDGER) -> None:
    """Bring what writers have flushed into the database, and publish it."""
    with open_ledger(existing(ledger)) as opened:
        report = opened.ingest()
    if report.was_busy:
        console.print("Another process is taking events in right now; nothing was left to do.")
    else:
        console.print(
            f"{report.events:,} events taken in, {report.duplicates:,} known already, "
            f"{report.quarantined:,} lines that can't be read kept in the table quarantine."
        )


def _import(
    ledger: Path, *, source: str, origin: Path, files: list[Path], read: Callable[[Path], Recorded]
) -> None:
    with open_ledger(ledger) as opened:
        importer = Importer(
            opened.record, source=source, origin=str(origin), known_ids=known_ids(opened, source)
        )
        with _progress() as progress:
            task = progress.add_task("files", total=len(files))
            for file in files:
                for item in read(file):
                    importer.take(item)
                progress.advance(task)
        report = importer.finish()
    _print(report, ledger)
    if report.refusals:
        raise typer.Exit(2)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )


def _print(report: ImportReport, ledger: Path) -> None:
    console.print(
        f"{report.sessions:,} sessions with {report.turns:,} new turns taken in; "
        f"{report.known:,} turns were there already; {len(report.refusals):,} lines refused.",
        soft_wrap=True,
    )
    print_refusals(report.refusals, ledger)
    console.print(plain(f"Next: actionledger report --ledger {ledger}"))


def print_refusals(refusals: Sequence[Refusal], ledger: Path) -> None:
    """Print what could not be read, and where the rest of it is kept."""
    for refusal in refusals[:SHOWN_REFUSALS]:
        console.print(plain(f"refused {refusal}"), style="yellow")
    if len(refusals) > SHOWN_REFUSALS:
        rest = len(refusals) - SHOWN_REFUSALS
        console.print(
            plain(
                f"… and {rest:,} more: actionledger sql -l {ledger} \"FROM events WHERE code = 'line_refused'\""
            ),
            soft_wrap=True,
        )
