"""Block quotes: the text without its marks, and the way back to the places in the response."""

import re
from bisect import bisect_right

from actionledger.core.values import Repair, Span
from actionledger.reading.dialects.base import Found

_LINES = re.compile(r"(?:[ ]{0,3}>[^\n]*+(?:\n|\Z))++")
_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_MARKS = re.compile(r"(?:[ ]{0,3}>[ \t]?+)++")


class Quotation:
    """The lines of one block quote.

    Args:
        response: the raw response.
        start: where the quote's first mark stands, in code points.
        end: where the text to look at ends.
    """

    def __init__(self, response: str, start: int, end: int) -> None:
        self._response = response
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
        """Where its last line begins behind the marks, in code points: something may open there that goes on unquoted."""

    def placed(self, found: Found) -> Found:
        """Return a block of the quoted text with its places in the response; its repairs were made in neither."""
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
