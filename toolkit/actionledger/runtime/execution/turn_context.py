"""One turn: its state for resumption, its context and progress, and the gate's answer to each action."""

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
    """The state of a turn.

    Args:
        turn: its key.
        text: the response.
        parser_id: the hash of its parser.
        is_cut: whether the model was stopped early.
        is_exact: whether nothing in the text was masked for the record.
        is_live: whether it comes from the session's memory and not from a record.
        is_finished: whether its end was recorded.
        observations: the observation of each action's last try, by its index; ``interrupted`` for one without an end.
        tries: the number of tries, by the action's index.
        unfinished: the indexes of actions whose last try has no recorded end.
        approvals: requests and decisions, by the action's index; without decisions that don't count.
        doubts: why a recorded decision doesn't count, by the action's index.
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
    """The constant context of one turn.

    Args:
        profile: the session's profile.
        policy: which actions may run.
        policy_version: the hash of the policy that requests approvals.
        handlers: the handlers of actions.
        rates, failures, repetition: the session's counts so far.
        record: records the events.
        calls: all calls of the response.
        plan: the runnable calls, in order.
        history: the turn's earlier state.
        run_id: the run that the turn belongs to.
        attempt_id: the parse attempt that found the calls.
        dry_run: whether actions only report their effects.
        doubled: the indexes of calls in a duplicated block.
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
    """The outcomes of a turn's actions so far; ``TurnRun`` writes them and the gate's checks read them.

    Args:
        observations: the observation of each action's last try, by its index.
        tries: the number of tries, by the action's index.
        approvals: requests and decisions, by the action's index.
        filled_in: each admitted action with its references filled in, by its index.
    """

    observations: dict[int, Observation] = field(default_factory=dict)
    tries: dict[int, int] = field(default_factory=dict)
    approvals: dict[int, Approval] = field(default_factory=dict)
    filled_in: dict[int, ActionCall] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Withheld:
    """An action that does not run now.

    Args:
        status, reason: the recorded status and reason.
        message: the message to the model.
        errors: the validation errors of its arguments.
        asks: the step that needs a decision; None if none is needed.
    """

    status: ExecutionStatus
    reason: Reason
    message: str
    errors: tuple[FieldError, ...] = ()
    asks: ActionStep | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that passed all checks so far.

    Args:
        planned: the planned action.
        step: the step as it will run.
        before: the step before a policy rule changed it; None if none did.
        rule: that policy rule.
        held_back: why it would be withheld if this were not a dry run; None if it would run.
    """

    planned: PlannedAction
    step: ActionStep
    before: ActionStep | None = None
    rule: Rule | None = None
    held_back: Withheld | None = None


Check: TypeAlias = Callable[[TurnContext, ExecutionProgress, Admitted], Admitted | Withheld]
"""A check of the gate: returns the admitted action for the next check, or why it is withheld."""
