"""One pass over a response: each opening, in text order, is shown to the dialects that asked for it.

If blocks overlap, the one that begins first wins, and everything in it is its content. A fence that no dialect reads is
code, and a block quote quotes someone. Calls in them are examples, unless the dialect ignores fences.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.json_blocks import JsonFence
from actionledger.reading.dialects.parts.markers import as_example
from actionledger.reading.dialects.parts.truncation import unless_brackets_lack, unless_cut
from actionledger.reading.dialects.reasoning import Reasoning
from actionledger.reading.heads import bare_readers, unread_head, without_held
from actionledger.reading.intent import Quotation, lost_behind, unless_shown, weighed
from actionledger.reading.scan.openings import (
    HIDDEN,
    Closing,
    Openers,
    Opening,
    OpeningKind,
    behind_mark,
    is_fence,
)
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_SHORT, _MOST_REMEMBERED = 16, 256
"""The longest cached text, in code points, and the maximum of cached texts, each with the dialects that ask for it."""

# Looking up an enum member takes a tenth of a microsecond in Python 3.11.
_STRICT, _LITERAL, _FENCE = BlockStatus.STRICT, OpeningKind.LITERAL, OpeningKind.FENCE
_HIDDEN = regex(f"[{HIDDEN}]+")

Placed = tuple[Dialect, Found]
"""A block with the dialect that read it."""


@dataclass(slots=True)
class Walk:
    """The state of a search for blocks, from which the caller sees whether more text may change the result."""

    is_in_fence: bool = False  # whether a fence that no dialect reads is open and may yet close
    # whether an opening was passed that no dialect read. With more text, a block there may hold what follows
    has_unread: bool = False
    # whether it begins at the end of thoughts, which counts as the start of a line
    is_behind_thoughts: bool = False


class Finder:
    """Finds the blocks of a set of dialects. Make one per parser, since asking every dialect takes time.

    Args:
        dialects: the formats to search for; if two want the same block, the first that reads it wins.
        fences: whether fences count. They do, unless nothing in them is an example and no dialect reads them.
        is_nested: whether it searches in a fence or quotation that no dialect reads; fences in it belong to no dialect.

    Attributes:
        bare_readers: the formats without marks, by what their calls begin with.
    """

    def __init__(
        self, dialects: Sequence[Dialect], *, fences: bool | None = None, is_nested: bool = False
    ) -> None:
        if fences is None:
            fences = any(
                dialect.fence_labels or dialect.reads_any_fence or dialect.respects_fences
                for dialect in dialects
            )
        self._dialects = tuple(dialects)
        self.bare_readers = bare_readers(dialects)
        self._is_nested = is_nested
        self._by_label: dict[tuple[OpeningKind, str], list[Dialect]] = {}
        for dialect in dialects:
            self._note(dialect)
        self._of_any_fence = [dialect for dialect in dialects if dialect.reads_any_fence and not is_nested]
        self._asked_at: dict[tuple[OpeningKind, str], Sequence[Dialect]] = {}
        self._of_lines = _matching(dialects, "line_patterns")
        self._of_near = _matching(dialects, "near_literals")
        self._openers = Openers(
            literals=frozenset[str]().union(*(dialect.literals for dialect in dialects)),
            lines=frozenset[str]().union(*(dialect.line_patterns for dialect in dialects)),
            fences=fences,
            near=frozenset[str]().union(*(dialect.near_literals for dialect in dialects)),
            quotes=not is_nested and any(dialect.respects_fences for dialect in dialects),
        )

    def _note(self, dialect: Dialect) -> None:
        """Note the texts and labels for which a dialect is asked. In another fence, only formats that search there count."""
        asked = [(OpeningKind.LITERAL, literal) for literal in dialect.literals]
        if dialect.reads_embedded_fences:
            asked += [(OpeningKind.EMBEDDED, label) for label in dialect.fence_labels]
        if dialect.reads_embedded_fences or not self._is_nested:
            asked += [(OpeningKind.FENCE, label) for label in dialect.fence_labels]
        for opening in asked:
            self._by_label.setdefault(opening, []).append(dialect)

    def blocks(
        self,
        source: Source,
        options: DecodeOptions,
        start: int = 0,
        walk: Walk | None = None,
        *,
        end: int | None = None,
    ) -> Iterator[Placed]:
        """Return the blocks of a response in text order, never overlapping."""
        within = Span(start, len(source.text) if end is None else end)
        return self._blocks(source, options, within, walk or Walk())

    @cached_property
    def _meant(self) -> list[Dialect]:
        """All dialects except thoughts: shown text holds no thoughts."""
        return [dialect for dialect in self._dialects if not isinstance(dialect, Reasoning)]

    @cached_property
    def in_thoughts(self) -> "Finder":
        """A finder of calls in a model's thoughts."""
        return Finder(self._meant)

    @cached_property
    def _inside_fences(self) -> "Finder":
        inner = [
            dialect
            for dialect in self._meant
            if dialect.literals or dialect.line_patterns or dialect.reads_embedded_fences
        ]
        has_fences = any(dialect.reads_embedded_fences for dialect in inner)
        return Finder(inner, fences=has_fences, is_nested=True)

    @cached_property
    def _inside_quotes(self) -> "Finder":
        return Finder([dialect for dialect in self._meant if dialect.respects_fences], is_nested=True)

    def _blocks(self, source: Source, options: DecodeOptions, within: Span, walk: Walk) -> Iterator[Placed]:
        return without_held(self._opened(source, options, within, walk), source.text, within.end)

    def _opened(self, source: Source, options: DecodeOptions, within: Span, walk: Walk) -> Iterator[Placed]:
        at, end = within
        open_fence, thought_until = "", at if walk.is_behind_thoughts else -1
        while opening := self._openers.next(source.text, at, end, begins_line=at == thought_until):
            low, at = at, opening.end if opening.end > opening.start else opening.start + 1
            if opening.kind is OpeningKind.QUOTE:
                quote = Quotation(source.text, opening.start, end)
                for dialect, found in self._quoted(source, options, quote):
                    yield dialect, found
                    at = max(at, found.span.end)
                at = max(at, quote.last_line)
            elif (placed := self._first_reading(source, opening, end, options)) and (
                self._is_nested
                or placed[1].reason is not Reason.NOT_AN_ACTION
                or not _holds_fences(placed[1], opening, source.text)
            ):
                yield _unless_lost(*placed, open_fence) if open_fence else placed
                found = placed[1]
                at = found.span.end if found.span.end > at else at  # noqa: FURB136 - no call for each block
                thought_until = at if found.reason is Reason.REASONING else thought_until
            elif opening.kind is OpeningKind.FENCE and self._is_nested:
                at = behind_mark(opening, source.text)
            elif not self._is_nested and is_fence(opening, source.text):
                closing = source.closing_fence(opening, opening.end, end)
                if closing.found:
                    examples, at = self._examples(source, options, opening, closing, end)
                    yield from examples
                else:
                    open_fence = open_fence or _named(opening, source.text)
                    walk.is_in_fence = True
                    at = behind_mark(opening, source.text)
            else:
                walk.has_unread = True
                if unread := self._unread_head(source, opening, Span(low, end)):
                    yield unread
                    at = max(at, unread[1].span.end)

    def _unread_head(self, source: Source, opening: Opening, within: Span) -> Placed | None:
        """Return an unread call that names a tool in a format's own marks; None if there is none."""
        if opening.kind is not OpeningKind.LITERAL and opening.kind is not OpeningKind.LINE:
            return None
        for dialect in self._asked(opening):
            found = unread_head(dialect, source, opening, within.end)
            is_next = found and found.span.start >= within.start
            if found and is_next and not self._openers.next(source.text, opening.end, found.span.end):
                return dialect, found
        return None

    def _asked(self, opening: Opening) -> Sequence[Dialect]:
        if opening.kind is OpeningKind.LINE or opening.kind is OpeningKind.NEAR:
            return self._matched(opening)
        asked = self._by_label.get((opening.kind, opening.label), [])
        return asked + self._of_any_fence if opening.kind is OpeningKind.FENCE else asked

    def _matched(self, opening: Opening) -> Sequence[Dialect]:
        """Return the dialects with a pattern that matches a text; those of short texts are remembered."""
        key = opening.kind, opening.label
        if key in self._asked_at:
            return self._asked_at[key]
        patterns = self._of_lines if opening.kind is OpeningKind.LINE else self._of_near
        asked = [dialect for dialect, pattern in patterns if pattern.fullmatch(opening.label)]
        if len(opening.label) <= _SHORT and len(self._asked_at) < _MOST_REMEMBERED:
            self._asked_at[key] = asked
        return asked

    def _first_reading(
        self, source: Source, opening: Opening, end: int, options: DecodeOptions
    ) -> Placed | None:
        """Show an opening to the dialects that asked for it; a block of the wrong shape yields to a later dialect's."""
        data: Placed | None = None
        misshapen: Placed | None = None
        bent: Placed | None = None
        for dialect in self._asked(opening):
            found = dialect.read(source, opening, end, options)
            if found is None:
                continue
            is_usual = opening.kind is _LITERAL or opening.kind is _FENCE
            if is_usual and found.status is _STRICT and not found.issues:
                found = unless_shown(dialect, _seen(found, opening, source.text, options), opening, source)
                return dialect, unless_cut(dialect, found, source) if source.is_cut else found
            if opening.kind is _LITERAL:
                found = unless_brackets_lack(dialect, found, source, opening, options)
            found = weighed(_seen(found, opening, source.text, options), opening, source.text)
            if found.reason is Reason.NOT_AN_ACTION or _says_nothing(found, opening):
                data = data or (dialect, found)
            elif found.reason is Reason.WRONG_SHAPE:
                misshapen = misshapen or (dialect, found)
            elif _is_bent(dialect, found):
                bent = bent or (dialect, found)
            elif misshapen is None or found.status is not BlockStatus.MALFORMED:
                return dialect, unless_cut(dialect, unless_shown(dialect, found, opening, source), source)
        if bent:
            return bent[0], unless_cut(bent[0], unless_shown(*bent, opening, source), source)
        if misshapen:
            return misshapen[0], unless_shown(*misshapen, opening, source)
        return data

    def _examples(
        self, source: Source, options: DecodeOptions, opening: Opening, closing: Closing, end: int
    ) -> tuple[list[Placed], int]:
        """Return what looks like actions in a fence that no dialect reads, and where to continue after them.

        They are examples if the dialect respects fences. An inner fence of the same length takes the closing line. If another closing
        line follows, that is the outer fence's; otherwise one of the two fences has none. A dialect that ignores fences
        reads such a block again with its closing line.
        """
        inside = Span(behind_mark(opening, source.text), closing.start)
        found = [
            (dialect, found)
            for dialect, found in self._inside_fences._blocks(source, options, inside, Walk())  # noqa: SLF001 - another of this class
            if found.reason is not Reason.NOT_AN_ACTION
        ]
        if found and any(repair.kind is RepairKind.UNCLOSED_FENCE for repair in found[-1][1].repairs):
            if not found[-1][0].respects_fences:
                return [*map(_shown, found[:-1])], found[-1][1].span.start
            again = source.closing_fence(opening, closing.end, end)
            if again.found and not Span(closing.end, again.start).of(source.text).strip():
                closing = again
            else:
                fence = _named(opening, source.text)
                return [*map(_shown, found[:-1]), _unless_lost(*found[-1], fence)], closing.end
        return [*map(_shown, found)], closing.end

    def _quoted(self, source: Source, options: DecodeOptions, quote: Quotation) -> Iterator[Placed]:
        """Yield what looks like actions in a block quote, as examples.

        An empty fence may have only its first line marked: it is read with the lines after it.
        """
        inner = Source(quote.text, source.names)
        for dialect, found in self._inside_quotes.blocks(inner, options):
            if found.reason is not Reason.NOT_AN_ACTION and found.reason is not Reason.EMPTY_BLOCK:
                yield dialect, as_example(quote.placed(found))


_BENT = frozenset({RepairKind.MISSING_WRAPPER, RepairKind.NAME_KEY})


def _is_bent(dialect: Dialect, found: Found) -> bool:
    """Return whether repairs forced a value into a format's shape; another format may have exactly that shape."""
    if not found.repairs or not isinstance(dialect, JsonFence):
        return False
    return any(repair.kind in _BENT for repair in found.repairs)


def _seen(found: Found, opening: Opening, text: str, options: DecodeOptions) -> Found:
    """Return a block with a repair for each invisible stretch in its fence's lines."""
    if opening.kind is not OpeningKind.FENCE or text.isascii() or RepairKind.SPACE not in options.repairs:
        return found
    first, last = (
        [
            Repair(RepairKind.SPACE, Span(*match.span()), match[0], "")
            for match in _HIDDEN.finditer(text, start, end)
        ]
        for start, end in ((opening.start, opening.end), (found.body.end, found.span.end))
    )
    if not first and not last:
        return found
    status = BlockStatus.REPAIRED if found.status is BlockStatus.STRICT else found.status
    return found._replace(status=status, repairs=(*first, *found.repairs, *last))


def _matching(
    dialects: Sequence[Dialect], attribute: Literal["line_patterns", "near_literals"]
) -> list[tuple[Dialect, re.Pattern[str]]]:
    """Return the dialects that ask for openings by patterns, each with all of its own."""
    asked = ((dialect, getattr(dialect, attribute)) for dialect in dialects)
    return [(dialect, regex("|".join(sorted(patterns)))) for dialect, patterns in asked if patterns]


def _says_nothing(found: Found, opening: Opening) -> bool:
    """Return whether an example holds no known action, in prose or for no stated reason; another dialect may read it."""
    is_in_the_open = opening.kind is OpeningKind.LINE or opening.kind is OpeningKind.NEAR
    return found.reason is Reason.EXAMPLE and not found.actions and (is_in_the_open or not found.issues)


def _holds_fences(found: Found, opening: Opening, text: str) -> bool:
    """Return whether data is a closed fence with further fences; it is then searched as if no dialect had read it."""
    return (
        opening.kind is OpeningKind.FENCE
        and found.body.end < found.span.end
        and text.find("```", *found.body) >= 0
    )


def _shown(placed: Placed) -> Placed:
    """Return a block in a fence that no dialect reads, as an example if its dialect respects fences."""
    dialect, found = placed
    if not dialect.respects_fences:
        return placed
    return dialect, as_example(found)


def _named(opening: Opening, text: str) -> str:
    """Return an opening's text and place for an issue."""
    span = Span(opening.start, opening.end)
    return f"{span.of(text).strip()[:40]!r} at {opening.start}"


def _unless_lost(dialect: Dialect, found: Found, fence: str) -> Placed:
    """Return a block after an unclosed fence that no dialect reads as lost: it may or may not be inside the fence.

    A dialect that ignores fences has no such doubt.
    """
    if found.status is BlockStatus.IGNORED or not dialect.respects_fences:
        return dialect, found
    return dialect, lost_behind(found, fence)
