"""Taking back what a session's actions have changed in its workspace, with a record of it: one more try, ``undone``."""

from dataclasses import dataclass

from actionledger.errors import UsageError
from actionledger.events import ExecutionFinished, ExecutionStarted
from actionledger.execution.workspace import Undone, Workspace
from actionledger.ids import derived_id
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import ActionTried, last_tries
from actionledger.recording import (
    Recorder,
    RunKey,
    SessionKey,
    TurnKey,
    action_id_of,
    attempt_id_of,
    json_text,
    now,
    turn_id_of,
)
from actionledger.vocabulary import ExecutionStatus

_MOST_NAMED = 50


@dataclass(frozen=True, slots=True)
class Undoing:
    """Undoes what one session has done.

    Args:
        workspace: where it did it.
        session: the session.
        run: the run that the record belongs to.
        record: takes the events.
        ledger: where the session is recorded; None where it isn't, and then nothing is recorded here either.
    """

    workspace: Workspace
    session: SessionKey
    run: RunKey
    record: Recorder
    ledger: Ledger | None

    def undo(self, turn_id: str, place: int | None = None) -> Undone:
        """Take back what a turn, or one action of it, has changed.

        Args:
            turn_id: the turn.
            place: the action's place among its response's actions, from 0; None for all of the turn.
        """
        if place is None:
            return self._recorded(self.workspace.undo_turn(turn_id), ExecutionStatus.UNDONE)
        turn = TurnKey(session=self.session, turn_id=turn_id, index=0, occurred_at=None)
        action_id = action_id_of(attempt_id_of(turn, self.run), place)
        return self._recorded(self.workspace.undo(action_id), ExecutionStatus.UNDONE)

    def undo_back_to(self, turn_id: str) -> Undone:
        """Take back what was changed after a turn."""
        return self._recorded(self.workspace.undo_back_to(turn_id), ExecutionStatus.UNDONE)

    def redo(self, undone: Undone) -> Undone:
        """Take an undoing back."""
        return self._recorded(self.workspace.undo(undone.action), ExecutionStatus.SUCCEEDED)

    def last_changed(self, turns: int) -> str:
        """Return the last turn of which something is left to be undone.

        Args:
            turns: how many turns the session has.

        Raises:
            UsageError: there is none.
        """
        ids = (turn_id_of(self.session, index) for index in reversed(range(turns)))
        found = next(filter(self.workspace.is_changed_by, ids), None)
        if found is None:
            raise UsageError("No turn of this session has changed anything that is left to be undone.")
        return found

    def _recorded(self, undone: Undone, status: ExecutionStatus) -> Undone:
        for tried in last_tries(self.ledger, undone.actions) if self.ledger else ():
            self._record_try(tried, undone, status)
        if self.ledger:
            self.ledger.flush()
        return undone

    def _record_try(self, tried: ActionTried, undone: Undone, status: ExecutionStatus) -> None:
        number, moment = tried.try_number + 1, now()
        execution_id = derived_id("execution", tried.action_id, number)
        self.record(
            ExecutionStarted(
                event_id=derived_id("execution-started", execution_id),
                recorded_at=moment,
                run_id=self.run.run_id,
                session_id=tried.session_id,
                turn_id=tried.turn_id,
                turn_index=tried.turn_index,
                profile=tried.profile,
                model=tried.model,
                task=tried.task,
                occurred_at=tried.occurred_at,
                execution_id=execution_id,
                attempt_id=tried.attempt_id,
                action_id=tried.action_id,
                action_index=tried.action_index,
                name=tried.name,
                dialect=tried.dialect,
                trace_id=tried.trace_id,
                try_number=number,
                started_at=moment,
            )
        )
        self.record(
            ExecutionFinished(
                event_id=derived_id("execution-finished", execution_id),
                recorded_at=moment,
                run_id=self.run.run_id,
                session_id=tried.session_id,
                turn_id=tried.turn_id,
                execution_id=execution_id,
                status=status,
                reason=None,
                result=json_text({"changed_back": undone.paths[:_MOST_NAMED], "in_all": len(undone.paths)}),
                message="",
                duration_ms=0.0,
                finished_at=moment,
            )
        )
