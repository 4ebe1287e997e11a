"""The JSON values of a file, however they stand in it: one document, a list of them, one a line, or one behind the other.

What exports traces writes either, often under the same name: a collector's file a line a batch, a download one list, a console
one object behind the other over many lines.
"""

import json
import re
import zlib
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from pydantic_core import from_json

from actionledger.core.depth import is_deeper
from actionledger.core.errors import SourceError
from actionledger.core.text import from_utf8_with_halves
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.containers import OnRead, head_of, is_document, opened, shown
from actionledger.imports.sources.documents import (
    MAX_DOCUMENT,
    MAX_DOCUMENT_DEPTH,
    Elements,
    read_all,
    readable,
    whole_part,
)

# Lines of JSON, plain or gzipped: what can't be decoded is a refusal, and the rest goes on.
MAX_LINE = 16 * 2**20
"""The longest line that is read, in bytes; what is recorded of it, escaped twice, still fits into an event."""

_SKIPPED = 128 * 1024
"""How much of a line that is too long is read at a time, in bytes: larger pieces take nine times as long."""

MAX_DEPTH = 200
"""How deep a line's value may be nested, the line's own object included."""


def json_lines(path: Path, on_read: OnRead | None = None) -> Iterator[tuple[int, dict[str, Any]] | Refusal]:
    """Yield each line's number and object; blank lines are passed over.

    A line may hold several objects one behind the other, as two writers leave them who write to one file.
    """
    number = 0
    with opened(path, on_read) as file:
        try:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    yield Refusal(shown(path), number, f"The line is longer than {MAX_LINE:,} bytes.")
                    if not line.endswith(b"\n"):
                        _skip_line(file)
                elif (value := _one_object(line)) is not None:
                    yield number, value
                elif not line.isspace():
                    yield from _lines_decoded(path, number, line)
        except (OSError, EOFError, zlib.error) as error:
            yield Refusal(shown(path), number + 1, f"The file breaks off here: {error}.")


def _skip_line(file: IO[bytes]) -> None:
    while (rest := file.readline(_SKIPPED)) and not rest.endswith(b"\n"):
        pass


def _one_object(line: bytes) -> dict[str, Any] | None:
    """Return a line's object, if it is just that, as nearly all of them are; what else it may be takes longer to tell."""
    try:
        value = from_json(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _lines_decoded(path: Path, number: int, line: bytes) -> Iterator[tuple[int, dict[str, Any]] | Refusal]:
    try:
        for value in _values(line):
            if isinstance(value, dict):
                yield number, value
            else:
                yield Refusal(shown(path), number, f"The line holds no object but {type(value).__name__}.")
    except UnicodeDecodeError as error:
        what = f"The line is no JSON: it is no UTF-8 at byte {error.start}; if the file is in Latin-1: iconv -f LATIN1 -t UTF-8 FILE."
        yield Refusal(shown(path), number, what)
    except RecursionError:
        yield Refusal(
            shown(path), number, f"The line is no JSON: it is nested deeper than {MAX_DEPTH} levels."
        )
    except ValueError as error:
        yield Refusal(shown(path), number, f"The line is no JSON: {error}.")


def _values(line: bytes) -> Iterator[Any]:
    """Yield the values of a line, as a rule one."""
    try:
        yield from_json(line)
    except ValueError:
        # Slower, but it takes half a surrogate pair, which logs of Python programs hold, and a byte order mark.
        text = from_utf8_with_halves(line).removeprefix("\ufeff").strip()
    else:
        return
    place = 0
    while place < len(text):
        value, end = _DECODER.raw_decode(text, place)
        if not isinstance(value, dict) and (place or end < len(text)):
            raise ValueError(f"Extra data: char {place or end}")
        if is_deeper(value, MAX_DEPTH):
            raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
        yield value
        place = _BLANK.match(text, end).end()  # type: ignore[union-attr]


_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"\s*")
_SEEN = 40
_HEAD = 2**16


def json_objects(
    path: Path, on_read: OnRead | None = None, *lists: Elements
) -> Iterator[dict[str, Any] | Refusal]:
    """Yield the objects of a file; see ``numbered_objects``."""
    for item in numbered_objects(path, on_read, *lists):
        yield item if isinstance(item, Refusal) else item[1]


def numbered_objects(
    path: Path, on_read: OnRead | None = None, *lists: Elements
) -> Iterator[tuple[int, dict[str, Any]] | Refusal]:
    """Yield the objects of a file, those of a list one by one, each with its number: of its line, or of its place.

    A file of which a line is an object by itself is read line by line, however large it is; any other as a whole.
    """
    if _has_lines(head_of(path, _HEAD, MAX_LINE)):
        yield from json_lines(path, on_read)
        return
    number = 0
    for value in _of_document(path, on_read, lists):
        for each in value if isinstance(value, list) else [value]:
            number += 1
            if isinstance(each, dict):
                yield number, each
            elif isinstance(each, Refusal):
                yield each
            else:
                yield Refusal(shown(path), number, f"The place holds no object but {type(each).__name__}.")


def objects_of(sample: Sample) -> list[dict[str, Any]]:
    """Return the objects at the beginning of a sample, those of a list among them."""
    found = [
        each for value in sample.values for each in (value[:_SEEN] if isinstance(value, list) else [value])
    ]
    return [each for each in islice(found, _SEEN) if isinstance(each, dict)]


def _has_lines(head: bytes) -> bool:
    """Return whether a line is an object by itself, behind a broken one too; a list's or an object's may be, and are none."""
    return not is_document(head) and any(map(_is_object, head.split(b"\n")[:_SEEN]))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(from_json(line), dict)
    except (ValueError, RecursionError):
        return False


def _of_document(path: Path, on_read: OnRead | None, lists: Collection[Elements]) -> Iterator[Any]:
    with opened(path, on_read, only_lines=False) as file:
        data, broken = read_all(file)
    if len(data) > MAX_DOCUMENT:
        raise SourceError(f"{shown(path)!r} is one document of more than {MAX_DOCUMENT:,} bytes; split it.")
    for value in _decoded(path, data, lists):
        if is_deeper(value, MAX_DOCUMENT_DEPTH):
            yield Refusal(shown(path), 0, f"A value is nested deeper than {MAX_DOCUMENT_DEPTH} levels.")
        else:
            yield value
    if broken:
        yield Refusal(shown(path), 0, f"The file breaks off: {broken}.")


def _decoded(path: Path, data: bytes, lists: Collection[Elements]) -> Iterator[Any]:
    """Yield one value, or several that stand one behind the other; of one that breaks off what is whole, and a refusal."""
    try:
        yield from_json(data)
    except (ValueError, RecursionError):
        text = readable(data)
        place = _blank_end(text, 0)
        try:
            while place < len(text):
                value, place = _DECODER.raw_decode(text, place)
                yield value
                place = _blank_end(text, place)
        except (ValueError, RecursionError) as error:
            if part := whole_part(text, place, lists):
                yield part.value
            yield Refusal(shown(path), 0, part.reason if part else f"The file is no JSON: {error}.")


def _blank_end(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place
