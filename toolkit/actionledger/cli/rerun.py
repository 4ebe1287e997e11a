"""``rerun`` and ``fork``: run recorded sessions again, or continue them from a turn."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from actionledger.cli.commands import response_in
from actionledger.cli.exits import ExitCode
from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import AutoOption, JsonOption, LedgerOption, ModelOption, existing, turn_named
from actionledger.cli.tables import console, plain, print_json, print_text
from actionledger.core.errors import UsageError
from actionledger.core.text import counted
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.filters import EVERYTHING
from actionledger.replay.fork import fork
from actionledger.replay.rerun import rerun
from actionledger.replay.rerun_report import RerunReport
from actionledger.runtime.models import model_from

PolicyOption = Annotated[
    Path | None, typer.Option("--policy", help="Policy file, instead of the recorded policy")
]


@filtered(lists=True)
def rerun_sessions(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SESSION", help="Sessions by id, name, title or the beginning of one; default: all"
        ),
    ] = None,
    ledger: LedgerOption = None,
    policy: PolicyOption = None,
    parser: Annotated[str | None, typer.Option("--parser", help="Parser, instead of the profile's")] = None,
    *,
    within: Chosen,
    as_json: JsonOption = False,
) -> None:
    """Run recorded sessions again; exit code 4 if one diverges."""
    with open_ledger(existing(ledger)) as opened:
        picked = within(opened)
        if sessions and picked != EVERYTHING:
            raise UsageError("Give sessions, or options that pick some, not both.")
        report = rerun(opened, sessions or picked, policy=policy, parser=parser)
    if as_json:
        print_json(_as_value(report))
    else:
        print_text(str(report))
    if report.counts["diverged"]:
        raise typer.Exit(ExitCode.GATE)
    if not report.counts["identical"]:
        raise typer.Exit(ExitCode.FAULT)


def fork_session(
    which: Annotated[
        str,
        typer.Argument(
            metavar="SESSION#TURN",
            help="Session by name, id, title or the beginning of one; turn by its index from 0",
        ),
    ],
    ledger: LedgerOption = None,
    *,
    response: Annotated[
        Path | None, typer.Option("--response", help="File with another response; -: standard input")
    ] = None,
    policy: PolicyOption = None,
    model: ModelOption = None,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", "-w", help="Empty folder to work in; default: a temporary one"),
    ] = None,
    auto: AutoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Continue a recorded session from a turn in another way."""
    if response is None and policy is None and model is None:
        raise UsageError("Give a change: --response FILE, --policy FILE or --model MODEL.")
    text = None if response is None else response_in(response)
    session, turn = turn_named(which)
    with open_ledger(existing(ledger)) as opened:
        made = fork(
            opened,
            session,
            turn=turn,
            response=text,
            policy=policy,
            model=None if model is None else model_from(model, ledger=opened),
            workspace=workspace,
            auto=auto,
        )
    if as_json:
        value = {
            "session_id": made.session_id,
            "parent_session_id": made.parent_session_id,
            "turn": made.turn_index,
        }
        print_json({**value, "turns": len(made.turns), "workspace": str(made.workspace or "")})
        return
    console.print(
        plain(
            f"session {made.session_id}: {counted(len(made.turns), 'turn')} from turn {made.turn_index} of {made.parent_session_id}"
        ),
        soft_wrap=True,
    )
    for each in made.turns:
        print_text(each.feedback)


def _as_value(report: RerunReport) -> dict[str, Any]:
    return {
        "run_id": report.run_id,
        "counts": report.counts,
        "refusals": report.refusals,
        "seconds": report.seconds,
        "sessions": [{"verdict": each.verdict, **asdict(each)} for each in report.sessions],
    }
