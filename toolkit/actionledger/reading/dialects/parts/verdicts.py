"""The verdicts on a block that dialects share: it was read, it can't be read, it is only shown."""

from typing import NamedTuple

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.tolerant_json.options import DecodeOptions


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
