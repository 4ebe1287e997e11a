"""The thoughts of a response: those without an opening marker, and the calls in thoughts.

A call in thoughts never runs. It is an issue if the thoughts end and an answer follows. If the model went from
its thoughts to a call without ending them, or ended with it, the call may be meant: it is parsed and waits for approval.
"""

from collections.abc import Iterable, Iterator, Sequence

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.markers import thoughts, waiting
from actionledger.reading.dialects.reasoning import Reasoning, ends_thoughts, may_be_mention, thoughts_up_to
from actionledger.reading.finding import Finder, Placed
from actionledger.reading.heads import LOOKS_LIKE_CALL
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})
_NOTHING = regex(r"(?:\s|<\|[^|<>\n]{1,40}\|>|</s>)*+\Z")
_MAY_BE_NOTHING = regex(r"(?:\s|<\|[^|<>\n]{1,40}\|>|</s>)*+(?:<[^>\n]{0,42})?\Z")
_SIGNS = regex(r"[<{\[`~A](?:(?<![`~A])|(?<=A)ction|(?<=`)``|(?<=~)~~)")
"""Thoughts without any of these hold no call."""

_WHY = "It stands in the model's thoughts."


class Thinking:
    """Separates the thoughts of one response from the rest."""

    def __init__(self, source: Source, finder: Finder, options: DecodeOptions, reasoning: Reasoning) -> None:
        self._source, self._text = source, source.text
        self._finder, self._options = finder, options
        self._reasoning = reasoning
        self._within: list[Span] = []

    def told_apart(self, blocks: Iterable[Placed]) -> list[Placed]:
        """Return the blocks, with those marked as thoughts or as doubtful that a marker of thoughts makes so."""
        placed = list(blocks)
        closers: list[int] = []
        for index, (_, found) in enumerate(placed):
            if found.reason is Reason.REASONING:
                is_end = ends_thoughts(found, self._text)
                self._within.append(Span(0, found.span.end) if is_end else found.span)
                closers += [index] if is_end else []
        if not closers:
            return [*self._pieces(placed)]
        named = {index for index in closers if may_be_mention(placed[index][1].span, self._text)}
        last = max((index for index in closers if index not in named), default=-1)
        doubted = max(named, default=-1)
        told: list[Placed] = []
        if last >= 0:
            told = self._thought(list(self._pieces(placed[:last])), placed[last][1])
        for index in range(last + 1, len(placed)):
            dialect, found = placed[index]
            if index in named:
                continue
            if found.reason is Reason.REASONING:
                told += self._with_calls(dialect, found)
            else:
                told.append((dialect, self._doubtful(found) if index < doubted else found))
        return told

    def still_doubtful(self, placed: Iterable[Placed]) -> list[Placed]:
        """Return blocks, with those marked as doubtful that were found in thoughts later, by evidence."""
        return [
            (dialect, self._doubtful(found))
            if found.actions
            and [within for within in self._within if within.start <= found.span.start < within.end]
            and not all(action.doubt for action in found.actions)
            else (dialect, found)
            for dialect, found in placed
        ]

    def _pieces(self, placed: Iterable[Placed]) -> Iterator[Placed]:
        for dialect, found in placed:
            if found.reason is Reason.REASONING:
                yield from self._with_calls(dialect, found)
            else:
                yield dialect, found

    def may_change(self, found: Found) -> bool:
        """Return whether later text may change these thoughts: they hold calls or further openers."""
        body = found.body.of(self._text)
        opener = self._text[found.span.start : found.body.start]
        if opener in body or LOOKS_LIKE_CALL.search(body):
            return True
        return any(True for _ in self._calls(found))

    def _thought(self, placed: Sequence[Placed], closer: Found) -> list[Placed]:
        """Return all blocks before a closing marker as the thoughts at the start of the response."""
        last = placed[-1][1] if placed else None
        ends_with_call = last and last.status in _READ and not self._gap(last.span.end, closer.span.start)
        if ends_with_call and is_all_behind(self._text, closer.span.end):
            doubtful = [(dialect, self._doubtful(found)) for dialect, found in placed]
            return [*doubtful, (self._reasoning, closer)]
        dialects = {found.span: dialect for dialect, found in placed}
        pieces = thoughts_up_to(closer.span, [found for _, found in placed])
        if "[" in self._text or "{" in self._text:
            pieces = map(self._with_named, pieces)
        return [(dialects.get(piece.span, self._reasoning), piece) for piece in pieces]

    def _with_named(self, piece: Found) -> Found:
        """Add an issue for each likely call to a piece of thoughts without issues or actions."""
        if piece.issues or piece.actions:
            return piece
        issues = (Issue(Reason.REASONING, span, _WHY) for span in self._named(piece.span))
        return piece._replace(issues=tuple(issues))

    def _with_calls(self, dialect: Dialect, found: Found) -> Iterator[Placed]:
        """Yield thoughts with an issue for each call in them; calls that may be meant come between the pieces."""
        if not self._may_hold_calls(found.body):
            yield dialect, found
            return
        calls = list(self._calls(found))
        is_open = any(issue.code is Reason.UNCLOSED_TAG for issue in found.issues)
        if calls and (is_open or self._ends_with(calls[-1][1], found)):
            yield from self._split(dialect, found, calls)
        else:
            spans = [call.span for _, call in calls] or list(self._named(found.span))
            issues = (Issue(Reason.REASONING, span, _WHY) for span in spans)
            yield dialect, found._replace(issues=(*found.issues, *issues))

    def _named(self, within: Span) -> Iterator[Span]:
        if self._text.find("[", *within) < 0 and self._text.find("{", *within) < 0:
            return iter(())
        return (Span(*found.span()) for found in LOOKS_LIKE_CALL.finditer(self._text, *within))

    def _calls(self, found: Found) -> Iterator[Placed]:
        start, end = found.body
        if not self._may_hold_calls(found.body):
            return
        for dialect, call in self._finder.in_thoughts.blocks(self._source, self._options, start, end=end):
            if call.status is not BlockStatus.IGNORED:
                yield dialect, call

    def _may_hold_calls(self, body: Span) -> bool:
        return _SIGNS.search(self._text, *body) is not None

    def _ends_with(self, call: Found, found: Found) -> bool:
        """Return whether thoughts, and the response, end with a call."""
        gap = self._gap(call.span.end, found.body.end)
        return call.status in _READ and not gap and is_all_behind(self._text, found.span.end)

    def _split(self, dialect: Dialect, found: Found, calls: Sequence[Placed]) -> Iterator[Placed]:
        at = found.span.start
        for reader, call in calls:
            if at < call.span.start:
                issues = found.issues if at == found.span.start else ()
                yield dialect, thoughts(Span(at, call.span.start), Span(at, call.span.start), *issues)
            yield reader, self._doubtful(call)
            at = call.span.end
        if self._gap(at, found.span.end):
            yield dialect, thoughts(Span(at, found.span.end), Span(at, found.span.end))

    def _doubtful(self, found: Found) -> Found:
        """Return a block with its actions waiting for approval; a block without actions stays the same."""
        return waiting(found, Reason.REASONING, _WHY)

    def _gap(self, start: int, end: int) -> str:
        return self._text[start:end].strip()


def is_all_behind(text: str, end: int) -> bool:
    """Return whether only blanks and end-of-turn tokens follow a place."""
    return _NOTHING.match(text, end) is not None


def may_be_all_behind(text: str, end: int) -> bool:
    """Return whether the text after a place is, or may become, only blanks and end-of-turn tokens."""
    return _MAY_BE_NOTHING.match(text, end) is not None
