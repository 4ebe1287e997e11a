"""``approvals``: list pending actions and decide about them."""

import getpass
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import JsonOption, LedgerOption, command_words, existing
from actionledger.cli.tables import (
    Sheet,
    console,
    plain,
    print_json,
    print_note,
    print_observation,
    print_text,
    shortened,
)
from actionledger.core.errors import UsageError
from actionledger.core.events import Event, SystemNoted
from actionledger.core.values import Observation
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.names import session_names
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.session.decisions import (
    DecisionStatus,
    decide,
    decided_approvals,
    decision_called,
    open_decisions,
)
from actionledger.runtime.session.resumption import NOT_TAKEN
from actionledger.runtime.session.runtime import Runtime

IdArgument = Annotated[str, typer.Argument(help="Approval's id or its beginning")]
ByOption = Annotated[str | None, typer.Option("--by", help="Who decides; default: your login")]
RunOption = Annotated[bool, typer.Option("--run", help="Run it at once in this process; needs no key")]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", "-w", help="Folder to act in; default: the recorded one"),
]
WhyOption = Annotated[str, typer.Option("--why", help="Reason, for the model and for the record")]

app = typer.Typer(help="List and decide actions that wait for a person.", no_args_is_help=True)


@app.command("list")
def list_pending(ledger: LedgerOption = None, *, as_json: JsonOption = False) -> None:
    """List actions that wait for a decision, or for their run after one."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = sorted(open_decisions(opened), key=lambda each: each.approval.decision is not None)
        names = session_names(opened, {each.approval.session_id for each in found})
    if as_json:
        print_json([_as_value(each, names[each.approval.session_id]) for each in found])
        return
    if not found:
        print_text("Nothing waits for a decision.")
        return
    table = Sheet("id", "since (UTC)", "session and turn", "action", "decision", "arguments")
    for status in found:
        approval = status.approval
        table.add_row(
            approval.approval_id[:8],
            f"{approval.requested_at:%Y-%m-%d %H:%M}",
            f"{names[approval.session_id]}#{approval.turn_index}",
            plain(approval.name),
            str(approval.decision or "waits"),
            plain(shortened(approval.arguments)),
        )
    console.print(table)
    for status in found:
        if status.claim:
            print_note(f"{status.approval.approval_id[:8]}: {status.sentence}", style="yellow")


@app.command("show")
def show(approval: IdArgument, ledger: LedgerOption = None, *, as_json: JsonOption = False) -> None:
    """Show one approval: its action in full, and the decision."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = decision_called(opened, approval)
        session_id = found.approval.session_id
        session = session_names(opened, [session_id])[session_id]
    if as_json:
        print_json(_as_value(found, session))
        return
    for name, value in _as_value(found, session).items():
        if value is not None and value != "":
            console.print(plain(f"{name}: {value}"))


@app.command("approve")
def approve(
    approval: IdArgument,
    ledger: LedgerOption = None,
    *,
    by: ByOption = None,
    why: WhyOption = "",
    arguments: Annotated[
        str | None, typer.Option("--arguments", help="Other arguments, a JSON object")
    ] = None,
    run: RunOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Approve an action, as it is or with other arguments."""
    changed = None if arguments is None else _object(arguments)
    kind = DecisionKind.APPROVED if changed is None else DecisionKind.MODIFIED
    decision = Decision(kind, by or getpass.getuser(), why, changed)
    if run:
        with open_ledger(existing(ledger)) as opened:
            asked = decision_called(opened, approval).approval
            came = _carry_out(
                opened, asked.session_id, asked.turn_id, {asked.action_index: decision}, workspace
            )
        _end_as(came)
    else:
        _decide(ledger, approval, decision)


@app.command("reject")
def reject(
    approval: IdArgument, ledger: LedgerOption = None, *, by: ByOption = None, why: WhyOption = ""
) -> None:
    """Reject an action."""
    _decide(ledger, approval, Decision(DecisionKind.REJECTED, by or getpass.getuser(), why))


@app.command("run")
def run(
    approval: Annotated[str | None, typer.Argument(help="Only the turn of this approval")] = None,
    ledger: LedgerOption = None,
    *,
    workspace: WorkspaceOption = None,
) -> None:
    """Run approved actions and print their results."""
    with open_ledger(existing(ledger)) as opened:
        due = decided_approvals(opened)
        if approval is not None:
            turn_id = decision_called(opened, approval).approval.turn_id
            due = [each for each in due if each.turn_id == turn_id]
        turns = {each.turn_id: each.session_id for each in due}
        came: list[Observation] = []
        for turn_id, session_id in turns.items():
            decided = {each.action_index: None for each in due if each.turn_id == turn_id}
            came += _carry_out(opened, session_id, turn_id, decided, workspace)
    if not turns:
        print_text("Nothing that was decided is left to be carried out.")
    _end_as(came)


def _decide(ledger: Path | None, approval_id: str, decision: Decision) -> None:
    path = existing(ledger)
    with open_ledger(path) as opened:
        decided = decide(opened, approval_id, decision)
    console.print(plain(f"{decided.name} {decided.decision} by {decided.decided_by}."))
    print_text(f"Next: {command_words('approvals run', decided.approval_id[:8], ledger=path)}")


def _end_as(came: Sequence[Observation]) -> None:
    """Exit with 1 if an approved action failed; a rejected one is not a failure."""
    if any(each.status in _FAILED for each in came):
        raise typer.Exit(ExitCode.FAULT)


_FAILED = frozenset({ExecutionStatus.FAILED, ExecutionStatus.TIMED_OUT, ExecutionStatus.INTERRUPTED})


def _carry_out(
    ledger: Ledger,
    session_id: str,
    turn_id: str,
    decisions: Mapping[int, Decision | None],
    workspace: Path | None,
) -> list[Observation]:
    """Continue a turn, print some of its actions' results, and return them."""
    with Runtime.reopen(ledger, session_id, workspace=workspace, listen=_tell) as session:
        turn = session.resume(turn_id, {place: each for place, each in decisions.items() if each is not None})
    came = [each for each in turn.observations if each.action_index in decisions]
    for observation in came:
        print_observation(observation)
    return came


def _tell(event: Event) -> None:
    """Print why a recorded decision was not applied."""
    if isinstance(event, SystemNoted) and event.code == NOT_TAKEN:
        print_note(event.message, style="yellow")


def _as_value(status: DecisionStatus, session: str) -> dict[str, object]:
    """Return a request for JSON, without its signature, which means nothing to a person."""
    shown = asdict(status.approval)
    del shown["signature"]
    return {"session": session, **shown, "doubt": status.sentence}


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--arguments is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError('--arguments is not a JSON object; write it like {"path": "a.txt"}.')
    return value
