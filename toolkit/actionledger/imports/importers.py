"""Sessions of several sources, each to the importer of its own."""

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
"""What a format's values may lead to where they are none of those that it promises; a ledger that fails raises others."""

_SHOWN = 100


class Importers(ABC):
    """Takes sessions of several sources, a run for each.

    Args:
        origin: the path that they come from, as the runs say it.

    Attributes:
        importers: what takes the sessions of a source, by the source's name.
        file: the file that is being read.
        turns: how many turns were looked at by now, new ones and known ones.
        troubles: how much was refused by now, or has other content under the same id.
    """

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
        """Say which file the next items come from."""
        self.file = file

    def take(self, item: Item, source: str, format_name: str = "") -> None:
        """Take in a session or a piece of one, or note what is none."""
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
        """Count what an importer takes in within: each file may have one of its own, so that nobody asks all of them."""
        turns, troubles = importer.report.looked_at, importer.report.troubles
        try:
            yield
        finally:
            self.turns += importer.report.looked_at - turns
            self.troubles += importer.report.troubles - troubles

    def importer(self, name: str, format_name: str) -> Importer:
        """Return what takes the sessions of a source."""
        if name not in self.importers:
            self.importers[name] = self.make(name, format_name)
        importer = self.importers[name]
        importer.file = self.file
        return importer

    @abstractmethod
    def make(self, name: str, format_name: str) -> Importer:
        """Return an importer for the sessions of a source that none was made for."""


def dialects_of(format_name: str) -> tuple[str, ...]:
    """Return what a format's raw texts are written in; none if unknown."""
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
    """Return the names of the tools that a format's agent brings; none if unknown."""
    try:
        return frozenset(source_named(format_name).tools)
    except UnknownNameError:
        return frozenset()
