"""One JSON document, plain or gzipped, as a whole."""

import json
import zlib
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from actionledger.core.depth import is_deeper
from actionledger.core.errors import SourceError
from actionledger.core.text import from_utf8_with_halves
from actionledger.imports.sources.containers import OnRead, opened, shown
from actionledger.imports.sources.cut import Elements, whole_part

MAX_DOCUMENT = 256 * 2**20
"""The largest document that is read, in bytes: it takes several times as much memory as a value."""

MAX_DEPTH = 400
"""How deep a document may be nested."""


def json_document(path: Path, on_read: OnRead | None = None) -> Any:
    """Return the value of a file that is one JSON document."""
    value, reason = document_or_part(path, on_read)
    if reason:
        raise SourceError(f"{shown(path)!r}: {reason}")
    return value


def document_or_part(path: Path, on_read: OnRead | None, *lists: Elements) -> tuple[Any, str]:
    """Return the value of a file that is one JSON document, or what is whole of one that breaks off."""
    with opened(path, on_read, only_lines=False) as file:
        data, broken = read_all(file)
    if len(data) > MAX_DOCUMENT:
        raise SourceError(f"{shown(path)!r} is one document of more than {MAX_DOCUMENT:,} bytes; split it.")
    reason = ""
    try:
        value = _loads(data)
    except (ValueError, RecursionError) as error:
        part = whole_part(readable(data), 0, lists) if lists else None
        if part is None and broken:
            raise SourceError(f"{shown(path)!r} breaks off: {broken}.") from error
        if part is None:
            raise SourceError(f"{shown(path)!r} is no JSON: {error}.") from error
        value, reason = part
    if is_deeper(value, MAX_DEPTH):
        raise SourceError(f"{shown(path)!r} is nested deeper than {MAX_DEPTH} levels.")
    return value, reason


def read_all(file: Any) -> tuple[bytes, str]:
    """Return what can be read, at most one byte more than a document may have, and why there is no more; empty for the end."""
    parts: list[bytes] = []
    size = 0
    try:
        while size <= MAX_DOCUMENT and (part := file.read(2**20)):
            parts.append(part)
            size += len(part)
    except (OSError, EOFError, zlib.error) as error:
        return b"".join(parts), str(error)
    return b"".join(parts), ""


def readable(data: bytes) -> str:
    """Return a document as text, up to where it is none."""
    try:
        return from_utf8_with_halves(data).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return from_utf8_with_halves(data[: error.start]).removeprefix("\ufeff")


def _loads(data: bytes) -> Any:
    try:
        return from_json(data)
    except ValueError:
        return json.loads(from_utf8_with_halves(data).removeprefix("\ufeff"))
