"""The nodes of a file system and their changes: the values that undo works with."""

import hashlib
import os
import stat
from dataclasses import asdict, dataclass
from enum import StrEnum

from actionledger.core.canonical import JsonDict, JsonMap


class NodeKind(StrEnum):
    """What stands at a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Node:
    """The state of a path, as exactly as undo has to restore it.

    Args:
        kind: what it is.
        mode: the permission bits of a file or folder; 0 otherwise.
        size: a file's size, in bytes.
        digest: of a file's content (see ``digest_of``); empty where the content was too large to look at.
        target: what a symbolic link says.
    """

    kind: NodeKind
    mode: int = 0
    size: int = 0
    digest: str = ""
    target: str = ""

    @property
    def is_known(self) -> bool:
        """Whether another one can be compared with it."""
        return bool(self.digest) or self.kind is not NodeKind.FILE

    @property
    def can_be_made(self) -> bool:
        """Whether it can be made again."""
        return self.is_known and self.kind is not NodeKind.OTHER


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node and, where it is a file, its content.

    Args:
        node: what stands there.
        content: a file's content; None for all else, and where it was too large to look at.
        names: how many names the file has; more than one means that it may belong to something outside.
    """

    node: Node
    content: bytes | None = None
    names: int = 1


@dataclass(frozen=True, slots=True)
class PathEntry:
    """An entry of a listing.

    Args:
        path: relative to the workspace's root.
        kind: what stands there.
        size: a file's size, in bytes; 0 otherwise.
        mode: the permission bits.
        modified_ns: when the content last changed, in nanoseconds since 1970; None where it only would be there.
    """

    path: str
    kind: NodeKind
    size: int
    mode: int
    modified_ns: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """One path goes from one state to another.

    Args:
        path: relative to the workspace's root.
        before: what stood there; None for nothing.
        after: what stands there then; None for nothing.
    """

    path: str
    before: Node | None
    after: Node | None


@dataclass(frozen=True, slots=True)
class Move:
    """Something goes by another path, with all that is in it.

    Args:
        path: where it was.
        target: where it is then.
        kind: what it is.
    """

    path: str
    target: str
    kind: NodeKind


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that may have changed and could not be kept track of.

    Args:
        path: where; ``"."`` for the workspace as a whole.
        why: why not, as a sentence.
    """

    path: str
    why: str


Effect = Change | Move | Gap


@dataclass(frozen=True, slots=True)
class EffectStep:
    """An effect with the contents that it takes to have it, or to take it back.

    Args:
        effect: what happens.
        before: the content of the file that stood there; None where none did.
        after: the content of the file that stands there then; None where none does.
    """

    effect: Change | Move
    before: bytes | None = None
    after: bytes | None = None


def digest_of(content: bytes) -> str:
    """Return what a content is known by: its SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_node(content: bytes, mode: int) -> Node:
    """Return the node of a file with this content."""
    return Node(NodeKind.FILE, mode, len(content), digest_of(content))


_KINDS = {stat.S_IFREG: NodeKind.FILE, stat.S_IFDIR: NodeKind.FOLDER, stat.S_IFLNK: NodeKind.LINK}


def kind_of(status: os.stat_result) -> NodeKind:
    """Return what a status says that something is."""
    return _KINDS.get(stat.S_IFMT(status.st_mode), NodeKind.OTHER)


def inverse(step: EffectStep) -> EffectStep:
    """Return the step that takes another one back."""
    effect = step.effect
    if isinstance(effect, Move):
        return EffectStep(Move(effect.target, effect.path, effect.kind))
    return EffectStep(Change(effect.path, effect.after, effect.before), step.after, step.before)


def paths_of(effect: Effect) -> tuple[str, ...]:
    """Return the paths that an effect changes something at."""
    return (effect.path, effect.target) if isinstance(effect, Move) else (effect.path,)


def effect_as_json(effect: Effect) -> JsonDict:
    """Return an effect as a JSON value."""
    return {"effect": type(effect).__name__.lower(), **asdict(effect)}


def effect_from_json(value: JsonMap) -> Effect:
    """Return the effect that a JSON value stands for."""
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
    """Return the node that a JSON value stands for; None for none."""
    return None if value is None else Node(**{**value, "kind": NodeKind(value["kind"])})
