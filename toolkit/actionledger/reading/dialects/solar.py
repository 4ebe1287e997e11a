"""Upstage's Solar Open: special tokens around calls with JSON, and of its second generation around each argument."""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.sections import Head, Sections
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.dialects.parts.writing_tags import TagForms

_CUT = re.compile(r"<\|tool_call:start\|>[ \t]*+[^\s<>|]++\s*+(?:<(?:\|[\w:]*+\|?)?)?")
_HEAD = re.compile(
    r"[ \t]*+(?P<id>[^\s<>{}|]*+)[ \t]*+<\|tool_call:name\|>\s*+(?P<name>[^\s<>{}|]++)\s*+<\|tool_call:args\|>\s*+"
)
_HEAD_CUT = re.compile(
    r"[ \t]*+[^\s<>{}|]*+[ \t]*+(?:<\|tool_call:name\|>\s*+[^\s<>{}|]*+\s*+)?(?:<(?:\|[\w:]*+\|?+)?)?\Z"
)


class SolarOpen(Sections):
    """Each call has an identifier, its name and its arguments as a JSON object, each behind a token of its own."""

    name: Literal["solar_open"] = "solar_open"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|tool_call:end|>": VALUE_ENDS,
        "<|calls|>": "the model's end of turn, which servers take away",
    }
    source = (
        "Upstage Solar Open 100B, tool calls as Upstage's parser for vLLM and mlx-openai-server's read them"
    )
    rules = (
        (
            "Actions stand behind <|tool_calls|>, each between <|tool_call:begin|> and <|tool_call:end|>: an identifier, "
            "<|tool_call:name|> and the name, <|tool_call:args|> and its arguments as a JSON object."
        ),
    )
    example = (
        "<|tool_calls|><|tool_call:begin|>0<|tool_call:name|>get_weather<|tool_call:args|>"
        '{"city": "Paris"}<|tool_call:end|><|calls|>'
    )
    section_begins: ClassVar[tuple[str, ...]] = ("<|tool_calls|>",)
    section_end: ClassVar[str] = "<|calls|>"
    may_stay_open: ClassVar[bool] = True
    call_begin: ClassVar[str] = "<|tool_call:begin|>"
    call_end: ClassVar[str] = "<|tool_call:end|>"
    misplaced: ClassVar[re.Pattern[str]] = _HEAD

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the identifier and the name; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        if head := _HEAD.match(text, start, end):
            return Head(head["name"], head.end(), head["id"] or None)
        return Issue(Reason.TRUNCATED, marker.span) if _HEAD_CUT.match(text, start, end) else None

    def written(self, call: PlainCall, index: int) -> str:
        """Return the identifier, the name and the arguments, each behind its token."""
        identifier = call.call_id or str(index)
        return f"{identifier}<|tool_call:name|>{call.name}<|tool_call:args|>{json_text(call.arguments)}"


class SolarOpen2(ParameterTags):
    """``<|tool_call:start|>NAME``, and for each argument its name and its value between tokens.

    What stands between ``<|think:start|>`` and ``<|think:end|>`` is the model's thoughts.
    """

    name: Literal["solar_open2"] = "solar_open2"
    source = "Upstage Solar Open 2, tool calls as vLLM's parser reads them"
    rules = (
        (
            "An action stands between <|tool_call:start|> and <|tool_call:end|>: its name on the first line, then "
            "<|tool_arg:start|>FIELD<|tool_arg:value|>VALUE<|tool_arg:end|> for each argument."
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        "<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Paris<|tool_arg:end|>\n"
        "<|tool_call:end|>"
    )
    mark = "<|tool_call:start|>"
    opening_form = "<|tool_call:start|>"
    grammar = TagGrammar(
        call=(
            r"<\|tool_call:start\|>[ \t]*+(?P<name>[^\s<>|]++)\s*+(?=<\|tool_arg:start\|>|<\|tool_call:end\|>)"
        ),
        stem="<|tool_arg:start|>",
        parameter=r"<\|tool_arg:start\|>(?P<key>[^<>\n]*)<\|tool_arg:value\|>",
        parameter_closes="<|tool_arg:end|>",
        call_closes="<|tool_call:end|>",
    )
    forms = TagForms(
        parameter="<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n",
        call="<|tool_call:start|>{name}\n{parameters}<|tool_call:end|>",
    )
    thought_markers: ClassVar[Mapping[str, str]] = {"<|think:start|>": "<|think:end|>"}

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the name of a call or the first token behind it."""
        return _CUT.fullmatch(rest) is not None
