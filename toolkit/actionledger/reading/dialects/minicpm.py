"""MiniCPM: Python calls in a fence between special tokens, or an XML tag for each call with one for each parameter."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.python_blocks import program_behind
from actionledger.reading.dialects.parts.python_source import call_name
from actionledger.reading.dialects.parts.thoughts import thoughts_behind
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, python_call
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_GAP = "(?:\\s++|Ġ)?+"
"""What stands before an attribute: nothing where a tokenizer's mark for a blank is lost, or the mark itself."""

_FUNCTION = rf"""<function{_GAP}name=["'](?P<name>[^"'<>\n]*)["'][^<>\n]*+>"""
_PARAMETER = rf"""<param{_GAP}name=["'](?P<key>[^"'<>\n]*)["']\s*+>"""


class _InFence(Dialect):
    """Calls in a Python fence between ``<|tool_call_start|>`` and ``<|tool_call_end|>``: MiniCPM3.

    What stands between ``<|thought_start|>`` and ``<|thought_end|>`` is the model's thoughts.
    """

    name: Literal["minicpm"] = "minicpm"
    thoughts: ClassVar[tuple[str, str]] = ("<|thought_start|>", "<|thought_end|>")

    @property
    def literals(self) -> frozenset[str]:
        """The opening tokens of calls and of thoughts."""
        return frozenset({"<|tool_call_start|>", self.thoughts[0]})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or pass over the thoughts, that begin here; see ``Dialect.read``."""
        text = source.text
        if opening.label == self.thoughts[0]:
            return thoughts_behind(source, opening, self.thoughts[1], end)
        start = behind_blanks(text, opening.end, end)
        marker = Marker(source, opening, "<|tool_call_end|>", end, options)
        if text.startswith("```", start, end) or call_name(text, start, end):
            return self.unless_quoted(program_behind(marker, start), text)
        return None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one fence; see ``Dialect.write``."""
        program = fenced("python", "\n".join(map(python_call, calls)))
        return f"<|tool_call_start|>\n{program}\n<|tool_call_end|>"


class _InXml(ParameterTags):
    """``<function name="NAME">`` with a ``<param name="KEY">`` for each argument: MiniCPM4 and MiniCPM5."""

    name: Literal["minicpm"] = "minicpm"
    mark = "<function name="
    opening_form = mark
    grammar = TagGrammar(
        call=_FUNCTION,
        stem="<param",
        parameter=_PARAMETER,
        parameter_closes="</param>",
        call_closes="</function>",
        line_breaks=True,
        is_xml=True,
    )

    @property
    def literals(self) -> frozenset[str]:
        """The tag that opens a call, with the blank in it, without it and with a tokenizer's mark for it."""
        return frozenset({self.mark, "<functionname=", "<functionĠname="})


class _InXmlOfBefore(_InXml):
    """The same with the parameters in an ``<arguments>`` tag."""

    grammar = TagGrammar(
        call=rf"{_FUNCTION}\s*+<arguments>",
        stem="<param",
        parameter=_PARAMETER,
        parameter_closes="</param>",
        call_closes="</arguments>",
        tail="</function>",
        line_breaks=True,
        is_xml=True,
    )


class MiniCpm(Generations):
    """Calls in a Python fence between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, or each in a ``<function name="NAME">``."""

    name: Literal["minicpm"] = "minicpm"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|tool_call_end|>": VALUE_ENDS,
    }
    source = "MiniCPM3, chat template; MiniCPM4 and MiniCPM5 (XML) as SGLang's and vLLM's parsers read them"
    rules = (
        (
            "Actions are Python calls in a python fence between <|tool_call_start|> and "
            "<|tool_call_end|>, one a line: with arguments by name, and literals as values."
        ),
    )
    example = '<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>'
    generations: ClassVar[tuple[Dialect, ...]] = (_InFence(), _InXmlOfBefore(), _InXml())
