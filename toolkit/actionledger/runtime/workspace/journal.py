"""The journal of effects, its lock and its contents: an effect is on the disk before it is done.

JOURNAL/              outside the workspace, for its owner only
    effects.jsonl     a line for each effect before it is had, and one when it was; only ever appended to
    contents          the contents of files before and after, by digest, until they are let go
    users             whoever holds it uses the journal: nothing is let go meanwhile
    lock              whoever holds it may change the workspace
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
    """A lock between threads and processes; whoever holds it may take it again. The kernel frees a dead process's.

    Args:
        path: the file that is locked; it is made where it isn't there.
        patience: how long to wait for it, in seconds.
    """

    def __init__(self, path: Path, patience: float = 60.0) -> None:
        self._path = path
        self._patience = patience
        self._threads = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the lock; gives whether it was just taken, and not held already."""
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
        """Return the descriptor that holds the lock between processes."""
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
    """Take the lock between processes beside others who take it so; wait until nobody has it alone."""
    fcntl.flock(descriptor, fcntl.LOCK_SH)


def lock_alone(descriptor: int) -> bool:
    """Take the lock between processes if nobody has it; return whether it is held now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(patience: float) -> ActionError:
    message = f"Another action has been changing the workspace for {patience:g} seconds. Try again later."
    return ActionError(Reason.UNAVAILABLE, message)


class Contents:
    """Contents by their digest; whoever uses it holds the journal's lock.

    Args:
        path: the file; it is made with the first content.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def catch_up(self) -> None:
        """Take in what others kept meanwhile; cut off what a crash left half written."""
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
        """Keep a content, unless it is kept already."""
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
        """Return a content; None where it isn't kept, or no longer what it was."""
        if digest not in self._places:
            return None
        start, length = self._places[digest]
        with os.fdopen(open_private(self._path, os.O_RDONLY), "rb") as file:
            file.seek(start)
            content = file.read(length)
        return content if digest_of(content) == digest else None

    def keep_only(self, digests: Collection[str]) -> None:
        """Let go of all other contents; a crash on the way leaves either all that was kept or what is kept now."""
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
        """Make all that is kept survive a power loss."""
        if size_of(self._path):
            descriptor = open_private(self._path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


class Journal:
    """The journal of one workspace: what was done, by whom, and the state before it.

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

    def intend(self, unit: Unit, steps: Sequence[EffectStep], undoes: Sequence[int] = ()) -> list[Record]:
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
