"""What one turn is carried out with, and what came of it so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from actionledger.core.recording import Recorder
from actionledger.core.values import ActionCall, Approval, Observation
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.limits import FailureBudget, Rates
from actionledger.runtime.execution.planning import Plan
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.turn_state import TurnState
from actionledger.runtime.repetition.guard import RepetitionGuard


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What one turn is carried out with.

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
    plan: Plan
    history: TurnState
    run_id: str
    attempt_id: str
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """What came of a turn's actions so far: ``TurnRun`` writes it, the checks of the gate read it.

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
