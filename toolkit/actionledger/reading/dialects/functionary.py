"""Functionary, and Llama 3.1's tags for tools of one's own: the tool's name before its arguments as JSON.

In generation 3.1 the name stands in a tag around them, in 3.2 behind three brackets on a line of its own.
"""

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
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_OPENER, _CLOSER = "<function=", "</function>"
_HEAD = re.compile(r"<function=(?P<name>[^<>\s]++)>\s*+(?=\{)")

_RECIPIENT = ">>>"
_ADDRESSED = re.compile(r">>>(?!all\s)(?P<name>[A-Za-z_][\w.-]*+)[ \t]*+\r?\n\s*+(?=\{)")
_FIRST = r"\A[A-Za-z_][\w.-]*+[ \t]*+\r?\n\s*+\{"
_CUT = re.compile(r">>>(?P<name>[A-Za-z_][\w.-]*+)[ \t]*+\r?\n\s*+\Z")


class Functionary(Dialect):
    """``<function=NAME>``, the arguments as a JSON object, ``</function>``; in generation 3.2 ``>>>NAME``, a line break and the object.

    There, what stands behind ``>>>all`` is the answer's text. The prompt ends with the first brackets, so that a response begins with
    a name; where that was offered and another message follows, it is a call.
    """

    name: Literal["functionary"] = "functionary"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</function>": VALUE_ENDS,
    }
    source = (
        "MeetKai's Functionary 3.1 and 3.2, prompt templates (llama31, llama3_v3); Llama 3.1, prompt format for "
        "user-defined custom tools"
    )
    rules = (
        "An action is its arguments as a JSON object between <function=NAME> and </function>.",
        "Several actions follow one another.",
    )
    example = '<function=get_weather>{"city": "Paris"}</function>'

    @property
    def literals(self) -> frozenset[str]:
        """The tag that opens a call, and what stands before whom a message is for."""
        return frozenset({_OPENER, _RECIPIENT})

    @property
    def line_patterns(self) -> frozenset[str]:
        """A name that the response begins with, and an object behind it."""
        return frozenset({_FIRST})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the object behind the name; parameters in tags are Qwen3-Coder's. See ``Dialect.read``."""
        if opening.label == _RECIPIENT:
            return self._read_message(Marker(source, opening, "", end, options))
        if opening.kind is OpeningKind.LINE:
            return _first_message(Marker(source, opening, "", end, options))
        head = _HEAD.match(source.text, opening.start, end)
        if head is None:
            return None
        found = _call(Marker(source, opening, _CLOSER, end, options), head["name"], head.end())
        return self.unless_quoted(found, source.text)

    def _read_message(self, marker: Marker) -> Found | None:
        """Read a message of generation 3.2, which ends with its object; more brackets than three are somebody else's."""
        text, start = marker.source.text, marker.opening.start
        if text.endswith(">", 0, start):
            return None
        if head := _ADDRESSED.match(text, start, marker.end):
            return self.unless_quoted(_call(marker, head["name"], head.end()), text)
        cut = _CUT.match(text, start, marker.end)
        is_due = cut is not None and marker.source.names is not None and cut["name"] in marker.source.names
        return marker.refused(Issue(Reason.TRUNCATED, marker.span), marker.end) if is_due else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call in a tag of its own; see ``Dialect.write``."""
        return "\n".join(f"<function={call.name}>{json_text(call.arguments)}{_CLOSER}" for call in calls)


def _first_message(marker: Marker) -> Found | None:
    """Read the message that the response begins with, if it is for a tool that was offered and a marked one follows it."""
    source, at = marker.source, marker.opening.end - 1
    name = marker.opening.label.split(maxsplit=1)[0]
    if not source.names or name not in source.names:
        return None
    found = _call(marker, name, at)
    return found if source.text.startswith(_RECIPIENT, found.span.end) else None


def _call(marker: Marker, name: str, at: int) -> Found:
    arguments = arguments_at(marker.source, at, marker.reach(at), marker.options)
    if isinstance(arguments, Issue):
        return marker.refused(arguments, at)
    close = marker.closing(arguments.end)
    if isinstance(close, Found):
        return close
    span = Span(marker.opening.start, close.end)
    written = Written(name, arguments.values, span)
    return read_block(
        span, Span(at, close.start), (written,), arguments.repairs + close.repairs, arguments.issues
    )
