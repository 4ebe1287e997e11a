"""How actions and what comes of them are put on a terminal, line by line. Pure; a model's text stays text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.actions.describing import Arguments
from actionledger.core.plurals import counted
from actionledger.core.text import printable, writable
from actionledger.core.vocabulary import ExecutionStatus

MOST_LINES = 40
"""How much of a content or a difference is shown, in lines."""

_LONGEST = 160

_MARKS = {
    ExecutionStatus.SUCCEEDED: "✓ Completed",
    ExecutionStatus.DRY_RUN: "✓ Would be done",
    ExecutionStatus.PENDING: "⏸ Waits",
    ExecutionStatus.DENIED: "⊘ Denied",
    ExecutionStatus.SKIPPED: "⊘ Skipped",
    ExecutionStatus.RATE_LIMITED: "⊘ Held back",
    ExecutionStatus.TIMED_OUT: "✗ Timed out",
    ExecutionStatus.INTERRUPTED: "✗ Stopped",
    ExecutionStatus.FAILED: "✗ Failed",
}

_SUBJECTS = ("path", "command", "name", "message", "branch")
"""The fields that say what an action is about, the first that it has."""

_SHOWN_FIELDS = ("content", "diff")
"""The fields of a result that are shown to the person as well."""


def visible(text: str) -> str:
    """Return a text as a terminal may be given it: line ends and tabs as such, other control characters as escapes."""
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"), kept="\n\t")


def label(name: str, arguments: Arguments | Mapping[str, Any]) -> str:
    """Return an action on one line: ``CREATE_FILE: main.go (523 bytes)``."""
    subject = next((arguments[field] for field in _SUBJECTS if arguments.get(field)), "")
    text = " ".join(str(subject).split())
    if target := arguments.get("target"):
        text += f" → {target}"
    if isinstance(content := arguments.get("content"), str):
        text += f" ({counted(len(writable(content).encode()), 'byte')})"
    line = visible(f"{name.upper()}: {text}" if text else name.upper()).replace("\n", " ")
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def label_of(name: str, arguments: str) -> str:
    """Return an action on one line, its arguments given as the JSON text of an object."""
    return label(name, json.loads(arguments))


def fate(status: ExecutionStatus, message: str) -> str:
    """Return what came of an action, on one line."""
    said = (
        f": {' '.join(visible(message).split())}"
        if message and status is not ExecutionStatus.SUCCEEDED
        else ""
    )
    return f"{_MARKS.get(status, status.value)}{said}"


def shown_of(result: Any) -> Iterator[str]:
    """Yield the lines of a result that a person wants to see: what a file holds, what has changed."""
    if not isinstance(result, dict):
        return
    for field in _SHOWN_FIELDS:
        if isinstance(text := result.get(field), str):
            lines = visible(text).splitlines()
            yield from (f"    {line}" for line in lines[:MOST_LINES])
            if len(lines) > MOST_LINES:
                yield f"    … {len(lines) - MOST_LINES:,} more lines"
