"""Calls in Python notation: bare lists of them, and lists or programs between special tokens."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.parsing.dialects.base import Dialect, Found
from actionledger.parsing.dialects.parts.marked import Marked
from actionledger.parsing.dialects.parts.markers import Marker, behind_blanks
from actionledger.parsing.dialects.parts.python_blocks import LIST, bare_list, list_behind, program_behind
from actionledger.parsing.dialects.parts.python_source import behind_comments, call_name
from actionledger.parsing.dialects.parts.writing import PlainCall, fenced, python_call, python_list
from actionledger.parsing.scan.openings import Opening, OpeningKind
from actionledger.parsing.scan.source import Source
from actionledger.tolerant_json.options import DecodeOptions
from actionledger.values import Span
from actionledger.vocabulary import BlockStatus, Reason


class Pythonic(Dialect):
    """A list of calls on lines of its own, or calls between ``<function_calls>`` tags, one a line."""

    name: Literal["pythonic"] = "pythonic"
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
    """A list of calls between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, in Python notation or as JSON."""

    name: Literal["lfm2"] = "lfm2"
    source = "Liquid AI, LFM2 documentation: tool use"
    rules = (
        (
            "Actions are one Python list of calls between <|tool_call_start|> and <|tool_call_end|>: "
            "each with its arguments by name, and literals as values."
        ),
    )
    example = '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>'
    closers: ClassVar[Mapping[str, str]] = {"<|tool_call_start|>": "<|tool_call_end|>"}

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


class MiniCpm(Dialect):
    """Calls in a Python fence between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, one a line.

    What stands between ``<|thought_start|>`` and ``<|thought_end|>`` is the model's thoughts.
    """

    name: Literal["minicpm"] = "minicpm"
    source = "MiniCPM3, chat template"
    rules = (
        (
            "Actions are Python calls in a python fence between <|tool_call_start|> and "
            "<|tool_call_end|>, one a line: with arguments by name, and literals as values."
        ),
    )
    example = '<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>'
    thoughts: ClassVar[tuple[str, str]] = ("<|thought_start|>", "<|thought_end|>")

    @property
    def literals(self) -> frozenset[str]:
        """The opening tokens of calls and of thoughts."""
        return frozenset({"<|tool_call_start|>", self.thoughts[0]})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or pass over the thoughts, that begin here; see ``Dialect.read``."""
        text = source.text
        if opening.label == self.thoughts[0]:
            close = source.find(self.thoughts[1], opening.end, end)
            span, body = Span(opening.start, close + len(self.thoughts[1])), Span(opening.end, close)
            found = Found(BlockStatus.IGNORED, span, body, reason=Reason.REASONING)
            return self.unless_quoted(found, text) if close >= 0 else None
        start = behind_blanks(text, opening.end, end)
        marker = Marker(source, opening, "<|tool_call_end|>", end, options)
        if text.startswith("```", start, end) or call_name(text, start, end):
            return self.unless_quoted(program_behind(marker, start), text)
        return None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one fence; see ``Dialect.write``."""
        program = fenced("python", "\n".join(map(python_call, calls)))
        return f"<|tool_call_start|>\n{program}\n<|tool_call_end|>"
