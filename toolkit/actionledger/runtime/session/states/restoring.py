"""Putting a kept state into a fresh folder: confined to it, whatever the state says."""

import os
from contextlib import suppress
from pathlib import Path

from actionledger.core.errors import ActionError
from actionledger.runtime.session.states.looking import LeftOut, State
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.workspace.disk import DiskTree
from actionledger.runtime.workspace.folders import NEW_FOLDER_MODE, Folder, write_all
from actionledger.runtime.workspace.nodes import Change, Kind, Node
from actionledger.runtime.workspace.paths import Parts, plain_parts

_ORDER = (Kind.FOLDER, Kind.FILE, Kind.LINK)


class Restorer:
    """Puts kept contents into one folder.

    Args:
        root: the folder, absolute and without symbolic links.
        objects: the contents.
    """

    def __init__(self, root: Path, objects: Objects) -> None:
        self._root = root
        self._tree = DiskTree(root, 2**40)
        self._objects = objects

    def restore(self, state: State) -> list[LeftOut]:
        """Put all of a state into the folder, which is empty.

        Returns:
            What could not be put there.
        """
        left = list(state.left_out)
        named = {each.path for each in left}
        # Links come last: nothing is ever put through one.
        for kind in _ORDER:
            nodes = sorted((path, node) for path, node in state.nodes.items() if node.kind is kind)
            left += [
                LeftOut(path, "refused", why)
                for path, node in nodes
                if path not in named and (why := self._put(path, node))
            ]
        for path, node in sorted(state.nodes.items(), reverse=True):
            if node.kind is Kind.FOLDER:
                self._set_mode(path, node.mode)
        return left

    def apply(self, changes: list[Change]) -> list[LeftOut]:
        """Make changes that were found elsewhere; what is there already in the wanted form stays.

        Returns:
            What could not be changed.
        """
        gone = [one for one in reversed(changes) if one.before is not None and _is_replaced(one)]
        left = [LeftOut(one.path, "refused", why) for one in gone if (why := self._remove(one.path))]
        made = [(one.path, one.after) for one in changes if one.after is not None]
        for kind in _ORDER:
            left += [
                LeftOut(path, "refused", why)
                for path, node in made
                if node.kind is kind and (why := self._put(path, node))
            ]
        for path, node in made:
            if node.kind is Kind.FOLDER:
                self._set_mode(path, node.mode)
        return left

    def _put(self, path: str, node: Node) -> str:
        """Make what a node says; return why it can't be made, as a sentence."""
        try:
            parts = plain_parts(path)
            with self._tree.folder(parts[:-1], path) as folder:
                return self._make(folder, parts, node)
        except (ActionError, OSError, ValueError) as error:
            return f"It can't be put there: {error}"

    def _make(self, folder: Folder, parts: Parts, node: Node) -> str:
        name = parts[-1]
        match node.kind:
            case Kind.FOLDER:
                with suppress(FileExistsError):
                    folder.make_folder(name, NEW_FOLDER_MODE)
            case Kind.LINK:
                folder.make_link(name, node.target)
            case _:
                content = self._objects.get(node.digest)
                if content is None:
                    return "Its content is no longer kept."
                _write(folder, name, content, node.mode)
        return ""

    def _remove(self, path: str) -> str:
        try:
            parts = plain_parts(path)
            with self._tree.folder(parts[:-1], path) as folder:
                for end in ("", "-wal", "-shm", "-journal"):
                    # A store's log would be taken for one of the store that comes in its place.
                    with suppress(FileNotFoundError):
                        _unlink(folder, f"{parts[-1]}{end}")
        except (ActionError, OSError, ValueError) as error:
            return f"It can't be removed: {error}"
        return ""

    def _set_mode(self, path: str, mode: int) -> None:
        with suppress(ActionError, OSError, ValueError):
            parts = plain_parts(path)
            with self._tree.folder(parts[:-1], path) as folder:
                folder.set_mode(parts[-1], mode & 0o777)


def _is_replaced(change: Change) -> bool:
    """Return whether something has to go before a change can be made; a folder that stays one does not."""
    kinds = {node.kind for node in (change.before, change.after) if node is not None}
    return change.after is None or kinds != {Kind.FOLDER}


def _unlink(folder: Folder, name: str) -> None:
    try:
        folder.remove_file(name)
    except (IsADirectoryError, PermissionError):
        folder.remove_folder(name)


def _write(folder: Folder, name: str, content: bytes, mode: int) -> None:
    descriptor = folder.open_new(name)
    try:
        write_all(descriptor, content)
        os.fchmod(descriptor, mode & 0o777)
    finally:
        os.close(descriptor)
