"""Where a block ends that a marker opens, thoughts among them, and the verdicts on a block that dialects share."""

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

    def arguments_at(self, at: int) -> Arguments | Issue:
        """Read the arguments that begin at a place."""
        plain = plain_arguments(self.source.text, at, self.end, self.options.max_depth)
        return plain or arguments_at(self.source, at, self.reach(at), self.options)

    def refused(self, issue: Issue, at: int) -> Found:
        """Return the block as malformed whose value begins at ``at`` and can't be read."""
        close = self.extent(at)
        if issue.span is None or issue.span.end > close.start:
            body = Span(at, close.start)
            issue = Issue(Reason.MALFORMED_JSON, body, "The block ends before its value does.")
        return self.malformed(issue, close)

    def holding(self, issue: Issue) -> Found:
        """Return the block as malformed that may hold others: up to the marker that closes as many as were opened, or all the rest."""
        brackets = regex(rf"(?P<closes>{re.escape(self.closer or chr(0))})|{re.escape(self.opening.label)}")
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


_MOST_NESTED = 64
"""How many tags inside a value are counted to find its end, or that of the call around it."""

_PARTNERS = {"opens_parameter": "closes_parameter", "opens_call": "closes_call"}
"""The tags that open something in a value, each with what closes it."""


def close_around(
    text: str, start: int, end: int, tags: re.Pattern[str], fitting: re.Pattern[str]
) -> Span | None:
    """Return the tag that closes a value with whole calls in it; None where their tags don't match each other."""
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
    """Return where a call ends that may hold others: behind the tag that closes as many as were opened, or nowhere."""
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
    """Return a block whose actions were read: strict, or repaired where anything was changed."""
    status = BlockStatus.REPAIRED if repairs else BlockStatus.STRICT
    return Found(status, span, body, actions, repairs=repairs, issues=issues)


def refused(span: Span, body: Span, issue: Issue) -> Found:
    """Return a block that can't be read, and why."""
    return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))


def shown(span: Span, body: Span, issue: Issue | None = None) -> Found:
    """Return a block that is shown rather than meant, with what gives it away if that is worth a word."""
    issues = (issue,) if issue else ()
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.EXAMPLE, issues=issues)


def as_example(found: Found) -> Found:
    """Return a block that is shown rather than meant; nobody is told what is wrong with it."""
    return found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE, repairs=(), issues=())


def in_prose(found: Found, where: str = "Text stands beside it on its line.") -> Found:
    """Return a block that stands within a sentence: it may be meant, so it is said, and not run."""
    issue = Issue(Reason.CALL_IN_PROSE, found.span, where)
    return found._replace(status=BlockStatus.IGNORED, reason=issue.code, repairs=(), issues=(issue,))


def waiting(found: Found, doubt: Reason, why: str) -> Found:
    """Return a block whose actions wait for a person, since they may not be meant; one that was not read stays what it is."""
    if found.status is not BlockStatus.STRICT and found.status is not BlockStatus.REPAIRED:
        return found
    actions = tuple(action._replace(doubt=action.doubt or doubt) for action in found.actions)
    issues = sorted((*found.issues, Issue(doubt, found.span, why)), key=_start_of)
    return found._replace(actions=actions, issues=tuple(issues))


def _start_of(issue: Issue) -> int:
    return issue.span.start if issue.span else 0


class Closed(NamedTuple):
    """A closing tag that was due.

    Args:
        start, end: where it stands, or where it is missing.
        repairs: the one that adds it, where it is missing.
        issue: why it can't be added; None otherwise.
    """

    start: int
    end: int
    repairs: tuple[Repair, ...] = ()
    issue: Issue | None = None


def closing_tag(text: str, at: int, end: int, closer: str, options: DecodeOptions) -> Closed:
    """Return where a closing tag stands that is due here, after blanks at most; one that is missing is a repair."""
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
    """Return the thoughts between an opening marker and the one that closes it; None where inline code mentions it.

    Nobody writes such a marker but to think: where nothing closes them, they are thoughts to the end. The closing marker
    may still come, and who reads a response while it comes in must not act on what turns out to be a thought.
    """
    if is_mentioned(source.text, Span(opening.start, opening.end)):
        return None
    close = source.find(closer, opening.end, end)
    if close >= 0:
        return thoughts(Span(opening.start, close + len(closer)), Span(opening.end, close))
    return unclosed_thoughts(opening, end)


def unclosed_thoughts(opening: Opening, end: int) -> Found:
    """Return thoughts to the end, with the issue that nothing closes them."""
    issue = Issue(Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {opening.label}.")
    return thoughts(Span(opening.start, end), Span(opening.end, end), issue)


def thoughts(span: Span, body: Span, *issues: Issue) -> Found:
    """Return a block of thoughts: nothing in it is meant."""
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.REASONING, issues=issues)


def is_mentioned(text: str, marker: Span) -> bool:
    """Return whether a marker stands between quotation marks, or begins inline code: it is named, not used."""
    before, behind = text[marker.start - 1 : marker.start], text[marker.end : marker.end + 1]
    return before == "`" or (before in _QUOTES and before != "" and behind == _QUOTES[before])
