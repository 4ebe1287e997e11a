"""Taking back what a session's actions have changed in its workspace, with a record of it.

The workspace's journal is on the disk before anything is taken back, and the ledger is told what the journal knows and it
doesn't: what a process could not record any more, because it was killed in between, is recorded by the next one.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.clock import now, utc
from actionledger.core.errors import UsageError
from actionledger.core.events import ActionReversed
from actionledger.core.ids import derived_id
from actionledger.core.recording import Recorder, RunKey, SessionKey, TurnKey, turn_id_of
from actionledger.core.recording.attempts import action_id_of, attempt_id_of
from actionledger.core.vocabulary import Reversal
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import ActionTried, actions_tried, reversal_counts
from actionledger.runtime.workspace import Undone, Workspace
from actionledger.runtime.workspace.undoing import Reversed

_MOST_NAMED = 50


@dataclass(frozen=True, slots=True)
class Undoing:
    """Undoes what one session has done.

    Args:
        workspace: where it did it.
        session: the session.
        run: the run that the record belongs to.
        record: takes the events.
        ledger: where the session is recorded; None if it isn't, and then nothing is recorded here either.
    """

    workspace: Workspace
    session: SessionKey
    run: RunKey
    record: Recorder
    ledger: Ledger | None

    def undo(self, turn_id: str, place: int | None = None) -> Undone:
        """Take back what a turn, or one action of it, has changed."""
        if place is None:
            return self._recorded(self.workspace.undo_turn(turn_id))
        turn = TurnKey(session=self.session, turn_id=turn_id, index=0, occurred_at=None)
        action_id = action_id_of(attempt_id_of(turn, self.run), place)
        return self._recorded(self.workspace.undo(action_id))

    def undo_back_to(self, turn_id: str) -> Undone:
        """Take back what was changed after a turn."""
        return self._recorded(self.workspace.undo_back_to(turn_id))

    def redo(self, undone: Undone) -> Undone:
        """Take an undoing back."""
        return self._recorded(self.workspace.undo(undone.action))

    def last_changed(self, turns: int) -> str:
        """Return the last turn of which something is left to be undone."""
        ids = (turn_id_of(self.session, index) for index in reversed(range(turns)))
        found = next(filter(self.workspace.is_changed_by, ids), None)
        if found is None:
            raise UsageError("No turn of this session has changed anything that is left to be undone.")
        return found

    def catch_up(self) -> None:
        """Record what was undone in the workspace and is not in the ledger yet."""
        if self.ledger is None:
            return
        undone = [(each, one) for each in self.workspace.undoings() for one in each.reversals]
        action_ids = list(dict.fromkeys(one.action for _, one in undone))
        tried = {each.action_id: each for each in actions_tried(self.ledger, action_ids)}
        recorded = Counter(reversal_counts(self.ledger, action_ids))
        # Those of an action are recorded in their order, so the ledger lacks the last ones.
        for each, one in undone:
            if recorded[one.action]:
                recorded[one.action] -= 1
            elif one.action in tried:
                self.record(self._event(each, one, tried[one.action]))
        self.ledger.flush()

    def _recorded(self, undone: Undone) -> Undone:
        self.catch_up()
        return undone

    def _event(self, undone: Undone, reversed_: Reversed, tried: ActionTried) -> ActionReversed:
        return ActionReversed(
            event_id=derived_id("action-reversed", undone.action, tried.action_id),
            recorded_at=now(),
            run_id=self.run.run_id,
            session_id=tried.session_id,
            turn_id=tried.turn_id,
            turn_index=tried.turn_index,
            profile=tried.profile,
            model=tried.model,
            task=tried.task,
            occurred_at=tried.occurred_at,
            reversal_id=undone.action,
            attempt_id=tried.attempt_id,
            action_id=tried.action_id,
            action_index=tried.action_index,
            name=tried.name,
            dialect=tried.dialect,
            reversal=Reversal.REDONE if reversed_.is_redone else Reversal.UNDONE,
            paths=reversed_.paths[:_MOST_NAMED],
            path_count=len(reversed_.paths),
            reversed_at=utc(datetime.fromisoformat(undone.at)),
        )
