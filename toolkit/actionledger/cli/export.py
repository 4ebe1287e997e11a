"""``export``: write rows, whole sessions, reports and third-party formats from a ledger."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, get_args
from uuid import uuid4

import typer

from actionledger.cli.filters import Chosen, RunOption, filtered
from actionledger.cli.options import LedgerOption, existing
from actionledger.cli.tables import print_note
from actionledger.core.errors import UsageError
from actionledger.core.files import writing
from actionledger.core.text import counted
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.compare import compare_runs
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.marks import Selected, selected, selected_sessions
from actionledger.ledger.queries.names import one_run, one_session
from actionledger.ledger.storage.copies import RowForm, read_tables, write_database, write_rows, write_tables
from actionledger.report.exports.atif import trajectory
from actionledger.report.exports.otlp import traces
from actionledger.report.exports.parts import track
from actionledger.report.exports.reports import comparison_report, session_report

app = typer.Typer(help="Write rows, sessions, reports, spans or trajectories.")

OutputArgument = Annotated[Path, typer.Argument(help="File to write")]
SessionOption = Annotated[
    str,
    typer.Option("--session", "-s", help="Session by name, id, title or the beginning of one"),
]
BareOption = Annotated[
    bool,
    typer.Option(
        "--without-text",
        help="Omit every text by a model, tool or person; docs/exports.md lists the rest",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing output file")]


@app.command()
@filtered(lists=True)
def rows(
    what: Annotated[str, typer.Argument(help=f"Kind of rows: {', '.join(get_args(Selected))}")],
    output: OutputArgument,
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    without_text: BareOption = False,
    force: ForceOption = False,
) -> None:
    """Write filtered rows as Parquet, CSV or JSON lines."""
    form = _form(output)
    _refuse(output, force=force)
    with open_ledger(existing(ledger), read_only=True, without_text=without_text) as opened:
        count = write_rows(
            opened, selected(_selected(what), _seen(within(opened), without_text)), output, form
        )
    print_note(f"{counted(count, 'row')} written to {output}.")


@app.command()
@filtered(lists=True)
def sessions(
    output: Annotated[Path, typer.Argument(help="New .duckdb file; with --tables a new folder")],
    ledger: LedgerOption = None,
    *,
    tables: Annotated[
        Literal["parquet", "jsonl"] | None, typer.Option(help="Write one file for each table, in this format")
    ] = None,
    within: Chosen,
    without_text: BareOption = False,
) -> None:
    """Write filtered sessions with all their records to a new ledger."""
    with open_ledger(existing(ledger), read_only=True, without_text=without_text) as opened:
        picked = _seen(within(opened), without_text)
        found = [row[0] for row in opened.sql(*selected_sessions(picked)).fetchall()]
        chosen = None if picked == Filter() else found
        counts = (
            write_tables(opened, output, tables, chosen) if tables else write_database(opened, output, chosen)
        )
    print_note(
        f"{counted(counts['session_starts'], 'session')}, {counted(sum(counts.values()), 'row')} in all, written to {output}."
    )


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(help="Folder written by 'export sessions --tables'")],
    output: Annotated[Path, typer.Argument(help="New .duckdb file")],
) -> None:
    """Make a ledger from a folder of tables."""
    counts = read_tables(folder, output)
    print_note(f"{counted(sum(counts.values()), 'row')} written to {output}.")


@app.command()
def report(
    output: OutputArgument,
    ledger: LedgerOption = None,
    *,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Session to report")] = None,
    compare: Annotated[
        str | None, typer.Option(help="Run to compare with --run, or with the first readings")
    ] = None,
    run: RunOption = None,
    without_text: BareOption = False,
    force: ForceOption = False,
) -> None:
    """Write a session or a comparison as one HTML file."""
    if (session is None) == (compare is None):
        raise UsageError("Give one of --session and --compare.")
    _refuse(output, force=force)
    with open_ledger(existing(ledger), read_only=True, without_text=without_text) as opened:
        run_id = None if run is None else one_run(opened, run)
        if session is not None:
            pieces = session_report(track(opened, one_session(opened, session), run_id))
        else:
            other = one_run(opened, str(compare))
            pieces = comparison_report(
                compare_runs(opened, run_id, other), (run or "first readings", str(compare))
            )
        _write(output, pieces)
    print_note(f"Written to {output}.")


@app.command()
def otlp(
    output: OutputArgument,
    ledger: LedgerOption = None,
    *,
    session: SessionOption,
    without_text: BareOption = False,
    force: ForceOption = False,
) -> None:
    """Write a session as OpenTelemetry spans (OTLP JSON)."""
    _refuse(output, force=force)
    with open_ledger(existing(ledger), read_only=True, without_text=without_text) as opened:
        value = traces([track(opened, one_session(opened, session))])
    _write(output, [json.dumps(value, ensure_ascii=False), "\n"])
    print_note(f"Written to {output}.")


@app.command()
def atif(
    output: OutputArgument,
    ledger: LedgerOption = None,
    *,
    session: SessionOption,
    without_text: BareOption = False,
    force: ForceOption = False,
) -> None:
    """Write a session as an ATIF trajectory."""
    _refuse(output, force=force)
    with open_ledger(existing(ledger), read_only=True, without_text=without_text) as opened:
        value = trajectory(track(opened, one_session(opened, session)))
    _write(output, [json.dumps(value, ensure_ascii=False, indent=1), "\n"])
    print_note(f"Written to {output}.")


def _seen(within: Filter, without_text: bool) -> Filter:
    """Return the filter, and refuse a text search if texts are not exported."""
    if without_text and within.text:
        raise UsageError("--text looks into texts, and --without-text leaves them out; give one of them.")
    return within


def _selected(what: str) -> Selected:
    if what not in get_args(Selected):
        raise UsageError(
            f"{what!r} is nothing that can be exported; choose one of {', '.join(get_args(Selected))}."
        )
    return what  # type: ignore[return-value]


def _form(output: Path) -> RowForm:
    form = output.suffix.lower().removeprefix(".")
    if form not in get_args(RowForm):
        raise UsageError(f"The file {str(output)!r} says no format; name it .parquet, .csv or .jsonl.")
    return form  # type: ignore[return-value]


def _refuse(output: Path, *, force: bool) -> None:
    if output.is_dir() or not output.parent.is_dir():
        raise UsageError(f"{str(output)!r} can't be written: it is a folder, or lies in none; give a file.")
    if output.exists() and not force:
        raise UsageError(f"The file {str(output)!r} already exists; --force replaces it.")


def _write(output: Path, pieces: Iterable[str]) -> None:
    """Write a file, readable only by its owner, that gets its name when it is complete."""
    made = output.with_name(f".{output.name}-{uuid4().hex}")
    with writing(output):
        try:
            made.touch(0o600, exist_ok=False)
            with made.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
                stream.writelines(pieces)
            made.replace(output)
        finally:
            made.unlink(missing_ok=True)
