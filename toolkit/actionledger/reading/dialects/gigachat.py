"""Sber's GigaChat: version 3 writes one call as JSON in a turn of its own, version 3.5 tags like DeepSeek's DSML."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text
from actionledger.reading.dialects.parts.writing_tags import TagForms


class GigaChat3(Marked):
    """A call object behind ``<|function_call|>``, or behind the name of the turn that it is: ``function call<|role_sep|>``."""

    name: Literal["gigachat3"] = "gigachat3"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|message_sep|>": "the model's end of turn, which servers take away",
    }
    source = "GigaChat3-10B-A1.8B, chat template; vLLM's and SGLang's parsers (the token of version 3.1)"
    rules = (
        'An action is <|function_call|> and a JSON object with "name" and "arguments".',
        "Several actions follow one another, each with the token.",
    )
    example = '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}'
    closers: ClassVar[Mapping[str, str]] = {
        "<|function_call|>": "<|message_sep|>",
        "function call<|role_sep|>": "<|message_sep|>",
    }
    may_stay_open: ClassVar[bool] = True

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call behind a token of its own; see ``Dialect.write``."""
        return "\n".join(f"<|function_call|>{json_text(call_object(call))}" for call in calls)


class GigaChat35(ParameterTags):
    """``<｜GCML｜invoke name="NAME">`` with a parameter tag for each argument, which says whether it is a string."""

    name: Literal["gigachat35"] = "gigachat35"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</｜GCML｜tool_calls>": CALLS_END,
    }
    source = "GigaChat3.5, chat template"
    rules = (
        (
            "All actions stand between one pair of <｜GCML｜tool_calls> tags: an invoke tag each, "
            "with a parameter tag for each argument."
        ),
        'A parameter with string="true" holds a text as it is, one with string="false" JSON.',
    )
    example = (
        '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="get_weather">\n'
        '<｜GCML｜parameter name="city" string="true">Paris</｜GCML｜parameter>\n'
        '<｜GCML｜parameter name="days" string="false">3</｜GCML｜parameter>\n'
        "</｜GCML｜invoke>\n</｜GCML｜tool_calls>"
    )
    strings_only: ClassVar[bool] = False
    mark = "<｜GCML｜invoke "
    opening_form = '<｜GCML｜invoke name="'
    grammar = TagGrammar(
        call=r'<｜GCML｜invoke\s++name="(?P<name>[^"<>\n]*)"\s*+>',
        stem="<｜GCML｜parameter",
        parameter=(
            r'<｜GCML｜parameter\s++name="(?P<key>[^"<>\n]*)"(?:\s++string="(?P<string>true|false)")?+\s*+>'
        ),
        parameter_closes="</｜GCML｜parameter>",
        call_closes="</｜GCML｜invoke>",
        groups={"<｜GCML｜tool_calls>": "</｜GCML｜tool_calls>"},
    )
    forms = TagForms(
        parameter='<｜GCML｜parameter name="{key}" string="{string}">{value}</｜GCML｜parameter>\n',
        call='<｜GCML｜invoke name="{name}">\n{parameters}</｜GCML｜invoke>',
        group="<｜GCML｜tool_calls>\n{calls}\n</｜GCML｜tool_calls>",
    )
