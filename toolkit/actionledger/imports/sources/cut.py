"""A JSON document that breaks off, or is broken in its middle: what is whole before that place, and how much it is."""

import json
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from actionledger.core.text import utf8_with_halves

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|(?P<cut>\\?\Z))|[\[\]{},]', re.DOTALL)
_DECODER = json.JSONDecoder()
_CLOSING = {"{": "}", "[": "]"}


class Elements(NamedTuple):
    """A list of a format's documents that can be kept as far as it goes.

    Args:
        path: the names of the members that lead there from the document's own object; lists between them have no name.
        known_by: what the object that holds the list has to have said by then: without its name a session can't be
            known again in the whole document.
    """

    path: tuple[str, ...]
    known_by: tuple[str, ...] = ()


class Part(NamedTuple):
    """What is whole of a document.

    Args:
        value: the document without what is not whole.
        reason: where it breaks off and what was kept, a sentence for people.
    """

    value: Any
    reason: str


class _Open:
    """A list or an object that has begun.

    Args:
        opening: its bracket.
        path: the names that lead to it.
        end: up to where it is whole.
    """

    __slots__ = ("count", "end", "expects_key", "key", "keys", "opening", "path")

    def __init__(self, opening: str, path: tuple[str, ...], end: int) -> None:
        self.opening = opening
        self.path = path
        self.end = end
        self.expects_key = opening == "{"
        self.key = ""
        self.keys: set[str] = set()
        self.count = 0

    def has(self, end: int) -> None:
        """Note that the child which was begun is whole."""
        if end > self.end:
            self.end = end
            self.count += 1
            self.keys.add(self.key)


def whole_part(text: str, start: int, lists: Collection[Elements]) -> Part | None:
    """Return what is whole of a document that breaks off, or is broken; None where nothing of it can be kept."""
    try:
        _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        broken, end = error.pos, len(text) if error.msg.startswith("Unterminated") else error.pos
    except (RecursionError, ValueError):  # too deep, or a number with more digits than Python takes
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
    return Part(value, f"The document breaks off at byte {place:,}, line {line:,}; kept: {kept_of_it}.")


def _open_at(text: str, start: int, end: int) -> list[_Open]:
    """Return what is open at a place of a text that is JSON from its start up to there."""
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
    """Return how deep what is open is kept: to the innermost list that may be kept as far as it goes; None for nothing."""
    for level in range(len(stack) - 1, 0, -1):
        found = lists.get(stack[level].path) if stack[level].opening == "[" else None
        if found and stack[level].count and stack[level - 1].keys.issuperset(found.known_by):
            return level
    if not stack or not stack[0].count:
        return None
    root = stack[0]
    if root.opening == "[":
        return 0
    # It broke behind a list that is whole, or before one has begun.
    has_one = any(
        each.path[0] in root.keys and root.keys.issuperset(each.known_by) for each in lists.values()
    )
    return 0 if has_one else None
