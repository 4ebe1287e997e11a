"""K2 Horizon (IFM): GLM's keys and values in tags of its own, with or without their types, or calls as JSON."""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Close, Marker, behind_blanks
from actionledger.reading.dialects.parts.optional_closers import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.verdicts import closing_tag, read_block
from actionledger.reading.dialects.parts.writing_tags import TagForms
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_ALL, _ALL_CLOSE = "<ifm|tool_calls>", "</ifm|tool_calls>"
_ONE, _ONE_CLOSE = "<ifm|tool_call>", "</ifm|tool_call>"
_CUT = re.compile(r"<ifm\|tool_call>\s*+[^\s<>{}\[\]|]++\s*+(?:<[\w/|]*+)?")


class _AsJson(Marked):
    """Each object between tags of its own, all of them in a group or one alone."""

    name: Literal["k2_horizon"] = "k2_horizon"
    closers: ClassVar[Mapping[str, str]] = {_ONE: _ONE_CLOSE, _ALL: _ALL_CLOSE}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the call, or the calls of a group; one that can't be read ends the group before it."""
        if marker.opening.label == _ONE:
            return super().read_values(marker, start)
        text, at = marker.source.text, start
        calls: list[Found] = []
        while text.startswith(_ONE, begin := behind_blanks(text, at, marker.end), marker.end):
            opening = Opening(OpeningKind.LITERAL, _ONE, begin, begin + len(_ONE))
            one = marker._replace(opening=opening, closer=_ONE_CLOSE, stops=(_ALL_CLOSE,))
            call = super().read_values(one, opening.end)
            if call is None or call.status is BlockStatus.MALFORMED:
                break
            calls.append(call)
            at = call.span.end
        return _grouped(marker, calls, at) if calls else self._without_calls(marker, begin)

    def _without_calls(self, marker: Marker, begin: int) -> Found | None:
        """The group has no call that can be read: that call is a block of its own, what is behind a cut is lost."""
        return None if begin < marker.end else marker.nothing_behind()


_AS_JSON = _AsJson()


def _grouped(marker: Marker, calls: list[Found], at: int) -> Found:
    """Return the block of a group whose calls end at ``at``."""
    close = closing_tag(marker.source.text, at, marker.end, _ALL_CLOSE, marker.options)
    if close.issue:
        return marker.malformed(close.issue, Close(at, at))
    return read_block(
        Span(marker.opening.start, close.end),
        Span(marker.opening.end, close.start),
        tuple(action for call in calls for action in call.actions),
        tuple(repair for call in calls for repair in call.repairs) + close.repairs,
        tuple(issue for call in calls for issue in call.issues),
    )


class K2Horizon(ParameterTags):
    """``<ifm|tool_call>`` with the name and an ``<ifm|arg_key>`` and an ``<ifm|arg_value>`` for each argument, or JSON.

    An ``<ifm|arg_type>`` between the two says what the value is. What stands between the tags of ``think`` is the
    model's thoughts.
    """

    name: Literal["k2_horizon"] = "k2_horizon"
    optional_closers: ClassVar[Mapping[str, str]] = {
        _ALL_CLOSE: CALLS_END,
        "}" + _ONE_CLOSE: VALUE_ENDS,
    }
    source = "K2 Horizon, tool calls as vLLM's and llama.cpp's parsers read them"
    rules = (
        (
            "All actions stand between <ifm|tool_calls> and </ifm|tool_calls>: each between <ifm|tool_call> and "
            "</ifm|tool_call>, its name first, then an <ifm|arg_key> and an <ifm|arg_value> for each argument."
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        "<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n"
        "<ifm|arg_value>Paris</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>"
    )
    mark = _ONE
    opening_form = _ONE
    grammar = TagGrammar(
        call=r"<ifm\|tool_call>\s*+(?P<name>[^\s<>{}\[\]|]++)\s*+(?=<ifm\|arg_key>|</ifm\|tool_call>)",
        stem="<ifm|arg_key>",
        parameter=(
            r"<ifm\|arg_key>(?P<key>[^<>\n]*)</ifm\|arg_key>\s*+"
            r"(?:<ifm\|arg_type>\s*+(?:(?:string|any)\b[^<>]*+|(?P<json>[^<>]*+))</ifm\|arg_type>\s*+)?+"
            r"<ifm\|arg_value>"
        ),
        parameter_closes="</ifm|arg_value>",
        call_closes=_ONE_CLOSE,
        value_opens="<ifm|arg_value>",
        groups={_ALL: _ALL_CLOSE},
    )
    forms = TagForms(
        parameter="<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
        call="<ifm|tool_call>{name}\n{parameters}</ifm|tool_call>",
        group="<ifm|tool_calls>\n{calls}\n</ifm|tool_calls>",
    )
    thought_markers: ClassVar[Mapping[str, str]] = {
        f"<ifm|{think}>": f"</ifm|{think}>" for think in ("think", "think_fast", "think_faster")
    }

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the name of a call or the first tag behind it."""
        return _CUT.fullmatch(rest) is not None

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the tags or the JSON, or pass over the thoughts, behind the opening tag; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        return (
            found
            if found or opening.label in self.thought_markers
            else _AS_JSON.read(source, opening, end, options)
        )
