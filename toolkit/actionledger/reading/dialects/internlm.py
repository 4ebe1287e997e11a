"""InternLM 2 and 3, Intern-S1: a JSON object between special tokens, behind the one that says it is for a plugin."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, begins, behind_blanks
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text

_PLUGIN = "<|plugin|>"


class InternLm(Marked):
    """Each ``<|action_start|><|plugin|>…<|action_end|>`` is a call, as a JSON object.

    Code for the interpreter, behind ``<|interpreter|>``, is none.
    """

    name: Literal["internlm"] = "internlm"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|action_end|>": VALUE_ENDS,
    }
    source = (
        "InternLM2, chat format; InternLM3 and Intern-S1, tool calls as vLLM's and SGLang's parsers read them"
    )
    rules = (
        (
            "An action is <|action_start|><|plugin|>, a JSON object with "
            '"name" and "parameters", and <|action_end|>.'
        ),
        "Several actions follow one another, each between tokens of its own.",
    )
    example = (
        '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>'
    )
    closers: ClassVar[Mapping[str, str]] = {"<|action_start|>": "<|action_end|>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object behind the plugin's token."""
        text, end = marker.source.text, marker.end
        at = behind_blanks(text, start, end)
        if text.startswith(_PLUGIN, at, end):
            return super().read_values(marker, at + len(_PLUGIN))
        if begins(_PLUGIN, text, at, end):
            return marker.refused(Issue(Reason.TRUNCATED, Span(at, end)), at)
        return marker.nothing_behind()

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call between tokens of its own; see ``Dialect.write``."""
        objects = (json_text(call_object(call, arguments="parameters")) for call in calls)
        return "\n".join(f"<|action_start|><|plugin|>\n{written}<|action_end|>" for written in objects)
