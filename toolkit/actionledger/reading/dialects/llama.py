"""Llama 3's calls: a bare object with ``name`` and ``parameters``, or several with semicolons between them.

Beside that the models know two forms: the name in a tag with the arguments behind it, and a built-in tool as a Python call.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.reading.dialects.bare_json import read_line
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.bare_calls import BareRule
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.json_calls import Keys
from actionledger.reading.dialects.parts.json_values import BARE_OBJECT, arguments_at
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks, loose_end
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.python_blocks import next_marker, unread
from actionledger.reading.dialects.parts.python_source import NoCallError, call_name, read_call
from actionledger.reading.dialects.parts.verdicts import read_block
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_BUILT_IN = ".call"
_NAMED = re.compile(r"(?P<name>[^<>{}\s=]++)>(?=\s*+\{)")
_ON_A_LINE = re.compile(r"[ \t]*+(?:[;,]\s*+)?+")
"""What stands between two objects that begin a line: a semicolon, or nothing at all."""


class _Objects(Marked):
    """A bare call object at the start of a line, or behind ``<|python_tag|>``, where a built-in tool may be called as well."""

    name: Literal["llama3_json"] = "llama3_json"
    closers: ClassVar[Mapping[str, str]] = {"<|python_tag|>": ""}
    holds_several: ClassVar[bool] = True
    gap: ClassVar[re.Pattern[str]] = re.compile(r"\s*+;?+\s*+")
    rule: ClassVar[BareRule] = BareRule(Keys(("name",), ("parameters", "arguments")), maps=False)

    @property
    def line_patterns(self) -> frozenset[str]:
        """An object at the start of a line."""
        return frozenset({BARE_OBJECT})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the objects that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return read_line(self.rule, source, opening, end, options, _ON_A_LINE)
        return super().read(source, opening, end, options)

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the objects, or the call of a built-in tool, behind the token."""
        start = behind_blanks(marker.source.text, start, marker.end)
        if call_name(marker.source.text, start, marker.end).endswith(_BUILT_IN):
            return _built_in(marker, start)
        return super().read_values(marker, start)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write bare objects with semicolons between them; see ``Dialect.write``."""
        return "; ".join(json_text(call_object(call, arguments="parameters")) for call in calls)


def _built_in(marker: Marker, start: int) -> Found:
    """Read the call of a built-in tool: ``brave_search.call(query="…")``."""
    text, end = marker.source.text, next_marker(marker)
    try:
        call = read_call(text, start, end, marker.options)
    except NoCallError as error:
        return unread(marker, error, start)
    at = call.span.end
    span, body = Span(marker.opening.start, loose_end(text, at, marker.end)), Span(marker.opening.end, at)
    return read_block(span, body, (Written(call.name.removesuffix(_BUILT_IN), call.arguments, call.span),))


class _NamedInTag(Dialect):
    """``<function=NAME>`` with the arguments as a JSON object behind it, up to ``</function>``."""

    name: Literal["llama3_json"] = "llama3_json"

    @property
    def literals(self) -> frozenset[str]:
        """The tag up to the name."""
        return frozenset({"<function="})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the call whose tag opens here; see ``Dialect.read``."""
        head = _NAMED.match(source.text, opening.end, end)
        if head is None:
            return None
        marker = Marker(source, opening, "</function>", end, options)
        at = behind_blanks(source.text, head.end(), end)
        arguments = arguments_at(source, at, marker.reach(at), options)
        if isinstance(arguments, Issue):
            return self.unless_quoted(marker.refused(arguments, at), source.text)
        close = marker.closing(arguments.end)
        if isinstance(close, Found):
            return self.unless_quoted(close, source.text)
        span, body = Span(opening.start, close.end), Span(head.end(), close.start)
        action = Written(head["name"], arguments.values, span)
        found = read_block(span, body, (action,), arguments.repairs + close.repairs, arguments.issues)
        return self.unless_quoted(found, source.text)


class Llama3Json(Generations):
    """A bare call object at the start of a line, or behind ``<|python_tag|>``; or ``<function=NAME>`` with an object behind it."""

    name: Literal["llama3_json"] = "llama3_json"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</function>": VALUE_ENDS,
    }
    source = "Llama 3.1 and 3.2, chat templates, JSON based tool calling; Llama 3.1, prompt formats for custom and built-in tools"
    rules = (
        (
            'An action is a JSON object with "name" and "parameters", at the start of a line and with '
            "nothing behind it."
        ),
        "Several actions stand on one line, a semicolon between them.",
    )
    example = '{"name": "get_weather", "parameters": {"city": "Paris"}}'
    generations: ClassVar[tuple[Dialect, ...]] = (_Objects(), _NamedInTag())
