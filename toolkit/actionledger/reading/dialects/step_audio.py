"""Step-Audio 2: the word ``function``, the tool's name and its arguments in ``<tool_call>``, each on a line of its own."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_values import arguments_at
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.verdicts import read_block
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_OPENER, _CLOSER = "<tool_call>", "</tool_call>"
_HEAD = re.compile(r"\s*+function[ \t]*+\n[ \t]*+(?P<name>[\w.:/@-]++)[ \t]*+(?:\n\s*+|\Z)")
_CUT = re.compile(r"\s*+function[ \t]*+\n[ \t]*+\Z")


class StepAudio(Dialect):
    """``<tool_call>function``, the tool's name on the next line and its arguments behind it."""

    name: Literal["step_audio"] = "step_audio"
    optional_closers: ClassVar[Mapping[str, str]] = {_CLOSER: VALUE_ENDS}
    source = "Step-Audio 2, tool calls as a parser for vLLM reads them; no checkpoint was seen"
    rules = (
        (
            "An action stands between <tool_call> and </tool_call>: the word function, the tool's name and its arguments "
            "as a JSON object, each on a line of its own."
        ),
        "Several actions follow one another, each between tags of its own.",
    )
    example = '<tool_call>function\nget_weather\n{"city": "Paris"}</tool_call>'

    @property
    def literals(self) -> frozenset[str]:
        """The opening tag."""
        return frozenset({_OPENER})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the call that begins here; see ``Dialect.read``."""
        marker = Marker(source, opening, _CLOSER, end, options, may_stay_open=self.may_stay_open)
        found = self._call(marker)
        return self.unless_quoted(found, source.text) if found else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call between tags of its own; see ``Dialect.write``."""
        return "\n".join(
            f"{_OPENER}function\n{call.name}\n{json_text(call.arguments)}{_CLOSER}" for call in calls
        )

    def _call(self, marker: Marker) -> Found | None:
        """Return the call behind the tag; None where it is another dialect's, or mentioned."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        head = _HEAD.match(text, start, end)
        is_cut = head.end() == end if head else _CUT.match(text, start, end) is not None
        if is_cut and at_line_start(text, marker.opening.start):
            return marker.refused(Issue(Reason.TRUNCATED, Span(marker.opening.start, end)), start)
        if head is None or is_cut:
            return None
        arguments = arguments_at(marker.source, head.end(), marker.reach(head.end()), marker.options)
        if isinstance(arguments, Issue):
            return marker.refused(arguments, head.end())
        close = marker.closing(arguments.end)
        if isinstance(close, Found):
            return close
        span = Span(marker.opening.start, close.end)
        written = (Written(head["name"], arguments.values, span),)
        repairs = arguments.repairs + close.repairs
        return read_block(span, Span(start, close.start), written, repairs, arguments.issues)
