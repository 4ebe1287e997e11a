"""Events of parse attempts: the blocks, actions and issues that a parser found in a response."""

from dataclasses import dataclass
from typing import Literal

from actionledger.core.events.base import BigInt, Id, JsonObject, TurnEvent, Word
from actionledger.core.frozen import made_quickly
from actionledger.core.values import Block, Conversion, FieldError, Issue, Span
from actionledger.core.vocabulary import ActionStatus, Capture, Evidence, Outcome, Reason, RunKind


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRecord:
    """One checked action as it is recorded.

    Args:
        block: the index of its block.
        dialect: the dialect that read it.
        span: where it stands in the response.
        action_id: identifies it.
        index: its place among the attempt's actions, from 0.
        name: as written.
        status: what came of checking it; ``not_checked`` where there was nothing to check it against.
        reason: the first error's code; None where there is none.
        call_id: the identifier that the model gave it.
        arguments: its fields, as JSON text of an object.
        errors: what its model refuses.
        conversions: what was written in another type, and is in the arguments in the field's own.
        evidence: what says that it was meant, or not, where it stands without its format's own marks; None where it has
            them.
    """

    block: int
    dialect: Word
    span: Span
    action_id: Id
    index: int
    name: Word
    status: ActionStatus
    reason: Reason | None
    call_id: str | None = None
    arguments: JsonObject
    errors: tuple[FieldError, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InAttempt(TurnEvent):
    """What the rows of all that was found have: the dimensions of their parse attempt.

    Args:
        attempt_id: identifies the parse attempt.
        run_kind: how the attempt came about.
        parser_id: the hash of the configuration that read it.
        parser_name: its name.
    """

    attempt_id: Id
    run_kind: RunKind
    parser_id: Word
    parser_name: Word


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseParsed(InAttempt):
    """One parser over one response.

    Args:
        dialect: the dialect of most blocks that hold actions; empty where there is none.
        catalogue: what the actions were checked against; None where nothing.
        outcome: what came of it.
        reason: the code of the first issue that kept something from being read; None where there is none.
        duration_us: how long reading and checking took, in microseconds.
        capture: how much of what the model wrote there was to read: where its calls came parsed, nothing can be said of how
            they were written.
        blocks, actions, issues: what was found.
    """

    kind: Literal["response_parsed"] = "response_parsed"
    dialect: Word
    catalogue: Word | None
    outcome: Outcome
    reason: Reason | None
    duration_us: BigInt
    capture: Capture = Capture.TEXT
    blocks: tuple[Block, ...] = ()
    actions: tuple[ActionRecord, ...] = ()
    issues: tuple[Issue, ...] = ()

    @property
    def block_count(self) -> int:
        """How many blocks were found."""
        return len(self.blocks)

    @property
    def action_count(self) -> int:
        """How many actions were read."""
        return len(self.actions)

    @property
    def valid_count(self) -> int:
        """How many of them may run."""
        return sum(action.status.is_runnable for action in self.actions)

    @property
    def repair_count(self) -> int:
        """How many changes made the text readable."""
        return sum(len(block.repairs) for block in self.blocks)
