"""MiniMax: M1 writes one JSON object a line between ``<tool_calls>`` tags, M2 and M3 tags with a tag for each parameter.

M2's values are raw text: a parameter's body may hold fences, ``&``, other tags and even its own closing tag. M3's tags have the
parameters' names, may be nested, and each follow a token.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Generations, Written
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar, marks_in
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Close, Marker, behind_blanks, close_around
from actionledger.reading.dialects.parts.nested_tags import NestedTags, read_group
from actionledger.reading.dialects.parts.truncation import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_OBJECT = regex(r"\s*+(?:\{|\Z)")
_INVOKE = regex(r"""\s*+(?P<tag><invoke name=(?P<quote>["']?+)(?P<name>[^"'<>\n]+)(?P=quote)\s*+>)""")
_PARAMETER = regex(r"""\s*+(?P<tag><parameter name=(?P<quote>["']?+)(?P<name>[^"'<>\n]+)(?P=quote)\s*+>)""")
_CLOSES_PARAMETER = regex(r"</parameter>(?=\s*+(?:<parameter name=|</invoke>))")
_PLAIN_BODY = regex(rf"(?P<body>[^<]*+){_CLOSES_PARAMETER.pattern}")
_TAGS = TagGrammar(
    call=r"""<invoke name=["']?+(?P<name>[^"'<>\n]++)["']?+\s*+>""",
    stem="<parameter name=",
    parameter=r"""<parameter name=["']?+(?P<key>[^"'<>\n]++)["']?+\s*+>""",
    parameter_closes="</parameter>",
    call_closes="</invoke>",
    line_breaks=True,
)
"""The same tags, inside a value or without the tags around them."""

_CLOSES_INVOKE = regex(r"\s*+</invoke>")
_LINE_BREAK_BEFORE = regex(r"[ \t]*+\r?\n")
_LINE_BREAK_BEHIND = regex(r"\r?\n[ \t]*+\Z")


class _Version1And2(Marked):
    """Each JSON object in ``<tool_calls>``, and each ``<invoke>`` in ``<minimax:tool_call>``, is a call."""

    name: Literal["minimax"] = "minimax"
    strings_only = True
    closers = {
        "<tool_calls>": "</tool_calls>",
        "<minimax:tool_call>": "</minimax:tool_call>",
    }
    holds_several = True

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the objects of M1, or the invocations of M2; a list in M1's tags is Hunyuan's."""
        if marker.opening.label == "<minimax:tool_call>":
            return _invocations(marker, start)
        is_ours = _OBJECT.match(marker.source.text, start, marker.end)
        return super().read_values(marker, start) if is_ours else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in M2's tags; see ``Dialect.write``."""
        return f"<minimax:tool_call>\n{''.join(map(_written, calls))}</minimax:tool_call>"


class _Version3(Dialect):
    """Each ``<invoke>`` in ``<tool_call>`` is a call, its parameters tags with their names; a token stands before each tag."""

    name: Literal["minimax"] = "minimax"
    tags: ClassVar[NestedTags] = NestedTags("]<]minimax[>[", "tool_call")

    @property
    def literals(self) -> frozenset[str]:
        """The token before each tag."""
        return frozenset({self.tags.token})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the group of calls, or the call, that begins here; see ``Dialect.read``."""
        found = read_group(source, opening, end, self.tags, options)
        return self.unless_quoted(found, source.text) if found else None


class _Alone(ParameterTags):
    """Each ``<invoke>`` without the tags around it."""

    name: Literal["minimax"] = "minimax"
    mark = "<invoke "
    opening_form = '<invoke name="'
    grammar = _TAGS


class Minimax(Generations):
    """Each JSON object in ``<tool_calls>``, and each ``<invoke>`` in ``<minimax:tool_call>`` or between M3's tags, is a call.

    The tags around M2's invocations may lack.
    """

    name: Literal["minimax"] = "minimax"
    optional_closers = {
        "</tool_calls>": VALUE_ENDS,
        "</minimax:tool_call>": CALLS_END,
        "]<]minimax[>[</tool_call>": CALLS_END,
    }
    source = (
        "The chat template of MiniMax-M1; the tool calling guide and the chat template of MiniMax-M2; MiniMax-M3 as vLLM's and "
        "SGLang's parsers read it"
    )
    rules = (
        (
            "All actions stand between <minimax:tool_call> and </minimax:tool_call>: each in an <invoke "
            'name="NAME">, with a <parameter name="FIELD"> for each argument.'
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        "</invoke>\n</minimax:tool_call>"
    )
    strings_only = True
    generations = (_Version1And2(), _Version3(), _Alone())


class _Invocation(NamedTuple):
    action: Written
    repairs: tuple[Repair, ...]


def _invocations(marker: Marker, start: int) -> Found | None:
    """Read the ``<invoke>`` tags from ``start`` on, up to the closing marker."""
    text, end = marker.source.text, marker.end
    read: list[_Invocation] = []
    at = start
    while opens := _INVOKE.match(text, at, end):
        invocation = _invocation(marker, opens)
        if isinstance(invocation, Issue):
            if invocation.code is Reason.TRUNCATED and read:
                return _found(marker, read, Close(end, end, (_unclosed(end, marker.closer),)), invocation)
            is_nested = invocation.code is Reason.AMBIGUOUS
            return marker.holding(invocation) if is_nested else marker.refused(invocation, at)
        read.append(invocation)
        at = invocation.action.span.end
    if not read and not text.startswith(marker.closer, behind_blanks(text, at, end), end):
        return marker.nothing_behind()
    close = marker.closing(at)
    return close if isinstance(close, Found) else _found(marker, read, close)


def _found(marker: Marker, read: list[_Invocation], close: Close, *issues: Issue) -> Found:
    repairs = [repair for invocation in read for repair in invocation.repairs]
    repairs += close.repairs
    return Found(
        BlockStatus.REPAIRED if repairs else BlockStatus.STRICT,
        Span(marker.opening.start, close.end),
        Span(marker.opening.end, close.start),
        tuple(invocation.action for invocation in read),
        repairs=tuple(repairs),
        issues=issues,
    )


def _invocation(marker: Marker, opens: re.Match[str]) -> _Invocation | Issue:
    """Read the parameters of one ``<invoke>``, up to its closing tag."""
    text, end = marker.source.text, marker.end
    arguments: dict[str, str] = {}
    repairs: list[Repair] = []
    at = opens.end()
    while parameter := _PARAMETER.match(text, at, end):
        body = _body(marker, parameter)
        if isinstance(body, Issue):
            return body
        name = parameter["name"].strip()
        if name in arguments:
            detail = f"The parameter is {name[:80]!r}."
            return Issue(Reason.DUPLICATE_KEY, Span(*parameter.span("tag")), detail)
        value, more, at = body
        arguments[name] = _trimmed(value.of(text))
        repairs += more
    start = opens.start("tag")
    if closes := _CLOSES_INVOKE.match(text, at, end):
        action = Written(opens["name"].strip(), arguments, Span(start, closes.end()))
        return _Invocation(action, tuple(repairs))
    rest = behind_blanks(text, at, end)
    if rest >= end:
        return Issue(Reason.TRUNCATED, Span(start, end))
    another = _INVOKE.match(text, rest, end)
    if another and not arguments:
        detail = "Another call begins in it before it has an argument: its tag stands twice, or it is quoted."
        return Issue(Reason.AMBIGUOUS, Span(start, another.end()), detail)
    is_plain = text.startswith(marker.closer, rest, end) or another
    if not is_plain:
        detail = f"Expected a parameter or </invoke>, got {text[rest : rest + 20]!r}."
        return Issue(Reason.WRONG_SHAPE, Span(rest, rest + 1), detail)
    if RepairKind.UNCLOSED_TAG not in marker.options.repairs:
        return Issue(Reason.UNCLOSED_TAG, Span(*opens.span("tag")), f"The tag is {opens['tag'][:80]}.")
    return _Invocation(
        Written(opens["name"].strip(), arguments, Span(start, at)), (*repairs, _unclosed(at, "</invoke>"))
    )


def _body(marker: Marker, parameter: re.Match[str]) -> tuple[Span, tuple[Repair, ...], int] | Issue:
    """Return a parameter's body, up to the closing tag before another tag of the call, and that tag's end."""
    source, start, end = marker.source, parameter.end(), marker.end
    if plain := _PLAIN_BODY.match(source.text, start, end):
        return Span(start, plain.end("body")), (), plain.end()
    tag = Span(*parameter.span("tag"))
    close = source.search(_CLOSES_PARAMETER, start, end)
    if close >= end:
        close = source.find("</parameter>", start, end)
    if close < 0:
        is_cut = marker.extent(start).start >= end
        return Issue(
            Reason.TRUNCATED if is_cut else Reason.UNCLOSED_TAG,
            tag,
            f"The tag is {tag.of(source.text)[:80]}.",
        )
    body, closer = Span(start, close), Span(close, close + len("</parameter>"))
    if source.text.find("<", *body) < 0:
        return body, (), closer.end
    if source.text.find("<invoke name=", *body) >= 0:
        around = close_around(source.text, start, end, _TAGS.nesting, _CLOSES_PARAMETER)
        # Tags with escaped quotes belong to a call in a JSON text: they are not counted, but their closing tags are.
        if around is not None and source.text.find('<parameter name=\\"', start, around.start) < 0:
            return Span(start, around.start), (), around.end
    if source.text.find("<parameter name=", *body) >= 0:
        detail = "Another parameter begins in it: it is quoted, or the tag was never closed."
        return Issue(Reason.AMBIGUOUS, tag, detail)
    marks = marks_in(source.text, parameter["tag"], body, closer, _TAGS.marks)
    if marks.repairs and RepairKind.STRAY_MARK not in marker.options.repairs:
        return Issue(Reason.AMBIGUOUS, marks.repairs[0].span, "A tag of the format stands in it.")
    return marks.issue or (marks.value, marks.repairs, closer.end)


def _unclosed(at: int, closer: str) -> Repair:
    return Repair(RepairKind.UNCLOSED_TAG, Span(at, at), "", closer)


def _trimmed(body: str) -> str:
    """Return a body without the line break after its opening tag and the one before its closing tag."""
    before = _LINE_BREAK_BEFORE.match(body)
    if not before:
        return body
    return _LINE_BREAK_BEHIND.sub("", body[before.end() :])


def _written(call: PlainCall) -> str:
    parameters = (
        f'<parameter name="{name}">{_with_layout(raw_text(value))}</parameter>\n'
        for name, value in call.arguments.items()
    )
    return f'<invoke name="{call.name}">\n{"".join(parameters)}</invoke>\n'


def _with_layout(text: str) -> str:
    """Return a text on lines of its own if its beginning would be read as layout."""
    return f"\n{text}\n" if _LINE_BREAK_BEFORE.match(text) else text
