"""Retention of contents for undo: they are removed some days after the last change, or when a session is erased.

A process that opens a journal removes old contents of that journal and of unused ones next to it. A process that uses a journal
holds a shared lock on it, which is released when the process ends. The journal's lines stay, so that removed
contents can be told from those that never existed.
"""

import gc
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from actionledger.core.canonical import JsonDict
from actionledger.core.errors import ActionError, LedgerError
from actionledger.core.ids import now
from actionledger.runtime.workspace.folders import open_private, size_of, write_all
from actionledger.runtime.workspace.history import History, Record
from actionledger.runtime.workspace.journal import Journal, lock_alone, lock_shared
from actionledger.runtime.workspace.nodes import Change, Gap, effect_as_json
from actionledger.runtime.workspace.snapshots import WorkspaceSnapshot

_USERS = "users"
_PAUSE_SECONDS = 24 * 3600.0
"""How long a journal is left alone after it was cleaned, in seconds."""


class InUse:
    """Marks a journal as in use as long as this object or its process lives."""

    def __init__(self, folder: Path) -> None:
        self._descriptor = _open_users(folder)
        # Waits only briefly for a process that is cleaning the journal.
        lock_shared(self._descriptor)

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            os.close(self._descriptor)


def let_go_of_old(state: Path, days: float) -> None:
    """Remove expired contents from the journals in a folder; journals in use are unchanged."""
    for folder in sorted(state.iterdir()):
        if not size_of(folder / "contents"):
            continue
        with suppress(OSError, ActionError, LedgerError), alone(folder) as is_alone:
            if is_alone and time.time() - (folder / _USERS).lstat().st_mtime > _PAUSE_SECONDS:
                _let_go(folder, now() - timedelta(days=days))
                os.utime(folder / _USERS, follow_symlinks=False)


def _let_go(folder: Path, before: datetime) -> None:
    journal = Journal(folder, is_durable=True)
    with journal.held():
        # After a killed command whose effects are not recorded yet, any content may be needed.
        if journal.history.watch is None or journal.changed_at < before:
            journal.contents.keep_only(_needed(journal.history, before))


def _needed(history: History, before: datetime) -> set[str]:
    """Return the digests still needed: of sessions with a change since a time, and of pending records."""
    last: dict[str, datetime] = {}
    for record in history.records:
        owner, moment = history.owner_of(record), datetime.fromisoformat(record.at)
        last[owner] = max(last.get(owner, moment), moment)
    kept = [
        record
        for record in history.records
        if last[history.owner_of(record)] >= before or record.number in history.pending
    ]
    nodes = [
        node
        for record in kept
        if isinstance(record.effect, Change)
        for node in (record.effect.before, record.effect.after)
    ]
    return {node.digest for node in nodes if node} | ({history.watch.snapshot} if history.watch else set())


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Try to lock a journal against all use; yields whether nobody uses it."""
    if folder.is_symlink():
        yield False
        return
    descriptor = _open_users(folder)
    try:
        yield lock_alone(descriptor)
    finally:
        os.close(descriptor)


def _open_users(folder: Path) -> int:
    path = folder / _USERS
    try:
        descriptor = open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        return open_private(path, os.O_RDWR)
    # A new file's time means that the journal was never cleaned.
    os.utime(path, (0, 0), follow_symlinks=False)
    return descriptor


_WHY = "What was changed here is forgotten."


def journals_with(state: Path, names: Collection[str]) -> list[Path]:
    """Return the journals that name given sessions or turns."""
    needles = [name.encode() for name in names]
    found = []
    for path in sorted(state.glob("*/effects.jsonl")):
        if path.is_symlink() or path.parent.is_symlink():
            continue
        with path.open("rb") as file:
            if any(needle in line for line in file for needle in needles):
                found.append(path.parent)
    return found


def refuse_used(journals: Collection[Path]) -> None:
    """Raise if a process uses one of the journals."""
    # A closed session still uses its journal until its object is released.
    gc.collect()
    for folder in journals:
        with _locked(folder):
            pass


def forget_effects(journals: Collection[Path], names: Collection[str]) -> dict[str, int]:
    """Remove the changes of sessions from journals, and the contents that nothing else needs."""
    counts: dict[str, int] = {}
    for folder in journals:
        with _locked(folder):
            journal = Journal(folder, is_durable=True)
            with journal.held():
                gone = {
                    record.number: record.unit.session
                    for record in journal.history.records
                    if {journal.history.owner_of(record), record.unit.session, record.unit.turn} & set(names)
                }
                for session in gone.values():
                    counts[session] = counts.get(session, 0) + 1
                kept = [record for record in journal.history.records if record.number not in gone]
                # Contents that the session wrote are removed even if another session found them, which then can't undo across them.
                written = {
                    record.effect.after.digest
                    for record in journal.history.records
                    if record.number in gone and isinstance(record.effect, Change) and record.effect.after
                }
                # Before the lines, which list the contents: if this process is killed in between, the next one finds them there.
                journal.contents.keep_only((_digests(kept) | _watched(journal, names)) - written)
                _rewrite(folder / "effects.jsonl", gone, names)
    return counts


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with alone(folder) as is_alone:
        if not is_alone:
            raise LedgerError(
                f"A live process uses the journal of effects {folder}: close the sessions that work in its workspace, then forget again."
            )
        yield


def _rewrite(path: Path, gone: Mapping[int, str], names: Collection[str]) -> None:
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    kept = [
        _without(line, gone)
        for line in lines
        if not (
            line["line"] == "watching" and bool({line["unit"]["session"], line["unit"]["turn"]} & set(names))
        )
    ]
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    descriptor = open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        write_all(
            descriptor, b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in kept)
        )
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    new.replace(path)


def _without(line: JsonDict, gone: Mapping[int, str]) -> JsonDict:
    """Return a line with each removed effect replaced by a gap; numbers and chains stay the same."""
    if "record" in line:
        return line | {"record": _gap(line["record"], gone)}
    if "records" in line:
        return line | {"records": [_gap(record, gone) for record in line["records"]]}
    return line


def _gap(record: JsonDict, gone: Mapping[int, str]) -> JsonDict:
    if record["number"] not in gone:
        return record
    return record | {"effect": effect_as_json(Gap(".", _WHY)), "temporary": ""}


def _watched(journal: Journal, names: Collection[str]) -> set[str]:
    """Return the digests needed by another session's unfinished command: its snapshot and the contents in it."""
    watch = journal.history.watch
    if watch is None or {watch.unit.session, watch.unit.turn} & set(names):
        return set()
    before = journal.contents.get(watch.snapshot)
    seen = WorkspaceSnapshot.from_bytes(before).seen.values() if before is not None else ()
    return {watch.snapshot, *(each.node.digest for each in seen)}


def _digests(records: Collection[Record]) -> set[str]:
    changes = [record.effect for record in records if isinstance(record.effect, Change)]
    return {node.digest for change in changes for node in (change.before, change.after) if node}
