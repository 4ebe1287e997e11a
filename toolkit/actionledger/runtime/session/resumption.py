"""Resume a session or a turn, from its recorded state and the decisions made here or signed elsewhere."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from actionledger.core.errors import DecisionKeyError, LedgerError, UsageError
from actionledger.core.values import Approval, Observation, Turn
from actionledger.core.vocabulary import ExecutionStatus, Reason, was_cut
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.names import Called, one_session
from actionledger.ledger.queries.progress import LastTry, next_turn_index, turn_progress
from actionledger.ledger.queries.session import Session, session
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.execution.execution_events import noted
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.execution.turn_context import TurnState
from actionledger.runtime.session.decisions import (
    DecisionStatus,
    decide,
    decide_unrecorded,
    decisions_of_turn,
    key_path,
    spend,
)
from actionledger.runtime.session.folder import lies_in
from actionledger.runtime.session.record import LAKE_HOST


@dataclass(frozen=True, slots=True)
class Earlier:
    """A recorded session to resume."""

    session_id: str
    turns: int  # its number of turns so far


def recorded_session(ledger: Ledger, session_id: Called) -> tuple[Session, Earlier]:
    """Return a session's record and the point where it resumes."""
    session_id = one_session(ledger, session_id)
    found = session(ledger, session_id)
    assert found is not None
    _refuse_of_other_host(ledger, found)
    return found, Earlier(session_id, next_turn_index(ledger, session_id))


def recall(ledger: Queryable, turn_id: str, approvals: Mapping[int, Approval]) -> TurnState:
    """Return a turn's recorded state."""
    found = turn_progress(ledger, turn_id)
    if found is None:
        raise UsageError(
            f"No turn {turn_id!r} was read; 'actionledger sql \"FROM turns\"' lists the turns that there are."
        )
    turn, tries = found
    return TurnState(
        turn=turn.key,
        text=turn.text,
        parser_id=turn.parser_id,
        is_cut=was_cut(turn.finish_reason),
        is_exact=turn.text_is_exact,
        is_live=False,
        is_finished=turn.is_finished,
        observations={each.action_index: _observation(each, approvals) for each in tries},
        tries={each.action_index: each.try_number for each in tries},
        unfinished=frozenset(each.action_index for each in tries if not each.is_finished),
        approvals=approvals,
    )


def recorded_workspace(recorded: Session) -> Path:
    """Return the workspace folder of a recorded live session."""
    folder = json.loads(recorded.metadata).get("workspace")
    if isinstance(folder, str) and Path(folder).is_dir():
        return Path(folder)
    what = f"is gone: {folder!r}" if folder else "was not recorded"
    raise UsageError(
        f"The folder of the session {recorded.session_id} {what}; say where it is now, by --workspace FOLDER or workspace=FOLDER."
    )


def _refuse_of_other_host(ledger: Ledger, recorded: Session) -> None:
    """Raise if the session belongs to another host: its lock is there, and two hosts could each record the same turn."""
    own, its = ledger.internals.host, json.loads(recorded.metadata).get(LAKE_HOST)
    if own and isinstance(its, str) and its != own:
        raise LedgerError(
            f"The session {recorded.session_id} runs on the host {its!r}, where its lock is: go on with it there. "
            f'Where that host is gone for good, say host = "{its}" in {ledger.path}.'
        )


def _observation(last: LastTry, approvals: Mapping[int, Approval]) -> Observation:
    asked = approvals.get(last.action_index)
    never_ran = not last.is_finished and asked is not None and asked.decision is None
    # A pending action was cut off between its two events: nothing can have run before a decision.
    status = ExecutionStatus.PENDING if never_ran else last.status
    reason = Reason.NOT_APPROVED if never_ran else last.reason
    return Observation(
        execution_id=last.execution_id,
        action_index=last.action_index,
        name=last.name,
        status=status,
        reason=reason,
        result=json.loads(last.result),
        message=last.message,
        duration_ms=last.duration_ms,
    )


NOT_TAKEN = "decision_not_taken"
"""The code of the event that tells why a recorded decision didn't count."""

_HERE = "decide where it is carried out, by 'actionledger approvals approve ID --run' or Runtime.resume(turn, decisions)"


class Resumption:
    """Resumes the turns of one session with the decisions that count."""

    def __init__(self, session: SessionRuntime, ledger: Ledger | None) -> None:
        self._session = session
        self._ledger = ledger

    def resume(self, turn_id: str, decisions: Mapping[int, Decision]) -> Turn:
        """Resume a turn; see ``Runtime.resume``."""
        session = self._session
        history = session.waiting.get(turn_id) or self._recorded_turn(turn_id)
        owner = history.turn.session.session_id
        if owner != session.session.session_id:
            raise UsageError(f"The turn {turn_id} belongs to the session {owner}; reopen that one.")
        history = self._with_decisions(history, decisions)
        try:
            turn = session.resume(history)
        except BaseException:
            # Only the record knows which actions have run since; the state in memory would run them again.
            session.waiting.pop(turn_id, None)
            raise
        # Note that this process carries out its own decisions, so that no other process repeats them.
        approvals = (history.approvals[place] for place in decisions)
        for approval in approvals:
            with suppress(DecisionKeyError):
                if approval.signature:
                    spend(approval.signature)
        return turn

    def _recorded_turn(self, turn_id: str) -> TurnState:
        """Return a turn's recorded state."""
        if self._ledger is None:
            raise UsageError(f"Nothing waits in a turn {turn_id!r} of this session.")
        statuses = decisions_of_turn(self._ledger, turn_id, self._distrust())
        return recall(self._ledger, turn_id, {place: each.approval for place, each in statuses.items()})

    def _with_decisions(self, history: TurnState, decisions: Mapping[int, Decision]) -> TurnState:
        """Return a turn with the decisions that count, and record why the others don't."""
        # Decisions in this session's memory need no signature; those read from the ledger do.
        made = {place: each for place, each in history.approvals.items() if history.is_live and each.decision}
        made |= {place: self._decided(history, place, decision) for place, decision in decisions.items()}
        approvals, doubts = {**history.approvals, **made}, {}
        if self._ledger is None:
            return replace(history, approvals=approvals)
        statuses = decisions_of_turn(self._ledger, history.turn.turn_id, self._distrust())
        for place, status in statuses.items():
            if place in made or not self._is_open(history, place):
                continue
            used = _used(status)
            approvals[place] = used.approval
            if used.claim is not None:
                doubts[place] = used.sentence
        for place, doubt in doubts.items():
            detail = {"action_index": place}
            self._session.record(noted(NOT_TAKEN, doubt, history.turn, self._session.run.run_id, detail))
        return replace(history, approvals=approvals, doubts=doubts)

    def _distrust(self) -> str:
        """Return why no other process's decision counts; empty if it may.

        A signature proves something only if the session's actions can't read the key.
        """
        path = key_path()
        if lies_in(path, self._session.workspace.root):
            return f"the key for decisions {path} lies in the workspace, where actions can read it; {_HERE}"
        why = self._session.executor.handlers.reaches(path)
        return f"{why}, and could read the key for decisions; {_HERE}" if why else ""

    def _decided(self, history: TurnState, place: int, decision: Decision) -> Approval:
        approval = _waiting(history, place)
        if self._ledger is None:
            return decide_unrecorded(approval, decision)
        return decide(
            self._ledger,
            approval.approval_id,
            decision,
            run_id=self._session.run.run_id,
            distrust=self._distrust(),
            carried_out_here=True,
        )

    def _is_open(self, history: TurnState, place: int) -> bool:
        """Return whether a decision can still change an action's outcome."""
        observation = history.observations.get(place)
        if observation is None or observation.status is ExecutionStatus.PENDING:
            return True
        is_repeatable = self._session.profile.execution_settings.of(observation.name).idempotent
        return observation.status is ExecutionStatus.INTERRUPTED and is_repeatable


def _used(status: DecisionStatus) -> DecisionStatus:
    """Return a request's status after its decision was used; a decision is used only once."""
    decided = status.approval
    if decided.decision is None:
        return status
    try:
        doubt = "" if spend(decided.signature) else "it was carried out before"
    except DecisionKeyError as error:
        doubt = error.why
    if not doubt:
        return status
    return DecisionStatus(replace(decided, decision=None), decided, doubt)


def _waiting(history: TurnState, place: int) -> Approval:
    approval = history.approvals.get(place)
    if approval is None:
        known = ", ".join(map(str, history.approvals)) or "none"
        raise UsageError(
            f"The action at place {place} of turn {history.turn.turn_id} waits for nothing; "
            f"the places of those that do: {known}."
        )
    return approval
