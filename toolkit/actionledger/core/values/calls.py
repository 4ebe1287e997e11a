"""The offered tools, and the results of validation: calls, each with why it may run or not."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from actionledger.core.frozen import made_quickly
from actionledger.core.hooks import Shown
from actionledger.core.values.reading import Block, Issue, Repair, Span
from actionledger.core.vocabulary import SENTENCES, ActionStatus, Evidence, Outcome, Reason

if TYPE_CHECKING:
    from pydantic import BaseModel
else:
    BaseModel = Any  # pydantic is slow to import, and showing records needs none of it


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field of an action that its model refuses.

    Args:
        code: what is wrong.
        path: the field, as a JSON path without its root: ``issues.0.labels``; empty for the action itself.
        value: the value that was given, as JSON text of at most 200 characters; empty for a missing field.
        expected: what is allowed instead.

    Example:
        >>> text = al.render([("create_task", {"content": 7})], "actions")
        >>> [error] = al.parse(text, profile="assistant").actions[0].errors
        >>> str(error.code), error.path, error.value
        ('wrong_type', 'content', '7')
    """

    code: Reason
    path: str
    value: str
    expected: str

    @property
    def message(self) -> str:
        """The error as one sentence, for people."""
        where = f"{self.path}: " if self.path else ""
        got = f", got {self.value}" if self.value else ""
        return f"{where}{SENTENCES[self.code]} Expected {self.expected}{got}."


class Conversion(NamedTuple):
    """A value that was written in another type than its field's, and was converted without loss."""

    path: str  # the field, as a JSON path without its root
    before: str  # the written value, as JSON text of at most 200 characters
    after: str  # the converted value, likewise


class Reference(NamedTuple):
    """A place in an action's arguments for a value from another action's result."""

    field: str  # the place, as a JSON path into the arguments without its root
    action: str  # the id of the other action
    path: str  # the value's place in that result, as a JSON path without its root


class Offer(frozenset[str]):
    """The names of the offered tools with their parameters; arguments without names are matched by order.

    Args:
        parameters: for each tool the names of its parameters, in the schema's order.
        only_texts: for each tool that has one, the parameter that a bare text fills: its only required one, a string.
        own_texts: for each tool the parameters with the texts that the schema itself has for them, as a default or a choice.
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
        """Make the set of names."""
        made = super().__new__(cls, parameters)
        made.parameters = MappingProxyType(dict(parameters))
        made.only_texts = MappingProxyType(dict(only_texts or {}))
        made.own_texts = MappingProxyType(dict(own_texts or {}))
        return made


def parameters_of(names: frozenset[str], name: str) -> tuple[str, ...] | None:
    """Return a tool's parameters in the schema's order; None if unknown."""
    return names.parameters.get(name) if isinstance(names, Offer) else None


def only_text_of(names: frozenset[str] | None, name: str) -> str | None:
    """Return the parameter of a tool that a bare text fills; None if it has none or it is unknown."""
    return names.only_texts.get(name) if isinstance(names, Offer) else None


def is_own_text(names: frozenset[str] | None, name: str, parameter: str, text: str) -> bool:
    """Return whether a tool's schema has a text for a parameter, as a default or a choice."""
    return isinstance(names, Offer) and (parameter, text) in names.own_texts.get(name, ())


class ActionCall(NamedTuple):
    """One checked action; a tuple, since a response may have hundreds, and a frozen dataclass takes five times as long to make.

    Args:
        name: the action's name as written.
        arguments: its fields as JSON values, as written except for conversions and omitted fields.
        status: the result of checking it.
        span: its text in the response.
        dialect: the dialect that parsed it.
        block: the index of its block.
        action: the validated model; None if it isn't valid, if there was no catalogue, or if references still have to be resolved.
        repairs: the repairs of its block within its span.
        errors: the fields that its model rejects.
        reason: the first error's code, why it is an illustration, or why it needs approval; None if it is valid.
        call_id: the identifier that the model gave it, if any.
        references: the arguments that are resolved from other actions' results when it runs.
        conversions: the values that were written in another type; ``arguments`` has them in the field's own type.
        notes: the omitted fields, which don't keep it from running; the result's issues include them.
        strings_only: whether its dialect can only write strings.
        evidence: the evidence that it was meant, or not, if it lacks its format's own marks.

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
        """Why it never runs without a person's approval; None if it may."""
        return self.reason if self.status is ActionStatus.NEEDS_APPROVAL else None


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class ParseResult(Shown):
    """A reading with its actions checked: the result of ``actionledger.parse``.

    Args:
        text: the raw response.
        outcome: the outcome of parsing (the validity of actions is separate: see their status).
        actions: the calls, in text order.
        blocks: the candidate stretches, in text order, never overlapping.
        issues: everything wrong with the text, and omitted fields of actions, in text order.
        narrative: the response without the blocks of actions, with blank lines folded.
        parser_id: the hash of the parser's configuration.
        parser_name: the parser's name.
        catalogue: the name of the catalogue that the actions were checked against; None if there was none, then every named action is
            ``not_checked``.

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
        """All repairs of all blocks, in text order."""
        return tuple(repair for block in self.blocks for repair in block.repairs)

    @property
    def unread(self) -> tuple[Issue, ...]:
        """The issues of what the model meant or may have meant, in text order, without those of examples and data."""
        shown = {
            id(issue)
            for block in self.blocks
            if block.reason is Reason.EXAMPLE or block.reason is Reason.NOT_AN_ACTION
            for issue in block.issues
        }
        return tuple(issue for issue in self.issues if id(issue) not in shown)

    @property
    def reasoning(self) -> tuple[Span, ...]:
        """The spans of the model's reasoning, in text order."""
        return tuple(block.span for block in self.blocks if block.reason is Reason.REASONING)

    @property
    def valid_actions(self) -> tuple[ActionCall, ...]:
        """The calls that may be executed."""
        return tuple(call for call in self.actions if call.status.is_runnable)
