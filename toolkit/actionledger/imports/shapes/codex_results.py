"""Codex' records of a call's end: the text shown to the model, and an event next to it.

A rollout lacks the success flag. The exit status is only in the head of the text, in fixed words. In older versions it is in the metadata of the JSON
that the model is shown.
"""

import json
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.access import exit_status_of, number_at, object_at, objects_at, text_at
from actionledger.imports.sources.base import Wording, seen

Inner: TypeAlias = tuple[RecordedCall, RecordedResult]
"""A call that a call has made itself, with its result."""

_HEAD = regex(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_TIME = regex(r"^Wall time:? (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_SCRIPT = "Script "
"""The beginning of a script's result in code mode: completed, failed, or still running."""
_OUTPUT = regex(r"^Output:$", re.MULTILINE)
_HEAD_CHARACTERS = 20_000

_SCRIPT_FAILED = r"^(?:Script failed\b[^{]{0,120}?Script error:\s{0,3}(?:Error: )?)?"
"""The words before the error of a failed script, in code mode."""

WORDINGS = seen(
    "0.120",
    "0.145",
    (
        Wording(
            r"^approval policy is \w+; reject",
            Reason.NOT_APPROVED,
            "approval policy is Never; reject command — you cannot ask for escalated permissions",
            is_telling=True,
            first_seen="0.171",
            last_seen="0.171",
        ),
        Wording(
            _SCRIPT_FAILED + r"apply_patch verification failed: (?:Failed to find|Invalid context)",
            Reason.NO_MATCH,
            "apply_patch verification failed: Failed to find expected lines in a.py",
            is_telling=True,
            last_seen="0.171",
        ),
        Wording(
            _SCRIPT_FAILED + r"apply_patch verification failed: .*(?:No such file|Failed to read)",
            Reason.NOT_FOUND,
            "apply_patch verification failed: Failed to read file to update a.py",
            is_telling=True,
            last_seen="0.171",
        ),
        Wording(
            _SCRIPT_FAILED + r"(?:apply_patch verification failed|patch rejected: (?:invalid|empty))",
            Reason.WRONG_SHAPE,
            "apply_patch verification failed: invalid hunk at line 2",
            is_telling=True,
        ),
        Wording(
            _SCRIPT_FAILED
            + r"(?:exec_command failed\b.*\bRejected\(.*policy|patch rejected: writing outside|approval policy is \w+; reject)",
            Reason.NOT_APPROVED,
            'exec_command failed for `ls`: CreateProcess { message: "Rejected(\\"blocked by policy\\")" }',
            is_telling=True,
        ),
        Wording(
            _SCRIPT_FAILED
            + r"(?:exec_command failed\b.*\bRejected\(|Rejected\(|exec command rejected by user|patch rejected by user|rejected by user)",
            Reason.REJECTED,
            'exec_command failed for `ls`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
            is_telling=True,
        ),
        Wording(
            r"^aborted(?: by user)?\b",
            Reason.STOPPED,
            "aborted by user after 3.2s",
            is_telling=True,
            last_seen="0.171",
        ),
        Wording(
            r"^failed to parse function arguments",
            Reason.SCHEMA_ERROR,
            "failed to parse function arguments: missing field `cmd`",
            is_telling=True,
            last_seen="0.171",
        ),
        Wording(
            r"^\S+ failed: (?:[uU]nknown|no such)|^(?:unknown|no such) (?:mcp server|agent|process|session)",
            Reason.NOT_FOUND,
            "resources/list failed: unknown MCP server 'files'",
            is_telling=True,
        ),
        Wording(
            r"^\S+ failed: stdin is closed",
            Reason.UNAVAILABLE,
            "write_stdin failed: stdin is closed for this session",
            is_telling=True,
        ),
        Wording(
            r"^Script failed\b[^{]{0,120}?Script error:\s{0,3}\w*(?:SyntaxError|ReferenceError|TypeError|RangeError)\b",
            Reason.CODE_ERROR,
            "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nSyntaxError: Unexpected token",
            is_telling=True,
            first_seen="0.171",
            last_seen="0.171",
        ),
        Wording(
            r"^(?:Wall time: [^\n]*\nOutput:\n)?tool call error: .*[^{]{0,200}(?:[Ii]nvalid (?:arguments|params)|-32602)",
            Reason.SCHEMA_ERROR,
            "tool call error: tool call failed for `files/read`\n\nCaused by:\n    Mcp error: -32602: bad path",
            is_telling=True,
            first_seen="0.171",
            last_seen="0.171",
        ),
        Wording(
            r"^(?:Wall time: [^\n]*\nOutput:\n)?tool call error: ",
            Reason.TOOL_ERROR,
            "tool call error: tool call failed for `files/read`",
            is_telling=True,
            first_seen="0.171",
            last_seen="0.171",
        ),
        Wording(
            r"^\S+ failed\b",
            Reason.TOOL_ERROR,
            "view_image failed: no",
            is_telling=True,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class End:
    """The recorded end of a call, apart from its result."""

    is_error: bool | None = None  # whether it failed; None if unknown
    exit_status: int | None = None  # the program's; None if there is none
    duration_ms: float | None = None  # its duration in milliseconds; None if unknown
    status: ExecutionStatus | None = None  # its status, if more is known than that it failed
    within: tuple[Inner, ...] = ()  # the calls that it made itself


UNSAID = End()


def with_end(result: RecordedResult, end: End) -> RecordedResult:
    """Return a result with its recorded end: it failed if a call that it made failed."""
    if end is UNSAID:
        return result
    failed = [inner for _, inner in end.within if inner.is_error or inner.exit_status]
    own = result.exit_status if end.exit_status is None else end.exit_status
    same = {inner.status for inner in failed}
    return replace(
        result,
        is_error=True if failed else result.is_error if end.is_error is None else end.is_error,
        exit_status=own if own or not failed else failed[0].exit_status,
        status=end.status or (same.pop() if len(same) == 1 else result.status),
        duration_ms=result.duration_ms if end.duration_ms is None else end.duration_ms,
        within=end.within or result.within,
    )


def result_of(call_id: str, output: object, end: End, finished_at: datetime | None) -> RecordedResult:
    text = shown_of(output)
    shown, metadata = _unwrapped(text)
    status, took = metadata.get("exit_code"), number_at(metadata, "duration_seconds")
    # The head before a program's output, whose own lines say nothing of the end. Search only if the word is there: trying each line's beginning takes
    # ten times as long.
    is_there = shown.find("Output:", 0, _HEAD_CHARACTERS) >= 0
    begins = _OUTPUT.search(shown, 0, _HEAD_CHARACTERS) if is_there else None
    head = shown[: begins.start()] if begins else shown if len(shown) < _HEAD_CHARACTERS else ""
    if not isinstance(status, int) or isinstance(status, bool):
        said = _HEAD.findall(head) if "xit" in head else []
        status = int(said[-1]) if said else None
    if status is None and not end.within and text.startswith(_SCRIPT):
        end = replace(end, **_told_by(output))
    if took is None and "Wall time" in head and (timed := _TIME.search(head)):
        took = float(timed[1])
    known = RecordedResult(
        call_id,
        shown,
        exit_status=exit_status_of(status),
        duration_ms=None if took is None else 1000 * took,
        finished_at=finished_at,
    )
    if status is not None and end.exit_status is not None:
        end = replace(end, exit_status=None)
    if took is not None and end.duration_ms is not None:
        end = replace(end, duration_ms=None)
    return with_end(known, end)


def shown_of(output: object) -> str:
    """Return the model's view of an output as text."""
    return output if isinstance(output, str) else _joined(output)


def _told_by(output: object) -> JsonDict:
    """Return the end recorded in the parts of a script's result, each in the form of the Codex tool that returned it."""
    for part in objects_at({"": output}, ""):
        text = text_at(part, "text")
        if not text.startswith("{") or ('"chunk_id"' not in text and '"isError"' not in text):
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        status = exit_status_of(value.get("exit_code")) if "chunk_id" in value else None
        if status or (value.get("isError") is True and isinstance(value.get("content"), list)):
            return {"exit_status": status, "is_error": True}
    return {}


def _joined(output: object) -> str:
    parts = objects_at({"": output}, "")
    return "\n".join(filter(None, (text_at(part, "text") for part in parts)))


def _unwrapped(text: str) -> tuple[str, JsonMap]:
    """Return a result's text and metadata, if it is JSON with both."""
    if not text.startswith('{"output"'):
        return text, {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, {}
    if not isinstance(value, dict) or not isinstance(value.get("output"), str):
        return text, {}
    return value["output"], object_at(value, "metadata")
