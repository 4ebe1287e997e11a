"""Undo and redo of a session's changes in its workspace, with a record of it.

The workspace's journal is on the disk before anything is taken back, and the ledger is told what the journal knows and it
doesn't: what a process could not record any more, because it was killed in between, is recorded by the next one.
"""

from abc import ABC, abstractmethod
from collections import Counter
from datetime import datetime

from actionledger.core.errors import UsageError
from actionledger.core.events import ActionReversed
from actionledger.core.ids import derived_id, now, utc
from actionledger.core.recording import Recorder, RunKey, SessionKey, TurnKey, turn_id_of
from actionledger.core.recording.turns import action_id_of, attempt_id_of
from actionledger.core.records import dataclass
from actionledger.core.vocabulary import Reversal
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import ActionTried, actions_tried, reversal_counts
from actionledger.runtime.workspace import Undone, Workspace
from actionledger.runtime.workspace.undo import Reversed

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
        turns: how many turns the session has.
    """

    workspace: Workspace
    session: SessionKey
    run: RunKey
    record: Recorder
    ledger: Ledger | None
    turns: int

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

    def last_changed(self) -> str:
        """Return the last turn of which something is left to be undone."""
        ids = (turn_id_of(self.session, index) for index in reversed(range(self.turns)))
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


class Reversible(ABC):
    """A session whose changes of its workspace can be taken back, and that again."""

    @property
    @abstractmethod
    def _undoing(self) -> Undoing:
        """Return what undoes for this session."""

    def undo(self, turn_id: str | None = None, *, action: int | None = None) -> Undone:
        """Take back what a turn, or one action of it, has changed in the workspace; that is recorded of its actions.

        Only files and folders come back; what a handler did elsewhere stays done.

        Args:
            turn_id: the turn; the last one of which something is left to be undone if not given.
            action: the action's place among its response's actions, from 0; all of them if not given.

        Returns:
            What was undone; ``redo`` takes it.

        Raises:
            UndoRefusedError: something is no longer as it was left; nothing is undone then.
            ActionError: there is nothing to undo there.
            UsageError: no turn of this session has changed anything.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     turn = runtime.handle(text)
            ...     undone = runtime.undo(turn.turn_id)
            ...     (runtime.workspace / "a.txt").exists()
            False
        """
        undoing = self._undoing
        return undoing.undo(turn_id or undoing.last_changed(), action)

    def undo_back_to(self, turn_id: str) -> Undone:
        """Take back all that was changed after a turn; see ``undo``.

        Example:
            >>> text = "<create_file><path>%s.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     first, second = (runtime.handle(text % name) for name in "ab")
            ...     undone = runtime.undo_back_to(first.turn_id)
            ...     sorted(path.name for path in runtime.workspace.glob("*.txt"))
            ['a.txt']
        """
        return self._undoing.undo_back_to(turn_id)

    def redo(self, undone: Undone) -> Undone:
        """Take back an undoing; that is recorded of its actions as well. See ``undo``.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     turn = runtime.handle(text)
            ...     redone = runtime.redo(runtime.undo(turn.turn_id))
            ...     (runtime.workspace / "a.txt").read_text()
            'hello'
        """
        return self._undoing.redo(undone)
