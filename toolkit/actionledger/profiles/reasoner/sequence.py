"""From a trigger to the end of its sequence: plans, their chains, and further plans if needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event as Signal
from typing import Any

from actionledger.core.values import Block, ParseResult, Turn
from actionledger.core.vocabulary import ActionStatus, BlockStatus, ExecutionStatus, Outcome
from actionledger.profiles.reasoner.chains import Chain
from actionledger.profiles.reasoner.context import SharedContext, Trigger
from actionledger.profiles.reasoner.planner import further, unplanned
from actionledger.profiles.reasoner.store import PersonaStore
from actionledger.reading.dialects.parts.truth import truth_of
from actionledger.reading.tolerant_json import decode
from actionledger.runtime.models import Completion, Message, Model, ModelError
from actionledger.runtime.session.runtime import Runtime


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """One action of a sequence."""

    action: str
    context: str  # its focus


@dataclass(frozen=True, slots=True)
class ActionSequence:
    """Planned actions, in order."""

    actions: tuple[ActionPlan, ...]  # the actions that may run
    can_extend: bool  # whether others may follow these
    reasoning: str  # why these were chosen; empty if unknown


def sequence_of(result: ParseResult) -> ActionSequence:
    """Return a response's sequence; of several blocks, the actions of all and the last one's settings."""
    actions = tuple(
        ActionPlan(call.name, str(call.arguments.get("context", ""))) for call in result.valid_actions
    )
    plans = [_plan(result.text, block) for block in result.blocks if block.status in _READ]
    last = plans[-1] if plans else {}
    reasoning = last.get("reasoning")
    return ActionSequence(
        actions=actions,
        can_extend=truth_of(last.get("can_extend")) is True,
        reasoning=reasoning if isinstance(reasoning, str) else "",
    )


def is_plan(result: ParseResult) -> bool:
    """Return whether a response holds a plan, even an empty one."""
    is_read = any(block.status in _READ for block in result.blocks)
    return is_read or any(call.status is not ActionStatus.ILLUSTRATION for call in result.actions)


_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


def _plan(text: str, block: Block) -> dict[str, Any]:
    value = decode(text, block.body.start, end=block.body.end).value
    return value if isinstance(value, dict) else {}


MAX_FUTILE = 3
"""The maximum of consecutive responses without an executable plan."""

PLANNING_FAILED = "planning_failed"
"""The note that repeated responses without a plan ended the work."""


@dataclass(slots=True)
class Following:
    """Plans, executes, and plans again as long as the plan says so."""

    model: Model  # the planner's
    session: Runtime  # executes and records plans
    shared: SharedContext  # the state of the current sequence
    store: PersonaStore
    chains: Mapping[str, Chain]  # sequences that a plan may name
    trigger: Trigger  # the event
    max_sequences: int  # the maximum of sequences
    is_left: Signal  # set once no listener is left
    _sequences: int = 0
    _futile: int = 0
    _has_told_refusals: bool = False
    _told: list[str] = field(default_factory=list)

    def follow(self, messages: Sequence[Message]) -> None:
        """Go from plan to plan until it is over."""
        asked = list(messages)
        while True:
            completion = self._planned(asked)
            turn = self.session.handle(
                completion.text, prompt=asked[-1].content, finish_reason=completion.finish_reason
            )
            answer = self._answer(turn)
            if answer is None or self.is_left.is_set():
                return
            asked += [completion.as_message(), answer]

    def _planned(self, messages: Sequence[Message]) -> Completion:
        """Return the planner's response; a missing one is recorded."""
        try:
            return self.model.complete(messages)
        except ModelError as error:
            detail = {"error": type(error).__name__}
            self.session.note("model_failed", f"The planner gave no response: {error}", detail)
            raise

    def _answer(self, turn: Turn) -> Message | None:
        """Return the planner's next question; None at the end."""
        self._futile = self._futile + 1 if _is_futile(turn) else 0
        if turn.stopped and self._futile:
            self.session.note(PLANNING_FAILED, turn.stopped)
            return None
        if not is_plan(turn.result):
            if turn.result.outcome is not Outcome.FAILED:
                self.session.note("plan_unreadable", "The response holds no plan.", {"turn_id": turn.turn_id})
            return None if self._gives_up() else unplanned(turn.feedback)
        is_done = self.shared.context.is_done
        self._told = [turn.feedback]
        is_stopped = self._take_up_chains(turn) or bool(turn.stopped)
        if is_stopped or (_is_futile(turn) and self._gives_up()):
            return None
        if not (self._may_extend(turn, is_done=is_done) or self._owes_refusals(turn)):
            return None
        self.shared.go_on()
        return further("\n".join(self._told), self.store.persona)

    def _gives_up(self) -> bool:
        """Return whether to give up after repeated futile plans, and record that."""
        if self._futile < MAX_FUTILE:
            return False
        message = f"{self._futile} responses of the planner in a row held nothing that could be done."
        self.session.note(PLANNING_FAILED, message)
        return True

    def _take_up_chains(self, turn: Turn) -> bool:
        """Execute the chains that a plan names, in order; return whether one of them was stopped."""
        for observation in turn.observations:
            chain = self.chains.get(observation.name)
            if chain is None or observation.status is not ExecutionStatus.SUCCEEDED:
                continue
            self.shared.go_on()
            prompt = f"The chain {chain.name!r}. {self.trigger.described}"
            taken = self.session.handle(chain.written(), prompt=prompt)
            self._told.append(taken.feedback)
            if taken.stopped:
                return True
        return False

    def _may_extend(self, turn: Turn, *, is_done: bool) -> bool:
        """Return whether another sequence may follow; one beyond the limit is recorded."""
        self._sequences += not _is_futile(turn)
        if is_done or not (sequence_of(turn.result).can_extend and turn.result.actions):
            return False
        if self._sequences < self.max_sequences:
            return True
        limit = f"The sequence could be extended, but {self.max_sequences} is the most that follow from one trigger."
        self.session.note("sequence_limit", limit)
        return False

    def _owes_refusals(self, turn: Turn) -> bool:
        """Return whether the planner must still get, once, a report on refused parts of a last sequence."""
        if not (
            turn.result.outcome is Outcome.PARTIAL
            or any(call.status.is_refused for call in turn.result.actions)
        ):
            return False
        if self._has_told_refusals and _is_futile(turn):
            message = "The planner was told why its actions were refused, and again nothing could be done."
            self.session.note(PLANNING_FAILED, message)
        is_owed = not self._has_told_refusals
        self._has_told_refusals = True
        return is_owed


def _is_futile(turn: Turn) -> bool:
    """Return whether nothing in a response can be executed: it has no plan, or all its actions are refused."""
    calls = turn.result.actions
    is_refused = bool(calls) and not any(call.status.is_plannable for call in calls)
    return not is_plan(turn.result) or is_refused
