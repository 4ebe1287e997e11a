"""Undo and redo a session's changes in its workspace, and record that.

The workspace's journal is written to disk before anything is undone. If a process is killed before it records an undo
in the ledger, the next process copies that record from the journal.
"""

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.errors import UsageError
from actionledger.core.events import ActionReversed
from actionledger.core.ids import derived_id, now, utc
from actionledger.core.recording import Recorder, RunKey, SessionKey, TurnKey, turn_id_of
from actionledger.core.recording.turns import action_id_of, attempt_id_of
from actionledger.core.vocabulary import Reversal
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import ActionTried, actions_tried, reversal_counts
from actionledger.runtime.workspace import Undone, Workspace
from actionledger.runtime.workspace.undo import Reversed

_MOST_NAMED = 50


@dataclass(frozen=True, slots=True)
class Undoing:
    """Undoes the actions of one session."""

    workspace: Workspace  # the session's workspace
    session: SessionKey
    run: RunKey  # the run that the records belong to
    record: Recorder  # records the events
    # the session's ledger; None if the session is not recorded, and then undos are not either
    ledger: Ledger | None
    turns: int  # the session's number of turns

    def undo(self, turn_id: str, place: int | None = None) -> Undone:
        """Undo the changes of a turn, or of one action in it."""
        if place is None:
            return self._recorded(self.workspace.undo_turn(turn_id))
        turn = TurnKey(session=self.session, turn_id=turn_id, index=0, occurred_at=None)
        action_id = action_id_of(attempt_id_of(turn, self.run), place)
        return self._recorded(self.workspace.undo(action_id))

    def undo_back_to(self, turn_id: str) -> Undone:
        """Undo all changes made after a turn."""
        return self._recorded(self.workspace.undo_back_to(turn_id))

    def redo(self, undone: Undone) -> Undone:
        """Revert an undo."""
        return self._recorded(self.workspace.undo(undone.action))

    def last_changed(self) -> str:
        """Return the last turn that still has a change to undo."""
        ids = (turn_id_of(self.session, index) for index in reversed(range(self.turns)))
        found = next(filter(self.workspace.is_changed_by, ids), None)
        if found is None:
            raise UsageError("No turn of this session has changed anything that is left to be undone.")
        return found

    def catch_up(self) -> None:
        """Record undos that are in the workspace's journal but not yet in the ledger."""
        if self.ledger is None:
            return
        undone = [(each, one) for each in self.workspace.undoings() for one in each.reversals]
        action_ids = list(dict.fromkeys(one.action for _, one in undone))
        tried = {each.action_id: each for each in actions_tried(self.ledger, action_ids)}
        recorded = Counter(reversal_counts(self.ledger, action_ids))
        # Undos of an action are recorded in order, so the ledger can only lack the last ones.
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
    """A session whose workspace changes can be undone and redone."""

    @property
    @abstractmethod
    def _undoing(self) -> Undoing:
        """Return the object that undoes for this session."""

    def undo(self, turn_id: str | None = None, *, action: int | None = None) -> Undone:
        """Undo the workspace changes of a turn, or of one action in it, and record that for its actions.

        Only files and folders are restored; a handler's effects elsewhere remain.

        Args:
            turn_id: the turn; if not given, the last one that still has a change to undo.
            action: the action's index in its response, from 0; all actions if not given.

        Returns:
            The undone changes; pass them to ``redo`` to revert the undo.

        Raises:
            UndoRefusedError: a file or folder has changed since; nothing is undone then.
            ActionError: there is nothing to undo in this turn or action.
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
        """Undo all changes made after a turn; see ``undo``.

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
        """Revert an undo and record that for its actions; see ``undo``.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     turn = runtime.handle(text)
            ...     redone = runtime.redo(runtime.undo(turn.turn_id))
            ...     (runtime.workspace / "a.txt").read_text()
            'hello'
        """
        return self._undoing.redo(undone)
