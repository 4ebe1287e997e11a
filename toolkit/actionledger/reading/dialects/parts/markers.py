"""Where a marker's block ends, also for thoughts, and the verdicts on blocks that dialects share."""

import re
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.json_values import Arguments, Reach, arguments_at, plain_arguments
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

BLANKS = regex(r"\s*+")
_ENDS_LINE = regex(r"[ \t]*+(?:[\r\n<\[]|\Z)")


def behind_blanks(text: str, start: int, end: int) -> int:
    """Return where the blanks from ``start`` on end."""
    if "!" <= text[start : start + 1] <= "~":
        return start
    match = BLANKS.match(text, start, end)
    return match.end() if match else start


def loose_end(text: str, at: int, end: int, *markers: str) -> int:
    """Return where a block ends that needs no closer: after its value, or with the text if that is all but over.

    Blanks, or the beginning of one of these markers, at the end of the text may still become part of the block, or
    make it another one: a streaming reader must wait for more text.
    """
    rest = behind_blanks(text, at, end)
    return end if rest == end or any(begins(marker, text, rest, end) for marker in markers) else at


def begins(marker: str, text: str, start: int, end: int) -> bool:
    """Return whether the text from ``start`` on is a marker cut off by the end."""
    return 0 < end - start < len(marker) and marker.startswith(text[start:end])


class Close(NamedTuple):
    """The end of a block."""

    start: int  # where its body ends
    end: int  # after its closing marker
    repairs: tuple[Repair, ...] = ()  # the changes needed to find it


class Marker(NamedTuple):
    """An opening marker with the text in which it may be closed."""

    source: Source  # the response
    opening: Opening  # where the marker is
    closer: str  # the marker that closes it; empty if nothing does
    end: int  # where the searched text ends, in code points
    options: DecodeOptions  # what may be repaired
    stops: tuple[str, ...] = ()  # further texts that bound an unreadable block; its own marker always does
    others: tuple[str, ...] = ()  # markers that would close another dialect's block
    may_stay_open: bool = False  # whether the closing marker is optional

    @property
    def span(self) -> Span:
        """The span of the opening marker."""
        return Span(self.opening.start, self.opening.end)

    def closing(self, at: int) -> Close | Found:
        """Return where the block closes whose value ends at ``at``, or the malformed block if it doesn't.

        A missing closing marker is plain if the value's line ends with it, or if another marker follows. Other text
        after the value on its line may show that the call is quoted.
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
        """Return the end of a block whose closing marker is missing or cut off; None if repairing that is not allowed."""
        if RepairKind.UNCLOSED_TAG not in self.options.repairs:
            return None
        text, rest = self.source.text, behind_blanks(self.source.text, at, self.end)
        span = Span(rest, self.end) if begins(self.closer, text, rest, self.end) else Span(at, at)
        return Close(*span, (Repair(RepairKind.UNCLOSED_TAG, span, span.of(text), self.closer),))

    def extent(self, at: int) -> Close:
        """Return where the block ends if the text from ``at`` on is unreadable.

        That is after the first closing marker, but never after the next opening one.
        """
        reach = self.reach(at)
        if reach.closer is None:
            return Close(reach.bound, reach.bound)
        return Close(reach.closer, reach.closer + len(self.closer))

    def reach(self, at: int) -> Reach:
        """Return how far a value that begins at ``at`` may reach."""
        stops = (self.source.find(stop, at, self.end) for stop in (self.opening.label, *self.stops))
        bound = min((stop for stop in stops if stop >= 0), default=self.end)
        closer = self.source.find(self.closer, at, bound) if self.closer else -1
        return Reach(closer if closer >= 0 else None, bound, self.end)

    def arguments_at(self, at: int) -> Arguments | Issue:
        """Read the arguments that begin at a place."""
        plain = plain_arguments(self.source.text, at, self.end, self.options.max_depth)
        return plain or arguments_at(self.source, at, self.reach(at), self.options)

    def refused(self, issue: Issue, at: int) -> Found:
        """Return the block as malformed, with an unreadable value at ``at``."""
        close = self.extent(at)
        if issue.span is None or issue.span.end > close.start:
            body = Span(at, close.start)
            issue = Issue(Reason.MALFORMED_JSON, body, "The block ends before its value does.")
        return self.malformed(issue, close)

    def holding(self, issue: Issue) -> Found:
        """Return the block as malformed that may hold others: up to the marker that balances the opened ones, or all the rest."""
        brackets = regex(rf"(?P<closes>{re.escape(self.closer or chr(0))})|{re.escape(self.opening.label)}")
        at = behind_nested(self.source.text, self.opening.end, self.end, brackets)
        is_closed = bool(self.closer) and self.source.text.endswith(self.closer, self.opening.end, at)
        return self.malformed(issue, Close(at - len(self.closer) if is_closed else at, at))

    def malformed(self, issue: Issue, close: Close) -> Found:
        """Return the block as malformed, with its end."""
        span, body = Span(self.opening.start, close.end), Span(self.opening.end, close.start)
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))

    def nothing_behind(self) -> Found | None:
        """Return the cut-off block of a marker at the end of the text; None if the marker is only mentioned."""
        text = self.source.text
        if behind_blanks(text, self.opening.end, self.end) < self.end or not at_line_start(
            text, self.opening.start
        ):
            return None
        return self.malformed(Issue(Reason.TRUNCATED, self.span), Close(self.end, self.end))


_MOST_NESTED = 64
"""The maximum of tags counted inside a value to find its end, or that of its call."""

_PARTNERS = {"opens_parameter": "closes_parameter", "opens_call": "closes_call"}
"""The opening tags in a value, each with its closing one."""


def close_around(
    text: str, start: int, end: int, tags: re.Pattern[str], fitting: re.Pattern[str]
) -> Span | None:
    """Return the tag that closes a value with whole calls in it; None if their tags don't match each other."""
    opened: list[str] = []
    for count, tag in enumerate(tags.finditer(text, start, end)):
        kind = tag.lastgroup or ""
        if kind in _PARTNERS:
            opened.append(_PARTNERS[kind])
        elif not opened:
            is_due = kind == "closes_parameter" and fitting.match(text, tag.start(), end)
            return Span(*tag.span()) if is_due else None
        elif opened.pop() != kind:
            return None
        if count > _MOST_NESTED:
            break
    return None


def behind_nested(text: str, start: int, end: int, brackets: re.Pattern[str]) -> int:
    """Return where a call that may hold others ends: after the tag that balances the opened ones, or at ``end``."""
    depth = 1
    for count, tag in enumerate(brackets.finditer(text, start, end)):
        depth += -1 if tag["closes"] else 1
        if not depth:
            return tag.end()
        if count > _MOST_NESTED:
            break
    return end


def read_block(
    span: Span,
    body: Span,
    actions: tuple[Written, ...],
    repairs: tuple[Repair, ...] = (),
    issues: tuple[Issue, ...] = (),
) -> Found:
    """Return a block with actions: strict, or repaired if anything was changed."""
    status = BlockStatus.REPAIRED if repairs else BlockStatus.STRICT
    return Found(status, span, body, actions, repairs=repairs, issues=issues)


def refused(span: Span, body: Span, issue: Issue) -> Found:
    """Return an unreadable block with its reason."""
    return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))


def shown(span: Span, body: Span, issue: Issue | None = None) -> Found:
    """Return a block that is shown rather than meant, with the reason if that is worth reporting."""
    issues = (issue,) if issue else ()
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.EXAMPLE, issues=issues)


def as_example(found: Found) -> Found:
    """Return a block that is shown rather than meant, without its faults."""
    return found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE, repairs=(), issues=())


def in_prose(found: Found, where: str = "Text stands beside it on its line.") -> Found:
    """Return a block in a sentence: it may be meant, so it is reported, and not executed."""
    issue = Issue(Reason.CALL_IN_PROSE, found.span, where)
    return found._replace(status=BlockStatus.IGNORED, reason=issue.code, repairs=(), issues=(issue,))


def waiting(found: Found, doubt: Reason, why: str) -> Found:
    """Return a block whose actions wait for approval, since they may not be meant; an unread block stays the same."""
    if found.status is not BlockStatus.STRICT and found.status is not BlockStatus.REPAIRED:
        return found
    actions = tuple(action._replace(doubt=action.doubt or doubt) for action in found.actions)
    issues = sorted((*found.issues, Issue(doubt, found.span, why)), key=_start_of)
    return found._replace(actions=actions, issues=tuple(issues))


def _start_of(issue: Issue) -> int:
    return issue.span.start if issue.span else 0


class Closed(NamedTuple):
    """An expected closing tag."""

    start: int  # start, end: where it is, or where it is missing
    end: int
    repairs: tuple[Repair, ...] = ()  # the repair that adds a missing one
    issue: Issue | None = None  # why it can't be added; None otherwise


def closing_tag(text: str, at: int, end: int, closer: str, options: DecodeOptions) -> Closed:
    """Return where a closing tag is that is expected here, after blanks at most; a missing one is a repair."""
    due = behind_blanks(text, at, end)
    if text.startswith(closer, due, end):
        return Closed(due, due + len(closer))
    is_cut = due < end == len(text) < due + len(closer) and closer.startswith(text[due:])
    missing = Span(due, end) if is_cut else Span(at, at)
    if RepairKind.UNCLOSED_TAG not in options.repairs:
        return Closed(*missing, issue=Issue(Reason.UNCLOSED_TAG, missing, f"Expected {closer}"))
    repair = Repair(RepairKind.UNCLOSED_TAG, missing, missing.of(text), closer)
    return Closed(*missing, repairs=(repair,))


def excerpt(text: str, start: int, end: int) -> str:
    """Return the beginning of a stretch of the response, quoted, for an issue's detail."""
    return repr(text[start : min(end, start + 60)].strip()[:20])


_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "「": "」", "`": "`"}


def thoughts_behind(source: Source, opening: Opening, closer: str, end: int) -> Found | None:
    """Return the thoughts between an opening marker and its closer; None if inline code mentions the marker.

    Such a marker is written only for thoughts, so unclosed ones go to the end. The closing marker
    may still come, and a streaming reader must not act on what turns out to be a thought.
    """
    if is_mentioned(source.text, Span(opening.start, opening.end)):
        return None
    close = source.find(closer, opening.end, end)
    if close >= 0:
        return thoughts(Span(opening.start, close + len(closer)), Span(opening.end, close))
    return unclosed_thoughts(opening, end)


def unclosed_thoughts(opening: Opening, end: int) -> Found:
    """Return thoughts to the end, with the issue that they are unclosed."""
    issue = Issue(Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {opening.label}.")
    return thoughts(Span(opening.start, end), Span(opening.end, end), issue)


def thoughts(span: Span, body: Span, *issues: Issue) -> Found:
    """Return a block of thoughts, in which nothing is meant."""
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.REASONING, issues=issues)


def is_mentioned(text: str, marker: Span) -> bool:
    """Return whether a marker is between quotation marks, or begins inline code: it is mentioned, not used."""
    before, behind = text[marker.start - 1 : marker.start], text[marker.end : marker.end + 1]
    return before == "`" or (before in _QUOTES and before != "" and behind == _QUOTES[before])
