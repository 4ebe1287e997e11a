"""Lines of JSON, plain or gzipped: what can't be decoded is a refusal, and the rest goes on."""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pydantic_core import from_json

from actionledger.core.depth import is_deeper
from actionledger.core.text import from_utf8_with_halves
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.containers import OnRead, opened, shown

MAX_LINE = 16 * 2**20
"""The longest line that is read, in bytes; what is recorded of it, escaped twice, still fits into an event."""

_SKIPPED = 128 * 1024
"""How much of a line that is too long is read at a time, in bytes: larger pieces take nine times as long."""

MAX_DEPTH = 200
"""How deep a line's value may be nested, the line's own object included."""


_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"\s*")


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
                    yield from _decoded(path, number, line)
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


def _decoded(path: Path, number: int, line: bytes) -> Iterator[tuple[int, dict[str, Any]] | Refusal]:
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
