"""DeepSeek's special tokens, written with full-width bars and low lines: ``<｜tool▁calls▁begin｜>``.

Version 3 and R1 write what kind of tool it is, then its name and a fenced object; version 3.1 its name and the object.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.sections import Head, Sections
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, json_text

_NAME = r"[\w.:/@-]++"
_SEPARATED = re.compile(rf"\s*+(?P<left>{_NAME})?+\s*+<｜tool▁sep｜>(?P<gap>\s*+)(?P<first>\S?+)")
_CUT = re.compile(rf"\s*+(?P<left>{_NAME}|)(?:\s*+<(?:｜[^<>\s]*+)?)?\Z")
_WITHOUT_SEPARATOR = re.compile(rf"\s*+(?:{_NAME}\s*+(?:```|\{{)|[^\n<>｜]{{1,200}}+<｜tool▁sep｜>)")
_BEGINS_ARGUMENTS = frozenset('{["')
_CUT_FENCE = re.compile(r"`{1,2}\s*+\Z")
_NAMED = re.compile(rf"(?P<name>{_NAME})\s*+(?P<fence>```(?:json)?\s*+)?")


class _DeepSeek(Sections):
    section_begins: ClassVar[tuple[str, ...]] = ("<｜tool▁calls▁begin｜>",)
    section_end: ClassVar[str] = "<｜tool▁calls▁end｜>"
    call_begin: ClassVar[str] = "<｜tool▁call▁begin｜>"
    call_end: ClassVar[str] = "<｜tool▁call▁end｜>"
    misplaced: ClassVar[re.Pattern[str]] = _SEPARATED

    def head(self, marker: Marker) -> Head | Issue | None:
        """Read what stands around the separator; see ``Sections.head``."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        if separated := _SEPARATED.match(text, start, end):
            return self.separated_head(marker, separated)
        if cut := _CUT.match(text, start, end):
            return Issue(Reason.TRUNCATED, marker.span) if self.may_begin_with(cut["left"]) else None
        if _WITHOUT_SEPARATOR.match(text, start, end):
            return Issue(Reason.WRONG_SHAPE, marker.span, "Expected a name and <｜tool▁sep｜>.")
        return None

    @abstractmethod
    def separated_head(self, marker: Marker, separated: re.Match[str]) -> Head | Issue | None:
        """Read the head whose separator was found; None where it is the other version's."""

    @abstractmethod
    def may_begin_with(self, left: str) -> bool:
        """Return whether a call of this version may begin with a text that the end of the response cuts off."""


class DeepSeekV3(_DeepSeek):
    """``function``, the separator, the tool's name and its arguments in a ``json`` fence."""

    name: Literal["deepseek_v3"] = "deepseek_v3"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<｜tool▁call▁end｜>": VALUE_ENDS,
        "<｜tool▁calls▁end｜>": CALLS_END,
    }
    source = "The chat templates of DeepSeek-V3 and DeepSeek-R1"
    between: ClassVar[str] = "\n"
    rules = (
        (
            "All actions stand between <｜tool▁calls▁begin｜> and <｜tool▁calls▁end｜>: each with its name "
            "behind <｜tool▁sep｜>, and its arguments as a JSON object in a fence labelled json."
        ),
    )
    example = (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        '```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    )

    def separated_head(self, marker: Marker, separated: re.Match[str]) -> Head | Issue | None:
        """Read the name behind the separator, and the fence that opens behind it."""
        if separated["first"] in _BEGINS_ARGUMENTS:
            return None
        if not separated["first"]:
            return Issue(Reason.TRUNCATED, marker.span) if separated["left"] == "function" else None
        named = _NAMED.match(marker.source.text, separated.start("first"), marker.end)
        if not named:
            return Issue(Reason.WRONG_SHAPE, Span(*separated.span("first")), "Expected the tool's name.")
        if _CUT_FENCE.match(marker.source.text, named.end(), marker.end):
            return Issue(Reason.TRUNCATED, marker.span)
        return Head(named["name"], named.end(), is_fenced=bool(named["fence"]))

    def may_begin_with(self, left: str) -> bool:
        """Return whether it is the word that every call begins with, or the beginning of it."""
        return "function".startswith(left)

    def written(self, call: PlainCall, _index: int) -> str:
        """Return the head and the fenced arguments; see ``Sections.written``."""
        return f"function<｜tool▁sep｜>{call.name}\n{fenced('json', json_text(call.arguments))}"


class DeepSeekV31(_DeepSeek):
    """The tool's name, the separator and its arguments."""

    name: Literal["deepseek_v31"] = "deepseek_v31"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<｜tool▁call▁end｜>": VALUE_ENDS,
        "<｜tool▁calls▁end｜>": CALLS_END,
    }
    source = "The chat template of DeepSeek-V3.1"
    rules = (
        (
            "All actions stand between <｜tool▁calls▁begin｜> and <｜tool▁calls▁end｜>: each with its name, "
            "<｜tool▁sep｜> and its arguments as a JSON object."
        ),
    )
    example = (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    )

    def separated_head(self, marker: Marker, separated: re.Match[str]) -> Head | Issue | None:
        """Take the name before the separator."""
        if separated["first"] and separated["first"] not in _BEGINS_ARGUMENTS:
            return None
        if not separated["left"]:
            return Issue(Reason.MISSING_NAME, marker.span)
        if not separated["first"]:
            return Issue(Reason.TRUNCATED, marker.span) if separated["left"] != "function" else None
        return Head(separated["left"], separated.end("gap"))

    def may_begin_with(self, left: str) -> bool:
        """Return whether it is not the word that the calls of version 3 begin with."""
        return not left or left != "function"

    def written(self, call: PlainCall, _index: int) -> str:
        """Return the head and the arguments; see ``Sections.written``."""
        return f"{call.name}<｜tool▁sep｜>{json_text(call.arguments)}"
