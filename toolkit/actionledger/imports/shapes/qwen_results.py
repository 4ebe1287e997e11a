"""Qwen Code's records of a call: status, whether it began, the kind of error, and a command's own end.

Defined by QwenLM/qwen-code, ``packages/core/src/tools/tool-error.ts`` (``errorType``) and ``coreToolScheduler.ts``. A subagent's transcript lacks
these: there a result is an error if its response has the key ``error``.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from actionledger.core.recordings import RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.shapes.base import total
from actionledger.imports.sources.access import (
    count_at,
    exit_status_of,
    given_arguments,
    number_at,
    object_at,
    objects_at,
    of_qwen,
    text_at,
    time_at,
)
from actionledger.imports.sources.base import Wording, seen
from actionledger.imports.sources.wordings import JUDGED, reason_of

Line: TypeAlias = Mapping[str, Any]

WORDINGS = seen(
    "",
    "0.24.4",
    (
        Wording(
            r"^Tool \"[^\"\n]{1,200}\" not found",
            Reason.UNKNOWN_ACTION,
            'Tool "teleport" not found in registry.',
        ),
        Wording(
            r"^\[Operation Cancelled\] Reason: User did not allow",
            Reason.REJECTED,
            "[Operation Cancelled] Reason: User did not allow tool call",
            is_telling=True,
        ),
        Wording(
            r"^\[Operation Cancelled\] Reason: ",
            Reason.STOPPED,
            "[Operation Cancelled] Reason: User cancelled",
            is_telling=True,
        ),
        Wording(
            r"^Blocked: (?:standalone )?sleep \d",
            Reason.COMMAND_REFUSED,
            "Blocked: standalone sleep 50. Run blocking commands in the background with is_background: true.",
        ),
        Wording(
            r"(?i)^(?:File )?path must be within|is not within (?:the|any of the) (?:registered )?workspace",
            Reason.PATH_REFUSED,
            "File path must be within one of the workspace directories",
        ),
        Wording(
            r"^Command timed out after \d+ ?ms before it could complete",
            Reason.TIMEOUT,
            "Command timed out after 2000ms before it could complete.",
        ),
    ),
)

_REASONS = {
    "attempt_to_create_existing_file": Reason.ALREADY_EXISTS,
    "edit_expected_occurrence_mismatch": Reason.SEVERAL_MATCHES,
    "edit_no_occurrence_found": Reason.NO_MATCH,
    "edit_requires_prior_read": Reason.NOT_READ,
    "execution_denied": Reason.NOT_APPROVED,
    "execution_timeout": Reason.TIMEOUT,
    "file_changed_since_read": Reason.CHANGED_SINCE,
    "file_not_found": Reason.NOT_FOUND,
    "file_too_large": Reason.TOO_LARGE,
    "path_not_in_workspace": Reason.PATH_REFUSED,
    "permission_denied": Reason.NOT_PERMITTED,
    "prior_read_verification_failed": Reason.NOT_READ,
    "shell_execute_error": Reason.COMMAND_FAILED,
    "tool_not_registered": Reason.UNKNOWN_ACTION,
}
"""The kinds of errors with one meaning."""

_INVALID = "invalid_tool_params"
"""Also the kind of a tool's own checks, not only of its schema: the words are more specific then."""


def results_of(line: Line, told: Mapping[str, Line]) -> list[RecordedResult]:
    """Return the results in a line, usually one."""
    said = object_at(line, "toolCallResult")
    came = [
        object_at(part, "functionResponse")
        for part in objects_at(object_at(line, "message"), "parts")
        if object_at(part, "functionResponse")
    ]
    if not came and text_at(said, "callId"):
        came = [{"id": said["callId"]}]
    return [
        _result(line, each, said if len(came) == 1 else {}, told.get(text_at(each, "id"), {}))
        for each in came
    ]


def of_event(event: Line) -> RecordedResult:
    """Return a call's result from a telemetry event, if no line has one."""
    said = {
        "status": event.get("status"),
        "executionStatus": event.get("execution_status"),
        "errorType": event.get("error_type"),
    }
    response = {"error": event["error"]} if text_at(event, "error") else None
    return _result({}, {"id": event.get("call_id"), "response": response}, said, event)


def call_of(event: Line) -> RecordedCall:
    """Return the call of a telemetry event."""
    given = event.get("function_args")
    arguments = given_arguments(given)
    return RecordedCall(text_at(event, "call_id"), text_at(event, "function_name"), arguments)


def usage_of(took: Line, event: Line) -> Usage:
    """Return a response's usage; reasoning tokens are part of the output with OpenAI's interface, but separate with Gemini's."""
    if took:
        asked, wrote = count_at(took, "promptTokenCount"), count_at(took, "candidatesTokenCount")
        thought, both = count_at(took, "thoughtsTokenCount"), count_at(took, "totalTokenCount")
        cached = count_at(took, "cachedContentTokenCount")
    else:
        asked, wrote = count_at(event, "input_token_count"), count_at(event, "output_token_count")
        thought, both = count_at(event, "thoughts_token_count"), count_at(event, "total_token_count")
        cached = count_at(event, "cached_content_token_count")
    is_beside = bool(thought) and both == (asked or 0) + (wrote or 0) + (thought or 0)
    return Usage(
        input_tokens=asked,
        output_tokens=total(wrote, thought) if is_beside else wrote,
        cached_tokens=cached,
        reasoning_tokens=thought,
        latency_ms=number_at(event, "duration_ms"),
        time_to_first_token_ms=number_at(event, "ttft_ms"),
    )


def _result(line: Line, came: Line, said: Line, event: Line) -> RecordedResult:
    response = object_at(came, "response")
    text = next((response[key] for key in ("error", "output") if isinstance(response.get(key), str)), None)
    status, kind = text_at(said, "status"), text_at(said, "errorType")
    ran, shell = text_at(said, "executionStatus"), object_at(said, "resultDisplay")
    is_error = status == "error" if status in {"error", "success"} else ("error" in response or None)
    took = number_at(event, "duration_ms")
    return RecordedResult(
        text_at(came, "id") or text_at(said, "callId"),
        dict(response) if text is None and response else text,
        is_error=False if ran == "success" and status == "cancelled" else is_error,
        status=_status(status, ran, text_at(shell, "outcome")),
        reason=_reason(kind, text or "") if is_error else None,
        exit_status=exit_status_of(shell.get("exitCode")),
        duration_ms=number_at(said, "durationMs") if took is None else took,
        refused_by=_refuser(kind, text_at(event, "decision")),
        finished_at=time_at(line, "timestamp"),
        permission=of_qwen(text_at(event, "decision"), kind, text or ""),
    )


def _status(status: str, ran: str, outcome: str) -> ExecutionStatus | None:
    if outcome == "timed_out":
        return ExecutionStatus.TIMED_OUT
    return ExecutionStatus.INTERRUPTED if status == "cancelled" and ran in {"cancelled", "error"} else None


def _refuser(kind: str, decision: str) -> Literal["", "person", "policy"]:
    if decision == "reject":
        return "person"
    return "policy" if kind == "execution_denied" else ""


def _reason(kind: str, text: str) -> Reason | None:
    """Return the meaning of an error's kind; None if only its words can tell."""
    if kind != _INVALID:
        return _REASONS.get(kind)
    return reason_of(text[:JUDGED], WORDINGS) or Reason.SCHEMA_ERROR
