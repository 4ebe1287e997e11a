"""What is known of a recorded session's course: its responses, what came of them, what its workspace held, what was decided."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from actionledger.core.draws import Kind
from actionledger.core.values import Approval
from actionledger.core.vocabulary import Capture, Origin
from actionledger.ledger import Ledger
from actionledger.ledger.queries.approvals import approvals_of_turn
from actionledger.ledger.queries.conversation import conversation
from actionledger.ledger.queries.sessions import Session, session
from actionledger.ledger.queries.tries import RecordedTry, recorded_tries
from actionledger.ledger.queries.turn import TurnDetail, turn
from actionledger.replay.rerunning.refusals import Refused, WhyNot
from actionledger.runtime.execution.execution_events import POLICY
from actionledger.runtime.session.states.lines import Drawn, Effects, Line
from actionledger.runtime.session.states.reading import KeptStates, read_states


@dataclass(frozen=True, slots=True)
class Course:
    """The course of one recorded session.

    Args:
        session: the session.
        states: what its workspace held, and in which order all happened.
        turns: all that is recorded of each turn, by its place.
        executions: every try at every action.
        approvals: what was asked and decided in each turn, by its place.
    """

    session: Session
    states: KeptStates
    turns: Mapping[int, TurnDetail]
    executions: Sequence[RecordedTry]
    approvals: Mapping[int, Sequence[Approval]]

    @property
    def lines(self) -> Sequence[Line]:
        """What happened, in order."""
        return self.states.lines

    def tries(self, turn_index: int, place: int) -> list[RecordedTry]:
        """Return the tries at an action that had, or may have had, an effect."""
        where = turn_index, place
        return [
            each
            for each in self.executions
            if (each.turn_index, each.action_index) == where and each.status.was_attempted
        ]

    def drawn(self, turn_index: int, place: int) -> list[tuple[Kind, Any]]:
        """Return what an action drew from outside."""
        return [
            (cast("Kind", kind), value)
            for line in self.lines
            if isinstance(line, Drawn) and (line.turn, line.action) == (turn_index, place)
            for kind, value in line.values
        ]

    def effects(self, turn_index: int) -> list[Effects]:
        """Return what a turn's actions have changed, in order."""
        return [line for line in self.lines if isinstance(line, Effects) and line.turn == turn_index]

    def decided(self, turn_index: int, until: datetime) -> Iterator[Approval]:
        """Yield what people had decided in a turn until a moment."""
        for each in self.approvals.get(turn_index, ()):
            if each.decision and each.decided_by != POLICY and each.decided_at and each.decided_at <= until:
                yield each


def kept_states(ledger: Ledger, recorded: Session, *, was_run: bool = True) -> KeptStates:
    """Return what was kept of a session's states."""
    states = read_states(ledger.manifests, recorded.session_id)
    if states is None:
        raise Refused(WhyNot.NO_MANIFEST if was_run else WhyNot.NOT_OURS)
    if states.is_damaged:
        raise Refused(WhyNot.DAMAGED)
    if states.is_masked:
        raise Refused(WhyNot.MASKED)
    if states.first is None:
        raise Refused(WhyNot.NOT_KEPT)
    return states


def course_of(ledger: Ledger, session_id: str) -> Course:
    """Return the course of a recorded session."""
    recorded = session(ledger, session_id)
    assert recorded is not None
    responses = conversation(ledger, session_id)
    if any(each.capture is not Capture.TEXT for each in responses):
        raise Refused(WhyNot.NO_TEXT)
    executions = recorded_tries(ledger, session_id)
    if any(each.origin is Origin.RECORDED for each in executions):
        raise Refused(WhyNot.NOT_OURS)
    states = kept_states(
        ledger, recorded, was_run=bool(executions) or "workspace" in json.loads(recorded.metadata)
    )
    if inexact := [each.index for each in responses if not each.text_is_exact]:
        raise Refused(WhyNot.MASKED, f"It is in turn {inexact[0]}.")
    turns = {each.index: detail for each in responses if (detail := turn(ledger, session_id, each.index))}
    approvals = defaultdict[int, list[Approval]](list)
    for index, detail in turns.items():
        approvals[index] += approvals_of_turn(ledger, detail.response.turn_id)
    if any(not each.is_exact for asked in approvals.values() for each in asked):
        raise Refused(WhyNot.MASKED, "It is in the arguments of an action that was decided about.")
    return Course(recorded, states, turns, executions, approvals)
