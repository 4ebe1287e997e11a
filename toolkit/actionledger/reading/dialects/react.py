"""ReAct: a line ``Action: NAME`` and a line ``Action Input: …`` after it.

Models that are not stopped invent the observation and everything after it. Actions after an invented observation
are not meant: they are shown, and not executed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.values.calls import only_text_of
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_values import Reach, value_at
from actionledger.reading.dialects.parts.markers import behind_blanks, read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions


def _label(*words: str) -> str:
    """Return the pattern of a line's label, with the number and the asterisks that models add."""
    return rf"\*{{0,2}}(?:{'|'.join(words)})(?:[ \t]+\d+)?[ \t]*+\*{{0,2}}:(?:\*\*)?"


_ACTION = _label("Action")
_TWICE = regex(rf"(?:{_ACTION}[ \t]*+)++")
_INPUT = regex(rf"\s*+{_label('Action Input')}[ \t]*+(?P<twice>(?:\s*+{_label('Action Input')}[ \t]*+)*+)")
_INPUT_LINE = LineStart(rf"[ \t]*+{_label('Action Input')}")
_OBSERVATION = LineStart(rf"[ \t]*+{_label('Observation')}")
_NEXT = LineStart(rf"[ \t]*+{_label('Observation', 'Thought', 'Action', 'Final Answer')}")
_REST_OF_LINE = regex(
    r"[ \t]*+(?=(?:(?:<\|[^|<>\n]{1,40}+\|>|<｜[^｜<>\n]{1,40}+｜>|</s>|<end_of_turn>|\[/INST\])[ \t]*+)*+(?:\r?\n|\Z))"
)
"""Nothing else, except tokens that end a turn."""
_MEMBERS = regex(r'\S?"[^"\n]{1,100}+"[ \t]*+:')
"""The beginning of an object without its bracket."""

_FENCE = regex(r"```(?:json)?[ \t]*+\n\s*+(?=[\[{])")
_FENCE_LINE = LineStart(r"[ \t]*+```[ \t]*+\r?$")
_FENCE_CLOSES = regex(r"\s*+```[ \t]*+(?=\r?\n|\Z)")
_NAME = regex(r"[^\W\d][\w.:/-]*")
_NO_ACTIONS = frozenset({"final answer", "none", "n/a"})


@dataclass(frozen=True, slots=True)
class _Input:
    """The text after ``Action Input:``: the arguments, or why they are unreadable."""

    arguments: dict[str, Any]
    span: Span
    end: int
    repairs: tuple[Repair, ...] = ()
    issues: tuple[Issue, ...] = ()
    refusal: Issue | None = None


class React(Dialect):
    """A name on a line ``Action:``, its arguments as JSON or as plain text behind ``Action Input:``.

    Plain text is the argument ``input``, or the tool's only required parameter where that is a string; it goes on to the next line that has a label, or to the end.
    """

    name: Literal["react"] = "react"
    may_stay_open = True
    optional_closers = {"Observation:": "the stop word of LangChain's and LlamaIndex's agents"}
    source = "Yao et al., ReAct (2022), in the form of LangChain's and LlamaIndex's agent prompts"
    rules = (
        (
            "Write a line Action: with the action's name, and below it a line Action Input: with its "
            "arguments as one JSON object."
        ),
        "Several actions may follow one another.",
    )
    example = 'Thought: I look it up.\nAction: get_weather\nAction Input: {"city": "Paris"}'

    @property
    def line_patterns(self) -> frozenset[str]:
        """The label of the line with the name."""
        return frozenset({_ACTION})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the action whose line begins here; see ``Dialect.read``."""
        text = source.text
        line_end = text.find("\n", opening.end, end)
        line_end = line_end if line_end >= 0 else end
        tool = text[opening.end : line_end].strip(" \t\r*`\"'")
        repairs: tuple[Repair, ...] = ()
        if twice := _TWICE.match(tool):
            at = text.index(twice[0], opening.end)
            repairs = (Repair(RepairKind.STRAY_MARK, Span(at, at + len(twice[0])), twice[0], ""),)
            tool = tool[twice.end() :]
        if not tool or tool.lower() in _NO_ACTIONS:
            return None
        label = _INPUT.match(text, line_end, end)
        if label is None:
            return _without_input(source, opening, tool, Span(line_end, end))
        given = _input(source, label.end(), end, options)
        if label["twice"]:
            stray = Repair(RepairKind.STRAY_MARK, Span(*label.span("twice")), label["twice"], "")
            repairs = (*repairs, stray)
        span = Span(opening.start, given.end)
        if _is_invented(source, opening.start):
            issue = Issue(
                Reason.EXAMPLE, span, "It stands behind an observation that the model wrote itself."
            )
            actions = () if given.refusal else (Written(tool, given.arguments, span),)
            return Found(BlockStatus.IGNORED, span, given.span, actions, reason=issue.code, issues=(issue,))
        if given.refusal:
            return refused(span, given.span, given.refusal)
        if not text.startswith("{", given.span.start):
            given = _under_its_name(given, only_text_of(source.names, tool), options)
        action = Written(tool, given.arguments, span)
        return read_block(span, given.span, (action,), repairs + given.repairs, given.issues)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write two lines for each call, its arguments as JSON; see ``Dialect.write``."""
        return "\n".join(f"Action: {call.name}\nAction Input: {json_text(call.arguments)}" for call in calls)


def _under_its_name(given: _Input, parameter: str | None, options: DecodeOptions) -> _Input:
    """Return a plain text under the name of the only parameter that it can belong to."""
    text = given.arguments.get("input")
    if (
        parameter in {None, "input"}
        or not isinstance(text, str)
        or RepairKind.POSITIONAL_ARGUMENT not in options.repairs
    ):
        return given
    note = Repair(
        RepairKind.POSITIONAL_ARGUMENT, Span(given.span.start, given.span.start), "", f"{parameter}: "
    )
    return replace(given, arguments={parameter: text}, repairs=(note, *given.repairs))


def _is_invented(source: Source, start: int) -> bool:
    """Return whether an observation is between the first action and this one."""
    end = len(source.text)
    first = source.search(_INPUT_LINE, 0, end)
    return source.search(_OBSERVATION, first, end) < start


def _without_input(source: Source, opening: Opening, tool: str, rest: Span) -> Found | None:
    """Return a name without input as a cut-off call or one without its input; None for prose."""
    text, names = source.text, source.names
    begins = behind_blanks(text, *rest)
    behind = text[begins : begins + 40].rstrip()
    ends = behind_blanks(text, begins + len(behind), rest.end) == len(text)
    is_cut = ends and "Action Input:".startswith(behind)
    if tool not in names if names is not None else not (is_cut and _NAME.fullmatch(tool)):
        return None
    if is_cut:
        span = Span(opening.start, rest.end)
        return refused(span, Span(opening.end, rest.end), Issue(Reason.TRUNCATED, span))
    span = Span(opening.start, rest.start)
    issue = Issue(Reason.WRONG_SHAPE, span, f"Expected a line Action Input, got {behind[:20]!r}.")
    return refused(span, Span(opening.end, rest.start), issue)


def _input(source: Source, start: int, end: int, options: DecodeOptions) -> _Input:
    """Read the text after the label: JSON, or plain text up to the next label."""
    text = source.text
    begins = behind_blanks(text, start, end)
    stop = source.search(_NEXT, start, end)
    if begins >= stop:
        is_cut = stop == len(text)
        issue = Issue(Reason.TRUNCATED, Span(start, stop)) if is_cut else None
        return _Input({}, Span(start, start), stop if is_cut else start, refusal=issue)
    fence = _FENCE.match(text, begins, end)
    if fence or text[begins] in '{["':
        given = _json_input(source, fence.end() if fence else begins, end, options, fenced=bool(fence))
        if given.refusal is None or fence or text[begins] == "{" or _MEMBERS.match(text, begins + 1, stop):
            return given
    span = Span(begins, begins + len(text[begins:stop].rstrip()))
    if _MEMBERS.match(text, begins, stop) and text[span.end - 1] == "}":
        end = stop if stop == len(text) else span.end
        return _Input({}, span, end, refusal=Issue(Reason.MISSING_OPENER, span))
    # At the end of the text, all of it is taken: more of the same may follow.
    return _Input({"input": span.of(text)}, span, stop if stop == len(text) else span.end)


def _json_input(source: Source, start: int, end: int, options: DecodeOptions, *, fenced: bool) -> _Input:
    text = source.text
    bound = source.search(_INPUT_LINE, start, end)
    closer = source.search(_FENCE_LINE if fenced else _NEXT, start, end)
    decoded = value_at(source, start, Reach(closer if closer < bound else None, bound, end), options)
    if decoded.cut or not decoded.ok:
        code = Reason.TRUNCATED if decoded.cut else decoded.issues[0].code
        is_cut = decoded.cut or code is Reason.TRUNCATED
        line = text.find("\n", decoded.end, end)
        stop = end if is_cut or line < 0 else line
        return _Input({}, Span(start, stop), stop, refusal=Issue(code, Span(start, stop)))
    span = Span(decoded.start, decoded.end)
    closes = (_FENCE_CLOSES if fenced else _REST_OF_LINE).match(text, decoded.end, end)
    if closes is None:
        line = text.find("\n", decoded.end, end)
        behind = Span(decoded.end, line if line >= 0 else end)
        return _Input({}, span, behind.end, refusal=Issue(Reason.TEXT_AFTER_VALUE, behind))
    arguments = decoded.value if isinstance(decoded.value, dict) else {"input": decoded.value}
    return _Input(arguments, span, closes.end(), decoded.repairs, decoded.issues)
