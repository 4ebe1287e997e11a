"""File operations, planned completely before any is applied: on disk (``Workspace``) or in memory (``Overlay``)."""

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from threading import Lock

from actionledger.core.errors import ActionError
from actionledger.core.text import counted
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.edits import Edit, EditBounds, Edited, edited_text
from actionledger.runtime.workspace.history import Unit, current_unit
from actionledger.runtime.workspace.nodes import (
    Change,
    EffectStep,
    FoundNode,
    Move,
    Node,
    NodeKind,
    PathEntry,
    file_node,
    paths_of,
)
from actionledger.runtime.workspace.paths import (
    Parts,
    no_file,
    no_folder,
    not_found,
    parts_of,
    path_of,
    same_name_key,
    too_large,
)
from actionledger.runtime.workspace.search import Hits, Listing, Search, listed, searched
from actionledger.runtime.workspace.snapshots import FileLimits, TurnBudget
from actionledger.runtime.workspace.texts import MASK, decoded, encoded, refuse_masks
from actionledger.runtime.workspace.tree import FileTree, is_taken, near_paths


class Files(ABC):
    """Files and folders under one root, and confined to it.

    Paths are relative, with forward slashes, as a model writes them. Every method raises ``ActionError``, with a reason and a
    sentence for the model, if a path is refused, a limit is reached, or the system refuses it. Nothing is changed
    then.
    """

    def __init__(self, limits: FileLimits) -> None:
        self.limits = limits
        self._budget = TurnBudget(limits)

    @property
    @abstractmethod
    def tree(self) -> FileTree:
        """The tree of files."""

    @abstractmethod
    def _exclusively(self) -> AbstractContextManager[object]:
        """Lock the workspace against changes by other users of it."""

    @abstractmethod
    def _carry_out(self, steps: Sequence[EffectStep], unit: Unit, /) -> None:
        """Apply effects, all or none."""

    def read(self, path: str) -> str:
        """Return a file's text, decoded as UTF-8, including line ends and a byte order mark."""
        parts = self._parts(path)
        return decoded(path, self._content(parts, path))

    def write(self, path: str, text: str) -> bool:
        """Write a whole file and make its parent folders; an existing file keeps its permissions."""
        parts = self._parts(path)
        content = encoded(path, text, self.limits.file_bytes)
        with self._exclusively():
            # Masking asterisks must not overwrite a secret in the file.
            found = self.tree.load(parts) if MASK in text else None
            if found and found.content is not None:
                refuse_masks(path, found.content.decode(errors="replace"), text)
            steps = write_steps(self.tree, parts, content)
            self._do(steps)
        return bool(steps) and isinstance(steps[-1].effect, Change) and steps[-1].effect.before is None

    def edit(self, path: str, edits: Sequence[Edit]) -> list[Edited]:
        """Apply edits to a file in order, all or none; line ends and permissions are kept."""
        parts = self._parts(path)
        bounds = EditBounds(self.limits.file_bytes, self.limits.seconds)
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
        """Make a folder and its parents; an existing one is unchanged."""
        parts = self._parts(path)
        with self._exclusively():
            steps = folder_steps(self.tree, parts)
            self._do(steps)
        return bool(steps)

    def delete(self, path: str, *, recursive: bool = False) -> int:
        """Delete a file, a link or an empty folder; with ``recursive``, also a folder with its content."""
        parts = self._parts(path)
        with self._exclusively():
            steps = delete_steps(self.tree, parts, self.limits, recursive=recursive)
            self._do(steps)
        return len(steps)

    def move(self, path: str, target: str, *, overwrite: bool = False) -> bool:
        """Move a file or folder to another path, and make the parent folders."""
        source, goal = self._parts(path), self._parts(target)
        with self._exclusively():
            steps = move_steps(self.tree, source, goal, overwrite=overwrite)
            self._do(steps)
        return any(isinstance(step.effect, Change) and step.effect.after is None for step in steps)

    def list_directory(self, path: str = ".", *, depth: int = 1) -> Listing:
        """Return a folder's entries and, down to a depth, those of its subfolders."""
        return listed(self.tree, self._parts(path, root_is_meant=True), self.limits, depth=depth)

    def stat(self, path: str) -> PathEntry:
        """Return the entry at a path: its kind, size, permissions and time; a link is not followed."""
        parts = self._parts(path, root_is_meant=True)
        entry = self.tree.look(parts)
        if entry is None:
            raise not_found(path, near_paths(self.tree, parts))
        return entry

    def search(self, search: str | Search, path: str = ".") -> Hits:
        """Return the lines in a folder's files that contain a text; files that are not text are skipped and counted."""
        wanted = Search(search) if isinstance(search, str) else search
        if not wanted.text:
            raise ActionError(Reason.BAD_LENGTH, "The text to search for is empty.")
        return searched(self.tree, self._parts(path, root_is_meant=True), wanted, self.limits)

    def _do(self, steps: Sequence[EffectStep]) -> None:
        """Apply the effects of one operation, within the turn's limits."""
        if not steps:
            return
        unit = current_unit()
        paths = {path for step in steps for path in paths_of(step.effect)}
        size = sum(len(step.after) for step in steps if step.after)
        self._budget.check(unit.turn, paths, size)
        self._carry_out(steps, unit)
        self._budget.spend(unit.turn, paths, size)

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

    def _found(self, parts: Parts, path: str) -> FoundNode:
        """Return the file at a path, if a model may read it."""
        entry = self.tree.look(parts)
        if entry is not None and entry.kind is NodeKind.FILE and entry.size > self.limits.file_bytes:
            raise too_large(path, entry.size, self.limits.file_bytes)
        found = self.tree.load(parts)
        if found is None:
            raise not_found(path, near_paths(self.tree, parts))
        if found.node.kind is not NodeKind.FILE:
            raise no_file(path, found.node.kind)
        if found.names > 1:
            message = (
                f"The file {path!r} has a second name (a hard link), which may lie outside the workspace."
            )
            raise ActionError(Reason.PATH_REFUSED, message)
        return found

    def _begins_a_file(self, parts: Parts, edits: Sequence[Edit]) -> bool:
        """Whether edits create a missing file: the first one searches for nothing."""
        looks_for_nothing = bool(edits) and not edits[0].search and not edits[0].is_pattern
        return looks_for_nothing and self.tree.look(parts) is None


_umask_lock = Lock()


def write_steps(tree: FileTree, parts: Parts, content: bytes) -> list[EffectStep]:
    """Return the steps that write a file, including its parent folders."""
    found = tree.load(parts)
    if found is None:
        mode = 0o666 & ~_process_mask()
        steps = folder_steps(tree, parts[:-1])
        if not steps:
            _check_name(tree, parts)
        return [*steps, EffectStep(Change(path_of(parts), None, file_node(content, mode)), after=content)]
    if found.node.kind is not NodeKind.FILE:
        raise no_file(path_of(parts), found.node.kind)
    return replace_steps(parts, found, content)


def replace_steps(parts: Parts, found: FoundNode, content: bytes) -> list[EffectStep]:
    """Return the step that replaces a file's content and keeps its permissions.

    Set-user-ID and similar bits are dropped, as in every write to a file.
    """
    after = file_node(content, found.node.mode & 0o777)
    if found.content == content:
        return []
    return [EffectStep(Change(path_of(parts), found.node, after), found.content, content)]


def folder_steps(tree: FileTree, parts: Parts) -> list[EffectStep]:
    """Return the steps that make a folder and its parents, outermost first."""
    for depth in range(1, len(parts) + 1):
        entry = tree.look(parts[:depth])
        if entry is None:
            _check_name(tree, parts[:depth])
            mode = 0o777 & ~_process_mask() | _inherited(tree, parts[: depth - 1])
            made = (parts[:end] for end in range(depth, len(parts) + 1))
            return [EffectStep(Change(path_of(folder), None, Node(NodeKind.FOLDER, mode))) for folder in made]
        if entry.kind is not NodeKind.FOLDER:
            raise no_folder(path_of(parts), parts[depth - 1])
    return []


def delete_steps(tree: FileTree, parts: Parts, limits: FileLimits, *, recursive: bool) -> list[EffectStep]:
    """Return the steps that delete a file, a link or a folder; a folder's content comes first."""
    entry = tree.look(parts)
    if entry is None:
        raise not_found(path_of(parts))
    if entry.kind is NodeKind.FOLDER and not recursive and (names := tree.names(parts)):
        message = (
            f"The folder {path_of(parts)!r} holds {counted(len(names), 'entry', 'entries')}, such as {min(names)!r}. "
            "Delete what is in it first, or say recursive."
        )
        raise ActionError(Reason.NOT_EMPTY, message)
    deletion = _Deletion(tree, limits)
    deletion.add(parts)
    return deletion.steps


def move_steps(tree: FileTree, source: Parts, target: Parts, *, overwrite: bool) -> list[EffectStep]:
    """Return the steps that move something, including the parent folders of its new path."""
    path, new_path = path_of(source), path_of(target)
    entry = tree.look(source)
    if entry is None:
        raise not_found(path)
    if entry.kind is NodeKind.OTHER:
        raise no_file(path, entry.kind)
    if target[: len(source)] == source:
        message = f"{path!r} can't be moved to {new_path!r}, which is itself or in it."
        raise ActionError(Reason.PATH_REFUSED, message)
    steps = folder_steps(tree, target[:-1])
    if not steps and is_taken(tree, target):
        steps += _overwrite_steps(tree, target, entry, overwrite=overwrite)
    elif not steps:
        _check_name(tree, target, besides=source)
    return [*steps, EffectStep(Move(path, new_path, entry.kind))]


def _overwrite_steps(tree: FileTree, target: Parts, moved: PathEntry, *, overwrite: bool) -> list[EffectStep]:
    path = path_of(target)
    if not overwrite:
        message = f"Something is at {path!r} already. Choose another path, or say overwrite."
        raise ActionError(Reason.ALREADY_EXISTS, message)
    found = tree.load(target)
    if found is None or found.node.kind is not NodeKind.FILE or moved.kind is not NodeKind.FILE:
        message = f"Only a file can overwrite a file, and {path!r} or {moved.path!r} is none."
        raise ActionError(Reason.ALREADY_EXISTS, message)
    return [EffectStep(Change(path, found.node, None), found.content)]


def _inherited(tree: FileTree, parts: Parts) -> int:
    """Return the set-group-ID bit that a new folder inherits from its parent."""
    entry = tree.look(parts)
    return entry.mode & stat.S_ISGID if entry else 0


def _check_name(tree: FileTree, parts: Parts, besides: Parts = ()) -> None:
    """Raise if the folder has another name that some file system treats as the same."""
    *above, name = parts
    key = same_name_key(name)
    for other in tree.names(tuple(above)):
        if other != name and same_name_key(other) == key and (*above, other) != besides:
            message = (
                f"The path {path_of(parts)!r} differs from {path_of((*above, other))!r} in letter case or Unicode form "
                "only, and some systems take them for one. Use the name that is there, or another one."
            )
            raise ActionError(Reason.PATH_REFUSED, message)


class _Deletion:
    """The steps that delete something with its content, content first."""

    def __init__(self, tree: FileTree, limits: FileLimits) -> None:
        self.tree, self.limits = tree, limits
        self.steps: list[EffectStep] = []
        self.kept = 0

    def add(self, parts: Parts) -> None:
        path = path_of(parts)
        found = self.tree.load(parts)
        if found is None:
            raise not_found(path)
        if found.node.kind is NodeKind.OTHER:
            raise no_file(path, found.node.kind)
        if found.node.kind is NodeKind.FOLDER:
            self.add_all_in(parts)
        self.steps.append(EffectStep(Change(path, found.node, None), found.content))
        self.kept += len(found.content or b"")
        if len(self.steps) > self.limits.entries or self.kept > self.limits.tree_bytes:
            message = (
                f"More would be deleted than can be kept to bring it back: {self.limits.entries:,} files and folders, "
                f"{self.limits.tree_bytes:,} bytes. Delete parts of it first."
            )
            raise ActionError(Reason.TOO_LARGE, message)

    def add_all_in(self, parts: Parts) -> None:
        if len(parts) > self.limits.depth:
            message = f"The folder {path_of(parts)!r} lies in more than {self.limits.depth} folders."
            raise ActionError(Reason.TOO_LARGE, message)
        for name in sorted(self.tree.names(parts)):
            self.add((*parts, name))


def _process_mask() -> int:
    """Return the process's umask: the permission bits that new files don't get."""
    # The umask can only be read by setting it; the temporary one is the strictest.
    with _umask_lock:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask
