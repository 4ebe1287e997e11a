"""Read the JSON values of a file: one document, a list, one value per line, or several in a row.

Trace exporters write any of these, often under the same file name. A collector writes one batch per line, a download is one list, a console prints
objects over many lines.
"""

import json
import re
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from pydantic_core import from_json

from actionledger.core.canonical import JsonDict, is_deeper
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.text import from_utf8_with_halves, may_have_halves, utf8_with_halves
from actionledger.imports.sources.access import as_list
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.containers import OnRead, head_of, is_document, opened, read_all, shown

# The complete part of a JSON document that is cut off or broken in the middle.
_TOKEN = regex(r'(?s)"[^"\\]*(?:\\.[^"\\]*)*(?:"|(?P<cut>\\?\Z))|[\[\]{},]')
_CLOSING = {"{": "}", "[": "]"}


class Elements(NamedTuple):
    """A list in a format's documents that can be read up to where it breaks."""

    # the names of the members that lead to it from the document's object; lists between them have no name
    path: tuple[str, ...]
    # keys that must come before the list: without its name, a session can't be recognized in the whole document later
    known_by: tuple[str, ...] = ()


class WholePart(NamedTuple):
    """The complete part of a document."""

    value: Any  # the document without what is incomplete
    reason: str  # where it breaks and what was kept, as a sentence for people


@dataclass(slots=True)
class _Open:
    """An open list or object."""

    opening: str
    path: tuple[str, ...]
    end: int
    expects_key: bool = False
    key: str = ""
    keys: set[str] = field(default_factory=set)
    count: int = 0

    def __post_init__(self) -> None:
        self.expects_key = self.opening == "{"

    def has(self, end: int) -> None:
        """Note that a child is complete."""
        if end > self.end:
            self.end = end
            self.count += 1
            self.keys.add(self.key)


def whole_part(text: str, start: int, lists: Collection[Elements]) -> WholePart | None:
    """Return the complete part of a document that is cut off or broken; None if none of it can be kept."""
    try:
        _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        broken, end = error.pos, len(text) if error.msg.startswith("Unterminated") else error.pos
    except (RecursionError, ValueError):  # too deep, or a number with more digits than Python allows
        return None
    else:
        return None
    stack = _open_at(text, start, broken)
    level = _level(stack, {each.path: each for each in lists})
    if level is None:
        return None
    kept = stack[: level + 1]
    closing = "".join(_CLOSING[each.opening] for each in reversed(kept))
    value = json.loads(text[start : kept[-1].end] + closing)
    line, place = text.count("\n", 0, end) + 1, len(utf8_with_halves(text[:end]))
    innermost = kept[-1]
    if innermost.opening == "[":
        name = repr(innermost.path[-1]) if innermost.path else "its list"
        kept_of_it = f"of {name}, {innermost.count:,} before that"
    else:
        kept_of_it = "what stands whole before that"
    return WholePart(value, f"The document breaks off at byte {place:,}, line {line:,}; kept: {kept_of_it}.")


def _open_at(text: str, start: int, end: int) -> list[_Open]:
    """Return the open lists and objects at a place in a text that is valid JSON up to there."""
    stack: list[_Open] = []
    for token in _TOKEN.finditer(text, start, end):
        first = text[token.start()]
        inner = stack[-1] if stack else None
        if token["cut"] is not None:
            break
        if first in "{[":
            path = inner.path if inner is not None else ()
            if inner is not None and inner.opening == "{":
                path = (*path, inner.key)
            stack.append(_Open(first, path, token.end()))
        elif inner is None:
            continue
        elif first in "}]":
            stack.pop()
            if stack:
                stack[-1].has(token.end())
        elif first == ",":
            inner.has(token.start())
            inner.expects_key = inner.opening == "{"
        elif inner.expects_key:
            inner.key, inner.expects_key = json.loads(token[0], strict=False), False
    return stack


def _level(stack: list[_Open], lists: dict[tuple[str, ...], Elements]) -> int | None:
    """Return the depth of the innermost list that can be kept up to the break; None if nothing can be kept."""
    for level in range(len(stack) - 1, 0, -1):
        found = lists.get(stack[level].path) if stack[level].opening == "[" else None
        if found and stack[level].count and stack[level - 1].keys.issuperset(found.known_by):
            return level
    if not stack or not stack[0].count:
        return None
    root = stack[0]
    if root.opening == "[":
        return 0
    # The break is after a complete list, or before the first one.
    has_one = any(
        each.path[0] in root.keys and root.keys.issuperset(each.known_by) for each in lists.values()
    )
    return 0 if has_one else None


MAX_DOCUMENT = 256 * 2**20
"""The largest document that is read, in bytes: as a value it takes several times the memory."""

MAX_DOCUMENT_DEPTH = 400
"""The deepest nesting of a document."""


def json_document(path: Path, on_read: OnRead | None = None) -> Any:
    """Return the value of a file that is one JSON document."""
    value, reason = document_or_part(path, on_read)
    if reason:
        raise SourceError(f"{shown(path)!r}: {reason}")
    return value


def document_or_part(path: Path, on_read: OnRead | None, *lists: Elements) -> tuple[Any, str]:
    """Return the value of a JSON document, or its complete part and why the rest is missing."""
    with opened(path, on_read, only_lines=False) as file:
        data, broken = read_all(file, MAX_DOCUMENT)
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
            raise SourceError(f"{shown(path)!r} is not JSON: {error}.") from error
        value, reason = part
    if is_deeper(value, MAX_DOCUMENT_DEPTH):
        raise SourceError(f"{shown(path)!r} is nested deeper than {MAX_DOCUMENT_DEPTH} levels.")
    return value, reason


def readable(data: bytes) -> str:
    """Return a document as text, up to the first invalid byte."""
    try:
        return from_utf8_with_halves(data).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return from_utf8_with_halves(data[: error.start]).removeprefix("\ufeff")


def _loads(data: bytes) -> Any:
    try:
        return from_json(data)
    except ValueError:
        return json.loads(from_utf8_with_halves(data).removeprefix("\ufeff"))


# JSON texts with unpaired surrogates, as programs in Python and JavaScript write them.
def value_of(text: str | bytes) -> Any:
    """Return the value of a JSON text; unpaired surrogates are kept."""
    try:
        return from_json(text)
    except TypeError:  # a text that holds an unpaired surrogate itself
        there = str(text)
    except ValueError:
        there = from_utf8_with_halves(text) if isinstance(text, bytes) else text
        if not may_have_halves(there):
            raise
    return json.loads(there)  # slower, but accepts them


# Lines of JSON, plain or gzipped: a line that can't be decoded is refused, and the next ones are read.
MAX_LINE = 16 * 2**20
"""The longest line that is read, in bytes; escaped twice, it still fits into an event."""

_SKIPPED = 128 * 1024
"""How much of a line that is too long is read at once, in bytes: larger reads take nine times as long."""

MAX_DEPTH = 200
"""The deepest nesting of a line's value, including the line's own object."""


def json_lines(path: Path, on_read: OnRead | None = None) -> Iterator[tuple[int, JsonDict] | Refusal]:
    """Yield each line's number and object; blank lines are skipped.

    A line may hold several objects in a row if two writers share a file.
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


def _one_object(line: bytes) -> JsonDict | None:
    """Return a line's object if the line is exactly one, as nearly all are; other cases take longer."""
    try:
        value = from_json(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _lines_decoded(path: Path, number: int, line: bytes) -> Iterator[tuple[int, JsonDict] | Refusal]:
    try:
        for value in _values(line):
            if isinstance(value, dict):
                yield number, value
            else:
                yield Refusal(shown(path), number, f"The line holds no object but {type(value).__name__}.")
    except UnicodeDecodeError as error:
        what = f"The line is not JSON: it is not UTF-8 at byte {error.start}; if the file is in Latin-1: iconv -f LATIN1 -t UTF-8 FILE."
        yield Refusal(shown(path), number, what)
    except RecursionError:
        yield Refusal(
            shown(path), number, f"The line is not JSON: it is nested deeper than {MAX_DEPTH} levels."
        )
    except ValueError as error:
        yield Refusal(shown(path), number, f"The line is not JSON: {error}.")
        if (value := _behind_cut(line)) is not None:
            yield number, value


def _behind_cut(line: bytes) -> JsonDict | None:
    """Return the whole object that ends a line, behind one that a killed writer left cut off; both begin with the same key."""
    text = from_utf8_with_halves(line).strip()
    starts = re.finditer(re.escape(text[: text.find(":") + 1]), text)
    for place in islice((start.start() for start in starts if start[0]), 1, _SEEN):
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(text, place)
            if end == len(text) and isinstance(value, dict) and not is_deeper(value, MAX_DEPTH):
                return value
    return None


def _values(line: bytes) -> Iterator[Any]:
    """Yield the values of a line, usually one."""
    try:
        yield from_json(line)
    except ValueError:
        # Slower, but accepts unpaired surrogates, which Python programs log, and a byte order mark.
        text = (
            from_utf8_with_halves(line).removeprefix("\ufeff").strip().strip("\0")
        )  # a file that a crash left longer
    else:
        return
    place = 0
    if not text:
        raise ValueError("it holds nothing but bytes that are 0")
    while place < len(text):
        value, end = _DECODER.raw_decode(text, place)
        if not isinstance(value, dict) and (place or end < len(text)):
            raise ValueError(f"Extra data: char {place or end}")
        if is_deeper(value, MAX_DEPTH):
            raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
        yield value
        place = _BLANK.match(text, end).end()  # type: ignore[union-attr]


_DECODER = json.JSONDecoder()
_BLANK = regex(r"\s*")
_SEEN = 40
_HEAD = 2**16


def json_objects(path: Path, on_read: OnRead | None = None, *lists: Elements) -> Iterator[JsonDict | Refusal]:
    """Yield the objects of a file; see ``numbered_objects``."""
    for item in numbered_objects(path, on_read, *lists):
        yield item if isinstance(item, Refusal) else item[1]


def numbered_objects(
    path: Path, on_read: OnRead | None = None, *lists: Elements
) -> Iterator[tuple[int, JsonDict] | Refusal]:
    """Yield the objects of a file or of the list in it, each with its line number or index.

    A file with an object on a line of its own is read line by line, whatever its size; any other as a whole.
    """
    if _has_lines(head_of(path, _HEAD, MAX_LINE)):
        yield from json_lines(path, on_read)
        return
    number = 0
    for value in _of_document(path, on_read, lists):
        for each in as_list(value):
            number += 1
            if isinstance(each, dict):
                yield number, each
            elif isinstance(each, Refusal):
                yield each
            else:
                yield Refusal(shown(path), number, f"The place holds no object but {type(each).__name__}.")


def objects_of(sample: Sample) -> list[JsonDict]:
    """Return the objects at the beginning of a sample, including those of a list."""
    found = [
        each for value in sample.values for each in (value[:_SEEN] if isinstance(value, list) else [value])
    ]
    return [each for each in islice(found, _SEEN) if isinstance(each, dict)]


def _has_lines(head: bytes) -> bool:
    """Return whether a line is an object by itself, even after a broken line; lines within a list or an object don't count."""
    return not is_document(head) and any(map(_is_object, head.split(b"\n")[:_SEEN]))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(from_json(line), dict)
    except (ValueError, RecursionError):
        return False


def _of_document(path: Path, on_read: OnRead | None, lists: Collection[Elements]) -> Iterator[Any]:
    with opened(path, on_read, only_lines=False) as file:
        data, broken = read_all(file, MAX_DOCUMENT)
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
    """Yield one value or several in a row; for one that breaks off, its complete part and a refusal."""
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
            yield Refusal(shown(path), 0, part.reason if part else f"The file is not JSON: {error}.")


def _blank_end(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place
