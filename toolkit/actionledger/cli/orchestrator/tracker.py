"""``orchestrator requests``, ``answer``, ``plan``, ``issues``, ``close``, ``jobs`` and ``export``: an orchestration's requests, plan and issues."""

import getpass
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.options import JsonOption, command_words
from actionledger.cli.tables import Sheet, console, plain, print_json, print_text
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.files import writing
from actionledger.profiles.orchestrator.request_queue import (
    FILE as STORE,
    OrchestratorStore,
    PersonRequest,
    RequestQueue,
)
from actionledger.profiles.orchestrator.state import FILE as STATE
from actionledger.profiles.orchestrator.tracker import Format, Tracker, export_issues

FolderArgument = Annotated[Path, typer.Argument(help="Orchestration's folder")]


def requests(
    folder: FolderArgument,
    *,
    every: Annotated[bool, typer.Option("--all", help="Include answered ones")] = False,
    as_json: JsonOption = False,
) -> None:
    """List questions that wait for a person's answer."""
    with opened_store(folder) as store:
        found = RequestQueue(store).requests(waiting=not every)
    if as_json:
        print_json([asdict(request) for request in found])
        return
    for request in found:
        print_request(request)
    if not found:
        print_text("Nothing was asked." if every else "Nothing waits for an answer.")


def answer(
    folder: FolderArgument,
    number: Annotated[int, typer.Argument(help="Request's number")],
    text: Annotated[str, typer.Argument(help="Answer")],
    *,
    by: Annotated[str | None, typer.Option("--by", help="Who answers; default: your login")] = None,
) -> None:
    """Answer a request; an answer is final."""
    with opened_store(folder) as store:
        answered = RequestQueue(store).answer(number, text, by=by or getpass.getuser())
    print_text(f"Request {answered.number} answered by {answered.answered_by}.")
    print_text(f"Next, with --model or --layer as before: {command_words('orchestrator run', folder)}")


def plan(
    folder: FolderArgument,
    *,
    every: Annotated[bool, typer.Option("--all", help="Include earlier versions")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the current plan."""
    with opened_store(folder) as store:
        plans = RequestQueue(store).plans()
    shown = plans if every else plans[-1:]
    if as_json:
        print_json([asdict(each) for each in shown])
        return
    for each in shown:
        print_text(f"Version {each.version}{_from(each.layer)}, {each.created_at}", style="bold")
        print_text(each.text)
    if not shown:
        print_text("There is no plan yet.")


def print_request(request: PersonRequest) -> None:
    """Print a request in full, with its answer if there is one."""
    head = f"Request {request.number} ({request.kind}){_from(request.layer)}, {request.created_at}"
    print_text(head, style="bold")
    print_text(request.subject)
    print_text(request.context, style="dim")
    if request.answer is not None:
        print_text(f"Answered by {request.answered_by}, {request.answered_at}: {request.answer}")


def _from(layer: str) -> str:
    return f" from {layer}" if layer else ""


@contextmanager
def opened_store(folder: Path) -> Iterator[OrchestratorStore]:
    """Open the store of an orchestration's folder, and close it afterwards."""
    if not any((folder / name).is_file() for name in (STATE, STORE)):
        begin = command_words("orchestrator run", folder)
        raise SourceError(
            f"There is no orchestration in {str(folder)!r}; '{begin} DIRECTIVE' begins one there."
        )
    store = OrchestratorStore(folder / STORE)
    try:
        yield store
    finally:
        store.close()


LabelOption = Annotated[str | None, typer.Option("--label", help="Only issues with this label")]

FORMATS: Mapping[str, Format] = {".md": "markdown", ".json": "json", ".csv": "csv"}
"""The format of a file by its suffix."""


def issues(
    folder: FolderArgument,
    *,
    label: LabelOption = None,
    every: Annotated[bool, typer.Option("--all", help="Include closed ones")] = False,
    as_json: JsonOption = False,
) -> None:
    """List open issues."""
    with opened_store(folder) as store:
        found = [issue for issue in Tracker(store).issues(label) if every or issue.is_open]
    if as_json:
        print_json([asdict(issue) for issue in found])
        return
    if not found:
        print_text("There is no such issue." if label or every else "No issue is open.")
        return
    table = Sheet("number", "title", "labels", "", "filed")
    for issue in found:
        state = "open" if issue.is_open else "closed"
        table.add_row(
            str(issue.number), plain(issue.title), plain(", ".join(issue.labels)), state, issue.created_at
        )
    console.print(table)


def close(
    folder: FolderArgument,
    numbers: Annotated[list[int], typer.Argument(metavar="NUMBER", help="Issues' numbers")],
) -> None:
    """Close issues; if one of them is not open, close none."""
    with opened_store(folder) as store:
        Tracker(store).close_issues(numbers)
    print_text(f"Closed: {', '.join(map(str, dict.fromkeys(numbers)))}.")


def jobs(folder: FolderArgument, *, as_json: JsonOption = False) -> None:
    """List the jobs that hand issues over, with their status."""
    with opened_store(folder) as store:
        found = Tracker(store).jobs()
    if as_json:
        print_json([asdict(job) for job in found])
        return
    if not found:
        print_text("No job was queued.")
        return
    table = Sheet("number", "label", "state", "issues", "note", "queued")
    for job in found:
        numbers = ", ".join(map(str, job.issues))
        table.add_row(str(job.number), plain(job.label), job.state, numbers, plain(job.note), job.created_at)
    console.print(table)


def export(
    folder: FolderArgument,
    file: Annotated[Path, typer.Argument(help=f"File to write: {', '.join(FORMATS)}")],
    *,
    label: LabelOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file")] = False,
) -> None:
    """Write all issues to a file, also closed ones."""
    form = FORMATS.get(file.suffix.lower())
    if form is None:
        raise UsageError(f"The name {file.name!r} does not say which format: end it in {', '.join(FORMATS)}.")
    if file.exists() and not force:
        raise UsageError(f"The file {str(file)!r} already exists; --force replaces it.")
    with opened_store(folder) as store:
        found = Tracker(store).issues(label)
    with writing(file), file.open("w" if force else "x", encoding="utf-8", newline="") as opened:
        opened.write(export_issues(found, form))
    print_text(f"Issues written to {file}: {len(found):,}.")
