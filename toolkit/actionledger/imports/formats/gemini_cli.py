"""Gemini CLI's chats: ``~/.gemini/tmp/PROJECT/chats/session-….json``, lines of JSON since 0.40.

Defined by google-gemini/gemini-cli, ``packages/core/src/services/chatRecordingService.ts``. A document holds ``sessionId``, ``projectHash`` (all that
is known of the folder) and ``messages``. In a file of lines, the first holds all but the messages, and a line with ``$set`` changes it. One with
``$rewindTo`` goes back, which undoes nothing that happened. A message that comes again has grown. A call's result is in the call's message. Calls
without a result were cancelled, or stopped with the session. A subagent's chat is in a folder named after its parent session.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.recordings import (
    RecordedCall,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation, TitleOrigin
from actionledger.imports.shapes.base import Message, Passed, left_out, texts_of, total
from actionledger.imports.shapes.gemini import results_of
from actionledger.imports.sources.access import (
    as_list,
    count_at,
    given_arguments,
    object_at,
    objects_at,
    text_at,
    texts_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source, Wording, seen
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, numbered_objects

NAME = "gemini_cli"

_NO_USAGE = Usage()
_ACKNOWLEDGED = "Got it. Thanks for the additional context!"
"""What the client puts in the model's mouth behind a summary of the history."""
_MODEL = frozenset({"gemini", "model"})
_WORDINGS = seen(
    "0.40",
    "0.40",
    (
        Wording(
            r"^(?:Value of )?params(?:/\S{1,200})? must (?:be|have|match|NOT)\b",
            Reason.SCHEMA_ERROR,
            "params/start_line must be integer",
            first_seen="0.61.0",
            last_seen="0.61.0",
        ),
        Wording(
            r"^Could not find an exact match for 'old_string'",
            Reason.NO_MATCH,
            "Could not find an exact match for 'old_string' in 'notes.txt'.",
            first_seen="0.61.0",
            last_seen="0.61.0",
        ),
        Wording(
            r"(?i)user did not allow|cancelled by user|user cancelled",
            Reason.REJECTED,
            "[Operation Cancelled] Reason: User did not allow tool call",
            is_telling=True,
        ),
        Wording(
            r"(?i)could not find the string to replace|0 occurrences found",
            Reason.NO_MATCH,
            "Failed to edit, could not find the string to replace.",
        ),
        Wording(
            r"(?i)expected \d+ occurrences? but found \d+",
            Reason.SEVERAL_MATCHES,
            "Failed to edit, Expected 1 occurrence but found 3 for old_string",
        ),
        Wording(
            r"(?i)^File path must be within|outside the workspace",
            Reason.PATH_REFUSED,
            "File path must be within one of the workspace directories",
        ),
    ),
)


@dataclass(slots=True)
class _Chat:
    """A chat while its messages come in."""

    head: JsonDict = field(default_factory=dict)
    turns: dict[str, RecordedTurn] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    passed: Passed = field(default_factory=Counter)
    places: dict[str, int] = field(default_factory=dict)
    stood_for: dict[str, str] = field(default_factory=dict)
    """The answers whose calls the client has put on messages of its own."""
    answered: list[tuple[str, JsonMap]] = field(default_factory=list)
    """Results shown to the model, each with the turn before it: a call that a subagent may not make is recorded nowhere else."""


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the chats of a file."""
    chat = _Chat()
    for item in numbered_objects(path, on_read, Elements(("messages",), known_by=("sessionId",))):
        if isinstance(item, Refusal):
            yield item
            continue
        entry = item[1]
        if (
            "sessionId" in entry
            and chat.head
            and text_at(entry, "sessionId") != text_at(chat.head, "sessionId")
        ):
            yield from _given(path, chat)
            chat = _Chat()
        if "$set" in entry:
            changed = object_at(entry, "$set")
            chat.head.update({key: value for key, value in changed.items() if key != "messages"})
            for message in objects_at(changed, "messages"):
                _take_message(message, chat)
            chat.passed[LeftOutReason.BOOKKEEPING, "$set"] += 1
        elif "$rewindTo" in entry:
            chat.passed[LeftOutReason.BOOKKEEPING, "$rewindTo"] += 1
        elif "sessionId" in entry:
            chat.head.update({key: value for key, value in entry.items() if key != "messages"})
            for message in objects_at(entry, "messages"):
                _take_message(message, chat)
        else:
            _take_message(entry, chat)
    yield from _given(path, chat)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a chat of Gemini CLI's."""
    first = sample.first
    if isinstance(first, dict):
        return 1.0 if {"sessionId", "projectHash"} <= first.keys() else 0.0
    head = sample.head[:2000]
    return (
        1.0 if b'"projectHash"' in head and b'"sessionId"' in head and b'"messages"' in sample.head else 0.0
    )


def _take_message(value: JsonMap, chat: _Chat) -> None:
    kind = text_at(value, "type")
    name = text_at(value, "id")
    if kind in _MODEL:
        _take_turn(name or f"#{len(chat.turns)}", value, chat)
    elif kind == "user":
        if name and name in chat.places:
            return  # it is unchanged
        chat.places[name] = -1
        said = Message("person")
        last = next(reversed(chat.turns), None)
        parts = as_list(value.get("content"))
        responses = [
            object_at(part, "functionResponse") if last and isinstance(part, Mapping) else {}
            for part in parts
        ]
        chat.answered += [(last, each) for each in responses if last and text_at(each, "id")]
        texts_of(said, [part for part, each in zip(parts, responses, strict=True) if not text_at(each, "id")])
        chat.passed.update(said.passed)
        if said.text:
            chat.told.append(said.text)
    elif kind in {"info", "warning", "error"}:
        chat.passed[LeftOutReason.BOOKKEEPING, kind] += 1
    else:
        chat.passed[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, value)] += 1


def _take_turn(name: str, value: JsonMap, chat: _Chat) -> None:
    said = Message("model")
    texts_of(said, value.get("content", value.get("parts")))
    if said.text == _ACKNOWLEDGED and "tokens" not in value:
        chat.passed[LeftOutReason.INJECTED_CONTEXT, "gemini"] += 1
        if (of := _asked_meanwhile(name, value, chat)) is None:
            return
        name, said = of, Message("model")
    before = chat.turns.get(name)
    if before is None and chat.turns and chat.told:
        last = next(reversed(chat.turns))
        chat.turns[last] = replace(chat.turns[last], feedback="\n\n".join(chat.told))
        chat.told.clear()
    calls = [call for call in objects_at(value, "toolCalls") if text_at(call, "name") or text_at(call, "id")]
    if before is None:
        chat.passed.update(said.passed)
    prompt = "\n\n".join(chat.told) if chat.told and before is None else None
    chat.told.clear()
    turn = RecordedTurn(
        len(chat.turns),
        said.text,
        prompt,
        None,
        time_at(value, "timestamp"),
        external_id=name,
        capture=Capture.CALLS,
        calls=tuple(map(_call, calls)) or tuple(_calls_within(value)),
        results=tuple(results_of(calls)),
        usage=_usage(object_at(value, "tokens")),
        model=text_at(value, "model"),
        reasoning="\n\n".join(_thoughts(value)),
    )
    chat.turns[name] = turn if before is None else _merged(before, turn)


def _asked_meanwhile(name: str, value: JsonMap, chat: _Chat) -> str | None:
    """Return the answer whose calls the client's own message has: the history was summed up while the model answered."""
    last = next(reversed(chat.turns), None)
    if (
        name not in chat.stood_for
        and last is not None
        and not chat.turns[last].calls
        and value.get("toolCalls")
    ):
        chat.stood_for[name] = last
    return chat.stood_for.get(name)


def _merged(before: RecordedTurn, again: RecordedTurn) -> RecordedTurn:
    """Return two records of a message joined: in a resumed session it is written again with less."""
    has_calls = len(again.calls) >= len(before.calls) and (bool(again.results) or not before.results)
    return replace(
        again if has_calls else before,
        index=before.index,
        text=again.text or before.text,
        prompt=before.prompt,
        feedback=before.feedback,
        occurred_at=again.occurred_at or before.occurred_at,
        usage=before.usage if again.usage == _NO_USAGE else again.usage,
        model=again.model or before.model,
        reasoning=again.reasoning or before.reasoning,
    )


def _call(call: JsonMap) -> RecordedCall:
    """Return a call; arguments that are no object are as the model wrote them."""
    given = call.get("args")
    arguments = given_arguments(given)
    return RecordedCall(text_at(call, "id"), text_at(call, "name"), arguments)


def _calls_within(value: JsonMap) -> Iterator[RecordedCall]:
    """Yield the calls in a message's content, as in the repeated history: if the client was killed, they are nowhere else."""
    for part in objects_at(value, "content"):
        if called := object_at(part, "functionCall"):
            yield _call(called)


def _thoughts(value: JsonMap) -> Iterator[str]:
    """Yield the visible reasoning of a message: a subject and a description each."""
    for thought in objects_at(value, "thoughts"):
        if told := ": ".join(filter(None, (text_at(thought, "subject"), text_at(thought, "description")))):
            yield told


def _usage(tokens: JsonMap) -> Usage:
    thought = count_at(tokens, "thoughts")
    return Usage(
        input_tokens=total(count_at(tokens, "input"), count_at(tokens, "tool")),
        output_tokens=total(count_at(tokens, "output"), thought),
        cached_tokens=count_at(tokens, "cached"),
        reasoning_tokens=thought,
    )


def _add_unwritten(chat: _Chat) -> None:
    """Add calls that no message has, from their results: their arguments are lost."""
    known = {call.call_id for turn in chat.turns.values() for call in turn.calls}
    for turn, each in chat.answered:
        call_id, response = text_at(each, "id"), object_at(each, "response")
        if call_id in known:
            chat.passed[LeftOutReason.DUPLICATE, "functionResponse"] += 1
        elif not isinstance(said := response.get("error"), str):
            chat.passed[LeftOutReason.NO_CALL, "functionResponse"] += 1
        else:
            known.add(call_id)
            call = RecordedCall(call_id, text_at(each, "name"), {})
            result = RecordedResult(call_id, said, is_error=True)
            before = chat.turns[turn]
            chat.turns[turn] = replace(before, calls=(*before.calls, call), results=(*before.results, result))


def _given(path: Path, chat: _Chat) -> Recorded:
    _add_unwritten(chat)
    turns = list(chat.turns.values())
    if turns and chat.told:
        turns[-1] = replace(turns[-1], feedback="\n\n".join(chat.told))
    name = text_at(chat.head, "sessionId")
    if turns and not name:
        yield Refusal(shown(path), 0, "The file says no sessionId; its beginning is missing.")
    elif turns:
        # The parent of a subagent's chat, which only its folder's name shows; empty for none.
        kind = text_at(chat.head, "kind")
        folder = path.absolute().parent.name
        parent = folder if kind == "subagent" and folder not in {"", "chats", name} else ""
        yield RecordedSession(
            name,
            None,
            next((turn.model for turn in reversed(turns) if turn.model), ""),
            text_at(chat.head, "summary"),
            tuple(turns),
            source=NAME,
            metadata={"project_hash": text_at(chat.head, "projectHash")},
            details=SessionDetails(
                title=text_at(chat.head, "summary"),
                title_from=TitleOrigin.AGENT if text_at(chat.head, "summary") else None,
                project=_project(path) or next(iter(texts_at(chat.head, "directories")), ""),
                agent=NAME,
            ),
            ids="source",
            started_at=time_at(chat.head, "startTime"),
            finished_at=time_at(chat.head, "lastUpdated"),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
        )
    yield from left_out(shown(path), chat.passed)


def _project(path: Path) -> str:
    """Return the agent's working folder, from a file above the chats; empty if there is none."""
    above = path.absolute().parents
    roots = (folder.parent / ".project_root" for folder in above[:2] if folder.name == "chats")
    try:
        return next((root.read_text("utf-8")[:_MOST_PATH].strip() for root in roots if root.is_file()), "")
    except (OSError, ValueError):
        return ""


_MOST_PATH = 4096

_TOOLS = (
    "glob", "google_web_search", "list_directory", "read_file", "read_many_files", "replace",
    "run_shell_command", "save_memory", "search_file_content", "web_fetch", "write_file",
    "write_todos",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "Gemini CLI",
    Capture.CALLS,
    read,
    recognise,
    patterns=("session-*.json", "session-*.jsonl", "*.jsonl.gz"),
    wordings=_WORDINGS,
    loses="The text of calls, why a response ended, how long it took, the tools that were offered, instructions.",
    fields=("sessionId", "projectHash", "startTime"),
    tools=_TOOLS,
)
