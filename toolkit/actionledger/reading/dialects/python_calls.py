"""Calls in Python notation: bare lists of them, and lists or programs between special tokens."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.python_blocks import LIST, bare_list, list_behind, program_behind
from actionledger.reading.dialects.parts.python_source import behind_comments, call_name
from actionledger.reading.dialects.parts.writing import PlainCall, python_list
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions


class Pythonic(Dialect):
    """A list of calls on lines of its own, or calls between ``<function_calls>`` tags, one a line."""

    name: Literal["pythonic"] = "pythonic"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</function_calls>": VALUE_ENDS,
    }
    source = "Llama 3.2's and Gemma 3's prompt formats for function calling; Olmo 3, chat template (the tags)"
    rules = (
        (
            "Actions are one Python list of calls, on lines of its own: each with its arguments by "
            "name, and literals as values."
        ),
    )
    example = '[get_weather(city="Paris"), get_time(zone="Europe/Paris")]'

    @property
    def line_patterns(self) -> frozenset[str]:
        """A bracket with a call behind it."""
        return frozenset({LIST})

    @property
    def literals(self) -> frozenset[str]:
        """The tag around calls."""
        return frozenset({"<function_calls>"})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return bare_list(source, opening, end, options)
        start = behind_comments(source.text, opening.end, end)
        marker = Marker(source, opening, "</function_calls>", end, options)
        if source.text.startswith("[", start, end) or call_name(source.text, start, end):
            return self.unless_quoted(program_behind(marker, start), source.text)
        return None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls; see ``Dialect.write``."""
        return python_list(calls)


class Llama4Pythonic(Dialect):
    """A list of calls, between ``<|python_start|>`` and ``<|python_end|>`` or on lines of its own."""

    name: Literal["llama4_pythonic"] = "llama4_pythonic"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|python_end|>": VALUE_ENDS,
    }
    source = "Llama 4, prompt format for zero-shot function calling"
    rules = (
        (
            "Actions are one Python list of calls between <|python_start|> and <|python_end|>: each "
            "with its arguments by name, and literals as values."
        ),
    )
    example = '<|python_start|>[get_weather(city="Paris")]<|python_end|>'

    @property
    def line_patterns(self) -> frozenset[str]:
        """A bracket with a call behind it."""
        return frozenset({LIST})

    @property
    def literals(self) -> frozenset[str]:
        """The opening token."""
        return frozenset({"<|python_start|>"})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the list that begins here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return bare_list(source, opening, end, options)
        start = behind_blanks(source.text, opening.end, end)
        marker = Marker(source, opening, "<|python_end|>", end, options)
        if start == end:
            return marker.nothing_behind()
        if not source.text.startswith("[", start, end):
            return None
        return self.unless_quoted(list_behind(marker, start), source.text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls between the tokens; see ``Dialect.write``."""
        return f"<|python_start|>{python_list(calls)}<|python_end|>"


class Lfm2(Marked):
    """A list of calls between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, in Python notation or as JSON.

    openPangu 1 has two unused tokens for them, ``[unused11]`` and ``[unused12]``.
    """

    name: Literal["lfm2"] = "lfm2"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|tool_call_end|>": VALUE_ENDS,
    }
    source = "Liquid AI, LFM2 documentation: tool use; openPangu 1 and 2 (JSON) as parsers for vLLM read them"
    rules = (
        (
            "Actions are one Python list of calls between <|tool_call_start|> and <|tool_call_end|>: "
            "each with its arguments by name, and literals as values."
        ),
    )
    example = '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>'
    closers: ClassVar[Mapping[str, str]] = {
        "<|tool_call_start|>": "<|tool_call_end|>",
        "[unused11]": "[unused12]",
    }

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list behind the token; fences and calls without brackets are MiniCPM's."""
        text, start = marker.source.text, behind_blanks(marker.source.text, start, marker.end)
        if re.compile(LIST).match(text, start, marker.end):
            return list_behind(marker, start)
        if text.startswith("```", start) or call_name(text, start, marker.end):
            return None
        return super().read_values(marker, start)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls in Python; see ``Dialect.write``."""
        return f"<|tool_call_start|>{python_list(calls)}<|tool_call_end|>"
