"""Snapshots of a workspace, taken before and after a command to find its changes; and the limits of files."""

import json
import stat
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Protocol, Self

from actionledger.core.errors import ActionError, require_number
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.folders import Folder
from actionledger.runtime.workspace.nodes import Change, Effect, Gap, Node, NodeKind, kind_of, node_from_json
from actionledger.runtime.workspace.paths import Parts, path_of, refused_by_system
from actionledger.runtime.workspace.tree import DiskTree, found_in


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Limits of a workspace.

    Args:
        file_bytes: the maximum size of a text that is read or written, in bytes.
        kept_bytes: the maximum size of a file whose content is stored for undo, in bytes. A larger file is neither
            overwritten nor deleted.
        turn_bytes: the maximum that one turn writes, in bytes.
        turn_paths: the maximum number of paths that one turn changes.
        depth: the maximum number of names in a path.
        entries: the maximum number of files and folders that one action lists, searches or deletes, and that are watched
            during a command.
        tree_bytes: the maximum of all contents stored for one deletion or one watched command, in bytes.
        watched_bytes: the maximum size of a file whose content is stored before a command runs, in bytes.
        hits: the maximum number of search results.
        seconds: the time limit of one search or regular expression, in seconds.
        undo_days: how long contents are kept for undo after their session's last change, in days.

    Raises:
        UsageError: a limit is not above zero.
    """

    file_bytes: int = 10 * 2**20
    kept_bytes: int = 64 * 2**20
    turn_bytes: int = 100 * 2**20
    turn_paths: int = 2_000
    depth: int = 40
    entries: int = 20_000
    tree_bytes: int = 256 * 2**20
    watched_bytes: int = 4 * 2**20
    hits: int = 200
    seconds: float = 2.0
    undo_days: float = 7.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            require_number(f"The limit {name}", getattr(self, name), above=0)


class TurnBudget:
    """The part of its limits that the current turn has used; each turn starts anew."""

    def __init__(self, limits: FileLimits) -> None:
        self.limits = limits
        self._turn = ""
        self._bytes = 0
        self._paths: set[str] = set()

    def check(self, turn: str, paths: set[str], size: int) -> None:
        """Raise if a change would exceed the turn's limits."""
        used_bytes, used_paths = self._used(turn)
        if used_bytes + size > self.limits.turn_bytes:
            message = (
                f"This turn would write {used_bytes + size:,} bytes in all; the limit is "
                f"{self.limits.turn_bytes:,}. Go on in the next turn."
            )
            raise ActionError(Reason.TOO_LARGE, message)
        if len(used_paths | paths) > self.limits.turn_paths:
            message = (
                f"This turn would change {len(used_paths | paths):,} files and folders; the limit is "
                f"{self.limits.turn_paths:,}. Go on in the next turn."
            )
            raise ActionError(Reason.TOO_LARGE, message)

    def spend(self, turn: str, paths: set[str], size: int) -> None:
        """Count a change against the turn's limits."""
        used_bytes, used_paths = self._used(turn)
        self._turn, self._bytes, self._paths = turn, used_bytes + size, used_paths | paths

    def _used(self, turn: str) -> tuple[int, set[str]]:
        return (self._bytes, self._paths) if turn and turn == self._turn else (0, set())


_SETTLED_NS = 100_000_000
"""How long a file must be unchanged before equal times prove equal content, in nanoseconds. Within one tick of the file
system's clock, times would not show another change."""

_DEEPEST = 100
"""The maximum depth that is scanned, because each folder on the way is held open."""


class Keeper(Protocol):
    """Stores contents by their digest."""

    def keep(self, content: bytes, digest: str, /) -> None:
        """Store a content, unless it is stored already."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A node, and the signature that shows whether it has changed."""

    node: Node
    signature: tuple[int, ...]  # size, times, inode and permissions, as reported by the system
    is_settled: bool  # whether an equal signature means equal content


@dataclass(frozen=True, slots=True)
class WorkspaceSnapshot:
    """The state of a whole workspace."""

    seen: dict[Parts, Seen] = field(default_factory=dict)  # the node at each path
    gaps: list[Gap] = field(default_factory=list)  # the paths that could not be read

    def as_bytes(self) -> bytes:
        """Return the snapshot as JSON text."""
        seen = [[parts, asdict(one.node), one.signature, one.is_settled] for parts, one in self.seen.items()]
        return json.dumps({"seen": seen, "gaps": [asdict(gap) for gap in self.gaps]}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Parse a snapshot from JSON text."""
        value = json.loads(data)
        seen = {}
        for parts, node, signature, is_settled in value["seen"]:
            known = node_from_json(node)
            assert known is not None, "a snapshot holds what is there"
            seen[tuple(parts)] = Seen(known, tuple(signature), is_settled)
        return cls(seen, [Gap(**gap) for gap in value["gaps"]])


def leave_none(_name: str, _beside: Collection[str]) -> bool:
    """Exclude no file."""
    return False


def take_snapshot(
    tree: DiskTree,
    contents: Keeper,
    limits: FileLimits,
    known: WorkspaceSnapshot | None,
    leave: Callable[[str, Collection[str]], bool] = leave_none,
) -> WorkspaceSnapshot:
    """Return a workspace's snapshot, and store the contents of files that are not too large."""
    camera = _Camera(contents, limits, known.seen if known else {}, leave)
    try:
        with tree.folder((), ".") as root:
            camera.visit(root, ())
    except OSError as error:
        camera.snapshot.gaps.append(Gap(".", str(refused_by_system(".", error))))
    return camera.snapshot


def differences(before: WorkspaceSnapshot, after: WorkspaceSnapshot) -> list[Effect]:
    """Return the effects that lead from one snapshot to another.

    Deletions come first, inner paths first; then changes; then new paths, outer ones first.
    """
    old, new = before.seen, after.seen
    gone = [path for path in old if path not in new or new[path].node.kind is not old[path].node.kind]
    made = [path for path in new if path not in old or new[path].node.kind is not old[path].node.kind]
    stayed = [path for path in old if path in new and new[path].node.kind is old[path].node.kind]
    changes: list[Effect] = [
        Change(path_of(path), old[path].node, None) for path in sorted(gone, reverse=True)
    ]
    changes += [
        Change(path_of(path), old[path].node, new[path].node)
        for path in sorted(stayed)
        if _is_changed(old[path], new[path])
    ]
    changes += [Change(path_of(path), None, new[path].node) for path in sorted(made)]
    # A path that could be read at neither time may or may not have changed.
    return changes + sorted({*before.gaps, *after.gaps}, key=lambda gap: gap.path)


def _is_changed(old: Seen, new: Seen) -> bool:
    if old.node.is_known and new.node.is_known:
        return old.node != new.node
    return old.signature != new.signature


class _Camera:
    """Walks a workspace and adds all nodes to a snapshot."""

    def __init__(
        self,
        contents: Keeper,
        limits: FileLimits,
        known: Mapping[Parts, Seen],
        leave: Callable[[str, Collection[str]], bool],
    ) -> None:
        self.contents, self.limits, self.known, self.leave = contents, limits, known, leave
        self.snapshot = WorkspaceSnapshot()
        self.room = limits.tree_bytes

    def visit(self, folder: Folder, above: Parts) -> None:
        """Add everything in a folder."""
        if len(above) > _DEEPEST:
            self.gap(above, f"It lies in more than {_DEEPEST} folders; what is in it was not watched.")
            return
        names = set(folder.names())
        for name in sorted(names):
            if len(self.snapshot.seen) >= self.limits.entries:
                why = f"The workspace holds more than {self.limits.entries:,} files and folders; the rest was not watched."
                self.gap((), why)
                return
            try:
                self.note(folder, (*above, name), names)
            except FileNotFoundError:
                continue  # deleted meanwhile
            except OSError as error:
                self.gap((*above, name), str(refused_by_system(path_of((*above, name)), error)))
            except ActionError as error:
                self.gap((*above, name), str(error))

    def note(self, folder: Folder, parts: Parts, names: Collection[str]) -> None:
        """Add the node at a path, and everything in it."""
        status = folder.status(parts[-1])
        times = (status.st_mtime_ns, status.st_ctime_ns)
        signature = (status.st_size, *times, status.st_ino, status.st_mode)
        kind, known = kind_of(status), self.known.get(parts)
        if known and known.is_settled and known.signature == signature:
            self.snapshot.seen[parts] = known
        elif kind is NodeKind.FILE and (
            status.st_size > min(self.limits.watched_bytes, self.room) or self.leave(parts[-1], names)
        ):
            node = Node(NodeKind.FILE, stat.S_IMODE(status.st_mode), status.st_size)
            self.snapshot.seen[parts] = Seen(node, signature, is_settled=True)
        else:
            is_settled = max(times) < time.time_ns() - _SETTLED_NS
            found = found_in(folder, parts[-1], path_of(parts), self.limits.watched_bytes)
            if found.content is not None:
                self.contents.keep(found.content, found.node.digest)
                self.room -= len(found.content)
            self.snapshot.seen[parts] = Seen(found.node, signature, is_settled)
        if kind is NodeKind.FOLDER:
            with folder.open_folder(parts[-1]) as inner:
                self.visit(inner, parts)

    def gap(self, parts: Parts, why: str) -> None:
        """Add a path that can't be read; for the whole workspace only once."""
        gap = Gap(path_of(parts), why)
        if gap not in self.snapshot.gaps:
            self.snapshot.gaps.append(gap)
