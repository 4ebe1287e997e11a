"""Cline's sessions, and Roo Code's tasks: three generations of one history.

- Cline's SDK: ``sessions/ID/ID.messages.json`` with ``version``, ``sessionId`` and ``messages`` in Anthropic's blocks, each response with
  ``modelInfo`` and ``metrics`` (``sdk/packages/core`` of cline/cline);
- before, in the editor: ``tasks/ID/api_conversation_history.json``, a list of messages. Up to 3.x calls are XML in the text, which is parsed as
  text, and their results are a person's text, ``[NAME for '…'] Result:`` (``src/core/prompts/responses.ts``); since then, and in Roo Code, they
  may be blocks. Tokens and cost are in ``ui_messages.json`` next to it, one note per request.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation, TitleOrigin
from actionledger.imports.shapes import anthropic
from actionledger.imports.shapes.base import Message, left_out, since_epoch, total
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import as_list, count_at, number_at, object_at, objects_at, text_at
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, document_or_part, json_document

NAME = "cline"
HISTORY = "api_conversation_history.json"

_ROLES = frozenset({"user", "assistant", "system"})
_RESULT = regex(r"\[(?P<name>\w+)(?: for [^\n]*?)?\] Result:\s*(?P<output>.*)", re.DOTALL)
_INJECTED = regex(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)

_WORDINGS = (
    Wording(
        r"\bAI_NoSuchToolError\b",
        Reason.UNKNOWN_ACTION,
        '{"error":"Tool call go was rejected before execution: AI_NoSuchToolError: no such tool"}',
        last_seen="3.0.65",
    ),
    Wording(
        r"\bemitted invalid JSON arguments\b|^(?:\{\"error\": ?\")?✖ Invalid input",
        Reason.SCHEMA_ERROR,
        '{"error":"✖ Invalid input"}',
        last_seen="3.0.65",
    ),
    Wording(
        r"^(?:\{\"error\": ?\")?Tool [^\n]{1,100} requires approval\b",
        Reason.NOT_APPROVED,
        'Tool "run_commands" requires approval in a TTY session -- NOT a tool or system failure.',
        is_telling=True,
        last_seen="3.0.65",
    ),
    Wording(
        r"^The user denied this operation",
        Reason.REJECTED,
        "The user denied this operation.",
        is_telling=True,
    ),
    Wording(
        r"SEARCH block content doesn't match|does not match anything in the file|No sufficiently similar match",
        Reason.NO_MATCH,
        "The SEARCH block:\n…\n...does not match anything in the file.",
        is_telling=True,
    ),
    Wording(
        r"Missing value for required parameter",
        Reason.SCHEMA_ERROR,
        "Missing value for required parameter 'path'. Please retry with complete response.",
        is_telling=True,
    ),
    Wording(
        r"is blocked by the \.(?:cline|roo)ignore file",
        Reason.PATH_REFUSED,
        "Access to .env is blocked by the .clineignore file settings.",
        is_telling=True,
    ),
    Wording(
        r"^The tool execution failed with the following error",
        Reason.TOOL_ERROR,
        "The tool execution failed with the following error:\n<error>",
        is_telling=True,
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file."""
    document, reason = document_or_part(path, on_read, Elements(("messages",), known_by=("sessionId",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if isinstance(document, list):
        yield from _session(path, path.absolute().parent.name, document, {}, _notes(path))
    elif isinstance(document, dict) and isinstance(document.get("messages"), list):
        name = text_at(document, "sessionId") or path.name.removesuffix(".messages.json")
        yield from _session(path, name, document["messages"], document, [])
    else:
        raise SourceError(f"{shown(path)!r} is not a session of Cline's: it holds no messages.")


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session of Cline's or a task of Roo Code's."""
    first = sample.first
    if isinstance(first, dict):
        is_session = {"version", "messages", "sessionId"} <= first.keys()
        return 1.0 if is_session and ("agent" in first or "system_prompt" in first) else 0.0
    if sample.path.name.removesuffix(".gz") == HISTORY:
        return 1.0 if sample.head.lstrip().startswith(b"[") else 0.0
    head = sample.head[:1000]
    is_begun = all(key in head for key in (b'"version"', b'"sessionId"', b'"messages"', b'"agent"'))
    return 1.0 if first is None and is_begun else 0.0


def _session(path: Path, name: str, messages: list[Any], head: JsonMap, notes: list[Usage]) -> Recorded:
    conversation = MessageTurns()
    is_text = not head  # older clients, whose calls may be in the text
    of_client: set[int] = set()
    for number, value in enumerate(messages, 1):
        if not isinstance(value, dict):
            yield Refusal(shown(path), 0, f"Message {number} is not an object but {type(value).__name__}.")
            continue
        message = _message(value)
        if message.is_empty and message.speaker != "model" and not message.passed:
            if text_at(value, "role") in _ROLES:
                message.pass_over(LeftOutReason.EMPTY, "message")
            else:
                message.unknown(value.get("role"), value)
        is_text = is_text and not message.calls
        if is_text and message.speaker == "person":
            message.text = _take_results(message, conversation)
        # Whether a message is the client's error in the model's place.
        if (
            text_at(value, "role") == "assistant"
            and object_at(value, "metadata").get("displayRole") == "error"
        ):
            of_client.add(len(conversation.turns))
            message.pass_over(LeftOutReason.MADE_BY_CLIENT, "error")
        conversation.add(message)
    turns = conversation.done(Capture.TEXT if is_text else Capture.CALLS, splits=not is_text)
    # The others keep their indexes, by which they are identified.
    turns = tuple(turn for turn in turns if turn.index not in of_client)
    if len(notes) == len(turns):
        turns = tuple(replace(turn, usage=note) for turn, note in zip(turns, notes, strict=True))
    elif notes:  # requests were retried: the notes can't be assigned
        conversation.passed[LeftOutReason.BOOKKEEPING, "api_req_started"] += len(notes)
    yield from left_out(shown(path), conversation.passed)
    if turns:
        parent = text_at(object_at(head, "origin"), "parentThreadId")
        yield RecordedSession(
            name,
            None,
            next((turn.model for turn in turns if turn.model), ""),
            "",
            turns,
            source=NAME,
            metadata=_metadata(head, conversation),
            details=_details(path),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
        )


def _message(value: JsonMap) -> Message:
    message = anthropic.message(value)
    if message.speaker == "model":
        metrics = object_at(value, "metrics")
        message.usage = Usage(
            input_tokens=count_at(metrics, "inputTokens"),
            output_tokens=count_at(metrics, "outputTokens"),
            cached_tokens=count_at(metrics, "cacheReadTokens"),
            cache_write_tokens=count_at(metrics, "cacheWriteTokens"),
            cost_usd=number_at(metrics, "cost"),
        )
        told = object_at(value, "modelInfo")
        message.model = text_at(told, "id") or text_at(told, "modelId")
        message.occurred_at = since_epoch(value.get("ts"))
        message.calls = [_as_written(call, object_at(value, "metadata")) for call in message.calls]
    message.results = [_judged(each) for each in message.results]
    return message


def _as_written(call: RecordedCall, metadata: JsonMap) -> RecordedCall:
    """Return a call with its arguments as text if they could not be parsed: it is next to the message."""
    for invalid in objects_at(metadata, "invalidToolCalls"):
        raw = object_at(invalid, "input").get("rawInputText")
        if text_at(invalid, "toolCallId") == call.call_id and isinstance(raw, str):
            return replace(call, arguments=raw)
    return call


def _judged(result: RecordedResult) -> RecordedResult:
    """Return a result of the SDK's tools: JSON of several operations, each with its success."""
    output = result.output
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return result
    done = [each for each in as_list(output) if isinstance(each, dict)]
    said = [each["success"] for each in done if isinstance(each.get("success"), bool)]
    if result.is_error is not None or not said:
        return result
    return replace(result, is_error=not all(said))


def _take_results(message: Message, conversation: MessageTurns) -> str:
    """Give the results in a person's text to the turn before, and return the rest of the text."""
    text, injected = _INJECTED.subn("", message.text)
    if injected:
        message.pass_over(LeftOutReason.INJECTED_CONTEXT, "environment_details")
    found = _RESULT.match(text.strip())
    if found is None or not conversation.turns:
        return text.strip()
    last = conversation.turns[-1]
    result = RecordedResult("", found["output"].strip())
    conversation.turns[-1] = replace(last, results=(*last.results, result))
    return ""


_BESIDE_BYTES = 4 * 2**20
"""The largest file next to a session that is read: a larger one is something else."""


def _notes(path: Path) -> list[Usage]:
    """Return each request's usage, from the notes next to a history; empty if they can't be read."""
    beside = path.with_name("ui_messages.json")
    try:
        notes = json_document(beside) if path.name == HISTORY and beside.is_file() else []
    except SourceError:
        return []
    return list(_usages(notes if isinstance(notes, list) else []))


def _details(path: Path) -> SessionDetails:
    """Return a session's details from the file next to it; empty if that is missing or can't be read."""
    name = path.name.removesuffix(".messages.json")
    beside = path.with_name(f"{name}.json")
    try:
        is_there = name != path.name and beside.is_file() and beside.stat().st_size <= _BESIDE_BYTES
        about = json_document(beside) if is_there else None
    except (SourceError, OSError):
        about = None
    about = about if isinstance(about, dict) else {}
    title = text_at(object_at(about, "metadata"), "title")
    return SessionDetails(
        title=title,
        title_from=TitleOrigin.AGENT
        if title and title != text_at(about, "prompt")
        else TitleOrigin.PROMPT
        if title
        else None,
        project=text_at(about, "cwd"),
        agent=NAME,
        agent_version=text_at(object_at(object_at(about, "metadata"), "sessionHistoryOrigin"), "version"),
        aborted=status if (status := text_at(about, "status")) in {"failed", "cancelled"} else "",
    )


def _usages(notes: list[Any]) -> Iterator[Usage]:
    for note in notes:
        if not isinstance(note, dict) or text_at(note, "say") != "api_req_started":
            continue
        try:
            told = json.loads(text_at(note, "text"))
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and "tokensOut" in told:
            read, written = count_at(told, "cacheReads"), count_at(told, "cacheWrites")
            yield Usage(
                input_tokens=total(count_at(told, "tokensIn"), read, written),
                output_tokens=count_at(told, "tokensOut"),
                cached_tokens=read,
                cache_write_tokens=written,
                cost_usd=number_at(told, "cost"),
            )


def _metadata(head: JsonMap, conversation: MessageTurns) -> JsonDict:
    told = text_at(head, "system_prompt") or conversation.system
    return {key: value for key, value in {"system": told, "agent": text_at(head, "agent")}.items() if value}


SOURCE = Source(
    NAME,
    "Cline and Roo Code",
    Capture.TEXT,
    read,
    recognise,
    patterns=("*.messages.json", HISTORY),
    wordings=_WORDINGS,
    loses="Why a response ended, how long it took, approvals, the tools that were offered; which of several calls of a text a result "
    "belongs to is told by its place.",
    fields=("version", "sessionId", "messages", "agent"),
)
