"""IQuest Q1: GLM's keys and values in tags of its own, on one line."""

import re
from typing import Literal

from actionledger.parsing.dialects.parameter_tags import ParameterTags
from actionledger.parsing.dialects.parts.call_tags import TagGrammar
from actionledger.parsing.dialects.parts.writing_tags import TagForms

_CUT = re.compile(r"<iquest_tool_call>\s*+[A-Za-z_][\w.:/-]*+\s*+(?:<[\w/]*+)?")


class IQuestQ1(ParameterTags):
    """``<iquest_tool_call>NAME`` with an ``<arg_key>`` and an ``<arg_value>`` for each argument."""

    name: Literal["iquest_q1"] = "iquest_q1"
    source = "IQuest Q1, tool calls as SGLang's parser reads them"
    rules = (
        (
            "An action stands between <iquest_tool_call> and </iquest_tool_call>: its name, then an <arg_key> and an "
            "<arg_value> for each argument, without line breaks."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = (
        "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>"
    )
    mark = "<iquest_tool_call>"
    opening_form = "<iquest_tool_call>"
    grammar = TagGrammar(
        call=r"<iquest_tool_call>\s*+(?P<name>[A-Za-z_][\w.:/-]*+)\s*+(?=<arg_key>|</iquest_tool_call>)",
        stem="<arg_key>",
        parameter=r"<arg_key>(?P<key>[^<>\n]*)</arg_key>\s*+<arg_value>",
        parameter_closes="</arg_value>",
        call_closes="</iquest_tool_call>",
    )
    forms = TagForms(
        parameter="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
        call="<iquest_tool_call>{name}{parameters}</iquest_tool_call>",
        between="",
    )

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the name of a call or the first tag behind it."""
        return _CUT.fullmatch(rest) is not None
