"""opencode's sessions: its storage tree, the output of ``opencode export``, and its database."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.shapes.opencode_messages import NAME, Copies, Told, session
from actionledger.imports.sources.access import object_at, objects_at, text_at
from actionledger.imports.sources.base import Item, LeftOut, Recorded, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, head_of, shown
from actionledger.imports.sources.databases import HEADER, Database, Row, decoded, is_database_with
from actionledger.imports.sources.json_values import Elements, document_or_part, json_document

_BY_CLIENT = frozenset({"synthetic", "system"})


def told_of(kind: str, value: JsonMap) -> Told:
    """Return a message and its parts in the form of the first engine's."""
    message = {"id": value.get("id"), "time": value.get("time"), "role": "user"}
    if kind == "assistant":
        model, error = object_at(value, "model"), object_at(value, "error")
        finish = text_at(value, "finish")
        message |= {"role": kind, "modelID": text_at(model, "id"), "finish": finish}
        message |= {name: value[name] for name in ("cost", "tokens") if name in value}
        if error:
            message["error"] = {"name": finish or "error", "message": text_at(error, "message")}
        return message, [_part(part) for part in objects_at(value, "content")]
    if kind == "user" or kind in _BY_CLIENT:
        words = {"type": "text", "text": text_at(value, "text"), "synthetic": kind in _BY_CLIENT}
        return message, [words, *({"type": "file"} for _ in objects_at(value, "files"))]
    return message, [{"type": kind, **value}]


def _part(part: JsonMap) -> JsonMap:
    if text_at(part, "type") != "tool":
        return part
    state, times = object_at(part, "state"), object_at(part, "time")
    words = [
        text_at(each, "text") for each in objects_at(state, "content") if text_at(each, "type") == "text"
    ]
    return {
        "type": "tool",
        "callID": text_at(part, "id"),
        "tool": text_at(part, "name"),
        "state": {
            "status": state.get("status"),
            "input": state.get("input"),
            "output": "\n".join(words) or state.get("result"),
            "error": text_at(object_at(state, "error"), "message") or "\n".join(words),
            "metadata": object_at(state, "structured"),
            "time": {"start": times.get("ran"), "end": times.get("completed")},
        },
    }


# opencode's database, ``~/.local/share/opencode/opencode.db``, which has its sessions since 1.2.
TABLES: Mapping[str, frozenset[str]] = {
    "session": frozenset({"id", "project_id", "directory"}),
    "message": frozenset({"id", "session_id", "data"}),
    "part": frozenset({"id", "message_id", "session_id", "data"}),
}
"""The columns by which it is recognized, which every version of it with the first engine has."""

NEWER_TABLES: Mapping[str, frozenset[str]] = {
    "session_message": frozenset({"id", "session_id", "type", "data"})
}
"""The same of the second engine, which 1.18 has beside the first; later versions may have it alone."""

_SESSIONS = ("session", "session_v2")
"""The tables of sessions; a later version has the second alone."""

_SESSION = {
    "id": "id",
    "project_id": "projectID",
    "parent_id": "parentID",
    "directory": "directory",
    "title": "title",
    "version": "version",
}
"""A session's columns, with their names in the tree's files."""

_KILO = "kilo_"
"""The prefix of tables that only Kilo has."""


def read_database(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a database."""
    passed: Passed = Counter()
    copies = Copies()
    with Database.at(path) as database:
        missing = TABLES.keys() - database.tables.keys()
        if missing and not (
            database.tables.keys() >= NEWER_TABLES.keys() and database.tables.keys() & set(_SESSIONS)
        ):
            raise SourceError(
                f"{shown(path)!r} is not a database of opencode's: it has no table {min(missing)!r}."
            )
        times = ("time_created", "time_updated")
        is_kilo = any(name.startswith(_KILO) for name in database.tables)
        try:
            for table in _SESSIONS:
                for row in database.rows(table, (*_SESSION, *times), order=("time_created", "id")):
                    for piece in _session(path, database, row, passed, copies):
                        yield _of_kilo(piece) if is_kilo else piece
        except SourceError as error:
            yield Refusal(shown(path), 0, str(error))
    yield from left_out(shown(path), passed)
    if on_read:
        on_read(path.stat().st_size)


def _of_kilo(item: Item) -> Item:
    """Return an item of a Kilo database: Kilo is a fork of opencode, with version numbers of its own."""
    if not isinstance(item, RecordedSession):
        return item
    return replace(item, metadata={**item.metadata, "agent": "kilo"})


def _session(path: Path, database: Database, row: Row, passed: Passed, copies: Copies) -> Recorded:
    info = {name: row.get(column) for column, name in _SESSION.items()}
    info["time"] = {"created": row.get("time_created"), "updated": row.get("time_updated")}
    told: list[Told] = []
    for message in _messages(path, database, text_at(info, "id")):
        if isinstance(message, Refusal):
            yield message
        else:
            told.append(message)
    told, origin = copies.known(text_at(info, "id"), told)
    yield from session(path, info, told, passed, origin)


def _messages(path: Path, database: Database, name: str) -> Iterator[Told | Refusal]:
    """Yield a session's messages of either engine with their parts, and refusals for unreadable ones."""
    parts: dict[object, list[JsonMap]] = {}
    there = set()
    columns = ("id", "message_id", "data")
    for row in database.rows("part", columns, order=("message_id", "id"), session_id=name):
        part = _object(path, "part", row)
        if isinstance(part, Refusal):
            yield part
        else:
            parts.setdefault(row["message_id"], []).append(part)
    for row in database.rows("message", ("id", "data"), order=("time_created", "id"), session_id=name):
        there.add(row["id"])
        message = _object(path, "message", row)
        yield message if isinstance(message, Refusal) else (message, parts.pop(row["id"], []))
    columns = ("id", "type", "data")
    for row in database.rows("session_message", columns, order=("seq", "id"), session_id=name):
        if row["id"] not in there:
            message = _object(path, "session_message", row)
            yield message if isinstance(message, Refusal) else told_of(str(row["type"]), message)


def _object(path: Path, table: str, row: Row) -> JsonMap | Refusal:
    where = f"{table} {str(row['id'])[:80]!r}"
    try:
        value = decoded(row["data"])
    except ValueError as error:
        return Refusal(shown(path), 0, f"The data of {where} is not JSON: {error}.")
    if not isinstance(value, dict):
        return Refusal(shown(path), 0, f"The data of {where} is not an object, but {type(value).__name__}.")
    return {**value, "id": row["id"]}


# opencode's storage tree, and the output of ``opencode export``.
_NAME = regex(r"[\w-]{1,100}")
"""Identifiers that may be part of a path: another program made them."""


def read_document(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session of the tree, by its file, or of an export; a message's or part's file is read with its session."""
    document, reason = document_or_part(path, on_read, Elements(("messages",), known_by=("info",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(document, dict):
        raise SourceError(f"{shown(path)!r} is not a session of opencode's but {type(document).__name__}.")
    passed: Passed = Counter()
    if is_of_tree(document):
        yield LeftOut(shown(path), *_read_with(path, text_at(document, "sessionID")))
        return
    if "messages" in document:
        info = object_at(document, "info")
        told: list[Told] = [
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
    yield from session(path, info, told, passed)
    yield from left_out(shown(path), passed)


def is_of_tree(value: JsonMap) -> bool:
    """Return whether a file is a message or a part, which is read with its session."""
    return {"id", "sessionID"} <= value.keys() and ("messageID" in value or "role" in value)


def _read_with(path: Path, name: str) -> tuple[LeftOutReason, str]:
    """Return why a message's or a part's file yields nothing by itself."""
    sessions = path.absolute().parents[2] / "session"
    is_there = _NAME.fullmatch(name) and any(sessions.glob(f"*/*{name}.json"))
    return LeftOutReason.DUPLICATE if is_there else LeftOutReason.NO_SESSION, "message or part"


def _in_tree(path: Path, name: str) -> Iterator[Told | Refusal]:
    """Yield a session's messages and their parts, in the order of their files."""
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


def _documents(folder: Path, name: str) -> Iterator[JsonMap | Refusal]:
    if not _NAME.fullmatch(name):
        return
    for file in sorted((folder / name).glob("*.json")):
        try:
            value = json_document(file)
        except SourceError as error:
            yield Refusal(shown(file), 0, str(error))
            continue
        yield value if isinstance(value, dict) else Refusal(shown(file), 0, "The file holds no object.")


_WORDINGS = (
    Wording(
        r"(?i)^(?:Error: )?The user (?:rejected|has rejected) permission",
        Reason.REJECTED,
        "The user rejected permission to use this specific tool call.",
        is_telling=True,
    ),
    Wording(r"(?i)oldString not found in content", Reason.NO_MATCH, "oldString not found in content"),
    Wording(
        r"^Could not find oldString in the file",
        Reason.NO_MATCH,
        "Could not find oldString in the file. It must match exactly, including whitespace.",
        last_seen="1.18.33, kilo 7.7.9",
    ),
    Wording(
        r"(?i)You must read the file|must be read before",
        Reason.NOT_READ,
        "You must read the file a.py before overwriting it.",
    ),
    Wording(r"(?i)Tool execution aborted", Reason.STOPPED, "Tool execution aborted"),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session of the tree, by its file, or of an export, or all sessions of a database."""
    is_database = head_of(path, len(HEADER), 0).startswith(HEADER)
    yield from read_database(path, on_read) if is_database else read_document(path, on_read)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session of opencode's, or its database."""
    first = sample.first
    if isinstance(first, dict):
        info = object_at(first, "info") if "messages" in first else first
        return 1.0 if {"id", "projectID", "directory"} <= info.keys() or is_of_tree(first) else 0.0
    if is_database_with(sample, TABLES) or is_database_with(sample, NEWER_TABLES):
        return 1.0
    head = sample.head.lstrip()[:2000]
    return 0.9 if first is None and b'"projectID"' in head and b'"directory"' in head else 0.0


_TOOLS = (
    "bash", "edit", "glob", "grep", "list", "multiedit", "patch", "read", "skill", "task",
    "todoread", "todowrite", "webfetch", "write",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "opencode and Kilo",
    Capture.CALLS,
    read,
    recognise,
    patterns=("ses_*.json", "*.json", "opencode*.db", "kilo*.db"),
    wordings=_WORDINGS,
    loses="The text of calls, the tools that were offered, instructions, how long a response took.",
    fields=("id", "projectID", "directory"),
    tools=_TOOLS,
    tested="1.18.33",
    other_fields=(("info", "messages"), ("id", "sessionID", "messageID"), ("id", "sessionID", "role")),
)
