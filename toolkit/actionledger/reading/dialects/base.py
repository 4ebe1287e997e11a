"""A dialect: a frozen value that knows its blocks' openers, reads a block and writes calls."""

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple, final

from pydantic import BaseModel, ConfigDict

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import RenderError, UsageError
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Evidence, Reason
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.openings import Openers, Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import STRICT, DecodeOptions

_BLANK_LINE = regex(r"\n[ \t\r]*+\n")


class Written(NamedTuple):
    """One action found by a dialect: its name, its arguments and its place.

    ``doubt`` says why it needs a person's approval before it runs, although it is parsed: its text ends early, or it is
    in the model's thoughts. None if it may run.
    """

    name: str
    arguments: JsonDict
    span: Span
    call_id: str | None = None
    doubt: Reason | None = None


class Found(NamedTuple):
    """A block as a dialect reads it; the parser numbers it and puts it in order."""

    status: BlockStatus  # the result of reading it
    span: Span  # all of it, fence or tags included
    body: Span  # the text between fence or tags
    actions: tuple[Written, ...] = ()  # the actions in it, in text order
    reason: Reason | None = None  # why it is malformed or ignored; None otherwise
    repairs: tuple[Repair, ...] = ()  # repairs, issues: what was changed, what is wrong, in text order
    issues: tuple[Issue, ...] = ()
    # whether a text in it may stand for another value, although the dialect has unambiguous forms
    strings_only: bool = False
    evidence: Evidence | None = None  # the evidence whether it was meant, if it lacks its format's own marks


class Dialect(BaseModel):
    """How actions are written in text. A format is data: a parser's configuration, its hash and a record can hold it.

    A dialect finds nothing by itself: the parser shows it each opening that it asks for, in text order, and it
    either reads the block that begins there or says that none does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """The name in parsers, records and charts."""

    source: ClassVar[str]
    """Where the format is defined."""

    example: ClassVar[str]
    """A well-formed response in this dialect."""

    rules: ClassVar[tuple[str, ...]] = ()
    """Instructions for a language model to write it, besides an example; a sentence or two each."""

    strings_only: ClassVar[bool] = False
    """Whether all its values are strings, so that ``5`` may mean a number."""

    respects_fences: ClassVar[bool] = True
    """Whether a block in a fence that no dialect reads is an example."""

    reads_any_fence: ClassVar[bool] = False
    """Whether a fence with any info string may open one of its blocks."""

    reads_embedded_fences: ClassVar[bool] = False
    """Whether it reads a fence that opens in the middle of a line, or has its value on the same line."""

    needs_names: ClassVar[bool] = False
    """Whether it finds no call unless the names of the tools are known."""

    last_counts: ClassVar[bool] = False
    """Whether only the last of several blocks counts, so that later text may yet change one."""

    optional_closers: ClassVar[Mapping[str, str]] = {}
    """The closing marks that may be missing at the end of a complete text, each with the server or reader that drops it.

    Text that must precede the mark precedes it in the key. If any other mark is missing, the call was cut off.
    """

    may_stay_open: ClassVar[bool] = False
    """Whether a missing closing mark needs no repair, because servers remove it."""

    @property
    def fence_labels(self) -> frozenset[str]:
        """The info strings of the fences that it reads, in lower case."""
        return frozenset()

    @property
    def literals(self) -> frozenset[str]:
        """The literal texts that open its blocks."""
        return frozenset()

    @property
    def near_literals(self) -> frozenset[str]:
        """Regular expressions of near literals, each with a plain first character."""
        return frozenset()

    @property
    def line_patterns(self) -> frozenset[str]:
        """Regular expressions of the openers at the start of a line, after the line's blanks."""
        return frozenset()

    @abstractmethod
    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the block that begins at an opening."""

    def may_grow(self, _found: Found, _text: str) -> bool:
        """Return whether a whole block in a streaming response may yet be extended by the next text."""
        return False

    def write(self, _calls: Sequence[PlainCall]) -> str:
        """Return the text for at least one call, unchecked; ``render`` checks that it is parsed back."""
        raise ValueError("it is only read")

    @final
    def render(self, calls: Sequence[PlainCall]) -> str:
        """Return the text that a model would write for calls, all of them in one response.

        The text is parsed before it is returned: strictly, it is these calls and nothing else. In a dialect that writes
        only strings, another value is written as JSON text, and the tool's schema must restore its type.
        """
        if not calls:
            raise UsageError("There is no call to write; give at least one.")
        try:
            meant = [self._as_read(call) for call in calls]
            text = self.write(calls)
            text.encode()  # half of a surrogate pair can't be sent
        except (ValueError, TypeError, RecursionError) as error:
            raise RenderError(self.name, (call.name for call in calls), str(error)) from error
        why = self._misread(text, meant)
        if "\r" in text and "\n" not in text:
            why = why or "carriage returns would be its only line ends, and be read as line feeds"
        if why:
            raise RenderError(self.name, (call.name for call in calls), why)
        return text

    def _as_read(self, call: PlainCall) -> PlainCall:
        """Return a call as its text must be parsed."""
        if not self.strings_only:
            return call
        if null := [name for name, value in call.arguments.items() if value is None]:
            raise ValueError(f"null in the argument {null[0]!r} would be a text like any other; leave it out")
        return call._replace(arguments={name: raw_text(value) for name, value in call.arguments.items()})

    def _misread(self, text: str, calls: Sequence[PlainCall]) -> str:
        """Return why a text is not parsed as exactly these calls, as a clause; empty if it is."""
        has_fences = bool(self.fence_labels) or self.reads_any_fence
        openers = Openers(self.literals, self.line_patterns, has_fences)
        names = frozenset(call.name for call in calls) if self.needs_names else None
        source, at, end = Source(text, names), 0, len(text)
        due = deque(calls)
        issue = ""
        while opening := openers.next(text, at, end):
            found = self.read(source, opening, end, STRICT)
            if found is None or found.status is not BlockStatus.STRICT or text[at : found.span.start].strip():
                issue = found.issues[0].message if found and found.issues else ""
                break
            for written in found.actions:
                if difference := _difference(due.popleft() if due else None, written):
                    return difference
            at = found.span.end
        if due:
            return f"the call of {due[0].name!r} would not be read back. {issue}".rstrip(". ")
        return f"{text[at:].strip()[:40]!r} would be left over" if text[at:].strip() else ""

    def unless_quoted(self, found: Found, text: str) -> Found | None:
        """Return a block opened by a literal, as an example if it is in inline code.

        For an unreadable block, only the part in the inline code is the example, since it may end before the block does. A
        backtick that its paragraph doesn't close makes no inline code of such a block.
        """
        start = found.span.start
        if (
            not start
            or text[start - 1] != "`"
            or (text.startswith("```", start - 3) and not self.respects_fences)
        ):
            return found
        if found.status is not BlockStatus.MALFORMED:
            return found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE)
        close = text.find("`", found.span.start)
        if close < 0 or _BLANK_LINE.search(text, found.span.start, close):
            return found
        span, body = Span(found.span.start, close), Span(min(found.body.start, close), close)
        if not body.of(text).strip():
            return None
        return Found(BlockStatus.IGNORED, span, body, reason=Reason.EXAMPLE)


def named_arguments(value: JsonMap, discriminator: str) -> tuple[str, JsonDict]:
    """Split a JSON object into the action's name and its arguments; the name is empty if it is no string."""
    arguments = {**value}
    name = arguments.pop(discriminator, None)
    return (name if type(name) is str else ""), arguments


def _difference(call: PlainCall | None, written: Written) -> str:
    """Return how a parsed call differs from the intended one, as a clause; empty if it doesn't."""
    if call is None:
        return f"a call of {written.name!r} would be read that was not given"
    if written.name != call.name:
        return f"the name {call.name!r} would be read as {written.name!r}"
    if written.arguments == call.arguments:
        return ""
    changed = [name for name in call.arguments if call.arguments[name] != written.arguments.get(name)]
    where = f"the argument {changed[0]!r}" if changed else "the arguments"
    return f"{where} of {call.name!r} would be read back otherwise"


class Generations(Dialect):
    """A family with several forms; the first one is what is written.

    Of two forms with the same opening, the first that reads the block wins; one that finds another shape than its own gives
    way to a later one.
    """

    generations: ClassVar[tuple[Dialect, ...]]
    """The forms, the newest first if the order makes no difference."""

    @property
    def literals(self) -> frozenset[str]:
        """The literal texts that open a block in any form."""
        return frozenset[str]().union(*(form.literals for form in self.generations))

    @property
    def line_patterns(self) -> frozenset[str]:
        """The openers of blocks in any form at the start of a line."""
        return frozenset[str]().union(*(form.line_patterns for form in self.generations))

    @cached_property
    def _asked(self) -> dict[str, tuple[Dialect, ...]]:
        """The forms for each opening literal."""
        return {
            text: tuple(form for form in self.generations if text in form.literals) for text in self.literals
        }

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the block that begins here in the form that it has; see ``Dialect.read``."""
        misshapen: Found | None = None
        is_literal = opening.kind is OpeningKind.LITERAL
        for form in self._asked[opening.label] if is_literal else self.generations:
            if not is_literal and not form.line_patterns:
                continue
            found = form.read(source, opening, end, options)
            if found is None:
                continue
            found = found._replace(strings_only=form.strings_only or found.strings_only)
            if found.reason is not Reason.WRONG_SHAPE:
                return found
            misshapen = misshapen or found
        return misshapen

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in the first form; see ``Dialect.write``."""
        return self.generations[0].write(calls)
