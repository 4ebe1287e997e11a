"""opencode's sessions, messages and parts: the same in files and in a database.

Defined by sst/opencode, ``packages/opencode/src/session/message-v2.ts``, up to 1.18. A call's result is in its part. A message may hold several
steps, each one response of the model. ``output`` leaves out reasoning tokens.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Relation, TitleOrigin
from actionledger.imports.shapes.base import Message, Passed, since_epoch, total
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    count_at,
    exit_status_of,
    number_at,
    object_at,
    of_opencode,
    text_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Recorded, Refusal
from actionledger.imports.sources.containers import shown

NAME = "opencode"

_UNNAMED = ("New session - ", "Child session - ")
"""The beginning of an unnamed session's title, before a time."""

Told: TypeAlias = tuple[JsonMap, list[JsonMap]]
"""A message and its parts."""

_INVALID = "invalid"
"""The tool that replaces a call refused before it ran; the original call is in its input."""

_REFUSED = regex(r"JSON parsing failed: Text: (.*)\.\nError message: ", re.DOTALL)

_NO_OBJECT = regex(r" was called with invalid arguments: (?:input: |SchemaError\()Expected object, got ")

_OTHERS = {
    "file": LeftOutReason.NO_TEXT,
    "snapshot": LeftOutReason.BOOKKEEPING,
    "patch": LeftOutReason.BOOKKEEPING,
    "step-start": LeftOutReason.BOOKKEEPING,
    "step-finish": LeftOutReason.BOOKKEEPING,
    "agent": LeftOutReason.BOOKKEEPING,
    "subtask": LeftOutReason.BOOKKEEPING,
    "retry": LeftOutReason.BOOKKEEPING,
    "shell": LeftOutReason.BOOKKEEPING,
    "agent-switched": LeftOutReason.BOOKKEEPING,
    "model-switched": LeftOutReason.BOOKKEEPING,
    "compaction": LeftOutReason.COMPACTED,
}
"""The parts that are neither text nor a call."""


_FORMERLY = "id of the copy"
"""The key of a copied message's name in its own session."""


_WHOLE = "#whole"
"""The suffix of the name of an answer whose earlier tries were cut off."""


class Copies:
    """The model's messages of related sessions: a fork has the messages before it under other names."""

    def __init__(self) -> None:
        self._first: dict[tuple[object, ...], tuple[str, str]] = {}

    def known(self, name: str, told: list[Told]) -> tuple[list[Told], str]:
        """Return a session's messages, copied ones under their first names, and the session of those."""
        found: list[Told] = []
        origin = ""
        for message, parts in told:
            own = (name, text_at(message, "id"))
            words = _words(message, parts) if text_at(message, "role") == "assistant" else ()
            known = self._first.setdefault(words, own) if words else own
            is_copy = known[0] != name
            found.append(
                ({**message, "id": known[1], _FORMERLY: own[1]}, parts) if is_copy else (message, parts)
            )
            origin = origin or (known[0] if is_copy else "")
        return found, origin


def _words(message: JsonMap, parts: list[JsonMap]) -> tuple[object, ...]:
    """Return the parts of a message that its copy shares: time, calls and words; empty if it has none."""
    said = tuple(each for part in parts if any(each := (text_at(part, "callID"), text_at(part, "text"))))
    return (number_at(object_at(message, "time"), "created"), hash(said)) if said else ()


def session(path: Path, info: JsonMap, told: Iterable[Told], passed: Passed, origin: str = "") -> Recorded:
    """Yield a session, if it has turns."""
    conversation = MessageTurns()
    told = list(told)
    copied = {text_at(each, "id"): text_at(each, _FORMERLY) for each, _ in told if _FORMERLY in each}
    for message, parts in sorted(
        told, key=lambda each: number_at(object_at(each[0], "time"), "created") or 0
    ):
        for each in _messages(message, parts):
            conversation.add(each)
    passed.update(conversation.passed)
    turns = tuple(
        replace(turn, formerly=tuple(_former_names(turn.external_id, copied)))
        for turn in conversation.done(Capture.CALLS, splits=True)
    )
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
            details=_details(info, _broken_off(message for message, _ in told)),
            parent=parent or origin,
            relation=Relation.SUBAGENT if parent else Relation.FORK if origin else None,
            ids="source",
            started_at=since_epoch(times.get("created")),
            finished_at=since_epoch(times.get("updated")),
        )


def _broken_off(messages: Iterable[JsonMap]) -> str:
    """Return the error that ended the last answer; empty if it ended normally."""
    of_model = [each for each in messages if text_at(each, "role") == "assistant"]
    last = max(of_model, key=lambda each: number_at(object_at(each, "time"), "created") or 0, default={})
    error = object_at(last, "error")
    return (text_at(error, "message") or text_at(error, "name"))[:80]


def _details(info: JsonMap, aborted: str) -> SessionDetails:
    title = text_at(info, "title")
    return SessionDetails(
        title="" if title.startswith(_UNNAMED) else title,
        title_from=TitleOrigin.AGENT if title and not title.startswith(_UNNAMED) else None,
        project=text_at(info, "directory"),
        agent=NAME,
        agent_version=text_at(info, "version"),
        aborted=aborted,
    )


def _former_names(name: str, copied: Mapping[str, str]) -> Iterator[str]:
    """Yield a turn's former names: joined with an earlier cut-off try, or as a copied message in its own session."""
    names = [name, *([name.removesuffix(_WHOLE)] if name.endswith(_WHOLE) else ())]
    yield from names[1:]
    for each in names:
        first, sign, step = each.partition("#")  # a later step of a message has its number
        if first in copied:
            yield f"{copied[first]}{sign}{step}"


def _messages(value: JsonMap, parts: list[JsonMap]) -> Iterator[Message]:
    role = text_at(value, "role")
    if role not in {"", "assistant", "user"}:
        unknown = Message("tool")
        unknown.unknown(role, value)
        yield unknown
        return
    if role != "assistant":
        said = Message("person")
        for part in parts:
            _read_part(part, said)
        yield said
        return
    steps = _steps(parts)
    name = text_at(value, "id")
    for number, (tries, step) in enumerate(steps):
        known = f"{name}#{number}" if number else name
        for place, broken in enumerate(tries):
            yield from _answer(value, broken, f"{known}#try{place}", {}, "error")
        done = next((part for part in reversed(step) if text_at(part, "type") == "step-finish"), None)
        took = value if done is None or len(steps) == 1 else done
        why = (
            text_at(object_at(value, "error"), "name")
            or text_at(done or {}, "reason")
            or text_at(value, "finish")
        )
        yield from _answer(value, step, known + _WHOLE if tries else known, took, why)


def _answer(value: JsonMap, parts: list[JsonMap], name: str, took: JsonMap, why: str) -> Iterator[Message]:
    """Yield a model's answer in some parts of a message, with its usage and finish reason."""
    found = Message("model", occurred_at=since_epoch(object_at(value, "time").get("created")))
    for part in parts:
        _read_part(part, found)
    tokens = object_at(took, "tokens")
    cache = object_at(tokens, "cache")
    read, written = count_at(cache, "read"), count_at(cache, "write")
    found.usage = Usage(
        input_tokens=total(count_at(tokens, "input"), read, written),
        output_tokens=total(count_at(tokens, "output"), count_at(tokens, "reasoning")),
        cached_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=count_at(tokens, "reasoning"),
        cost_usd=number_at(took, "cost"),
        finish_reason=why[:80],
    )
    found.model = text_at(value, "modelID") or text_at(object_at(value, "model"), "modelID")
    found.message_id = name
    if not found.is_empty or found.usage.output_tokens:
        yield found
    else:
        found.pass_over(LeftOutReason.NO_RESPONSE, why)
        yield Message("tool", passed=found.passed)


def _steps(parts: list[JsonMap]) -> list[tuple[list[list[JsonMap]], list[JsonMap]]]:
    """Return the parts of each step of a message, after those of its cut-off tries, which begin but have no end."""
    has_ends = any(text_at(each, "type") == "step-finish" for each in parts)
    steps: list[tuple[list[list[JsonMap]], list[JsonMap]]] = [([], [])]
    for part in parts:
        tries, step = steps[-1]
        kinds = {text_at(each, "type") for each in step}
        if text_at(part, "type") != "step-start":
            step.append(part)
        elif "step-finish" in kinds:
            steps.append(([], [part]))
        elif has_ends and "step-start" in kinds:
            steps[-1] = ([*tries, step], [part])
        else:
            step.append(part)
    return steps


def _read_part(part: JsonMap, found: Message) -> None:
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
        found.pass_over(
            _OTHERS.get(kind, LeftOutReason.UNKNOWN_KIND), kind if kind in _OTHERS else unknown_as(kind, part)
        )


def _read_tool(part: JsonMap, found: Message) -> None:
    state = object_at(part, "state")
    call_id = text_at(part, "callID") or text_at(part, "id")
    name, given = text_at(part, "tool"), object_at(state, "input")
    is_refused = name == _INVALID and given.keys() >= {"tool", "error"}
    arguments: str | JsonMap = text_at(state, "input") or given
    if is_refused:
        name, arguments = text_at(given, "tool"), _refused_text(text_at(given, "error"))
    elif given.keys() == {"value"} and _REFUSED.search(text_at(state, "error")):
        arguments = text_at(given, "value")  # Kilo: what is no JSON is put into an object
    elif given.keys() == {"value"} and _NO_OBJECT.search(text_at(state, "error")):
        arguments = json_text(given["value"])  # and so is JSON that is no object
    found.calls.append(RecordedCall(call_id, name, arguments, at=len(found.text)))
    status = text_at(state, "status")
    if status not in {"completed", "error"}:
        return
    metadata = object_at(state, "metadata")
    times = object_at(state, "time")
    began, ended = number_at(times, "start"), number_at(times, "end")
    found.results.append(
        RecordedResult(
            call_id,
            state.get("error") if status == "error" else state.get("output"),
            is_error=status == "error" or is_refused,
            status=_stopped(metadata, text_at(state, "output")),
            exit_status=exit_status_of(metadata.get("exit")),
            duration_ms=ended - began if began is not None and ended is not None and ended >= began else None,
            started_at=since_epoch(times.get("start")),
            finished_at=since_epoch(times.get("end")),
            permission=of_opencode(text_at(state, "error")) if status == "error" else None,
        )
    )


def _refused_text(error: str) -> str | JsonMap:
    """Return the refused arguments: the text that the model wrote if the refusal has it, otherwise none."""
    told = _REFUSED.search(error)
    return told[1] if told else {}


def _stopped(metadata: JsonMap, output: str) -> ExecutionStatus | None:
    """Return the status of a stopped command: it has no exit status, and a note after its output says why."""
    if metadata.get("interrupted") is True:
        return ExecutionStatus.INTERRUPTED
    if "exit" not in metadata or metadata["exit"] is not None:
        return None
    note = output[output.rfind("<shell_metadata>") :] if "<shell_metadata>" in output else ""
    if "exceeding timeout" in note or "exceeded timeout" in note:
        return ExecutionStatus.TIMED_OUT
    return ExecutionStatus.INTERRUPTED if "abort" in note else None
