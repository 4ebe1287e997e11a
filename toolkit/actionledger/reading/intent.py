"""Whether a block is meant, judged by content and place rather than by a fence's label alone.

The content comes first: a dialect has read actions. Then the place decides:

- alone, or after an announcement: they are meant;
- in a sentence, with text after them on their line: they may be meant, so they are reported, and not executed;
- in a quotation, in a fence of no dialect, or after "for example" and "do not" (see ``cues``): they are shown.

An unreadable block that was meant is never ignored: it is lost or reported.
"""

from bisect import bisect_right

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.cues import is_shown, may_forbid_something_else
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.markers import as_example, in_prose
from actionledger.reading.scan.line_starts import AnyCase
from actionledger.reading.scan.openings import Opening, OpeningKind, text_before
from actionledger.reading.scan.source import Source

_ENDS_LINE = regex(r"[ \t]*+[.,;:!)。，；：！）]?+[ \t]*+(?:\r?\n|\Z|`{3}|<)")
_QUOTED = regex(r"[ \t]{0,3}>")
_SENTENCE_ENDS = regex(r"[.!?]\s+(?=[A-Z])|[。！？]")
_SHOWS = AnyCase(
    r"\b(?:example|for instance|e\.g\.|such as|instead of|rather than)(?!\w)"
    r"|\b(?:do not|don['’]t|never|not|avoid)\s+(?:\w+\s+)?(?:write|send|emit|use|run|call|return|answer|output)"
    r"|\b(?:never|not|avoid):?\s*+\Z",
)
"""Words before something that is shown, on the same line."""

_NO_CONTENT = frozenset({Reason.EMPTY_BLOCK, Reason.WRONG_SHAPE})
"""The reasons of a fence within a line that is only mentioned, or belongs to no dialect."""


def weighed(found: Found, opening: Opening, text: str) -> Found:
    """Return a parsed block as judged by its place."""
    is_in_doubt = opening.kind is OpeningKind.EMBEDDED or opening.kind is OpeningKind.NEAR
    if not is_in_doubt or found.status is BlockStatus.IGNORED:
        return found
    before = text_before(text, opening.start)
    if _QUOTED.match(before) or _SHOWS.search(_SENTENCE_ENDS.split(before)[-1]):
        return as_example(found)
    is_announced = opening.kind is OpeningKind.EMBEDDED or _announces(before)
    if _spans_lines(found, text) or (is_announced and _ENDS_LINE.match(text, found.span.end)):
        return found
    if found.status is not BlockStatus.MALFORMED:
        return in_prose(found)
    if opening.kind is OpeningKind.NEAR:
        return found
    if found.reason in _NO_CONTENT:
        return Found(BlockStatus.IGNORED, found.span, found.body, reason=Reason.NOT_AN_ACTION)
    return in_prose(found)


def unless_shown(dialect: Dialect, found: Found, opening: Opening, source: Source) -> Found:
    """Return a block as the sentence before it judges it: unchanged, as an example, or doubtful."""
    is_open = found.status is not BlockStatus.IGNORED or found.reason is Reason.CALL_IN_PROSE
    if not (is_open and dialect.respects_fences and is_shown(source, opening.start)):
        return found
    if not may_forbid_something_else(source, opening.start):
        return as_example(found)
    return (
        found if found.issues else in_prose(found, "The sentence before it forbids this, or something else.")
    )


def lost_behind(found: Found, fence: str) -> Found:
    """Return a block in or after a fence of no dialect as lost: it has two readings, and neither is taken."""
    detail = f"{fence} either holds this, as an example, or was to be closed before it."
    issue = Issue(Reason.UNCLOSED_FENCE, found.span, detail)
    return Found(BlockStatus.MALFORMED, found.span, found.body, reason=issue.code, issues=(issue,))


def _announces(before: str) -> bool:
    """Return whether a near tag may follow the start of its line: nothing, a colon or another tag."""
    return not before.strip() or before.rstrip().endswith((":", "：", ">"))


def _spans_lines(found: Found, text: str) -> bool:
    return text.find("\n", *found.span) >= 0


_LINES = regex(r"(?:[ ]{0,3}>[^\n]*+(?:\n|\Z))++")
_LINE = regex(r"[^\n]*+\n|[^\n]++")
_MARKS = regex(r"(?:[ ]{0,3}>[ \t]?+)++")


class Quotation:
    """The lines of one block quote, from its first mark to the end of the searched text, in code points."""

    def __init__(self, response: str, start: int, end: int) -> None:
        line = response.rfind("\n", 0, start) + 1
        quoted = _LINES.match(response, line, end)
        self._begins: list[int] = []
        self._origins: list[int] = []
        pieces: list[str] = []
        length = 0
        for text in _LINE.findall(quoted[0]) if quoted else ():
            marks = _MARKS.match(text)
            width = marks.end() if marks else 0
            self._begins.append(length)
            self._origins.append(line + width)
            pieces.append(text[width:])
            length += len(text) - width
            line += len(text)
        self.text = "".join(pieces)
        self.last_line = self._origins[-1] if self._origins else start
        """Where its last line begins after the marks, in code points: something may open there that continues unquoted."""

    def placed(self, found: Found) -> Found:
        """Return a block of the quoted text with its places in the response and without repairs, which fit neither text."""
        span, body = self._span(found.span), self._span(found.body)
        return found._replace(
            span=span,
            body=Span(min(body.start, span.end), min(body.end, span.end)),
            actions=tuple(action._replace(span=self._span(action.span)) for action in found.actions),
            repairs=tuple[Repair, ...](),
        )

    def _span(self, span: Span) -> Span:
        start = self._place(span.start)
        return Span(start, max(start, self._place(span.end - 1) + 1) if span.end > span.start else start)

    def _place(self, at: int) -> int:
        line = max(0, bisect_right(self._begins, at) - 1)
        return self._origins[line] + at - self._begins[line]
