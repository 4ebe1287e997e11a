"""The nodes of a file system and their changes, as used by undo."""

import hashlib
import os
import stat
from dataclasses import asdict, dataclass
from enum import StrEnum

from actionledger.core.canonical import JsonDict, JsonMap


class NodeKind(StrEnum):
    """The kind of node at a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Node:
    """A path's state, with all that undo has to restore.

    Args:
        kind: the kind of node.
        mode: the permission bits of a file or folder; 0 otherwise.
        size: a file's size, in bytes.
        digest: the digest of a file's content (see ``digest_of``); empty if the content was too large to read.
        target: the target of a symbolic link.
    """

    kind: NodeKind
    mode: int = 0
    size: int = 0
    digest: str = ""
    target: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it can be compared with another one."""
        return bool(self.digest) or self.kind is not NodeKind.FILE

    @property
    def can_be_made(self) -> bool:
        """Whether it can be recreated."""
        return self.is_known and self.kind is not NodeKind.OTHER


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node and, for a file, its content."""

    node: Node
    content: bytes | None = None  # a file's content; None for other nodes, and if it was too large to read
    # the number of the file's hard links; with more than one it may belong to something outside
    names: int = 1


@dataclass(frozen=True, slots=True)
class PathEntry:
    """An entry of a listing."""

    path: str  # relative to the workspace's root
    kind: NodeKind
    size: int  # a file's size, in bytes; 0 otherwise
    mode: int  # the permission bits
    # when the content last changed, in nanoseconds since 1970; None if the file is only in an overlay
    modified_ns: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """A path's change from one state to another.

    Args:
        path: relative to the workspace's root.
        before: the node before; None if there was none.
        after: the node after; None if there is none.
    """

    path: str
    before: Node | None
    after: Node | None


@dataclass(frozen=True, slots=True)
class Move:
    """A move of a node, with its content, to another path."""

    path: str  # the old path
    target: str  # the new path
    kind: NodeKind


@dataclass(frozen=True, slots=True)
class Gap:
    """A possible change that could not be tracked."""

    path: str  # its path; `"."` for the whole workspace
    why: str  # why it could not be tracked, as a sentence


Effect = Change | Move | Gap


@dataclass(frozen=True, slots=True)
class EffectStep:
    """An effect with the contents needed to apply or revert it."""

    effect: Change | Move
    before: bytes | None = None  # the content of the file before; None if there was none
    after: bytes | None = None  # the content of the file after; None if there is none


def digest_of(content: bytes) -> str:
    """Return the digest of a content: its SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_node(content: bytes, mode: int) -> Node:
    return Node(NodeKind.FILE, mode, len(content), digest_of(content))


_KINDS = {stat.S_IFREG: NodeKind.FILE, stat.S_IFDIR: NodeKind.FOLDER, stat.S_IFLNK: NodeKind.LINK}


def kind_of(status: os.stat_result) -> NodeKind:
    """Return the kind of node in a status."""
    return _KINDS.get(stat.S_IFMT(status.st_mode), NodeKind.OTHER)


def inverse(step: EffectStep) -> EffectStep:
    """Return the step that reverts another one."""
    effect = step.effect
    if isinstance(effect, Move):
        return EffectStep(Move(effect.target, effect.path, effect.kind))
    return EffectStep(Change(effect.path, effect.after, effect.before), step.after, step.before)


def paths_of(effect: Effect) -> tuple[str, ...]:
    """Return the paths that an effect changes."""
    return (effect.path, effect.target) if isinstance(effect, Move) else (effect.path,)


def effect_as_json(effect: Effect) -> JsonDict:
    """Return an effect as a JSON value."""
    return {"effect": type(effect).__name__.lower(), **asdict(effect)}


def effect_from_json(value: JsonMap) -> Effect:
    """Parse an effect from a JSON value."""
    match value["effect"]:
        case "change":
            return Change(value["path"], node_from_json(value["before"]), node_from_json(value["after"]))
        case "move":
            return Move(value["path"], value["target"], NodeKind(value["kind"]))
        case "gap":
            return Gap(value["path"], value["why"])
        case unknown:
            raise ValueError(f"there is no effect {unknown!r}")


def node_from_json(value: JsonMap | None) -> Node | None:
    """Parse a node from a JSON value; None for None."""
    return None if value is None else Node(**{**value, "kind": NodeKind(value["kind"])})
