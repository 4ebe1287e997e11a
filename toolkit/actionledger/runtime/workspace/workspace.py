"""The files under one folder of the disk: every change is written down before it is made, done whole, and can be undone."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from threading import Lock

from actionledger.core.errors import ActionError, UsageError
from actionledger.core.files import TemporaryFolder
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.files import Files
from actionledger.runtime.workspace.folders import NEW_FOLDER_MODE, make_private_folder
from actionledger.runtime.workspace.history import Record, Unit, current_unit
from actionledger.runtime.workspace.journal import Journal
from actionledger.runtime.workspace.layers import Overlay
from actionledger.runtime.workspace.limits import FileLimits
from actionledger.runtime.workspace.nodes import (
    Change,
    Effect,
    EffectStep,
    Gap,
    Move,
    Node,
    NodeKind,
    digest_of,
    inverse,
)
from actionledger.runtime.workspace.paths import Parts, plain_parts, recording
from actionledger.runtime.workspace.retention import InUse, let_go_of_old
from actionledger.runtime.workspace.snapshots import WorkspaceSnapshot, differences, take_snapshot
from actionledger.runtime.workspace.tree import DiskTree, loaded_or_none
from actionledger.runtime.workspace.undo import Undone, undo_steps, undoing_of, undoings


@dataclass(slots=True)
class Watched:
    """The changes that a command has made in the workspace; known once it is over.

    Args:
        effects: each change, and what could not be kept track of.
    """

    effects: list[Effect] = field(default_factory=list)


class Workspace(Files):
    """One folder that a session may read and write, and no way out of it; see ``Files`` for what can be done.

    What is changed within ``units.belonging_to`` belongs to that turn and action, and is undone by them. Contents, permissions,
    empty folders and links come back; owners, times, extended attributes, further names of a file (hard links) and the root's
    own permissions don't.

    Args:
        root: the folder; it is made if it isn't there.
        state: the folder where the journal of effects is kept, outside the root, so that it survives this process: changes
            can then be undone later, and what a crash cut off is settled by the next one who changes something. Where not
            given it is a temporary one that goes with this object.
        limits: how much it takes.

    Raises:
        UsageError: the root is no folder, or can't be made, or the journal would lie in it.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        state: str | os.PathLike[str] | None = None,
        limits: FileLimits | None = None,
    ) -> None:
        super().__init__(limits or FileLimits())
        self.root = Path(root).resolve()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The workspace {str(self.root)!r} can't be used: {error.strerror}.") from error
        self._state = Path(state).resolve() if state else None
        if (self._state or Path(tempfile.gettempdir()).resolve()).is_relative_to(self.root):
            raise UsageError(
                f"The journal of effects would lie in the workspace {str(self.root)!r} itself, where actions could change "
                "it. Give a state folder outside it."
            )
        self._disk = DiskTree(self.root, self.limits.kept_bytes)
        self._journal: Journal | None = None
        self._temporary: TemporaryFolder | None = None
        self._in_use: InUse | None = None
        self._opening = Lock()
        self._known: WorkspaceSnapshot | None = None
        if self._state is not None and self._folder_in(self._state).is_dir():
            # Whoever may want to undo something here uses the journal from now on.
            with suppress(ActionError):
                self.journal  # noqa: B018 - it is opened when it is first asked for

    @property
    def tree(self) -> DiskTree:
        """What there is on the disk."""
        return self._disk

    @property
    def journal(self) -> Journal:
        """What was done to the workspace."""
        with self._opening, recording():
            if self._journal is None:
                folder = self._journal_folder()
                self._in_use = InUse(folder)
                self._journal = Journal(folder, is_durable=self._state is not None)
            return self._journal

    def dry_run(self) -> Overlay:
        """Return the same files, on which everything can be tried and nothing is done."""
        return Overlay(self._disk, self.limits)

    def undo(self, action: str) -> Undone:
        """Take back all that an action has changed, or an undoing.

        Args:
            action: identifies it, as in ``units.belonging_to`` or ``Undone.action``.

        Raises:
            UndoRefusedError: something is no longer as it was left; nothing is undone then.
            ActionError: there is nothing to undo.
        """
        return self._undo(lambda record: record.unit.action == action, f"the action {action!r}")

    def undo_turn(self, turn: str) -> Undone:
        """Take back all that a turn has changed; see ``undo``."""
        return self._undo(lambda record: record.unit.turn == turn != "", f"the turn {turn!r}")

    def undo_back_to(self, turn: str) -> Undone:
        """Take back all that was changed by the turns after one, so that all is as that turn left it; see ``undo``."""
        with self._exclusively():
            turns = self.journal.history.turns()
            if turn not in turns:
                message = f"The turn {turn!r} has changed nothing here. Known turns: {', '.join(turns[-5:]) or 'none'}."
                raise ActionError(Reason.NOT_FOUND, message)
            later = set(turns[turns.index(turn) + 1 :])
            return self._undo(lambda record: record.unit.turn in later, f"the turns after {turn!r}")

    def undoings(self) -> list[Undone]:
        """Return all that was undone here, and not within an action, in the order in which it was."""
        with self._exclusively():
            return undoings(self.journal.history)

    def is_changed_by(self, turn: str) -> bool:
        """Return whether something that a turn has changed is left to be undone."""
        with self._exclusively():
            return bool(self.journal.history.to_undo(lambda record: record.unit.turn == turn != ""))

    @contextmanager
    def watching(self) -> Iterator[Watched]:
        """Note what a command changes in the workspace while the block runs, so that it can be undone.

        Nobody else changes the workspace through the toolkit meanwhile. What was too large to keep is among the effects,
        and undoing them is refused.
        """
        with self._exclusively():
            unit, watched = current_unit(), Watched()
            before = self._snapshot()
            data = before.as_bytes()
            self.journal.watching(unit, data, digest_of(data))
            try:
                yield watched
            finally:
                watched.effects = self._note_effects(unit, before)

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        with self.journal.held() as is_new:
            if is_new:
                self._recover()
            yield

    def _carry_out(self, steps: Sequence[EffectStep], unit: Unit, /) -> None:
        carry_out(self._disk, self.journal, unit, steps)

    def _undo(self, is_wanted: Callable[[Record], bool], what: str) -> Undone:
        with self._exclusively():
            records = self.journal.history.to_undo(is_wanted)
            if not records:
                raise ActionError(Reason.NOT_FOUND, f"Nothing that {what} has changed is left to be undone.")
            steps = undo_steps(records, self._disk, self.journal.contents)
            unit = current_unit()
            carry_out(self._disk, self.journal, unit, steps, [record.number for record in records])
            return undoing_of(self.journal.history, unit.action)

    def _recover(self) -> None:
        """Settle what a process that died left unsettled."""
        settle(self._disk, self.journal)
        if watch := self.journal.history.watch:
            data = self.journal.contents.get(watch.snapshot)
            if data is None:
                gap = Gap(".", "What was there before the command was not kept.")
                self.journal.watched(watch.unit, [gap])
            else:
                self._note_effects(watch.unit, WorkspaceSnapshot.from_bytes(data))

    def _snapshot(self) -> WorkspaceSnapshot:
        self._known = take_snapshot(self._disk, self.journal.contents, self.limits, self._known)
        return self._known

    def _note_effects(self, unit: Unit, before: WorkspaceSnapshot) -> list[Effect]:
        effects = differences(before, self._snapshot())
        self.journal.watched(unit, effects)
        return effects

    def _journal_folder(self) -> Path:
        if self._state is not None:
            make_private_folder(self._state)
            let_go_of_old(self._state, self.limits.undo_days)
            make_private_folder(self._folder_in(self._state))
            return self._folder_in(self._state)
        self._temporary = TemporaryFolder("effects")
        return self._temporary.path

    def _folder_in(self, state: Path) -> Path:
        return state / derived_id("workspace", self.root)


def carry_out(
    tree: DiskTree, journal: Journal, unit: Unit, steps: Sequence[EffectStep], undoes: Sequence[int] = ()
) -> None:
    """Have effects one after the other; where one fails, take those before it back."""
    records = journal.intend(unit, steps, undoes)
    try:
        _have(tree, journal, records, steps)
    except BaseException as error:
        had = [pair for pair in zip(records, steps, strict=True) if journal.history.was_done(pair[0])]
        left = _take_back(tree, journal, unit, had) if had else ""
        if left and isinstance(error, ActionError):
            raise ActionError(error.reason, f"{error} {left}") from error
        raise


def settle(tree: DiskTree, journal: Journal) -> None:
    """Find out of every record that nobody said it of whether its effect was had, and clean up behind it.

    Effects are had in order, so behind one that was not had none was. Where it can't be told, because somebody else has
    changed the path since, it counts as had: undoing it is then refused, and says what is there.
    """
    records = list(journal.history.pending.values())
    for record in records:
        if record.temporary:
            tree.remove_temporary(record.effect.path, record.temporary)
    had = list(takewhile(lambda record: _was_had(tree, record.effect), records))
    if records:
        journal.settled(had, records[len(had) :])


def _have(tree: DiskTree, journal: Journal, records: Sequence[Record], steps: Sequence[EffectStep]) -> None:
    try:
        for record, step in zip(records, steps, strict=True):
            tree.apply(step, record.temporary)
            journal.done(record)
    except ActionError:
        # An effect that is refused was not had, whatever somebody else has put in its place.
        journal.settled([], list(journal.history.pending.values()))
        raise
    except BaseException:
        settle(tree, journal)
        raise


def _take_back(tree: DiskTree, journal: Journal, unit: Unit, had: Sequence[tuple[Record, EffectStep]]) -> str:
    """Take back what was done before an effect failed; return a sentence if that can't be done, else nothing."""
    steps = [inverse(step) for _, step in reversed(had)]
    try:
        records = journal.intend(unit, steps, [record.number for record, _ in reversed(had)])
        _have(tree, journal, records, steps)
    except ActionError as error:
        return f"What was done before could not be taken back: {error}"
    return ""


def _was_had(tree: DiskTree, effect: Effect) -> bool:
    """Whether an effect was had, or what is there doesn't tell."""
    assert not isinstance(effect, Gap), "what could not be watched is written down as it is, not intended"
    parts = plain_parts(effect.path)
    if isinstance(effect, Move):
        return _kind_at(tree, parts) is None and _kind_at(tree, plain_parts(effect.target)) is effect.kind
    found = loaded_or_none(tree, parts)
    now = found.node if found else None
    if _is_half_made(effect, now):
        tree.apply(EffectStep(Change(effect.path, now, effect.after)), "")
        return True
    return now != effect.before


def _kind_at(tree: DiskTree, parts: Parts) -> NodeKind | None:
    try:
        entry = tree.look(parts)
    except ActionError:
        return None
    return entry.kind if entry else None


def _is_half_made(change: Change, now: Node | None) -> bool:
    """Whether a folder was made, and not yet given its permissions."""
    is_made = change.before is None and change.after is not None and change.after.kind is NodeKind.FOLDER
    is_there = now is not None and now.kind is NodeKind.FOLDER and now.mode & 0o777 == NEW_FOLDER_MODE
    return is_made and is_there and now != change.after
