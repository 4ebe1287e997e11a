"""A workspace's state: captured from every path and store, and restored into a fresh folder, confined to it."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from actionledger.core.errors import ActionError
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.session.states.settings import ManifestSettings
from actionledger.runtime.session.states.stores import belongs_to, image_of, may_be_store
from actionledger.runtime.workspace.folders import NEW_FOLDER_MODE, Folder, write_all
from actionledger.runtime.workspace.nodes import Change, Node, NodeKind, digest_of, node_from_json
from actionledger.runtime.workspace.paths import Parts, path_of, plain_parts
from actionledger.runtime.workspace.snapshots import Seen, WorkspaceSnapshot, take_snapshot
from actionledger.runtime.workspace.tree import DiskTree

TOO_LARGE, SPECIAL, UNREADABLE = "too_large", "no_file", "unreadable"
"""Why a path is skipped: larger than the limit; not a file, folder or link; or unreadable."""


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A skipped path of a workspace.

    Args:
        path: the path; ``.`` for the rest of the workspace.
        reason: the reason, in a word.
        why: the details, as a sentence.
    """

    path: str
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class CapturedState:
    """The state of a workspace."""

    # the file, folder or link at each path; for a store, its kept copy
    nodes: Mapping[str, Node] = field(default_factory=dict)
    stores: frozenset[str] = frozenset()  # the paths of SQLite files
    left_out: tuple[SkippedPath, ...] = ()

    def as_bytes(self) -> bytes:
        """Return the state as JSON text; equal states have equal text."""
        value = {
            "nodes": {path: asdict(self.nodes[path]) for path in sorted(self.nodes)},
            "stores": sorted(self.stores),
            "left_out": [asdict(each) for each in self.left_out],
        }
        return json.dumps(value, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "CapturedState":
        """Parse a state from JSON text."""
        try:
            value = json.loads(data)
        except RecursionError as error:
            raise ValueError("it is nested deeper than any state") from error
        nodes = {path: node_from_json(node) for path, node in value["nodes"].items()}
        known = {path: node for path, node in nodes.items() if node is not None}
        return cls(
            known, frozenset(value["stores"]), tuple(SkippedPath(**each) for each in value["left_out"])
        )

    def after(
        self, changes: list[Change], stores: frozenset[str], left_out: tuple[SkippedPath, ...]
    ) -> "CapturedState":
        nodes = dict(self.nodes)
        for change in changes:
            if change.after is None:
                nodes.pop(change.path, None)
            else:
                nodes[change.path] = change.after
        return CapturedState(nodes, stores, left_out)

    def changes_to(self, later: "CapturedState") -> list[Change]:
        """Return the changes from this state to a later one, by path."""
        old, new = self.nodes, later.nodes
        paths = [path for path, node in new.items() if old.get(path) != node]
        paths += [path for path in old if path not in new]
        return [Change(path, old.get(path), new.get(path)) for path in sorted(paths)]


class Lens:
    """Captures one workspace repeatedly; unchanged files are not read again."""

    def __init__(
        self, root: Path, objects: Objects, settings: ManifestSettings, known: WorkspaceSnapshot | None = None
    ) -> None:
        self._root = root
        self._tree = DiskTree(root, settings.file_bytes)
        self._objects = objects
        self._settings = settings
        self._images: dict[str, tuple[tuple[object, ...], Node | None]] = {}
        self._state: CapturedState | None = None
        self.known = known

    def look(self) -> CapturedState:
        """Return the workspace's current state and store its contents."""
        before = self.known
        seen = self.known = take_snapshot(
            self._tree, self._objects, self._settings.limits, before, leave=may_be_store
        )
        if self._state is None or seen != before:
            state = self._state_of(seen)
            # A snapshot doesn't notice changes in a file that it didn't read; a store is compared by its signature only.
            unread = (path_of(parts) for parts, one in seen.seen.items() if _is_unread(one.node))
            has_others = any(not {path, belongs_to(path)} & state.stores for path in unread)
            self._state = None if has_others else state
            return state
        return self._state

    def _state_of(self, seen: WorkspaceSnapshot) -> CapturedState:
        found = {path_of(parts): one for parts, one in seen.seen.items()}
        nodes = {path: one.node for path, one in found.items()}
        unread = [path for path, node in nodes.items() if _is_unread(node)]
        stores = {path: node for path in unread if (node := self._store(path, found))}
        if stores:
            nodes = {path: node for path, node in (nodes | stores).items() if belongs_to(path) not in stores}
        for path in unread:
            if path in nodes and path not in stores:
                nodes[path] = self._plain(path, nodes[path])
        gaps = [SkippedPath(gap.path, UNREADABLE, gap.why) for gap in seen.gaps]
        left = [missing for path, node in nodes.items() if (missing := self._left_out(path, node))]
        return CapturedState(nodes, frozenset(stores), (*left, *gaps))

    def _store(self, path: str, found: Mapping[str, Seen]) -> Node | None:
        """Return a store's kept copy; None if a file whose content was not read is not a store."""
        one = found[path]
        beside = [each for each in (f"{path}-wal", f"{path}-shm", f"{path}-journal") if each in found]
        if belongs_to(path) in found or not may_be_store(path, beside):
            return None
        log = found.get(f"{path}-wal")
        signature = (one.signature, _of_content(log) if log else None)
        if path not in self._images or self._images[path][0] != signature:
            self._images[path] = signature, self._copied(path, one.node, log.node if log else None)
        return self._images[path][1]

    def _copied(self, path: str, node: Node, log: Node | None) -> Node | None:
        on_disk = node.size + (log.size if log else 0)
        image = image_of(
            self._root / path, self._settings.file_bytes, on_disk=on_disk, has_log=log is not None
        )
        if not image:
            return None if image is None else node
        digest = digest_of(image)
        self._objects.keep(image, digest)
        return Node(NodeKind.FILE, node.mode, len(image), digest)

    def _plain(self, path: str, node: Node) -> Node:
        """Return the node at a path that has a store's name but is not a store."""
        if node.size > self._settings.file_bytes or not may_be_store(path, ()):
            return node
        try:
            loaded = self._tree.load(tuple(path.split("/")))
        except ActionError:
            return node
        if loaded is None or loaded.content is None:
            return node
        self._objects.keep(loaded.content, loaded.node.digest)
        return loaded.node

    def _left_out(self, path: str, node: Node) -> SkippedPath | None:
        if node.kind is NodeKind.OTHER:
            return SkippedPath(path, SPECIAL, "It is not a file, folder or link.")
        if _is_unread(node):
            most, all_of_it = self._settings.file_bytes, self._settings.tree_bytes
            why = f"It has {node.size:,} bytes; of one file {most:,} are kept, of a workspace {all_of_it:,}."
            return SkippedPath(path, TOO_LARGE, why)
        return None


def _of_content(log: Seen) -> tuple[int, ...]:
    """Return a log's signature without the time of permission changes, because SQLite as superuser sets these at each opening."""
    size, modified, _changed, *others = log.signature
    return size, modified, *others


def _is_unread(node: Node) -> bool:
    return node.kind is NodeKind.FILE and not node.digest


_ORDER = (NodeKind.FOLDER, NodeKind.FILE, NodeKind.LINK)


class Restorer:
    """Writes stored contents into one folder."""

    def __init__(self, root: Path, objects: Objects) -> None:
        self._root = root
        self._tree = DiskTree(root, 2**40)
        self._objects = objects

    def restore(self, state: CapturedState) -> list[SkippedPath]:
        """Restore a whole state into the empty folder."""
        left = list(state.left_out)
        named = {each.path for each in left}
        # Links come last, so that nothing is written through one.
        for kind in _ORDER:
            nodes = sorted((path, node) for path, node in state.nodes.items() if node.kind is kind)
            left += [
                SkippedPath(path, "refused", why)
                for path, node in nodes
                if path not in named and (why := self._put(path, node))
            ]
        for path, node in sorted(state.nodes.items(), reverse=True):
            if node.kind is NodeKind.FOLDER:
                self._set_mode(path, node.mode)
        return left

    def apply(self, changes: list[Change]) -> list[SkippedPath]:
        """Apply changes that were found elsewhere; skip paths that already have the wanted form."""
        gone = [one for one in reversed(changes) if one.before is not None and _is_replaced(one)]
        left = [SkippedPath(one.path, "refused", why) for one in gone if (why := self._remove(one.path))]
        made = [(one.path, one.after) for one in changes if one.after is not None]
        for kind in _ORDER:
            left += [
                SkippedPath(path, "refused", why)
                for path, node in made
                if node.kind is kind and (why := self._put(path, node))
            ]
        for path, node in made:
            if node.kind is NodeKind.FOLDER:
                self._set_mode(path, node.mode)
        return left

    def _put(self, path: str, node: Node) -> str:
        """Create a node; return why it can't be created, as a sentence."""
        try:
            parts = plain_parts(path)
            with self._tree.folder(parts[:-1], path) as folder:
                return self._make(folder, parts, node)
        except (ActionError, OSError, ValueError) as error:
            return f"It can't be put there: {error}"

    def _make(self, folder: Folder, parts: Parts, node: Node) -> str:
        name = parts[-1]
        match node.kind:
            case NodeKind.FOLDER:
                with suppress(FileExistsError):
                    folder.make_folder(name, NEW_FOLDER_MODE)
            case NodeKind.LINK:
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
                    # SQLite would take an old store's log for the new store's.
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
    """Return whether the old node must be removed first; a folder that stays a folder need not be."""
    kinds = {node.kind for node in (change.before, change.after) if node is not None}
    return change.after is None or kinds != {NodeKind.FOLDER}


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
