"""Xiaohongshu's dots: an invocation with a tag for each parameter, or a call as JSON, in tags of its own."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.writing_tags import TagForms
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_TAGS = {"<dots_function_call>": "</dots_function_call>"}


class _AsJson(Marked):
    name: Literal["dots"] = "dots"
    closers: ClassVar[Mapping[str, str]] = _TAGS


_AS_JSON = _AsJson()


class Dots(ParameterTags):
    """Each ``<invoke>`` in ``<dots_function_call>`` is a call, and so is a JSON object there."""

    name: Literal["dots"] = "dots"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</dots_function_call>": CALLS_END,
    }
    source = "rednote dots models, tool calls as SGLang's parser reads them"
    rules = (
        (
            "All actions stand between <dots_function_call> and </dots_function_call>: each in an <invoke "
            'name="NAME">, with a <parameter name="FIELD"> for each argument.'
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        '<dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        "</invoke>\n</dots_function_call>"
    )
    mark = "<dots_function_call>"
    stands_alone: ClassVar[bool] = False
    opening_form = '<invoke name="'
    grammar = TagGrammar(
        call=r"""<invoke\s++name\s*+=\s*+["']?+(?P<name>[^"'<>\n]*+)["']?+\s*+>""",
        stem="<parameter",
        parameter=r"""<parameter\s++name\s*+=\s*+["']?+(?P<key>[^"'<>\n]*+)["']?+\s*+>""",
        parameter_closes="</parameter>",
        call_closes="</invoke>",
        groups=_TAGS,
        line_breaks=True,
    )
    forms = TagForms(
        parameter='<parameter name="{key}">{value}</parameter>\n',
        call='<invoke name="{name}">\n{parameters}</invoke>',
        group="<dots_function_call>\n{calls}\n</dots_function_call>",
        wraps=True,
    )

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the tags, or the JSON, behind the opening tag; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        return found or _AS_JSON.read(source, opening, end, options)
