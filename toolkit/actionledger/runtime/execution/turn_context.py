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
    """The state of a turn."""

    turn: TurnKey
    text: str  # the response
    parser_id: str  # the hash of its parser
    is_cut: bool = False  # whether the model was stopped early
    is_exact: bool = True  # whether nothing in the text was masked for the record
    is_live: bool = True  # whether it comes from the session's memory and not from a record
    is_finished: bool = False  # whether its end was recorded
    # the observation of each action's last try, by its index; `interrupted` for one without an end
    observations: Mapping[int, Observation] = field(default_factory=dict)
    tries: Mapping[int, int] = field(default_factory=dict)  # the number of tries, by the action's index
    unfinished: frozenset[int] = frozenset()  # the indexes of actions whose last try has no recorded end
    # requests and decisions, by the action's index; without decisions that don't count
    approvals: Mapping[int, Approval] = field(default_factory=dict)
    # why a recorded decision doesn't count, by the action's index
    doubts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The constant context of one turn."""

    profile: Profile  # the session's profile
    policy: Policy  # which actions may run
    policy_version: str  # the hash of the policy that requests approvals
    handlers: Handlers  # the handlers of actions
    rates: Rates  # rates, failures, repetition: the session's counts so far
    failures: FailureBudget
    repetition: RepetitionGuard
    record: Recorder  # records the events
    calls: Sequence[ActionCall]  # all calls of the response
    plan: TurnPlan  # the runnable calls, in order
    history: TurnState  # the turn's earlier state
    run_id: str  # the run that the turn belongs to
    attempt_id: str  # the parse attempt that found the calls
    dry_run: bool  # whether actions only report their effects
    doubled: frozenset[int] = frozenset()  # the indexes of calls in a duplicated block


@dataclass(frozen=True, slots=True)
class ExecutionProgress:
    """The outcomes of a turn's actions so far; ``TurnRun`` writes them and the gate's checks read them."""

    # the observation of each action's last try, by its index
    observations: dict[int, Observation] = field(default_factory=dict)
    tries: dict[int, int] = field(default_factory=dict)  # the number of tries, by the action's index
    # requests and decisions, by the action's index
    approvals: dict[int, Approval] = field(default_factory=dict)
    # each admitted action with its references filled in, by its index
    filled_in: dict[int, ActionCall] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Withheld:
    """An action that does not run now."""

    status: ExecutionStatus  # status, reason: the recorded status and reason
    reason: Reason
    message: str  # the message to the model
    errors: tuple[FieldError, ...] = ()  # the validation errors of its arguments
    asks: ActionStep | None = None  # the step that needs a decision; None if none is needed


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that passed all checks so far."""

    planned: PlannedAction
    step: ActionStep  # the step as it will run
    before: ActionStep | None = None  # the step before a policy rule changed it; None if none did
    rule: Rule | None = None  # that policy rule
    # why it would be withheld if this were not a dry run; None if it would run
    held_back: Withheld | None = None


Check: TypeAlias = Callable[[TurnContext, ExecutionProgress, Admitted], Admitted | Withheld]
"""A check of the gate: returns the admitted action for the next check, or why it is withheld."""
