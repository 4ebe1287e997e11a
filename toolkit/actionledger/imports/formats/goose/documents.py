"""goose's files: the lines of before it had a database, and what ``goose session export --format json`` writes.

Defined by block/goose, ``crates/goose/src/session/legacy.rs`` and ``session_manager.rs``. The first line of a file says what the session is, each other line
is a message; its name is the file's. An export is one document, the session with its ``conversation``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.formats.goose.messages import session
from actionledger.imports.sources.access import objects_at
from actionledger.imports.sources.base import LeftOut, Recorded, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.cut import Elements
from actionledger.imports.sources.documents import document_or_part
from actionledger.imports.sources.lines import json_lines


def read_lines(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file of lines."""
    info: Mapping[str, Any] = {}
    told, unknown = [], 0
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
        elif "role" in item[1]:
            told.append(item[1])
        elif not info and not told:
            info = item[1]
        else:
            unknown += 1
    if unknown:
        yield LeftOut(shown(path), LeftOutReason.UNKNOWN_KIND, "line", unknown)
    yield from session(path, {**info, "id": path.name.partition(".jsonl")[0]}, told)


def read_export(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of an export."""
    document, reason = document_or_part(path, on_read, Elements(("conversation",), known_by=("id",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(document, dict):
        raise SourceError(f"{shown(path)!r} is no session of goose's but {type(document).__name__}.")
    yield from session(path, document, objects_at(document, "conversation"))
