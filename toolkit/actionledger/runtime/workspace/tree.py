"""Looking at files and folders, wherever they are: on the disk, or only in mind."""

from typing import Protocol

from actionledger.core.errors import ActionError
from actionledger.core.nearness import near_names
from actionledger.runtime.workspace.nodes import FoundNode, Move, Node, NodeChange, NodeKind, PathEntry
from actionledger.runtime.workspace.paths import Parts, path_of, plain_parts
from actionledger.runtime.workspace.refusals import no_folder, not_found

_MOST_COMPARED = 1_000
"""With how many names a wrong one is compared."""


class FileTree(Protocol):
    """Files and folders under one root; paths are given as names from the root inwards.

    Every method raises ``ActionError`` where a name on the way is a file or a link.
    """

    def look(self, parts: Parts) -> PathEntry | None:
        """Return what stands there, without its content; None where nothing does."""

    def names(self, parts: Parts) -> list[str]:
        """Return all names in a folder, in no order; it must be there."""

    def load(self, parts: Parts) -> FoundNode | None:
        """Return what stands there, a file's content included; None where nothing does."""


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
    """Return paths in the same folder that a path which isn't there may have been meant to be; at most three."""
    try:
        names = tree.names(parts[:-1]) if _is_folder(tree, parts[:-1]) else []
    except ActionError:
        return ()
    return tuple(path_of((*parts[:-1], name)) for name in near_names(parts[-1], names[:_MOST_COMPARED]))


def obstacle(tree: FileTree, effect: NodeChange | Move) -> str | None:
    """Return why an effect can't be had on a tree as it is now, as a sentence; None where it can."""
    try:
        if isinstance(effect, Move):
            return _move_obstacle(tree, effect)
        return _change_obstacle(tree, effect)
    except ActionError as error:
        return str(error)


def _change_obstacle(tree: FileTree, change: NodeChange) -> str | None:
    parts = plain_parts(change.path)
    if change.before and not change.before.is_known:
        return "What was left there was too large to be looked at, so it may have been changed since."
    found = tree.load(parts)
    now = found.node if found else None
    if now != change.before:
        return _difference(change.before, now)
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
    """Return what stands at a path; None where nothing does, or where it can't be looked at."""
    try:
        return tree.load(parts)
    except ActionError:
        return None


def is_taken(tree: FileTree, parts: Parts) -> bool:
    """Whether something goes by just this path.

    A system that knows no letter case finds what differs in it alone; that doesn't count.
    """
    return tree.look(parts) is not None and parts[-1] in tree.names(parts[:-1])


def _is_folder(tree: FileTree, parts: Parts) -> bool:
    entry = tree.look(parts) if parts else None
    return not parts or (entry is not None and entry.kind is NodeKind.FOLDER)


def _difference(expected: Node | None, now: Node | None) -> str:
    """Return how what stands at a path differs from what was left there, as a sentence for people."""
    if now is None:
        return "It is gone."
    if expected is None:
        return f"Something is there now: a {now.kind}."
    if now.kind is not expected.kind:
        return f"It was a {expected.kind} and is a {now.kind} now."
    if now.digest != expected.digest:
        return (
            f"Its content was changed: {expected.size:,} bytes were left there, {now.size:,} are there now."
        )
    if now.target != expected.target:
        return f"It was a link to {expected.target!r} and is one to {now.target!r} now."
    return f"Its permissions were {expected.mode:o} and are {now.mode:o} now."
