"""Snapshots of a workspace: one before and one after a command show what the command changed."""

import json
import stat
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Protocol, Self

from actionledger.core.errors import ActionError
from actionledger.runtime.workspace.folders import Folder
from actionledger.runtime.workspace.limits import FileLimits
from actionledger.runtime.workspace.nodes import Change, Effect, Gap, Node, NodeKind, kind_of, node_from_json
from actionledger.runtime.workspace.paths import Parts, path_of, refused_by_system
from actionledger.runtime.workspace.tree import DiskTree, found_in

_SETTLED_NS = 100_000_000
"""How long a file must have been left alone for its times to tell that it is still the same, in nanoseconds: within one tick
of the file system's clock they would not show another change."""

_DEEPEST = 100
"""In how many folders something may lie to be looked at; each of them is open meanwhile."""


class Keeper(Protocol):
    """Keeps contents by their digest."""

    def keep(self, content: bytes, digest: str, /) -> None:
        """Keep a content, unless it is kept already."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A node, and what tells that it was not changed since.

    Args:
        node: what stands there.
        signature: size, times, inode and permissions as the system gives them.
        is_settled: whether the same signature means the same content.
    """

    node: Node
    signature: tuple[int, ...]
    is_settled: bool


@dataclass(frozen=True, slots=True)
class WorkspaceSnapshot:
    """All that a workspace holds.

    Args:
        seen: what stands at each path.
        gaps: what could not be looked at.
    """

    seen: dict[Parts, Seen] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)

    def as_bytes(self) -> bytes:
        """Return it as JSON text."""
        seen = [[parts, asdict(one.node), one.signature, one.is_settled] for parts, one in self.seen.items()]
        return json.dumps({"seen": seen, "gaps": [asdict(gap) for gap in self.gaps]}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the snapshot that JSON text stands for."""
        value = json.loads(data)
        seen = {}
        for parts, node, signature, is_settled in value["seen"]:
            known = node_from_json(node)
            assert known is not None, "a snapshot holds what is there"
            seen[tuple(parts)] = Seen(known, tuple(signature), is_settled)
        return cls(seen, [Gap(**gap) for gap in value["gaps"]])


def leave_none(_name: str, _beside: Collection[str]) -> bool:
    """Leave no file alone."""
    return False


def take_snapshot(
    tree: DiskTree,
    contents: Keeper,
    limits: FileLimits,
    known: WorkspaceSnapshot | None = None,
    leave: Callable[[str, Collection[str]], bool] = leave_none,
) -> WorkspaceSnapshot:
    """Return what a workspace holds; the contents of files that are not too large are kept."""
    camera = _Camera(contents, limits, known.seen if known else {}, leave)
    try:
        with tree.folder((), ".") as root:
            camera.visit(root, ())
    except OSError as error:
        camera.snapshot.gaps.append(Gap(".", str(refused_by_system(".", error))))
    return camera.snapshot


def differences(before: WorkspaceSnapshot, after: WorkspaceSnapshot) -> list[Effect]:
    """Return the effects that lead from one snapshot to another.

    First what is gone, inner things first; then what was changed in its place; then what is new, outer things first.
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
    # What could be looked at at neither time is not known to have changed, nor to have stayed.
    return changes + sorted({*before.gaps, *after.gaps}, key=lambda gap: gap.path)


def _is_changed(old: Seen, new: Seen) -> bool:
    if old.node.is_known and new.node.is_known:
        return old.node != new.node
    return old.signature != new.signature


class _Camera:
    """Walks a workspace and notes what it sees."""

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
        """Note all that is in a folder."""
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
                continue  # gone meanwhile
            except OSError as error:
                self.gap((*above, name), str(refused_by_system(path_of((*above, name)), error)))
            except ActionError as error:
                self.gap((*above, name), str(error))

    def note(self, folder: Folder, parts: Parts, names: Collection[str]) -> None:
        """Note what stands at a path, and what is in it."""
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
        """Note what can't be looked at; once is enough for the workspace as a whole."""
        gap = Gap(path_of(parts), why)
        if gap not in self.snapshot.gaps:
            self.snapshot.gaps.append(gap)
