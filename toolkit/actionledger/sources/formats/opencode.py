"""Sessions of opencode: its storage tree, and what ``opencode export`` writes.

Defined by sst/opencode, ``packages/opencode/src/session/message-v2.ts`` and ``storage/storage.ts``. In the tree a session is a file
``session/PROJECT/ID.json``; its messages are ``message/ID/*.json``, their parts ``part/MESSAGE/*.json`` beside it. An export is one document with
``info`` and ``messages``, each with its ``parts``. What came of a call stands in its part. A message may hold several steps, each one response
of the model. Since 1.2 opencode keeps its sessions in SQLite: export them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from actionledger.errors import SourceError
from actionledger.sources.access import count_at, number_at, object_at, objects_at, text_at
from actionledger.sources.base import (
    Recorded,
    RecordedCall,
    RecordedResult,
    RecordedSession,
    Refusal,
    Sample,
    Source,
    Usage,
    Wording,
)
from actionledger.sources.containers import OnRead, shown
from actionledger.sources.cut import Elements
from actionledger.sources.documents import document_or_part, json_document
from actionledger.sources.shapes.base import Message, Passed, left_out, since_epoch, total
from actionledger.sources.shapes.conversation import Conversation
from actionledger.vocabulary import Capture, LeftOutReason, Reason, Relation

NAME = "opencode"

_NAME = re.compile(r"[\w-]{1,100}")
"""What may be part of a path: identifiers are somebody else's."""

_OTHERS = {
    "file": LeftOutReason.NO_TEXT,
    "snapshot": LeftOutReason.BOOKKEEPING,
    "patch": LeftOutReason.BOOKKEEPING,
    "step-start": LeftOutReason.BOOKKEEPING,
    "step-finish": LeftOutReason.BOOKKEEPING,
    "agent": LeftOutReason.BOOKKEEPING,
    "subtask": LeftOutReason.BOOKKEEPING,
    "retry": LeftOutReason.BOOKKEEPING,
    "compaction": LeftOutReason.COMPACTED,
}
"""What the parts are that are neither text nor a call."""

_WORDINGS = (
    Wording(
        r"(?i)^(?:Error: )?The user (?:rejected|has rejected) permission",
        Reason.REJECTED,
        "The user rejected permission to use this specific tool call.",
        is_telling=True,
    ),
    Wording(r"(?i)oldString not found in content", Reason.NO_MATCH, "oldString not found in content"),
    Wording(
        r"(?i)You must read the file|must be read before",
        Reason.NOT_READ,
        "You must read the file a.py before overwriting it.",
    ),
    Wording(r"(?i)Tool execution aborted", Reason.STOPPED, "Tool execution aborted"),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session of the tree, by its file, or of an export.

    Args:
        path: the session's file, or the export, plain or gzipped; ``-`` for the standard input.
        on_read: is told how far it is read.

    Raises:
        SourceError: the file can't be opened, or holds no session.
    """
    document, reason = document_or_part(path, on_read, Elements(("messages",), known_by=("info",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(document, dict):
        raise SourceError(f"{shown(path)!r} is no session of opencode's but {type(document).__name__}.")
    passed: Passed = Counter()
    if "messages" in document:
        info = object_at(document, "info")
        told = [
            (object_at(each, "info"), list(objects_at(each, "parts")))
            for each in objects_at(document, "messages")
        ]
    else:
        info, told = document, []
        for item in _in_tree(path, text_at(document, "id")):
            if isinstance(item, Refusal):
                yield item
            else:
                told.append(item)
    yield from _session(path, info, told, passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is a session of opencode's."""
    first = sample.values[0] if sample.values else None
    if isinstance(first, dict):
        info = object_at(first, "info") if "messages" in first else first
        return 1.0 if {"id", "projectID", "directory"} <= info.keys() else 0.0
    head = sample.head.lstrip()[:2000]
    return 0.9 if first is None and b'"projectID"' in head and b'"directory"' in head else 0.0


def _in_tree(path: Path, name: str) -> Iterator[tuple[Mapping[str, Any], list[Mapping[str, Any]]] | Refusal]:
    """Yield the messages of a session and their parts, in the order of their files."""
    storage = path.absolute().parents[2]
    for message in _documents(storage / "message", name):
        if isinstance(message, Refusal):
            yield message
            continue
        parts = []
        for part in _documents(storage / "part", text_at(message, "id")):
            if isinstance(part, Refusal):
                yield part
            else:
                parts.append(part)
        yield message, parts


def _documents(folder: Path, name: str) -> Iterator[Mapping[str, Any] | Refusal]:
    if not _NAME.fullmatch(name):
        return
    for file in sorted((folder / name).glob("*.json")):
        try:
            value = json_document(file)
        except SourceError as error:
            yield Refusal(shown(file), 0, str(error))
            continue
        yield value if isinstance(value, dict) else Refusal(shown(file), 0, "The file holds no object.")


def _session(
    path: Path,
    info: Mapping[str, Any],
    told: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]],
    passed: Passed,
) -> Recorded:
    conversation = Conversation()
    for message, parts in sorted(
        told, key=lambda each: number_at(object_at(each[0], "time"), "created") or 0
    ):
        for each in _messages(message, parts):
            conversation.add(each)
    passed.update(conversation.passed)
    turns = conversation.done(Capture.CALLS)
    name = text_at(info, "id")
    if not name:
        yield Refusal(shown(path), 0, "The file has no session's id.")
    elif turns:
        parent = text_at(info, "parentID")
        times = object_at(info, "time")
        yield RecordedSession(
            name,
            None,
            next((turn.model for turn in turns if turn.model), ""),
            text_at(info, "title")[:200],
            turns,
            source=NAME,
            metadata={"cwd": text_at(info, "directory"), "version": text_at(info, "version")},
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            ids="source",
            started_at=since_epoch(times.get("created")),
            finished_at=since_epoch(times.get("updated")),
        )


def _messages(value: Mapping[str, Any], parts: list[Mapping[str, Any]]) -> Iterator[Message]:
    if text_at(value, "role") != "assistant":
        said = Message("person")
        for part in parts:
            _read_part(part, said)
        yield said
        return
    steps = _steps(parts)
    for number, step in enumerate(steps):
        found = Message("model", occurred_at=since_epoch(object_at(value, "time").get("created")))
        for part in step:
            _read_part(part, found)
        done = next((part for part in reversed(step) if text_at(part, "type") == "step-finish"), None)
        took = value if done is None or len(steps) == 1 else done
        why = (
            text_at(object_at(value, "error"), "name")
            or text_at(done or {}, "reason")
            or text_at(value, "finish")
        )
        found.usage = _usage(took, why)
        found.model = text_at(value, "modelID") or text_at(object_at(value, "model"), "modelID")
        found.message_id = text_at(value, "id") if number == 0 else f"{text_at(value, 'id')}#{number}"
        if not found.is_empty or found.usage.output_tokens:
            yield found
        else:
            found.pass_over(LeftOutReason.NO_RESPONSE, why)
            yield Message("tool", passed=found.passed)


def _steps(parts: list[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the parts of each step of a message."""
    steps: list[list[Mapping[str, Any]]] = [[]]
    for part in parts:
        if text_at(part, "type") == "step-start" and any(
            text_at(each, "type") == "step-finish" for each in steps[-1]
        ):
            steps.append([])
        steps[-1].append(part)
    return steps


def _read_part(part: Mapping[str, Any], found: Message) -> None:
    kind = text_at(part, "type")
    if kind == "text" and part.get("synthetic") is True:
        is_model = found.speaker == "model"
        found.pass_over(
            LeftOutReason.MADE_BY_CLIENT if is_model else LeftOutReason.INJECTED_CONTEXT, "synthetic"
        )
    elif kind == "text":
        found.say(part.get("text"))
    elif kind == "tool":
        _read_tool(part, found)
    elif kind == "reasoning":
        found.think(part.get("text"), detail=kind)
    else:
        found.pass_over(_OTHERS.get(kind, LeftOutReason.UNKNOWN_KIND), kind)


def _read_tool(part: Mapping[str, Any], found: Message) -> None:
    state = object_at(part, "state")
    call_id = text_at(part, "callID") or text_at(part, "id")
    found.calls.append(
        RecordedCall(call_id, text_at(part, "tool"), object_at(state, "input"), at=len(found.text))
    )
    status = text_at(state, "status")
    if status not in {"completed", "error"}:
        return
    times = object_at(state, "time")
    began, ended = number_at(times, "start"), number_at(times, "end")
    exit_status = object_at(state, "metadata").get("exit")
    is_exit = isinstance(exit_status, int) and not isinstance(exit_status, bool) and abs(exit_status) < 2**31
    found.results.append(
        RecordedResult(
            call_id,
            state.get("error") if status == "error" else state.get("output"),
            is_error=status == "error",
            exit_status=exit_status if is_exit else None,
            duration_ms=ended - began if began is not None and ended is not None and ended >= began else None,
            started_at=since_epoch(times.get("start")),
            finished_at=since_epoch(times.get("end")),
        )
    )


def _usage(value: Mapping[str, Any], why: str) -> Usage:
    tokens = object_at(value, "tokens")
    cache = object_at(tokens, "cache")
    read, written = count_at(cache, "read"), count_at(cache, "write")
    return Usage(
        input_tokens=total(count_at(tokens, "input"), read, written),
        output_tokens=count_at(tokens, "output"),
        cached_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=count_at(tokens, "reasoning"),
        cost_usd=number_at(value, "cost"),
        finish_reason=why[:80],
    )


SOURCE = Source(
    NAME,
    "opencode",
    Capture.CALLS,
    read,
    recognise,
    patterns=("ses_*.json", "*.json"),
    wordings=_WORDINGS,
    loses="The text of calls, the tools that were offered, instructions; sessions that are kept in SQLite, which have to be exported.",
    fields=("id", "projectID", "directory"),
)
"""The format."""
