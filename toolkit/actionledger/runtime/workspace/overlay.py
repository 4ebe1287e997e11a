"""A dry run: the same operations over the same files, and nothing of it on the disk."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from threading import RLock
from typing import TypeVar

from actionledger.runtime.workspace.diffs import Diff, DiffKind, unified
from actionledger.runtime.workspace.files import Files
from actionledger.runtime.workspace.layers import LayeredTree
from actionledger.runtime.workspace.limits import FileLimits
from actionledger.runtime.workspace.nodes import Found, Kind, Step
from actionledger.runtime.workspace.paths import Parts, path_of
from actionledger.runtime.workspace.tree import Tree, loaded_or_none
from actionledger.runtime.workspace.units import Unit

_T = TypeVar("_T")


class Overlay(Files):
    """What a workspace would be: writes go to memory, and reads see what was written before.

    Args:
        base: what is there.
        limits: how much it takes.
    """

    def __init__(self, base: Tree, limits: FileLimits) -> None:
        super().__init__(limits)
        self._layers = LayeredTree(base)
        self._steps: list[Step] = []
        self._lock = RLock()

    @property
    def tree(self) -> LayeredTree:
        """What there would be."""
        return self._layers

    def diffs(self) -> list[Diff]:
        """Return what would become of each path, for review; sorted by path."""
        with self._lock:
            moved = {one.origin for path, one in self._layers.held.items() if one and one.origin != path}
            diffs = (self._diff(path, moved) for path in sorted(self._layers.concerned()))
            return [diff for diff in diffs if diff]

    def trying(self, act: Callable[[], _T]) -> tuple[_T, list[Diff]]:
        """Do something to the files; return what it returned, and what has become of each path by it alone."""
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

    def _carry_out(self, steps: Sequence[Step], _unit: Unit, /) -> None:
        for step in steps:
            self._layers.apply(step)
        self._steps += steps

    def _diff(self, parts: Parts, moved: Collection[Parts | None]) -> Diff | None:
        path, held = path_of(parts), self._layers.held.get(parts)
        if held and held.origin and held.origin != parts:
            along = self._layers.held.get(parts[:-1])
            if along and along.origin == held.origin[:-1] and along.origin != parts[:-1]:
                return None  # it went with its folder
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


def _shown(path: str, found: Found | None) -> str:
    return f"{path}/" if found and found.node.kind is Kind.FOLDER else path


def _text(path: str, before: Found | None, after: Found | None) -> str:
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
