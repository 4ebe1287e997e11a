"""Apertus: a list of objects between special tokens, each of which has the tool's name as its only key."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Written
from actionledger.reading.dialects.parts.json_calls import arguments_of, whole_items
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.tolerant_json import Decoded

_SHAPE = (
    "Expected a list of objects, each with the tool's name as its only key and an object with the arguments."
)


class Apertus(Marked):
    """A list of ``{NAME: {arguments}}`` between ``<|tools_prefix|>`` and ``<|tools_suffix|>``.

    What stands between ``<|inner_prefix|>`` and ``<|inner_suffix|>`` is the model's thoughts.
    """

    name: Literal["apertus"] = "apertus"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|tools_suffix|>": VALUE_ENDS,
    }
    source = "Apertus 2509, chat template"
    rules = (
        (
            "Actions are one JSON list between <|tools_prefix|> and <|tools_suffix|>: for each an object whose "
            "only key is its name, with its arguments as an object."
        ),
    )
    example = '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>'
    closers: ClassVar[Mapping[str, str]] = {"<|tools_prefix|>": "<|tools_suffix|>"}
    thought_markers: ClassVar[Mapping[str, str]] = {"<|inner_prefix|>": "<|inner_suffix|>"}

    def calls_in(self, values: Sequence[Decoded]) -> tuple[list[Written], list[Issue]] | Issue:
        """Return the calls that values hold, each named by its key."""
        written: list[Written] = []
        for item, span in whole_items(values):
            if not isinstance(item, dict) or len(item) != 1:
                return Issue(Reason.WRONG_SHAPE, span, _SHAPE)
            [(name, held)] = item.items()
            arguments = arguments_of(held)
            if arguments is None or not name.strip():
                return Issue(Reason.WRONG_SHAPE, span, _SHAPE)
            written.append(Written(name, arguments, span))
        return written, []

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls between the tokens; see ``Dialect.write``."""
        return f"<|tools_prefix|>{json_text([{call.name: call.arguments} for call in calls])}<|tools_suffix|>"
