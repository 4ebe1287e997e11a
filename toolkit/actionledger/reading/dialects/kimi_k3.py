"""Kimi K3's XTML: tags of three special tokens, with escaped attributes; a parameter says its type."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_OTHER = r'\w++="[^"\n]*+"'
_CALL = (
    r'<\|open\|>call(?=[^<]*?\stool=")'
    rf'(?:\s++(?:tool="(?P<name>[^"\n]*+)"|{_OTHER}))++\s*+<\|sep\|>'
)
_ARGUMENT = (
    r'<\|open\|>argument(?=[^<]*?\skey=")'
    rf'(?:\s++(?:key="(?P<key>[^"\n]*+)"|type="(?:string|(?P<json>\w++))"|{_OTHER}))++\s*+<\|sep\|>'
)


class KimiK3(ParameterTags):
    """A call tag with the tool's name, and an argument tag with its key and its type for each argument.

    What stands between the tags of ``think`` is the model's thoughts.
    """

    name: Literal["kimi_k3"] = "kimi_k3"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|close|>tools<|sep|>": CALLS_END,
    }
    source = "Kimi K3, chat template"
    rules = (
        (
            "All actions stand between <|open|>tools<|sep|> and <|close|>tools<|sep|>: each in a call tag with its "
            "name and its number from 1, with an argument tag for each argument."
        ),
        'An argument with type="string" holds a text as it is, any other type JSON.',
    )
    example = (
        '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>"
    )
    strings_only: ClassVar[bool] = False
    mark = "<|open|>call "
    opening_form = '<|open|>call tool="'
    grammar = TagGrammar(
        call=_CALL,
        stem="<|open|>argument",
        parameter=_ARGUMENT,
        parameter_closes="<|close|>argument<|sep|>",
        call_closes="<|close|>call<|sep|>",
        groups={"<|open|>tools<|sep|>": "<|close|>tools<|sep|>"},
    )
    thought_markers: ClassVar[Mapping[str, str]] = {"<|open|>think<|sep|>": "<|close|>think<|sep|>"}

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or pass over the thoughts, that begin here; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        if found is None or not found.actions:
            return found
        return found._replace(actions=tuple(map(_unescaped, found.actions)))

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls between one pair of tags, numbered; see ``Dialect.write``."""
        written = "".join(_written(call, number) for number, call in enumerate(calls, start=1))
        return f"<|open|>tools<|sep|>{written}<|close|>tools<|sep|>"


def _unescaped(action: Written) -> Written:
    """Return an action whose name and parameters stood in attributes."""
    arguments = {_from_attribute(key): value for key, value in action.arguments.items()}
    return action._replace(name=_from_attribute(action.name), arguments=arguments)


def _from_attribute(text: str) -> str:
    return text.replace("&quot;", '"').replace("&amp;", "&")


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;")


def _written(call: PlainCall, number: int) -> str:
    arguments = (
        f'<|open|>argument key="{_attribute(key)}" type="{_type(value)}"<|sep|>{raw_text(value)}'
        "<|close|>argument<|sep|>"
        for key, value in call.arguments.items()
    )
    return (
        f'<|open|>call tool="{_attribute(call.name)}" index="{number}"<|sep|>{"".join(arguments)}'
        "<|close|>call<|sep|>"
    )


def _type(value: object) -> str:
    """Return what the format calls a value's type."""
    if value is None:
        return "null"
    types = {bool: "boolean", str: "string", dict: "object", list: "array"}
    return types.get(type(value), "number")
