"""Valid JSON, read by the C scanner of the standard library in one call.

No rule of the tolerant reader is ever asked about a text that is read here, so none of them can misread a valid text.
The one exception is an object with the same key twice: the tolerant reader knows where its keys stand.
"""

from json.decoder import JSONDecoder
from typing import Any, NoReturn

from actionledger.core import canonical


class DuplicateKeyError(Exception):
    """An object has the same key twice."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members, if each key is there once; for the C scanner to call."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DuplicateKeyError
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are no JSON


_decoder = JSONDecoder(object_pairs_hook=unique, parse_constant=_refuse_constant)

scan = _decoder.scan_once  # type: ignore[attr-defined]
"""Read one valid value in C: ``scan(text, at)`` gives the value and its end, or raises one of SCAN_ERRORS."""

loads = _decoder.decode
"""Read a text that is one valid value, or raise one of SCAN_ERRORS."""

SCAN_ERRORS = (ValueError, StopIteration, DuplicateKeyError, RecursionError)


def read_valid(text: str, start: int, max_depth: int) -> tuple[Any, int] | None:
    """Read the value that begins at ``start``."""
    try:
        value, end = scan(text, start)
    except SCAN_ERRORS:
        return None
    if type(value) is dict or type(value) is list:
        return None if is_deeper(text, start, end, value, max_depth) else (value, end)
    is_glued = end < len(text) and (text[end].isalnum() or text[end] in "._+-") and text[start] != '"'
    return None if is_glued else (value, end)  # 0x1F and 1.2.3 are not the number that they begin with


def is_deeper(text: str, start: int, end: int, value: Any, levels: int) -> bool:
    """Return whether a value that was read from ``text[start:end]`` has more levels of containers than these.

    Two counts clear nearly every value: each level takes two characters, one of them an opening bracket.
    """
    if end - start <= 2 * levels or text.count("{", start, end) + text.count("[", start, end) <= levels:
        return False
    return canonical.is_deeper(value, levels)
