"""Copilot CLI's records of a call: whether it succeeded, a command's exit status, and who refused it.

``success`` is true for a command of any exit status; that is in ``shellExecution``, or before 1.0.10x only in the text. A later notice has the exit
status of a command that went on in the background.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from actionledger.core.patterns import regex
from actionledger.core.recordings import Permission, RecordedResult, Usage
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.access import (
    count_at,
    exit_status_of,
    number_at,
    object_at,
    text_at,
    time_at,
)
from actionledger.imports.sources.base import Wording, seen

Line: TypeAlias = Mapping[str, Any]
Refuser: TypeAlias = Literal["", "person", "hook", "policy"]

_SHELLS = frozenset({"bash", "powershell", "shell", "local_shell"})
_ENDED = regex(r"<(?:shellId: \w{1,40} completed|exited) with exit code (-?\d{1,10})>\s*\Z")
_GOES_ON = regex(r"<command (?:started in background )?with shellId: (\w{1,40})\b")
_MOST = 64 * 1024
"""How much of the file next to a session is read, in bytes."""

_OF_RESPONSE = ("apiCallId", "interactionId", "model", "outputTokens", "requestId", "turnId")
"""Keys of a model's messages, some only in some versions; a message made by the client has none of them."""

_STATUSES = {"interrupted": ExecutionStatus.INTERRUPTED, "timeout": ExecutionStatus.TIMED_OUT}

WORDINGS = seen(
    "",
    "1.0.102",
    (
        Wording(
            r"^(?:Unterminated string in JSON|Unexpected (?:token|end of JSON|non-whitespace)|Expected JSON object but got |Expected .{1,60} in JSON at position |Bad control character in string)",
            Reason.SCHEMA_ERROR,
            "Unterminated string in JSON at position 15 (line 1 column 16)",
        ),
        Wording(
            r'^"[^"\n]{1,200}": (?:Required|Expected |Invalid |Unrecognized |String must|Number must|Too )',
            Reason.SCHEMA_ERROR,
            '"view_range": Expected array, received string',
        ),
        Wording(r"^No match found", Reason.NO_MATCH, "No match found"),
        Wording(r"^Multiple matches found", Reason.SEVERAL_MATCHES, "Multiple matches found"),
        Wording(r"^Path does not exist", Reason.NOT_FOUND, "Path does not exist"),
        Wording(r"^Path already exists", Reason.ALREADY_EXISTS, "Path already exists as a file"),
        Wording(
            r"^Unhandled error: Error: ENOENT\b",
            Reason.NOT_FOUND,
            "Unhandled error: Error: ENOENT: no such file or directory, open '/home/ada/x'",
        ),
        Wording(
            r"^Command not executed\. ",
            Reason.COMMAND_REFUSED,
            "Command not executed. The 'kill' command must specify at least one numeric PID.",
        ),
    ),
)


def result_of(line: Line, name: str, permission: Permission | None) -> RecordedResult:
    """Return a call's result from an event."""
    data = object_at(line, "data")
    error, came = object_at(data, "error"), object_at(data, "result")
    code, output = text_at(error, "code"), text_at(came, "content") or text_at(error, "message")
    success = data.get("success")
    took = number_at(object_at(object_at(data, "toolTelemetry"), "metrics"), "durationMs")
    return RecordedResult(
        text_at(data, "toolCallId"),
        output or (dict(came) if came else None),
        is_error=not success if isinstance(success, bool) else None,
        status=_STATUSES.get(code) if success is False else None,
        exit_status=_exit_status(data, name, output),
        duration_ms=took,
        refused_by=_refuser(permission)
        or ("policy" if success is False and code in {"denied", "rejected"} else ""),
        finished_at=time_at(line, "timestamp"),
        permission=permission,
    )


def _exit_status(data: Line, name: str, output: str) -> int | None:
    told = object_at(data, "shellExecution")
    if told:
        return exit_status_of(told.get("exitCode"))
    found = _ENDED.search(output[-200:]) if name in _SHELLS else None
    return exit_status_of(int(found[1])) if found else None


def _refuser(permission: Permission | None) -> Refuser:
    """Return who refused a call; empty if nobody did."""
    if permission is None or permission.decision != "refused":
        return ""
    by = permission.decided_by
    return by if by in ("person", "hook") else "policy"


def is_by_client(data: Line, requests: Sequence[Line]) -> bool:
    """Return whether the client made a message in the model's place, to read a background command's output."""
    if not requests or data.get("content") or any(key in data for key in _OF_RESPONSE):
        return False
    return all(text_at(each, "name").startswith("read_") for each in requests)


def shell_of(output: object) -> str:
    """Return the shell of a command in the background, which a notice names; empty if it has ended."""
    found = _GOES_ON.match(output) if isinstance(output, str) else None
    return found[1] if found else ""


def ended(data: Line) -> Callable[[RecordedResult], RecordedResult] | None:
    """Return a function that adds a background command's exit status to its result; None if a notice has none."""
    code = exit_status_of(object_at(data, "kind").get("exitCode"))
    return None if code is None else lambda result: replace(result, exit_status=code)


def title_beside(path: Path) -> dict[str, str]:
    """Return a session's title from the file next to it: the one given by a person, or else its first words."""
    beside = path.parent / "workspace.yaml"
    try:
        lines = beside.read_bytes()[:_MOST].decode(errors="replace").splitlines() if beside.is_file() else []
    except OSError:
        return {}
    told = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith(" "))
    title = told.get("name", "").strip()
    if title[:1] in {"'", '"'} and title[-1:] == title[:1]:
        title = title[1:-1].replace("''", "'")
    source = "user" if told.get("user_named", "").strip() == "true" else "auto"
    return {"title": title[:500], "title_source": source} if title else {}


def usage_of(told: Line) -> Usage:
    """Read a response's usage."""
    return Usage(
        input_tokens=count_at(told, "inputTokens"),
        output_tokens=count_at(told, "outputTokens"),
        cached_tokens=count_at(told, "cacheReadTokens"),
        cache_write_tokens=count_at(told, "cacheWriteTokens"),
        reasoning_tokens=count_at(told, "reasoningTokens"),
        latency_ms=number_at(told, "duration"),
        time_to_first_token_ms=number_at(told, "timeToFirstTokenMs"),
        finish_reason=text_at(told, "finishReason")[:80],
    )
