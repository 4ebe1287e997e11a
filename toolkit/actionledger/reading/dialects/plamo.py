"""Preferred Networks' PLaMo 3: tags around the calls, around each one, around its name and around its arguments."""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.sections import Head, Sections
from actionledger.reading.dialects.parts.writing import PlainCall, json_text


def _tag(name: str) -> str:
    return f"<|plamo:{name}:plamo|>"


_NAME, _NAMED, _ARGUMENTS = _tag("begin_tool_name"), _tag("end_tool_name"), _tag("begin_tool_arguments")
_HEAD = re.compile(
    rf"\s*+{re.escape(_NAME)}\s*+(?P<name>[^\s<>{{}}|]++)\s*+{re.escape(_NAMED)}\s*+{re.escape(_ARGUMENTS)}\s*+"
)
_CUT = re.compile(
    rf"\s*+(?:{re.escape(_NAME)}\s*+[^\s<>{{}}|]*+\s*+(?:{re.escape(_NAMED)}\s*+)?)?(?:<(?:\|[\w:]*+\|?+)?)?\Z"
)


class Plamo(Sections):
    """Each call has its name and its arguments, as a JSON object, in tags of their own."""

    name: Literal["plamo"] = "plamo"
    optional_closers: ClassVar[Mapping[str, str]] = {
        f"{_tag('end_tool_arguments')}{_tag('end_tool_request')}": VALUE_ENDS,
        _tag("end_tool_requests"): CALLS_END,
    }
    source = "Preferred Networks PLaMo 3, tool calls as a parser for vLLM reads them"
    rules = (
        (
            "Actions stand in one section; each is a request with its name and its arguments as a JSON object, every one "
            "of them between tags as in the example."
        ),
    )
    example = (
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
        '<|plamo:begin_tool_arguments:plamo|>{"city": "Paris"}<|plamo:end_tool_arguments:plamo|>'
        "<|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>"
    )
    section_begins: ClassVar[tuple[str, ...]] = (_tag("begin_tool_requests"),)
    section_end: ClassVar[str] = _tag("end_tool_requests")
    call_begin: ClassVar[str] = _tag("begin_tool_request")
    call_end: ClassVar[str] = _tag("end_tool_arguments") + _tag("end_tool_request")
    misplaced: ClassVar[re.Pattern[str]] = _HEAD

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read the name; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        if head := _HEAD.match(text, start, end):
            return Head(head["name"], head.end())
        return Issue(Reason.TRUNCATED, marker.span) if _CUT.match(text, start, end) else None

    def written(self, call: PlainCall, _index: int) -> str:
        """Return the name and the arguments, each between its tags."""
        return f"{_NAME}{call.name}{_NAMED}{_ARGUMENTS}{json_text(call.arguments)}"
