"""``sql``: run the user's own query, and print its rows as a table, CSV, JSON or JSON lines."""

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, TextIO
from uuid import uuid4

import typer
from rich.console import Console

from actionledger.cli.exits import is_read
from actionledger.cli.options import LedgerOption, existing
from actionledger.cli.tables import PlainConsole, Sheet, console, plain, print_json, print_note
from actionledger.core.canonical import json_text
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.files import writing
from actionledger.core.text import counted, harmless
from actionledger.ledger import open_ledger
from actionledger.ledger.guarding.guard import SECONDS, Answer, GuardedSql, Place
from actionledger.ledger.queries.choices import NAMES, tables

SHOWN_ROWS = 200
"""Maximum number of rows shown in a terminal."""


class Format(StrEnum):
    """How rows are written."""

    TABLE = "table"
    VERTICAL = "vertical"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"


def write_answer(answer: Answer, form: Format, stream: TextIO | None) -> None:
    """Write all rows of an answer; a terminal gets only a table's first rows."""
    match form:
        case Format.CSV:
            _write(_csv_lines(answer), stream)
        case Format.JSON:
            _write(_json_lines(answer), stream)
        case Format.JSONL:
            _write((json_text(row) + "\n" for row in _objects(answer)), stream)
        case _:
            _print(
                answer,
                console if stream is None else PlainConsole(file=stream, highlight=False),
                below=form is Format.VERTICAL,
            )


def _print(answer: Answer, onto: Console, *, below: bool) -> None:
    limit = SHOWN_ROWS if onto.file.isatty() else None
    sheet = Sheet(*answer.names, below=below)
    for row in islice(answer.rows, limit):
        sheet.add_row(*("" if cell is None else _shown(cell) for cell in row))
    onto.print(sheet)
    if limit is not None and next(answer.rows, None) is not None:
        print_note(f"The first {limit} rows are shown; --format csv, json or jsonl prints all.")


def _shown(cell: object) -> str:
    return json_text(cell) if isinstance(cell, dict | list) else str(cell)


def _csv_lines(answer: Answer) -> Iterator[str]:
    held = _LastWritten()
    writer = csv.writer(held, lineterminator="\n")
    for row in chain([answer.names], answer.rows):
        writer.writerow(map(_in_csv, row))
        yield held.text


def _in_csv(cell: object) -> object:
    return "" if cell is None else harmless(cell) if isinstance(cell, str) else _shown(cell)


class _LastWritten:
    """The last text that the CSV writer wrote."""

    text = ""

    def write(self, text: str) -> None:
        """Keep a line."""
        self.text = text


def _json_lines(answer: Answer) -> Iterator[str]:
    before = "["
    for row in _objects(answer):
        yield before + json_text(row)
        before = ",\n"
    yield "]\n" if before != "[" else "[]\n"


def _objects(answer: Answer) -> Iterator[dict[str, Any]]:
    return (dict(zip(answer.names, row, strict=True)) for row in answer.rows)


def _write(lines: Iterable[str], stream: TextIO | None) -> None:
    """Write lines as they are until the reader leaves; on a terminal, with control characters made visible."""
    onto = stream or sys.stdout
    is_seen = onto.isatty()
    for line in lines:
        if not is_read(onto):
            break
        onto.write(f"{plain(line[:-1])}\n" if is_seen else line)
    onto.flush()


FormatOption = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="Format of the rows; default: by the file's name, else a table"),
]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="File to write the rows to")]


def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            help="A SELECT, - for standard input, a table's name for its columns; default: list tables"
        ),
    ] = None,
    ledger: LedgerOption = None,
    *,
    file: Annotated[Path | None, typer.Option("--file", help="File with the statement")] = None,
    form: FormatOption = None,
    output: OutputOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output file")] = False,
    seconds: Annotated[float, typer.Option("--timeout", min=0.001, help="Maximum seconds")] = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json")] = False,
) -> None:
    """Run one SELECT over the ledger, in a sandbox.

    Without one, the tables are listed.
    """
    if query is None and file is None:
        _show_tables(existing(ledger), as_json=as_json)
        return
    statement = _statement(query, file)
    if (word := statement.strip()) in NAMES:
        _show_columns(existing(ledger), word, as_json=as_json)
        return
    if (
        word.isidentifier() and not word.isupper()
    ):  # a keyword alone, such as CHECKPOINT, is reported as a statement
        raise UnknownNameError("table", word, NAMES)
    chosen = _format(form, output, as_json=as_json)
    if output is not None:
        # Refuse an unwritable file before running the query.
        if output.is_dir() or not output.parent.is_dir():
            what = (
                "is a folder" if output.is_dir() else f"lies in no folder: there is no {str(output.parent)!r}"
            )
            raise UsageError(f"The output {str(output)!r} {what}; give a file.")
        if output.exists() and not force:
            raise UsageError(f"The file {str(output)!r} already exists; --force replaces it.")
    with GuardedSql(Place(str(existing(ledger).absolute())), seconds=seconds) as guarded:
        if chosen is Format.PARQUET:
            assert output is not None
            guarded.write_parquet(statement, output)
        else:
            with guarded.ask(statement) as answer, _stream(output) as stream:
                write_answer(answer, chosen, stream)
    if output is not None:
        print_note(f"Written to {output}.")


def _show_tables(ledger: Path, *, as_json: bool) -> None:
    """Print the list of tables; for programs, with their columns."""
    with open_ledger(ledger, read_only=True) as opened:
        found = tables(opened)
    if as_json:
        print_json(found)
        return
    table = Sheet("table", "rows", "a row is", "columns")
    for each in found:
        table.add_row(
            each.name, f"{each.rows:,}", each.meaning, ", ".join(column.name for column in each.columns)
        )
    console.print(table)
    print_note("'actionledger sql TABLE' says what its columns are, 'actionledger sql \"SELECT …\"' asks.")


def _show_columns(ledger: Path, name: str, *, as_json: bool) -> None:
    with open_ledger(ledger, read_only=True) as opened:
        [found] = [each for each in tables(opened) if each.name == name]
    if as_json:
        print_json(found)
        return
    table = Sheet(
        "column", "type", "what it is", title=f"{name}: {found.meaning} ({counted(found.rows, 'row')})"
    )
    for column in found.columns:
        table.add_row(column.name, column.sql_type, column.meaning)
    console.print(table)


def _statement(query: str | None, file: Path | None) -> str:
    if (query is None) == (file is None):
        raise UsageError("Give one statement: as the argument, with --file FILE, or - for standard input.")
    try:
        if file is not None:
            return file.read_text("utf-8")
        return sys.stdin.read() if query == "-" else str(query)
    except OSError as error:
        raise UsageError(f"The file {str(file)!r} can't be read: {error.strerror}; give another.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"The statement is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def _format(form: Format | None, output: Path | None, *, as_json: bool) -> Format:
    if as_json and form not in {None, Format.JSON}:
        raise UsageError(f"--json and --format {form} say two things; give one of them.")
    chosen = Format.JSON if as_json else form or _named_by(output)
    if chosen is Format.PARQUET and output is None:
        raise UsageError("Parquet can't be printed; give --output FILE.")
    return chosen


def _named_by(output: Path | None) -> Format:
    """Return the format given by a file's name; a table if it gives none, or there is no file."""
    ending = output.suffix.lower().removeprefix(".") if output else ""
    if ending in {"", "txt"}:
        return Format.TABLE
    if ending not in set(Format):
        raise UsageError(
            f"{str(output)!r} ends as none of the formats does ({', '.join(Format)}); give --format as well."
        )
    return Format(ending)


@contextmanager
def _stream(output: Path | None) -> Iterator[TextIO | None]:
    """Provide the output: a file that gets its name when it is complete, or None for standard output."""
    if output is None:
        yield None
        return
    made = output.with_name(f".{output.name}-{uuid4().hex}")
    try:
        with writing(output):
            with made.open("x", encoding="utf-8", newline="") as stream:
                yield stream
            made.replace(output)
    finally:
        with suppress(OSError):
            made.unlink()
