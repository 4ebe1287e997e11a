"""``case``: keep responses as cases, and check them."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import READING, LedgerOption, RunOption, existing, resolve_reading
from actionledger.cli.tables import print_note, print_text
from actionledger.core.errors import ActionLedgerError, SourceError, UsageError, in_words
from actionledger.core.files import write_named
from actionledger.core.text import counted
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.replay.cases import SUFFIX, case_files, case_of, expectation, load_case, with_accepted
from actionledger.replay.readers import reader_of
from actionledger.replay.shrink import like, shrink
from actionledger.report.failures import shrunk_sentence

app = typer.Typer(help="Keep responses as test cases, and check how they parse.", no_args_is_help=True)


@app.command("new")
def new(
    which: Annotated[str, READING],
    run: RunOption = None,
    ledger: LedgerOption = None,
    *,
    shrunk: Annotated[
        bool,
        typer.Option("--shrink", help="Keep the smallest text that fails in the same way"),
    ] = False,
    to: Annotated[Path, typer.Option("--to", help="Folder for the file")] = Path("cases"),
    name: Annotated[str | None, typer.Option("--name", help="File's name without its ending")] = None,
    why: Annotated[str, typer.Option("--why", help="Sentence that says what the case shows")] = "",
    expect: Annotated[
        Path | None,
        typer.Option("--expect", help="TOML file with [expect]; default: today's result"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file")] = False,
) -> None:
    """Write a recorded response as a case: text, parser and expected result."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        reading = resolve_reading(opened, which, run)
    case = case_of(_shrunk(reading) if shrunk else reading, why)
    if expect is not None:
        case = replace(case, expect=_expected(expect))
    path = to / f"{_file_name(name) if name else _turn_name(reading)}{SUFFIX}"
    if path.exists() and not force:
        raise UsageError(f"There is a case at {str(path)!r}; give another --name, or --force to replace it.")
    write_named(path, case.dumps())
    print_text(str(path))
    if (left := case.differences()) and expect is not None:
        print_note(f"It is read otherwise today:\n{left}")


@app.command("check")
def check(
    paths: Annotated[list[Path], typer.Argument(metavar="DIR|FILE", help="Files and folders of cases")],
    *,
    take: Annotated[
        bool, typer.Option("--accept", help="Write today's results into the files that differ")
    ] = False,
) -> None:
    """Check that cases parse as they expect; exit code 4 if one differs."""
    count = failed = faulty = acting = 0
    for path in case_files(paths):
        count += 1
        try:
            case = load_case(path)
            left = case.differences()
        except Exception as error:  # noqa: BLE001 - one text's error must not stop the others
            faulty += 1
            _tell("NO CASE", path, str(error) if isinstance(error, ActionLedgerError) else in_words(error))
            continue
        acting += case.is_acting
        if not left:
            continue
        failed += 1
        _tell("accepted" if take else "FAILED", path, left)
        if take:
            write_named(path, with_accepted(path.read_text(encoding="utf-8")))
    said = "read otherwise, and now expected so" if take else "read otherwise than expected"
    beside = f", {faulty:,} can't be read" if faulty else ""
    print_text(f"{counted(count, 'case')}, {failed:,} {said}{beside}")
    if faulty:
        raise typer.Exit(ExitCode.FAULT)
    if failed and not take:
        raise typer.Exit(ExitCode.GATE)
    if not acting and not take:
        print_text("None of them expects that a response meant to act, so a lost call would not show.")
        raise typer.Exit(ExitCode.EVIDENCE)


def _tell(what: str, path: Path, left: str) -> None:
    print_text(f"{what} {path}")
    print_text("\n".join(f"  {line}" for line in left.splitlines()))


def _shrunk(reading: RecordedReading) -> RecordedReading:
    found = shrink(reading.text, like(reading.text, reader_of(reading)))
    print_note(shrunk_sentence(found))
    return replace(reading, text=found.text)


def _expected(path: Path) -> Mapping[str, Any]:
    """Return a file's expectation: a case's, or one that is the whole file."""
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"The file {str(path)!r} can't be read: {error}.") from error
    return expectation(value.get("expect"), f"The file {str(path)!r}")


def _turn_name(reading: RecordedReading) -> str:
    """Return a turn's name, which is unique even for a session with a long name."""
    return f"{_file_name(reading.external_id or reading.session_id[:8])}-{reading.turn_index}"


def _file_name(text: str) -> str:
    """Return a file name that can't act as a path, since a session's name is untrusted."""
    return re.sub(r"[^\w.-]+", "-", text).strip(".-")[:100] or "case"
