"""Blocks that are not meant: quoted, in invented turns, repeated, or in a tag named after another tool.

The documents' own formats merge all their blocks and define their own examples. Only an unfenced value
of theirs is judged like any other.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Evidence, Reason, RepairKind
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.markers import waiting
from actionledger.reading.evidence.places import (
    Quotations,
    inked,
    invented_from,
    is_choice,
    is_document,
    speaks_against,
)
from actionledger.reading.scan.source import Source

_WHY = "It stands in a tag named after a tool: it is that one's argument, or meant by itself."


_DIRECTLY = 20
"""The maximum of blanks between an unclosed tag and the call after it."""


_OF_TOOLS = "xml_tags"
"""The dialect with tools' names as tags; any other dialect's tags are its own, whatever the tools' names."""


Placed: TypeAlias = tuple[Dialect, Found]


def with_enclosed(source: Source, placed: Sequence[Placed]) -> list[Placed]:
    """Return a response's blocks, with those in a tag named after another tool marked as doubtful."""
    if not source.names or "<" not in source.text:
        return list(placed)
    names = tags_of(source.names)
    if not names or _pattern(names).search(source.text) is None:
        return list(placed)
    if not any(found.status in READ and found.actions for _, found in placed):
        return list(placed)
    actions = sorted(action.span for _, found in placed for action in found.actions)
    tags = _Tags(source.text, names, actions)
    if not tags.are_any:
        return list(placed)
    return [(dialect, _judged(tags, found)) for dialect, found in placed]


def opens_tag(text: str, gap: Span, names: frozenset[str]) -> bool:
    """Return whether a tag named after a tool opens in a gap and may enclose what follows."""
    known = tags_of(names)
    return bool(known) and text.find("<", *gap) >= 0 and _pattern(known).search(text, *gap) is not None


@lru_cache(maxsize=32)
def tags_of(names: frozenset[str]) -> frozenset[str]:
    """Return the names that are not a format's own tags."""
    return frozenset(name for name in names if f"<{name}>" not in _known_tags())


@lru_cache(maxsize=1)
def _known_tags() -> frozenset[str]:
    return frozenset[str]().union(*(each.literals for each in DIALECTS if each.name != _OF_TOOLS))


def _judged(tags: "_Tags", found: Found) -> Found:
    if found.status not in READ or not any(tags.hold(found, action) for action in found.actions):
        return found
    return waiting(found, Reason.AMBIGUOUS, _WHY)


class _Tags:
    """The tags in a text that are named after tools and are outside of calls."""

    def __init__(self, text: str, names: frozenset[str], actions: Sequence[Span]) -> None:
        self._text = text
        self._closed: dict[str, list[Span]] = {}
        self._open: dict[str, list[Span]] = {}
        at, match = 0, _pattern(names).match
        for start, end in (*actions, Span(len(text), len(text))):
            while at < start and (at := text.find("<", at, start)) >= 0:
                tag = match(text, at)
                at = tag.end() if tag else at + 1
                if tag:
                    self._note(tag)
            at = max(at, end)

    @property
    def are_any(self) -> bool:
        """Whether any was opened."""
        return bool(self._open)

    def _note(self, tag: re.Match[str]) -> None:
        opened = self._open.setdefault(tag["name"], [])
        if not tag["slash"]:
            opened.append(Span(*tag.span()))
        elif opened:
            self._closed.setdefault(tag["name"], []).append(Span(opened[0].start, tag.end()))
            opened.clear()

    def hold(self, found: Found, action: Written) -> bool:
        """Return whether an action is in a tag of another name, or its block directly after an unclosed one."""
        start, end = action.span
        for name, spans in self._closed.items():
            if name != action.name and (span := self._last(spans, start)) and end < span.end:
                return True
        for name, spans in self._open.items():
            span = self._last(spans, start) if name != action.name else None
            if span and (self._is_behind(span, start) or self._is_behind(span, found.span.start)):
                return True
        return False

    def _is_behind(self, tag: Span, start: int) -> bool:
        return tag.end <= start <= tag.end + _DIRECTLY and not self._text[tag.end : start].strip("` \t\r\n")

    @staticmethod
    def _last(spans: Sequence[Span], start: int) -> Span | None:
        index = bisect_left(spans, (start, -1)) - 1
        return spans[index] if index >= 0 else None


@lru_cache(maxsize=64)
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    return regex(rf"<(?P<slash>/?)(?P<name>{listed})(?:\s[^<>\n]{{0,200}})?(?<!/)>")


DOCUMENTED = frozenset(
    {"actions", "iteration", "json_action", "plan", "xml_tags", "mint", "search_replace", "apply_patch"}
)
"""The formats of the documents, and those of edit blocks."""


MARKLESS = frozenset({"json", "pythonic", "llama4_pythonic", "llama3_json", "python_fence", "evidence"})
"""The dialects whose calls may have no marks."""


MENTIONED = "It names a tool as a call."
"""The message about thoughts in which a tool is named, but no block is."""

READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


def without_echoes(source: Source, placed: Sequence[Placed]) -> list[Placed]:
    """Return blocks, with those marked as examples that are quoted, in an invented turn, or repeated."""
    text, names = source.text, source.names
    judges = [is_judged(dialect, found) for dialect, found in placed]
    if True not in judges:
        return list(placed)
    has_markless = any(dialect.name in MARKLESS for dialect, _ in placed)
    ink = inked(text, [found.span for _, found in placed if found.reason is Reason.REASONING])
    reads_like_document = names is not None and is_document(text)
    quotations = Quotations(text, indented=names is not None)
    judged: list[Placed] = []
    invented = _invented(text, placed)
    stated: dict[str, tuple[Dialect, Found]] = {}
    previous: Found | None = None
    for (dialect, found), is_native in zip(placed, judges, strict=True):
        if not is_native:
            judged.append((dialect, found))
            continue
        rank, why = Evidence.QUOTATION, ""
        if quoted := quotations.around(found.span):
            why = quoted.why
        elif invented is not None and found.span.start >= invented.start:
            why = "It stands behind a turn that the model wrote itself."
        elif dialect.name in MARKLESS and is_bare(found, text):
            rank, why = Evidence.EXAMPLE, _against(source, found, stated, previous)
            if (
                not why
                and reads_like_document
                and not (found.span.start <= ink.start and ink.end <= found.span.end)
            ):
                why = "The response is a document."
        if has_markless and not why and found.status in READ:
            stated.setdefault(calls_text(found.actions), (dialect, found))
            previous = found
        judged.append((dialect, as_shown(found, why, rank) if why else found))
    return judged


def as_shown(found: Found, why: str, rank: Evidence) -> Found:
    """Return a block as an example, with an issue that says why."""
    issue = Issue(Reason.EXAMPLE, found.span, why)
    return found._replace(
        status=BlockStatus.IGNORED, reason=issue.code, repairs=(), issues=(issue,), evidence=rank
    )


def calls_text(actions: Sequence[Written]) -> str:
    """Return calls as a text that is equal for equal calls."""
    return repr([(action.name, sorted(action.arguments.items(), key=str)) for action in actions])


def is_judged(dialect: Dialect, found: Found) -> bool:
    """Return whether a block is judged by its place: the documents' own formats define their own examples."""
    is_documented = dialect.name in DOCUMENTED
    if (is_documented and not found.repairs) or found.status is BlockStatus.IGNORED or is_doubted(found):
        return False
    return not is_documented or any(repair.kind is RepairKind.MISSING_FENCE for repair in found.repairs)


def is_doubted(found: Found) -> bool:
    """Return whether all of a block's actions are already in doubt."""
    for action in found.actions:
        if action.doubt is None:
            return False
    return bool(found.actions)


def is_bare(found: Found, text: str) -> bool:
    """Return whether a block has no special token before its calls."""
    return not text.startswith(("<", "[TOOL"), found.span.start)


def _against(
    source: Source,
    found: Found,
    stated: dict[str, tuple[Dialect, Found]],
    previous: Found | None,
) -> str:
    """Return what speaks against a block without marks; empty if nothing does."""
    if (
        found.status in READ
        and (before := stated.get(calls_text(found.actions)))
        and _is_restated(source.text, before[1], found)
    ):
        return "It states the same calls once more."
    if source.names is None:
        return ""
    if previous and is_choice(source.text[previous.span.end : found.span.start]):
        return "It is one of two that the text offers as a choice."
    if why := speaks_against(source, *found.span):
        return why
    return ""


def _is_restated(text: str, before: Found, found: Found) -> bool:
    """Return whether the same calls come again in another form, or after words; a wanted repetition follows directly."""
    one, other = before.span.of(text).split("\n", 1)[0], found.span.of(text).split("\n", 1)[0]
    is_other_form = one[:3] != other[:3] or (one.startswith("```") and one.strip() != other.strip())
    between = text[before.span.end : found.span.start]
    return is_other_form or bool(between.strip(" \t\r\n,;")) or between.count("\n") > 1


def _invented(text: str, placed: Sequence[Placed]) -> Span | None:
    """Return where another's first turn begins after the first call, outside of all blocks."""
    spans = [found.span for _, found in placed]
    first = next(
        (
            found.span.end
            for dialect, found in placed
            if found.status in READ and dialect.name not in DOCUMENTED
        ),
        None,
    )
    at = 0
    while first is not None and (marker := invented_from(text, first)):
        while at < len(spans) and spans[at].end <= marker.start:
            at += 1
        if at == len(spans) or spans[at].start > marker.start:
            return marker
        first = spans[at].end
    return None
