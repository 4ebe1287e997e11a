"""What an action has to do to the tree, step by step, before any of it is done.

Each function looks at a tree and returns the steps that lead from how it is to how it is meant to be: none where it is so
already. What can't be done, or could not be taken back, is refused here, while nothing has changed yet.
"""

import os
import stat
from threading import Lock

from actionledger.core.errors import ActionError
from actionledger.core.plurals import counted
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.limits import FileLimits
from actionledger.runtime.workspace.nodes import Change, Entry, Found, Kind, Move, Node, Step, file_node
from actionledger.runtime.workspace.paths import Parts, path_of, same_name_key
from actionledger.runtime.workspace.refusals import no_file, no_folder, not_found
from actionledger.runtime.workspace.tree import Tree, is_taken

_umask_lock = Lock()


def write_steps(tree: Tree, parts: Parts, content: bytes) -> list[Step]:
    """Return the steps to a file with this content, the folders above it included."""
    found = tree.load(parts)
    if found is None:
        mode = 0o666 & ~_process_mask()
        steps = folder_steps(tree, parts[:-1])
        if not steps:
            _check_name(tree, parts)
        return [*steps, Step(Change(path_of(parts), None, file_node(content, mode)), after=content)]
    if found.node.kind is not Kind.FILE:
        raise no_file(path_of(parts), found.node.kind)
    return replace_steps(parts, found, content)


def replace_steps(parts: Parts, found: Found, content: bytes) -> list[Step]:
    """Return the step that gives a file another content; its permissions stay.

    Bits that lend the owner's rights to whoever runs the file (set-user-ID) go, as they do wherever a file is written.
    """
    after = file_node(content, found.node.mode & 0o777)
    if found.content == content:
        return []
    return [Step(Change(path_of(parts), found.node, after), found.content, content)]


def folder_steps(tree: Tree, parts: Parts) -> list[Step]:
    """Return the steps to a folder and those above it, the outermost first."""
    for depth in range(1, len(parts) + 1):
        entry = tree.look(parts[:depth])
        if entry is None:
            _check_name(tree, parts[:depth])
            mode = 0o777 & ~_process_mask() | _inherited(tree, parts[: depth - 1])
            made = (parts[:end] for end in range(depth, len(parts) + 1))
            return [Step(Change(path_of(folder), None, Node(Kind.FOLDER, mode))) for folder in made]
        if entry.kind is not Kind.FOLDER:
            raise no_folder(path_of(parts), parts[depth - 1])
    return []


def delete_steps(tree: Tree, parts: Parts, limits: FileLimits, *, recursive: bool) -> list[Step]:
    """Return the steps that delete a file, a link or a folder, what is in a folder first."""
    entry = tree.look(parts)
    if entry is None:
        raise not_found(path_of(parts))
    if entry.kind is Kind.FOLDER and not recursive and (names := tree.names(parts)):
        message = (
            f"The folder {path_of(parts)!r} holds {counted(len(names), 'entry', 'entries')}, such as {min(names)!r}. "
            "Delete what is in it first, or say recursive."
        )
        raise ActionError(Reason.NOT_EMPTY, message)
    deletion = _Deletion(tree, limits)
    deletion.add(parts)
    return deletion.steps


def move_steps(tree: Tree, source: Parts, target: Parts, *, overwrite: bool) -> list[Step]:
    """Return the steps that move something, the folders above its new place included."""
    path, new_path = path_of(source), path_of(target)
    entry = tree.look(source)
    if entry is None:
        raise not_found(path)
    if entry.kind is Kind.OTHER:
        raise no_file(path, entry.kind)
    if target[: len(source)] == source:
        message = f"{path!r} can't be moved to {new_path!r}, which is itself or in it."
        raise ActionError(Reason.PATH_REFUSED, message)
    steps = folder_steps(tree, target[:-1])
    if not steps and is_taken(tree, target):
        steps += _overwrite_steps(tree, target, entry, overwrite=overwrite)
    elif not steps:
        _check_name(tree, target, besides=source)
    return [*steps, Step(Move(path, new_path, entry.kind))]


def _overwrite_steps(tree: Tree, target: Parts, moved: Entry, *, overwrite: bool) -> list[Step]:
    path = path_of(target)
    if not overwrite:
        message = f"Something is at {path!r} already. Choose another path, or say overwrite."
        raise ActionError(Reason.ALREADY_EXISTS, message)
    found = tree.load(target)
    if found is None or found.node.kind is not Kind.FILE or moved.kind is not Kind.FILE:
        message = f"Only a file can overwrite a file, and {path!r} or {moved.path!r} is none."
        raise ActionError(Reason.ALREADY_EXISTS, message)
    return [Step(Change(path, found.node, None), found.content)]


def _inherited(tree: Tree, parts: Parts) -> int:
    """Return the set-group-ID bit that a new folder has from the one it is made in."""
    entry = tree.look(parts)
    return entry.mode & stat.S_ISGID if entry else 0


def _check_name(tree: Tree, parts: Parts, besides: Parts = ()) -> None:
    """See that no other name in the same folder is one that some system takes for the same."""
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
    """The steps that delete something with all that is in it, which comes first."""

    def __init__(self, tree: Tree, limits: FileLimits) -> None:
        self.tree, self.limits = tree, limits
        self.steps: list[Step] = []
        self.kept = 0

    def add(self, parts: Parts) -> None:
        path = path_of(parts)
        found = self.tree.load(parts)
        if found is None:
            raise not_found(path)
        if found.node.kind is Kind.OTHER:
            raise no_file(path, found.node.kind)
        if found.node.kind is Kind.FOLDER:
            self.add_all_in(parts)
        self.steps.append(Step(Change(path, found.node, None), found.content))
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
    """Return the permission bits that new files of this process don't get."""
    # There is no way to ask for it but to set it. The moment's mask is the strictest one.
    with _umask_lock:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask
