"""opencode's storage tree, and what ``opencode export`` writes.

Defined by sst/opencode, ``packages/opencode/src/storage/storage.ts``. In the tree a session is a file ``session/PROJECT/ID.json``; its messages are
``message/ID/*.json``, their parts ``part/MESSAGE/*.json`` beside it. An export is one document with ``info`` and ``messages``, each with its
``parts``.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.formats.opencode.messages import Told, session
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.sources.access import object_at, objects_at, text_at
from actionledger.imports.sources.base import LeftOut, Recorded, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.cut import Elements
from actionledger.imports.sources.documents import document_or_part, json_document

_NAME = re.compile(r"[\w-]{1,100}")
"""What may be part of a path: identifiers are somebody else's."""


def read_document(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session of the tree, by its file, or of an export; a message's or a part's file is read with its session's."""
    document, reason = document_or_part(path, on_read, Elements(("messages",), known_by=("info",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(document, dict):
        raise SourceError(f"{shown(path)!r} is no session of opencode's but {type(document).__name__}.")
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


def is_of_tree(value: Mapping[str, Any]) -> bool:
    """Return whether a file is a message's or a part's, which are read with their session."""
    return {"id", "sessionID"} <= value.keys() and ("messageID" in value or "role" in value)


def _read_with(path: Path, name: str) -> tuple[LeftOutReason, str]:
    """Return why a message's or a part's file gives nothing by itself."""
    sessions = path.absolute().parents[2] / "session"
    is_there = _NAME.fullmatch(name) and any(sessions.glob(f"*/*{name}.json"))
    return LeftOutReason.DUPLICATE if is_there else LeftOutReason.NO_SESSION, "message or part"


def _in_tree(path: Path, name: str) -> Iterator[Told | Refusal]:
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
