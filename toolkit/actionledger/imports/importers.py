"""Pass sessions of several sources to one importer for each source."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from actionledger.core.errors import UnknownNameError, UsageError, in_words
from actionledger.core.recordings import RecordedSession
from actionledger.imports.importer import Importer
from actionledger.imports.report import ImportReport
from actionledger.imports.sources.base import Item, Refusal, Wording
from actionledger.imports.sources.registry import source_named

_FAULTS_OF_VALUES = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""The exceptions that a format's values may cause if they have wrong types; a failing ledger raises others."""

_SHOWN = 100


class Importers(ABC):
    """Imports sessions of several sources, with one run for each, and counts the turns and troubles so far."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.importers: dict[str, Importer] = {}
        self.file = origin
        self.turns = 0
        self.troubles = 0

    @property
    def report(self) -> ImportReport:
        """The report of what was imported so far."""
        report = ImportReport()
        for each in self.importers.values():
            report += each.report
        return report

    def begin_file(self, file: str) -> None:
        """Set the file of the next items."""
        self.file = file

    def take(self, item: Item, source: str, format_name: str = "") -> None:
        """Import a session or a piece of one, or count a skip or refusal."""
        if not isinstance(item, Item):
            raise UsageError(
                f"import_sessions takes a RecordedSession, a LeftOut or a Refusal, not {item!r:.60} of the type {type(item).__name__}."
            )
        name = item.source if isinstance(item, RecordedSession) and item.source else source
        importer = self.importer(name, format_name or name)
        with self.counting(importer):
            try:
                importer.take(item)
            except UnknownNameError as error:
                if not isinstance(item, RecordedSession):
                    raise
                importer.take(Refusal(self.origin, 0, f"Session {item.external_id!r}: {error}"))
            except _FAULTS_OF_VALUES as error:
                if not isinstance(item, RecordedSession):
                    raise
                why = f"Session {str(item.external_id)[:_SHOWN]!r} can't be imported: {in_words(error)}."
                importer.take(Refusal(self.file, 0, why))

    @contextmanager
    def counting(self, importer: Importer) -> Iterator[None]:
        """Count an importer's turns within the context: files may have one each, and asking all of them would be slow."""
        turns, troubles = importer.report.looked_at, importer.report.troubles
        try:
            yield
        finally:
            self.turns += importer.report.looked_at - turns
            self.troubles += importer.report.troubles - troubles

    def importer(self, name: str, format_name: str) -> Importer:
        """Return the importer of a source."""
        if name not in self.importers:
            self.importers[name] = self.make(name, format_name)
        importer = self.importers[name]
        importer.file = self.file
        return importer

    @abstractmethod
    def make(self, name: str, format_name: str) -> Importer:
        """Create the importer of a source."""


def dialects_of(format_name: str) -> tuple[str, ...]:
    """Return the dialects of a format's raw texts; none if unknown."""
    try:
        return source_named(format_name).dialects
    except UnknownNameError:
        return ()


def wordings_of(format_name: str) -> tuple[Wording, ...]:
    """Return how a format's runtime words errors."""
    try:
        return source_named(format_name).wordings
    except UnknownNameError:
        return ()


def tools_of(format_name: str) -> frozenset[str]:
    """Return the names of the tools of a format's agent; none if unknown."""
    try:
        return frozenset(source_named(format_name).tools)
    except UnknownNameError:
        return frozenset()
