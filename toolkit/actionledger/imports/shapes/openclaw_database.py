"""openclaw's database of an agent, ``~/.openclaw/agents/AGENT/agent/openclaw-agent.sqlite``, which it keeps transcripts in since 2026.9.

What the lines of pi's files hold stands in the column ``event_json`` of the table ``transcript_events``; a large one is packed (``event_zstd``).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from actionledger.core.compressed import unpacked_zstd
from actionledger.core.depth import is_deeper
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.databases import Database, Row
from actionledger.imports.sources.lines import MAX_DEPTH

TABLES: Mapping[str, frozenset[str]] = {"transcript_events": frozenset({"session_id", "seq", "event_json"})}
"""The columns by which it is known."""

MAX_EVENT = 4 * 2**20
"""The largest event that openclaw packs, in bytes."""


def events_of_database(
    path: Path, on_read: OnRead | None = None
) -> Iterator[tuple[int, dict[str, Any]] | Refusal]:
    """Yield the events of a database, session by session, each with its number; what can't be read is a refusal."""
    columns = ("session_id", "seq", "event_json", "event_zstd")
    with Database.at(path) as database:
        for number, row in enumerate(
            database.rows("transcript_events", columns, order=("session_id", "seq")), 1
        ):
            try:
                yield number, _event(row)
            except ValueError as error:
                where = f"event {row.get('seq')} of session {str(row.get('session_id'))[:80]!r}"
                yield Refusal(shown(path), 0, f"The {where} can't be read: {error}.")
    if on_read:
        on_read(path.stat().st_size)


def _event(row: Row) -> dict[str, Any]:
    text, packed = row.get("event_json"), row.get("event_zstd")
    if text is None and isinstance(packed, bytes):
        text = unpacked_zstd(packed, MAX_EVENT)
    if not isinstance(text, str | bytes):
        raise ValueError("it holds no text")  # noqa: TRY004 - the value is somebody else's
    value = from_json(text)
    if not isinstance(value, dict):
        raise ValueError(f"it is no object, but {type(value).__name__}")  # noqa: TRY004 - the same
    if is_deeper(value, MAX_DEPTH):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    return value
