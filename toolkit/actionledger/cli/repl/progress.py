"""A response's progress, action by action, as lines for a terminal; model text is shown only as text."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from actionledger.actions.schemas import Arguments
from actionledger.core.events import (
    ActionRecord,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    ResponseReceived,
)
from actionledger.core.text import counted, printable, writable
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus

MOST_LINES = 40
"""Maximum number of lines shown of a content or a difference."""

_LONGEST = 160

_MARKS = {
    ExecutionStatus.SUCCEEDED: "✓ Completed",
    ExecutionStatus.PENDING: "⏸ Waits",
    ExecutionStatus.DENIED: "⊘ Denied",
    ExecutionStatus.SKIPPED: "⊘ Skipped",
    ExecutionStatus.RATE_LIMITED: "⊘ Held back",
    ExecutionStatus.TIMED_OUT: "✗ Timed out",
    ExecutionStatus.INTERRUPTED: "✗ Stopped",
    ExecutionStatus.FAILED: "✗ Failed",
}

_SUBJECTS = ("path", "command", "name", "message", "branch")
"""The fields that describe an action's subject; the first one present is used."""

_SHOWN_FIELDS = ("content", "diff")
"""The fields of a result that are also shown to the person."""


def visible(text: str) -> str:
    """Return a text safe for a terminal: line ends and tabs as they are, other control characters as escapes."""
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"), kept="\n\t")


def label(name: str, arguments: Arguments | Mapping[str, Any]) -> str:
    """Return an action as one line: ``CREATE_FILE: main.go (523 bytes)``."""
    subject = next((arguments[field] for field in _SUBJECTS if arguments.get(field)), "")
    text = " ".join(str(subject).split())
    if target := arguments.get("target"):
        text += f" → {target}"
    if isinstance(content := arguments.get("content"), str):
        text += f" ({counted(len(writable(content).encode()), 'byte')})"
    line = visible(f"{name.upper()}: {text}" if text else name.upper()).replace("\n", " ")
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def fate(status: ExecutionStatus, message: str) -> str:
    """Return an action's result as one line."""
    said = (
        f": {' '.join(visible(message).split())}"
        if message and status is not ExecutionStatus.SUCCEEDED
        else ""
    )
    return f"{_MARKS.get(status, status.value)}{said}"


def shown_of(result: Any) -> Iterator[str]:
    """Yield the lines of a result to show: a file's content, or the changes."""
    if not isinstance(result, dict):
        return
    for field in _SHOWN_FIELDS:
        if isinstance(text := result.get(field), str):
            lines = visible(text).splitlines()
            yield from (f"    {line}" for line in lines[:MOST_LINES])
            if len(lines) > MOST_LINES:
                yield f"    … {len(lines) - MOST_LINES:,} more lines"


class Progress:
    """Listens to the events of a session."""

    def __init__(self, print_line: Callable[[str], None]) -> None:
        self.announces = False
        """Whether to print an action when it begins as well as when it ends; used while actions run."""
        self._print = print_line
        self._is_muted = False
        self._labels: dict[int, str] = {}
        self._begun: dict[str, int] = {}
        self._count = 0
        self._total = 0
        self._failed = 0
        self._told = 0

    def expect(self, total: int) -> None:
        """Restart the count for this number of actions."""
        self._count, self._total, self._failed, self._told = 0, total, 0, 0

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Print nothing meanwhile, because the caller reports the events."""
        self._is_muted = True
        try:
            yield
        finally:
            self._is_muted = False

    def hear(self, event: Event) -> None:
        """Handle the next event."""
        if self._is_muted:
            return
        match event:
            case ResponseReceived():
                self._print("")  # the streamed response may have ended in the middle of a line
            case ResponseParsed():
                self._parsed(event)
            case ExecutionStarted():
                self._started(event)
            case ExecutionFinished():
                self._finished(event)

    def conclude(self) -> None:
        """Print a summary if any action ran."""
        if not self._told:
            return
        self._print("")
        if self._failed:
            self._print(f"⚠️  {self._failed} of {self._told} action(s) did not succeed")
        else:
            self._print("✅ All actions completed successfully")

    def _parsed(self, event: ResponseParsed) -> None:
        meant = [action for action in event.actions if action.status is not ActionStatus.ILLUSTRATION]
        self._labels = {
            action.index: label((action.name or "unnamed"), json.loads(action.arguments)) for action in meant
        }
        self.expect(sum(action.status.is_plannable for action in meant))
        for issue in event.issues:
            self._print(f"⚠️  Not read: {issue.message}")
        if not meant:
            return
        self._print(f"📋 Detected {len(meant)} action(s):")
        for action in meant:
            self._print(f"  {action.index + 1}. {self._labels[action.index]}{_refusal(action)}")

    def _started(self, event: ExecutionStarted) -> None:
        self._begun[event.execution_id] = event.action_index
        if self.announces:
            self._head(event.action_index)

    def _finished(self, event: ExecutionFinished) -> None:
        place = self._begun.pop(event.execution_id, None)
        if place is None:
            return
        if not self.announces:
            if event.status is ExecutionStatus.PENDING:
                return
            self._head(place)
        for line in shown_of(json.loads(event.result)):
            self._print(line)
        self._print(fate(event.status, event.message))
        self._told += 1
        self._failed += event.status is not ExecutionStatus.SUCCEEDED

    def _head(self, place: int) -> None:
        self._count += 1
        self._print("")
        self._print(f"[{self._count}/{max(self._count, self._total)}] {self._labels.get(place, '')}")


def _refusal(action: ActionRecord) -> str:
    if action.status.is_runnable:
        return ""
    if action.status is ActionStatus.NEEDS_APPROVAL:
        return " ⏸ needs approval"
    return f" ✗ refused: {action.errors[0].message}" if action.errors else " ✗ refused"
