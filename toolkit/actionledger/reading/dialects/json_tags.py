"""JSON between tags or special tokens, nothing else: Hermes, Granite and Phi-4.

Several of them share an opening marker. Each block is one dialect's: ``<tool_call>`` with an object, or with a closed
list, is Hermes'; an unclosed list is Granite's. ``<|tool_call|>`` that is closed is Phi-4's, else Granite's.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks
from actionledger.reading.dialects.parts.optional_closers import VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text

_LIST = re.compile(r"\s*+(?:\[|\Z)")
_PART_OF_A_NAME = re.compile(r"[\w.]")


class Hermes(Marked):
    """Each ``<tool_call>…</tool_call>`` is a call, as a JSON object with ``name`` and ``arguments``."""

    name: Literal["hermes"] = "hermes"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</tool_call>": "vLLM's parser reads an object to the end of the text without it",
    }
    source = "Nous Research's function calling format; the chat templates of Hermes 2 Pro, Qwen2.5 and Qwen3"
    rules = (
        'An action is a JSON object with "name" and "arguments" between <tool_call> and </tool_call>.',
        "Several actions follow one another, each between tags of its own, and text may stand around them.",
    )
    example = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    closers: ClassVar[Mapping[str, str]] = {"<tool_call>": "</tool_call>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object or the closed list behind the tag; an unclosed list is Granite's."""
        found = super().read_values(marker, start)
        if not found or not _begins_list(marker, start):
            return found
        if found.status is BlockStatus.MALFORMED:
            return None if found.reason is Reason.TEXT_AFTER_VALUE else found
        is_cut = any(issue.code is Reason.TRUNCATED for issue in found.issues)
        return found if is_cut or found.span.end > found.body.end else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call between tags of its own; see ``Dialect.write``."""
        objects = (json_text(call_object(call)) for call in calls)
        return "\n".join(f"<tool_call>\n{written}\n</tool_call>" for written in objects)


class _GraniteList(Marked):
    """A list of calls behind ``<|tool_call|>`` (Granite 3.0) or ``<tool_call>`` (3.1 and later), closed by nothing."""

    name: Literal["granite"] = "granite"
    closers: ClassVar[Mapping[str, str]] = {"<|tool_call|>": "", "<tool_call>": ""}
    others: ClassVar[Mapping[str, str]] = {"<|tool_call|>": "<|/tool_call|>", "<tool_call>": "</tool_call>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list behind the marker, unless it is closed."""
        if marker.opening.label == "<tool_call>" and not _begins_list(marker, start):
            return None
        found = super().read_values(marker, start)
        if not found:
            return None
        text, closer = marker.source.text, self.others[marker.opening.label]
        if found.status is BlockStatus.MALFORMED:
            is_closed = marker.source.find(closer, marker.opening.end, found.span.end) >= 0
        else:
            is_closed = text.startswith(closer, behind_blanks(text, found.body.end, marker.end))
        return None if is_closed else found


class _GraniteObject(Marked):
    """Each ``<function_call>`` is followed by a call, as a JSON object, closed by nothing: granite-20b-functioncalling."""

    name: Literal["granite"] = "granite"
    closers: ClassVar[Mapping[str, str]] = {"<function_call>": ""}
    others: ClassVar[Mapping[str, str]] = {"<function_call>": "</function_call>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object behind the tag, unless the tag is closed."""
        if _begins_list(marker, start) and behind_blanks(marker.source.text, start, marker.end) < marker.end:
            return None
        found = super().read_values(marker, start)
        if found is None:
            return None
        at = behind_blanks(marker.source.text, found.body.end, marker.end)
        return None if marker.source.text.startswith(self.others[marker.opening.label], at) else found


class Granite(Generations):
    """A list of calls behind ``<|tool_call|>`` (Granite 3.0) or ``<tool_call>`` (3.1 and later), closed by nothing."""

    name: Literal["granite"] = "granite"
    optional_closers: ClassVar[Mapping[str, str]] = Hermes.optional_closers
    source = "IBM Granite 3, chat templates; Granite 4 (as Hermes) and granite-20b-functioncalling, vLLM's chat template and parsers"
    rules = (
        (
            "Actions are one JSON list behind <|tool_call|>, at the end of the response: objects with "
            '"name" and "arguments".'
        ),
    )
    example = '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]'
    generations: ClassVar[tuple[Dialect, ...]] = (_GraniteList(), Hermes(), _GraniteObject())


class Phi4(Marked):
    """A list of calls in ``<|tool_call|>…<|/tool_call|>``, or behind the word ``functools``, closed by nothing."""

    name: Literal["phi4"] = "phi4"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|/tool_call|>": VALUE_ENDS,
    }
    source = (
        "The special tokens of Microsoft Phi-4-mini; its chat template in vLLM, which asks for functools[…]"
    )
    rules = (
        (
            'Actions are one JSON list between <|tool_call|> and <|/tool_call|>: objects with "name" '
            'and "arguments".'
        ),
    )
    example = '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>'
    closers: ClassVar[Mapping[str, str]] = {"<|tool_call|>": "<|/tool_call|>", "functools[": ""}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list; where the word opens, its bracket is the list's."""
        opening = marker.opening
        if opening.label == "<|tool_call|>":
            return super().read_values(marker, start)
        if _PART_OF_A_NAME.match(marker.source.text[max(0, opening.start - 1) : opening.start]):
            return None
        return super().read_values(marker._replace(opening=opening._replace(end=start - 1)), start - 1)


def _begins_list(marker: Marker, start: int) -> bool:
    """Return whether a list begins here, or nothing does."""
    return _LIST.match(marker.source.text, start, marker.end) is not None
