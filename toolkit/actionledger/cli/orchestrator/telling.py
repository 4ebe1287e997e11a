"""What ``orchestrator run`` tells: each message as it comes, how it ended, and what a person does next."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import command_words
from actionledger.cli.orchestrator.requests import print_request
from actionledger.cli.running import DONE, turn_value, went_well
from actionledger.cli.tables import (
    print_json,
    print_note,
    print_observation,
    print_text,
    shortened,
)
from actionledger.core.values import Approval, Observation, Turn
from actionledger.core.vocabulary import Reason
from actionledger.profiles.orchestrator.cascade import Orchestration
from actionledger.profiles.orchestrator.state import LayerMessage
from actionledger.profiles.orchestrator.terms import Ending


def exit_code(ending: Ending, turns: Sequence[Turn], decided: Sequence[Observation]) -> int:
    """Return what a script is told of a run of an orchestration."""
    if ending.status == "waiting":
        return ExitCode.WAITING
    done = all(each.status in DONE or each.reason is Reason.REJECTED for each in decided)
    return (
        ExitCode.DONE
        if ending.status == "finished" and done and all(map(went_well, turns))
        else ExitCode.FAULT
    )


class Teller:
    """Tells what happens while it does; a model's text as text.

    Args:
        folder: the orchestration's.
        ledger: where it is recorded.
        as_json: whether only its end is told, as JSON.
    """

    def __init__(self, folder: Path, ledger: Path, *, as_json: bool) -> None:
        self._ledger = ledger
        self._folder = folder
        self._as_json = as_json
        self._taken: list[tuple[LayerMessage, Turn]] = []
        self._decided: list[tuple[str, Observation]] = []

    def take(self, message: LayerMessage, turn: Turn) -> None:
        """Show a message, and what its actions came to."""
        self._taken.append((message, turn))
        if self._as_json:
            return
        took = f"{message.duration_ms / 1000:.1f} s"
        cost = "" if message.cost_usd is None else f", ${message.cost_usd:.4f}"
        head = f"{message.from_layer} -> {message.to}: {turn.result.outcome} ({took}{cost})"
        print_text(head, style="bold")
        print_text(message.content)
        print_text(turn.feedback, style="dim")

    def take_decided(self, layer: str, observations: Sequence[Observation]) -> None:
        """Show what came of a layer's actions that a person has decided about."""
        self._decided += [(layer, observation) for observation in observations]
        if self._as_json:
            return
        print_text(f"{layer}: decided", style="bold")
        for observation in observations:
            print_observation(observation)

    def tell_stopped(self) -> None:
        """Show that somebody stopped it."""
        print_note(f"Stopped. What was said and done is saved. {self._go_on()}")

    def tell(self, orchestration: Orchestration, ending: Ending) -> int:
        """Show how it ended, and what to do next; return the exit code."""
        if self._as_json:
            print_json(self._value(orchestration, ending))
        else:
            self._print_ending(orchestration, ending)
        turns, decided = [turn for _, turn in self._taken], [each for _, each in self._decided]
        return exit_code(ending, turns, decided)

    def _print_ending(self, orchestration: Orchestration, ending: Ending) -> None:
        print_text(f"Ended ({ending.status}): {ending.reason}", style="bold")
        for request in orchestration.request_queue.requests(waiting=True):
            print_request(request)
            print_text(f"  Next: {command_words('orchestrator answer', self._folder, request.number)} TEXT")
        waiting = orchestration.waiting()
        for approval in waiting:
            self._print_approval(orchestration, approval)
        if orchestration.state.due is not None:
            print_text(self._go_on())
        elif waiting:
            print_text(f"Then: {command_words('approvals run', ledger=self._ledger)}")

    def _print_approval(self, orchestration: Orchestration, approval: Approval) -> None:
        layer = orchestration.sessions.layer_of(approval.session_id)
        shown = shortened(approval.arguments)
        print_text(f"{approval.name} of {layer} waits for approval: {shown}")
        approve = command_words("approvals approve", approval.approval_id[:8], ledger=self._ledger)
        print_text(f"  Next: {approve} (or reject)")

    def _go_on(self) -> str:
        command = command_words("orchestrator run", self._folder, ledger=self._ledger)
        return f"To go on, with --model or --layer as before: {command}"

    def _value(self, orchestration: Orchestration, ending: Ending) -> dict[str, object]:
        state = orchestration.state
        return {
            "orchestration": state.id,
            "status": ending.status,
            "reason": ending.reason,
            "messages": [message.model_dump(mode="json") for message in state.messages],
            "turns": [{"layer": message.from_layer, **turn_value(turn)} for message, turn in self._taken],
            "decided": [{"layer": layer, **asdict(observation)} for layer, observation in self._decided],
            "requests": [asdict(request) for request in orchestration.request_queue.requests(waiting=True)],
            "approvals": [asdict(approval) for approval in orchestration.waiting()],
        }
