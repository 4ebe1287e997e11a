"""Reads the files of a plan into a ledger, and remembers those that were read whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from actionledger.errors import ActionLedgerError
from actionledger.importing.prices import Prices
from actionledger.importing.reading import AS_IT_SAYS, ReadAs
from actionledger.importing.recognising import Plan, ToRead
from actionledger.importing.report import ImportReport
from actionledger.importing.sessions import SourcesImporter
from actionledger.ledger import Ledger
from actionledger.ledger.taken_files import TakenFiles
from actionledger.sources.base import Item, LeftOut, Refusal
from actionledger.sources.containers import shown
from actionledger.sources.files import size_of
from actionledger.vocabulary import LeftOutReason


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is.

    Args:
        bytes: how much was read, in bytes.
        total: how much there is to read, in bytes; None where nobody knows.
        turns: how many turns were looked at.
    """

    bytes: int
    total: int | None
    turns: int


class ImportStopped(KeyboardInterrupt):
    """An import that was stopped; what was taken in until then is kept, and the same import goes on where it stopped.

    Args:
        report: what was taken in.
    """

    def __init__(self, report: ImportReport) -> None:
        super().__init__("The import was stopped.")
        self.report = report


class PlanImporter:
    """Reads the files of a plan.

    Args:
        ledger: where to record.
        plan: what is to be read.
        taken: remembers what was.
        origin: what people have named, as the runs say it.
        read_as: how texts of sessions without a profile are read; None for every known format.
        on_progress: is told how far it is.
        prices: what responses cost of which only the tokens are recorded.
    """

    def __init__(
        self,
        ledger: Ledger,
        plan: Plan,
        taken: TakenFiles,
        *,
        origin: str,
        read_as: ReadAs | None,
        on_progress: Callable[[ImportProgress], None] | None,
        prices: Prices | None = None,
    ) -> None:
        self._ledger = ledger
        self._plan = plan
        self._taken = taken
        self._origin = origin
        self._on_progress = on_progress
        sizes = [size_of(each.path) for each in plan.to_read]
        self._total = None if None in sizes else sum(size or 0 for size in sizes)
        self._bytes = 0
        self._report = ImportReport(unchanged=plan.unchanged)
        self._whole: list[ToRead] = []
        together = {each.name for each in plan.to_read if each.format.names == "file"}
        self._importers = SourcesImporter(
            ledger,
            origin=origin,
            read_as=read_as or AS_IT_SAYS,
            asked_together=together,
            prices=prices,
        )

    def run(self) -> ImportReport:
        """Read them; what was read is kept and remembered however it ends."""
        stopped: KeyboardInterrupt | None = None
        try:
            self._note_plan()
            for each in self._plan.to_read:
                self._read(each)
        except KeyboardInterrupt as error:
            stopped = error
        finally:
            self._report += self._importers.finish()
            self._remember()
        if stopped is not None:
            raise ImportStopped(self._report) from stopped
        return self._report

    def _read(self, file: ToRead) -> None:
        before = self._importers.troubles
        self._importers.begin_file(shown(file.path))
        self._report.files[file.format.name] += 1
        least = self._report.sureness.get(file.format.name, 1.0)
        self._report.sureness[file.format.name] = min(least, file.sureness)
        for item in self._items(file):
            self._importers.take(item, file.name, file.format.name)
            self._tell(0)
        if self._importers.troubles == before:
            self._whole.append(file)
            self._importers.end_file()

    def _items(self, file: ToRead) -> Iterator[Item]:
        """Yield what a file holds; what keeps it from being read further is a refusal, and the other files are read."""
        try:
            yield from file.read(file.path, self._tell)
        except ActionLedgerError as error:
            yield Refusal(shown(file.path), 0, str(error))
        except (
            OSError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            yield Refusal(shown(file.path), 0, f"The reader of {file.format.name} gives up here: {why}.")

    def _tell(self, count: int) -> None:
        self._bytes += count
        if self._on_progress:
            self._on_progress(ImportProgress(self._bytes, self._total, self._importers.turns))

    def _note_plan(self) -> None:
        """Record what was found beside the recordings."""
        name = self._plan.to_read[0].name if self._plan.to_read else "import"
        for (root, suffix), count in self._plan.unknown.items():
            reason = LeftOutReason.UNKNOWN_FORMAT
            self._importers.take(LeftOut(str(root), reason, suffix[:40] or "no suffix", count), name)
        for path, why in self._plan.refused:
            self._importers.take(Refusal(shown(path), 0, why), name)

    def _remember(self) -> None:
        """Remember the files that were read to their end without a trouble, once what was read of them is safe."""
        self._ledger.flush()
        whole = {each.path for each in self._whole}
        for each in self._whole:
            if each.state is not None:
                self._taken.add(each.path, each.state)
        for archive, state in self._plan.archives.items():
            inside = [each.path for each in self._plan.to_read if archive in each.path.parents]
            if whole.issuperset(inside):
                self._taken.add(archive, state)
        self._taken.save()
