"""``orchestrator issues``, ``close``, ``jobs`` and ``export``: what is to be done, who has it, and the same as a file."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.options import JsonOption
from actionledger.cli.orchestrator.folders import FolderArgument, opened_store
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, print_json, print_text
from actionledger.core.errors import UsageError
from actionledger.profiles.orchestrator.tracker import Format, Tracker, export_issues

LabelOption = Annotated[str | None, typer.Option("--label", help="Only those with this label.")]

FORMATS: Mapping[str, Format] = {".md": "markdown", ".json": "json", ".csv": "csv"}
"""The format of a file, by how its name ends."""


def issues(
    folder: FolderArgument,
    *,
    label: LabelOption = None,
    every: Annotated[bool, typer.Option("--all", help="Those that are closed, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the issues that are open."""
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
    numbers: Annotated[list[int], typer.Argument(metavar="NUMBER", help="The issues' numbers.")],
) -> None:
    """Mark issues as done; if one of them is not open, none is."""
    with opened_store(folder) as store:
        Tracker(store).close_issues(numbers)
    print_text(f"Closed: {', '.join(map(str, dict.fromkeys(numbers)))}.")


def jobs(folder: FolderArgument, *, as_json: JsonOption = False) -> None:
    """List the jobs by which issues are handed over, and how far they are."""
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
    file: Annotated[Path, typer.Argument(help=f"Where to; its name ends in {', '.join(FORMATS)}.")],
    *,
    label: LabelOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write all issues to a file, closed ones included."""
    form = FORMATS.get(file.suffix.lower())
    if form is None:
        raise UsageError(f"The name {file.name!r} does not say which format: end it in {', '.join(FORMATS)}.")
    with opened_store(folder) as store:
        found = Tracker(store).issues(label)
    try:
        with file.open("w" if force else "x", encoding="utf-8", newline="") as opened:
            opened.write(export_issues(found, form))
    except FileExistsError:
        raise UsageError(f"The file {str(file)!r} is there already; --force replaces it.") from None
    except OSError as error:
        raise UsageError(
            f"The file {str(file)!r} can't be written: {error.strerror}; take another."
        ) from error
    print_text(f"Issues written to {file}: {len(found):,}.")
