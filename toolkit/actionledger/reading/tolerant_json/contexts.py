"""What may follow a value, by the container that it stands in and the one around that.

A quote inside a string and the quote that closes it look alike; what follows tells them apart. In a list a comma must
be followed by a value, in an object by a key and its colon; the bracket that closes a container must itself be followed
by what the container around it allows. The outer container matters: a list of arguments ends otherwise than a list in
an object, and quoted code is full of closing brackets.
"""

import re
from functools import cache, cached_property

from actionledger.reading.tolerant_json.patterns import (
    ARGUMENTS,
    END,
    GAP,
    KEYS,
    LINE_WITH_KEY,
    SCALAR_AHEAD,
    VALUES,
)

ROOT, OBJECT, LIST, CALL, TUPLE, KEY = "", "{", "[", "(", "tuple", "key"
"""The kinds of container; ROOT is none. KEY is the place of a key, not of a value."""

CLOSERS = {OBJECT: "}", LIST: "]", CALL: ")", TUPLE: ")"}


JSON_CLOSERS = {**CLOSERS, TUPLE: "]"}
"""How JSON closes what each of them is read as; it has no calls."""


class Context:
    """A place for a string, and the patterns that go with it; compiled when first asked for.

    Args:
        kind: the container that it stands in, or KEY.
        parent: the container around that one.
    """

    def __init__(self, kind: str, parent: str) -> None:
        self.kind = kind
        self.parent = parent
        self._bodies: dict[tuple[str, int, str], re.Pattern[str]] = {}

    @cached_property
    def fits(self) -> re.Pattern[str]:
        """What may follow a closing quote, generously."""
        return re.compile(_behind(self.kind, self.parent, "any"))

    @cached_property
    def surely_fits(self) -> re.Pattern[str]:
        """What may follow a closing quote and hardly stands inside a text."""
        return re.compile(_behind(self.kind, self.parent, "sure"))

    def body(self, close: str, width: int, sure: str) -> re.Pattern[str]:
        """Return the pattern of a string's text up to the first quote that surely may close it.

        Args:
            close: the characters of which each is a closing quote.
            width: how many of them in a row it takes: 1 or 3.
            sure: how sure a key ahead has to be, see ``patterns.KEYS``.
        """
        pattern = self._bodies.get((close, width, sure))
        if pattern is None:
            more = f"[{close}]{{{width - 1}}}" if width > 1 else ""
            behind = _behind(self.kind, self.parent, sure)
            text = rf"(?:[^\\{close}]++|\\.|[{close}](?!{more}(?:{behind})))*+"
            pattern = self._bodies[close, width, sure] = re.compile(text, re.DOTALL)
        return pattern


@cache
def context(kind: str, parent: str) -> Context:
    """Return the context of a string in a container of this kind, in one of that kind."""
    return Context(kind, parent)


def _behind(kind: str, parent: str, sure: str) -> str:
    """Return the pattern of what may stand behind a string."""
    if kind == KEY:
        return rf"{GAP}(?::|=(?!=))"
    if kind == ROOT:
        return rf"[ \t]*+(?:\n|{END}|[,;}}\])<\"'{{\[]|\+[ \t]*+[\"'])"
    parts = [_behind_comma(kind, sure), re.escape(CLOSERS[kind]) + _behind_closer(parent, sure), END]
    if kind == OBJECT:
        parts.append(KEYS["sure"])  # the comma was left out
    elif sure == "any":
        parts += [r"[\"'“‘„{\[]", rf"(?<=\s){SCALAR_AHEAD}{GAP}(?:[,\])]|\Z)"]
    if sure == "any":  # the wrong bracket, a sum of strings, or dots for what was left out
        parts += [rf"[}}\])](?={GAP}(?:[,}}\])]|{END}))", rf"\+{GAP}[\"']", rf"(?:…|\.\.\.){GAP}[,}}\])]"]
    behind = rf"{GAP}(?:{'|'.join(parts)})"
    return behind if kind != OBJECT or sure == "sure" else rf"(?:{behind}|{LINE_WITH_KEY})"


def _behind_closer(parent: str, sure: str) -> str:
    """Return the pattern of what may stand behind the bracket that closes a container in this parent."""
    if parent == ROOT:  # anything but what shows that the value goes on
        return rf"(?!{GAP}(?:[\"':=]|,{GAP}{KEYS['sure']}))"
    without_comma = KEYS["sure"] if parent == OBJECT else r"[{\[]"
    return rf"{GAP}(?:{_behind_comma(parent, sure)}|[}}\])]|{END}|{without_comma})"


def _behind_comma(kind: str, sure: str) -> str:
    """Return the pattern of a comma and what may follow it in a container: another item, an end, another comma."""
    item = {OBJECT: KEYS, CALL: ARGUMENTS}.get(kind, VALUES)[sure]
    return rf"[,;]{GAP}(?:{item}|[}}\]),]|…|\.\.\.|\Z)"
