"""IQuest Q1 and IQuest Coder 2: GLM's keys and values, each in tags of its own."""

import re
from typing import ClassVar, Literal

from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.writing_tags import TagForms


def _grammar(tag: str) -> TagGrammar:
    """Return the grammar of calls in tags of that name."""
    return TagGrammar(
        call=rf"<{tag}>\s*+(?P<name>[A-Za-z_][\w.:/-]*+)\s*+(?=<arg_key>|</{tag}>)",
        stem="<arg_key>",
        parameter=r"<arg_key>(?P<key>[^<>\n]*)</arg_key>\s*+<arg_value>",
        parameter_closes="</arg_value>",
        call_closes=f"</{tag}>",
        value_opens="<arg_value>",
    )


def _forms(tag: str) -> TagForms:
    """Return how calls in tags of that name are written."""
    return TagForms(
        parameter="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
        call=f"<{tag}>{{name}}{{parameters}}</{tag}>",
        between="",
    )


def _cut(tag: str) -> re.Pattern[str]:
    """Return what a call in tags of that name begins with up to its first argument."""
    return re.compile(rf"<{tag}>\s*+[A-Za-z_][\w.:/-]*+\s*+(?:<[\w/]*+)?")


def _rules(tag: str) -> tuple[str, ...]:
    return (
        (
            f"An action stands between <{tag}> and </{tag}>: its name, then an <arg_key> and an "
            "<arg_value> for each argument, without line breaks."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )


class _IQuest(ParameterTags):
    cut: ClassVar[re.Pattern[str]]

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the name of a call or the first tag behind it."""
        return self.cut.fullmatch(rest) is not None


class IQuestQ1(_IQuest):
    """``<iquest_tool_call>NAME`` with an ``<arg_key>`` and an ``<arg_value>`` for each argument."""

    name: Literal["iquest_q1"] = "iquest_q1"
    source = "IQuest Q1, tool calls as SGLang's parser reads them"
    rules = _rules("iquest_tool_call")
    example = (
        "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>"
    )
    mark = "<iquest_tool_call>"
    opening_form = "<iquest_tool_call>"
    grammar = _grammar("iquest_tool_call")
    forms = _forms("iquest_tool_call")
    cut = _cut("iquest_tool_call")


class IQuestCoder(_IQuest):
    """``<iquestcoder_tool_call>NAME`` with an ``<arg_key>`` and an ``<arg_value>`` for each argument."""

    name: Literal["iquest_coder"] = "iquest_coder"
    source = "IQuest Coder 2, tool calls as a parser for vLLM reads them; no checkpoint was seen"
    rules = _rules("iquestcoder_tool_call")
    example = (
        "<iquestcoder_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>"
        "</iquestcoder_tool_call>"
    )
    mark = "<iquestcoder_tool_call>"
    opening_form = "<iquestcoder_tool_call>"
    grammar = _grammar("iquestcoder_tool_call")
    forms = _forms("iquestcoder_tool_call")
    cut = _cut("iquestcoder_tool_call")
