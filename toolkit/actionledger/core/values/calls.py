"""What a model was offered, and what checking gives: calls, each with why it may run or not."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from actionledger.core.frozen import made_quickly
from actionledger.core.hooks import Shown
from actionledger.core.values.fields import Conversion, FieldError, Reference
from actionledger.core.values.reading import Block, Issue, Repair, Span
from actionledger.core.vocabulary import ActionStatus, Evidence, Outcome, Reason

if TYPE_CHECKING:
    from pydantic import BaseModel
else:
    BaseModel = Any  # pydantic is slow to load, and who shows what is recorded needs none of it


class Offer(frozenset[str]):
    """The names of the tools, which know their parameters: arguments without names go by their order.

    Args:
        parameters: for each tool the names of its parameters, in the schema's order.
        only_texts: the parameter that a text by itself fills, for each tool that has one: the only one that is required, a
            string.
        own_texts: for each tool the parameters with the texts that the schema itself gives for them, as a default or a choice.
    """

    parameters: Mapping[str, tuple[str, ...]]
    only_texts: Mapping[str, str]
    own_texts: Mapping[str, frozenset[tuple[str, str]]]

    def __new__(
        cls,
        parameters: Mapping[str, tuple[str, ...]],
        only_texts: Mapping[str, str] | None = None,
        own_texts: Mapping[str, frozenset[tuple[str, str]]] | None = None,
    ) -> Self:
        """Make the set of the names."""
        made = super().__new__(cls, parameters)
        made.parameters = MappingProxyType(dict(parameters))
        made.only_texts = MappingProxyType(dict(only_texts or {}))
        made.own_texts = MappingProxyType(dict(own_texts or {}))
        return made


def parameters_of(names: frozenset[str], name: str) -> tuple[str, ...] | None:
    """Return a tool's parameters in the schema's order; None where nobody said which they are."""
    return names.parameters.get(name) if isinstance(names, Offer) else None


def only_text_of(names: frozenset[str] | None, name: str) -> str | None:
    """Return the parameter of a tool that a text by itself fills; None if it has none, or that is unknown."""
    return names.only_texts.get(name) if isinstance(names, Offer) else None


def is_own_text(names: frozenset[str] | None, name: str, parameter: str, text: str) -> bool:
    """Return whether a tool's schema itself gives a text for a parameter, as a default or a choice."""
    return isinstance(names, Offer) and (parameter, text) in names.own_texts.get(name, ())


class ActionCall(NamedTuple):
    """One action, checked; a tuple, since a response may have hundreds, and a frozen dataclass takes five times as long to make.

    Args:
        name: the action's name as written.
        arguments: its fields as JSON values: as written, but for what was converted or left out.
        status: what came of checking it.
        span: the text that it came from.
        dialect: the dialect that read it.
        block: the index of its block.
        action: the validated model; None where it isn't valid, where no catalogue was given, and where references
            are still to be filled in.
        repairs: the repairs of its block that lie within its span.
        errors: what its model refuses.
        reason: the first error's code, why it is an illustration, or why it needs approval; None where it is valid.
        call_id: the identifier that the model gave it, if any.
        references: what of its arguments is taken from other actions' results when it runs.
        conversions: what was written in another type, and is in ``arguments`` in the field's own.
        notes: what of it was left out, though it may run; the result's issues have them as well.
        strings_only: whether its dialect can write nothing but strings.
        evidence: what says that it was meant, or not, where it stands without its format's own marks.

    Example:
        >>> [call] = al.parse("<execute>1 + 1</execute>", profile="mint").actions
        >>> call.name, call.arguments, str(call.status)
        ('execute', {'code': '1 + 1'}, 'valid')
    """

    name: str
    arguments: dict[str, Any]
    status: ActionStatus
    span: Span
    dialect: str
    block: int
    action: BaseModel | None = None
    repairs: tuple[Repair, ...] = ()
    errors: tuple[FieldError, ...] = ()
    reason: Reason | None = None
    call_id: str | None = None
    references: tuple[Reference, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    notes: tuple[Issue, ...] = ()
    strings_only: bool = False
    evidence: Evidence | None = None

    @property
    def doubt(self) -> Reason | None:
        """Why it never runs without a person's approval; None where it may."""
        return self.reason if self.status is ActionStatus.NEEDS_APPROVAL else None


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class ParseResult(Shown):
    """A reading with its actions checked: what ``actionledger.parse`` returns.

    Args:
        text: the raw response.
        outcome: what came of reading it (whether its actions are valid is another question: see their status).
        actions: the calls, in text order.
        blocks: the candidate stretches, in text order, never overlapping.
        issues: all that is wrong with the text, and the fields of actions that were left out, in text order.
        narrative: the response without the blocks that hold actions, blank lines folded.
        parser_id: the hash of the parser's configuration.
        parser_name: the parser's name.
        catalogue: the name of the catalogue that the actions were checked against; None where none was given,
            and then every named action is ``not_checked``.

    Example:
        >>> result = al.parse("Hm. <execute>1 + 1</execute>", profile="mint")
        >>> str(result.outcome), result.narrative, len(result.valid_actions)
        ('clean', 'Hm.', 1)
        >>> result
        <ParseResult parsed, read by mint: 1 action (execute valid), 1 block, 0 repairs, 0 issues in 28 characters>
    """

    text: str
    outcome: Outcome
    actions: tuple[ActionCall, ...]
    blocks: tuple[Block, ...]
    issues: tuple[Issue, ...]
    narrative: str
    parser_id: str
    parser_name: str
    catalogue: str | None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Every repair of every block, in text order."""
        return tuple(repair for block in self.blocks for repair in block.repairs)

    @property
    def unread(self) -> tuple[Issue, ...]:
        """The issues of what the model meant or may have meant, in text order: not those of examples and of data."""
        shown = {
            id(issue)
            for block in self.blocks
            if block.reason is Reason.EXAMPLE or block.reason is Reason.NOT_AN_ACTION
            for issue in block.issues
        }
        return tuple(issue for issue in self.issues if id(issue) not in shown)

    @property
    def reasoning(self) -> tuple[Span, ...]:
        """The stretches that the model thought to itself, in text order."""
        return tuple(block.span for block in self.blocks if block.reason is Reason.REASONING)

    @property
    def valid_actions(self) -> tuple[ActionCall, ...]:
        """The calls that may go on to be executed."""
        return tuple(call for call in self.actions if call.status.is_runnable)
