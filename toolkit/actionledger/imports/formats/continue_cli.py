"""Sessions of Continue, its command ``cn`` and its editor extensions: ``~/.continue/sessions/SESSION.json``.

Defined by continuedev/continue, ``core/index.d.ts`` (``Session``, ``ChatHistoryItem``); ``cn`` 1.5.47 was run. A document holds the whole session; an
answer's item has its calls with their results (``toolCallStates``). Messages have no identifiers: one is identified by the history up to it, once
that has a call, since providers name calls. So a fork's copies are the same turns, though it doesn't name its origin.
"""

import json
from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason
from actionledger.imports.shapes.base import Message, left_out, texts_of
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    exit_status_of,
    non_empty,
    number_at,
    object_at,
    objects_at,
    text_at,
)
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, document_or_part
from actionledger.imports.sources.usage import usage_of

NAME = "continue_cli"

_EXITED = regex(r"^(?:Error executing tool \S{1,60}: )?Error \(exit code (\d{1,10})\)")
_UNTITLED = frozenset({"Untitled Session", "New Session"})


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file."""
    document, reason = document_or_part(path, on_read, Elements(("history",), known_by=("sessionId",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(document, dict) or not isinstance(document.get("history"), list):
        raise SourceError(f"{shown(path)!r} is not a session of Continue's: it holds no history.")
    conversation, chain, is_known = MessageTurns(), "", False
    for item in objects_at(document, "history"):
        message = _message(item)
        chain = derived_id(chain, message.speaker, message.text, *(call.call_id for call in message.calls))
        is_known = is_known or bool(message.calls)
        message.message_id = chain if message.speaker == "model" and is_known else ""
        conversation.add(message)
    turns = conversation.done(Capture.CALLS, splits=True)
    title = text_at(document, "title")
    known = {"cwd": text_at(document, "workspaceDirectory"), "title": "" if title in _UNTITLED else title}
    yield RecordedSession(
        text_at(document, "sessionId") or path.name.removesuffix(".json"),
        None,
        next((turn.model for turn in turns if turn.model), text_at(document, "chatModelTitle")),
        (turns[0].prompt or "").strip().split("\n", 1)[0][:200] if turns else "",
        turns,
        metadata=non_empty(known),
        source=NAME,
        ids="source",
    )
    yield from left_out(shown(path), conversation.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session: its items have the additions to a message."""
    first = sample.first
    if not isinstance(first, dict) or not {"sessionId", "workspaceDirectory", "history"} <= first.keys():
        return 0.0
    items = list(objects_at(first, "history"))
    return 1.0 if not items or any("contextItems" in item for item in items) else 0.5


def _message(item: JsonMap) -> Message:
    said = object_at(item, "message")
    role = text_at(said, "role")
    if role == "thinking":
        found = Message("tool")
        found.pass_over(LeftOutReason.REASONING, role)
        return found
    if role not in {"assistant", "user", "system", "tool"}:
        found = Message("tool")
        found.unknown(role, said)
        return found
    speaker = (
        "model"
        if role == "assistant"
        else "person"
        if role == "user"
        else "system"
        if role == "system"
        else "tool"
    )
    found = Message(speaker)  # type: ignore[arg-type]
    if role == "tool":
        found.result(text_at(said, "toolCallId"), said.get("content"))
        return found
    texts_of(found, said.get("content"))
    if item.get("conversationSummary"):
        found.pass_over(LeftOutReason.COMPACTED, "conversationSummary")
    if role == "assistant":
        if thought := text_at(object_at(item, "reasoning"), "text"):
            found.think(thought)
        states = {text_at(state, "toolCallId"): state for state in objects_at(item, "toolCallStates")}
        for call in objects_at(said, "toolCalls"):
            made = object_at(call, "function")
            call_id = text_at(call, "id")
            found.calls.append(
                RecordedCall(call_id, text_at(made, "name"), _arguments(made.get("arguments")))
            )
            if (state := states.get(call_id)) and (result := _result(call_id, state)):
                is_unsaid = text_at(made, "name") not in _JUDGED and result.is_error is False
                found.results.append(replace(result, is_error=None) if is_unsaid else result)
        took = object_at(said, "usage")
        cents = number_at(took, "cost_cents")
        found.model = text_at(took, "model")
        found.usage = usage_of(took, cost_usd=cents / 100 if cents else None) if took else Usage()
    return found


def _arguments(given: object) -> str | JsonDict:
    """Return arguments parsed, since the client has rewritten their text. A value that is no object is unchanged."""
    if isinstance(given, dict):
        return given
    text = given if isinstance(given, str) else ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _result(call_id: str, state: JsonMap) -> RecordedResult | None:
    status, output = (
        text_at(state, "status"),
        [text_at(each, "content") for each in objects_at(state, "output")],
    )
    if status not in {"done", "errored", "canceled"}:
        return None
    text = "\n".join(output)
    exited = _EXITED.match(text) if status == "errored" else None
    is_stopped = status == "canceled" and not text
    return RecordedResult(
        call_id,
        text,
        is_error=None if status == "canceled" else status == "errored",
        status=ExecutionStatus.INTERRUPTED if is_stopped else None,
        exit_status=exit_status_of(int(exited[1])) if exited else None,
    )


_TOOLS = (
    "AskQuestion", "Bash", "Checklist", "Edit", "Exit", "Fetch", "List", "MultiEdit", "Read", "ReportFailure", "Search", "Skills",
    "Subagent", "UploadArtifact", "Write",
)  # fmt: skip
"""The built-in tools of ``cn``."""

_JUDGED = frozenset(_TOOLS) - {"Bash", "Subagent"}
"""The tools whose results say whether they failed; a command and a server's tool may be done and have failed."""

SOURCE = Source(
    NAME,
    "Continue (cn)",
    Capture.CALLS,
    read,
    recognise,
    patterns=("*.json",),
    loses="The text of calls: broken arguments are `{}`; thoughts; times; why a response ended; that a command failed which wrote nothing to its standard error; the tools that were offered; whose fork a session is.",
    fields=("sessionId", "title", "workspaceDirectory", "history"),
    tools=_TOOLS,
)
