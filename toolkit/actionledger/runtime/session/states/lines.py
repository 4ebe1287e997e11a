"""What the file of a session's states says, line by line, as values."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from actionledger.core.privacy import mask_lines
from actionledger.runtime.workspace.nodes import Change, Kind, node_from_json

VERSION = 1


@dataclass(frozen=True, slots=True)
class Begun:
    """A session begins, or goes on in another process.

    Args:
        at: when, UTC without a zone.
        root: its workspace.
        state: the digest of what the workspace held.
        settings: what it runs under, as ``settings_of`` gives it.
        version: of these lines.
    """

    at: datetime
    root: str
    state: str
    settings: Mapping[str, Any]
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """A response came in.

    Args:
        at: when.
        turn: its place in the session, from 0.
        auto: whether what would wait for a person runs without one.
        dry_run: whether nothing is done.
    """

    at: datetime
    turn: int
    auto: bool
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """What one action drew from outside.

    Args:
        turn: its turn's place.
        action: its own place in the turn.
        values: the kinds and values, in order.
    """

    turn: int
    action: int
    values: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Effects:
    """What has become of the workspace.

    Args:
        turn: the turn in which it was found; None where nobody's action did it.
        actions: the places of the actions that were carried out since the last look; none where nobody's did it.
        changes: what has changed, as JSON values.
        stores: the paths of all SQLite files; None where they are those of before.
        left_out: what is there and not kept, as JSON values; None where it is what it was before.
    """

    turn: int | None
    actions: tuple[int, ...]
    changes: tuple[dict[str, Any], ...]
    stores: tuple[str, ...] | None = None
    left_out: tuple[dict[str, str], ...] | None = None

    @property
    def as_changes(self) -> list[Change]:
        """The changes as values."""
        return [
            Change(one["path"], node_from_json(one["before"]), node_from_json(one["after"]))
            for one in self.changes
        ]


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over, for the first time or again.

    Args:
        at: when.
        turn: its place.
    """

    at: datetime
    turn: int


Line: TypeAlias = Begun | TurnBegun | Drawn | Effects | TurnEnded

_KINDS: dict[str, type[Any]] = {
    "begun": Begun,
    "turn": TurnBegun,
    "drawn": Drawn,
    "effects": Effects,
    "ended": TurnEnded,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ADAPTERS = {name: TypeAdapter(kind) for name, kind in _KINDS.items()}


@dataclass(slots=True)
class Read:
    """The lines of a file.

    Args:
        lines: what it says, in order.
        is_masked: whether a secret in it was masked.
        is_damaged: whether it holds a line that can't be read.
    """

    lines: list[Line] = field(default_factory=list)
    is_masked: bool = False
    is_damaged: bool = False


def written(*lines: Line) -> bytes:
    """Return values as lines; a secret in one is masked, and the line says so."""
    data = list(map(_as_json, lines))
    kept = (
        line if line is unmasked else line[:-1] + b', "masked": true}'
        for line, unmasked in zip(mask_lines(data), data, strict=True)
    )
    return b"".join(line + b"\n" for line in kept)


def _as_json(line: Line) -> bytes:
    name = _NAMES[type(line)]
    try:
        return b'{"line":"%b",%b' % (name.encode(), _ADAPTERS[name].dump_json(line)[1:])
    except PydanticSerializationError:  # half a character, such as a file's name that is no UTF-8
        return json.dumps({"line": name, **_ADAPTERS[name].dump_python(line, mode="json")}).encode()


def read(data: bytes) -> Read:
    """Return what a file says; the half of a line at its end, which a crash leaves, says nothing."""
    found = Read()
    for text in data.split(b"\n")[:-1]:
        try:
            value = json.loads(text)
            found.is_masked |= bool(value.pop("masked", False))
            found.lines.append(_ADAPTERS[value.pop("line")].validate_python(value))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            found.is_damaged = True
    return found


def change_as_json(change: Change) -> dict[str, Any]:
    """Return a change as a JSON value."""
    return asdict(change)


__all__ = [
    "VERSION",
    "Begun",
    "Drawn",
    "Effects",
    "Kind",
    "Line",
    "Read",
    "TurnBegun",
    "TurnEnded",
    "change_as_json",
    "read",
    "written",
]
