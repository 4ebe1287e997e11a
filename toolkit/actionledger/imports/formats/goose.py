"""goose's sessions: its database, its older files of lines, and its exports."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession, SessionDetails
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, TitleOrigin
from actionledger.imports.shapes.base import Message, Passed, Speaker, left_out, plain, since_epoch
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    count_at,
    object_at,
    objects_at,
    text_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import (
    SAMPLE_BYTES,
    Recorded,
    Refusal,
    Sample,
    Source,
    Wording,
)
from actionledger.imports.sources.containers import OnRead, head_of, shown
from actionledger.imports.sources.databases import HEADER, Database, Row, decoded, is_database_with
from actionledger.imports.sources.json_values import MAX_LINE, Elements, document_or_part, json_lines

# goose's database, ``~/.local/share/goose/sessions/sessions.db``.
TABLES: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "working_dir"}),
    "messages": frozenset({"session_id", "role", "content_json", "created_timestamp"}),
}
"""The columns by which it is recognized, which every version of it has."""

_SESSION = (
    "id",
    "name",
    "description",
    "session_type",
    "working_dir",
    "created_at",
    "updated_at",
    "total_tokens",
    "accumulated_total_tokens",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
    "provider_name",
    "model_config_json",
)
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")


def read_database(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a database."""
    with Database.at(path) as database:
        if missing := TABLES.keys() - database.tables.keys():
            raise SourceError(
                f"{shown(path)!r} is not a database of goose's: it has no table {min(missing)!r}."
            )
        try:
            for row in database.rows("sessions", _SESSION, order=("created_at", "id")):
                yield from _session(path, database, row)
        except SourceError as error:
            yield Refusal(shown(path), 0, str(error))
    if on_read:
        on_read(path.stat().st_size)


def _session(path: Path, database: Database, row: Row) -> Recorded:
    told = []
    for message in _messages(path, database, row["id"]):
        if isinstance(message, Refusal):
            yield message
        else:
            told.append(message)
    yield from session(path, {**row, "model_config": _value(row.get("model_config_json"))}, told)


def _messages(path: Path, database: Database, name: object) -> Iterator[JsonMap | Refusal]:
    for row in database.rows("messages", _MESSAGE, order=("id",), session_id=name):
        try:
            content = decoded(row["content_json"])
        except ValueError as error:
            where = f"message {row.get('id')} of session {str(name)[:80]!r}"
            yield Refusal(shown(path), 0, f"The content of {where} is not JSON: {error}.")
            continue
        yield {
            "id": row.get("message_id"),
            "role": row["role"],
            "created": row["created_timestamp"],
            "content": content,
            "metadata": _value(row.get("metadata_json")),
        }


def _value(text: object) -> Any:
    """Return the value of an optional column; None if it has none."""
    try:
        return decoded(text)
    except ValueError:
        return None


# goose's files: lines from before it had a database, and the output of ``goose session export --format json``.
def read_lines(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file of lines."""
    info: JsonMap = {}
    told, unknown = [], Passed()
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
        elif "role" in item[1]:
            told.append(item[1])
        elif not info and not told:
            info = item[1]
        else:
            unknown[LeftOutReason.UNKNOWN_KIND, unknown_as("line", item[1])] += 1
    yield from left_out(shown(path), unknown)
    yield from session(path, {**info, "id": path.name.partition(".jsonl")[0]}, told)


# goose's sessions and messages: the same in lines, in an export and in a database.
NAME = "goose"

_OWN_SESSION = regex(r"\d{8}_\d{1,5}")
"""Names that the database itself gave to its sessions."""

_SPEAKERS: Mapping[str, Speaker] = {"assistant": "model", "user": "person"}
_TOKENS = (
    "total_tokens",
    "accumulated_total_tokens",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
)
_OTHERS = {
    "image": LeftOutReason.NO_TEXT,
    "jsonRenderSpec": LeftOutReason.NO_TEXT,
    "toolConfirmationRequest": LeftOutReason.BOOKKEEPING,
    "actionRequired": LeftOutReason.BOOKKEEPING,
    "systemNotification": LeftOutReason.BOOKKEEPING,
    "contextLengthExceeded": LeftOutReason.BOOKKEEPING,
    "summarizationRequested": LeftOutReason.BOOKKEEPING,
    "conversationCompacted": LeftOutReason.COMPACTED,
}
"""The parts that are neither text nor reasoning, call or result."""


def session(path: Path, info: JsonMap, told: Iterable[JsonMap]) -> Recorded:
    """Yield a session, if it has turns, and the skip counts."""
    name, conversation = text_at(info, "id"), MessageTurns()
    for message in _merged(map(message_of, told), name):
        conversation.add(message)
    turns = conversation.done(Capture.CALLS, splits=True)
    if turns and not name:
        yield Refusal(shown(path), 0, "A session has no id.")
    elif turns:
        kept = {key: count for key in _TOKENS if (count := count_at(info, key)) is not None}
        kind = text_at(info, "session_type")
        yield RecordedSession(
            name,
            None,
            text_at(object_at(info, "model_config"), "model_name"),
            (text_at(info, "name") or text_at(info, "description"))[:200],
            turns,
            source=NAME,
            metadata={"cwd": text_at(info, "working_dir"), "provider": text_at(info, "provider_name")} | kept,
            details=_details(info),
            labels=(kind,) if kind else (),
            started_at=time_at(info, "created_at"),
            finished_at=time_at(info, "updated_at"),
        )
    yield from left_out(shown(path), conversation.passed)


def _details(info: JsonMap) -> SessionDetails:
    title = text_at(info, "name") or text_at(info, "description")
    by_person = bool(info.get("user_set_name"))
    origin = TitleOrigin.PERSON if by_person else TitleOrigin.AGENT
    return SessionDetails(
        title=title,
        title_from=origin if title else None,
        project=text_at(info, "working_dir"),
        agent=NAME,
    )


def message_of(value: JsonMap) -> Message:
    """Return a message with its calls and results."""
    speaker = _SPEAKERS.get(text_at(value, "role"))
    if speaker is None or object_at(value, "metadata").get("userVisible") is False:
        found = Message("tool")
        if speaker is None:
            found.unknown(value.get("role"), value)
        else:
            found.pass_over(LeftOutReason.INJECTED_CONTEXT, "for the model alone")
        return found
    found = Message(speaker, message_id=text_at(value, "id"), occurred_at=since_epoch(value.get("created")))
    for part in objects_at(value, "content"):
        kind = text_at(part, "type")
        if kind == "text":
            found.say(part.get("text"))
        elif kind in {"toolRequest", "frontendToolRequest"}:
            # Add a call; one that goose couldn't parse has neither name nor arguments.
            made = object_at(object_at(part, "toolCall"), "value")
            found.call(part.get("id"), made.get("name"), made.get("arguments"))
        elif kind == "toolResponse":
            _read_result(part, found)
        elif kind in {"thinking", "reasoning"}:
            found.think(part.get("thinking"), part.get("text"), detail=kind)
        elif kind == "redactedThinking":
            found.pass_over(LeftOutReason.ENCRYPTED, kind)
        elif kind in _OTHERS:
            found.pass_over(_OTHERS[kind], kind)
        else:
            found.unknown(kind, part)
    return found


def _merged(messages: Iterable[Message], session_name: str) -> Iterator[Message]:
    """Yield messages; pieces of a streamed message are joined, and a later message with its name gets another one."""
    held, held_id = None, ""
    seen: Counter[str] = Counter()
    for message in messages:
        # A message's identifier; empty to use its index. The database gave messages imported from files a name that the files lack.
        message_id = message.message_id
        made, _, rest = message_id.partition(f"msg_{session_name}_")
        is_made = not made and bool(rest)
        name = "" if is_made and (rest.isdigit() or not _OWN_SESSION.fullmatch(session_name)) else message_id
        is_model = message.speaker == "model"
        if held is not None and is_model and name and name == held_id:
            begin = len(held.text)
            held.say(message.text)
            held.calls += [replace(call, at=begin + (call.at or 0)) for call in message.calls]
            held.passed.update(message.passed)
            held.reasoning += message.reasoning
            continue
        if held is not None:
            yield held
        held, held_id = (message, name) if is_model else (None, "")
        if not is_model:
            yield message
            continue
        message.message_id = f"{name}#{seen[name]}" if name and seen[name] else name
        seen[name] += 1
    if held is not None:
        yield held


def _read_result(part: JsonMap, found: Message) -> None:
    result = object_at(part, "toolResult")
    value = result.get("value")
    if text_at(result, "status") == "error":
        found.result(part.get("id"), result.get("error"), is_error=True)
    elif isinstance(value, dict):
        is_error = value.get("isError")
        said = is_error if isinstance(is_error, bool) else None
        found.result(part.get("id"), _for_the_model(value.get("content")), is_error=said)
    else:
        found.result(part.get("id"), _for_the_model(value))


def _for_the_model(content: object) -> object:
    """Return a result's content without the parts for people only: they repeat it in other words."""
    if not isinstance(content, list):
        return content
    return plain([part for part in content if not isinstance(part, dict) or _is_for_the_model(part)])


def _is_for_the_model(part: JsonMap) -> bool:
    audience = object_at(part, "annotations").get("audience")
    return not isinstance(audience, list) or "assistant" in audience


_FIRST_LINE = (
    {"working_dir", "description"},
    {"working_dir", "message_count"},
    {"working_dir", "total_tokens"},
)
_PARTS = frozenset({"toolRequest", "toolResponse", "frontendToolRequest"})

_WORDINGS = (
    Wording(
        r"^The user has declined to run this tool",
        Reason.REJECTED,
        "The user has declined to run this tool. DO NOT attempt to call this tool again.",
        is_telling=True,
    ),
    Wording(
        r"^Let the user know the tool call was skipped in goose chat mode",
        Reason.NOT_APPROVED,
        "Let the user know the tool call was skipped in goose chat mode. DO NOT apologize for skipping the tool call.",
        is_telling=True,
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file of lines or of an export, or all of a database."""
    head = head_of(path, SAMPLE_BYTES, MAX_LINE)
    if head.startswith(HEADER):
        yield from read_database(path, on_read)
    elif _is_document(head):
        document, reason = document_or_part(path, on_read, Elements(("conversation",), known_by=("id",)))
        if reason:
            yield Refusal(shown(path), 0, reason)
        if not isinstance(document, dict):
            raise SourceError(f"{shown(path)!r} is not a session of goose's but {type(document).__name__}.")
        yield from session(path, document, objects_at(document, "conversation"))
    else:
        yield from read_lines(path, on_read)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session of goose's, or its database."""
    first = sample.first
    if not isinstance(first, dict):
        return 1.0 if is_database_with(sample, TABLES) else 0.0
    if "conversation" in first:
        return 1.0 if {"id", "working_dir", "extension_data"} <= first.keys() else 0.0
    if "role" not in first and any(fields <= first.keys() for fields in _FIRST_LINE):
        return 1.0
    messages = (value for value in islice(sample.values, 10) if isinstance(value, dict))
    kinds = {
        text_at(part, "type")
        for each in messages
        if "created" in each
        for part in objects_at(each, "content")
    }
    return 0.9 if kinds & _PARTS else 0.0


def _is_document(head: bytes) -> bool:
    """Return whether a file is an export: on one line, possibly longer than its head, or on several."""
    first, line_end, _ = head.strip().partition(b"\n")
    try:
        value = decoded(first.decode(errors="replace"))
    except ValueError:
        return not line_end or first.strip() == b"{"
    return isinstance(value, dict) and "conversation" in value


SOURCE = Source(
    NAME,
    "goose",
    Capture.CALLS,
    read,
    recognise,
    patterns=("sessions.db", "*.db", "*.jsonl", "*.jsonl.gz", "*.json"),
    wordings=_WORDINGS,
    loses="The text of calls, and of those that couldn't be read all but their number; the tools that were offered; tokens of a "
    "response (the session's are metadata), how long it took and, before version 6 of the database, the model; which calls were of one response, where each stands in a message of its own; whose child a session is.",
    fields=("working_dir", "description", "message_count"),
    other_fields=(("id", "working_dir", "extension_data", "conversation"),),
)
