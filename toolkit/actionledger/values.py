"""The values that travel from room to room: frozen, comparable, without behaviour of their own.

Every span counts Unicode code points of the raw response: ``raw[span.start:span.end]`` is exactly the text meant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from actionledger.vocabulary import (
    SENTENCES,
    ActionStatus,
    BlockStatus,
    DecisionKind,
    Evidence,
    ExecutionStatus,
    Outcome,
    Reason,
    RepairKind,
)

_Row = TypeVar("_Row", bound=NamedTuple)


def rows_of(kind: type[_Row], rows: Sequence[tuple[Any, ...]]) -> list[_Row]:
    """Return tuples as named tuples, made in C: a third of the time that calling the class for each takes.

    Args:
        kind: the named tuple.
        rows: all of its fields, in their order, those with a default too.

    Raises:
        TypeError: a field is missing.

    Example:
        >>> from actionledger.values import rows_of
        >>> rows_of(al.Span, [(0, 2), (3, 4)])
        [Span(start=0, end=2), Span(start=3, end=4)]
    """
    if rows:
        kind._make(rows[0])  # it counts the fields: the rows are all made in one place
    return list(map(row_maker(kind), rows))


def row_maker(kind: type[_Row]) -> Callable[[tuple[Any, ...]], _Row]:
    """Return what makes one named tuple of a tuple, in C: ``_make`` counts the fields first, in twice the time.

    Args:
        kind: the named tuple; what is handed in has all of its fields, in their order.
    """
    return partial(tuple.__new__, kind)


class Span(NamedTuple):
    """A stretch ``[start, end)`` of the raw response, in Unicode code points.

    Example:
        >>> al.Span(2, 5).of("a (b) c")
        '(b)'
    """

    start: int
    end: int

    def of(self, raw: str) -> str:
        """Return the text that this span covers in the response it was made for.

        Example:
            >>> al.Span(0, 2).of("漢字 and more")
            '漢字'
        """
        return raw[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Repair:
    """One change that made a text readable.

    Args:
        kind: which kind of change.
        span: where, in the raw response; empty where something was only added.
        before: the text that stood there.
        after: what it was read as.

    Example:
        >>> text = '<tool_call>{"name": "f", "arguments": {},}</tool_call>'
        >>> [repair] = al.parse(text, dialects=["hermes"]).repairs
        >>> str(repair.kind), repair.span, repair.before, repair.after
        ('trailing_comma', Span(start=40, end=41), ',', '')
    """

    kind: RepairKind
    span: Span
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is not as it was meant to be.

    Args:
        code: what is wrong.
        span: where, in the raw response; None where the lack of something is the matter.
        detail: the particulars that the code's sentence leaves open, for people.

    Example:
        >>> [issue] = al.parse("Well.", profile="mint").issues
        >>> str(issue.code), issue.span
        ('no_action_found', None)
    """

    code: Reason
    span: Span | None = None
    detail: str = ""

    @property
    def message(self) -> str:
        """The code's sentence with the particulars, for people."""
        return f"{SENTENCES[self.code]} {self.detail}".rstrip()


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
    """A field's value that was written in another type, and taken in the field's own without losing anything.

    Args:
        path: the field, as a JSON path without its root.
        before: the value as it was written, as JSON text of at most 200 characters.
        after: the value that it was taken as, likewise.
    """

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Block:
    """A candidate stretch of the response, read or not.

    Args:
        index: its place among the response's blocks, from 0.
        dialect: the dialect that claimed it.
        status: what came of reading it.
        span: all of it, fence or tags included.
        body: what stands between fence or tags.
        reason: why it is malformed or ignored; None otherwise.
        repairs: the changes that made it readable, in text order.
        issues: what is wrong with it, in text order.
        evidence: what says that it was meant, or not, where it stands without its format's own marks; None where it has
            them.

    Example:
        >>> result = al.parse("Hm. <execute>1 + 1</execute>", profile="mint")
        >>> [block] = result.blocks
        >>> str(block.status), block.span.of(result.text), block.body.of(result.text)
        ('strict', '<execute>1 + 1</execute>', '1 + 1')
    """

    index: int
    dialect: str
    status: BlockStatus
    span: Span
    body: Span
    reason: Reason | None = None
    repairs: tuple[Repair, ...] = ()
    issues: tuple[Issue, ...] = ()
    evidence: Evidence | None = None


class RawAction(NamedTuple):
    """One action as it was written, before anything checked it.

    Args:
        name: the action's name; empty where the text names none.
        arguments: its fields by name, as JSON values.
        span: the text that it came from.
        dialect: the dialect that read it.
        block: the index of its block.
        strings_only: whether the dialect can write nothing but strings (tags), so that ``"5"`` may mean 5.
        illustration: why it is shown rather than meant; None where it is meant.
        call_id: the identifier that the model gave it, if any.
        evidence: what says that it was meant, or not, where it stands without its format's own marks.
    """

    name: str
    arguments: dict[str, Any]
    span: Span
    dialect: str
    block: int
    strings_only: bool = False
    illustration: Reason | None = None
    call_id: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser found in one response, before any catalogue was asked.

    Args:
        text: the raw response.
        outcome: what came of reading it.
        blocks: the candidate stretches, in text order, never overlapping.
        actions: the actions as written, in text order.
        issues: all that is wrong, the blocks' own issues included, in text order.
        narrative: the response without the blocks that hold actions, blank lines folded.
        parser_id: the hash of the configuration that read it.
    """

    text: str
    outcome: Outcome
    blocks: tuple[Block, ...]
    actions: tuple[RawAction, ...]
    issues: tuple[Issue, ...]
    narrative: str
    parser_id: str


class Reference(NamedTuple):
    """A place in an action's arguments that stands for a value of another action's result.

    Args:
        field: where it stands, as a JSON path into the arguments without its root.
        action: the id of the action whose result is meant.
        path: where in that result the value is, as a JSON path without its root.
    """

    field: str
    action: str
    path: str


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
        reason: the first error's code, or why it is an illustration; None where it is valid.
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


@dataclass(frozen=True, slots=True)
class ParseResult:
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
            and then every named action counts as valid.

    Example:
        >>> result = al.parse("Hm. <execute>1 + 1</execute>", profile="mint")
        >>> str(result.outcome), result.narrative, len(result.valid_actions)
        ('clean', 'Hm.', 1)
        >>> result
        <ParseResult clean, read by mint: 1 action (execute valid), 1 block, 0 repairs, 0 issues in 28 characters>
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

    def __repr__(self) -> str:
        from actionledger.display.readings import reading_line  # noqa: PLC0415 - only where it is looked at

        return reading_line(self)

    def __str__(self) -> str:
        from actionledger.display.readings import reading_text  # noqa: PLC0415

        return reading_text(self)

    def _repr_html_(self) -> str:
        from actionledger.display.readings import reading_html  # noqa: PLC0415

        return reading_html(self)

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


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of one try at running an action.

    Args:
        execution_id: identifies the try.
        action_index: the call's place among its response's actions, from 0.
        name: the action's name.
        status: what came of it.
        reason: why it did not succeed; None where it did.
        result: what the handler returned, as a JSON value.
        message: one sentence for the model where it did not succeed; empty otherwise.
        duration_ms: how long it took, in milliseconds.
        errors: what its model refuses of the arguments that it was to run with.

    Example:
        >>> with al.Runtime("assistant") as runtime:
        ...     turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        >>> [seen] = turn.observations
        >>> seen.name, str(seen.status), seen.result["task_id"]
        ('create_task', 'succeeded', 1)
    """

    execution_id: str
    action_index: int
    name: str
    status: ExecutionStatus
    reason: Reason | None = None
    result: Any = None
    message: str = ""
    duration_ms: float = 0.0
    errors: tuple[FieldError, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """An action that waits, or has waited, for a decision.

    Args:
        approval_id: identifies it.
        session_id, turn_id: where it belongs.
        turn_index: the turn's place in its session, from 0.
        action_index: the action's place among its response's actions, from 0.
        profile, model: the session's.
        name: the action's name.
        arguments: what it is to run with, as JSON text of an object.
        content_hash: the hash of name, arguments and policy; a decision is about this content and no other.
        is_exact: False where a secret in the arguments was masked before they were recorded.
        requested_at: since when it waits, UTC without a zone.
        decision: what was decided; None while it waits.
        decided_by, why: who decided, and the reason that they gave; empty while it waits.
        decided_hash: the hash of the content that was decided on; empty while it waits.
        changed_arguments: what it is to run with instead, as JSON text of an object; empty where unchanged.
        decided_at: when, UTC without a zone; None while it waits.
        policy_version: the hash of the policy that asks.
        signature: what shows who made the decision, for whoever holds the same key; empty while it waits, and where
            nobody signed it.

    Example:
        >>> from datetime import datetime
        >>> waiting = al.Approval(
        ...     "a1", "s1", "t1", 0, 0, "coder", "qwen3", "read_file", '{"path": "x"}', "hash", True, datetime(2026, 1, 2)
        ... )
        >>> waiting.decision is None
        True
    """

    approval_id: str
    session_id: str
    turn_id: str
    turn_index: int
    action_index: int
    profile: str
    model: str
    name: str
    arguments: str
    content_hash: str
    is_exact: bool
    requested_at: datetime
    decision: DecisionKind | None = None
    decided_by: str = ""
    why: str = ""
    decided_hash: str = ""
    changed_arguments: str = ""
    decided_at: datetime | None = None
    policy_version: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One response and what followed: what ``Runtime.handle`` returns.

    Args:
        turn_id: identifies the turn.
        session_id: the session that it belongs to.
        index: its place in the session, from 0.
        result: what was read.
        observations: what came of each runnable action, in the order of the plan.
        feedback: what the model is told next.
        issues: all that kept something from being done: the text's issues, then refused actions and what is wrong with
            the plan, in the order of the actions.
        stopped: why the session should not go on without somebody who looks at it; empty where it may.

    Example:
        >>> with al.Runtime("assistant") as runtime:
        ...     turn = runtime.handle("Nothing to do.")
        >>> turn.index, str(turn.result.outcome), turn.observations
        (0, 'no_action', ())
    """

    turn_id: str
    session_id: str
    index: int
    result: ParseResult
    observations: tuple[Observation, ...] = field(default=())
    feedback: str = ""
    issues: tuple[Issue, ...] = ()
    stopped: str = ""

    def __repr__(self) -> str:
        from actionledger.display.readings import turn_line  # noqa: PLC0415 - only where it is looked at

        return turn_line(self)

    def __str__(self) -> str:
        from actionledger.display.readings import turn_text  # noqa: PLC0415

        return turn_text(self)

    def _repr_html_(self) -> str:
        from actionledger.display.readings import turn_html  # noqa: PLC0415

        return turn_html(self)
