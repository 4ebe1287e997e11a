"""Claude Code's records of calls: arguments that could not be parsed, and results.

Since 2.1.3xx a line says who refused a call (``toolDenialKind``, ``permissionDecision``), that it timed out (``timedOutAfterMs``), and what the model
wrote if it is no JSON. In earlier versions, and for much else, only the words say so.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.access import (
    NOTHING,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    of_claude,
    text_at,
    time_at,
)
from actionledger.imports.sources.base import Wording, seen

Line: TypeAlias = JsonMap
Refuser: TypeAlias = Literal["", "person", "hook", "policy"]

_EXIT = regex(r"Exit code (-?\d{1,10})\b")
_NOTICE = regex(r"<(tool-use-id|status|summary)>([^<]{0,500})</")
_ENDED = regex(r"\(?exit code (-?\d{1,10})\b")
_ASKS_NOBODY = "bypassPermissions"
_UNPARSED = "__unparsedToolInput"
_BY_PERSON = regex(r"The user doesn't want to (?:proceed with|take) this")
_BY_POLICY = regex(r"Permission for this action was denied|Permission to use \S+ .{0,200}has been denied")
_BY_HOOK = regex(r"\S+ hook (?:error|blocked)|Hook \S+ (?:denied|blocked)")
_REFUSERS: tuple[tuple[Refuser, re.Pattern[str]], ...] = (
    ("person", _BY_PERSON),
    ("policy", _BY_POLICY),
    ("hook", _BY_HOOK),
)

_DURATIONS = (("durationMs", 1.0), ("totalDurationMs", 1.0), ("durationSeconds", 1000.0))

WORDINGS = seen(
    "2.1.5",
    "2.1.178",
    (
        Wording(
            r"^(?:<tool_use_error>)?File content \(\d+ tokens\) exceeds maximum allowed tokens",
            Reason.CONTEXT_LIMIT,
            "File content (31125 tokens) exceeds maximum allowed tokens (25000).",
        ),
        Wording(
            r'^Working directory ".*" was deleted',
            Reason.NOT_FOUND,
            'Working directory "/home/ada/work" was deleted; shell cwd recovered to "/home/ada".',
        ),
        Wording(
            r"^\[Tool call interrupted: ",
            Reason.STOPPED,
            "[Tool call interrupted: the session ended before this call's result was recorded.",
            is_telling=True,
            first_seen="2.1.332",
            last_seen="2.1.332",
        ),
        Wording(
            r"^[^\n]{1,200} needs approval\. The path\b",
            Reason.NOT_APPROVED,
            "touch in '/home/ada/x' needs approval. The path is inside the working directories.",
            first_seen="2.1.332",
            last_seen="2.1.332",
        ),
        Wording(
            r"^(?:<tool_use_error>)?String to replace not found in file",
            Reason.NO_MATCH,
            "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>",
            last_seen="2.1.332",
        ),
    ),
)


def arguments_of(given: object) -> str | JsonMap:
    """Return a call's arguments: an object, or the text that the model wrote if it could not be parsed."""
    if not isinstance(given, dict):
        return given if isinstance(given, str) else {} if given is None else json_text(given)
    raw = object_at(given, _UNPARSED).get("raw") if len(given) == 1 else None
    return raw if isinstance(raw, str) else given


def result_of(line: Line, block: Line, mode: str = "") -> RecordedResult:
    """Return a call's result from a line: the text for the model, and the client's own data."""
    output = block.get("content")
    parts = [text_at(part, "text") for part in objects_at(block, "content")]
    text = output if isinstance(output, str) else "\n".join(filter(None, parts))
    is_error = block.get("is_error") is True
    known = line.get("toolUseResult")
    known = known if isinstance(known, dict) else NOTHING
    exited = _EXIT.match(text) if is_error else None
    times = (each * unit for key, unit in _DURATIONS if (each := number_at(known, key)) is not None)
    is_stopped = is_error and _is_stopped(line, mode)
    return RecordedResult(
        text_at(block, "tool_use_id"),
        text or output,
        is_error=is_error,
        status=ExecutionStatus.INTERRUPTED if is_stopped else _status(line, known, is_error=is_error),
        exit_status=exit_status_of(int(exited[1])) if exited else None,
        duration_ms=next(times, None),
        refused_by=_refuser(line, text) if is_error and not is_stopped else "",
        finished_at=time_at(line, "timestamp"),
        permission=of_claude(object_at(line, "permissionDecision"), text_at(line, "toolDenialKind"))
        if "permissionDecision" in line
        else None,
    )


def notified(text: str) -> tuple[str, Callable[[RecordedResult], RecordedResult]] | None:
    """Return the call of a background notice, and a function that changes its result; None if nothing is new."""
    said = dict(_NOTICE.findall(text))
    call_id, status = said.get("tool-use-id", ""), said.get("status", "")
    if not call_id or status not in {"failed", "killed", "stopped"}:
        return None
    exited = _ENDED.search(said.get("summary", ""))
    code = exit_status_of(int(exited[1])) if exited else None
    stopped = ExecutionStatus.INTERRUPTED if status != "failed" else None

    def changed(result: RecordedResult) -> RecordedResult:
        """Return the result, timed out or as the task ended."""
        if result.status is ExecutionStatus.TIMED_OUT:
            return result
        return replace(result, is_error=True, status=stopped, exit_status=code)

    return call_id, changed


def _status(line: Line, known: Line, *, is_error: bool) -> ExecutionStatus | None:
    if known.get("interrupted") is True or (is_error and line.get("toolDenialKind") == "interrupted"):
        return ExecutionStatus.INTERRUPTED
    return ExecutionStatus.TIMED_OUT if number_at(known, "timedOutAfterMs") is not None else None


def _is_stopped(line: Line, mode: str) -> bool:
    """Return whether a call was stopped while it ran: the client reports that a person rejected it, although its mode asks nobody."""
    kind = text_at(line, "toolDenialKind")
    return mode == _ASKS_NOBODY and kind.startswith("user") and "permissionDecision" not in line


def _refuser(line: Line, text: str) -> Refuser:
    """Return who refused a call: a person only if one was asked."""
    kind, decision = text_at(line, "toolDenialKind"), object_at(line, "permissionDecision")
    source = text_at(decision, "source")
    told: Refuser = next((who for who, words in _REFUSERS if words.match(text)), "")
    if kind == "interrupted" or (not kind and decision.get("decision") != "reject"):
        return "" if kind else told
    if source == "hook" or told == "hook":
        return "hook"
    is_person = source.startswith("user") or (not source and kind.startswith("user"))
    return "person" if is_person else "policy"
