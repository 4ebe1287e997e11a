"""Rows as text: for people as a table or below each other, for programs as CSV, JSON or JSON lines."""

import csv
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain, islice
from typing import Any, TextIO

from rich.console import Console

from actionledger.cli.output import is_read
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import PlainConsole, console, plain, print_note
from actionledger.core.canonical import json_text
from actionledger.core.formulas import harmless
from actionledger.ledger.guarded import Answer

SHOWN_ROWS = 200
"""How many rows a terminal is shown."""


class Format(StrEnum):
    """How rows are written."""

    TABLE = "table"
    VERTICAL = "vertical"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"


def write_answer(answer: Answer, form: Format, stream: TextIO | None) -> None:
    """Write all rows of an answer; a terminal is shown the first of a table."""
    match form:
        case Format.CSV:
            _write(_csv_lines(answer), stream)
        case Format.JSON:
            _write(_json_lines(answer), stream)
        case Format.JSONL:
            _write((json_text(row) + "\n" for row in _objects(answer)), stream)
        case _:
            _print(answer, _console(stream), below=form is Format.VERTICAL)


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
    held = _Held()
    writer = csv.writer(held, lineterminator="\n")
    for row in chain([answer.names], answer.rows):
        writer.writerow(map(_in_csv, row))
        yield held.text


def _in_csv(cell: object) -> object:
    return "" if cell is None else harmless(cell) if isinstance(cell, str) else _shown(cell)


class _Held:
    """What the writer of CSV wrote last."""

    text = ""

    def write(self, text: str) -> None:
        """Hold a line."""
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
    """Write lines as they are, until nobody reads them; on a terminal with what would change it made visible."""
    onto = stream or sys.stdout
    is_seen = onto.isatty()
    for line in lines:
        if not is_read(onto):
            break
        onto.write(f"{plain(line[:-1])}\n" if is_seen else line)
    onto.flush()


def _console(stream: TextIO | None) -> Console:
    return console if stream is None else PlainConsole(file=stream, highlight=False)
