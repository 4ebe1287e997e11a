"""Message formats in which a message with a recipient is a call: OpenAI's Harmony (gpt-oss), Beam and Muse Glimmer.

``<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>``. The recipient may
follow the role, which the template has written for the first message. Messages on the channel ``analysis`` without a
recipient are the model's thoughts.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagForms, TagGrammar
from actionledger.reading.dialects.parts.json_values import Reach, arguments_at, plain_arguments
from actionledger.reading.dialects.parts.markers import (
    as_example,
    behind_blanks,
    closing_tag,
    read_block,
    refused,
    thoughts_behind,
)
from actionledger.reading.dialects.parts.truncation import CALLS_END, cut_off
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_REST = r"[^<]*+(?:<\|constrain\|>[^<]*+)?+"
_HEADER = regex(
    r"(?:(?:(?:<\|start\|>[ ]?)?+assistant\b)?+(?:[ \t]*+\bto=(?P<role_to>[^\s<]+))?[ \t]*+)<\|channel\|>[ ]?(?P<channel>\w+)"
    rf"(?P<rest>{_REST})<\|message\|>"
)
_ROLE_TO = r"(?<![\s\S]{2})(?:assistant[ \t]++)?+to="
"""The beginning of a response that goes straight to a tool: the template has written the text before the recipient."""
_FIRST_TO = rf"{_ROLE_TO}[^\s<]{{1,200}}+[ \t]*+<\|channel\|>[ ]?\w{_REST}<\|message\|>"
_FIRST_CUT = (
    rf"{_ROLE_TO}functions\.[^\s<]{{0,200}}+[ \t]*+(?:<\|channel\|>{_REST})?+(?:<(?:\|(?:\w++\|?+)?+)?+)?+\Z"
)
_RECIPIENT = regex(r"(?<!\S)to=(?P<to>[^\s<]+)")
_MARK = regex(
    r"<\|(?:call|end|return|start)\|>|<\|channel\|>(?=[ ]?\w[^<]*+(?:<\|constrain\|>[^<]*+)?+<\|message\|>)"
)
_NEXT_MESSAGE = regex(r"<\|start\|>|<\|channel\|>(?=[ ]?\w[^<]*+(?:<\|constrain\|>[^<]*+)?+<\|message\|>)")
_CUT_HEADER = regex(
    r"<\|(?:start|channel)\|>[^<\n]*+(?:<\|channel\|>[^<\n]*+)?+(?:<\|constrain\|>[^<\n]*+)?+(?:<\|?\w*+\|?)?\Z"
)


class Harmony(Dialect):
    """Messages to a tool are calls, thoughts are passed over, and the rest is what the user is told.

    The built-in tool ``python`` is sent plain source text: it is the argument ``code``.
    """

    name: Literal["harmony"] = "harmony"
    optional_closers = {
        "<|call|>": "a stop token of gpt-oss: stop_tokens_for_assistant_actions of OpenAI's harmony library"
    }
    source = "OpenAI, Harmony response format; LLM-jp-4.1 (a blank behind each token), as llama.cpp's parser reads it"
    rules = (
        (
            "An action is a message of its own to functions.NAME on the channel commentary, with its "
            "arguments as a JSON object; it ends with <|call|>."
        ),
        "Several such messages may follow one another.",
    )
    example = (
        "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"city": "Paris"}<|call|>'
    )
    namespace: ClassVar[str] = "functions."

    @property
    def literals(self) -> frozenset[str]:
        """The tokens at the start of an assistant's message."""
        return frozenset({"<|start|>assistant", "<|start|> assistant", "<|channel|>"})

    @property
    def line_patterns(self) -> frozenset[str]:
        """The header of the first message if its recipient follows the role, whole or cut off."""
        return frozenset({_FIRST_TO, _FIRST_CUT})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the message that begins here; see ``Dialect.read``."""
        text, is_first = source.text, opening.kind is OpeningKind.LINE
        if is_first and opening.start > 1:
            return None  # another dialect's
        header = _HEADER.match(text, opening.start, end)
        if header is None:
            # A text that ends within a call's header was cut off; anything else is a mention.
            if end < len(text) or "to=" not in text[opening.start : opening.start + 200]:
                return None
            if not is_first and not _CUT_HEADER.match(text, opening.start):
                return None
            span = Span(opening.start, end)
            return refused(span, Span(opening.end, end), Issue(Reason.TRUNCATED, span))
        message = _Message(source, header, end, options)
        beside = _RECIPIENT.search(header["rest"])
        if recipient := header["role_to"] or (beside["to"] if beside else ""):
            found = message.call(recipient.removeprefix(self.namespace))
        elif header["channel"] == "analysis":
            found = message.thoughts()
        else:
            return None  # text for the user
        return self.unless_quoted(found, text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a message for each call; see ``Dialect.write``."""
        return "".join(
            f"<|start|>assistant<|channel|>commentary to={self.namespace}{call.name} "
            f"<|constrain|>json<|message|>{json_text(call.arguments)}<|call|>"
            for call in calls
        )


class _Message:
    """One message after its header."""

    def __init__(self, source: Source, header: re.Match[str], end: int, options: DecodeOptions) -> None:
        self.source, self.text, self.end, self.options = source, source.text, end, options
        self.start, self.body_start = header.start(), header.end()

    def stop(self, at: int) -> Span:
        """Return the token that ends the message from ``at`` on; empty if another message or the end does."""
        start = self.source.search(_MARK, at, self.end)
        mark = _MARK.match(self.text, start, self.end)
        is_end = mark is not None and mark[0] not in {"<|start|>", "<|channel|>"}
        return Span(start, mark.end() if mark and is_end else start)

    def thoughts(self) -> Found:
        stop = self.stop(self.body_start)
        span, body = Span(self.start, stop.end), Span(self.body_start, stop.start)
        is_cut = stop.start == len(self.text)
        issue = Issue(Reason.UNCLOSED_TAG, Span(self.start, self.body_start), "Expected <|end|>.")
        return Found(
            BlockStatus.IGNORED, span, body, reason=Reason.REASONING, issues=(issue,) if is_cut else ()
        )

    def call(self, name: str) -> Found:
        begins = behind_blanks(self.text, self.body_start, self.end)
        if name == "python" and not self.text.startswith("{", begins, self.end):
            stop = self.stop(begins)
            found = self.found(name, {"code": self.text[self.body_start : stop.start]}, stop.start)
            # Source text doesn't determine its own end.
            return cut_off(found, stop.start) if found.actions and stop.start == len(self.text) else found
        if self.text.startswith("<|call|>", begins, self.end):
            return self.found(name, {}, begins)
        arguments = plain_arguments(self.text, begins, self.end, self.options.max_depth) or arguments_at(
            self.source, begins, self.reach(begins), self.options
        )
        if isinstance(arguments, Issue):
            return self.refused(arguments)
        stop = self.stop(arguments.end)
        if self.text[arguments.end : stop.start].strip():
            return self.refused(Issue(Reason.TEXT_AFTER_VALUE, Span(arguments.end, stop.start)))
        return self.found(name, arguments.values, arguments.end, arguments.repairs, arguments.issues)

    def reach(self, at: int) -> Reach:
        """Return how far a value that begins at ``at`` may reach: never beyond the next message."""
        bound = self.source.search(_NEXT_MESSAGE, at, self.end)
        stop = self.stop(at)
        return Reach(stop.start if stop.start < self.end else None, bound, self.end)

    def found(
        self,
        name: str,
        arguments: dict[str, Any],
        at: int,
        repairs: tuple[Repair, ...] = (),
        issues: tuple[Issue, ...] = (),
    ) -> Found:
        """Return the call whose content ends at ``at``, where the token that ends it is expected."""
        stop = self.stop(at)
        if stop.start == stop.end:
            close = closing_tag(self.text, at, self.end, "<|call|>", self.options)
            if close.issue:
                return self.refused(close.issue)
            stop, repairs = Span(close.start, close.end), repairs + close.repairs
        span = Span(self.start, stop.end)
        action = Written(name, arguments, span)
        return read_block(span, Span(self.body_start, stop.start), (action,), repairs, issues)

    def refused(self, issue: Issue) -> Found:
        """Return the message as unreadable; a value may reach beyond its end."""
        stop = self.stop(self.body_start)
        if issue.span and issue.span.end > stop.start:
            cut = stop.start == len(self.text)
            detail = "" if cut else "The message ends before its value does."
            code = issue.code if cut else Reason.MALFORMED_JSON
            issue = Issue(code, Span(self.body_start, stop.start), detail)
        return refused(Span(self.start, stop.end), Span(self.body_start, stop.start), issue)


_BEAM_HEADER = r"to=(?P<name>[^\s<>]{1,200}+)<\|channel\|>analysis(?:[ ]?<\|constrain\|>xml)?+<\|message\|>"
_FIRST = _BEAM_HEADER.replace("(?P<name>", "(?:")
_THOUGHTS = "<|channel|>analysis<|message|>"


class Beam(ParameterTags):
    """``to=NAME`` before the channel, and an ``<rfl:parameter name="KEY">`` for each argument; ``<|call|>`` ends the message.

    A message on the channel ``analysis`` without a recipient is the model's thoughts.
    """

    name: Literal["beam"] = "beam"
    source = "Beam, a response template as the tests of SMG's gateway have it; no checkpoint was seen"
    rules = (
        (
            "An action is a message of its own: to=NAME<|channel|>analysis <|constrain|>xml<|message|>, an "
            '<rfl:parameter name="FIELD"> for each argument, and <|call|>.'
        ),
        "Texts are written as they are; numbers, lists and objects as JSON. Blanks around a value are not part of it.",
    )
    example = (
        " to=get_weather<|channel|>analysis <|constrain|>xml<|message|>"
        '<rfl:parameter name="city">Paris</rfl:parameter><|call|>'
    )
    mark = "<|start|>assistant"
    opening_form = "<|start|>assistant to="
    grammar = TagGrammar(
        call=rf"(?:<\|start\|>[ ]?assistant[ ]++)?+{_BEAM_HEADER}",
        stem="<rfl:parameter",
        parameter=r'<rfl:parameter\s++name="(?P<key>[^"<>\n]*)"\s*+>',
        parameter_closes="</rfl:parameter>",
        call_closes="<|call|>",
        spellings={"<|call|>": "<|end|>"},
    )
    forms = TagForms(
        parameter='<rfl:parameter name="{key}">{value}</rfl:parameter>',
        call=" to={name}<|channel|>analysis <|constrain|>xml<|message|>{parameters}<|call|>",
        between="<|start|>assistant",
    )

    @property
    def literals(self) -> frozenset[str]:
        """The tokens at the start of an assistant's message: Harmony's own."""
        return frozenset({self.mark, "<|channel|>"})

    @property
    def line_patterns(self) -> frozenset[str]:
        """The header of the first message, which the template has begun."""
        return frozenset({_FIRST})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the message that begins here, or skip thoughts; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LITERAL and opening.label == "<|channel|>":
            if not source.text.startswith(_THOUGHTS, opening.start, end):
                return None
            begins = opening._replace(end=opening.start + len(_THOUGHTS))
            return thoughts_behind(source, begins, "<|end|>", end)
        found = super().read(source, opening, end, options)
        return found and found._replace(
            actions=tuple(
                each._replace(arguments={name: value.strip() for name, value in each.arguments.items()})
                for each in found.actions
            )
        )

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within a call's header."""
        return rest.startswith(self.opening_form) and "<|message|>" not in rest


_TO_ITSELF = "to=self"
_TO_USER = regex(
    r"to=user<\|message\|>(?:[^<t]++|<(?!\|(?:eom|eot|start)\|>)|(?<!\s)t|t(?!o=(?!self|user)[\w.-]{1,200}<\|message\|>))*+"
)
"""A message to the user, up to its end: a token, or the header of a message to a tool."""

_TO_TOOL = regex(
    r"(?:<\|start\|>[ ]?assistant[ ]++)?+to=(?!(?:self|user|commentary|developer)<)[\w.-]{1,200}+<\|message\|>\s*+(?=<atem:)"
)
"""The header of a message to a tool, before the tags of its calls."""
_MUSE_FIRST = r"to=[\w.-]{1,200}+<\|message\|>\s*+<atem:"
_FURTHER = "<|start|>assistant"


class _ToUser:
    """The messages to the user in one text, found once."""

    def __init__(self) -> None:
        self._ends: list[int] | None = None
        self._starts: list[int] = []

    def holds(self, text: str, at: int) -> bool:
        if self._ends is None:
            found = list(_TO_USER.finditer(text))
            self._starts, self._ends = [each.start() for each in found], [each.end() for each in found]
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._ends[index]


class MuseGlimmer(ParameterTags):
    """``<atem:invoke name="NAME">`` with an ``<atem:parameter name="KEY">`` for each argument.

    Each call has tags of its own around it. A message ``to=self`` is the model's thoughts; calls in one ``to=user`` are shown.
    """

    name: Literal["muse_glimmer"] = "muse_glimmer"
    optional_closers = {"</atem:function_calls>": CALLS_END}
    source = "Muse Glimmer, chat template"
    rules = (
        (
            "An action stands between <atem:function_calls> and </atem:function_calls>: an <atem:invoke "
            'name="NAME">, with an <atem:parameter name="FIELD"> for each argument.'
        ),
        "Texts and numbers are written as they are, with their blanks; lists and objects as JSON.",
    )
    example = (
        '<atem:function_calls>\n<atem:invoke name="get_weather">\n'
        '<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
    )
    mark = "<atem:invoke "
    opening_form = '<atem:invoke name="'
    grammar = TagGrammar(
        call=r'<atem:invoke\s++name="(?P<name>[^"<>\n]*)"\s*+>',
        stem="<atem:parameter",
        parameter=r'<atem:parameter\s++name="(?P<key>[^"<>\n]*)"\s*+>',
        parameter_closes="</atem:parameter>",
        call_closes="</atem:invoke>",
        groups={"<atem:function_calls>": "</atem:function_calls>"},
    )
    forms = TagForms(
        parameter='<atem:parameter name="{key}">{value}</atem:parameter>\n',
        call=(
            '<atem:function_calls>\n<atem:invoke name="{name}">\n{parameters}</atem:invoke>\n'
            "</atem:function_calls>"
        ),
    )
    thought_markers = {"<|message|>": "<|eom|>"}

    @property
    def literals(self) -> frozenset[str]:
        """The tags that open calls or thoughts, and the header of a message."""
        return super().literals | {_FURTHER}

    @property
    def line_patterns(self) -> frozenset[str]:
        """The header of the first message, which the template has begun."""
        return frozenset({_MUSE_FIRST})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or skip the thoughts, that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE or opening.label == _FURTHER:
            return self._behind_header(source, opening, end, options)
        if opening.label in self.thought_markers and not source.text.endswith(_TO_ITSELF, 0, opening.start):
            return None
        found = super().read(source, opening, end, options)
        if found is None:
            return None
        is_shown = found.reason is not Reason.REASONING and source.memory(_ToUser).holds(
            source.text, opening.start
        )
        return as_example(found) if is_shown else _with_offered_names(found, source)

    def _behind_header(
        self, source: Source, opening: Opening, end: int, options: DecodeOptions
    ) -> Found | None:
        """Read the calls after the header of a message to a tool; None if there are none."""
        text = source.text
        header = _TO_TOOL.match(text, opening.start, end)
        label = header and next(
            (tag for tag in (*self.grammar.groups, self.mark) if text.startswith(tag, header.end(), end)),
            None,
        )
        if not header or not label:
            return None
        first = Opening(OpeningKind.LITERAL, label, header.end(), header.end() + len(label))
        found = self.read(source, first, end, options)
        return found and found._replace(span=Span(opening.start, found.span.end))


def _with_offered_names(found: Found, source: Source) -> Found:
    """Return a block with the offered names of its calls: the template may repeat a name's namespace before it."""
    repairs, actions = list[Repair](), list[Written]()
    for action in found.actions:
        namespace, dot, _ = action.name.partition(".")
        if (
            source.names
            and dot
            and action.name not in source.names
            and action.name.removeprefix(f"{namespace}.") in source.names
        ):
            at = source.text.find(action.name, action.span.start)
            repairs.append(
                Repair(RepairKind.MODULE_PREFIX, Span(at, at + len(namespace) + 1), f"{namespace}.", "")
            )
            action = action._replace(name=action.name.removeprefix(f"{namespace}."))  # noqa: PLW2901
        actions.append(action)
    if not repairs:
        return found
    ordered = tuple(sorted([*found.repairs, *repairs], key=lambda repair: repair.span))
    status = BlockStatus.REPAIRED if found.status is BlockStatus.STRICT else found.status
    return found._replace(status=status, actions=tuple(actions), repairs=ordered)
