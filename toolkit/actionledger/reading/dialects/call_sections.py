"""Sections of calls between special tokens: DeepSeek's, Kimi K2's and PLaMo 3's.

Version 3 and R1 write the kind of tool, then its name and a fenced object; version 3.1 its name and the object.
"""

import re
from abc import abstractmethod
from typing import Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.marked import Head, Sections
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.truncation import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, json_text

_NAME = r"[\w.:/@-]++"
_SEPARATED = regex(rf"\s*+(?P<left>{_NAME})?+\s*+<｜tool▁sep｜>(?P<gap>\s*+)(?P<first>\S?+)")
_CUT = regex(rf"\s*+(?P<left>{_NAME}|)(?:\s*+<(?:｜[^<>\s]*+)?)?\Z")
_WITHOUT_SEPARATOR = regex(rf"\s*+(?:{_NAME}\s*+(?:```|\{{)|[^\n<>｜]{{1,200}}+<｜tool▁sep｜>)")
_BEGINS_ARGUMENTS = frozenset('{["')
_CUT_FENCE = regex(r"`{1,2}\s*+\Z")
_NAMED = regex(rf"(?P<name>{_NAME})\s*+(?P<fence>```(?:json)?\s*+)?")


class _DeepSeek(Sections):
    section_begins = ("<｜tool▁calls▁begin｜>",)
    section_end = "<｜tool▁calls▁end｜>"
    call_begin = "<｜tool▁call▁begin｜>"
    call_end = "<｜tool▁call▁end｜>"
    misplaced = _SEPARATED

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the text around the separator; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        if separated := _SEPARATED.match(text, start, end):
            return self.separated_head(marker, separated)
        if cut := _CUT.match(text, start, end):
            return Issue(Reason.TRUNCATED, marker.span) if self.may_begin_with(cut["left"]) else None
        if _WITHOUT_SEPARATOR.match(text, start, end):
            return Issue(Reason.WRONG_SHAPE, marker.span, "Expected a name and <｜tool▁sep｜>.")
        return None

    @abstractmethod
    def separated_head(self, marker: Marker, separated: re.Match[str]) -> Head | Issue | None:
        """Read the head with this separator; None if it belongs to the other version."""

    @abstractmethod
    def may_begin_with(self, left: str) -> bool:
        """Return whether a call of this version may begin with a text cut off by the response's end."""


class DeepSeekV3(_DeepSeek):
    """``function``, the separator, the tool's name and its arguments in a ``json`` fence."""

    name: Literal["deepseek_v3"] = "deepseek_v3"
    optional_closers = {
        "<｜tool▁call▁end｜>": VALUE_ENDS,
        "<｜tool▁calls▁end｜>": CALLS_END,
    }
    source = "The chat templates of DeepSeek-V3 and DeepSeek-R1"
    between = "\n"
    rules = (
        (
            "All actions stand between <｜tool▁calls▁begin｜> and <｜tool▁calls▁end｜>: each with its name "
            "behind <｜tool▁sep｜>, and its arguments as a JSON object in a fence labelled json."
        ),
    )
    example = (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        '```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    )

    def separated_head(self, marker: Marker, separated: re.Match[str]) -> Head | Issue | None:
        """Read the name after the separator, and the opening fence after it."""
        if separated["first"] in _BEGINS_ARGUMENTS:
            return None
        if not separated["first"]:
            return Issue(Reason.TRUNCATED, marker.span) if separated["left"] == "function" else None
        named = _NAMED.match(marker.source.text, separated.start("first"), marker.end)
        if not named:
            return Issue(Reason.WRONG_SHAPE, Span(*separated.span("first")), "Expected the tool's name.")
        if _CUT_FENCE.match(marker.source.text, named.end(), marker.end):
            return Issue(Reason.TRUNCATED, marker.span)
        return Head(named["name"], named.end(), is_fenced=bool(named["fence"]))

    def may_begin_with(self, left: str) -> bool:
        """Return whether it is, or begins, the word at the start of every call."""
        return "function".startswith(left)

    def written(self, call: PlainCall, _index: int) -> str:
        """Return the head and the fenced arguments; see ``Sections.written``."""
        return f"function<｜tool▁sep｜>{call.name}\n{fenced('json', json_text(call.arguments))}"


class DeepSeekV31(_DeepSeek):
    """The tool's name, the separator and its arguments."""

    name: Literal["deepseek_v31"] = "deepseek_v31"
    optional_closers = {
        "<｜tool▁call▁end｜>": VALUE_ENDS,
        "<｜tool▁calls▁end｜>": CALLS_END,
    }
    source = "The chat template of DeepSeek-V3.1"
    rules = (
        (
            "All actions stand between <｜tool▁calls▁begin｜> and <｜tool▁calls▁end｜>: each with its name, "
            "<｜tool▁sep｜> and its arguments as a JSON object."
        ),
    )
    example = (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    )

    def separated_head(self, marker: Marker, separated: re.Match[str]) -> Head | Issue | None:
        """Read the name before the separator."""
        if separated["first"] and separated["first"] not in _BEGINS_ARGUMENTS:
            return None
        if not separated["left"]:
            return Issue(Reason.MISSING_NAME, marker.span)
        if not separated["first"]:
            return Issue(Reason.TRUNCATED, marker.span) if separated["left"] != "function" else None
        return Head(separated["left"], separated.end("gap"))

    def may_begin_with(self, left: str) -> bool:
        """Return whether it is not the first word of version 3's calls."""
        return not left or left != "function"

    def written(self, call: PlainCall, _index: int) -> str:
        """Return the head and the arguments; see ``Sections.written``."""
        return f"{call.name}<｜tool▁sep｜>{json_text(call.arguments)}"


_HEAD = regex(r"\s*+(?P<id>[^\s<>{}|]++)\s*+<\|tool_call_argument_begin\|>\s*+")
_KIMI_CUT = regex(r"\s*+[^\s<>{}|]*+(?:\s*+<(?:\|[^<>\s]*+)?)?\Z")
_KIMI_WITHOUT_SEPARATOR = regex(r"\s*+[^\s<>{}|]++\s*+\{")
_KIMI_NAME = regex(r"(?:functions\.)?+(?P<name>[^:]*[^:\d][^:]*)(?::\d+)?")


class KimiK2(Sections):
    """Each call has an identifier such as ``functions.get_weather:0``, then its arguments."""

    name: Literal["kimi_k2"] = "kimi_k2"
    optional_closers = {
        "<|tool_call_end|>": VALUE_ENDS,
        "<|tool_calls_section_end|>": CALLS_END,
        "<|tool_call_section_end|>": CALLS_END,
    }
    source = "Moonshot AI's tool call guidance for Kimi K2, and its chat template; the tokens in the singular, vLLM's parser"
    rules = (
        (
            "All actions stand in one section: each begins with functions.NAME:INDEX, counted from 0, "
            "and has its arguments as a JSON object."
        ),
    )
    example = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        '{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
    )
    section_begins = ("<|tool_calls_section_begin|>",)
    section_end = "<|tool_calls_section_end|>"
    section_ends = {"<|tool_call_section_begin|>": "<|tool_call_section_end|>"}
    call_begin = "<|tool_call_begin|>"
    call_end = "<|tool_call_end|>"
    misplaced = _HEAD

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the identifier and the name in it; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        head = _HEAD.match(text, start, end)
        if not head:
            if _KIMI_CUT.match(text, start, end):
                return Issue(Reason.TRUNCATED, marker.span)
            if _KIMI_WITHOUT_SEPARATOR.match(text, start, end):
                detail = "Expected an identifier and <|tool_call_argument_begin|>."
                return Issue(Reason.WRONG_SHAPE, marker.span, detail)
            return None
        named = _KIMI_NAME.fullmatch(head["id"])
        if not named:
            return Issue(Reason.MISSING_NAME, Span(*head.span("id")), "Expected functions.NAME:INDEX.")
        return Head(named["name"], head.end(), head["id"])

    def written(self, call: PlainCall, index: int) -> str:
        """Return the identifier and the arguments; replace an identifier without the name by one that has it."""
        named = _KIMI_NAME.fullmatch(call.call_id or "")
        identifier = (
            call.call_id if named and named["name"] == call.name else f"functions.{call.name}:{index}"
        )
        return f"{identifier}<|tool_call_argument_begin|>{json_text(call.arguments)}"


def _tag(name: str) -> str:
    return f"<|plamo:{name}:plamo|>"


_PLAMO_NAME, _PLAMO_NAMED, _ARGUMENTS = (
    _tag("begin_tool_name"),
    _tag("end_tool_name"),
    _tag("begin_tool_arguments"),
)
_PLAMO_HEAD = regex(
    rf"\s*+{re.escape(_PLAMO_NAME)}\s*+(?P<name>[^\s<>{{}}|]++)\s*+{re.escape(_PLAMO_NAMED)}\s*+{re.escape(_ARGUMENTS)}\s*+"
)
_PLAMO_CUT = regex(
    rf"\s*+(?:{re.escape(_PLAMO_NAME)}\s*+[^\s<>{{}}|]*+\s*+(?:{re.escape(_PLAMO_NAMED)}\s*+)?)?(?:<(?:\|[\w:]*+\|?+)?)?\Z"
)


class Plamo(Sections):
    """Each call has its name and its arguments, as a JSON object, in tags of their own."""

    name: Literal["plamo"] = "plamo"
    optional_closers = {
        f"{_tag('end_tool_arguments')}{_tag('end_tool_request')}": VALUE_ENDS,
        _tag("end_tool_requests"): CALLS_END,
    }
    source = "Preferred Networks PLaMo 3, tool calls as a parser for vLLM reads them"
    rules = (
        (
            "Actions stand in one section; each is a request with its name and its arguments as a JSON object, every one "
            "of them between tags as in the example."
        ),
    )
    example = (
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
        '<|plamo:begin_tool_arguments:plamo|>{"city": "Paris"}<|plamo:end_tool_arguments:plamo|>'
        "<|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>"
    )
    section_begins = (_tag("begin_tool_requests"),)
    section_end = _tag("end_tool_requests")
    call_begin = _tag("begin_tool_request")
    call_end = _tag("end_tool_arguments") + _tag("end_tool_request")
    misplaced = _PLAMO_HEAD

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the name; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        if head := _PLAMO_HEAD.match(text, start, end):
            return Head(head["name"], head.end())
        return Issue(Reason.TRUNCATED, marker.span) if _PLAMO_CUT.match(text, start, end) else None

    def written(self, call: PlainCall, _index: int) -> str:
        """Return the name and the arguments, each between its tags."""
        return f"{_PLAMO_NAME}{call.name}{_PLAMO_NAMED}{_ARGUMENTS}{json_text(call.arguments)}"
