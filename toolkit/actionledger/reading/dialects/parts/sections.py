"""Calls between special tokens: a section of calls, each a head and its arguments as JSON.

A call that can't be read ends the block before it and is a block of its own, so that it takes no other call with it.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_values import Arguments, arguments_at
from actionledger.reading.dialects.parts.markers import Close, Marker, behind_blanks, loose_end
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_FENCE = re.compile(r"\s*+```")


class Head(NamedTuple):
    """What stands before a call's arguments.

    Args:
        name: the tool's name.
        end: where the arguments begin, in code points.
        call_id: the identifier of the call.
        is_fenced: whether the arguments stand in a markdown fence.
    """

    name: str
    end: int
    call_id: str | None = None
    is_fenced: bool = False


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
    """What the format writes between two calls."""

    misplaced: ClassVar[re.Pattern[str]]
    """What a call begins with; where it follows the section's token, the call's own token is missing."""

    @property
    def literals(self) -> frozenset[str]:
        """The tokens that begin a section or a call."""
        return frozenset({*self.section_begins, *self.section_ends, self.call_begin})

    @abstractmethod
    def head(self, marker: Marker) -> Head | Issue | None:
        """Return the head of the call that the marker opens, what is wrong with it, or None where it is no call."""

    @abstractmethod
    def written(self, call: PlainCall, index: int) -> str:
        """Return what stands between the tokens of a call."""

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
        """No call of this dialect follows the token: it is mentioned, another dialect's, cut off or misplaced."""
        start = section.opening.end
        rest = behind_blanks(section.source.text, start, section.end)
        if section.opening.label == self.call_begin or section.source.text.startswith(self.call_begin, rest):
            return None
        if self.misplaced.match(section.source.text, start, section.end):
            issue = Issue(Reason.WRONG_SHAPE, section.span, f"Expected {self.call_begin}.")
            return section.refused(issue, start)
        return section.nothing_behind()

    def _malformed(self, section: Marker, call: Found) -> Found:
        """The section's first call can't be read: the block is what is around it as well."""
        rest = behind_blanks(section.source.text, call.span.end, section.end)
        is_closed = section.source.text.startswith(section.closer, rest, section.end)
        close = Close(rest, rest + len(section.closer)) if is_closed else Close(call.body.end, call.span.end)
        return section.malformed(call.issues[0], close)

    def _call(self, section: Marker, begin: int) -> _Call | Found | None:
        """Read one call; a malformed block where it can't be read, None where it is none of this dialect's."""
        opening = Opening(OpeningKind.LITERAL, self.call_begin, begin, begin + len(self.call_begin))
        marker = section._replace(opening=opening, closer=self.call_end, stops=(section.closer,))
        head = self.head(marker)
        if head is None:
            return None
        if isinstance(head, Issue):
            return marker.refused(head, opening.end)
        if head.end >= marker.end:
            return marker.refused(Issue(Reason.TRUNCATED, Span(begin, marker.end)), opening.end)
        arguments = arguments_at(marker.source, head.end, marker.reach(head.end), marker.options)
        if isinstance(arguments, Issue):
            return marker.refused(arguments, head.end)
        return _closed(marker, head, arguments)


def _closed(marker: Marker, head: Head, arguments: Arguments) -> _Call | Found:
    """The arguments are read: the fence around them is due, if there is one, and the token that ends the call."""
    at, repairs = arguments.end, arguments.repairs
    if head.is_fenced:
        if fence := _FENCE.match(marker.source.text, at, marker.end):
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
