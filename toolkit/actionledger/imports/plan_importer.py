"""Read a plan's files into a ledger, and remember those that were read completely."""

from collections import defaultdict
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actionledger.core.frozen import collecting_seldom
from actionledger.core.privacy import custom
from actionledger.core.processes import defer_interrupts, interrupt_gate
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.parts import (
    WORTH_BYTES,
    FileOfPart,
    HowToRead,
    ImportPart,
    PartProgress,
    PartTask,
    items_of,
    parts_of,
    unpacked_size,
)
from actionledger.imports.reading import AS_IT_SAYS
from actionledger.imports.recognition import ImportOptions, ImportPlan, ToRead
from actionledger.imports.report import ImportReport
from actionledger.imports.sessions import SourcesImporter
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.containers import shown
from actionledger.imports.sources.files import size_of
from actionledger.ledger import Ledger
from actionledger.ledger.storage.imported_files import TakenFiles

if TYPE_CHECKING:
    from actionledger.imports.workers import PartOnItsWay


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """The progress of an import.

    Args:
        bytes: how many bytes were read.
        total: how many bytes there are to read; None if unknown.
        turns: how many turns were looked up.

    Example:
        >>> progress = al.ImportProgress(bytes=512, total=2048, turns=7)
        >>> progress.bytes / progress.total
        0.25
    """

    bytes: int
    total: int | None
    turns: int


class ImportStopped(KeyboardInterrupt):
    """A stopped import; what was imported is kept, and the same import continues where it stopped."""

    def __init__(self, report: ImportReport) -> None:
        super().__init__("The import was stopped.")
        self.report = report  # the report so far


MADE_BYTES = 16 * 2**20
"""How many bytes of lines all processes together send at once."""

LEAST_MADE_BYTES = 2**20
"""How many each of them sends at least."""


class PlanImporter:
    """Reads a plan's files."""

    def __init__(self, ledger: Ledger, plan: ImportPlan, taken: TakenFiles, options: ImportOptions) -> None:
        self._ledger = ledger
        self._plan = plan
        self._taken = taken
        self._options = options
        sizes = [size_of(each.path) for each in plan.to_read]
        self._total = None if None in sizes else sum(size or 0 for size in sizes)
        self._bytes = 0
        self._report = ImportReport(unchanged=plan.unchanged, mistaken=plan.mistaken)
        self._unfinished = {shown(each.path) for each in plan.to_read}
        self._whole: list[ToRead] = []
        self._shares: defaultdict[int, list[bool]] = defaultdict(list)
        together = {each.name for each in plan.to_read if each.format.names == "file"}
        self._importers = SourcesImporter(
            ledger,
            origin=options.origin,
            read_as=options.read_as or AS_IT_SAYS,
            asked_together=together,
            prices=options.prices,
            again_forgotten=options.again_forgotten,
        )

    def run(self) -> ImportReport:
        """Read the files; what was read is kept and remembered, however the import ends."""
        stopped: KeyboardInterrupt | None = None
        try:
            name = self._plan.to_read[0].name if self._plan.to_read else "import"
            for (root, suffix), count in self._plan.unknown.items():
                reason = LeftOutReason.UNKNOWN_FORMAT
                self._importers.take(LeftOut(str(root), reason, suffix[:40] or "no suffix", count), name)
            for path, why in self._plan.refused:
                self._importers.take(Refusal(shown(path), 0, why), name)
            with interrupt_gate(), collecting_seldom():
                self._read_all()
        except KeyboardInterrupt as error:
            stopped = error
        finally:
            self._report += self._importers.finish(but=self._unfinished if stopped else ())
            # Remember the files that were read completely without an error, once their events are safe.
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
        if stopped is not None:
            raise ImportStopped(self._report) from stopped
        return self._report

    def _read_all(self) -> None:
        count = self._processes()
        if count > 1:
            self._read_together(count)
        else:
            for each in self._plan.to_read:
                self._read(each)

    def _processes(self) -> int:
        """Return how many processes are worth starting for the plan's files."""
        if self._options.workers == 1 or self._total is None:
            return 1
        size = sum(unpacked_size(each) or 0 for each in self._plan.to_read)
        return self._options.workers if size >= WORTH_BYTES else 1

    def _read_together(self, count: int) -> None:
        from actionledger.imports.workers import ImportWorkers  # noqa: PLC0415 - slow to load, and one process reads little

        options = self._options
        how = HowToRead(
            options.texts if options.read_as else None,
            options.columns,
            options.prices,
            options.origin,
            max(MADE_BYTES // count, LEAST_MADE_BYTES, self._importers.least_bytes),
            custom.texts(),
            self._importers.facts_of_all(),
        )
        self._importers.share()
        parts = list(parts_of(self._plan.to_read, count, self._importers.least_bytes))
        workers = ImportWorkers(min(count, sum(map(len, parts))), how, self._task_of)
        with closing(workers.run(parts)) as answers:
            for given, answer in answers:
                if answer is None or not self._add(given, answer):
                    workers.leave(given)
                    self._go_on(given)

    def _task_of(self, part: ImportPart, knows: Collection[str]) -> PartTask:
        files = [self._plan.to_read[place] for place in part.files]
        facts = {
            each.name: self._importers.facts_of(each.name, each.format.name)
            for each in files
            if each.name not in knows
        }
        return PartTask(
            part, tuple(FileOfPart(str(each.path), each.format.name, each.name) for each in files), facts
        )

    def _add(self, given: "PartOnItsWay", answer: PartProgress) -> bool:
        """Record a worker's events of a part; return whether that was possible."""
        assert answer.made is not None
        with defer_interrupts():  # an interrupt would leave recorded turns uncounted
            if not self._importers.add(answer.made, given.part.number):
                return False
            given.place = (answer.file, answer.item)
        self._tell(answer.bytes if given.part.share == 0 else 0)
        for place, is_whole in answer.ended:
            self._note_read(given.part, place, is_whole=is_whole)
        return True

    def _note_read(self, part: ImportPart, place: int, *, is_whole: bool) -> None:
        """Note that a file of a part was read to its end; the file is done when all its shares are."""
        number = part.files[place]
        self._shares[number].append(is_whole)
        if len(self._shares[number]) < part.shares:
            return
        file = self._plan.to_read[number]
        self._count_file(file)
        self._unfinished.discard(shown(file.path))
        if all(self._shares.pop(number)):
            self._whole.append(file)
            self._importers.end_file(shown(file.path))

    def _go_on(self, given: "PartOnItsWay") -> None:
        """Read the rest of a part in this process, after what was recorded of it."""
        part, (first, items) = given.part, given.place
        for place in range(first, len(part.files)):
            file = self._plan.to_read[part.files[place]]
            before = self._importers.troubles
            self._importers.begin_file(shown(file.path))
            for number, item in enumerate(items_of(file.path, file.format.name, file.read, self._tell)):
                if part.has(item) and (place > first or number >= items):
                    self._importers.take(item, file.name, file.format.name)
                    self._tell(0)
            self._note_read(part, place, is_whole=self._importers.troubles == before)
        self._importers.claim(part.number)

    def _read(self, file: ToRead) -> None:
        before = self._importers.troubles
        self._importers.begin_file(shown(file.path))
        self._count_file(file)
        for item in items_of(file.path, file.format.name, file.read, self._tell):
            self._importers.take(item, file.name, file.format.name)
            self._tell(0)
        self._unfinished.discard(shown(file.path))
        if self._importers.troubles == before:
            self._whole.append(file)
            self._importers.end_file()

    def _count_file(self, file: ToRead) -> None:
        self._report.files[file.format.name] += 1
        least = self._report.sureness.get(file.format.name, 1.0)
        self._report.sureness[file.format.name] = min(least, file.sureness)

    def _tell(self, count: int) -> None:
        self._bytes += count
        if self._options.on_progress:
            self._options.on_progress(ImportProgress(self._bytes, self._total, self._importers.turns))
