"""Crush's database, ``.crush/crush.db`` in the folder of a project.

Defined by charmbracelet/crush, ``internal/db/migrations`` and ``internal/message/content.go``, which was read; it was not run. A message's parts are
JSON in one column, each with its ``type`` and ``data``; arguments are the text that the model wrote. A subagent's session is named after its message
and call. The session has token counts, but a response has none.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports.shapes.base import Message, Passed, left_out, since_epoch
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    count_at,
    exit_status_of,
    non_empty,
    number_at,
    object_at,
    text_at,
)
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.databases import Database, Row, decoded, is_database_with
from actionledger.imports.sources.usage import broken_off

NAME = "crush"

TABLES: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "parent_session_id", "title", "prompt_tokens", "completion_tokens"}),
    "messages": frozenset({"id", "session_id", "role", "parts", "model"}),
}
"""The columns by which it is recognized, which every version of it has."""

_SESSION = ("id", "parent_session_id", "title", "prompt_tokens", "completion_tokens", "cost", "created_at", "updated_at", "workspace_cwd")  # fmt: skip
_MESSAGE = ("id", "role", "parts", "model", "created_at", "finished_at", "provider", "is_summary_message")
_SPEAKERS: JsonMap = {"assistant": "model", "user": "person", "system": "system", "tool": "tool"}
_EXITED = regex(r"(?:\A|\n)Exit code (\d{1,10})(?:\s{1,4}<cwd>[^\n<]{0,4000}</cwd>)?\s*\Z")
_SHELLS = frozenset({"bash"})

_WORDINGS = (
    Wording(
        r"(?i)^user denied permission|^permission denied\b",
        Reason.REJECTED,
        "User denied permission",
        is_telling=True,
    ),
    Wording(r"(?i)^old_string not found in file", Reason.NO_MATCH, "old_string not found in file."),
    Wording(
        r"(?i)^old_string appears multiple times",
        Reason.SEVERAL_MATCHES,
        "old_string appears multiple times in the file.",
    ),
    Wording(
        r"(?i)^you must read the file before editing it",
        Reason.NOT_READ,
        "you must read the file before editing it. Use the View tool first",
    ),
    Wording(
        r"(?i)^Tool execution canceled by user",
        Reason.STOPPED,
        "Tool execution canceled by user",
        is_telling=True,
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a database."""
    passed: Passed = Counter()
    with Database.at(path) as database:
        if missing := TABLES.keys() - database.tables.keys():
            raise SourceError(
                f"{shown(path)!r} is not a database of Crush's: it has no table {min(missing)!r}."
            )
        try:
            for row in database.rows("sessions", _SESSION, order=("created_at", "id")):
                yield from _session(path, database, row, passed)
        except SourceError as error:
            yield Refusal(shown(path), 0, str(error))
    yield from left_out(shown(path), passed)
    if on_read:
        on_read(path.stat().st_size)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a database of Crush's."""
    return 1.0 if is_database_with(sample, TABLES) else 0.0


def _session(path: Path, database: Database, row: Row, passed: Passed) -> Recorded:
    conversation, name = MessageTurns(), text_at(row, "id")
    for message in database.rows("messages", _MESSAGE, order=("created_at", "rowid"), session_id=row["id"]):
        try:
            parts = decoded(message["parts"])
        except ValueError as error:
            where = f"message {str(message['id'])[:80]!r}"
            yield Refusal(shown(path), 0, f"The parts of {where} are no JSON: {error}.")
            continue
        conversation.add(_message(message, parts if isinstance(parts, list) else []))
    passed.update(conversation.passed)
    turns = conversation.done(Capture.ARGUMENTS, splits=True)
    if not name or not turns:
        return
    above, title = text_at(row, "parent_session_id"), text_at(row, "title")
    sums = {
        "input_tokens": count_at(row, "prompt_tokens"),
        "output_tokens": count_at(row, "completion_tokens"),
    }
    known = {
        "title": title,
        "cwd": text_at(row, "workspace_cwd")
        or (str(path.absolute().parent.parent) if path.absolute().parent.name == ".crush" else ""),
    }
    yield RecordedSession(
        name,
        None,
        next((turn.model for turn in reversed(turns) if turn.model), ""),
        title[:200],
        turns,
        metadata=non_empty(known)
        | {
            key: value
            for key, value in (*sums.items(), ("cost_usd", number_at(row, "cost")))
            if value is not None
        },
        details=SessionDetails(aborted=broken_off(turns[-1].usage.finish_reason)),
        source=NAME,
        parent=above,
        relation=Relation.SUBAGENT if above else None,
        ids="source",
        started_at=since_epoch(row.get("created_at")),
        finished_at=since_epoch(row.get("updated_at")),
    )


def _message(row: Row, parts: list[Any]) -> Message:
    found = Message(
        _SPEAKERS.get(text_at(row, "role"), "tool"),
        message_id=text_at(row, "id"),
        model=text_at(row, "model"),
        occurred_at=since_epoch(row.get("created_at")),
    )
    if text_at(row, "role") not in _SPEAKERS:
        found.unknown(row.get("role"), row)
    if row.get("is_summary_message") == 1:
        found.pass_over(LeftOutReason.COMPACTED, "summary")
    for part in parts:
        if isinstance(part, dict):
            kind = text_at(part, "type")
            data = object_at(part, "data")
            if kind == "text":
                found.say(data.get("text"))
            elif kind == "reasoning":
                found.think(data.get("thinking"), detail=kind)
            elif kind == "tool_call" and data.get("provider_executed") is True:
                found.pass_over(LeftOutReason.RUN_BY_PROVIDER, text_at(data, "name"))
            elif kind == "tool_call":
                name, given = text_at(data, "name"), data.get("input")
                found.calls.append(
                    RecordedCall(text_at(data, "id"), name, given if isinstance(given, str) else "")
                )
            elif kind == "tool_result":
                found.results.append(_result(data))
            elif kind == "finish":
                found.usage = (
                    replace(found.usage, finish_reason=text_at(data, "reason")[:80]) if data else Usage()
                )
            elif kind in {"image_url", "binary"}:
                found.pass_over(LeftOutReason.NO_TEXT, kind)
            elif kind == "shell_command":
                found.pass_over(LeftOutReason.INJECTED_CONTEXT, kind)
            else:
                found.unknown(kind, data)
        else:
            found.pass_over(LeftOutReason.NOT_AN_OBJECT, type(part).__name__)
    return found


def _result(data: JsonMap) -> RecordedResult:
    output, is_error = text_at(data, "content"), data.get("is_error")
    exited = _EXITED.search(output[-5000:]) if text_at(data, "name") in _SHELLS else None
    return RecordedResult(
        text_at(data, "tool_call_id"),
        output,
        is_error=is_error if isinstance(is_error, bool) else None,
        exit_status=exit_status_of(int(exited[1])) if exited else None,
    )


_TOOLS = (
    "agent", "agentic_fetch", "bash", "download", "edit", "fetch", "glob", "grep", "job_kill", "job_output", "ls", "multiedit",
    "sourcegraph", "todos", "view", "write",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "Crush",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("crush*.db",),
    wordings=_WORDINGS,
    loses="Tokens of a response (the session's are metadata), and how long it took; the tools that were offered; instructions; tries that broke off.",
    fields=("session_id", "role", "parts", "model"),
    tools=_TOOLS,
)
