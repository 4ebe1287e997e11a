"""``run``: a live session with a model, or a single response.

It succeeds if every action succeeded. A failed or skipped action, or a conversation that broke off, is a fault.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.commands import response_in
from actionledger.cli.exits import ExitCode
from actionledger.cli.options import (
    AutoOption,
    DryRunOption,
    JsonOption,
    LedgerOption,
    LineNumbersOption,
    ModelOption,
    NetworkOption,
    UnconfinedOption,
    check_model,
    command_words,
    ledger_of_agent,
    opened_model,
)
from actionledger.cli.tables import beside, console, plain, print_json, print_note, print_text
from actionledger.core.errors import UsageError
from actionledger.core.values import Turn
from actionledger.core.vocabulary import ExecutionStatus, Outcome
from actionledger.ledger import open_ledger
from actionledger.profiles import profile_named
from actionledger.profiles.coder import with_commands
from actionledger.runtime.agent import Conversation, Ending, converse
from actionledger.runtime.commands import CommandSettings
from actionledger.runtime.models import Model
from actionledger.runtime.session.runtime import Runtime

DONE = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN, ExecutionStatus.PENDING})
"""The statuses that are not a failure."""

ResponseOption = Annotated[
    str | None,
    typer.Option("--response", "-r", help="Run one response from this file; -: standard input"),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", "-w", help="Folder to act in; default: a temporary one"),
]
TurnsOption = Annotated[int | None, typer.Option("--max-turns", min=1, help="Maximum number of responses")]
StreamOption = Annotated[bool, typer.Option("--stream", help="Show each response as it streams")]


def run(
    profile: Annotated[str, typer.Argument(help="Profile to run under")],
    prompt: Annotated[str, typer.Argument(help="Task for the model")] = "",
    *,
    model: ModelOption = None,
    response: ResponseOption = None,
    ledger: LedgerOption = None,
    workspace: WorkspaceOption = None,
    auto: AutoOption = False,
    dry_run: DryRunOption = False,
    max_turns: TurnsOption = None,
    stream: StreamOption = False,
    unconfined_commands: UnconfinedOption = False,
    command_network: NetworkOption = False,
    line_numbers: LineNumbersOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run a live session with a model, or one response."""
    with ExitStack() as stack:
        if (model is None) == (response is None):
            raise UsageError("Give either --model and a prompt, or --response.")
        profile_named(profile)
        text = None if response is None else response_in(Path(response))
        recorded_in = ledger_of_agent(ledger, workspace)
        if model is not None:
            check_model(model, recorded_in)
        opened = stack.enter_context(open_ledger(recorded_in))
        talker = None if model is None else opened_model(model, opened, stack)
        commands = CommandSettings(unconfined=unconfined_commands, network=command_network)
        session = Runtime(
            with_commands(profile, commands, line_numbers=line_numbers),
            ledger=opened,
            workspace=workspace,
            auto=auto,
            dry_run=dry_run,
            model=talker.name if talker else "",
        )
        stack.enter_context(session)
        speaker = _Speaker(recorded_in, stream=stream and talker is not None, as_json=as_json)
        try:
            if talker is None:
                code = _run_response(session, text or "", prompt, speaker)
            else:
                code = _run_model(session, talker, prompt, max_turns, speaker)
        except KeyboardInterrupt:
            session.close(success=False, reason=Ending.STOPPED)
            print_note(f"Stopped. The session {session.session_id} is recorded as far as it got.")
            code = ExitCode.STOPPED
    raise typer.Exit(code)


def _run_response(session: Runtime, text: str, prompt: str, speaker: "_Speaker") -> int:
    turn = session.handle(text, prompt=prompt or None)
    speaker.take(turn)
    session.close(reason="response")
    return speaker.tell(session.session_id, [turn], None)


def _run_model(
    session: Runtime, model: Model, prompt: str, max_turns: int | None, speaker: "_Speaker"
) -> int:
    on_piece = speaker.piece if speaker.streams else None
    ended = converse(session, model, prompt, max_turns=max_turns, on_piece=on_piece, on_turn=speaker.take)
    return speaker.tell(ended.session_id, ended.turns, ended)


def exit_code(turns: Sequence[Turn], ending: Conversation | None) -> int:
    """Return the exit code for a session."""
    if any(each.status is ExecutionStatus.PENDING for turn in turns for each in turn.observations):
        return ExitCode.WAITING
    is_cut_off = ending is not None and not ending.ending.is_regular
    return ExitCode.FAULT if is_cut_off or not all(map(went_well, turns)) else ExitCode.DONE


def went_well(turn: Turn) -> bool:
    """Return whether a turn was parsed, and none of its actions failed or was refused."""
    is_read = turn.result.outcome not in {Outcome.FAILED, Outcome.PARTIAL}
    return is_read and not turn.issues and all(each.status in DONE for each in turn.observations)


class _Speaker:
    """Prints events as they happen; model text is shown only as text."""

    def __init__(self, ledger: Path, *, stream: bool, as_json: bool) -> None:
        self._ledger = ledger
        self.streams = stream
        self._as_json = as_json
        self._beside = beside if as_json else console
        """The console for other output than results, which must not mix with JSON."""

    def piece(self, text: str) -> None:
        """Print a piece of a response with its line breaks."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self._beside.print()
            self._beside.print(plain(line), end="")

    def take(self, turn: Turn) -> None:
        """Print a finished turn."""
        if self._as_json:
            return
        if self.streams:
            console.print()
        console.print(plain(f"Turn {turn.index}: {turn.result.outcome.said}"), style="bold")
        if not self.streams:
            print_text(turn.result.narrative)
        print_text(turn.feedback, style="dim")

    def say(self, sentence: str) -> None:
        """Print a sentence that is not a result."""
        self._beside.print(plain(sentence))

    def tell(self, session_id: str, turns: Sequence[Turn], ended: Conversation | None) -> int:
        """Print how the session ended; return the exit code."""
        code = exit_code(turns, ended)
        if self._as_json:
            print_json(_as_value(session_id, turns, ended))
            return code
        if ended is not None:
            self.say(f"Ended ({ended.ending}): {ended.message}")
        self.say(f"Session {session_id}.")
        if code == ExitCode.WAITING:
            shown_by = command_words("approvals list", ledger=self._ledger)
            self.say(f"Something waits for approval: '{shown_by}' shows it.")
        return code


def _as_value(session_id: str, turns: Sequence[Turn], ended: Conversation | None) -> dict[str, object]:
    return {
        "session_id": session_id,
        "ending": ended.ending if ended else None,
        "message": ended.message if ended else "",
        "turns": [turn_value(turn) for turn in turns],
    }


def turn_value(turn: Turn) -> dict[str, object]:
    """Return a turn for ``--json``."""
    return {
        "turn_id": turn.turn_id,
        "index": turn.index,
        "outcome": turn.result.outcome,
        "narrative": turn.result.narrative,
        "observations": [asdict(observation) for observation in turn.observations],
        "issues": [{"code": issue.code, "message": issue.message} for issue in turn.issues],
        "feedback": turn.feedback,
    }
