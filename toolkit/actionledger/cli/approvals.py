"""``approvals``: what waits for a decision, and deciding about it."""

import getpass
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger import api
from actionledger.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption, command_words, existing
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import SHOWN_CHARACTERS, console, plain, print_observation, print_text, shortened
from actionledger.errors import UsageError
from actionledger.execution.approval import Ruling
from actionledger.execution.deciding import decide, one_approval
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.approvals import decided_approvals, waiting_approvals
from actionledger.ledger.queries.naming import session_names
from actionledger.recording import json_text
from actionledger.values import Approval
from actionledger.vocabulary import Decision

IdArgument = Annotated[str, typer.Argument(help="The approval's id, or enough of its beginning.")]
ByOption = Annotated[str | None, typer.Option("--by", help="Who decides; your login where not given.")]
WhyOption = Annotated[str, typer.Option("--why", help="The reason, for the model and for the record.")]

app = typer.Typer(help="Decide about actions that wait for a person.", no_args_is_help=True)


@app.command("list")
def list_waiting(ledger: LedgerOption = DEFAULT_LEDGER, *, as_json: JsonOption = False) -> None:
    """List what waits for a decision, and what was decided and not carried out."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = [*waiting_approvals(opened), *decided_approvals(opened)]
        names = session_names(opened, {approval.session_id for approval in found})
    if as_json:
        typer.echo(json_text([_as_value(approval, names[approval.session_id]) for approval in found]))
        return
    if not found:
        print_text("Nothing waits for a decision.")
        return
    table = Sheet("id", "since (UTC)", "session and turn", "action", "decision", "arguments")
    for approval in found:
        table.add_row(
            approval.approval_id[:8],
            f"{approval.requested_at:%Y-%m-%d %H:%M}",
            f"{names[approval.session_id]}#{approval.turn_index}",
            plain(approval.name),
            str(approval.decision or "waits"),
            plain(shortened(approval.arguments, SHOWN_CHARACTERS)),
        )
    console.print(table)


@app.command("show")
def show(approval: IdArgument, ledger: LedgerOption = DEFAULT_LEDGER, *, as_json: JsonOption = False) -> None:
    """Show one approval: all that is to be run, and what was decided."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = one_approval(opened, approval)
        session = session_names(opened, [found.session_id])[found.session_id]
    if as_json:
        typer.echo(json_text(_as_value(found, session)))
        return
    for name, value in _as_value(found, session).items():
        console.print(plain(f"{name}: {value}"))


@app.command("approve")
def approve(
    approval: IdArgument,
    ledger: LedgerOption = DEFAULT_LEDGER,
    *,
    by: ByOption = None,
    why: WhyOption = "",
    arguments: Annotated[
        str | None, typer.Option("--arguments", help="Run it with these instead: a JSON object.")
    ] = None,
) -> None:
    """Let an action run, as it is or with other arguments."""
    changed = None if arguments is None else _object(arguments)
    decision = Decision.APPROVED if changed is None else Decision.MODIFIED
    _decide(ledger, approval, Ruling(decision, by or getpass.getuser(), why, changed))


@app.command("reject")
def reject(
    approval: IdArgument, ledger: LedgerOption = DEFAULT_LEDGER, *, by: ByOption = None, why: WhyOption = ""
) -> None:
    """Keep an action from running."""
    _decide(ledger, approval, Ruling(Decision.REJECTED, by or getpass.getuser(), why))


@app.command("run")
def run(
    approval: Annotated[str | None, typer.Argument(help="Only the turn of this approval.")] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    *,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", "-w", help="The folder to act in; the recorded one by default."),
    ] = None,
) -> None:
    """Carry out what was decided: run what was approved, and say what came of it."""
    with open_ledger(existing(ledger)) as opened:
        due = decided_approvals(opened)
        if approval is not None:
            turn_id = one_approval(opened, approval).turn_id
            due = [each for each in due if each.turn_id == turn_id]
        turns = {each.turn_id: each.session_id for each in due}
        for turn_id, session_id in turns.items():
            with api.Runtime.reopen(opened, session_id, workspace=workspace) as session:
                decided = {each.action_index for each in due if each.turn_id == turn_id}
                for observation in session.resume(turn_id).observations:
                    if observation.action_index in decided:
                        print_observation(observation)
    if not turns:
        print_text("Nothing that was decided is left to be carried out.")


def _decide(ledger: Path, approval_id: str, ruling: Ruling) -> None:
    with open_ledger(existing(ledger)) as opened:
        decided = decide(opened, approval_id, ruling)
    console.print(plain(f"{decided.name} {decided.decision} by {decided.decided_by}."))
    print_text(f"Next: {command_words('approvals run', decided.approval_id[:8], ledger=ledger)}")


def _as_value(approval: Approval, session: str) -> dict[str, object]:
    return {"session": session, **asdict(approval)}


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--arguments is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError('--arguments is no JSON object; write it like {"path": "a.txt"}.')
    return value
