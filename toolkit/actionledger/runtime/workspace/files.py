"""What can be done with files: the same over the disk (``Workspace``) and in mind only (``Overlay``)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.edits import Bounds, Edit, Edited, edited_text
from actionledger.runtime.workspace.limits import FileLimits, TurnBudget
from actionledger.runtime.workspace.masks import MASK, refuse_masks
from actionledger.runtime.workspace.nodes import Change, Entry, Found, Kind, Step, paths_of
from actionledger.runtime.workspace.operations import (
    delete_steps,
    folder_steps,
    move_steps,
    replace_steps,
    write_steps,
)
from actionledger.runtime.workspace.paths import Parts, parts_of
from actionledger.runtime.workspace.refusals import no_file, not_found, too_large
from actionledger.runtime.workspace.searching import Hits, Listing, Search, listed, searched
from actionledger.runtime.workspace.texts import decoded, encoded
from actionledger.runtime.workspace.tree import Tree, near_paths
from actionledger.runtime.workspace.units import Unit, current_unit


class Files(ABC):
    """Files and folders under one root, and no way out of it.

    Paths are relative, with forward slashes, as a model writes them. Every method raises ``ActionError`` with a reason and a
    sentence for the model where a path is refused, a limit is reached, or the system can't do it; a change is then not
    made at all.

    Args:
        limits: how much it takes.
    """

    def __init__(self, limits: FileLimits) -> None:
        self.limits = limits
        self._budget = TurnBudget(limits)

    @property
    @abstractmethod
    def tree(self) -> Tree:
        """What there is."""

    @abstractmethod
    def _exclusively(self) -> AbstractContextManager[object]:
        """Keep everybody else who uses this workspace from changing it meanwhile."""

    @abstractmethod
    def _carry_out(self, steps: Sequence[Step], unit: Unit, /) -> None:
        """Have the effects, all of them or none."""

    def read(self, path: str) -> str:
        """Return a file's text, decoded as UTF-8; line ends and a byte order mark are kept."""
        parts = self._parts(path)
        return decoded(path, self._content(parts, path))

    def write(self, path: str, text: str) -> bool:
        """Write a file whole, making the folders above it; keep the permissions of one that is there."""
        parts = self._parts(path)
        content = encoded(path, text, self.limits.file_bytes)
        with self._exclusively():
            self._refuse_masks(parts, path, text)
            steps = write_steps(self.tree, parts, content)
            self._do(steps)
        return bool(steps) and isinstance(steps[-1].effect, Change) and steps[-1].effect.before is None

    def edit(self, path: str, edits: Sequence[Edit]) -> list[Edited]:
        """Change a file in places: all edits, one after the other, or none. Line ends and permissions stay."""
        parts = self._parts(path)
        bounds = Bounds(self.limits.file_bytes, self.limits.seconds)
        with self._exclusively():
            found = None if self._begins_a_file(parts, edits) else self._found(parts, path)
            before = decoded(path, found.content or b"") if found else ""
            after, results = edited_text(path, before, edits, bounds)
            refuse_masks(path, before, after)
            content = encoded(path, after, self.limits.file_bytes)
            self._do(
                replace_steps(parts, found, content) if found else write_steps(self.tree, parts, content)
            )
        return results

    def make_directory(self, path: str) -> bool:
        """Make a folder and those above it; one that is there stays as it is."""
        parts = self._parts(path)
        with self._exclusively():
            steps = folder_steps(self.tree, parts)
            self._do(steps)
        return bool(steps)

    def delete(self, path: str, *, recursive: bool = False) -> int:
        """Delete a file, a link, or a folder: an empty one, or with ``recursive`` all that is in it."""
        parts = self._parts(path)
        with self._exclusively():
            steps = delete_steps(self.tree, parts, self.limits, recursive=recursive)
            self._do(steps)
        return len(steps)

    def move(self, path: str, target: str, *, overwrite: bool = False) -> bool:
        """Give a file or folder another path, making the folders above it."""
        source, goal = self._parts(path), self._parts(target)
        with self._exclusively():
            steps = move_steps(self.tree, source, goal, overwrite=overwrite)
            self._do(steps)
        return any(isinstance(step.effect, Change) and step.effect.after is None for step in steps)

    def list_directory(self, path: str = ".", *, depth: int = 1) -> Listing:
        """Return what is in a folder and, down to a depth, in the folders in it."""
        return listed(self.tree, self._parts(path, root_is_meant=True), self.limits, depth=depth)

    def stat(self, path: str) -> Entry:
        """Return what stands at a path: its kind, size, permissions, time; a link is not followed."""
        parts = self._parts(path, root_is_meant=True)
        entry = self.tree.look(parts)
        if entry is None:
            raise not_found(path, near_paths(self.tree, parts))
        return entry

    def search(self, search: str | Search, path: str = ".") -> Hits:
        """Return the lines that hold a text, in the files of a folder; files that are no text are skipped and counted."""
        wanted = Search(search) if isinstance(search, str) else search
        if not wanted.text:
            raise ActionError(Reason.BAD_LENGTH, "The text to search for is empty.")
        return searched(self.tree, self._parts(path, root_is_meant=True), wanted, self.limits)

    def _do(self, steps: Sequence[Step]) -> None:
        """Have the effects of one operation, if the turn may have that much more."""
        if not steps:
            return
        unit = current_unit()
        paths = {path for step in steps for path in paths_of(step.effect)}
        size = sum(len(step.after) for step in steps if step.after)
        self._budget.check(unit.turn, paths, size)
        self._carry_out(steps, unit)
        self._budget.spend(unit.turn, paths, size)

    def _refuse_masks(self, parts: Parts, path: str, after: str) -> None:
        """See that no secret of a file that is written anew gives way to the asterisks that stand for it."""
        found = self.tree.load(parts) if MASK in after else None
        if found and found.content is not None:
            refuse_masks(path, found.content.decode(errors="replace"), after)

    def _parts(self, path: str, *, root_is_meant: bool = False) -> Parts:
        parts = parts_of(path, root_is_meant=root_is_meant)
        if len(parts) > self.limits.depth:
            message = (
                f"The path {path[:60]!r} goes through {len(parts)} names; the limit is {self.limits.depth}."
            )
            raise ActionError(Reason.PATH_REFUSED, message)
        return parts

    def _content(self, parts: Parts, path: str) -> bytes:
        return self._found(parts, path).content or b""

    def _found(self, parts: Parts, path: str) -> Found:
        """Return the file that a model may read at a path."""
        entry = self.tree.look(parts)
        if entry is not None and entry.kind is Kind.FILE and entry.size > self.limits.file_bytes:
            raise too_large(path, entry.size, self.limits.file_bytes)
        found = self.tree.load(parts)
        if found is None:
            raise not_found(path, near_paths(self.tree, parts))
        if found.node.kind is not Kind.FILE:
            raise no_file(path, found.node.kind)
        if found.names > 1:
            message = (
                f"The file {path!r} has a second name (a hard link), which may lie outside the workspace."
            )
            raise ActionError(Reason.PATH_REFUSED, message)
        return found

    def _begins_a_file(self, parts: Parts, edits: Sequence[Edit]) -> bool:
        """Whether edits make a file that isn't there: the first one looks for nothing."""
        looks_for_nothing = bool(edits) and not edits[0].search and not edits[0].is_pattern
        return looks_for_nothing and self.tree.look(parts) is None
