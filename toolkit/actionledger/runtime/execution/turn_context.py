"""One turn: its state when it goes on, its context and progress, and the gate's answer to each action."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from actionledger.core.recording import Recorder, TurnKey
from actionledger.core.values import ActionCall, Approval, FieldError, Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.approval import Policy, Rule
from actionledger.runtime.execution.execution_events import ActionStep
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.limits import FailureBudget, Rates
from actionledger.runtime.execution.plan import PlannedAction, TurnPlan
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.repetition.guard import RepetitionGuard


@dataclass(frozen=True, slots=True)
class TurnState:
    """A turn as far as it got.

    Args:
        turn: its key.
        text: the response.
        parser_id: the hash of the parser that read it.
        is_cut: whether the model was stopped before it was done.
        is_exact: whether nothing in the text was masked for the record.
        is_live: whether it comes from the memory of the session itself rather than from a record.
        is_finished: whether its end was recorded.
        observations: what came of the last try at each action, by its place; ``interrupted`` for one without an end.
        tries: how many tries there were, by the action's place.
        unfinished: the places of actions whose last try has no end in the record.
        approvals: what was asked and decided about, by the action's place; decisions that don't count are not in it.
        doubts: why a decision that is recorded doesn't count, by the action's place.
    """

    turn: TurnKey
    text: str
    parser_id: str
    is_cut: bool = False
    is_exact: bool = True
    is_live: bool = True
    is_finished: bool = False
    observations: Mapping[int, Observation] = field(default_factory=dict)
    tries: Mapping[int, int] = field(default_factory=dict)
    unfinished: frozenset[int] = frozenset()
    approvals: Mapping[int, Approval] = field(default_factory=dict)
    doubts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The constant context in which one turn is carried out.

    Args:
        profile: what the session runs under.
        policy: which actions may run.
        policy_version: the hash of the policy that asks for approvals.
        handlers: what runs actions.
        rates, failures, repetition: what the session has done so far.
        record: takes the events.
        calls: all calls of the response.
        plan: the runnable ones, in order.
        history: how far the turn got already.
        run_id: the run that the turn belongs to.
        attempt_id: the parse attempt that found the calls.
        dry_run: whether nothing is to be done.
        doubled: the places of calls that stand in the response once more, block by block.
    """

    profile: Profile
    policy: Policy
    policy_version: str
    handlers: Handlers
    rates: Rates
    failures: FailureBudget
    repetition: RepetitionGuard
    record: Recorder
    calls: Sequence[ActionCall]
    plan: TurnPlan
    history: TurnState
    run_id: str
    attempt_id: str
    dry_run: bool
    doubled: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ExecutionProgress:
    """The outcomes of a turn's actions so far: ``TurnRun`` writes them, the checks of the gate read them.

    Args:
        observations: what came of the last try at each action, by its place.
        tries: how many tries there were, by the action's place.
        approvals: what was asked and decided about, by the action's place.
        filled_in: each action that was admitted, with its references filled in, by its place.
    """

    observations: dict[int, Observation] = field(default_factory=dict)
    tries: dict[int, int] = field(default_factory=dict)
    approvals: dict[int, Approval] = field(default_factory=dict)
    filled_in: dict[int, ActionCall] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Withheld:
    """An action that does not run now.

    Args:
        status, reason: what is recorded.
        message: what the model is told.
        errors: what the action's model refuses of its arguments.
        asks: the step that somebody has to decide about; None if nobody has to.
    """

    status: ExecutionStatus
    reason: Reason
    message: str
    errors: tuple[FieldError, ...] = ()
    asks: ActionStep | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that may run, as far as the checks before have found.

    Args:
        planned: the action in its plan.
        step: as it is to be run.
        before: the step as it was before a row of the policy changed it; None if none did.
        rule: that row.
        held_back: what keeps it from being done if this were no dry run; None if nothing does.
    """

    planned: PlannedAction
    step: ActionStep
    before: ActionStep | None = None
    rule: Rule | None = None
    held_back: Withheld | None = None


Check: TypeAlias = Callable[[TurnContext, ExecutionProgress, Admitted], Admitted | Withheld]
"""One question that the gate asks: returns the action as it may go on to the next one, or why it doesn't."""
