"""What Codex says of a call's end: the text that the model is shown, and an event beside it.

The flag for success is dropped when a rollout is written, so an exit status stands in the head of the text alone, in fixed words,
or in the metadata of the JSON that older versions show the model.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from actionledger.sources.access import exit_status_of, number_at, object_at, objects_at, text_at
from actionledger.sources.base import RecordedResult, Wording
from actionledger.vocabulary import Reason

ENDS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response"})
"""The events that say how a call ended."""

_HEAD = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_TIME = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_OUTPUT = re.compile(r"^Output:$", re.MULTILINE)
_HEAD_CHARACTERS = 20_000

WORDINGS = (
    Wording(
        r"^apply_patch verification failed: (?:Failed to find|Invalid context)",
        Reason.NO_MATCH,
        "apply_patch verification failed: Failed to find expected lines in a.py",
        is_telling=True,
    ),
    Wording(
        r"^apply_patch verification failed: .*(?:No such file|Failed to read)",
        Reason.NOT_FOUND,
        "apply_patch verification failed: Failed to read file to update a.py",
        is_telling=True,
    ),
    Wording(
        r"^apply_patch verification failed|^patch rejected: (?:invalid|empty)",
        Reason.WRONG_SHAPE,
        "apply_patch verification failed: invalid hunk at line 2",
        is_telling=True,
    ),
    Wording(
        r"^(?:exec_command failed\b.*\bRejected\(.*(?:blocked by policy|policy)|patch rejected: writing outside)",
        Reason.NOT_APPROVED,
        'exec_command failed for `ls`: CreateProcess { message: "Rejected(\\"blocked by policy\\")" }',
        is_telling=True,
    ),
    Wording(
        r"^(?:exec_command failed\b.*\bRejected\(|exec command rejected by user|patch rejected by user|rejected by user)",
        Reason.REJECTED,
        'exec_command failed for `ls`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
        is_telling=True,
    ),
    Wording(
        r"^aborted(?: by user)?\b",
        Reason.STOPPED,
        "aborted by user after 3.2s",
        is_telling=True,
    ),
    Wording(
        r"^failed to parse function arguments",
        Reason.SCHEMA_ERROR,
        "failed to parse function arguments: missing field `cmd`",
        is_telling=True,
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
        r"^\S+ failed\b",
        Reason.TOOL_ERROR,
        "view_image failed: no",
        is_telling=True,
    ),
)


@dataclass(frozen=True, slots=True)
class End:
    """What an event says of the end of a call.

    Args:
        is_error: whether it failed; None if it doesn't say.
        exit_status: the program's; None if there is none.
        duration_ms: how long it took, in milliseconds; None if unknown.
    """

    is_error: bool | None = None
    exit_status: int | None = None
    duration_ms: float | None = None


UNSAID = End()


def ended(event: Mapping[str, Any]) -> End:
    """Return what an event says of the end of a call.

    Args:
        event: the payload of one of ``ENDS``.
    """
    success, status = event.get("success"), event.get("exit_code")
    took = object_at(event, "duration")
    seconds, nanoseconds = number_at(took, "secs"), number_at(took, "nanos")
    return End(
        is_error=not success if isinstance(success, bool) else None,
        exit_status=exit_status_of(status),
        duration_ms=None if seconds is None else 1000 * seconds + (nanoseconds or 0) / 1e6,
    )


def result_of(call_id: str, output: object, end: End, finished_at: datetime | None) -> RecordedResult:
    """Return what came of a call.

    Args:
        call_id: the call's identifier.
        output: what the model was shown: a text, JSON text with metadata, or a list of parts.
        end: what an event says of it.
        finished_at: when the result came, UTC without a zone.
    """
    text = output if isinstance(output, str) else _joined(output)
    shown, metadata = _unwrapped(text)
    status, took = metadata.get("exit_code"), number_at(metadata, "duration_seconds")
    head = _head(shown)
    if not isinstance(status, int) or isinstance(status, bool):
        said = _HEAD.findall(head) if "xit" in head else []
        status = int(said[-1]) if said else end.exit_status
    if took is None and "Wall time: " in head and (timed := _TIME.search(head)):
        took = float(timed[1])
    return RecordedResult(
        call_id,
        shown,
        is_error=end.is_error,
        exit_status=exit_status_of(status),
        duration_ms=end.duration_ms if took is None else 1000 * took,
        finished_at=finished_at,
    )


def _head(text: str) -> str:
    """Return what stands before the output of a program: its own lines say nothing of its end."""
    # Where the words aren't, no line is just these: looking at each line's beginning takes ten times as long.
    is_there = text.find("Output:", 0, _HEAD_CHARACTERS) >= 0
    begins = _OUTPUT.search(text, 0, _HEAD_CHARACTERS) if is_there else None
    return text[: begins.start()] if begins else text if len(text) < _HEAD_CHARACTERS else ""


def _joined(output: object) -> str:
    parts = objects_at({"": output}, "")
    return "\n".join(filter(None, (text_at(part, "text") for part in parts)))


def _unwrapped(text: str) -> tuple[str, Mapping[str, Any]]:
    """Return what a result says and its metadata, if it is JSON with both."""
    if not text.startswith('{"output"'):
        return text, {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, {}
    if not isinstance(value, dict) or not isinstance(value.get("output"), str):
        return text, {}
    return value["output"], object_at(value, "metadata")
