"""goose's database, ``~/.local/share/goose/sessions/sessions.db``.

Defined by block/goose, ``crates/goose/src/session/session_manager.rs``: a row of ``sessions`` and of ``messages`` for each; the columns of later versions are read where
they are there.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from actionledger.core.errors import SourceError
from actionledger.imports.formats.goose.messages import session
from actionledger.imports.sources.base import Recorded, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.databases import Database, Row, decoded

TABLES: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "working_dir"}),
    "messages": frozenset({"session_id", "role", "content_json", "created_timestamp"}),
}
"""The columns by which it is known, which every version of it has."""

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
            raise SourceError(f"{shown(path)!r} is no database of goose's: it has no table {min(missing)!r}.")
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


def _messages(path: Path, database: Database, name: object) -> Iterator[Mapping[str, Any] | Refusal]:
    for row in database.rows("messages", _MESSAGE, order=("id",), session_id=name):
        try:
            content = decoded(row["content_json"])
        except ValueError as error:
            where = f"message {row.get('id')} of session {str(name)[:80]!r}"
            yield Refusal(shown(path), 0, f"The content of {where} is no JSON: {error}.")
            continue
        yield {
            "id": row.get("message_id"),
            "role": row["role"],
            "created": row["created_timestamp"],
            "content": content,
            "metadata": _value(row.get("metadata_json")),
        }


def _value(text: object) -> Any:
    """Return the value of a column that says something beside; None where it holds none."""
    try:
        return decoded(text)
    except ValueError:
        return None
