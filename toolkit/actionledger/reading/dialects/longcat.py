"""Meituan's LongCat: Hermes' JSON, or since LongCat-Flash-Thinking GLM's keys and values, in tags of its own."""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.writing_tags import TagForms
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_CUT = re.compile(r"<longcat_tool_call>(?:[ \t]*+\n\s*+)?+[A-Za-z_][\w.:/-]*+\s*+(?:<[\w/]*+)?")


class _AsJson(Marked):
    name: Literal["longcat"] = "longcat"
    closers: ClassVar[Mapping[str, str]] = {"<longcat_tool_call>": "</longcat_tool_call>"}


_AS_JSON = _AsJson()


class LongCat(ParameterTags):
    """``<longcat_tool_call>`` around a JSON object, or a name with a key and a value in tags for each argument."""

    name: Literal["longcat"] = "longcat"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "}</longcat_tool_call>": VALUE_ENDS,
        "]</longcat_tool_call>": VALUE_ENDS,
    }
    source = "Meituan LongCat-Flash, tool calls as vLLM's (JSON) and mlx-lm's parsers (both forms) read them"
    rules = (
        (
            "An action stands between <longcat_tool_call> and </longcat_tool_call>: its name, then a "
            "<longcat_arg_key> and a <longcat_arg_value> for each argument."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = (
        "<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n"
        "<longcat_arg_value>Paris</longcat_arg_value>\n</longcat_tool_call>"
    )
    mark = "<longcat_tool_call>"
    opening_form = "<longcat_tool_call>"
    grammar = TagGrammar(
        call=(
            r"<longcat_tool_call>(?:[ \t]*+\n\s*+)?+(?P<name>[A-Za-z_][\w.:/-]*+)\s*+"
            r"(?=<longcat_arg_key>|</longcat_tool_call>)"
        ),
        stem="<longcat_arg_key>",
        parameter=r"<longcat_arg_key>(?P<key>[^<>\n]*)</longcat_arg_key>\s*+<longcat_arg_value>",
        parameter_closes="</longcat_arg_value>",
        call_closes="</longcat_tool_call>",
        value_opens="<longcat_arg_value>",
    )
    forms = TagForms(
        parameter=(
            "<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{value}</longcat_arg_value>\n"
        ),
        call="<longcat_tool_call>{name}\n{parameters}</longcat_tool_call>",
    )

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the name of a call or the first tag behind it."""
        return _CUT.fullmatch(rest) is not None

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the tags, or the JSON, behind the opening tag; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        return found or _AS_JSON.read(source, opening, end, options)
