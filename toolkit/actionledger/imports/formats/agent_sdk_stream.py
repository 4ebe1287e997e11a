"""Recorded streams of the Claude Agent SDK and of ``claude -p --output-format stream-json``.

Defined by anthropics/claude-agent-sdk-python, ``src/claude_agent_sdk/types.py`` and ``_internal/query.py``: ``system`` (``init``), ``assistant``,
``user``, ``result``, ``stream_event``, and between the SDK and the program ``control_request`` and ``control_response``, which ask for permission.
The file has lines, or a document with ``messages``, each directly or under ``message`` with its ``direction``. A message comes as several, one for
each block. Its ``usage`` is from its start: the output tokens are in stream events, or in the result of a session with one message. A subagent's
messages name its call.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.recordings import (
    Permission,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes import anthropic
from actionledger.imports.shapes.base import Message, Passed, left_out
from actionledger.imports.shapes.claude_results import arguments_of
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    count_at,
    non_empty,
    number_at,
    object_at,
    objects_at,
    of_claude,
    text_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import numbered_objects

NAME = "agent_sdk_stream"

_KINDS = frozenset(
    {"system", "assistant", "user", "result", "stream_event", "control_request", "control_response"}
    | {"control_cancel_request", "keep_alive", "rate_limit_event", "tool_progress", "auth_status"}
)


@dataclass(slots=True)
class _Stream:
    """A session while its messages come in; a subagent's has its call."""

    parent_call: str = ""
    messages: dict[str, Message] = field(default_factory=dict)
    order: list[Message] = field(default_factory=list)


@dataclass(slots=True)
class _Recording:
    """The whole stream so far."""

    name: str = ""
    head: JsonMap = field(default_factory=dict)
    result: JsonMap = field(default_factory=dict)
    streams: dict[str, _Stream] = field(default_factory=dict)
    written: dict[str, JsonMap] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    decided: dict[str, Permission] = field(default_factory=dict)
    writing: str = ""
    passed: Passed = field(default_factory=Counter)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a stream, subagents' after their parent's."""
    recording = _Recording()
    for item in numbered_objects(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        held = item[1].get("messages")
        for each in held if isinstance(held, list) else [item[1]]:
            if isinstance(each, dict):
                _take(object_at(each, "message") if "direction" in each else each, recording)
            else:
                recording.passed[LeftOutReason.NOT_AN_OBJECT, type(each).__name__] += 1
    yield from _given(recording)
    yield from left_out(shown(path), recording.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is such a stream."""
    values: list[JsonMap] = sample.objects
    if values and isinstance(values[0].get("messages"), list):
        values = [
            object_at(each, "message") for each in objects_at(values[0], "messages") if "direction" in each
        ]
    known = [each for each in values if text_at(each, "type") in _KINDS]
    is_stream = any("session_id" in each or "request_id" in each for each in known)
    return 1.0 if values and is_stream and len(known) == len(values) else 0.0


def _take(value: JsonMap, recording: _Recording) -> None:
    kind = text_at(value, "type")
    if kind in {"assistant", "user"}:
        _take_message(value, recording)
    elif kind == "result":
        recording.result = value
        recording.name = recording.name or text_at(value, "session_id")
    elif kind == "system" and value.get("subtype") == "init":
        recording.head = recording.head or value
        recording.name = recording.name or text_at(value, "session_id")
    elif kind == "stream_event":
        _take_event(object_at(value, "event"), recording)
    elif kind == "control_request":
        request = object_at(value, "request")
        if call_id := text_at(request, "tool_use_id"):
            recording.asked[text_at(value, "request_id")] = call_id
        recording.passed[LeftOutReason.BOOKKEEPING, text_at(request, "subtype")[:40]] += 1
    elif kind == "control_response":
        _take_answer(object_at(value, "response"), recording)
    else:
        known = LeftOutReason.BOOKKEEPING if kind in _KINDS else LeftOutReason.UNKNOWN_KIND
        recording.passed[known, kind if kind in _KINDS else unknown_as(kind, value)] += 1


def _take_message(value: JsonMap, recording: _Recording) -> None:
    for told in objects_at(value, "tool_result_meta"):
        decided = of_claude(object_at(told, "permission_decision"), text_at(told, "non_execution_kind"))
        if decided is not None:
            recording.decided[text_at(told, "id")] = decided
    message = anthropic.message({**object_at(value, "message"), "role": text_at(value, "type")})
    message.calls = [replace(call, arguments=arguments_of(call.arguments)) for call in message.calls]
    parent = text_at(value, "parent_tool_use_id")
    stream = recording.streams.setdefault(parent, _Stream(parent))
    there = stream.messages.get(message.message_id)
    if message.speaker == "model" and there is not None:
        _join(there, message)
        return
    if message.speaker == "model":
        told = object_at(value, "message")
        message.usage = replace(
            anthropic.usage(object_at(told, "usage")),
            output_tokens=None,
            finish_reason=text_at(told, "stop_reason"),
        )
        message.model = text_at(told, "model")
        if message.model == "<synthetic>":
            recording.passed[LeftOutReason.MADE_BY_CLIENT, ""] += 1
            return
        stream.messages[message.message_id] = message
    elif value.get("isSynthetic") is True or value.get("isReplay") is True:
        recording.passed[LeftOutReason.INJECTED_CONTEXT, ""] += 1
        return
    stream.order.append(message)


def _join(there: Message, more: Message) -> None:
    """Add a further block to a message."""
    begun = len(there.text)
    there.text += more.text
    there.calls += [replace(call, at=begun + (call.at or 0)) for call in more.calls]
    there.reasoning = "\n\n".join(filter(None, (there.reasoning, more.reasoning)))
    there.passed.update(more.passed)


def _take_event(event: JsonMap, recording: _Recording) -> None:
    kind = text_at(event, "type")
    if kind == "message_start":
        recording.writing = text_at(object_at(event, "message"), "id")
    elif kind == "message_delta" and recording.writing:
        usage = object_at(event, "usage")
        recording.written[recording.writing] = {
            **usage,
            "stop": text_at(object_at(event, "delta"), "stop_reason"),
        }
    recording.passed[LeftOutReason.PROGRESS, "stream_event"] += 1


def _take_answer(response: JsonMap, recording: _Recording) -> None:
    """Add the answer to a permission request: a refusal by a person's callback or a hook."""
    call_id = recording.asked.get(text_at(response, "request_id"), "")
    answer = object_at(response, "response")
    decided = text_at(object_at(answer, "hookSpecificOutput"), "permissionDecision") or text_at(
        answer, "decision"
    )
    if call_id and text_at(answer, "behavior") == "deny":
        recording.refused[call_id] = "person"
    elif call_id and decided in {"deny", "block"}:
        recording.refused[call_id] = "hook"
    recording.passed[LeftOutReason.BOOKKEEPING, "control_response"] += 1


def _given(recording: _Recording) -> Iterator[RecordedSession]:
    for denied in objects_at(recording.result, "permission_denials"):
        recording.refused.setdefault(text_at(denied, "tool_use_id"), "policy")
    for stream in sorted(recording.streams.values(), key=lambda each: each.parent_call != ""):
        whole = MessageTurns()
        for message in stream.order:
            whole.add(message)
        recording.passed.update(whole.passed)
        turns = tuple(_finished(turn, recording) for turn in whole.done(Capture.CALLS, splits=True))
        if len(turns) == 1 and not stream.parent_call and turns[0].usage.output_tokens is None:
            took = anthropic.usage(object_at(recording.result, "usage"))
            turns = (replace(turns[0], usage=replace(turns[0].usage, output_tokens=took.output_tokens)),)
        if turns:
            yield _session(recording, stream, turns)


def _finished(turn: RecordedTurn, recording: _Recording) -> RecordedTurn:
    """Return a turn with its output tokens, and with who refused its calls."""
    usage: Usage = turn.usage
    if written := recording.written.get(turn.external_id):
        usage = replace(
            usage,
            output_tokens=count_at(written, "output_tokens"),
            finish_reason=text_at(written, "stop") or usage.finish_reason,
        )
    results = tuple(_refused(each, recording) for each in turn.results)
    return replace(turn, usage=usage, results=results)


def _refused(result: RecordedResult, recording: _Recording) -> RecordedResult:
    if (decided := recording.decided.get(result.call_id)) is not None:
        result = replace(result, permission=decided)
    match recording.refused.get(result.call_id, ""):
        case "person" | "hook" | "policy" as by:
            return replace(result, refused_by=by)
    return result


def _session(recording: _Recording, stream: _Stream, turns: tuple[RecordedTurn, ...]) -> RecordedSession:
    name, result = recording.name or turns[0].external_id, recording.result
    is_child = bool(stream.parent_call)
    is_error = result.get("is_error")
    return RecordedSession(
        f"{name}/{stream.parent_call}" if is_child else name,
        None,
        text_at(recording.head, "model") or turns[0].model,
        "",
        turns,
        None if is_child or not isinstance(is_error, bool) else not is_error,
        "" if is_child else text_at(result, "subtype")[:80],
        {} if is_child else _metadata(recording),
        details=SessionDetails(
            project=text_at(recording.head, "cwd"),
            agent="claude_code",
            agent_version=text_at(recording.head, "claude_code_version"),
            permission_mode=text_at(recording.head, "permissionMode"),
        ),
        source=NAME,
        parent=name if is_child else "",
        relation=Relation.SUBAGENT if is_child else None,
        ids="source",
    )


def _metadata(recording: _Recording) -> JsonDict:
    """Return the metadata of the whole session: its folder, its tools' names, and its total usage."""
    head, result = recording.head, recording.result
    known = {
        "cwd": text_at(head, "cwd"),
        "version": text_at(head, "claude_code_version"),
        "tools": [each for each in head.get("tools", []) if isinstance(each, str)]
        if isinstance(head.get("tools"), list)
        else [],
        "cost_usd": number_at(result, "total_cost_usd"),
        "output_tokens": count_at(object_at(result, "usage"), "output_tokens"),
        "duration_ms": number_at(result, "duration_ms"),
    }
    return non_empty(known)


SOURCE = Source(
    NAME,
    "The Claude Agent SDK's stream",
    Capture.CALLS,
    read,
    recognise,
    patterns=("*.jsonl", "*.jsonl.gz", "*.json"),
    loses="The text of calls; the definitions of tools, of which it has the names; how long a response "
    "took; the tokens that each message wrote, unless stream events were recorded: the session's total and its cost are metadata.",
    fields=("type", "session_id", "message", "parent_tool_use_id"),
    other_fields=(("type", "subtype", "session_id"), ("messages", "metadata")),
    tested="2.1.332",
)
