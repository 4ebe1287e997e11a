"""A folder that other agents write into: what is new in it is taken in as it grows.

Files are read from their beginning whenever they grew, since a message may grow line by line; what the ledger has already is passed over. So that
large files don't take all of a processor, the next reading waits a multiple of the time that the last one took.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from os import SEEK_END
from pathlib import Path
from threading import Event
from time import monotonic, time

from actionledger.core.errors import SourceError, require
from actionledger.imports import ImportProgress, ImportReport, ImportStopped
from actionledger.imports.plan_importer import PlanImporter
from actionledger.imports.prices import Prices
from actionledger.imports.recognition import FileOptions, ImportOptions, planned
from actionledger.imports.sources.files import Given, files_at
from actionledger.imports.sources.registry import source_named
from actionledger.ledger import Ledger
from actionledger.ledger.storage.imported_files import TakenFiles, written_beside

require("Watching a folder", "live", "watchfiles")
import watchfiles  # noqa: E402 - optional; what is missing was named above

PAUSE = 6.0
"""How many times as long as the last reading took the next one waits: a seventh of a processor at most."""

_DEBOUNCE = 500
_TICK = 1000
_SETTLED = 10.0


def refuse_nowhere(folder: Path) -> None:
    """Refuse to watch what is not there.

    Raises:
        SourceError: there is no such folder.
    """
    if not folder.exists():
        raise SourceError(f"There is no folder {str(folder)!r} to watch.")


class Watcher:
    """Takes in what is new in a folder.

    Args:
        folder: the folder, or one file.
        ledger: where to record.
        form: the format of all its files; each one's own where it is empty.
        prices: what responses cost of which only the tokens are recorded.
        stop: ends reading and watching when it is set; what was taken in is kept.

    Attributes:
        report: what was taken in since it began.
        is_gone: whether the folder was taken away.

    Raises:
        SourceError: there is no such folder.
        UnknownNameError: there is no such format.
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
        """Take in every file that is new or was written to since the last time, and return what that was."""
        self._is_due = False
        taken = self._imported(list(self._changed()))
        # Add what is new; what a file says each time that it is read counts once.
        left_out = self.report.left_out | taken.left_out
        told = {str(each) for each in self.report.refusals}
        taken.refusals = [each for each in taken.refusals if str(each) not in told]
        self.report += taken
        self.report.left_out = left_out
        self.report.known = 0
        return taken

    def _imported(self, files: list[Given]) -> ImportReport:
        """Take files in as an import does it; what is none of a known format may become one."""
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
        """Take in what there is, and then what comes, until ``stop`` is set or the folder is gone.

        Args:
            on_taken: is told of everything that was taken in.

        Returns:
            What was taken in altogether.
        """
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
        """Yield what has changed, or that nothing has, each second at the latest."""
        # What is new in a database may lie beside it.
        where = self._folder if self._folder.is_dir() else self._folder.absolute().parent
        try:
            yield from watchfiles.watch(
                where, debounce=_DEBOUNCE, rust_timeout=_TICK, yield_on_timeout=True, stop_event=self._stop
            )
        except (RuntimeError, OSError):  # a name that is no UTF-8, or more folders than the system watches
            if not where.exists():
                raise
        while not self._stop.wait(_TICK / 1000):
            yield True  # each file is looked at then

    def _take_due(self, on_taken: Callable[[ImportReport], None], next_at: float) -> float:
        """Take in what is due where its time has come; return when the next may be."""
        if not self._is_due or monotonic() < next_at:
            return next_at
        began = monotonic()
        taken = self.take()
        if taken.turns or taken.results or taken.refusals:
            on_taken(taken)
        return monotonic() + (monotonic() - began) * PAUSE

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


def _is_being_written(path: Path, written_at: float) -> bool:
    """Return whether somebody is in the middle of a line, or of a document: what is left so for a while is read as it is."""
    if time() - written_at > _SETTLED:
        return False
    with path.open("rb") as file:
        file.seek(0, SEEK_END)
        file.seek(max(file.tell() - 1, 0))
        return file.read(1) not in {b"\n", b"}", b"]"}
