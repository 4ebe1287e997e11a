"""Calls in a fenced program that is nothing but calls: ```` ```python ```` with the names that were offered."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.python_blocks import written
from actionledger.reading.dialects.parts.python_source import (
    NAME,
    NoCallError,
    NoStatementError,
    PythonCall,
    read_program,
)
from actionledger.reading.dialects.parts.verdicts import read_block, refused, shown
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, python_call
from actionledger.reading.scan.openings import Closing, Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_CALLED = re.compile(rf"(?P<name>{NAME})\(")


class FencedCalls(Dialect):
    """A fenced program whose statements are calls with literal arguments; any other program is an illustration."""

    unprints: ClassVar[bool] = False
    """Whether ``print(f())`` stands for ``f()``."""

    def offers(self, _source: Source) -> Callable[[str], bool]:
        """Return what tells which names may be called."""
        return lambda _: True

    def renamed(self, call: PythonCall) -> PythonCall:
        """Return a call under the name that the tool goes by."""
        return call

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the fenced program that begins here; see ``Dialect.read``."""
        text = source.text
        stop = re.compile(rf"{re.escape(opening.mark)}+[ \t]*+(?=\r?$)", re.MULTILINE)
        readable = end if source.may_overrun else source.closing_fence(opening, opening.end, end).start
        try:
            calls, at = read_program(
                text,
                opening.end,
                readable,
                options,
                stop=stop,
                offers=self.offers(source),
                unprints=self.unprints,
            )
        except NoCallError as error:
            return self.unread(source, opening, error, end)
        if not calls:
            return None
        close = stop.match(text, at, end)
        closing = Closing(at, close.end(), found=True) if close else source.closing_fence(opening, at, end)
        return self._found([self.renamed(call) for call in calls], opening, closing, options)

    def _found(
        self, calls: list[PythonCall], opening: Opening, closing: Closing, options: DecodeOptions
    ) -> Found:
        span, body = Span(opening.start, closing.end), Span(opening.end, closing.start)
        if closing.found:
            return read_block(span, body, written(calls))
        if RepairKind.UNCLOSED_FENCE not in options.repairs:
            return refused(span, body, Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end)))
        missing = Repair(RepairKind.UNCLOSED_FENCE, Span(closing.end, closing.end), "", "\n" + opening.mark)
        return read_block(span, body, written(calls), (missing,))

    def unread(self, source: Source, opening: Opening, error: NoCallError, end: int) -> Found | None:
        """Return a fence without calls that can be read: it shows a program, or its calls are broken."""
        closing = source.closing_fence(opening, error.end, end)
        span, body = Span(opening.start, closing.end), Span(opening.end, closing.start)
        issue = error.issue
        stopped = issue.span.end if issue.span else error.end
        source.overran(stopped - closing.end)
        if issue.code is Reason.EXAMPLE:
            return self.illustration(span, body, issue)
        if stopped > closing.start:
            reach = Span(error.end, closing.start)
            detail = "It is Python: the block ends before the call does."
            issue = Issue(Reason.MALFORMED_JSON, reach, detail) if closing.found else issue
        return refused(span, body, issue)

    def illustration(self, span: Span, body: Span, issue: Issue) -> Found:
        """Return a program that is no list of calls, with what makes it one."""
        return shown(span, body, issue)


class PythonFence(FencedCalls):
    """```` ```python ```` fences that call offered names and do nothing else; without offered names there are none."""

    name: Literal["python_fence"] = "python_fence"
    source = "No model's format: what models write that are asked for code, as in the Berkeley Function-Calling Leaderboard"
    rules = (
        (
            "Actions are Python calls in a fence labelled python, one a line: with arguments by name, "
            "and literals as values."
        ),
        "A fence with anything else in it is taken for an example.",
    )
    example = '```python\nget_weather(city="Paris")\n```'
    needs_names: ClassVar[bool] = True

    @property
    def fence_labels(self) -> frozenset[str]:
        """The labels that models give Python."""
        return frozenset({"python", "py", "python3"})

    def offers(self, source: Source) -> Callable[[str], bool]:
        """Return what tells whether a name was offered."""
        names = source.names or frozenset()
        return names.__contains__

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read a fenced program that calls an offered name; see ``Dialect.read``."""
        if not source.names:
            return None
        body = Span(opening.end, source.closing_fence(opening, opening.end, end).start)
        called = (call["name"] for call in _CALLED.finditer(source.text, *body))
        return super().read(source, opening, end, options) if source.names.intersection(called) else None

    def unread(self, source: Source, opening: Opening, error: NoCallError, end: int) -> Found | None:
        """Return a program, or broken calls; what is no Python at all is none of this dialect's."""
        return None if isinstance(error, NoStatementError) else super().unread(source, opening, error, end)

    def illustration(self, span: Span, body: Span, _issue: Issue) -> Found:
        """Return a program: nothing is wrong with it."""
        return shown(span, body)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one fence; see ``Dialect.write``."""
        return fenced("python", "\n".join(map(python_call, calls)))
