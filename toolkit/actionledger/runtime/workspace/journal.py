"""The journal of effects, its lock and its contents: an effect is on disk before it is applied.

JOURNAL/              outside the workspace, accessible to its owner only
    effects.jsonl     a line for each effect before it is applied, and another one after; append-only
    contents          the contents of files before and after, by digest, until they expire
    users             locked by every process that uses the journal: no content is removed meanwhile
    lock              locked by the process that changes the workspace
"""

import fcntl
import json
import os
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import ActionError, LedgerError
from actionledger.core.ids import new_id, now
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.folders import make_private_folder, open_private, size_of, write_all
from actionledger.runtime.workspace.history import History, Record, Unit
from actionledger.runtime.workspace.nodes import Change, Effect, EffectStep, Node, NodeKind, digest_of
from actionledger.runtime.workspace.paths import recording

_POLL_SECONDS = 0.01


class ChangeLock:
    """A reentrant lock between threads and processes. The kernel releases the lock of a dead process."""

    def __init__(self, path: Path, patience: float = 60.0) -> None:
        self._path = path
        self._patience = patience
        self._threads = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the lock; yields whether it was not held before."""
        give_up_at = time.monotonic() + self._patience
        if not self._threads.acquire(timeout=self._patience):
            raise _busy(self._patience)
        try:
            if self._depth:
                with self._deeper():
                    yield False
                return
            descriptor = self._locked(give_up_at)
            try:
                with self._deeper():
                    yield True
            finally:
                os.close(descriptor)
        finally:
            self._threads.release()

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _locked(self, give_up_at: float) -> int:
        """Take the lock between processes; return its descriptor."""
        with recording():
            descriptor = open_private(self._path, os.O_CREAT | os.O_RDWR)
            try:
                while not (is_held := lock_alone(descriptor)) and time.monotonic() < give_up_at:
                    time.sleep(_POLL_SECONDS)
            except BaseException:
                os.close(descriptor)
                raise
        if not is_held:
            os.close(descriptor)
            raise _busy(self._patience)
        return descriptor


def lock_shared(descriptor: int) -> None:
    """Take the lock as shared; wait while another process holds it exclusively."""
    fcntl.flock(descriptor, fcntl.LOCK_SH)


def lock_alone(descriptor: int) -> bool:
    """Take the lock exclusively if it is free; return whether it is held now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(patience: float) -> ActionError:
    message = f"Another action has been changing the workspace for {patience:g} seconds. Try again later."
    return ActionError(Reason.UNAVAILABLE, message)


class Contents:
    """Contents stored by digest in one file; callers hold the journal's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def catch_up(self) -> None:
        """Load what other processes have stored; truncate an incomplete entry left by a crash."""
        size = size_of(self._path)
        if size == self._end:
            return
        with os.fdopen(open_private(self._path, os.O_RDWR), "r+b") as file:
            while self._end < size:
                file.seek(self._end)
                digest, _, length = file.readline(100).decode("ascii", "replace").strip().partition(" ")
                start = file.tell()
                if not length.isdigit() or start + int(length) + 1 > size:
                    file.truncate(self._end)
                    return
                self._places[digest] = start, int(length)
                self._end = start + int(length) + 1

    def keep(self, content: bytes, digest: str) -> None:
        """Store a content, unless it is stored already."""
        if digest in self._places:
            return
        head = f"{digest} {len(content)}\n".encode()
        descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT)
        try:
            os.lseek(descriptor, self._end, os.SEEK_SET)
            write_all(descriptor, head + content + b"\n")
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, self._end)
            raise
        finally:
            os.close(descriptor)
        self._places[digest] = self._end + len(head), len(content)
        self._end += len(head) + len(content) + 1

    def get(self, digest: str) -> bytes | None:
        """Return a content; None if it isn't stored or no longer matches its digest."""
        if digest not in self._places:
            return None
        start, length = self._places[digest]
        with os.fdopen(open_private(self._path, os.O_RDONLY), "rb") as file:
            file.seek(start)
            content = file.read(length)
        return content if digest_of(content) == digest else None

    def keep_only(self, digests: Collection[str]) -> None:
        """Remove all other contents; after a crash, either all the old contents or the new ones are there."""
        new = self._path.with_name(f"{self._path.name}.new")
        new.unlink(missing_ok=True)
        if self._places.keys() <= set(digests):
            return
        kept = Contents(new)
        os.close(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        for digest in self._places:
            if digest in digests and (content := self.get(digest)) is not None:
                kept.keep(content, digest)
        kept.sync()
        new.replace(self._path)
        self._places, self._end = kept._places, kept._end

    def sync(self) -> None:
        """Sync all contents to disk, so that they survive a power loss."""
        if size_of(self._path):
            descriptor = open_private(self._path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


class Journal:
    """The journal of one workspace: changes, actions, earlier states; if durable, its records survive a power loss, and not only the end of this process."""

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
        """When the journal was last written to, UTC without a zone."""
        return datetime.fromtimestamp(self._path.stat().st_mtime, UTC).replace(tzinfo=None)

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Lock the workspace against changes by others; yields whether the lock was not held before."""
        with self._lock.held() as is_new:
            if is_new:
                with recording():
                    self.contents.catch_up()
                    self._catch_up()
            yield is_new

    def intend(self, unit: Unit, steps: Sequence[EffectStep], undoes: Sequence[int]) -> list[Record]:
        """Record intended effects, with all that is needed to undo them."""
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
        """Record that an effect was applied."""
        self.settled([record], [])

    def settled(self, had: Sequence[Record], dropped: Sequence[Record]) -> None:
        """Record which effects were applied and which were not, in one line, so that a crash can't split it."""
        numbers = [[record.number for record in records] for records in (had, dropped)]
        line = {"line": "settled", "had": numbers[0], "dropped": numbers[1]}
        # This is known even if the line can't be written; without it, recovery compares the paths.
        with suppress(OSError):
            self._write([line], is_durable=False)
        self.history.take(line)

    def watching(self, unit: Unit, snapshot: bytes, digest: str) -> None:
        """Record that a command starts, and the snapshot before it."""
        with recording():
            self.contents.keep(snapshot, digest)
            self._sync_contents()
            self._append([{"line": "watching", "unit": asdict(unit), "snapshot": digest}])

    def watched(self, unit: Unit, effects: Sequence[Effect]) -> None:
        """Record the effects of a finished command, in one line so that a crash can't split them."""
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
                temporary=f".{new_id()}.tmp"
                if (
                    isinstance(effect, Change)
                    and effect.after is not None
                    and effect.after.kind is not NodeKind.FOLDER
                )
                else "",
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

    def _append(self, lines: Sequence[JsonMap]) -> None:
        if lines:
            self._write(lines, is_durable=self._is_durable)
        for line in lines:
            self.history.take(line)

    def _write(self, lines: Sequence[JsonMap], *, is_durable: bool) -> None:
        data = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            write_all(descriptor, data)
            if is_durable:
                os.fsync(descriptor)
        except BaseException:
            # Don't append to an incomplete line.
            with suppress(OSError):
                os.ftruncate(descriptor, self._end)
            raise
        finally:
            os.close(descriptor)
        self._end += len(data)

    def _catch_up(self) -> None:
        """Load what other processes have written; truncate an incomplete line left by a crash."""
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
