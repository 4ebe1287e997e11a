"""Sessions of any source into a ledger, from Python."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from actionledger.errors import UnknownNameError
from actionledger.importing.importer import Importer
from actionledger.importing.prices import Prices
from actionledger.importing.reading import AS_IT_SAYS, ReadAs
from actionledger.importing.report import ImportReport
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.recorded import Known, LeftOutKey, known
from actionledger.ledger.results import Parameters, QueryResult
from actionledger.sources.base import Item, RecordedSession, Refusal, Wording
from actionledger.sources.registry import source_named

PYTHON = "python"
"""What records name the source of sessions that a program gave without saying where they come from."""


class SourcesImporter:
    """Takes sessions of several sources into a ledger, a run for each.

    Args:
        ledger: where to record.
        origin: the path that they come from, as the runs say it.
        read_as: how texts of sessions without a profile are read.
        asked_together: sources whose sessions are few each: what the ledger has of all of them is asked for once.
        prices: what responses cost of which only the tokens are recorded.
        is_live: whether sessions come in for as long as the process lives, which may fork meanwhile.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        origin: str | Path = "",
        read_as: ReadAs = AS_IT_SAYS,
        asked_together: Iterable[str] = (),
        prices: Prices | None = None,
        is_live: bool = False,
    ) -> None:
        self._ledger = ledger
        self._recorder = None if is_live else ledger.direct()
        self._is_live = is_live
        self._origin = str(origin)
        self._read_as = read_as
        self._prices = prices
        self._asked_together = frozenset(asked_together)
        self._before: Snapshot | None = None
        self._known: dict[str, Known] = {}
        self._importers: dict[str, Importer] = {}
        self._file = self._origin
        self._whole: set[str] = set()

    @property
    def report(self) -> ImportReport:
        """What was taken in by now."""
        report = ImportReport()
        for each in self._importers.values():
            report += each.report
        return report

    @property
    def turns(self) -> int:
        """How many turns were looked at by now, new ones and known ones."""
        return sum(each.report.turns + each.report.known for each in self._importers.values())

    @property
    def troubles(self) -> int:
        """How much was refused by now, or has other content under the same id."""
        reports = (each.report for each in self._importers.values())
        return sum(len(report.refusals) + len(report.differing) for report in reports)

    def price_by(self, prices: Prices | None) -> None:
        """Say what responses cost from now on of which only the tokens are recorded."""
        self._prices = prices
        for each in self._importers.values():
            each.prices = prices

    def take(self, item: Item, source: str, format_name: str = "") -> None:
        """Take in a session or a piece of one, or note what is none.

        Args:
            item: what the source gave; one that names a profile that there is not is refused.
            source: what records name the source of a session that doesn't say.
            format_name: the format whose wordings of errors hold; the source's, if not given.
        """
        name = item.source if isinstance(item, RecordedSession) and item.source else source
        importer = self._importer(name, format_name or name)
        try:
            importer.take(item)
        except UnknownNameError as error:
            if not isinstance(item, RecordedSession):
                raise
            importer.take(Refusal(self._origin, 0, f"Session {item.external_id!r}: {error}"))

    def finish(self) -> ImportReport:
        """End the sessions that are still open, and the runs; return what came of them."""
        try:
            self._end()
        finally:
            if self._recorder is not None:
                self._recorder.close()
            if self._before is not None:
                self._before.close()
        return self.report

    def _end(self) -> None:
        importers = list(self._importers.values())
        counted: Counter[LeftOutKey] = Counter()
        for each in importers:
            each.end_sessions()
            counted += each.report.left_out
        for each in importers[:1]:
            each.tell_left_out(counted, self._whole)
        for each in importers:
            each.finish(is_told=True)

    def begin(self, source: str) -> None:
        """Ask now what the ledger has of a source, so that nothing of it fails later.

        Args:
            source: what records name it.

        Raises:
            LedgerError: the ledger can't be read.
        """
        self._importer(source, source)

    def begin_file(self, file: str) -> None:
        """Say which file the next items come from."""
        self._file = file

    def end_file(self) -> None:
        """Say that it was read to its end without a trouble: what it held before and does not hold now is left out no more."""
        self._whole.add(self._file)

    def _importer(self, name: str, format_name: str) -> Importer:
        if name not in self._importers:
            self._importers[name] = Importer(
                self._ledger.record if self._recorder is None else self._recorder.record,
                source=name,
                origin=self._origin,
                known=self._known_of(name),
                read_as=self._read_as.in_format(_dialects(format_name)),
                wordings=_wordings(format_name),
                prices=self._prices,
            )
        importer = self._importers[name]
        importer.file = self._file
        return importer

    def _known_of(self, name: str) -> Known:
        """Return what the ledger had of a source when the import began: what comes in by it, it knows by itself."""
        if name not in self._known:
            asked = self._asked_together if name in self._asked_together else {name}
            self._known |= dict.fromkeys(asked, known(self._asked(), *asked))
        return self._known[name]

    def _asked(self) -> Queryable:
        """Return what is asked: over a snapshot nothing that came in since is loaded; no fork may come while one is held."""
        if self._is_live:
            return self._ledger
        if self._before is None:
            self._before = Snapshot(self._ledger)
        return self._before


def import_sessions(
    ledger: Ledger,
    items: Iterable[Item],
    *,
    source: str = PYTHON,
    origin: str | Path = "",
    read_as: ReadAs = AS_IT_SAYS,
    prices: Prices | None = None,
) -> ImportReport:
    """Take recorded sessions into a ledger; what it has already is passed over.

    Args:
        ledger: where to record.
        items: the sessions, or pieces of them, and what was left out or can't be read, as a source gives them.
        source: what records name the source of sessions that don't say; sessions of one source and name are the same session.
        origin: the path that they come from, as the run says it.
        read_as: how texts of sessions without a profile are read.
        prices: what responses cost of which only the tokens are recorded.

    Returns:
        What was taken in. What was taken in before an error is kept. A session that names a profile that there is not is refused.

    Raises:
        LedgerError: the ledger can't be written to.

    Example:
        >>> call = al.RecordedCall("c1", "add", '{"a": 1}')
        >>> answer = al.RecordedTurn(0, "On it.", capture=al.Capture.ARGUMENTS, calls=(call,))
        >>> session = al.RecordedSession("s1", None, "some-model", "sums", (answer,))
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     report = al.import_sessions(ledger, [session])
        ...     report.turns, ledger.sql("SELECT name, status FROM actions").fetchall()
        (1, [('add', 'valid')])
    """
    importers = SourcesImporter(ledger, origin=origin, read_as=read_as, prices=prices)
    report = ImportReport()
    try:
        for item in items:
            importers.take(item, source)
    finally:
        report += importers.finish()
    return report


class Snapshot:
    """Answers SQL over what a ledger holds now, however much comes in meanwhile: what is new need not be loaded to be asked.

    Args:
        ledger: the ledger.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._connection = ledger.snapshot()

    def sql(self, query: str, parameters: Parameters | None = None, /) -> QueryResult:
        """Run one SELECT with its parameters and return what it gave."""
        return QueryResult(self._connection.cursor(), query, parameters)

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()


def _dialects(source: str) -> tuple[str, ...]:
    try:
        return source_named(source).dialects
    except UnknownNameError:
        return ()


def _wordings(source: str) -> tuple[Wording, ...]:
    try:
        return source_named(source).wordings
    except UnknownNameError:
        return ()
