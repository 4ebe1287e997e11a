"""What may follow a value, by its container and the outer one; this also shows where a string without a closing quote ends.

A quote inside a string looks like the one that closes it; the next text tells them apart. In a list a comma must
be followed by a value, in an object by a key and its colon; the bracket that closes a container must itself be followed
by what the container around it allows. The outer container matters: a list of arguments ends otherwise than a list in
an object, and quoted code is full of closing brackets.
"""

import re
from collections.abc import Sequence
from functools import cache, cached_property
from typing import NoReturn

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json.notes import RefusedError
from actionledger.reading.tolerant_json.patterns import (
    ARGUMENTS,
    BRACKET_INSIDE,
    CLOSED_TEXT,
    END,
    GAP,
    KEY_BEHIND,
    KEYS,
    LINE_WITH_KEY,
    SCALAR_AHEAD,
    VALUES,
    WIDE_COMMAS,
)

ROOT, OBJECT, LIST, CALL, TUPLE, KEY = "", "{", "[", "(", "tuple", "key"
"""The kinds of container; ROOT is outside of any. KEY is the place of a key, not of a value."""

CLOSERS = {OBJECT: "}", LIST: "]", CALL: ")", TUPLE: ")"}


JSON_CLOSERS = {**CLOSERS, TUPLE: "]"}
"""JSON's closer of each kind; calls don't exist in JSON."""


class Context:
    """A place for a string, with its patterns, compiled on first use."""

    def __init__(self, kind: str, parent: str) -> None:
        self.kind = kind
        self.parent = parent
        self._bodies: dict[tuple[str, int, str], re.Pattern[str]] = {}

    @cached_property
    def fits(self) -> re.Pattern[str]:
        """What may follow a closing quote, generously."""
        return regex(_behind(self.kind, self.parent, "any"))

    @cached_property
    def surely_fits(self) -> re.Pattern[str]:
        """What may follow a closing quote and is rare inside a text."""
        return regex(_behind(self.kind, self.parent, "sure"))

    def body(self, close: str, width: int, sure: str) -> re.Pattern[str]:
        """Return the pattern of a string's text up to the first of ``width`` closing quotes in a row that surely may close it; ``sure`` is as in ``patterns.KEYS``."""
        pattern = self._bodies.get((close, width, sure))
        if pattern is None:
            more = f"[{close}]{{{width - 1}}}" if width > 1 else ""
            behind = _behind(self.kind, self.parent, sure)
            text = rf"(?:[^\\{close}]++|\\.|[{close}](?!{more}(?:{behind})))*+"
            pattern = self._bodies[close, width, sure] = regex(text, re.DOTALL)
        return pattern


@cache
def context(kind: str, parent: str) -> Context:
    """Return the context of a string in a container of this kind, inside one of that kind."""
    return Context(kind, parent)


def _behind(kind: str, parent: str, sure: str) -> str:
    """Return the pattern of what may follow a string."""
    if kind == KEY:
        return rf"{GAP}(?:[:：]|=(?!=))"
    if kind == ROOT:
        return rf"[ \t]*+(?:\n|{END}|[,;}}\])<\"'{{\[]|\+[ \t]*+[\"'])"
    parts = [_behind_comma(kind, sure), re.escape(CLOSERS[kind]) + _behind_closer(parent, sure), END]
    if kind == OBJECT:
        parts.append(KEYS["sure"])  # the comma is missing
    elif sure == "any":
        parts += [r"[\"'“‘„{\[]", rf"(?<=\s){SCALAR_AHEAD}{GAP}(?:[,\])]|\Z)"]
    if sure == "any":  # the wrong bracket, a sum of strings, or dots for omitted items
        parts += [rf"[}}\])](?={GAP}(?:[,}}\])]|{END}))", rf"\+{GAP}[\"']", rf"(?:…|\.\.\.){GAP}[,}}\])]"]
    behind = rf"{GAP}(?:{'|'.join(parts)})"
    return behind if kind != OBJECT or sure == "sure" else rf"(?:{behind}|{LINE_WITH_KEY})"


def _behind_closer(parent: str, sure: str) -> str:
    """Return the pattern of what may follow the bracket that closes a container in this parent."""
    if parent == ROOT:  # anything that doesn't show that the value continues
        return rf"(?!{GAP}(?:[\"':=]|,{GAP}{KEYS['sure']}))"
    without_comma = KEYS["sure"] if parent == OBJECT else r"[{\[]"
    return rf"{GAP}(?:{_behind_comma(parent, sure)}|[}}\])]|{END}|{without_comma})"


def _behind_comma(kind: str, sure: str) -> str:
    """Return the pattern of a comma and what may follow it in a container: another item, an end, another comma."""
    item = {OBJECT: KEYS, CALL: ARGUMENTS}.get(kind, VALUES)[sure]
    return rf"[,;{WIDE_COMMAS}]{GAP}(?:{item}|[}}\]),]|…|\.\.\.|\Z)"


_BLANKS = " \t\r\n"
_MEMBER_INSIDE = regex(r"[,;{]\s*+([\"'])[^\"'\n]{1,60}+\1\s*+:")

OTHER_QUOTES = "\"'`“”‘’«»"
"""Quotes at the end of a text that seem to close it, although another quote opened it."""

_PUNCTUATION = "{}[]," + _BLANKS


def open_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """Return how many braces and brackets a stretch opens without closing them; negative if it closes more."""
    count = text.count
    braces = count("{", start, end) - count("}", start, end)
    return braces, count("[", start, end) - count("]", start, end)


def end_before_item(text: str, start: int, first: int, kinds: Sequence[str]) -> int | None:
    """Return where a string without a closing quote ends before the next item of its container, or of an outer one.

    Only its first quote counts: it must open that item. The punctuation before it must be what the open containers
    need; a bracket that closes one inside the string belongs to the string. In a list any comma may end a string, so
    there must be none, and a bracket must close the list. In a string that holds JSON of its own, the first quote
    opens a key of that.
    """
    opens_key = KEY_BEHIND.match(text, first) is not None
    if not kinds or kinds[-1] not in {OBJECT, LIST} or not (opens_key or CLOSED_TEXT.match(text, first)):
        return None
    inside, is_member = start + 1, kinds[-1] == OBJECT
    bare = inside + len(text[inside:first].rstrip(_PUNCTUATION))
    stop = _with_own_brackets(text, inside, bare, first)
    tail = text[bare if stop is None else stop : first]
    closes = "}" in tail or "]" in tail
    if stop is not None and (closes or is_member) and _leads_on(kinds, tail, opens_key=opens_key):
        written = text[inside:stop]
        if "\n" not in written and (is_member or "," not in written) and (written or not closes):
            return stop
        return _refuse(bare)
    holds_json = BRACKET_INSIDE.match(text, inside) or (not closes and tail.rstrip().endswith(("{", "[")))
    if not is_member or holds_json or ("," not in tail and "\n" not in tail):
        return None
    return _refuse(bare)


def _with_own_brackets(text: str, inside: int, bare: int, first: int) -> int | None:
    """Return where a string ends, with the brackets after it that close its own; None if there are none."""
    braces, brackets = open_brackets(text, inside, bare)
    for at in range(bare, first):
        if not braces and not brackets:
            return at
        character = text[at]
        if character not in "}] \t":
            return None
        braces -= character == "}"
        brackets -= character == "]"
    return None if braces or brackets else first


def _leads_on(kinds: Sequence[str], tail: str, *, opens_key: bool) -> bool:
    """Return whether punctuation after a value leads to the next key or element."""
    open_kinds = list(kinds)
    is_item_due = False
    for character in tail:
        if character == "," and not is_item_due:
            is_item_due = True
        elif character in "}]" and not is_item_due and character == CLOSERS[open_kinds[-1]]:
            open_kinds.pop()
        elif character in "{[" and is_item_due and open_kinds[-1] == LIST:
            open_kinds.append(character)
        elif character not in _BLANKS:
            return False
        if not open_kinds:
            return False
    return (is_item_due or "\n" in tail) and opens_key == (open_kinds[-1] == OBJECT)


def _refuse(at: int) -> NoReturn:
    detail = "The closing quote is missing, and the text may end in more than one place."
    raise RefusedError(Reason.AMBIGUOUS, at, at + 1, detail)


def end_before_closers(text: str, start: int, kinds: Sequence[str]) -> int | None:
    """Return where an unclosed string ends in a whole text; None if unknown.

    It ends before the brackets that close the open containers. They must be the text's last characters, and the rest
    must have balanced brackets; otherwise they may belong to the string.
    """
    stop = len(text)
    for kind in kinds:
        stop = start + len(text[start:stop].rstrip())
        if text[stop - 1] != CLOSERS[kind] or stop - 1 <= start:
            return None
        stop -= 1
    written = text[start + 1 : stop].rstrip(_BLANKS)
    has_several_ends = kinds[-1] != OBJECT and "," in written
    if not written or written[-1] in OTHER_QUOTES or _MEMBER_INSIDE.search(written) or has_several_ends:
        return None
    if open_brackets(written, 0, len(written)) != (0, 0):
        return None
    return start + 1 + len(written)
