"""Brackets that don't add up: one is missing, one is too many, or one is of the wrong kind.

The reader takes the usual one of these at the first bracket that doesn't fit. Where that doesn't come out even, it reads
the text again on another supposition. And what comes out even may still do so in another way: a bracket that was forgotten
may belong in more than one place. Then no place is plainly meant, unless the lines say so by their indentation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from actionledger.reading.tolerant_json.contexts import CLOSERS, OBJECT, ROOT
from actionledger.reading.tolerant_json.shapes import last_of

_LINE = re.compile(r"\n([ \t]*+)(?=\S)")
_INDENT = re.compile(r"[ \t]*+")


class Rule(Enum):
    """What may be wrong where a closing bracket doesn't fit."""

    MISSING = "one is missing before it"
    EXTRA = "it is one too many"
    WRONG = "it is of the wrong kind"


@dataclass(frozen=True, slots=True)
class Supposition:
    """What is taken to be the one fault of a text's brackets.

    Args:
        rule: what is wrong.
        at: where the bracket stands.
    """

    rule: Rule
    at: int


def guess(kinds: Sequence[str], closer: str) -> Rule:
    """Return what is usually wrong where a bracket doesn't close the innermost of these containers."""
    return Rule.MISSING if any(CLOSERS[kind] == closer for kind in kinds) else Rule.EXTRA


def other_place(kind: str, parent: str, value: Any) -> str:
    """Return where else the closing bracket of a container may have been forgotten; empty if there is no such place.

    Behind an earlier item of the container, if what follows that may stand in the container around it; or inside its last
    item, if that is of the same kind, so that the brackets behind it close one container more each.
    """
    if not isinstance(value, dict | list):
        return ""
    if _holds_the_same(kind, parent) and len(value) > 1:
        return (
            f"before {next(reversed(value))[:80]!r}" if isinstance(value, dict) else "before the last element"
        )
    last = last_of(value)
    if type(last) is type(value) and _may_end_earlier(last):
        return (
            f"inside the value of {next(reversed(value))[:80]!r}"
            if isinstance(value, dict)
            else "inside the last element"
        )
    return ""


def _holds_the_same(kind: str, parent: str) -> bool:
    """Return whether the items of two kinds of container are of the same kind: members, or elements."""
    return parent != ROOT and (kind == OBJECT) == (parent == OBJECT)


def _may_end_earlier(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether a container, or one of its kind in it, holds several items; no recursion."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if len(part) > 1:
            return True
        parts = part.values() if isinstance(part, dict) else part
        waiting += [inner for inner in parts if type(inner) is type(value)]
    return False


def may_end_later(value: Any) -> bool:
    """Return whether a bracket behind a value may be its own, because one inside it closes too early.

    That is so if an item that follows a container of the value's kind may belong to that.
    """
    while isinstance(value, dict | list):
        parts = list(value.values()) if isinstance(value, dict) else value
        if any(type(part) is type(value) for part in parts[:-1]):
            return True
        value = parts[-1] if parts and type(parts[-1]) is type(value) else None
    return False


def closes_in_one_run(value: Any) -> bool:
    """Return whether all the brackets that close a value stand at its end, so that it doesn't matter which is extra."""
    while isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        inner = [part for part in parts if isinstance(part, dict | list)]
        if len(inner) > 1 or (inner and inner[0] is not last_of(value)):
            return False
        value = inner[0] if inner else None
    return True


def is_indented(text: str, start: int, stop: int) -> bool | None:
    """Return whether all lines of a container are indented more than the one that it begins on, as its first one is.

    It is None where the first one is not, or where there is none.
    """
    line = _INDENT.match(text, text.rfind("\n", 0, start) + 1)
    assert line is not None
    lines = [len(match[1]) for match in _LINE.finditer(text, start, stop)]
    return min(lines) > len(line[0]) if lines and lines[0] > len(line[0]) else None
