"""Calls as JSON behind a marker: a tag or a special token, closed by another marker or by the end of the value.

The value says where it ends, so a closing marker inside one of its strings closes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_calls import MARKED, Keys, calls_in
from actionledger.reading.dialects.parts.json_values import BEGINS_JSON, Group, values_at
from actionledger.reading.dialects.parts.markers import BLANKS, Close, Marker, behind_blanks
from actionledger.reading.dialects.parts.opened_blocks import OpenedBlocks, behind_opened
from actionledger.reading.dialects.parts.thoughts import thoughts_behind
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import Decoded
from actionledger.reading.tolerant_json.options import DecodeOptions

_FENCE = re.compile(r"(?P<fence>`{3,}\w*+)\s*+[\[{]")


class Marked(Dialect):
    """JSON calls behind one of the dialect's markers: each value is a call or a list of calls."""

    closers: ClassVar[Mapping[str, str]]
    """Each opening marker with the one that closes it; empty where nothing does."""

    holds_several: ClassVar[bool] = False
    """Whether several values may follow each other before the closing marker."""

    gap: ClassVar[re.Pattern[str]] = BLANKS
    """What may stand between two values."""

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
        """Read the values, or pass over the thoughts, behind the marker; see ``Dialect.read``."""
        if closer := self.thought_markers.get(opening.label):
            return thoughts_behind(source, opening, closer, end)
        found = self._read(self._marker(source, opening, end, options))
        return self.unless_quoted(found, source.text) if found else None

    def _read(self, marker: Marker) -> Found | None:
        opening, text = marker.opening, marker.source.text
        stop = behind_opened(text, opening.end)
        if marker.closer or stop == opening.end or not text.startswith(opening.label, stop, marker.end):
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
        """Read the values that begin at ``start``, up to the closing marker; None where there are none."""
        text, end = marker.source.text, marker.end
        start = behind_blanks(text, start, end)
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
        """Return the calls that values hold; see ``json_calls.calls_in``."""
        return calls_in(values, self.keys)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls behind the dialect's first marker; see ``Dialect.write``."""
        opener, closer = next(iter(self.closers.items()))
        return f"{opener}{json_text([call_object(call) for call in calls])}{closer}"

    def _from_values(self, group: Group, marker: Marker, close: Close) -> Found:
        """All of the block is read: take the calls from its values."""
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
    """Another value follows where the block should have been closed and opened again."""
    return Repair(RepairKind.UNCLOSED_TAG, Span(at, at), "", marker.closer + marker.opening.label)
