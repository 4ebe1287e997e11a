"""An orchestration that kills its own process at a point that it is told; run by the tests of crashes.

``python crashing.py FOLDER POINT``; the ledger, the state and the count of effects lie in the folder.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actionledger.core.events import (
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseReceived,
    TurnFinished,
)
from actionledger.ledger import Ledger, open_ledger
from actionledger.profiles.orchestrator.cascade import Orchestration, orchestrate
from actionledger.profiles.orchestrator.layers import Layer
from actionledger.profiles.orchestrator.state import CascadeState
from actionledger.profiles.orchestrator.tracker import Tracker
from actionledger.runtime.models import ScriptedModel

FENCE = "`" * 3
ISSUES = (
    f'One.\n\n{FENCE}json\n{{"action": "create_issues", "issues": '
    f'[{{"title": "x", "body": "", "labels": ["a"]}}]}}\n{FENCE}'
)
LAYERS = {"eng-lead": "Go on.", "team-lead": ISSUES}


def die() -> None:
    """Kill this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(point: str) -> None:
    """Make the process die at a point of the last layer's turn."""
    if point.startswith("saved-"):
        _after(CascadeState, "save", int(point.removeprefix("saved-")))
        return
    if point == "effect":
        _after(Tracker, "file", 1)
        return
    kinds: dict[str, type[Any]] = {
        "received": ResponseReceived,
        "started": ExecutionStarted,
        "finished": ExecutionFinished,
        "ended": TurnFinished,
    }
    record = Ledger.record
    seen = []

    def recorded(self: Ledger, event: Event) -> None:
        record(self, event)
        if isinstance(event, kinds[point]):
            seen.append(event)
            # The first layer has one response and one turn, and no execution.
            if len(seen) == (1 if point in {"started", "finished"} else 2):
                self.flush()
                die()

    Ledger.record = recorded  # type: ignore[method-assign]


def _after(owner: type[Any], name: str, number: int) -> None:
    """Die after so many calls of a method."""
    method: Callable[..., Any] = getattr(owner, name)
    calls = []

    def called(self: Any, *given: Any) -> None:
        method(self, *given)
        calls.append(name)
        if len(calls) == number:
            die()

    setattr(owner, name, called)


def main(folder: Path, point: str) -> None:
    """Run the orchestration, or go on with it where the point is ``none`` and it was begun."""
    if point != "none":
        die_at(point)
    with open_ledger(folder / "team.duckdb") as ledger:
        is_begun = (folder / "work" / "state.json").exists()
        layers = [Layer(name, ScriptedModel([text] * 9)) for name, text in LAYERS.items()]
        ending, _ = orchestrate(
            None if is_begun else "Search.", layers, ledger=ledger, folder=folder / "work"
        )
        assert ending.status == "finished", ending
        with Orchestration.load(folder / "work", layers, ledger=ledger) as orchestration:
            print(len(orchestration.tracker.issues()), len(orchestration.state.messages))  # noqa: T201
            executions = ledger.sql("SELECT count(*) FROM executions WHERE status = 'succeeded'").fetchall()
            print(executions[0][0], ledger.sql("SELECT count(*) FROM turns").fetchall()[0][0])  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
