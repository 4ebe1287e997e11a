"""Watch a folder that agents write into, and import what is new as it grows.

A file that grew is read from its beginning, since a message may grow line by line; what the ledger has is skipped. After each reading the next one
waits a multiple of its processor time, so that large files don't use a whole processor, and half a minute at most.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from os import SEEK_END, times
from pathlib import Path
from threading import Event
from time import monotonic, time

from actionledger.core.errors import SourceError, require
from actionledger.core.processes import give_memory_back
from actionledger.imports import ImportProgress, ImportReport, ImportStopped
from actionledger.imports.plan_importer import PlanImporter
from actionledger.imports.prices import Prices
from actionledger.imports.recognition import FileOptions, ImportOptions, planned
from actionledger.imports.sources.files import Given, files_at
from actionledger.imports.sources.registry import source_named
from actionledger.ledger import Ledger
from actionledger.ledger.storage.imported_files import TakenFiles, written_beside

require("Watching a folder", "live", "watchfiles")
import watchfiles  # noqa: E402 - optional; the call above names a missing package

PAUSE = 6.0
"""The wait after a reading, as a multiple of its processor time: about a seventh of a processor is used."""

LONGEST_PAUSE = 30.0
"""The longest such wait, in seconds: what comes in a longer one takes longer to read, and without a limit each wait would be longer than the last."""

_DEBOUNCE = 500
_TICK = 1000
_SETTLED = 10.0


def refuse_nowhere(folder: Path) -> None:
    """Refuse to watch a path that doesn't exist."""
    if not folder.exists():
        raise SourceError(f"There is no folder {str(folder)!r} to watch.")


class Watcher:
    """Imports what is new in a folder.

    Args:
        folder: the folder, or one file.
        ledger: the ledger to record into.
        form: the format of all its files; empty to detect each file's.
        prices: prices for responses recorded with tokens but without a cost.
        stop: ends reading and watching when it is set; what was imported is kept.

    Attributes:
        report: the report since it began.
        is_gone: whether the folder was removed.

    Raises:
        SourceError: the folder doesn't exist.
        UnknownNameError: the format doesn't exist.
    """

    def __init__(
        self,
        folder: Path,
        ledger: Ledger,
        *,
        form: str = "",
        stop: Event | None = None,
        prices: Prices | None = None,
    ) -> None:
        refuse_nowhere(folder)
        self.report = ImportReport()
        self.is_gone = False
        self._folder = folder
        self._ledger = ledger
        self._form = source_named(form).name if form else ""
        self._stop = stop or Event()
        self._prices = prices
        self._seen: dict[Path, tuple[int, int, bytes]] = {}
        self._is_due = True

    def take(self) -> ImportReport:
        """Import every file that is new or has changed since the last call, and return the report."""
        self._is_due = False
        taken = self._imported(list(self._changed()))
        # Add only what is new: a file repeats its counts and refusals each time it is read.
        left_out = self.report.left_out | taken.left_out
        told = {str(each) for each in self.report.refusals}
        taken.refusals = [each for each in taken.refusals if str(each) not in told]
        self.report += taken
        self.report.left_out = left_out
        self.report.known = 0
        give_memory_back()
        return taken

    def _imported(self, files: list[Given]) -> ImportReport:
        """Import files as usual; one of no known format may become a recording later."""
        remembered = TakenFiles.of(self._ledger.path)
        plan = planned(files, FileOptions(self._form), remembered, must_find=False)
        plan.unknown.clear()
        options = ImportOptions(
            origin=str(self._folder), on_progress=self._end_if_stopped, prices=self._prices
        )
        importer = PlanImporter(self._ledger, plan, remembered, options)
        try:
            return importer.run()
        except ImportStopped as stopped:
            return stopped.report

    def _end_if_stopped(self, _progress: ImportProgress) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt

    def run(self, on_taken: Callable[[ImportReport], None]) -> ImportReport:
        """Import what is there, and then what comes, until ``stop`` is set or the folder is gone; return the report of everything."""
        next_at = 0.0
        changes = self._changes()
        while not self._stop.is_set() and self._folder.exists():
            try:
                next_at = self._take_due(on_taken, next_at)
                self._is_due = bool(next(changes, None)) or self._is_due
            except (SourceError, FileNotFoundError):
                if self._folder.exists():
                    raise
        self.is_gone = not self._folder.exists()
        return self.report

    def _changes(self) -> Iterator[object]:
        """Yield at each change, and at least every second."""
        # A database's new content may be in a file next to it.
        where = self._folder if self._folder.is_dir() else self._folder.absolute().parent
        is_first = (
            True  # a file may have changed between its import and the start of the watch: check all once more
        )
        try:
            for changes in watchfiles.watch(
                where, debounce=_DEBOUNCE, rust_timeout=_TICK, yield_on_timeout=True, stop_event=self._stop
            ):
                yield changes or is_first
                is_first = False
        except (RuntimeError, OSError):  # a name that is not UTF-8, or more folders than the system can watch
            if not where.exists():
                raise
        while not self._stop.wait(_TICK / 1000):
            yield True  # every file is checked then

    def _take_due(self, on_taken: Callable[[ImportReport], None], next_at: float) -> float:
        """Import what is due if its time has come; return the earliest time of the next import."""
        if not self._is_due or monotonic() < next_at:
            return next_at
        began = _processor_time()
        taken = self.take()
        if taken.turns or taken.results or taken.refusals:
            on_taken(taken)
        # Its time by the clock would be far longer where others use the machine.
        return monotonic() + min((_processor_time() - began) * PAUSE, LONGEST_PAUSE)

    def _changed(self) -> Iterator[Given]:
        for given in files_at([self._folder]):
            with suppress(OSError):  # it is gone by now
                status = given.path.stat()
                beside = written_beside(given.path)
                state = (status.st_size, status.st_mtime_ns, beside)
                if self._seen.get(given.path) == state:
                    continue
                if _is_being_written(given.path, status.st_mtime):
                    self._is_due = True
                    continue
                self._seen[given.path] = state
                yield given


def _processor_time() -> float:
    """Return the processor time of this process and its ended children, in seconds."""
    return sum(times()[:4])


def _is_being_written(path: Path, written_at: float) -> bool:
    """Return whether a file ends within a line or document and was just written; after a while it is read as it is."""
    if time() - written_at > _SETTLED:
        return False
    with path.open("rb") as file:
        file.seek(0, SEEK_END)
        file.seek(max(file.tell() - 1, 0))
        return file.read(1) not in {b"\n", b"}", b"]"}
