"""The files in one folder on disk: every change is recorded before it is made, made completely, and can be undone."""

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
from actionledger.runtime.workspace.snapshots import FileLimits, WorkspaceSnapshot, differences, take_snapshot
from actionledger.runtime.workspace.tree import DiskTree, loaded_or_none
from actionledger.runtime.workspace.undo import Undone, undo_steps, undoing_of, undoings


@dataclass(slots=True)
class Watched:
    """The changes that a command made in the workspace; known when it has finished."""

    effects: list[Effect] = field(default_factory=list)  # each change, and each gap in the tracking


class Workspace(Files):
    """A folder that a session may read and write, and is confined to; see ``Files`` for the operations.

    Changes within ``units.belonging_to`` belong to that turn and action, and are undone with them. Undo restores contents,
    permissions, empty folders and links. It doesn't restore owners, times, extended attributes, a file's further names
    (hard links) and the root's own permissions.

    Args:
        root: the folder; it is made if missing.
        state: the folder of the journal, outside the root. It survives this process, so that changes can be undone later, and the
            next process that changes something resolves what a crash cut off. If not given, a temporary
            folder that is removed with this object.
        limits: its limits.

    Raises:
        UsageError: the root is not a folder or can't be made, or the journal would be in it.
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
            # A workspace with undo uses the journal from now on.
            with suppress(ActionError):
                self.journal  # noqa: B018 - opened on first access

    @property
    def tree(self) -> DiskTree:
        """The tree on disk."""
        return self._disk

    @property
    def journal(self) -> Journal:
        """The journal of the workspace's effects."""
        with self._opening, recording():
            if self._journal is None:
                folder = self._journal_folder()
                self._in_use = InUse(folder)
                self._journal = Journal(folder, is_durable=self._state is not None)
            return self._journal

    def dry_run(self) -> Overlay:
        """Return an overlay on these files, where everything can be tried without effect."""
        return Overlay(self._disk, self.limits)

    def undo(self, action: str) -> Undone:
        """Undo all changes of an action, or revert an undo.

        Args:
            action: its id, as in ``units.belonging_to`` or ``Undone.action``.

        Raises:
            UndoRefusedError: a path has changed since; nothing is undone then.
            ActionError: there is nothing to undo.
        """
        return self._undo(lambda record: record.unit.action == action, f"the action {action!r}")

    def undo_turn(self, turn: str) -> Undone:
        """Undo all changes of a turn; see ``undo``."""
        return self._undo(lambda record: record.unit.turn == turn != "", f"the turn {turn!r}")

    def undo_back_to(self, turn: str) -> Undone:
        """Undo all changes of the turns after the given one; see ``undo``."""
        with self._exclusively():
            turns = self.journal.history.turns()
            if turn not in turns:
                message = f"The turn {turn!r} has changed nothing here. Known turns: {', '.join(turns[-5:]) or 'none'}."
                raise ActionError(Reason.NOT_FOUND, message)
            later = set(turns[turns.index(turn) + 1 :])
            return self._undo(lambda record: record.unit.turn in later, f"the turns after {turn!r}")

    def undoings(self) -> list[Undone]:
        """Return the undos that were not part of an action, in order."""
        with self._exclusively():
            return undoings(self.journal.history)

    def is_changed_by(self, turn: str) -> bool:
        """Return whether a turn still has changes to undo."""
        with self._exclusively():
            return bool(self.journal.history.to_undo(lambda record: record.unit.turn == turn != ""))

    @contextmanager
    def watching(self) -> Iterator[Watched]:
        """Record the changes that a command makes in the workspace within the block, so that they can be undone.

        Nobody else can change the workspace through the toolkit in this time. Files too large to store are among the effects,
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
        """Resolve what a dead process left unresolved."""
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
    """Apply effects in order; if one fails, revert those before it."""
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
    """Determine which pending effects were applied, and remove their temporary files.

    Effects are applied in order, so none follows one that was not applied. If a path has changed since, its effect counts as
    applied: undoing it is then refused, with the current state in the message.
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
        # A refused effect was not applied, whatever is at its path now.
        journal.settled([], list(journal.history.pending.values()))
        raise
    except BaseException:
        settle(tree, journal)
        raise


def _take_back(tree: DiskTree, journal: Journal, unit: Unit, had: Sequence[tuple[Record, EffectStep]]) -> str:
    """Revert the effects before a failed one; return a sentence if that fails, otherwise nothing."""
    steps = [inverse(step) for _, step in reversed(had)]
    try:
        records = journal.intend(unit, steps, [record.number for record, _ in reversed(had)])
        _have(tree, journal, records, steps)
    except ActionError as error:
        return f"What was done before could not be taken back: {error}"
    return ""


def _was_had(tree: DiskTree, effect: Effect) -> bool:
    """Whether an effect was applied; also true if that can't be determined."""
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
    """Whether a folder was made but its permissions were not set yet."""
    is_made = change.before is None and change.after is not None and change.after.kind is NodeKind.FOLDER
    is_there = now is not None and now.kind is NodeKind.FOLDER and now.mode & 0o777 == NEW_FOLDER_MODE
    return is_made and is_there and now != change.after
