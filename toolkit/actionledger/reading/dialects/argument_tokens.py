"""Special tokens around each argument: Upstage's Solar Open and Kimi K3's XTML."""

from collections.abc import Sequence
from typing import Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagForms, TagGrammar
from actionledger.reading.dialects.parts.marked import Head, Sections
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.truncation import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, json_text, raw_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_CUT = regex(r"<\|tool_call:start\|>[ \t]*+[^\s<>|]++\s*+(?:<(?:\|[\w:]*+\|?)?)?")
_HEAD = regex(
    r"[ \t]*+(?P<id>[^\s<>{}|]*+)[ \t]*+<\|tool_call:name\|>\s*+(?P<name>[^\s<>{}|]++)\s*+<\|tool_call:args\|>\s*+"
)
_HEAD_CUT = regex(
    r"[ \t]*+[^\s<>{}|]*+[ \t]*+(?:<\|tool_call:name\|>\s*+[^\s<>{}|]*+\s*+)?(?:<(?:\|[\w:]*+\|?+)?)?\Z"
)


class SolarOpen(Sections):
    """Each call has an identifier, its name and its arguments as a JSON object, each behind a token of its own."""

    name: Literal["solar_open"] = "solar_open"
    optional_closers = {
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
    section_begins = ("<|tool_calls|>",)
    section_end = "<|calls|>"
    may_stay_open = True
    call_begin = "<|tool_call:begin|>"
    call_end = "<|tool_call:end|>"
    misplaced = _HEAD

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the identifier and the name; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        if head := _HEAD.match(text, start, end):
            return Head(head["name"], head.end(), head["id"] or None)
        return Issue(Reason.TRUNCATED, marker.span) if _HEAD_CUT.match(text, start, end) else None

    def written(self, call: PlainCall, index: int) -> str:
        """Return the identifier, the name and the arguments, each after its token."""
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
    thought_markers = {"<|think:start|>": "<|think:end|>"}

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within a call's name or the first token after it."""
        return _CUT.fullmatch(rest) is not None


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
    optional_closers = {"<|close|>tools<|sep|>": CALLS_END}
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
    strings_only = False
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
    thought_markers = {"<|open|>think<|sep|>": "<|close|>think<|sep|>"}

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or skip the thoughts, that begin here; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        if found is None or not found.actions:
            return found
        return found._replace(actions=tuple(map(_unescaped, found.actions)))

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls between one pair of tags, numbered; see ``Dialect.write``."""
        written = "".join(_written(call, number) for number, call in enumerate(calls, start=1))
        return f"<|open|>tools<|sep|>{written}<|close|>tools<|sep|>"


def _unescaped(action: Written) -> Written:
    """Return an action with its name and parameters, which are attributes, unescaped."""
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
    """Return the format's name for a value's type."""
    if value is None:
        return "null"
    types = {bool: "boolean", str: "string", dict: "object", list: "array"}
    return types.get(type(value), "number")
