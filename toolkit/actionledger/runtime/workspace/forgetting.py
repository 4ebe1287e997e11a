"""What sessions have changed is taken out of the journals of effects: nobody can undo it any more, and nothing of it is left."""

import gc
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from actionledger.core.errors import LedgerError
from actionledger.runtime.workspace.folders import write_all
from actionledger.runtime.workspace.history import Record
from actionledger.runtime.workspace.journal import Journal
from actionledger.runtime.workspace.nodes import Change, Gap, effect_as_json
from actionledger.runtime.workspace.private_files import open_private
from actionledger.runtime.workspace.retention import alone
from actionledger.runtime.workspace.snapshots import Snapshot

_WHY = "What was changed here is forgotten."


def journals_with(state: Path, names: Collection[str]) -> list[Path]:
    """Return the journals in which sessions, or their turns, are named."""
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
    """Raise where a process uses one of the journals."""
    # A session that is closed, and that nobody has let go of yet, uses its journal still.
    gc.collect()
    for folder in journals:
        with _held(folder):
            pass


def forget_effects(journals: Collection[Path], names: Collection[str]) -> dict[str, int]:
    """Take out of journals what sessions have changed, and let go of the contents that nothing else needs."""
    counts: dict[str, int] = {}
    for folder in journals:
        with _held(folder):
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
                # What the session wrote goes, though another one has found it there: that one can't be undone across it.
                written = {
                    record.effect.after.digest
                    for record in journal.history.records
                    if record.number in gone and isinstance(record.effect, Change) and record.effect.after
                }
                # Before the lines, which say what was written: whoever is killed in between leaves them to the next one.
                journal.contents.keep_only((_digests(kept) | _watched(journal, names)) - written)
                _rewrite(folder / "effects.jsonl", gone, names)
    return counts


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    with alone(folder) as is_alone:
        if not is_alone:
            raise LedgerError(
                f"A live process uses the journal of effects {folder}: close the sessions that work in its workspace, then forget again."
            )
        yield


def _rewrite(path: Path, gone: Mapping[int, str], names: Collection[str]) -> None:
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    kept = [_without(line, gone) for line in lines if not _is_watch_of(line, names)]
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


def _is_watch_of(line: Mapping[str, Any], names: Collection[str]) -> bool:
    return line["line"] == "watching" and bool({line["unit"]["session"], line["unit"]["turn"]} & set(names))


def _without(line: dict[str, Any], gone: Mapping[int, str]) -> dict[str, Any]:
    """Return a line with a gap in the place of each effect that is gone; places and chains stay as they are."""
    if "record" in line:
        return line | {"record": _gap(line["record"], gone)}
    if "records" in line:
        return line | {"records": [_gap(record, gone) for record in line["records"]]}
    return line


def _gap(record: dict[str, Any], gone: Mapping[int, str]) -> dict[str, Any]:
    if record["number"] not in gone:
        return record
    return record | {"effect": effect_as_json(Gap(".", _WHY)), "temporary": ""}


def _watched(journal: Journal, names: Collection[str]) -> set[str]:
    """Return what another session's command needs, of which nobody has looked yet for what it did: what was there before it."""
    watch = journal.history.watch
    if watch is None or {watch.unit.session, watch.unit.turn} & set(names):
        return set()
    before = journal.contents.get(watch.snapshot)
    seen = Snapshot.from_bytes(before).seen.values() if before is not None else ()
    return {watch.snapshot, *(each.node.digest for each in seen)}


def _digests(records: Collection[Record]) -> set[str]:
    changes = [record.effect for record in records if isinstance(record.effect, Change)]
    return {node.digest for change in changes for node in (change.before, change.after) if node}
