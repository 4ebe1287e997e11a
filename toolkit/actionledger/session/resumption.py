"""Taking decisions into a turn that goes on: those that are given here, and those that another process has made and signed."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from actionledger.errors import DecisionKeyError, UsageError
from actionledger.execution.approval import Decision
from actionledger.execution.execution_events import noted
from actionledger.execution.runtime import SessionRuntime
from actionledger.execution.turn_state import TurnState
from actionledger.ledger import Ledger
from actionledger.session.decisions import decide, ruled
from actionledger.session.resume_state import recall
from actionledger.session.separation import lies_in
from actionledger.session.signatures import key_path, spend
from actionledger.session.valid_decisions import Standing, standings_of_turn
from actionledger.values import Approval
from actionledger.vocabulary import ExecutionStatus

NOT_TAKEN = "decision_not_taken"
"""The code of the event that says why a recorded decision didn't count."""

_HERE = "decide where it is carried out, by 'actionledger approvals approve ID --run' or Runtime.resume(turn, decisions)"


class Taking:
    """Takes the decisions about the turns of one session.

    Args:
        session: the session.
        ledger: where it is recorded; None for nowhere.
    """

    def __init__(self, session: SessionRuntime, ledger: Ledger | None) -> None:
        self._session = session
        self._ledger = ledger

    def recalled(self, turn_id: str) -> TurnState:
        """Return a turn as far as it was recorded.

        Raises:
            UsageError: no such turn was read.
        """
        if self._ledger is None:
            raise UsageError(f"Nothing waits in a turn {turn_id!r} of this session.")
        standings = standings_of_turn(self._ledger, turn_id, self.distrust())
        return recall(
            self._ledger, turn_id, {place: standing.approval for place, standing in standings.items()}
        )

    def taken(self, history: TurnState, decisions: Mapping[int, Decision]) -> TurnState:
        """Return a turn with the decisions about it that count; of those that don't, the reason is recorded.

        Args:
            history: the turn as far as it got.
            decisions: what is decided here, by the action's place.

        Raises:
            UsageError: nothing waits there, or it was decided about already.
            LedgerError: it can't be recorded.
        """
        # What was decided in this session's own memory needs nobody's word; what was read back, does.
        made = {place: each for place, each in history.approvals.items() if history.is_live and each.decision}
        made |= {place: self._decided(history, place, decision) for place, decision in decisions.items()}
        if self._ledger is None:
            return replace(history, approvals={**history.approvals, **made})
        approvals, doubts = {**history.approvals, **made}, {}
        standings = standings_of_turn(self._ledger, history.turn.turn_id, self.distrust())
        for place, standing in standings.items():
            if place in made or not self._is_open(history, place):
                continue
            used = _used(standing)
            approvals[place] = used.approval
            if used.claim is not None:
                doubts[place] = used.sentence
        for place, doubt in doubts.items():
            detail = {"action_index": place}
            self._session.record(noted(NOT_TAKEN, doubt, history.turn, self._session.run.run_id, detail))
        return replace(history, approvals=approvals, doubts=doubts)

    def carried_out(self, history: TurnState, decisions: Mapping[int, Decision]) -> None:
        """Note that what was decided here is carried out, so that no other process does it once more."""
        for place in decisions:
            signature = history.approvals[place].signature
            with suppress(DecisionKeyError):
                if signature:
                    spend(signature)

    def distrust(self) -> str:
        """Return why nothing counts that another process has decided; empty where it may.

        A signature shows something only where what the session's actions run can't read the key.
        """
        path = key_path()
        if lies_in(path, self._session.workspace.root):
            return f"the key for decisions {path} lies in the workspace, where actions can read it; {_HERE}"
        why = self._session.executor.handlers.reaches(path)
        return f"{why}, and could read the key for decisions; {_HERE}" if why else ""

    def _decided(self, history: TurnState, place: int, decision: Decision) -> Approval:
        approval = _waiting(history, place)
        if self._ledger is None:
            return ruled(approval, decision)
        return decide(
            self._ledger,
            approval.approval_id,
            decision,
            run_id=self._session.run.run_id,
            distrust=self.distrust(),
            carried_out_here=True,
        )

    def _is_open(self, history: TurnState, place: int) -> bool:
        """Return whether a decision about an action can still change what comes of it."""
        observation = history.observations.get(place)
        if observation is None or observation.status is ExecutionStatus.PENDING:
            return True
        is_repeatable = self._session.profile.execution_settings.of(observation.name).idempotent
        return observation.status is ExecutionStatus.INTERRUPTED and is_repeatable


def _used(standing: Standing) -> Standing:
    """Return how a request stands now that its decision is used, which it can be once."""
    decided = standing.approval
    if decided.decision is None:
        return standing
    try:
        doubt = "" if spend(decided.signature) else "it was carried out before"
    except DecisionKeyError as error:
        doubt = error.why
    if not doubt:
        return standing
    return Standing(replace(decided, decision=None), decided, doubt)


def _waiting(history: TurnState, place: int) -> Approval:
    approval = history.approvals.get(place)
    if approval is None:
        known = ", ".join(map(str, history.approvals)) or "none"
        raise UsageError(
            f"The action at place {place} of turn {history.turn.turn_id} waits for nothing; "
            f"the places of those that do: {known}."
        )
    return approval
