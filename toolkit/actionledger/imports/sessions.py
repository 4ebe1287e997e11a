"""Import recorded sessions of any source from Python."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.frozen import collecting_seldom
from actionledger.core.patterns import regex
from actionledger.core.processes import interrupt_gate
from actionledger.imports.handovers import Claims, LookedUpKeys, MadePart, SharedFacts, SourceFacts
from actionledger.imports.importer import Importer
from actionledger.imports.importers import Importers, dialects_of, tools_of, wordings_of
from actionledger.imports.prices import Prices
from actionledger.imports.reading import AS_IT_SAYS, ReadAs
from actionledger.imports.report import ImportReport
from actionledger.imports.sources.base import Item
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.recorded import Added, Known, LeftOutKey, known
from actionledger.ledger.results import Parameters, QueryResult
from actionledger.ledger.storage.encoding import as_recorded

# Checks of the values that a program passes in: a value that doesn't fit its field's type is an error that names it.
_Fits = Callable[[Any], bool]
_OUR_MODULES = regex(r"\bactionledger(?:\.[a-z_]+)*\.")


def refuse_other_kinds(item: object) -> None:
    """Refuse a value of a type of ``sources.base`` if a field, however deep, has the wrong type."""
    if not is_dataclass(item):
        return  # the caller refuses a value of another type
    kind: Any = type(item)
    for name, hint, fits in _fields(kind):
        value = getattr(item, name)
        if not fits(value):
            takes = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
            raise UsageError(
                f"{type(item).__name__}.{name} takes {_OUR_MODULES.sub('', takes)}, "
                f"not {value!r:.60} of the type {type(value).__name__}."
            )
        _refuse_within(value)


def _refuse_within(value: object) -> None:
    if isinstance(value, tuple | list):
        for each in value:
            _refuse_within(each)
    elif is_dataclass(value):
        refuse_other_kinds(value)


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any, _Fits], ...]:
    hints = get_type_hints(kind)
    return tuple((each.name, hints[each.name], _fitting(hints[each.name])) for each in fields(kind))


def _fitting(hint: Any) -> _Fits:
    """Return a test of whether a value has a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda _value: True
    if origin in {Union, UnionType}:
        kinds = [_fitting(each) for each in inner]
        return lambda value: any(fits(value) for fits in kinds)
    if origin is Literal:
        return lambda value: value in inner
    if origin is tuple and inner[-1] is not Ellipsis:
        kinds = [_fitting(each) for each in inner]
        return lambda value: (
            isinstance(value, tuple | list)
            and len(value) == len(kinds)
            and all(fits(each) for fits, each in zip(kinds, value, strict=True))
        )
    if origin is tuple:
        of_each = _fitting(inner[0])
        return lambda value: isinstance(value, tuple | list) and all(map(of_each, value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        of_value = _fitting(inner[1])
        return lambda value: isinstance(value, Mapping) and all(map(of_value, value.values()))
    if issubclass(hint, Enum):
        return lambda value: isinstance(value, str) and value in set(hint)
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    return lambda value: isinstance(value, int | float if hint is float else hint)


# The turns that are new if several imports record the same at once: a ledger keeps the first of equal events.
_TAKEN = """
SELECT count(*) FILTER (kind = 'response_received'),
    (SELECT sum(call_count) FROM turn_starts WHERE run_id IN (FROM runs)),
    (SELECT count(*) FROM execution_starts WHERE run_id IN (FROM runs)),
    count(*) FILTER (kind = 'turn_superseded'),
    count(DISTINCT session_id) FILTER (kind IN ('session_started', 'response_received'))
FROM events WHERE run_id IN (FROM runs)"""
_QUERY = f"WITH runs AS (SELECT unnest(string_split(?, ','))::UUID) {_TAKEN}"


def count_first_come(report: ImportReport, ledger: Ledger, run_ids: Iterable[str]) -> None:
    """Count as new only what the ledger has from this import's runs: others may have recorded the rest meanwhile."""
    report.is_settled = False
    with suppress(LedgerError):  # the events are safe even if they can't be counted
        if not ledger.internals.settle():
            return
        [(turns, calls, results, revised, sessions)] = ledger.sql(_QUERY, [",".join(run_ids)]).fetchall()
        if turns < report.turns:
            report.known += report.turns - turns
            report.turns, report.revised = turns, min(report.revised, revised)
        # Without superseded turns: a ledger keeps only their number.
        report.calls = min(report.calls, calls or 0)
        report.results = min(report.results, results)
        report.sessions = min(report.sessions, sessions)
        report.is_settled = True


PYTHON = "python"
"""The source's name in records, if a program names none."""


class SourcesImporter(Importers):
    """Imports sessions of several sources into a ledger, with one run for each source."""

    def __init__(
        self,
        ledger: Ledger,  # the ledger to record into
        *,
        origin: str | Path = "",  # the path that they come from, as the runs record it
        read_as: ReadAs = AS_IT_SAYS,  # how texts of sessions without a profile are parsed
        asked_together: Iterable[str] = (),  # small sources whose known sessions are queried together, once
        prices: Prices | None = None,  # prices for responses recorded with tokens but without a cost
        again_forgotten: bool = False,  # whether erased sessions are imported again
        # whether sessions arrive for as long as the process lives, which may fork meanwhile
        is_live: bool = False,
    ) -> None:
        super().__init__(str(origin))
        self._ledger = ledger
        self._moment = ledger.internals.moment()
        self._again_forgotten = again_forgotten
        self._recorder = None if is_live else ledger.internals.direct()
        self._is_live = is_live
        self._is_shared = False
        self._claims = Claims()
        self._read_as = read_as
        self._prices = prices
        self._asked_together = frozenset(asked_together)
        self._before: SessionSnapshot | None = None
        self._known: dict[str, Known] = {}
        self._has_before: dict[str, bool] = {}
        self._whole: set[str] = set()

    def price_by(self, prices: Prices | None) -> None:
        """Set the prices for responses recorded with tokens but without a cost from now on."""
        self._prices = prices
        for each in self.importers.values():
            each.prices = prices

    def finish(self, *, but: Collection[str] = ()) -> ImportReport:
        """End the open sessions and the runs, and return the report."""
        try:
            self._end(but)
        finally:
            if self._recorder is not None:
                self._recorder.close()
            if self._before is not None:
                self._before.close()
        report = self.report
        begun = [each.run.run_id for each in self.importers.values() if each.has_begun]
        if begun and not self._is_live and not self._is_alone(report):
            count_first_come(report, self._ledger, begun)
        return report

    def _is_alone(self, report: ImportReport) -> bool:
        """Return whether all turns counted as new really are: nobody else has recorded anything, and nothing was replaced."""
        recorder = self._recorder
        # The ledger has a masked source under another name, so its turns can't be found by name.
        is_found = all(as_recorded(name) == name for name in self.importers)
        if recorder is None or recorder.is_direct or report.revised or report.merged or not is_found:
            return False
        with suppress(LedgerError):  # without an answer, assume that others have recorded
            return self._ledger.internals.is_alone_since(self._moment, recorder.written)
        return False

    def _end(self, but: Collection[str]) -> None:
        importers = list(self.importers.values())
        counted: Counter[LeftOutKey] = Counter()
        for each in importers:
            each.end_sessions(but=but)
            counted.update(each.report.left_out)
        for each in importers[:1]:
            each.tell_left_out(counted, self._whole)
        for each in importers:
            each.finish(is_told=True)

    def begin(self, source: str) -> None:
        """Query now what the ledger has of a source, so that an error comes before anything is imported."""
        self.importer(source, source)

    def end_file(self, file: str = "") -> None:
        """Note that a file was read to its end without an error: its earlier skips that are gone are taken back."""
        self._whole.add(file or self.file)

    @property
    def least_bytes(self) -> int:
        """The size worth gathering before the ledger takes a piece, in bytes of lines; 0 if it doesn't matter."""
        return 0 if self._recorder is None else self._recorder.least_bytes

    def share(self) -> None:
        """Track which part of the import looks up which session or turn, since workers read parts of it."""
        self._is_shared = True

    def facts_of_all(self) -> SharedFacts:
        """Return the facts about all sources that workers need."""
        names = sorted(self._asked_together)
        there = self._known_of(names[0]) if names else known(self._queryable())
        return SharedFacts(there.before, there.forgotten)

    def facts_of(self, name: str, format_name: str) -> SourceFacts:
        """Return the facts about one source that workers need."""
        importer = self.importer(name, format_name)
        there = importer.known
        return SourceFacts(
            importer.run.run_id,
            None if name in self._asked_together else there.before,
            Added(there.ids_since, there.turns_since, there.superseded),
            self._has_before[name],
        )

    def add(self, made: MadePart, part: int) -> bool:
        """Record what a worker has made of a part, and take over its knowledge."""
        assert self._recorder is not None
        importers = {name: self.importer(name, form) for name, (form, _) in made.news.items()}
        for name, (_, news) in made.news.items():
            if self._claims.has_other(news.touched, part) or importers[name].is_at_odds_with(news):
                return False
        for name, (_, news) in made.news.items():
            if news.has_begun:
                importers[name].begin()
        if not self._recorder.take_in(made.events):
            return False
        for name, (_, news) in made.news.items():
            self._claims.add(news.touched, part)
            with self.counting(importers[name]):
                importers[name].add(news)
        return True

    def claim(self, part: int) -> None:
        """Note that everything imported in this process since the last call belongs to a part."""
        for importer in self.importers.values():
            if importer.touched is not None:
                self._claims.add(importer.touched, part)
                importer.touched = LookedUpKeys()

    def make(self, name: str, format_name: str) -> Importer:
        """Return an importer for a source, which knows what the ledger has of it."""
        return Importer(
            self._ledger.record if self._recorder is None else self._recorder.record,
            source=name,
            origin=self.origin,
            known=self._known_of(name),
            read_as=self._read_as.in_format(dialects_of(format_name)),
            wordings=wordings_of(format_name),
            tools=tools_of(format_name),
            prices=self._prices,
            again_forgotten=self._again_forgotten,
            is_part=self._is_shared,
        )

    def _known_of(self, name: str) -> Known:
        """Return what the ledger had of a source when the import began; the importer itself tracks the rest."""
        if name not in self._known:
            asked = self._asked_together if name in self._asked_together else {name}
            is_blank = not self._is_live and self._ledger.internals.is_blank()
            there = Known() if is_blank else known(self._queryable(), *asked)
            self._known |= dict.fromkeys(asked, there)
            self._has_before |= dict.fromkeys(asked, bool(there.before.ids or there.before.turns))
        return self._known[name]

    def _queryable(self) -> Queryable:
        """Return the ledger to query: a snapshot, so that new events needn't be loaded.

        A live import has none, since a process can't fork with one open.
        """
        if self._is_live:
            return self._ledger
        if self._before is None:
            self._before = SessionSnapshot(self._ledger)
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
    """Import recorded sessions into a ledger; what it already has is skipped.

    Args:
        ledger: the ledger to record into.
        items: the sessions, or pieces of them, and the skips and refusals that a source gives.
        source: the source's name for sessions that name none; sessions with the same source and name are the same session.
        origin: the path that they come from, as the run records it.
        read_as: how texts of sessions without a profile are parsed.
        prices: prices for responses recorded with tokens but without a cost.

    Returns:
        The report. What was imported before an error is kept. A session that names an unknown profile is refused.

    Raises:
        UsageError: an item has another type, or a field of it holds a wrong value; the items before it are kept.
        LedgerError: the ledger can't be written.

    Example:
        >>> call = al.RecordedCall("c1", "add", '{"a": 1}')
        >>> answer = al.RecordedTurn(0, "On it.", capture=al.Capture.ARGUMENTS, calls=(call,))
        >>> session = al.RecordedSession("s1", None, "some-model", "sums", (answer,))
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     report = al.import_sessions(ledger, [session])
        ...     report.turns, ledger.sql("SELECT name, status FROM actions").fetchall()
        (1, [('add', 'not_checked')])
    """
    if not isinstance(items, Iterable):
        raise UsageError(f"items are recorded sessions, a list of them for one, not {items!r:.60}.")
    importers = SourcesImporter(ledger, origin=origin, read_as=read_as, prices=prices)
    report = ImportReport()
    try:
        with interrupt_gate(), collecting_seldom():
            for item in items:
                refuse_other_kinds(item)
                importers.take(item, source)
    finally:
        report += importers.finish()
    return report


class SessionSnapshot:
    """A snapshot of a ledger for SQL, so that new events needn't be loaded to be queried."""

    def __init__(self, ledger: Ledger) -> None:
        self._connection = ledger.snapshot()

    def sql(self, query: str, parameters: Parameters | None = None, /) -> QueryResult:
        """Run one SELECT with its parameters and return the result."""
        return QueryResult(self._connection.cursor(), query, parameters)

    def close(self) -> None:
        self._connection.close()
