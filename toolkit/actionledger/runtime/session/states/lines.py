"""The file of a session's states: its lines as values, read back, and pruned when their time is over."""

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
    settings: JsonMap
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
class DrawnValues:
    """The values that one action drew from outside.

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
    """The changes of the workspace.

    Args:
        turn: the turn in which it was found; None where nobody's action did it.
        actions: the places of the actions that were carried out since the last look; none where nobody's did it.
        changes: what has changed, as JSON values.
        stores: the paths of all SQLite files; None where they are those of before.
        left_out: what is there and not kept, as JSON values; None where it is what it was before.
    """

    turn: int | None
    actions: tuple[int, ...]
    changes: tuple[JsonDict, ...]
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


def change_as_json(change: Change) -> JsonDict:
    """Return a change as a JSON value."""
    return asdict(change)


_MOST_BYTES = 2**30
"""The largest content that is read back, in bytes."""


@dataclass(frozen=True, slots=True)
class RecordedStates:
    """The recorded states of a session.

    Args:
        begun: how it began.
        first: what its workspace held then; None where that is no longer kept.
        lines: what happened since, in order.
        objects: the contents.
        is_masked: whether a secret in the lines was masked.
        is_damaged: whether a line can't be read.
    """

    begun: Begun
    first: CapturedState | None
    lines: Sequence[Line]
    objects: Objects
    is_masked: bool
    is_damaged: bool

    @property
    def last(self) -> CapturedState | None:
        """The last known content of the workspace; None where it is not known."""
        state = self.first
        for line in self.lines:
            state = following(state, line)
        return state


def following(state: CapturedState | None, line: Line) -> CapturedState | None:
    """Return the state after a line, given the one before."""
    if state is None or not isinstance(line, Effects):
        return state
    stores = state.stores if line.stores is None else frozenset(line.stores)
    left_out = (
        state.left_out if line.left_out is None else tuple(SkippedPath(**each) for each in line.left_out)
    )
    return state.after(line.as_changes, stores, left_out)


def read_states(folder: Path, session_id: str, *, must: bool = False) -> RecordedStates | None:
    """Return what was kept of a session's states; None where nothing was.

    Args:
        folder: the folder of all manifests of a ledger.
        session_id: the session.
        must: whether what is there has to be read, since something is removed by what it says.

    Raises:
        OSError: it must be read, and can't be.
    """
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
"""How long it is left alone after it was gone through; and how young a content is that is never removed."""


def remove_old(folder: Path, days: float) -> int:
    """Remove the manifests of sessions that were last changed long ago; once a day is enough."""
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
            # What is unchanged is not kept anew, so nothing may be taken for unchanged of which the content is gone.
            for known in (folder / "known").glob("*.json"):
                known.unlink(missing_ok=True)
    return len(old)


def forget_states(
    folder: Path, session_ids: Collection[str], *, left_before: float | None = None
) -> dict[str, int]:
    """Remove the manifests of sessions, what they wrote, and every content that no other manifest needs, however young it is.

    What a session wrote goes, though another one has found it in its workspace: that one's states are no longer whole. A session that was
    killed leaves contents that no manifest names yet, as one has that lives.
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
    # After the contents, which are found by them: whoever is killed in between leaves them to the next one.
    for session_id in session_ids:
        (folder / f"{UUID(session_id)}.jsonl").unlink(missing_ok=True)
        (folder / "known" / f".{UUID(session_id)}.tmp").unlink(missing_ok=True)
    return {session_id: count for session_id, count in counts.items() if count}


def _written(folder: Path, session_id: str) -> set[str]:
    """Return the digests of what a session's own actions wrote."""
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
