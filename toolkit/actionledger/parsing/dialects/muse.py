"""Muse Glimmer: ATEM tags in a message to the tool, thoughts in messages to itself."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.parsing.dialects.base import Found, Written
from actionledger.parsing.dialects.parameter_tags import ParameterTags
from actionledger.parsing.dialects.parts.call_tags import TagGrammar
from actionledger.parsing.dialects.parts.optional_closers import CALLS_END
from actionledger.parsing.dialects.parts.writing_tags import TagForms
from actionledger.parsing.scan.openings import Opening
from actionledger.parsing.scan.source import Source
from actionledger.tolerant_json.options import DecodeOptions
from actionledger.values import Repair, Span
from actionledger.vocabulary import BlockStatus, RepairKind

_TO_ITSELF = "to=self"


class MuseGlimmer(ParameterTags):
    """``<atem:invoke name="NAME">`` with an ``<atem:parameter name="KEY">`` for each argument.

    Each call has tags of its own around it. A message ``to=self`` is the model's thoughts.
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

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or pass over the thoughts, that begin here; see ``Dialect.read``."""
        if opening.label in self.thought_markers and not source.text.endswith(_TO_ITSELF, 0, opening.start):
            return None
        found = super().read(source, opening, end, options)
        return _with_offered_names(found, source) if found else None


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
