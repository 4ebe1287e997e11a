"""Calls with a tag for each parameter: the part that their dialects share, and Qwen3-Coder, GLM and Seed-OSS."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.call_tags import TagForms, TagGrammar
from actionledger.reading.dialects.parts.markers import (
    behind_blanks,
    closing_tag,
    excerpt,
    read_block,
    refused,
    thoughts_behind,
)
from actionledger.reading.dialects.parts.tagged_calls import TaggedCall, read_calls
from actionledger.reading.dialects.parts.truncation import CALLS_END
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_LONGEST_OPENING = 1_000
"""The longest end of a text that is checked for the opening of a call, in code points."""


_NAME_AND_TAG = regex(r"\s*+[^\W\d][\w.:/-]*+\s*+<[\w|]")


class ParameterTags(Dialect):
    """Calls whose parameters are tags, alone or in a group of parallel calls.

    A group with a call that can't be read ends before it: the good calls stay, and that call is a block of its own. Where a
    call is known by its group alone, the block is lost with it, unless it is the end of the text that cuts it.
    """

    strings_only = True

    grammar: ClassVar[TagGrammar]
    """How a call is written."""

    forms: ClassVar[TagForms]
    """How calls are written out."""

    mark: ClassVar[str]
    """The literal text at the start of a call."""

    opening_form: ClassVar[str]
    """All of a call's opening up to its name."""

    stands_alone: ClassVar[bool] = True
    """Whether a call counts without its group's tags."""

    thought_markers: ClassVar[Mapping[str, str]] = {}
    """Each tag that opens thoughts, with the one that closes them."""

    @property
    def literals(self) -> frozenset[str]:
        """The tags that open a group, a call or thoughts."""
        return frozenset({self.mark, *self.grammar.groups, *self.thought_markers})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the call or the group of calls, or skip the thoughts, that begin here; see ``Dialect.read``."""
        if closer := self.thought_markers.get(opening.label):
            return thoughts_behind(source, opening, closer, end)
        text, is_group = source.text, opening.label in self.grammar.groups
        start = behind_blanks(text, opening.end, end) if is_group else opening.start
        first = self.grammar.call.match(text, start, end)
        if first is None:
            is_cut = (
                end == len(text) and at_line_start(text, opening.start) and self._ends_at(text, start, end)
            )
            span = Span(opening.start, end)
            if is_cut:
                return refused(span, Span(opening.end, end), Issue(Reason.TRUNCATED, span))
            return self._misspelt(source, opening, end)
        if not is_group and not self._goes_on(text, first, end):
            return None  # the tag is only mentioned
        calls = read_calls(source, first, end, self.grammar, options, is_group=is_group)
        return self.unless_quoted(self.block(text, opening, calls, end, options), text)

    def _misspelt(self, source: Source, opening: Opening, end: int) -> Found | None:
        """Return a call whose first tag is unknown to the format, if a parameter is closed in it; None if it is a mention."""
        grammar, text = self.grammar, source.text
        if not grammar.value_opens or not _NAME_AND_TAG.match(text, opening.end, end):
            return None
        stop = source.search(grammar.next_call, opening.end, end)
        close = source.find(grammar.call_closes, opening.end, stop)
        if close < 0 or source.find(grammar.parameter_closes, opening.end, close) < 0:
            return None
        span = Span(opening.start, close + len(grammar.call_closes))
        detail = f"Expected a parameter, got {excerpt(text, opening.end, close)}."
        return refused(span, Span(opening.end, close), Issue(Reason.WRONG_SHAPE, span, detail))

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call with a tag for each parameter; see ``Dialect.write``."""
        return self.forms.written(calls)

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the opening of a call."""
        form = self.opening_form
        return bool(rest) and (
            form.startswith(rest) or (rest.startswith(form) and ">" not in rest[len(form) :])
        )

    def _ends_at(self, text: str, start: int, end: int) -> bool:
        """Return whether the text ends within the opening of the call that begins here."""
        return end - start <= _LONGEST_OPENING and self.is_cut(text[start:end])

    def _goes_on(self, text: str, call: re.Match[str], end: int) -> bool:
        """Return whether a call's opening tag is before a parameter, the call's end, or the end of the text."""
        at, follows = behind_blanks(text, call.end(), end), self.grammar.follows
        if call.groupdict().get("whole") or text.startswith(follows, at, end):
            return True
        is_cut = any(tag.startswith(text[at : at + len(tag)]) for tag in follows)
        return end == len(text) and is_cut and at_line_start(text, call.start())

    def block(
        self, text: str, opening: Opening, calls: list[TaggedCall], end: int, options: DecodeOptions
    ) -> Found:
        good = [call for call in calls if not call.refusal]
        broken = None if self.stands_alone else calls[-1].refusal
        if not good or (broken and broken.code is not Reason.TRUNCATED):
            return self._refused(text, opening, calls[-1], end)
        stop, body_end = good[-1].span.end, good[-1].inner_end
        repairs = tuple([repair for call in good for repair in call.repairs])
        if closer := self.grammar.groups.get(opening.label):
            close = closing_tag(text, stop, end, closer, options)
            if close.issue:
                return refused(Span(opening.start, close.end), Span(opening.end, stop), close.issue)
            stop, body_end, repairs = close.end, close.start, repairs + close.repairs
        written = tuple([Written(call.name, call.arguments, call.span) for call in good])
        issues = tuple([issue for call in good for issue in call.issues])
        rest = Span(behind_blanks(text, stop, end), end)
        if closer and close.repairs and end == len(text) and self._ends_at(text, *rest):
            stop, issues = end, (*issues, Issue(Reason.TRUNCATED, rest))
        if broken:
            stop, issues = calls[-1].span.end, (*issues, broken)
        return read_block(Span(opening.start, stop), Span(opening.end, body_end), written, repairs, issues)

    def _refused(self, text: str, opening: Opening, call: TaggedCall, end: int) -> Found:
        """Return the block of an unreadable call, with the closing tags after it."""
        assert call.refusal
        stop = call.span.end
        for closer in (self.grammar.tail, *sorted(set(self.grammar.groups.values()))):
            due = behind_blanks(text, stop, end)
            if closer and text.startswith(closer, due, end):
                stop = due + len(closer)
        return refused(Span(opening.start, stop), Span(opening.end, call.span.end), call.refusal)


class Qwen3Coder(ParameterTags):
    """``<tool_call>`` with ``<function=NAME>`` in it and a ``<parameter=KEY>`` for each argument.

    The outer tag is often left out, and is no more than a bracket: it may hold several calls. Instead of the parameters, a call may
    hold a JSON object.
    """

    name: Literal["qwen3_coder"] = "qwen3_coder"
    optional_closers = {
        "</function></tool_call>": "vLLM's parser reads a call to the end of the text without it"
    }
    source = "Qwen3-Coder, chat template"
    rules = (
        (
            "An action stands between <tool_call> and </tool_call>: its name in <function=NAME>, and a "
            "<parameter=FIELD> for each argument."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>"
    mark = "<function="
    opening_form = "<function="
    grammar = TagGrammar(
        call=r"<function=(?P<name>[^<>\n]*)>",
        stem="<parameter=",
        parameter=r"<parameter=(?P<key>[^<>\n]*)>",
        parameter_closes="</parameter>",
        call_closes="</function>",
        groups={"<tool_call>": "</tool_call>"},
        line_breaks=True,
        holds_json=True,
    )
    forms = TagForms(
        parameter="<parameter={key}>\n{value}\n</parameter>\n",
        call="<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>",
    )


class Glm(ParameterTags):
    """``<tool_call>NAME`` with an ``<arg_key>`` and an ``<arg_value>`` for each argument."""

    name: Literal["glm"] = "glm"
    source = "GLM-4.5, GLM-4.6 and GLM-4.7, chat templates"
    rules = (
        (
            "An action stands between <tool_call> and </tool_call>: its name, then an <arg_key> and an "
            "<arg_value> for each argument."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>"
    mark = "<tool_call>"
    opening_form = "<tool_call>"
    grammar = TagGrammar(
        call=r"<tool_call>(?:[ \t]*+\n\s*+)?+(?P<name>[A-Za-z_][\w.:/-]*+)\s*+(?=<arg_key>|</tool_call>)",
        stem="<arg_key>",
        parameter=r"<arg_key>(?P<key>[^<>\n]*)</arg_key>(?:\s|\\n)*+<arg_value>",
        parameter_closes="</arg_value>",
        call_closes="</tool_call>",
        value_opens="<arg_value>",
    )
    forms = TagForms(
        parameter="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
        call="<tool_call>{name}\n{parameters}</tool_call>",
    )

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within a call's name or the first tag after it."""
        return re.fullmatch(r"<tool_call>(?:[ \t]*\n\s*)?[A-Za-z_][\w.:/-]*\s*(?:<[\w/]*)?", rest) is not None


class SeedOss(ParameterTags):
    """``<seed:tool_call>`` with ``<function=NAME>`` in it and a ``<parameter=KEY>`` for each argument.

    What stands between ``<seed:think>`` and ``</seed:think>`` is the model's thoughts.
    """

    name: Literal["seed_oss"] = "seed_oss"
    optional_closers = {"</seed:tool_call>": CALLS_END}
    source = "ByteDance Seed-OSS, chat template"
    rules = (
        (
            "An action stands between <seed:tool_call> and </seed:tool_call>: its name in <function=NAME>, and a "
            "<parameter=FIELD> for each argument."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = (
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n"
        "</seed:tool_call>"
    )
    mark = "<seed:tool_call>"
    stands_alone = False
    opening_form = "<function="
    grammar = TagGrammar(
        call=r"<function=(?P<name>[^<>\n]*)>",
        stem="<parameter=",
        parameter=r"<parameter=(?P<key>[^<>\n]*)>",
        parameter_closes="</parameter>",
        call_closes="</function>",
        groups={"<seed:tool_call>": "</seed:tool_call>"},
        line_breaks=True,
    )
    forms = TagForms(
        parameter="<parameter={key}>{value}</parameter>\n",
        call="<seed:tool_call>\n<function={name}>\n{parameters}</function>\n</seed:tool_call>",
        wraps=True,
    )
    thought_markers = {"<seed:think>": "</seed:think>"}
