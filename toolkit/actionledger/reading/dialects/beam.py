"""Beam: Harmony's messages with the recipient before the channel, and a tag for each argument in place of JSON.

`` to=NAME<|channel|>analysis <|constrain|>xml<|message|><rfl:parameter name="KEY">VALUE</rfl:parameter><|call|>``. The template
writes ``<|start|>assistant`` before the first message; the model does before each further one.
"""

from typing import Literal

from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.thoughts import thoughts_behind
from actionledger.reading.dialects.parts.writing_tags import TagForms
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_HEADER = r"to=(?P<name>[^\s<>]{1,200}+)<\|channel\|>analysis(?:[ ]?<\|constrain\|>xml)?+<\|message\|>"
_FIRST = _HEADER.replace("(?P<name>", "(?:")
_THOUGHTS = "<|channel|>analysis<|message|>"


class Beam(ParameterTags):
    """``to=NAME`` before the channel, and an ``<rfl:parameter name="KEY">`` for each argument; ``<|call|>`` ends the message.

    A message on the channel ``analysis`` without a recipient is the model's thoughts.
    """

    name: Literal["beam"] = "beam"
    source = "Beam, a response template as the tests of SMG's gateway have it; no checkpoint was seen"
    rules = (
        (
            "An action is a message of its own: to=NAME<|channel|>analysis <|constrain|>xml<|message|>, an "
            '<rfl:parameter name="FIELD"> for each argument, and <|call|>.'
        ),
        "Texts are written as they are; numbers, lists and objects as JSON. Blanks around a value are not part of it.",
    )
    example = (
        " to=get_weather<|channel|>analysis <|constrain|>xml<|message|>"
        '<rfl:parameter name="city">Paris</rfl:parameter><|call|>'
    )
    mark = "<|start|>assistant"
    opening_form = "<|start|>assistant to="
    grammar = TagGrammar(
        call=rf"(?:<\|start\|>[ ]?assistant[ ]++)?+{_HEADER}",
        stem="<rfl:parameter",
        parameter=r'<rfl:parameter\s++name="(?P<key>[^"<>\n]*)"\s*+>',
        parameter_closes="</rfl:parameter>",
        call_closes="<|call|>",
        spellings={"<|call|>": "<|end|>"},
    )
    forms = TagForms(
        parameter='<rfl:parameter name="{key}">{value}</rfl:parameter>',
        call=" to={name}<|channel|>analysis <|constrain|>xml<|message|>{parameters}<|call|>",
        between="<|start|>assistant",
    )

    @property
    def literals(self) -> frozenset[str]:
        """The tokens that a message of the assistant begins with: Harmony's own."""
        return frozenset({self.mark, "<|channel|>"})

    @property
    def line_patterns(self) -> frozenset[str]:
        """The header of the first message, whose beginning the template has written."""
        return frozenset({_FIRST})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the message that begins here, or pass over thoughts; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LITERAL and opening.label == "<|channel|>":
            if not source.text.startswith(_THOUGHTS, opening.start, end):
                return None
            begins = opening._replace(end=opening.start + len(_THOUGHTS))
            return thoughts_behind(source, begins, "<|end|>", end)
        found = super().read(source, opening, end, options)
        return found and found._replace(
            actions=tuple(each._replace(arguments=_stripped(each.arguments)) for each in found.actions)
        )

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within the header of a call."""
        return rest.startswith(self.opening_form) and "<|message|>" not in rest


def _stripped(arguments: dict[str, str]) -> dict[str, str]:
    return {name: value.strip() for name, value in arguments.items()}
