"""Making a text smaller while something holds of it: delta debugging on lines, structure, words and characters. Pure.

A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on Software Engineering 28(2), 2002:
parts are left out in ever smaller chunks for as long as what is left still fails. Only complements are tried: of a
response, a part alone hardly ever fails as the whole did.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TAG = re.compile(r"<([\w.:-]+)[^<>]*>")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_OPENERS = {"{": "}", "[": "]", "(": ")"}
_CLOSERS = frozenset(_OPENERS.values())


class _Spent(Exception):  # noqa: N818 - it is no error: the search ends with what it has
    """There is no try left."""


@dataclass(slots=True)
class Reduction:
    """The search for a smaller text.

    Args:
        holds: whether a text is still what is looked for.
        text: the smallest so far; it holds of it.
        tries: how many texts may be tried.
        characters: how many characters these may have together.
        tried: how many were.
    """

    holds: Callable[[str], bool]
    text: str
    tries: int
    characters: int
    tried: int = 0
    _known: set[str] = field(default_factory=set)

    def run(self) -> bool:
        """Make the text as small as it gets; return whether the search came to its end before the tries did."""
        try:
            before = None
            while before != self.text:
                before = self.text
                self._leave_out(lambda text: text.splitlines(keepends=True))
                self._edit(_groups)
                self._edit(_tags)
                self._leave_out(_WORDS.findall)
                self._edit(_strings)
                self._leave_out(list)
        except _Spent:
            return False
        return True

    def _leave_out(self, parts_of: Callable[[str], list[str]]) -> None:
        """Leave out chunks of parts, from halves down to each part alone, until none can be missed."""
        parts = parts_of(self.text)
        size = max(1, len(parts) // 2)
        while parts:
            before = len(parts)
            parts = self._without_chunks(parts, size)
            if size == 1 and len(parts) == before:
                return
            size = max(1, size // 2)

    def _without_chunks(self, parts: list[str], size: int) -> list[str]:
        at = 0
        while at < len(parts):
            rest = parts[:at] + parts[at + size :]
            if self._takes("".join(rest)):
                parts = rest
            else:
                at += size
        return parts

    def _edit(self, edits: Callable[[str], Iterator[str]]) -> None:
        """Make edits that keep brackets, tags and quotes in pairs, the largest first, for as long as one is taken."""
        while any(self._takes(shorter) for shorter in edits(self.text)):
            pass

    def _takes(self, text: str) -> bool:
        if len(text) >= len(self.text) or text in self._known:
            return False
        self._known.add(text)
        self.tried += 1
        self.characters -= len(text)
        if self.tried > self.tries or self.characters < 0:
            self.tried = min(self.tried, self.tries)
            raise _Spent
        if self.holds(text):
            self.text = text
            return True
        return False


def _groups(text: str) -> Iterator[str]:
    """Yield the text without one of its bracketed groups, without what stands in one, and without one member of one."""
    for start, end, members in sorted(_bracketed(text), key=lambda group: group[0] - group[1]):
        yield text[:start] + text[end:]
        yield text[: start + 1] + text[end - 1 :]
        for place, (first, last) in enumerate(members):
            behind = members[place + 1][0] if place + 1 < len(members) else last
            before = members[place - 1][1] if place and behind == last else first
            yield text[:before] + text[behind:]


def _bracketed(text: str) -> Iterator[tuple[int, int, Sequence[tuple[int, int]]]]:
    """Yield each closed group outside of strings: where it begins and ends, and its members between commas."""
    open_groups: list[tuple[int, str, list[int]]] = []
    at = 0
    while at < len(text):
        mark = text[at]
        if mark == '"' and (string := _STRING.match(text, at)):
            at = string.end()
            continue
        if mark in _OPENERS:
            open_groups.append((at, _OPENERS[mark], []))
        elif mark == "," and open_groups:
            open_groups[-1][2].append(at)
        elif mark in _CLOSERS and open_groups and open_groups[-1][1] == mark:
            start, _, commas = open_groups.pop()
            bounds = [start, *commas, at]
            yield start, at + 1, [(one + 1, two) for one, two in pairwise(bounds)]
        at += 1


def _tags(text: str) -> Iterator[str]:
    """Yield the text without one of its elements, without what stands in one, and without the tags around one."""
    for opening in _TAG.finditer(text):
        end = text.find(f"</{opening[1]}>", opening.end())
        if end < 0:
            continue
        behind = end + len(opening[1]) + 3
        yield text[: opening.start()] + text[behind:]
        yield text[: opening.end()] + text[end:]
        yield text[: opening.start()] + text[opening.end() : end] + text[behind:]


def _strings(text: str) -> Iterator[str]:
    """Yield the text with one of its strings empty, or its first character alone."""
    for string in _STRING.finditer(text):
        yield f'{text[: string.start()]}""{text[string.end() :]}'
        if string[0][1] != "\\":
            yield f"{text[: string.start() + 2]}{text[string.end() - 1 :]}"
