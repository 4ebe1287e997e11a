"""Droid's sessions: ``~/.factory/sessions/FOLDER/SESSION.jsonl``, and their totals next to them, ``SESSION.settings.json``.

Factory publishes no definition; this reads what 0.215.0 writes, run against a scripted model. After a line ``session_start`` each line is a message
in Anthropic's blocks, for any provider. A fork names its origin and begins with a copy, with the same identifiers.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult, RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.shapes import anthropic
from actionledger.imports.shapes.base import Message, Passed, left_out
from actionledger.imports.sources.access import (
    NOTHING,
    count_at,
    exit_status_of,
    non_empty,
    object_at,
    text_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Item, Refusal, Sample, Source, Wording, seen
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.pieces import FileSessions, SessionPieces

NAME = "droid"

_EXITED = regex(r"\[Process exited with code (-?\d{1,10})\]\s*\Z")
_TIMED_OUT = regex(r"Command timed out after \d{1,9} seconds\. Consider increasing the timeout ")
"""How the result of a command begins that timed out; it has no error flag."""
_REMINDER = "<system-reminder>"
_NOTES = {
    "agent_turn_outcome": LeftOutReason.BOOKKEEPING,
    "todo_state": LeftOutReason.BOOKKEEPING,
    "compaction_state": LeftOutReason.COMPACTED,
}
_MOST = 2**20

_WORDINGS = seen(
    "0.215.0",
    "0.215.0",
    (
        Wording(
            r"^(?:Error: ){0,2}Not found: \S{1,100}\. Only request exact tool names",
            Reason.UNKNOWN_ACTION,
            "Error: Not found: teleport. Only request exact tool names from the Deferred tools list",
        ),
        Wording(
            r"^(?:Error: ){0,2}(?:\S{1,60} is required and must be|InputValidationError)",
            Reason.SCHEMA_ERROR,
            "Error: command is required and must be a string",
        ),
        Wording(
            r"^(?:Error: ){0,2}The text to replace was not found",
            Reason.NO_MATCH,
            "Error: Error: The text to replace was not found in the file.",
        ),
        Wording(
            r"^(?:Error: ){0,2}Error reading file: ENOENT\b",
            Reason.NOT_FOUND,
            "Error: Error reading file: ENOENT: no such file or directory, access '/home/ada/x'",
        ),
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a file in pieces, then the skip counts."""
    sessions, passed = FileSessions(Capture.CALLS), Passed()
    head: JsonMap = NOTHING
    prompts: list[str] = []
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, line = item
        kind = text_at(line, "type")
        if kind == "session_start" and text_at(line, "id"):
            head, prompts = line, []
        elif kind == "message" and not head:
            yield Refusal(shown(path), number, "No line before says which session this message is of.")
        elif kind == "message":
            session = sessions.get(text_at(head, "id"), lambda: _begun(path, head, prompts))  # noqa: B023 - called at once
            _take(session, line, prompts, passed)
            if session.is_full():
                yield session.piece()
        else:
            reason = _NOTES.get(kind, LeftOutReason.UNKNOWN_KIND)
            passed[reason, kind if kind in _NOTES else unknown_as(kind, line)] += 1
        if sessions.is_crowded():
            yield sessions.let_go()
    yield from sessions.end()
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session: a line says so, with a title, and messages have identifiers."""
    first = next((value for value in sample.values if isinstance(value, dict)), {})
    if first.get("type") != "session_start" or "id" not in first:
        return 0.0
    return 1.0 if "title" in first or "sessionTitle" in first else 0.5


def _take(session: SessionPieces, line: JsonMap, prompts: list[str], passed: Passed) -> None:
    said = object_at(line, "message")
    message = anthropic.message(_without_reminders(said, passed))
    passed.update(message.passed)
    if message.speaker == "model":
        _take_turn(session, line, said, message, prompts)
        return
    for result in message.results:
        session.result(_result(line, result))
    if message.text:
        prompts.append(message.text)
        if not session.session.task:
            task = message.text.strip().split("\n", 1)[0][:200]
            session.session = replace(session.session, task=task)


def _take_turn(
    session: SessionPieces,
    line: JsonMap,
    said: JsonMap,
    message: Message,
    prompts: list[str],
) -> None:
    turn = session.turn(text_at(line, "id"))
    if turn.is_told_again(text_at(line, "id"), said):
        return
    turn.prompt = "\n\n".join(prompts) or None
    prompts.clear()
    turn.occurred_at, turn.model = time_at(line, "timestamp"), text_at(said, "modelId")
    turn.texts = [message.text] if message.text else []
    turn.thoughts = [message.reasoning] if message.reasoning else []
    for call in message.calls:
        session.call(turn.external_id, replace(call, at=None))
    if not session.session.model:
        session.session = replace(session.session, model=turn.model)


def _without_reminders(said: JsonMap, passed: Passed) -> JsonMap:
    """Return a person's message without the client's insertions, which are counted."""
    content = said.get("content")
    if said.get("role") != "user" or not isinstance(content, list):
        return said
    kept = [
        part
        for part in content
        if not (isinstance(part, dict) and text_at(part, "text").lstrip().startswith(_REMINDER))
    ]
    if len(kept) < len(content):
        passed[LeftOutReason.INJECTED_CONTEXT, "user"] += len(content) - len(kept)
    return {**said, "content": kept}


def _result(line: JsonMap, result: RecordedResult) -> RecordedResult:
    exited = _EXITED.search(result.output[-100:]) if isinstance(result.output, str) else None
    code = exit_status_of(int(exited[1])) if exited else None
    is_late = isinstance(result.output, str) and _TIMED_OUT.match(result.output) is not None
    status = ExecutionStatus.TIMED_OUT if is_late and not exited else result.status
    return replace(result, exit_status=code, status=status, finished_at=time_at(line, "timestamp"))


def _begun(path: Path, head: JsonMap, prompts: list[str]) -> RecordedSession:
    caller, origin = text_at(head, "callingSessionId"), text_at(head, "parent")
    known = {
        "title": text_at(head, "title") or text_at(head, "sessionTitle"),
        "title_source": "user" if head.get("isSessionTitleManuallySet") is True else "auto",
        "cwd": text_at(head, "lastCwd") or text_at(head, "cwd"),
        "version": text_at(head, "version"),
    }
    return RecordedSession(
        text_at(head, "id"),
        None,
        "",
        prompts[0].strip().split("\n", 1)[0][:200] if prompts else "",
        (),
        metadata=non_empty(known) | _sums_beside(path),
        source=NAME,
        parent=caller or origin,
        relation=Relation.SUBAGENT if caller else Relation.FORK if origin else None,
        ids="source",
    )


def _sums_beside(path: Path) -> JsonDict:
    """Return a session's total usage from the file next to it: messages have no tokens of their own."""
    beside = path.with_name(path.name.split(".jsonl")[0] + ".settings.json")
    try:
        told = json.loads(beside.read_bytes()[:_MOST]) if beside.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    sums = object_at(told, "tokenUsage") if isinstance(told, dict) else NOTHING
    names = {
        "inputTokens": "input_tokens",
        "outputTokens": "output_tokens",
        "cacheReadTokens": "cached_tokens",
        "cacheCreationTokens": "cache_write_tokens",
        "thinkingTokens": "reasoning_tokens",
    }
    found = {ours: count_at(sums, theirs) for theirs, ours in names.items()}
    return {name: count for name, count in found.items() if count is not None}


_TOOLS = (
    "ApplyPatch", "AskUser", "Create", "Edit", "Execute", "ExitSpecMode", "FetchUrl", "Glob", "Grep", "LS", "MultiEdit", "Read",
    "Skill", "Task", "TodoWrite", "ToolSearch", "WebSearch",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "Droid (Factory)",
    Capture.CALLS,
    read,
    recognise,
    wordings=_WORDINGS,
    loses="The text of calls: broken arguments are `{}`; tokens of a response (the session's are metadata), why it ended and how long it took; the tools that were offered; tries that broke off.",
    fields=("type", "id", "timestamp", "message"),
    other_fields=(("type", "id", "title", "owner"),),
    tools=_TOOLS,
    tested="0.215.0",
)
