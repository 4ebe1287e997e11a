"""Step3: steptml tags within special tokens, or within a tag of their own; Step 3.5 and later write as Qwen3-Coder does."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Dialect
from actionledger.reading.dialects.parameter_tags import ParameterTags, Qwen3Coder
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.writing_tags import TagForms

_INVOKE = r'<steptml:invoke name="(?P<name>[^"<>\n]*)">'
_PARAMETER = r'<steptml:parameter name="(?P<key>[^"<>\n]*)">'


class _InTokens(ParameterTags):
    """``<｜tool_call_begin｜>`` with a ``<steptml:invoke>`` in it."""

    name: Literal["step3"] = "step3"
    mark = "<｜tool_call_begin｜>"
    opening_form = '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="'
    grammar = TagGrammar(
        call=rf"<｜tool_call_begin｜>\s*+(?:function)?+\s*+(?:<｜tool_sep｜>)?+\s*+{_INVOKE}",
        stem="<steptml:parameter",
        parameter=_PARAMETER,
        parameter_closes="</steptml:parameter>",
        call_closes="</steptml:invoke>",
        tail="<｜tool_call_end｜>",
        groups={"<｜tool_calls_begin｜>": "<｜tool_calls_end｜>"},
    )
    forms = TagForms(
        parameter='<steptml:parameter name="{key}">{value}</steptml:parameter>',
        call=(
            '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">{parameters}'
            "</steptml:invoke><｜tool_call_end｜>"
        ),
        group="<｜tool_calls_begin｜>{calls}<｜tool_calls_end｜>",
        between="",
    )


class _InTags(ParameterTags):
    """``<steptml:toolcall>`` with a ``<steptml:invoke>`` for each call."""

    name: Literal["step3"] = "step3"
    mark = '<steptml:invoke name="'
    opening_form = mark
    grammar = TagGrammar(
        call=_INVOKE,
        stem="<steptml:parameter",
        parameter=_PARAMETER,
        parameter_closes="</steptml:parameter>",
        call_closes="</steptml:invoke>",
        groups={"<steptml:toolcall>": "</steptml:toolcall>"},
    )


class Step3(Generations):
    """A ``<steptml:invoke>`` with a ``<steptml:parameter>`` for each argument, within special tokens or ``<steptml:toolcall>``."""

    name: Literal["step3"] = "step3"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<｜tool_call_end｜>": CALLS_END,
        "<｜tool_calls_end｜>": CALLS_END,
        "</steptml:toolcall>": CALLS_END,
        "</function></tool_call>": CALLS_END,
    }
    source = (
        "Step3 as vLLM's and SGLang's parsers read it; Step-DeepResearch, vLLM's parser; Step-3.5-Flash and Step-3.7-Flash, "
        "chat templates"
    )
    rules = (
        (
            "All actions stand between <｜tool_calls_begin｜> and <｜tool_calls_end｜>: each in a "
            "<steptml:invoke>, with a <steptml:parameter> for each argument."
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="get_weather"><steptml:parameter name="city">Paris</steptml:parameter>'
        "</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"
    )
    strings_only: ClassVar[bool] = True
    generations: ClassVar[tuple[Dialect, ...]] = (_InTokens(), _InTags(), Qwen3Coder())
