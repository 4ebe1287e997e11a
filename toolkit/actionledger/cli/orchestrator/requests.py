"""``orchestrator requests``, ``answer`` and ``plan``: what a person is asked, and what was planned."""

import getpass
from dataclasses import asdict
from typing import Annotated

import typer

from actionledger.cli.options import JsonOption, command_words
from actionledger.cli.orchestrator.folders import FolderArgument, opened_store
from actionledger.cli.tables import print_json, print_text
from actionledger.profiles.orchestrator.request_queue import PersonRequest, RequestQueue


def requests(
    folder: FolderArgument,
    *,
    every: Annotated[bool, typer.Option("--all", help="Those that were answered, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a person is asked and has not answered."""
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
    number: Annotated[int, typer.Argument(help="The request's number.")],
    text: Annotated[str, typer.Argument(help="The answer, for whoever asked.")],
    *,
    by: Annotated[str | None, typer.Option("--by", help="Who answers; your login if not given.")] = None,
) -> None:
    """Answer a request; it stands."""
    with opened_store(folder) as store:
        answered = RequestQueue(store).answer(number, text, by=by or getpass.getuser())
    print_text(f"Request {answered.number} answered by {answered.answered_by}.")
    print_text(f"Next, with --model or --layer as before: {command_words('orchestrator run', folder)}")


def plan(
    folder: FolderArgument,
    *,
    every: Annotated[bool, typer.Option("--all", help="Earlier versions, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the plan that holds."""
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
    """Print what is asked, whole, and the answer if there is one."""
    head = f"Request {request.number} ({request.kind}){_from(request.layer)}, {request.created_at}"
    print_text(head, style="bold")
    print_text(request.subject)
    print_text(request.context, style="dim")
    if request.answer is not None:
        print_text(f"Answered by {request.answered_by}, {request.answered_at}: {request.answer}")


def _from(layer: str) -> str:
    return f" from {layer}" if layer else ""
