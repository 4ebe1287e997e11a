"""Where a block ends that a marker opens: at its closing marker, or where that one is missing."""

import re
from typing import NamedTuple

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.json_values import Reach
from actionledger.reading.dialects.parts.nesting import behind_nested
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

BLANKS = re.compile(r"\s*+")
_ENDS_LINE = re.compile(r"[ \t]*+(?:[\r\n<\[]|\Z)")


def behind_blanks(text: str, start: int, end: int) -> int:
    """Return where the blanks from ``start`` on end."""
    match = BLANKS.match(text, start, end)
    return match.end() if match else start


def loose_end(text: str, at: int, end: int, *markers: str) -> int:
    """Return where a block ends that nothing has to close: behind its value, or with the text where that is all but over.

    Blanks, or the beginning of one of these markers, that the text ends with may still become part of the block, or
    make it another one: who reads a response while it comes in has to wait for what follows.
    """
    rest = behind_blanks(text, at, end)
    return end if rest == end or any(begins(marker, text, rest, end) for marker in markers) else at


def begins(marker: str, text: str, start: int, end: int) -> bool:
    """Return whether the text from ``start`` on is a marker that the end cuts off."""
    return 0 < end - start < len(marker) and marker.startswith(text[start:end])


class Close(NamedTuple):
    """The end of a block.

    Args:
        start: where its body ends.
        end: behind its closing marker.
        repairs: what had to be changed to find it.
    """

    start: int
    end: int
    repairs: tuple[Repair, ...] = ()


class Marker(NamedTuple):
    """An opening marker with the text that it may be closed in.

    Args:
        source: the response.
        opening: where the marker stands.
        closer: the marker that closes it; empty where nothing does.
        end: where the text to look at ends, in code points.
        options: what may be repaired.
        stops: further texts that an unreadable block never reaches beyond; its own marker always is one.
        others: markers that would close the block, were it another dialect's.
        may_stay_open: whether nothing is missing where the closing marker is.
    """

    source: Source
    opening: Opening
    closer: str
    end: int
    options: DecodeOptions
    stops: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    may_stay_open: bool = False

    @property
    def span(self) -> Span:
        """Where the opening marker stands."""
        return Span(self.opening.start, self.opening.end)

    def closing(self, at: int) -> Close | Found:
        """Return where the block closes whose value ends at ``at``, or the malformed block where it doesn't.

        A missing closing marker is plain where the value's line ends with it, or where another marker follows. Text
        behind the value on its line may as well be what the call is quoted in.
        """
        text, rest = self.source.text, behind_blanks(self.source.text, at, self.end)
        if not self.closer:
            return Close(at, loose_end(text, at, self.end, *self.others))
        if text.startswith(self.closer, rest, self.end):
            return Close(rest, rest + len(self.closer))
        if self.may_stay_open:
            return Close(at, loose_end(text, at, self.end, self.closer, *self.others))
        later = self.extent(at)
        if later.start < later.end:
            return self.malformed(Issue(Reason.TEXT_AFTER_VALUE, Span(rest, later.start)), later)
        if _ENDS_LINE.match(text, at, self.end) and (close := self.unclosed(at)):
            return close
        issue = Issue(Reason.UNCLOSED_TAG, self.span, f"Expected {self.closer} behind the value.")
        return self.malformed(issue, Close(at, at))

    def unclosed(self, at: int) -> Close | None:
        """Return the end of a block whose closing marker is missing, or cut off; None where that may not be repaired."""
        if RepairKind.UNCLOSED_TAG not in self.options.repairs:
            return None
        text, rest = self.source.text, behind_blanks(self.source.text, at, self.end)
        span = Span(rest, self.end) if begins(self.closer, text, rest, self.end) else Span(at, at)
        return Close(*span, (Repair(RepairKind.UNCLOSED_TAG, span, span.of(text), self.closer),))

    def extent(self, at: int) -> Close:
        """Return where the block ends if what stands from ``at`` on can't be read.

        That is behind the first closing marker, but never behind the next opening one.
        """
        reach = self.reach(at)
        if reach.closer is None:
            return Close(reach.bound, reach.bound)
        return Close(reach.closer, reach.closer + len(self.closer))

    def reach(self, at: int) -> Reach:
        """Return how far a value may reach that begins at ``at``."""
        stops = (self.source.find(stop, at, self.end) for stop in (self.opening.label, *self.stops))
        bound = min((stop for stop in stops if stop >= 0), default=self.end)
        closer = self.source.find(self.closer, at, bound) if self.closer else -1
        return Reach(closer if closer >= 0 else None, bound, self.end)

    def refused(self, issue: Issue, at: int) -> Found:
        """Return the block as malformed whose value begins at ``at`` and can't be read."""
        close = self.extent(at)
        if issue.span is None or issue.span.end > close.start:
            body = Span(at, close.start)
            issue = Issue(Reason.MALFORMED_JSON, body, "The block ends before its value does.")
        return self.malformed(issue, close)

    def holding(self, issue: Issue) -> Found:
        """Return the block as malformed that may hold others: up to the marker that closes as many as were opened, or all the rest."""
        brackets = re.compile(
            rf"(?P<closes>{re.escape(self.closer or chr(0))})|{re.escape(self.opening.label)}"
        )
        at = behind_nested(self.source.text, self.opening.end, self.end, brackets)
        is_closed = bool(self.closer) and self.source.text.endswith(self.closer, self.opening.end, at)
        return self.malformed(issue, Close(at - len(self.closer) if is_closed else at, at))

    def malformed(self, issue: Issue, close: Close) -> Found:
        """Return the block as malformed, with its end."""
        span, body = Span(self.opening.start, close.end), Span(self.opening.end, close.start)
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))

    def nothing_behind(self) -> Found | None:
        """Return the block of a marker that the text ends with, cut off; None where the marker is only mentioned."""
        text = self.source.text
        if behind_blanks(text, self.opening.end, self.end) < self.end or not at_line_start(
            text, self.opening.start
        ):
            return None
        return self.malformed(Issue(Reason.TRUNCATED, self.span), Close(self.end, self.end))
