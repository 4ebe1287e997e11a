"""Calls that stand in a tag named after another tool: the tag's argument, or meant by themselves. So they wait for a person."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from actionledger.core.values import Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.verdicts import waiting
from actionledger.reading.evidence.echoes import READ, Placed
from actionledger.reading.scan.source import Source

_WHY = "It stands in a tag named after a tool: it is that one's argument, or meant by itself."
_DIRECTLY = 20
"""How many blanks may stand between a tag that nothing closes and the call behind it."""

_OF_TOOLS = "xml_tags"
"""The dialect whose tags are the tools' own names; those of any other one are its own, whatever the tools are called."""


def with_enclosed(source: Source, placed: Sequence[Placed]) -> list[Placed]:
    """Return the blocks of a response with those in doubt that stand in a tag named after another tool."""
    if not source.names or "<" not in source.text:
        return list(placed)
    names = tags_of(source.names)
    is_read = any(found.status in READ and found.actions for _, found in placed)
    if not names or not is_read:
        return list(placed)
    actions = sorted(action.span for _, found in placed for action in found.actions)
    tags = _Tags(source.text, names, actions)
    if not tags.are_any:
        return list(placed)
    return [(dialect, _judged(tags, found)) for dialect, found in placed]


def opens_tag(text: str, gap: Span, names: frozenset[str]) -> bool:
    """Return whether a tag named after a tool stands in a stretch of a response: what follows may be enclosed by it."""
    known = tags_of(names)
    return bool(known) and text.find("<", *gap) >= 0 and _pattern(known).search(text, *gap) is not None


@lru_cache(maxsize=32)
def tags_of(names: frozenset[str]) -> frozenset[str]:
    """Return the names that are no tag of a format's own."""
    return frozenset(name for name in names if f"<{name}>" not in _known_tags())


@lru_cache(maxsize=1)
def _known_tags() -> frozenset[str]:
    return frozenset[str]().union(*(each.literals for each in DIALECTS if each.name != _OF_TOOLS))


def _judged(tags: "_Tags", found: Found) -> Found:
    if found.status not in READ or not any(tags.hold(found, action) for action in found.actions):
        return found
    return waiting(found, Reason.AMBIGUOUS, _WHY)


class _Tags:
    """The tags of a text that have the names of tools and stand in no call."""

    def __init__(self, text: str, names: frozenset[str], actions: Sequence[Span]) -> None:
        self._text = text
        self._closed: dict[str, list[Span]] = {}
        self._open: dict[str, list[Span]] = {}
        at = 0
        for tag in _pattern(names).finditer(text):
            while at < len(actions) and actions[at].end <= tag.start():
                at += 1
            if at == len(actions) or tag.start() < actions[at].start:
                self._note(tag)

    @property
    def are_any(self) -> bool:
        """Whether one was opened."""
        return bool(self._open)

    def _note(self, tag: re.Match[str]) -> None:
        opened = self._open.setdefault(tag["name"], [])
        if not tag["slash"]:
            opened.append(Span(*tag.span()))
        elif opened:
            self._closed.setdefault(tag["name"], []).append(Span(opened[0].start, tag.end()))
            opened.clear()

    def hold(self, found: Found, action: Written) -> bool:
        """Return whether an action stands in a tag of another name, or its block directly behind one that nothing closes."""
        start, end = action.span
        closed = (self._last(spans, start) for name, spans in self._closed.items() if name != action.name)
        if any(span is not None and end < span.end for span in closed):
            return True
        opened = (self._last(spans, start) for name, spans in self._open.items() if name != action.name)
        return any(
            span is not None and any(self._is_behind(span, place) for place in (start, found.span.start))
            for span in opened
        )

    def _is_behind(self, tag: Span, start: int) -> bool:
        return tag.end <= start <= tag.end + _DIRECTLY and not self._text[tag.end : start].strip("` \t\r\n")

    @staticmethod
    def _last(spans: Sequence[Span], start: int) -> Span | None:
        index = bisect_left(spans, (start, -1)) - 1
        return spans[index] if index >= 0 else None


@lru_cache(maxsize=64)
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    return re.compile(rf"<(?P<slash>/?)(?P<name>{listed})(?:\s[^<>\n]{{0,200}})?(?<!/)>")
