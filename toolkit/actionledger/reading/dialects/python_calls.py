"""Calls in Python notation: bare lists of calls, lists or programs between special tokens, and fenced programs of calls alone."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, TypeAlias

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks, read_block, refused, shown
from actionledger.reading.dialects.parts.python_source import (
    NAME,
    NoCallError,
    NoStatementError,
    behind_comments,
    call_name,
    read_calls,
    read_program,
)
from actionledger.reading.dialects.parts.truncation import VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, python_call, python_list
from actionledger.reading.scan.openings import Closing, Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

LIST = rf"\[\s*+{NAME}\("
"""The beginning of a list of calls."""

_PLAIN_CALL = regex(rf"\[\s*+{NAME}\(\s*+(?:\)|[^\W\d]\w*\s*+=(?!=))")
_REST_OF_LINE = regex(r"[ \t]*+(?:<[|/][^<>\n]*+>[ \t]*+)*+(?=\r?\n|\Z)")
_FENCE = regex(r"```(?:python|py)?[ \t]*+\r?\n", re.IGNORECASE)
_END = regex(r"```|<")

CallsAndEnd: TypeAlias = tuple[list[Written], int]
"""Calls and their end."""


def unread(marker: Marker, error: NoCallError, start: int) -> Found:
    """Return the block after a marker that holds no readable calls, with the reason."""
    if error.issue.code is not Reason.EXAMPLE:
        return marker.refused(error.issue, start)
    close = marker.extent(error.end)
    return shown(Span(marker.opening.start, close.end), Span(marker.opening.end, close.start), error.issue)


def closed(marker: Marker, calls: Sequence[Written], at: int) -> Found:
    """Return the block after a marker whose calls end at ``at``."""
    close = marker.closing(at)
    if isinstance(close, Found):
        return close
    span, body = Span(marker.opening.start, close.end), Span(marker.opening.end, close.start)
    return read_block(span, body, tuple(calls), close.repairs)


def next_marker(marker: Marker) -> int:
    """Return where the same marker opens again, or the end: this marker's text ends there."""
    again = marker.source.find(marker.opening.label, marker.opening.end, marker.end)
    return again if again >= 0 else marker.end


def within_reach(marker: Marker, read: Callable[[int], CallsAndEnd]) -> CallsAndEnd:
    """Read up to the next opening of the same marker, or beyond it if the text before it ends within a string."""
    bound = next_marker(marker)
    try:
        return read(bound)
    except NoCallError as error:
        source, is_cut = marker.source, error.issue.code is Reason.TRUNCATED
        if bound == marker.end or not is_cut or not source.may_overrun:
            raise
        try:
            return read(marker.end)
        except NoCallError as beyond:
            source.overran(beyond.issue.span.end - bound if beyond.issue.span else 0)
            raise error from None


def list_behind(marker: Marker, start: int) -> Found:
    """Read the list of calls from ``start`` up to the closing marker."""
    text, options = marker.source.text, marker.options
    try:
        calls, at = within_reach(marker, lambda end: read_calls(text, start, end, options))
    except NoCallError as error:
        return unread(marker, error, start)
    return closed(marker, calls, at)


def program_behind(marker: Marker, start: int) -> Found:
    """Read the calls, one per statement, from ``start`` up to the closing marker."""
    text, options = marker.source.text, marker.options
    fence = _FENCE.match(text, start, marker.end)
    begin = fence.end() if fence else start
    try:
        calls, at = within_reach(marker, lambda end: read_program(text, begin, end, options, stop=_END))
    except NoCallError as error:
        return unread(marker, error, start)
    if fence and not text.startswith("```", at, marker.end):
        return marker.refused(Issue(Reason.UNCLOSED_FENCE, Span(start, fence.end())), start)
    return closed(marker, calls, at + 3 if fence else at)


def bare_list(source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
    """Read a list of calls that begins a line without any marker.

    If the offered names are known, the first call must have one of them; otherwise its arguments must have names.
    A list with text after it on its line is quoted.
    """
    text = source.text
    name = call_name(text, behind_comments(text, opening.start + 1, end), end)
    if source.names is not None and name not in source.names:
        return None
    if source.names is None and not _PLAIN_CALL.match(text, opening.start, end):
        return None
    try:
        calls, at = read_calls(text, opening.start, end, options)
    except NoCallError as error:
        span = Span(opening.start, max(error.end, error.issue.span.end if error.issue.span else end))
        verdict = shown if error.issue.code is Reason.EXAMPLE else refused
        return verdict(span, Span(span.start + 1, span.end), error.issue)
    span, body = Span(opening.start, at), Span(opening.start + 1, at - 1)
    if rest := _REST_OF_LINE.match(text, at, end):
        return read_block(Span(opening.start, rest.end()), body, tuple(calls))
    return Found(BlockStatus.IGNORED, span, body, tuple(calls), reason=Reason.EXAMPLE)


class Pythonic(Dialect):
    """A list of calls on lines of its own, or calls between ``<function_calls>`` tags, one a line."""

    name: Literal["pythonic"] = "pythonic"
    optional_closers = {"</function_calls>": VALUE_ENDS}
    source = "Llama 3.2's and Gemma 3's prompt formats for function calling; Olmo 3, chat template (the tags)"
    rules = (
        (
            "Actions are one Python list of calls, on lines of its own: each with its arguments by "
            "name, and literals as values."
        ),
    )
    example = '[get_weather(city="Paris"), get_time(zone="Europe/Paris")]'

    @property
    def line_patterns(self) -> frozenset[str]:
        """A bracket with a call after it."""
        return frozenset({LIST})

    @property
    def literals(self) -> frozenset[str]:
        """The tag around calls."""
        return frozenset({"<function_calls>"})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return bare_list(source, opening, end, options)
        start = behind_comments(source.text, opening.end, end)
        marker = Marker(source, opening, "</function_calls>", end, options)
        if source.text.startswith("[", start, end) or call_name(source.text, start, end):
            return self.unless_quoted(program_behind(marker, start), source.text)
        return None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls; see ``Dialect.write``."""
        return python_list(calls)


class Llama4Pythonic(Dialect):
    """A list of calls, between ``<|python_start|>`` and ``<|python_end|>`` or on lines of its own."""

    name: Literal["llama4_pythonic"] = "llama4_pythonic"
    optional_closers = {"<|python_end|>": VALUE_ENDS}
    source = "Llama 4, prompt format for zero-shot function calling"
    rules = (
        (
            "Actions are one Python list of calls between <|python_start|> and <|python_end|>: each "
            "with its arguments by name, and literals as values."
        ),
    )
    example = '<|python_start|>[get_weather(city="Paris")]<|python_end|>'

    @property
    def line_patterns(self) -> frozenset[str]:
        """A bracket with a call after it."""
        return frozenset({LIST})

    @property
    def literals(self) -> frozenset[str]:
        """The opening token."""
        return frozenset({"<|python_start|>"})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the list that begins here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return bare_list(source, opening, end, options)
        start = behind_blanks(source.text, opening.end, end)
        marker = Marker(source, opening, "<|python_end|>", end, options)
        if start == end:
            return marker.nothing_behind()
        if not source.text.startswith("[", start, end):
            return None
        return self.unless_quoted(list_behind(marker, start), source.text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls between the tokens; see ``Dialect.write``."""
        return f"<|python_start|>{python_list(calls)}<|python_end|>"


class Lfm2(Marked):
    """A list of calls between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, in Python notation or as JSON.

    openPangu 1 has two unused tokens for them, ``[unused11]`` and ``[unused12]``.
    """

    name: Literal["lfm2"] = "lfm2"
    optional_closers = {"<|tool_call_end|>": VALUE_ENDS}
    source = "Liquid AI, LFM2 documentation: tool use; openPangu 1 and 2 (JSON) as parsers for vLLM read them"
    rules = (
        (
            "Actions are one Python list of calls between <|tool_call_start|> and <|tool_call_end|>: "
            "each with its arguments by name, and literals as values."
        ),
    )
    example = '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>'
    closers = {
        "<|tool_call_start|>": "<|tool_call_end|>",
        "[unused11]": "[unused12]",
    }

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list after the token; fences and calls without brackets are MiniCPM's."""
        text, start = marker.source.text, behind_blanks(marker.source.text, start, marker.end)
        if re.compile(LIST).match(text, start, marker.end):
            return list_behind(marker, start)
        if text.startswith("```", start) or call_name(text, start, marker.end):
            return None
        return super().read_values(marker, start)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls in Python; see ``Dialect.write``."""
        return f"<|tool_call_start|>{python_list(calls)}<|tool_call_end|>"


_CALLED = regex(rf"(?P<name>{NAME})\(")


class FencedCalls(Dialect):
    """A fenced program whose statements are calls with literal arguments; any other program is an illustration."""

    unprints: ClassVar[bool] = False
    """Whether ``print(f())`` means ``f()``."""

    def offers(self, _source: Source) -> Callable[[str], bool]:
        """Return a function that tells which names may be called."""
        return lambda _: True

    def renamed(self, call: Written) -> Written:
        """Return a call under its tool's name."""
        return call

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the fenced program that begins here; see ``Dialect.read``."""
        text = source.text
        stop = regex(rf"{re.escape(opening.mark)}+[ \t]*+(?=\r?$)", re.MULTILINE)
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
        self, calls: list[Written], opening: Opening, closing: Closing, options: DecodeOptions
    ) -> Found:
        span, body = Span(opening.start, closing.end), Span(opening.end, closing.start)
        if closing.found:
            return read_block(span, body, tuple(calls))
        if RepairKind.UNCLOSED_FENCE not in options.repairs:
            return refused(span, body, Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end)))
        missing = Repair(RepairKind.UNCLOSED_FENCE, Span(closing.end, closing.end), "", "\n" + opening.mark)
        return read_block(span, body, tuple(calls), (missing,))

    def unread(self, source: Source, opening: Opening, error: NoCallError, end: int) -> Found | None:
        """Return a fence without readable calls: it shows a program, or its calls are broken."""
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
        """Return a program that is no list of calls as an example, with the reason."""
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
    needs_names = True

    @property
    def fence_labels(self) -> frozenset[str]:
        """The labels that models use for Python."""
        return frozenset({"python", "py", "python3"})

    def offers(self, source: Source) -> Callable[[str], bool]:
        """Return a function that tells whether a name was offered."""
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
        """Return a program, or broken calls; None if it is not Python."""
        return None if isinstance(error, NoStatementError) else super().unread(source, opening, error, end)

    def illustration(self, span: Span, body: Span, _issue: Issue) -> Found:
        """Return a program as an example without a fault."""
        return shown(span, body)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one fence; see ``Dialect.write``."""
        return fenced("python", "\n".join(map(python_call, calls)))
