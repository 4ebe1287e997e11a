"""The journal of effects: what an action is about to do to the workspace is on the disk before it is done.

JOURNAL/              outside the workspace, for its owner only
    effects.jsonl     a line for each effect before it is had, and one when it was; only ever appended to
    contents          the contents of files before and after, by digest, until they are let go
    users             whoever holds it uses the journal: nothing is let go meanwhile
    lock              whoever holds it may change the workspace
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from actionledger.core.clock import now
from actionledger.core.errors import LedgerError
from actionledger.core.ids import new_id
from actionledger.runtime.workspace.contents import Contents
from actionledger.runtime.workspace.folders import write_all
from actionledger.runtime.workspace.history import History, Record
from actionledger.runtime.workspace.locking import ChangeLock
from actionledger.runtime.workspace.nodes import Change, Effect, Kind, Node, Step
from actionledger.runtime.workspace.private_files import make_private_folder, open_private, size_of
from actionledger.runtime.workspace.refusals import recording
from actionledger.runtime.workspace.units import Unit


class Journal:
    """What was done to one workspace, by whom, and how it was before.

    Args:
        folder: where it is kept; it is made where it isn't there, in a folder that is.
        is_durable: whether what is written down survives a power loss, and not only the death of this process.
    """

    def __init__(self, folder: Path, *, is_durable: bool) -> None:
        make_private_folder(folder)
        self._path = folder / "effects.jsonl"
        self._is_durable = is_durable
        self._lock = ChangeLock(folder / "lock")
        self._end = 0
        self.contents = Contents(folder / "contents")
        self.history = History()

    @property
    def changed_at(self) -> datetime:
        """When something was last written down, UTC without a zone."""
        return datetime.fromtimestamp(self._path.stat().st_mtime, UTC).replace(tzinfo=None)

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Keep everybody else from changing the workspace; gives whether they could until now."""
        with self._lock.held() as is_new:
            if is_new:
                with recording():
                    self.contents.catch_up()
                    self._catch_up()
            yield is_new

    def intend(self, unit: Unit, steps: Sequence[Step], undoes: Sequence[int] = ()) -> list[Record]:
        """Write down what is about to be done, with all that it takes to undo it."""
        for step in steps:
            if isinstance(step.effect, Change):
                self._keep(step.effect.before, step.before)
                self._keep(step.effect.after, step.after)
        records = self._records(unit, [step.effect for step in steps], undoes)
        with recording():
            self._sync_contents()
            self._append([{"line": "intended", "record": record.as_json()} for record in records])
        return records

    def done(self, record: Record) -> None:
        """Write down that an effect was had."""
        self.settled([record], [])

    def settled(self, had: Sequence[Record], dropped: Sequence[Record]) -> None:
        """Write down which effects were had and which were not, in one line, so that no crash leaves a part of it."""
        numbers = [[record.number for record in records] for records in (had, dropped)]
        line = {"line": "settled", "had": numbers[0], "dropped": numbers[1]}
        # They were had or not, whether this line can be written or not; without it, recovery compares.
        with suppress(OSError):
            self._write([line], is_durable=False)
        self.history.take(line)

    def watching(self, unit: Unit, snapshot: bytes, digest: str) -> None:
        """Write down that a command is about to run, and what is there before."""
        with recording():
            self.contents.keep(snapshot, digest)
            self._sync_contents()
            self._append([{"line": "watching", "unit": asdict(unit), "snapshot": digest}])

    def watched(self, unit: Unit, effects: Sequence[Effect]) -> None:
        """Write down what a command that ran has done, in one line as above."""
        records = self._records(unit, effects)
        with recording():
            self._sync_contents()
            self._append([{"line": "watched", "records": [record.as_json() for record in records]}])

    def _records(self, unit: Unit, effects: Sequence[Effect], undoes: Sequence[int] = ()) -> list[Record]:
        first, moment = len(self.history.records), now().isoformat()
        return [
            Record(
                number=first + place,
                unit=unit,
                effect=effect,
                at=moment,
                undoes=undoes[place] if undoes else None,
                temporary=f".{new_id()}.tmp" if _is_written(effect) else "",
            )
            for place, effect in enumerate(effects)
        ]

    def _sync_contents(self) -> None:
        if self._is_durable:
            self.contents.sync()

    def _keep(self, node: Node | None, content: bytes | None) -> None:
        if node is not None and content is not None:
            with recording():
                self.contents.keep(content, node.digest)

    def _append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        if lines:
            self._write(lines, is_durable=self._is_durable)
        for line in lines:
            self.history.take(line)

    def _write(self, lines: Sequence[Mapping[str, Any]], *, is_durable: bool) -> None:
        data = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            write_all(descriptor, data)
            if is_durable:
                os.fsync(descriptor)
        except BaseException:
            # Half a line must not stand before the next one.
            with suppress(OSError):
                os.ftruncate(descriptor, self._end)
            raise
        finally:
            os.close(descriptor)
        self._end += len(data)

    def _catch_up(self) -> None:
        """Take in what other processes wrote; cut off the line that a crash left half written."""
        if size_of(self._path) == self._end:
            return
        with os.fdopen(open_private(self._path, os.O_RDWR), "r+b") as file:
            file.seek(self._end)
            data = file.read()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                file.truncate(self._end + whole)
        for line in data[:whole].split(b"\n")[:-1]:
            try:
                self.history.take(json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                message = (
                    f"The journal of effects {str(self._path)!r} is damaged at byte {self._end}: {error!r}. Move its "
                    "folder away to go on without it; what it recorded can then no longer be undone."
                )
                raise LedgerError(message) from error
            self._end += len(line) + 1


def _is_written(effect: Effect) -> bool:
    """Whether an effect puts a new file or link in a place."""
    return isinstance(effect, Change) and effect.after is not None and effect.after.kind is not Kind.FOLDER
