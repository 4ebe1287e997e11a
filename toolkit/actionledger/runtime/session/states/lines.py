"""The file of a session's states: its lines as values, their parsing, and their pruning by age."""

import json
import os
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.privacy import mask_lines
from actionledger.core.processes import FileLock
from actionledger.runtime.session.states.capture import CapturedState, SkippedPath
from actionledger.runtime.session.states.objects import NONE_THERE, Objects
from actionledger.runtime.workspace.folders import open_private
from actionledger.runtime.workspace.nodes import Change, NodeKind, node_from_json

__all__ = [
    "VERSION",
    "Begun",
    "DrawnValues",
    "Effects",
    "Line",
    "NodeKind",
    "Read",
    "TurnBegun",
    "TurnEnded",
    "change_as_json",
    "read",
    "written",
]


VERSION = 1


@dataclass(frozen=True, slots=True)
class Begun:
    """A session began, or resumed in another process."""

    at: datetime  # the time, UTC without a zone
    root: str  # its workspace
    state: str  # the digest of the workspace's state
    settings: JsonMap  # the session's settings, from `settings_of`
    version: int = VERSION  # the version of the line format


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """A response arrived."""

    at: datetime  # the time
    turn: int  # the turn's index in the session, from 0
    auto: bool  # whether actions that need approval run without it
    dry_run: bool  # whether actions only report their effects


@dataclass(frozen=True, slots=True)
class DrawnValues:
    """The values that one action drew from outside."""

    turn: int  # the turn's index
    action: int  # the action's index in the turn
    values: tuple[tuple[str, Any], ...]  # pairs of kind and value, in order


@dataclass(frozen=True, slots=True)
class Effects:
    """The changes of the workspace."""

    turn: int | None  # the turn after which the changes were found; None if no action made them
    # indexes of the actions that ran since the last look; empty if no action made the changes
    actions: tuple[int, ...]
    changes: tuple[JsonDict, ...]  # the changes, as JSON values
    stores: tuple[str, ...] | None = None  # the paths of all SQLite files; None if unchanged
    left_out: tuple[dict[str, str], ...] | None = None  # the skipped paths, as JSON values; None if unchanged

    @property
    def as_changes(self) -> list[Change]:
        """The changes as values."""
        return [
            Change(one["path"], node_from_json(one["before"]), node_from_json(one["after"]))
            for one in self.changes
        ]


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn ended, for the first time or again."""

    at: datetime  # the time
    turn: int  # the turn's index


Line: TypeAlias = Begun | TurnBegun | DrawnValues | Effects | TurnEnded

_KINDS: dict[str, type[Any]] = {
    "begun": Begun,
    "turn": TurnBegun,
    "drawn": DrawnValues,
    "effects": Effects,
    "ended": TurnEnded,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ADAPTERS = {name: TypeAdapter(kind) for name, kind in _KINDS.items()}


@dataclass(slots=True)
class Read:
    """The parsed lines of a file."""

    lines: list[Line] = field(default_factory=list)  # the lines, in order
    is_masked: bool = False  # whether a secret in the file was masked
    is_damaged: bool = False  # whether a line can't be parsed


def written(*lines: Line) -> bytes:
    """Return values as lines; mask secrets, and mark the line if one was masked."""
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
    """Parse a file of states; ignore an incomplete last line, which a crash leaves."""
    found = Read()
    for text in data.split(b"\n")[:-1]:
        try:
            value = json.loads(text)
            found.is_masked |= bool(value.pop("masked", False))
            found.lines.append(_ADAPTERS[value.pop("line")].validate_python(value))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            found.is_damaged = True
    return found


def change_as_json(change: Change) -> JsonDict:
    """Return a change as a JSON value."""
    return asdict(change)


_MOST_BYTES = 2**30
"""The largest content that is read back, in bytes."""


@dataclass(frozen=True, slots=True)
class RecordedStates:
    """The recorded states of a session."""

    begun: Begun  # the session's beginning
    first: CapturedState | None  # the workspace's state at the beginning; None if no longer kept
    lines: Sequence[Line]  # the later lines, in order
    objects: Objects  # the contents
    is_masked: bool  # whether a secret in the lines was masked
    is_damaged: bool  # whether a line can't be parsed

    @property
    def last(self) -> CapturedState | None:
        """The last known state of the workspace; None if unknown."""
        state = self.first
        for line in self.lines:
            state = following(state, line)
        return state


def following(state: CapturedState | None, line: Line) -> CapturedState | None:
    """Return the state after a line, from the state before it."""
    if state is None or not isinstance(line, Effects):
        return state
    stores = state.stores if line.stores is None else frozenset(line.stores)
    left_out = (
        state.left_out if line.left_out is None else tuple(SkippedPath(**each) for each in line.left_out)
    )
    return state.after(line.as_changes, stores, left_out)


def read_states(folder: Path, session_id: str, *, must: bool = False) -> RecordedStates | None:
    """Load a session's recorded states; None if there are none. With ``must``, an unreadable file is an error: the caller removes things by its content."""
    try:
        path = folder / f"{UUID(session_id)}.jsonl"
        with os.fdopen(open_private(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            found = read(file.read(_MOST_BYTES))
    except OSError as error:
        if must and error.errno not in NONE_THERE:
            raise
        return None
    if not found.lines or not isinstance(found.lines[0], Begun):
        return None
    begun, objects = found.lines[0], Objects(folder / "objects", _MOST_BYTES)
    data = objects.get(begun.state, must=must)
    try:
        first = None if data is None else CapturedState.from_bytes(data)
    except (KeyError, TypeError, ValueError, AttributeError):
        first = None
    return RecordedStates(begun, first, found.lines[1:], objects, found.is_masked, found.is_damaged)


_PAUSE_SECONDS = 24 * 3600.0
"""The time between two prunings, and the age below which contents are never removed, in seconds."""


def remove_old(folder: Path, days: float) -> int:
    """Remove the manifests of sessions whose last change is old; does nothing more than once a day."""
    stamp, moment = folder / "pruned", time.time()
    if not stamp.is_symlink() and stamp.exists() and moment - stamp.stat().st_mtime < _PAUSE_SECONDS:
        return 0
    lock = FileLock(folder / "pruning.lock")
    if not lock.acquire():
        return 0
    try:
        os.close(open_private(stamp, os.O_WRONLY | os.O_CREAT))
        os.utime(stamp)
        return _remove(folder, moment - days * 24 * 3600.0, moment - _PAUSE_SECONDS)
    finally:
        lock.release()


def _remove(folder: Path, before: float, young: float) -> int:
    old = [path for path in folder.glob("*.jsonl") if path.lstat().st_mtime < before]
    for path in old:
        path.unlink(missing_ok=True)
    if old:
        needed: set[str] = set()
        for path in folder.glob("*.jsonl"):
            needed |= _needed(folder, path.stem)
        if Objects(folder / "objects", 1).remove_all_but(needed, young):
            # Unchanged files are not kept again, so a file whose content was removed must not count as unchanged.
            for known in (folder / "known").glob("*.json"):
                known.unlink(missing_ok=True)
    return len(old)


def forget_states(folder: Path, session_ids: Collection[str], *, left_before: float | None) -> dict[str, int]:
    """Remove the manifests of sessions, the contents they wrote, and all contents that no other manifest needs, of any age.

    Contents that a session wrote are removed even if another session found them in its workspace, whose states are then incomplete.
    Contents that no manifest names may belong to a killed session or to a live one.
    """
    if not folder.is_dir():
        return {}
    gone = {session_id: _needed(folder, session_id) for session_id in session_ids}
    written = {session_id: _written(folder, session_id) for session_id in session_ids}
    needed: set[str] = set()
    for path in folder.glob("*.jsonl"):
        if path.stem not in gone:
            needed |= _needed(folder, path.stem)
    objects = Objects(folder / "objects", 1)
    objects.remove_unfinished()
    counts = {
        session_id: objects.remove(written[session_id] | digests - needed)
        for session_id, digests in gone.items()
    }
    before = time.time() - _PAUSE_SECONDS if left_before is None else left_before
    if objects.remove_all_but(needed, before) or any(gone.values()):
        for known in (folder / "known").glob("*.json"):
            known.unlink(missing_ok=True)
    # After the contents, which the manifests lead to: if this process is killed in between, the next one finds them.
    for session_id in session_ids:
        (folder / f"{UUID(session_id)}.jsonl").unlink(missing_ok=True)
        (folder / "known" / f".{UUID(session_id)}.tmp").unlink(missing_ok=True)
    return {session_id: count for session_id, count in counts.items() if count}


def _written(folder: Path, session_id: str) -> set[str]:
    """Return the digests of contents that a session's own actions wrote."""
    with suppress(ValueError):
        kept = read_states(folder, session_id, must=True)
        lines = kept.lines if kept is not None else ()
        of_actions = [line for line in lines if isinstance(line, Effects) and line.turn is not None]
        return {change.after.digest for line in of_actions for change in line.as_changes if change.after} - {
            ""
        }
    return set()


def _needed(folder: Path, session_id: str) -> set[str]:
    with suppress(ValueError):
        kept = read_states(folder, session_id, must=True)
        if kept is not None:
            nodes = list(kept.first.nodes.values()) if kept.first else []
            nodes += [
                node
                for line in kept.lines
                if isinstance(line, Effects)
                for change in line.as_changes
                for node in (change.before, change.after)
                if node is not None
            ]
            return {kept.begun.state, *(node.digest for node in nodes if node.digest)}
    return set()
