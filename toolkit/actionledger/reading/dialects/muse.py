"""Muse Glimmer: ATEM tags in a message to the tool, thoughts in messages to itself."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.verdicts import as_example
from actionledger.reading.dialects.parts.writing_tags import TagForms
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_TO_ITSELF = "to=self"
_TO_USER = re.compile(
    r"to=user<\|message\|>(?:[^<t]++|<(?!\|(?:eom|eot|start)\|>)|(?<!\s)t|t(?!o=(?!self|user)[\w.-]{1,200}<\|message\|>))*+"
)
"""A message to the user, up to what ends it: a token, or the header of a message to a tool."""


_TO_TOOL = re.compile(
    r"(?:<\|start\|>[ ]?assistant[ ]++)?+to=(?!(?:self|user|commentary|developer)<)[\w.-]{1,200}+<\|message\|>\s*+(?=<atem:)"
)
"""The header of a message to a tool, before the tags of its calls."""

_FIRST = r"to=[\w.-]{1,200}+<\|message\|>\s*+<atem:"
_FURTHER = "<|start|>assistant"


class _ToUser:
    """The messages to the user in one text; they are looked for once."""

    def __init__(self) -> None:
        self._ends: list[int] | None = None
        self._starts: list[int] = []

    def holds(self, text: str, at: int) -> bool:
        if self._ends is None:
            found = list(_TO_USER.finditer(text))
            self._starts, self._ends = [each.start() for each in found], [each.end() for each in found]
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._ends[index]


class MuseGlimmer(ParameterTags):
    """``<atem:invoke name="NAME">`` with an ``<atem:parameter name="KEY">`` for each argument.

    Each call has tags of its own around it. A message ``to=self`` is the model's thoughts; calls in one
    ``to=user`` are shown.
    """

    name: Literal["muse_glimmer"] = "muse_glimmer"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</atem:function_calls>": CALLS_END,
    }
    source = "Muse Glimmer, chat template"
    rules = (
        (
            "An action stands between <atem:function_calls> and </atem:function_calls>: an <atem:invoke "
            'name="NAME">, with an <atem:parameter name="FIELD"> for each argument.'
        ),
        "Texts and numbers are written as they are, with their blanks; lists and objects as JSON.",
    )
    example = (
        '<atem:function_calls>\n<atem:invoke name="get_weather">\n'
        '<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
    )
    mark = "<atem:invoke "
    opening_form = '<atem:invoke name="'
    grammar = TagGrammar(
        call=r'<atem:invoke\s++name="(?P<name>[^"<>\n]*)"\s*+>',
        stem="<atem:parameter",
        parameter=r'<atem:parameter\s++name="(?P<key>[^"<>\n]*)"\s*+>',
        parameter_closes="</atem:parameter>",
        call_closes="</atem:invoke>",
        groups={"<atem:function_calls>": "</atem:function_calls>"},
    )
    forms = TagForms(
        parameter='<atem:parameter name="{key}">{value}</atem:parameter>\n',
        call=(
            '<atem:function_calls>\n<atem:invoke name="{name}">\n{parameters}</atem:invoke>\n'
            "</atem:function_calls>"
        ),
    )
    thought_markers: ClassVar[Mapping[str, str]] = {"<|message|>": "<|eom|>"}

    @property
    def literals(self) -> frozenset[str]:
        """The tags that open calls or thoughts, and the header of a message."""
        return super().literals | {_FURTHER}

    @property
    def line_patterns(self) -> frozenset[str]:
        """The header of the first message, whose beginning the template has written."""
        return frozenset({_FIRST})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or pass over the thoughts, that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE or opening.label == _FURTHER:
            return self._behind_header(source, opening, end, options)
        if opening.label in self.thought_markers and not source.text.endswith(_TO_ITSELF, 0, opening.start):
            return None
        found = super().read(source, opening, end, options)
        if found is None:
            return None
        is_shown = found.reason is not Reason.REASONING and source.memory(_ToUser).holds(
            source.text, opening.start
        )
        return as_example(found) if is_shown else _with_offered_names(found, source)

    def _behind_header(
        self, source: Source, opening: Opening, end: int, options: DecodeOptions
    ) -> Found | None:
        """Read the calls that the header of a message to a tool introduces; None where none follow."""
        text = source.text
        header = _TO_TOOL.match(text, opening.start, end)
        label = header and next(
            (tag for tag in (*self.grammar.groups, self.mark) if text.startswith(tag, header.end(), end)),
            None,
        )
        if not header or not label:
            return None
        first = Opening(OpeningKind.LITERAL, label, header.end(), header.end() + len(label))
        found = self.read(source, first, end, options)
        return found and found._replace(span=Span(opening.start, found.span.end))


def _with_offered_names(found: Found, source: Source) -> Found:
    """Return a block whose calls have the names that were offered: the template may write a name's namespace before it once more."""
    repairs: list[Repair] = []
    actions: list[Written] = []
    for action in found.actions:
        namespace, dot, _ = action.name.partition(".")
        if (
            source.names
            and dot
            and action.name not in source.names
            and action.name.removeprefix(f"{namespace}.") in source.names
        ):
            at = source.text.find(action.name, action.span.start)
            repairs.append(
                Repair(RepairKind.MODULE_PREFIX, Span(at, at + len(namespace) + 1), f"{namespace}.", "")
            )
            action = action._replace(name=action.name.removeprefix(f"{namespace}."))  # noqa: PLW2901
        actions.append(action)
    if not repairs:
        return found
    ordered = tuple(sorted([*found.repairs, *repairs], key=lambda repair: repair.span))
    status = BlockStatus.REPAIRED if found.status is BlockStatus.STRICT else found.status
    return found._replace(status=status, actions=tuple(actions), repairs=ordered)
