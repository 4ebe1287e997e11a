"""The protocol of a file tree, and the tree on disk: each path is walked name by name, without following symbolic links."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from actionledger.core.errors import ActionError
from actionledger.core.names import near_names
from actionledger.runtime.workspace.folders import Folder
from actionledger.runtime.workspace.nodes import (
    Change,
    EffectStep,
    FoundNode,
    Move,
    Node,
    NodeKind,
    PathEntry,
    digest_of,
    kind_of,
)
from actionledger.runtime.workspace.paths import (
    Parts,
    changed_meanwhile,
    no_file,
    no_folder,
    not_found,
    path_of,
    plain_parts,
    refusing,
    too_large,
)

_MOST_COMPARED = 1_000
"""The maximum number of names that a wrong one is compared with."""


class FileTree(Protocol):
    """Files and folders under one root; paths are given as names from the root inwards.

    Every method raises ``ActionError`` if a name on the way is a file or a link.
    """

    def look(self, parts: Parts) -> PathEntry | None:
        """Return the entry at a path, without content; None if there is none."""

    def names(self, parts: Parts) -> list[str]:
        """Return all names in an existing folder, unordered."""

    def load(self, parts: Parts) -> FoundNode | None:
        """Return the node at a path, including a file's content; None if there is none."""


def folder_names(tree: FileTree, parts: Parts) -> list[str]:
    """Return the names in a folder, sorted."""
    if parts:
        entry = tree.look(parts)
        if entry is None:
            raise not_found(path_of(parts))
        if entry.kind is not NodeKind.FOLDER:
            raise no_folder(path_of(parts), parts[-1])
    return sorted(tree.names(parts))


def near_paths(tree: FileTree, parts: Parts) -> tuple[str, ...]:
    """Return at most three existing paths in the same folder that are similar to a missing path."""
    try:
        names = tree.names(parts[:-1]) if _is_folder(tree, parts[:-1]) else []
    except ActionError:
        return ()
    return tuple(path_of((*parts[:-1], name)) for name in near_names(parts[-1], names[:_MOST_COMPARED]))


def obstacle(tree: FileTree, effect: Change | Move) -> str | None:
    """Return why an effect can't be applied to a tree as it is now, as a sentence; None if it can."""
    try:
        if isinstance(effect, Move):
            return _move_obstacle(tree, effect)
        return _change_obstacle(tree, effect)
    except ActionError as error:
        return str(error)


def _change_obstacle(tree: FileTree, change: Change) -> str | None:
    parts = plain_parts(change.path)
    if change.before and not change.before.is_known:
        return "What was left there was too large to be looked at, so it may have been changed since."
    found = tree.load(parts)
    now = found.node if found else None
    if now != change.before:
        # How the node differs from the one left there, as a sentence for people.
        expected = change.before
        if now is None:
            return "It is gone."
        if expected is None:
            return f"Something is there now: a {now.kind}."
        if now.kind is not expected.kind:
            return f"It was a {expected.kind} and is a {now.kind} now."
        if now.digest != expected.digest:
            return f"Its content was changed: {expected.size:,} bytes were left there, {now.size:,} are there now."
        if now.target != expected.target:
            return f"It was a link to {expected.target!r} and is one to {now.target!r} now."
        return f"Its permissions were {expected.mode:o} and are {now.mode:o} now."
    if change.before is None and not _is_folder(tree, parts[:-1]):
        return "The folder that it lay in is gone."
    if change.after is None and now and now.kind is NodeKind.FOLDER and (names := tree.names(parts)):
        return f"The folder holds {min(names)!r}, which wasn't there."
    return None


def _move_obstacle(tree: FileTree, move: Move) -> str | None:
    source, target = plain_parts(move.path), plain_parts(move.target)
    entry = tree.look(source)
    if entry is None or entry.kind is not move.kind:
        return f"Expected a {move.kind}, found {f'a {entry.kind}' if entry else 'nothing'}."
    if not _is_folder(tree, target[:-1]):
        return f"The folder of {move.target!r} is gone."
    if is_taken(tree, target):
        return f"Something is at {move.target!r} now."
    return None


def loaded_or_none(tree: FileTree, parts: Parts) -> FoundNode | None:
    """Return the node at a path; None if there is none, or it can't be read."""
    try:
        return tree.load(parts)
    except ActionError:
        return None


def is_taken(tree: FileTree, parts: Parts) -> bool:
    """Whether a path exists with exactly this name.

    A case-insensitive system also finds names in other letter case, which don't count.
    """
    return tree.look(parts) is not None and parts[-1] in tree.names(parts[:-1])


def _is_folder(tree: FileTree, parts: Parts) -> bool:
    entry = tree.look(parts) if parts else None
    return not parts or (entry is not None and entry.kind is NodeKind.FOLDER)


_NO_FOLDER = {errno.ENOTDIR, errno.ELOOP, errno.EMLINK}
"""The errors for opening a link or file as a folder without following links."""


class DiskTree:
    """The files and folders in a folder on disk."""

    def __init__(self, root: Path, kept_bytes: int) -> None:
        self._root = root
        self._kept_bytes = kept_bytes

    def look(self, parts: Parts) -> PathEntry | None:
        """See ``Tree.look``."""
        path = path_of(parts)
        with refusing(path):
            try:
                with self.folder(parts[:-1], path) as folder:
                    status = folder.status(parts[-1]) if parts else folder.own_status()
            except FileNotFoundError:
                return None
        kind = kind_of(status)
        size = status.st_size if kind is NodeKind.FILE else 0
        return PathEntry(path, kind, size, stat.S_IMODE(status.st_mode), status.st_mtime_ns)

    def names(self, parts: Parts) -> list[str]:
        """See ``Tree.names``."""
        path = path_of(parts)
        with refusing(path), self.folder(parts, path) as folder:
            return folder.names()

    def load(self, parts: Parts) -> FoundNode | None:
        """See ``Tree.load``."""
        path = path_of(parts)
        with refusing(path):
            try:
                with self.folder(parts[:-1], path) as folder:
                    return found_in(folder, parts[-1], path, self._kept_bytes)
            except FileNotFoundError:
                return None

    def apply(self, step: EffectStep, temporary: str) -> None:
        """Apply an effect, if the node is still as it was when the effect was planned."""
        with refusing(step.effect.path):
            if isinstance(step.effect, Move):
                self._move(step.effect)
            else:
                self._change(step.effect, step.after, temporary)

    def remove_temporary(self, path: str, temporary: str) -> None:
        """Remove the temporary file of a write that was cut off."""
        with suppress(ActionError, OSError), self.folder(plain_parts(path)[:-1], path) as folder:
            folder.remove_file(temporary)

    def folder(self, parts: Parts, path: str) -> Folder:
        """Open a folder; the caller closes it."""
        folder = Folder.at(self._root)
        for part in parts:
            try:
                inner = folder.open_folder(part)
            except OSError as error:
                if error.errno in _NO_FOLDER:
                    raise no_folder(path, part) from None
                raise
            finally:
                folder.close()
            folder = inner
        return folder

    def _change(self, change: Change, content: bytes | None, temporary: str) -> None:
        parts = plain_parts(change.path)
        name, before, after = parts[-1], change.before, change.after
        with self.folder(parts[:-1], change.path) as folder:
            if _node_in(folder, name, change.path, self._kept_bytes) != before:
                raise changed_meanwhile(change.path)
            if after is None:
                remove = (
                    folder.remove_folder if before and before.kind is NodeKind.FOLDER else folder.remove_file
                )
                remove(name)
                return
            match after.kind:
                case NodeKind.FILE:
                    assert content is not None, "a file comes with its content"
                    _replace(folder, name, content, after.mode, temporary)
                case NodeKind.FOLDER if before is None:
                    folder.make_folder(name, after.mode)
                case NodeKind.FOLDER:
                    folder.set_mode(name, after.mode)
                case NodeKind.LINK:
                    _replace_link(folder, name, after.target, temporary)
                case NodeKind.OTHER:
                    raise no_file(change.path, NodeKind.OTHER)

    def _move(self, move: Move) -> None:
        *above, name = plain_parts(move.path)
        *above_target, new_name = plain_parts(move.target)
        with (
            self.folder(tuple(above), move.path) as folder,
            self.folder(tuple(above_target), move.target) as into,
        ):
            if kind_of(folder.status(name)) is not move.kind or new_name in into.names():
                raise changed_meanwhile(move.path)
            folder.rename(name, into, new_name)


def found_in(folder: Folder, name: str, path: str, limit: int) -> FoundNode:
    status = folder.status(name)
    match kind_of(status):
        case NodeKind.FILE:
            return _loaded(folder, name, path, limit)
        case NodeKind.FOLDER:
            return FoundNode(Node(NodeKind.FOLDER, stat.S_IMODE(status.st_mode)))
        case NodeKind.LINK:
            return FoundNode(Node(NodeKind.LINK, target=folder.link_target(name)))
        case NodeKind.OTHER:
            return FoundNode(Node(NodeKind.OTHER))


def _loaded(folder: Folder, name: str, path: str, limit: int) -> FoundNode:
    descriptor = folder.open_file(name)
    try:
        # The opened file may differ from the one whose status was read.
        status = os.fstat(descriptor)
        if kind_of(status) is not NodeKind.FILE:
            raise no_file(path, kind_of(status))
        if status.st_size > limit:
            raise too_large(path, status.st_size, limit)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise too_large(path, len(content), limit)
    node = Node(NodeKind.FILE, stat.S_IMODE(status.st_mode), len(content), digest_of(content))
    return FoundNode(node, content, status.st_nlink)


def _node_in(folder: Folder, name: str, path: str, limit: int) -> Node | None:
    try:
        return found_in(folder, name, path, limit).node
    except FileNotFoundError:
        return None


def _replace(folder: Folder, name: str, content: bytes, mode: int, temporary: str) -> None:
    """Replace a name by a new file; the old file itself is never written to."""
    with _made_aside(folder, temporary):
        folder.create_file(temporary, content, mode)
        folder.rename(temporary, folder, name)


def _replace_link(folder: Folder, name: str, target: str, temporary: str) -> None:
    """Replace a name by a symbolic link."""
    with _made_aside(folder, temporary):
        folder.make_link(temporary, target)
        folder.rename(temporary, folder, name)


@contextmanager
def _made_aside(folder: Folder, temporary: str) -> Iterator[None]:
    """Remove a temporary file, if it was not renamed to its target."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            folder.remove_file(temporary)
        raise
