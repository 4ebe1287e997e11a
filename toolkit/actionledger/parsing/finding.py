"""One pass over a response: openings in text order, each shown to the dialects that asked for it.

The rule for overlap: the block that begins first wins, and whatever lies inside it is its content. A fence that no
dialect reads is somebody's code: what would be an action in it is an illustration, unless the dialect says that fences
don't concern it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from actionledger.parsing.dialects.base import Dialect, Found
from actionledger.parsing.scan.openings import Openers, Opening, OpeningKind
from actionledger.parsing.scan.options import DecodeOptions
from actionledger.parsing.scan.source import Source
from actionledger.values import Issue, Span
from actionledger.vocabulary import BlockStatus, Reason

Placed = tuple[Dialect, Found]
"""A block with the dialect that read it."""


class Finder:
    """Finds the blocks of a set of dialects; made once for a parser, since asking every dialect takes time.

    Args:
        dialects: the formats to look for; of two that want the same block, the first that reads it wins.
        fences: whether fences count: they do unless nothing in them is an example, and nobody reads them.
    """

    def __init__(self, dialects: Sequence[Dialect], *, fences: bool | None = None) -> None:
        if fences is None:
            fences = any(
                dialect.fence_labels or dialect.reads_any_fence or dialect.respects_fences
                for dialect in dialects
            )
        self._dialects = tuple(dialects)
        self._by_label: dict[tuple[OpeningKind, str], list[Dialect]] = {}
        for dialect in dialects:
            for literal in dialect.literals:
                self._by_label.setdefault((OpeningKind.LITERAL, literal), []).append(dialect)
            for label in dialect.fence_labels:
                self._by_label.setdefault((OpeningKind.FENCE, label), []).append(dialect)
        self._of_any_fence = [dialect for dialect in dialects if dialect.reads_any_fence]
        self._of_lines = [
            (dialect, re.compile("|".join(sorted(dialect.line_patterns))))
            for dialect in dialects
            if dialect.line_patterns
        ]
        self._openers = Openers(
            literals=frozenset[str]().union(*(dialect.literals for dialect in dialects)),
            lines=frozenset[str]().union(*(dialect.line_patterns for dialect in dialects)),
            fences=fences,
        )

    def blocks(self, source: Source, options: DecodeOptions, start: int = 0) -> Iterator[Placed]:
        """Return the blocks of a response in text order, never overlapping.

        Args:
            source: the response.
            options: what may be repaired, and the decoder's limits.
            start: where to begin, in code points; not inside a block.
        """
        return self._blocks(source, options, Span(start, len(source.text)))

    @cached_property
    def _inside_fences(self) -> "Finder":
        inner = [dialect for dialect in self._dialects if dialect.literals or dialect.line_patterns]
        return Finder(inner, fences=False)

    def _blocks(self, source: Source, options: DecodeOptions, within: Span) -> Iterator[Placed]:
        at, end = within
        open_fence = ""
        while opening := self._openers.next(source.text, at, end):
            if placed := self._first_reading(source, opening, end, options):
                yield _doubtful(*placed, open_fence) if open_fence else placed
                at = max(placed[1].span.end, opening.start + 1)
            elif opening.kind is OpeningKind.FENCE:
                closing = source.closing_fence(opening, opening.end, end)
                if closing.found:
                    yield from self._examples(source, options, Span(opening.end, closing.start))
                else:
                    open_fence = open_fence or _named(opening, source.text)
                at = closing.end if closing.found else max(opening.end, opening.start + 1)
            else:
                at = max(opening.end, opening.start + 1)

    def _asked(self, opening: Opening) -> Sequence[Dialect]:
        if opening.kind is OpeningKind.LINE:
            return [dialect for dialect, pattern in self._of_lines if pattern.fullmatch(opening.label)]
        asked = self._by_label.get((opening.kind, opening.label), [])
        return asked + self._of_any_fence if opening.kind is OpeningKind.FENCE else asked

    def _first_reading(
        self, source: Source, opening: Opening, end: int, options: DecodeOptions
    ) -> Placed | None:
        """Show an opening to the dialects that asked for it; what has not the shape of one yields to a later one."""
        data: Placed | None = None
        misshapen: Placed | None = None
        for dialect in self._asked(opening):
            found = dialect.read(source, opening, end, options)
            if found is None:
                continue
            if found.reason is Reason.NOT_AN_ACTION:
                data = data or (dialect, found)
            elif found.reason is Reason.WRONG_SHAPE:
                misshapen = misshapen or (dialect, found)
            elif misshapen is None or found.status is not BlockStatus.MALFORMED:
                return dialect, found
        return misshapen or data

    def _examples(self, source: Source, options: DecodeOptions, body: Span) -> Iterator[Placed]:
        """Yield what looks like actions inside somebody else's fence: as examples where the dialect respects fences."""
        for dialect, found in self._inside_fences._blocks(source, options, body):  # noqa: SLF001 - another of this class
            if not dialect.respects_fences:
                yield dialect, found
            elif found.actions:
                yield dialect, found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE, issues=())


def _named(opening: Opening, text: str) -> str:
    """What an opening is called in an issue: its text and its place."""
    span = Span(opening.start, opening.end)
    return f"{span.of(text).strip()[:40]!r} at {opening.start}"


def _doubtful(dialect: Dialect, found: Found, fence: str) -> Placed:
    """Return a block behind somebody else's fence that nothing closes as an example, with an issue.

    It may or may not be inside the fence. A dialect that fences don't concern knows no such doubt.
    """
    if found.reason in {Reason.NOT_AN_ACTION, Reason.REASONING} or not dialect.respects_fences:
        return dialect, found
    detail = f"{fence} either holds this, as an example, or was to be closed before it."
    issue = Issue(Reason.UNCLOSED_FENCE, found.span, detail)
    return dialect, found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE, issues=(issue,))
