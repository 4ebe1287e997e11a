"""Kimi K2's special tokens: an identifier that holds the tool's name, then the arguments."""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.sections import Head, Sections
from actionledger.reading.dialects.parts.writing import PlainCall, json_text

_HEAD = re.compile(r"\s*+(?P<id>[^\s<>{}|]++)\s*+<\|tool_call_argument_begin\|>\s*+")
_CUT = re.compile(r"\s*+[^\s<>{}|]*+(?:\s*+<(?:\|[^<>\s]*+)?)?\Z")
_WITHOUT_SEPARATOR = re.compile(r"\s*+[^\s<>{}|]++\s*+\{")
_NAME = re.compile(r"(?:functions\.)?+(?P<name>[^:]*[^:\d][^:]*)(?::\d+)?")


class KimiK2(Sections):
    """Each call has an identifier such as ``functions.get_weather:0``, then its arguments."""

    name: Literal["kimi_k2"] = "kimi_k2"
    optional_closers: ClassVar[Mapping[str, str]] = {
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
    section_begins: ClassVar[tuple[str, ...]] = ("<|tool_calls_section_begin|>",)
    section_end: ClassVar[str] = "<|tool_calls_section_end|>"
    section_ends: ClassVar[Mapping[str, str]] = {
        "<|tool_call_section_begin|>": "<|tool_call_section_end|>",
    }
    call_begin: ClassVar[str] = "<|tool_call_begin|>"
    call_end: ClassVar[str] = "<|tool_call_end|>"
    misplaced: ClassVar[re.Pattern[str]] = _HEAD

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the identifier and take the name from it; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        head = _HEAD.match(text, start, end)
        if not head:
            if _CUT.match(text, start, end):
                return Issue(Reason.TRUNCATED, marker.span)
            if _WITHOUT_SEPARATOR.match(text, start, end):
                detail = "Expected an identifier and <|tool_call_argument_begin|>."
                return Issue(Reason.WRONG_SHAPE, marker.span, detail)
            return None
        named = _NAME.fullmatch(head["id"])
        if not named:
            return Issue(Reason.MISSING_NAME, Span(*head.span("id")), "Expected functions.NAME:INDEX.")
        return Head(named["name"], head.end(), head["id"])

    def written(self, call: PlainCall, index: int) -> str:
        """Return the identifier and the arguments; one that doesn't hold the name gives way to one that does."""
        named = _NAME.fullmatch(call.call_id or "")
        identifier = (
            call.call_id if named and named["name"] == call.name else f"functions.{call.name}:{index}"
        )
        return f"{identifier}<|tool_call_argument_begin|>{json_text(call.arguments)}"
