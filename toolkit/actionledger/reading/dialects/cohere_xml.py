"""Cohere's tool calls in tags: ``<cofl:tool_call id="0" name="NAME">`` with a ``<cofl:value>`` for each argument."""

from collections.abc import Mapping, Sequence
from typing import Literal

from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.truncation import CALLS_END
from actionledger.reading.dialects.parts.value_trees import attributes, from_attribute, in_attribute
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions


class CohereXml(ParameterTags):
    """A tag for each call with its name, and one for each value, which says whether it is a text, JSON, a list or an object.

    What stands between ``<|START_THINKING|>`` and ``<|END_THINKING|>`` is the model's thoughts.
    """

    name: Literal["cohere_xml"] = "cohere_xml"
    optional_closers = {"</cofl:tool_calls>": CALLS_END}
    source = "Cohere Command with XML tool calls, as xgrammar's grammar cohere (style cohere_xml) has them; no checkpoint was seen"
    rules = (
        (
            "All actions stand between one pair of <cofl:tool_calls> tags, each in a <cofl:tool_call> with its number from 0 "
            "and its name, with a <cofl:value> for each argument."
        ),
        (
            'A value with type="raw" is a text as it is, one with type="json" a number, true, false or null; "list" and "dict" '
            "hold a <cofl:value> for each value in them, without a name in a list."
        ),
    )
    example = (
        '<cofl:tool_calls><cofl:tool_call id="0" name="get_weather">'
        '<cofl:value name="city" type="raw">Paris</cofl:value><cofl:value name="days" type="json">3</cofl:value>'
        "</cofl:tool_call></cofl:tool_calls>"
    )
    strings_only = False
    mark = "<cofl:tool_call "
    opening_form = '<cofl:tool_call id="'
    grammar = TagGrammar(
        call=r'<cofl:tool_call\s++id="(?P<id>[^"<>\n]*)"\s++name="(?P<name>[^"<>\n]*)"\s*+>',
        stem="<cofl:value",
        parameter=rf"<cofl:value{attributes(is_named=True)}",
        parameter_closes="</cofl:value>",
        call_closes="</cofl:tool_call>",
        groups={"<cofl:tool_calls>": "</cofl:tool_calls>"},
    )
    thought_markers = {"<|START_THINKING|>": "<|END_THINKING|>"}

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or skip the thoughts, that begin here; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        if found is None or not found.actions:
            return found
        return found._replace(
            actions=tuple(self._identified(source.text, action) for action in found.actions)
        )

    def _identified(self, text: str, action: Written) -> Written:
        """Return an action with its identifier, and with its arguments' names unescaped."""
        opens = self.grammar.call.match(text, action.span.start)
        arguments = {from_attribute(key): value for key, value in action.arguments.items()}
        return action._replace(arguments=arguments, call_id=(opens and opens["id"]) or None)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls between one pair of tags, numbered; see ``Dialect.write``."""
        written = "".join(
            f'<cofl:tool_call id="{call.call_id or number}" name="{call.name}">'
            f"{_named(call.arguments)}</cofl:tool_call>"
            for number, call in enumerate(calls)
        )
        return f"<cofl:tool_calls>{written}</cofl:tool_calls>"


def _named(values: Mapping[str, object]) -> str:
    return "".join(_written(value, f' name="{in_attribute(key)}"') for key, value in values.items())


def _written(value: object, name: str = "") -> str:
    match value:
        case str():
            kind, text = "raw", value
        case list() | tuple():
            kind, text = "list", "".join(map(_written, value))
        case dict():
            kind, text = "dict", _named(value)
        case _:
            kind, text = "json", json_text(value)
    return f'<cofl:value{name} type="{kind}">{text}</cofl:value>'
