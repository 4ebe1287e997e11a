"""Calls between special tokens: JSON after a marker, or a section of calls, each a head and its arguments as JSON.

The value determines its own end, so a closing marker in one of its strings closes nothing.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_calls import MARKED, Keys, calls_in
from actionledger.reading.dialects.parts.json_values import BEGINS_JSON, Arguments, Group, values_at
from actionledger.reading.dialects.parts.markers import (
    BLANKS,
    Close,
    Marker,
    behind_blanks,
    loose_end,
    thoughts_behind,
)
from actionledger.reading.dialects.parts.plain_calls import plain_call
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import Decoded
from actionledger.reading.tolerant_json.decoded import moved
from actionledger.reading.tolerant_json.faults import DecodeOptions

_OPENED = regex(r"\s*+[\[{][\s\[{]*+")
_FENCE_BEHIND_OPENED = regex(rf"(?:{_OPENED.pattern})?+[`~]")
_LONGEST, _MOST = 200, 1_000
"""The maximal length of a cached block's content, in code points, and the maximum of cached ones."""


def behind_opened(text: str, start: int) -> int:
    """Return where brackets opened from ``start`` on end; ``start`` itself if there are none, or too many."""
    found = _OPENED.match(text, start, start + _LONGEST)
    return found.end() if found else start


def fence_behind_opened(text: str, start: int) -> re.Match[str] | None:
    """Return the match of brackets opened from ``start`` on, if any, and the first sign of a fence directly behind them."""
    return _FENCE_BEHIND_OPENED.match(text, start, start + _LONGEST + 1)


class OpenedBlocks:
    """The results of one text's opened blocks, by their text."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Found, DecodeOptions]] = {}

    def known(self, dialect: str, block: str, start: int, options: DecodeOptions) -> Found | None:
        """Return the result of a block that was read before; None if it was not."""
        known = self._known.get((dialect, block))
        return _moved(known[0], start) if known and known[1] is options else None

    def keep(self, dialect: str, block: str, found: Found, options: DecodeOptions) -> None:
        """Record a block's result."""
        if not found.actions and len(self._known) < _MOST:
            self._known[dialect, block] = _moved(found, -found.span.start), options


def _moved(found: Found, by: int) -> Found:
    """Return a block without actions, moved by a number of code points."""
    return found._replace(
        span=_span(found.span, by),
        body=_span(found.body, by),
        repairs=tuple(replace(each, span=_span(each.span, by)) for each in found.repairs),
        issues=tuple(moved(each, by) for each in found.issues),
    )


def _span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


_FENCE = regex(r"(?P<fence>`{3,}\w*+)\s*+[\[{]")


class Marked(Dialect):
    """JSON calls behind one of the dialect's markers: each value is a call or a list of calls."""

    closers: ClassVar[Mapping[str, str]]
    """Each opening marker with the one that closes it; empty if nothing does."""

    holds_several: ClassVar[bool] = False
    """Whether several values may precede the closing marker."""

    gap: ClassVar[re.Pattern[str]] = BLANKS
    """Text that may be between two values."""

    others: ClassVar[Mapping[str, str]] = {}
    """For an opening marker, the closing one that would make the block another dialect's."""

    keys: ClassVar[Keys] = MARKED
    """Which keys name the tool and hold the arguments."""

    thought_markers: ClassVar[Mapping[str, str]] = {}
    """Each marker that opens thoughts, with the one that closes them."""

    @property
    def literals(self) -> frozenset[str]:
        """The opening markers."""
        return frozenset({*self.closers, *self.thought_markers})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the values, or skip the thoughts, after the marker; see ``Dialect.read``."""
        if closer := self.thought_markers.get(opening.label):
            return thoughts_behind(source, opening, closer, end)
        found = self._read(self._marker(source, opening, end, options))
        return self.unless_quoted(found, source.text) if found else None

    def _read(self, marker: Marker) -> Found | None:
        opening, text = marker.opening, marker.source.text
        stop = opening.end if marker.closer else behind_opened(text, opening.end)
        if stop == opening.end or not text.startswith(opening.label, stop, marker.end):
            return self.read_values(marker, opening.end)
        block, blocks = text[max(0, opening.start - 1) : stop], marker.source.memory(OpenedBlocks)
        found = blocks.known(self.name, block, opening.start, marker.options)
        if found is None and (found := self.read_values(marker, opening.end)):
            blocks.keep(self.name, block, found, marker.options)
        return found

    def _marker(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Marker:
        other = self.others.get(opening.label)
        return Marker(
            source,
            opening,
            self.closers[opening.label],
            end,
            options,
            others=(other,) if other else (),
            may_stay_open=self.may_stay_open,
        )

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the values from ``start`` up to the closing marker; None if there are none."""
        text, end = marker.source.text, marker.end
        start = behind_blanks(text, start, end)
        is_usual = type(self).calls_in is Marked.calls_in
        if is_usual and (plain := plain_call(marker, start, self.keys)):
            return plain
        if not BEGINS_JSON.match(text, start, end):
            if fence := _FENCE.match(text, start, end):
                issue = Issue(
                    Reason.WRONG_SHAPE, Span(*fence.span("fence")), "A fence stands before the value."
                )
                return marker.refused(issue, start)
            return marker.nothing_behind()
        gap = self.gap if marker.closer or self.holds_several else None
        group = values_at(marker.source, start, marker.reach(start), marker.options, gap)
        if group.refused:
            return marker.refused(group.refused.issues[0], group.refused.start)
        if group.is_cut and marker.extent(start).start < end:
            return marker.refused(Issue(Reason.MALFORMED_JSON), start)
        between = gap.match(text, group.end, end) if gap and not marker.closer else None
        may_go_on = between is not None and between.end() == end
        close = Close(group.end, end) if may_go_on else marker.closing(group.end)
        return close if isinstance(close, Found) else self._from_values(group, marker, close)

    def calls_in(self, values: Sequence[Decoded]) -> tuple[list[Written], list[Issue]] | Issue:
        """Return the calls in values; see ``json_calls.calls_in``."""
        return calls_in(values, self.keys)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls after the dialect's first marker; see ``Dialect.write``."""
        opener, closer = next(iter(self.closers.items()))
        return f"{opener}{json_text([call_object(call) for call in calls])}{closer}"

    def _from_values(self, group: Group, marker: Marker, close: Close) -> Found:
        """Return the block of fully read values, with their calls."""
        calls = self.calls_in(group.values)
        if isinstance(calls, Issue):
            return marker.malformed(calls, close)
        actions, issues = calls
        issues += group.issues
        if group.is_cut and not actions:
            return marker.malformed(Issue(Reason.TRUNCATED, Span(group.values[-1].start, group.end)), close)
        repairs = group.repairs
        if not self.holds_several:
            repairs += [_missing_markers(marker, decoded.end) for decoded in group.values[:-1]]
        repairs += close.repairs
        return Found(
            BlockStatus.REPAIRED if repairs else BlockStatus.STRICT,
            Span(marker.opening.start, close.end),
            Span(marker.opening.end, close.start),
            tuple(actions),
            repairs=tuple(sorted(repairs, key=lambda repair: repair.span)),
            issues=tuple(sorted(issues, key=lambda issue: issue.span or Span(0, 0))),
        )


def _missing_markers(marker: Marker, at: int) -> Repair:
    """Return the repair for another value where the block should have been closed and opened again."""
    return Repair(RepairKind.UNCLOSED_TAG, Span(at, at), "", marker.closer + marker.opening.label)


_SECTIONS_FENCE = regex(r"\s*+```")


class Head(NamedTuple):
    """The part of a call before its arguments."""

    name: str  # the tool's name
    end: int  # where the arguments begin, in code points
    call_id: str | None = None  # the identifier of the call
    is_fenced: bool = False  # whether the arguments are in a markdown fence


class _Call(NamedTuple):
    action: Written
    repairs: tuple[Repair, ...]
    issues: tuple[Issue, ...]


class Sections(Dialect):
    """Calls between the dialect's special tokens.

    A call that stands outside of a section, or behind one in its section that can't be read, is a block of its own.
    """

    section_begins: ClassVar[tuple[str, ...]]
    section_end: ClassVar[str]
    section_ends: ClassVar[Mapping[str, str]] = {}
    """For a token that begins a section in another spelling, the one that ends it."""

    call_begin: ClassVar[str]
    call_end: ClassVar[str]
    between: ClassVar[str] = ""
    """The format's text between two calls."""

    misplaced: ClassVar[re.Pattern[str]]
    """The beginning of a call; directly after the section's token, it shows that the call's own token is missing."""

    @property
    def literals(self) -> frozenset[str]:
        """The tokens that begin a section or a call."""
        return frozenset({*self.section_begins, *self.section_ends, self.call_begin})

    @abstractmethod
    def head(self, marker: Marker) -> Head | Issue | None:
        """Return the head of the call that the marker opens, its issue, or None if it is no call."""

    @abstractmethod
    def written(self, call: PlainCall, index: int) -> str:
        """Return the text between the tokens of a call."""

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one section; see ``Dialect.write``."""
        written = (
            f"{self.call_begin}{self.written(call, index)}{self.call_end}" for index, call in enumerate(calls)
        )
        return f"{self.section_begins[0]}{self.between.join(written)}{self.section_end}"

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls from here to the end of their section; see ``Dialect.read``."""
        closer = self.section_ends.get(opening.label, self.section_end)
        found = self._read_calls(Marker(source, opening, closer, end, options))
        return self.unless_quoted(found, source.text) if found else None

    def _read_calls(self, section: Marker) -> Found | None:
        text, opening, end = section.source.text, section.opening, section.end
        begins_section = opening.label != self.call_begin
        calls: list[_Call] = []
        at = opening.end if begins_section else opening.start
        while text.startswith(self.call_begin, begin := behind_blanks(text, at, end), end):
            call = self._call(section, begin)
            if isinstance(call, Found) and not calls:
                return self._malformed(section, call)
            if not isinstance(call, _Call):
                break
            calls.append(call)
            at = call.action.span.end
            if not begins_section:
                break
        rest = behind_blanks(text, at, end)
        if text.startswith(section.closer, rest, end):
            return _found(section, calls, Close(rest, rest + len(section.closer)))
        if not calls:
            return self._without_calls(section)
        goes_on = text.startswith(self.call_begin, rest, end)
        if not begins_section or (self.may_stay_open and not goes_on):
            ends = loose_end(text, at, end, section.closer, self.call_begin)
            return _found(section, calls, Close(at, ends))
        if close := section.unclosed(at):
            return _found(section, calls, close)
        detail = f"Expected {section.closer} behind the last call."
        return section.malformed(Issue(Reason.UNCLOSED_TAG, section.span, detail), Close(at, at))

    def _without_calls(self, section: Marker) -> Found | None:
        """Return the block of a token without a call of this dialect: cut off or misplaced, or None."""
        start = section.opening.end
        rest = behind_blanks(section.source.text, start, section.end)
        if section.opening.label == self.call_begin or section.source.text.startswith(self.call_begin, rest):
            return None
        if self.misplaced.match(section.source.text, start, section.end):
            issue = Issue(Reason.WRONG_SHAPE, section.span, f"Expected {self.call_begin}.")
            return section.refused(issue, start)
        return section.nothing_behind()

    def _malformed(self, section: Marker, call: Found) -> Found:
        """Return the unreadable block of a section whose first call is unreadable, with its surroundings."""
        rest = behind_blanks(section.source.text, call.span.end, section.end)
        is_closed = section.source.text.startswith(section.closer, rest, section.end)
        close = Close(rest, rest + len(section.closer)) if is_closed else Close(call.body.end, call.span.end)
        return section.malformed(call.issues[0], close)

    def _call(self, section: Marker, begin: int) -> _Call | Found | None:
        """Read one call; an unreadable block if it is broken, None if it is not this dialect's."""
        opening = Opening(OpeningKind.LITERAL, self.call_begin, begin, begin + len(self.call_begin))
        marker = Marker(
            section.source, opening, self.call_end, section.end, section.options, stops=(section.closer,)
        )
        head = self.head(marker)
        if head is None:
            return None
        if isinstance(head, Issue):
            return marker.refused(head, opening.end)
        if head.end >= marker.end:
            return marker.refused(Issue(Reason.TRUNCATED, Span(begin, marker.end)), opening.end)
        arguments = marker.arguments_at(head.end)
        if isinstance(arguments, Issue):
            return marker.refused(arguments, head.end)
        return _closed(marker, head, arguments)


def _closed(marker: Marker, head: Head, arguments: Arguments) -> _Call | Found:
    """Return a call after its arguments: close its fence, if any, and the call."""
    at, repairs = arguments.end, arguments.repairs
    if head.is_fenced:
        if fence := _SECTIONS_FENCE.match(marker.source.text, at, marker.end):
            at = fence.end()
        elif RepairKind.UNCLOSED_FENCE in marker.options.repairs:
            repairs += (Repair(RepairKind.UNCLOSED_FENCE, Span(at, at), "", "\n```"),)
        else:
            issue = Issue(Reason.UNCLOSED_FENCE, Span(head.end, at), "Expected ``` behind the arguments.")
            return marker.refused(issue, at)
    close = marker.closing(at)
    if isinstance(close, Found):
        return close
    action = Written(head.name, arguments.values, Span(marker.opening.start, close.end), head.call_id)
    return _Call(action, repairs + close.repairs, arguments.issues)


def _found(section: Marker, calls: list[_Call], close: Close) -> Found:
    repairs = tuple(repair for call in calls for repair in call.repairs) + close.repairs
    return Found(
        BlockStatus.REPAIRED if repairs else BlockStatus.STRICT,
        Span(section.opening.start, close.end),
        Span(section.opening.end, close.start),
        tuple(call.action for call in calls),
        repairs=repairs,
        issues=tuple(issue for call in calls for issue in call.issues),
    )
