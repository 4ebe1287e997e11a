"""Cohere's Command models: a JSON list of calls between special tokens, or in a fence behind ``Action:``."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.json_calls import Keys
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.thoughts import thoughts_behind
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_FENCE = re.compile(r"\s*+```(?:json)?+\s*+(?=[\[{])")


class _InTokens(Marked):
    """A list of calls between ``<|START_ACTION|>`` and ``<|END_ACTION|>``: Command R7B, Command A and later.

    What stands between ``<|START_THINKING|>`` and ``<|END_THINKING|>`` is the model's thoughts.
    """

    name: Literal["cohere"] = "cohere"
    closers: ClassVar[Mapping[str, str]] = {"<|START_ACTION|>": "<|END_ACTION|>"}
    thoughts: ClassVar[tuple[str, str]] = ("<|START_THINKING|>", "<|END_THINKING|>")
    keys: ClassVar[Keys] = Keys(("tool_name", "name"), ("parameters", "arguments"), "tool_call_id")

    @property
    def literals(self) -> frozenset[str]:
        """The opening tokens of calls and of thoughts."""
        return super().literals | {self.thoughts[0]}

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or pass over the thoughts, that begin here; see ``Dialect.read``."""
        if opening.label != self.thoughts[0]:
            return super().read(source, opening, end, options)
        return thoughts_behind(source, opening, self.thoughts[1], end)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls, each with its number if it has no identifier; see ``Dialect.write``."""
        objects = [
            {"tool_call_id": call.call_id or str(index), "tool_name": call.name, "parameters": call.arguments}
            for index, call in enumerate(calls)
        ]
        return f"<|START_ACTION|>{json_text(objects)}<|END_ACTION|>"


class _InFence(Marked):
    """A list of calls in a ``json`` fence behind a line ``Action:``: Command R and Command R+."""

    name: Literal["cohere"] = "cohere"
    closers: ClassVar[Mapping[str, str]] = {"Action:": "```"}
    keys: ClassVar[Keys] = Keys(("tool_name",), ("parameters",))

    @property
    def literals(self) -> frozenset[str]:
        """None: the label stands at the start of a line."""
        return frozenset()

    @property
    def line_patterns(self) -> frozenset[str]:
        """The label."""
        return frozenset({"Action:"})

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list in the fence; what has another shape in it is somebody else's."""
        fence = _FENCE.match(marker.source.text, start, marker.end)
        found = super().read_values(marker, fence.end()) if fence else None
        return None if found is None or found.reason is Reason.WRONG_SHAPE else found


class Cohere(Generations):
    """A JSON list of calls between ``<|START_ACTION|>`` and ``<|END_ACTION|>``, or in a fence behind ``Action:``."""

    name: Literal["cohere"] = "cohere"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|END_ACTION|>": VALUE_ENDS,
        "```": VALUE_ENDS,
    }
    source = "Command R and R+, Command R7B and Command A, chat templates"
    rules = (
        (
            "Actions are one JSON list between <|START_ACTION|> and <|END_ACTION|>: objects with "
            '"tool_call_id", "tool_name" and "parameters".'
        ),
    )
    example = (
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]'
        "<|END_ACTION|>"
    )
    generations: ClassVar[tuple[Dialect, ...]] = (_InTokens(), _InFence())
