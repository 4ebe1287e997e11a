"""An in-memory tree on top of another one, and the overlay of a dry run, which never writes to disk."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from threading import RLock
from typing import Final, TypeVar

from actionledger.core.errors import ActionError
from actionledger.runtime.workspace.files import Files
from actionledger.runtime.workspace.history import Unit
from actionledger.runtime.workspace.nodes import Change, EffectStep, FoundNode, Move, NodeKind, PathEntry
from actionledger.runtime.workspace.paths import Parts, no_folder, not_found, path_of, plain_parts
from actionledger.runtime.workspace.snapshots import FileLimits
from actionledger.runtime.workspace.texts import Diff, DiffKind, unified
from actionledger.runtime.workspace.tree import FileTree, loaded_or_none


@dataclass(frozen=True, slots=True)
class OverlayEntry:
    """The entry at a path of an overlay."""

    kind: NodeKind  # kind, size, mode: see `Entry`
    size: int
    mode: int
    # the node with its content; None if it must still be loaded from the tree below
    found: FoundNode | None = None
    origin: Parts | None = None  # its path in the tree below; None if it is new
    # whether it is an unmoved folder that still shows its content in the tree below
    shows_below: bool = False


class _Below:
    """Marks a path that is not in the overlay and looks as in the tree below."""


BELOW: Final = _Below()


class LayeredTree:
    """A tree on top of another one, which is only read."""

    def __init__(self, base: FileTree) -> None:
        self.base = base
        self.held: dict[Parts, OverlayEntry | None] = {}
        """The entry at each changed path; None if the path is deleted."""
        self._inner: dict[Parts, set[str]] = {}

    def look(self, parts: Parts) -> PathEntry | None:
        """See ``Tree.look``."""
        held = self._at(parts)
        if isinstance(held, _Below):
            return self.base.look(parts)
        return None if held is None else PathEntry(path_of(parts), held.kind, held.size, held.mode, None)

    def load(self, parts: Parts) -> FoundNode | None:
        """See ``Tree.load``."""
        held = self._at(parts)
        if isinstance(held, _Below):
            return self.base.load(parts)
        if held is None:
            return None
        if held.found:
            return held.found
        assert held.origin is not None, "what is held is either new or has its origin"
        return self.base.load(held.origin)

    def names(self, parts: Parts) -> list[str]:
        """See ``Tree.names``."""
        held = self._at(parts)
        if held is None:
            raise not_found(path_of(parts))
        shows_below = isinstance(held, _Below) or held.shows_below
        below = (
            [name for name in self.base.names(parts) if (*parts, name) not in self.held]
            if shows_below
            else []
        )
        return below + [name for name in self._inner.get(parts, ()) if self.held[*parts, name]]

    def concerned(self) -> set[Parts]:
        """Return every path that may differ from the tree below: the changed ones, and those that they hide."""
        paths = set(self.held)
        for parts, held in self.held.items():
            if held is None or not held.shows_below:
                paths.update(_all_in(self.base, parts))
        return paths

    def apply(self, step: EffectStep) -> None:
        """Apply an effect in memory."""
        if isinstance(step.effect, Move):
            source = plain_parts(step.effect.path)
            target = plain_parts(step.effect.target)
            moved = self._collected(source)
            for parts in moved:
                self._forget(parts)
            self._hold(source, None)
            for parts, held in moved.items():
                self._hold((*target, *parts[len(source) :]), held)
        else:
            self._change(step.effect, step.after)

    def _at(self, parts: Parts) -> OverlayEntry | _Below | None:
        """Return the overlay's entry at a path; None if the path doesn't exist."""
        hidden = False
        for depth in range(1, len(parts) + 1):
            above = parts[:depth]
            if above not in self.held:
                if hidden:
                    return None
                continue
            held = self.held[above]
            if held is None or depth == len(parts):
                return held
            if held.kind is not NodeKind.FOLDER:
                raise no_folder(path_of(parts), above[-1])
            hidden = not held.shows_below
        return None if hidden else BELOW

    def _change(self, change: Change, content: bytes | None) -> None:
        parts, node = plain_parts(change.path), change.after
        if node is None:
            self._hold(parts, None)
            return
        now = self._at(parts)
        is_folder_still = bool(change.before and change.before.kind is node.kind is NodeKind.FOLDER)
        shows_below = is_folder_still and (isinstance(now, _Below) or bool(now and now.shows_below))
        origin = now.origin if is_folder_still and isinstance(now, OverlayEntry) else None
        self._hold(
            parts,
            OverlayEntry(node.kind, node.size, node.mode, FoundNode(node, content), origin, shows_below),
        )

    def _collected(self, source: Parts) -> dict[Parts, OverlayEntry]:
        """Return the entries at a path and within it."""
        moved: dict[Parts, OverlayEntry] = {}
        waiting = [source]
        while waiting:
            parts = waiting.pop()
            held, entry = self._at(parts), self.look(parts)
            if entry is None:
                continue
            if isinstance(held, OverlayEntry):
                origin = parts if held.shows_below else held.origin
                moved[parts] = replace(held, shows_below=False, origin=origin)
            else:
                moved[parts] = OverlayEntry(entry.kind, entry.size, entry.mode, None, parts)
            if entry.kind is NodeKind.FOLDER:
                waiting += [(*parts, name) for name in self.names(parts)]
        return moved

    def _hold(self, parts: Parts, held: OverlayEntry | None) -> None:
        self.held[parts] = held
        self._inner.setdefault(parts[:-1], set()).add(parts[-1])

    def _forget(self, parts: Parts) -> None:
        if parts in self.held:
            del self.held[parts]
            self._inner[parts[:-1]].discard(parts[-1])


def _all_in(tree: FileTree, folder: Parts) -> Iterator[Parts]:
    """Yield all paths in a folder, at any depth; none if it is not a folder."""
    waiting = [folder]
    while waiting:
        parts = waiting.pop()
        try:
            entry = tree.look(parts)
            names = tree.names(parts) if entry and entry.kind is NodeKind.FOLDER else []
        except ActionError:
            continue
        inner = [(*parts, name) for name in names]
        yield from inner
        waiting += inner


_T = TypeVar("_T")


class Overlay(Files):
    """An overlay on a workspace: writes go to memory, and reads see them."""

    def __init__(self, base: FileTree, limits: FileLimits) -> None:
        super().__init__(limits)
        self._layers = LayeredTree(base)
        self._steps: list[EffectStep] = []
        self._lock = RLock()

    @property
    def tree(self) -> LayeredTree:
        """The tree with all changes."""
        return self._layers

    def diffs(self) -> list[Diff]:
        """Return the diff of each changed path, for review, sorted by path."""
        with self._lock:
            moved = {one.origin for path, one in self._layers.held.items() if one and one.origin != path}
            diffs = (self._diff(path, moved) for path in sorted(self._layers.concerned()))
            return [diff for diff in diffs if diff]

    def trying(self, act: Callable[[], _T]) -> tuple[_T, list[Diff]]:
        """Run a function on the files; return its result and the diffs that it caused."""
        with self._lock:
            before, self._layers, self._steps = self._layers, LayeredTree(self._layers), []
            try:
                return act(), self.diffs()
            finally:
                self._layers = before
                for step in self._steps:
                    before.apply(step)

    def _exclusively(self) -> AbstractContextManager[object]:
        return self._lock

    def _carry_out(self, steps: Sequence[EffectStep], _unit: Unit, /) -> None:
        for step in steps:
            self._layers.apply(step)
        self._steps += steps

    def _diff(self, parts: Parts, moved: Collection[Parts | None]) -> Diff | None:
        path, held = path_of(parts), self._layers.held.get(parts)
        if held and held.origin and held.origin != parts:
            along = self._layers.held.get(parts[:-1])
            if along and along.origin == held.origin[:-1] and along.origin != parts[:-1]:
                return None  # removed together with its folder
            origin = path_of(held.origin)
            return Diff(path, DiffKind.MOVED, f"(moved from {origin})", origin)
        before, after = loaded_or_none(self._layers.base, parts), loaded_or_none(self._layers, parts)
        if after is None:
            is_gone = before and parts not in moved
            return (
                Diff(_shown(path, before), DiffKind.DELETED, _text(path, before, None)) if is_gone else None
            )
        if before and before.node == after.node:
            return None
        kind = DiffKind.CHANGED if before else DiffKind.CREATED
        return Diff(_shown(path, after), kind, _text(path, before, after))


def _shown(path: str, found: FoundNode | None) -> str:
    return f"{path}/" if found and found.node.kind is NodeKind.FOLDER else path


def _text(path: str, before: FoundNode | None, after: FoundNode | None) -> str:
    old, new = before.content if before else None, after.content if after else None
    lines = []
    if before and after and before.node.mode != after.node.mode:
        lines.append(f"(mode {before.node.mode:o} before, {after.node.mode:o} after)")
    if old != new:
        lines.append(unified(path, old, new))
    one = after or before
    if one and not lines:
        lines.append(f"({one.node.kind} {one.node.target})".replace(" )", ")"))
    return "\n".join(lines)
