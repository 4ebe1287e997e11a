"""opencode's database, ``~/.local/share/opencode/opencode.db``, which it keeps its sessions in since 1.2.

Defined by sst/opencode, ``packages/opencode/src/session/session.sql.ts``: what the files of the storage tree held stands in the column ``data`` of the tables
``message`` and ``part``, without its identifiers, which are columns.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.errors import SourceError
from actionledger.core.values.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.formats.opencode.messages import Copies, Told, session
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.sources.access import text_at
from actionledger.imports.sources.base import Item, Recorded, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.databases import Database, Row, decoded

TABLES: Mapping[str, frozenset[str]] = {
    "session": frozenset({"id", "project_id", "directory"}),
    "message": frozenset({"id", "session_id", "data"}),
    "part": frozenset({"id", "message_id", "session_id", "data"}),
}
"""The columns by which it is known, which every version of it has."""

_SESSION = {
    "id": "id",
    "project_id": "projectID",
    "parent_id": "parentID",
    "directory": "directory",
    "title": "title",
    "version": "version",
}
"""What the files of the tree call a column of a session."""

_KILO = "kilo_"
"""What names of tables begin with that Kilo alone has."""

_NEWER = "session_message"
"""The table of messages that later versions try out."""


def read_database(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a database."""
    passed: Passed = Counter()
    copies = Copies()
    with Database.at(path) as database:
        if missing := TABLES.keys() - database.tables.keys():
            raise SourceError(
                f"{shown(path)!r} is no database of opencode's: it has no table {min(missing)!r}."
            )
        times = ("time_created", "time_updated")
        is_kilo = any(name.startswith(_KILO) for name in database.tables)
        try:
            for row in database.rows("session", (*_SESSION, *times), order=("time_created", "id")):
                for piece in _session(path, database, row, passed, copies):
                    yield _of_kilo(piece) if is_kilo else piece
        except SourceError as error:
            yield Refusal(shown(path), 0, str(error))
    yield from left_out(shown(path), passed)
    if on_read:
        on_read(path.stat().st_size)


def _of_kilo(item: Item) -> Item:
    """Return what was read of a database of Kilo's, which is a fork of opencode, with versions of its own."""
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
    if not told and _NEWER in database.tables:
        for newer in database.rows(_NEWER, ("type",), order=("id",), session_id=row["id"]):
            passed[LeftOutReason.UNKNOWN_KIND, f"{_NEWER} {newer.get('type')}"[:40]] += 1
    told, origin = copies.known(text_at(info, "id"), told)
    yield from session(path, info, told, passed, origin)


def _messages(path: Path, database: Database, name: str) -> Iterator[Told | Refusal]:
    """Yield the messages of a session with their parts, and what of them can't be read."""
    parts: dict[object, list[Mapping[str, Any]]] = {}
    columns = ("id", "message_id", "data")
    for row in database.rows("part", columns, order=("message_id", "id"), session_id=name):
        part = _object(path, "part", row)
        if isinstance(part, Refusal):
            yield part
        else:
            parts.setdefault(row["message_id"], []).append(part)
    for row in database.rows("message", ("id", "data"), order=("time_created", "id"), session_id=name):
        message = _object(path, "message", row)
        yield message if isinstance(message, Refusal) else (message, parts.pop(row["id"], []))


def _object(path: Path, table: str, row: Row) -> Mapping[str, Any] | Refusal:
    where = f"{table} {str(row['id'])[:80]!r}"
    try:
        value = decoded(row["data"])
    except ValueError as error:
        return Refusal(shown(path), 0, f"The data of {where} is no JSON: {error}.")
    if not isinstance(value, dict):
        return Refusal(shown(path), 0, f"The data of {where} is no object, but {type(value).__name__}.")
    return {**value, "id": row["id"]}
