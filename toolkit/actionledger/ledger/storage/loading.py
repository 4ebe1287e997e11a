"""Load lines into tables, each event once: an ingester into the working file, a reader what is not ingested yet."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.events import Event, ParserUsed, Reviewed, TurnSuperseded
from actionledger.core.ids import now
from actionledger.ledger.storage.chain import Cells, Chain, draw_salts
from actionledger.ledger.storage.connections import transaction
from actionledger.ledger.storage.insertion import ErasedSessions, Staging, insert_prepared
from actionledger.ledger.storage.old_events import Older, ReversalAsTry
from actionledger.ledger.storage.preparation import DIRECT, Prepared, decode
from actionledger.ledger.storage.projection import Row, fit, rows_of
from actionledger.ledger.storage.readers import GROWING_TABLES
from actionledger.ledger.storage.schema import ENDS, OF_TURN, QUARANTINE, TABLES, Unreadable
from actionledger.ledger.storage.segments import Line
from actionledger.ledger.storage.stored import digests_of, rows_of_links, rows_of_turns, withdraw

_TABLES = {table.name: table for table in TABLES}
_PARSER_ID = _TABLES["parsers"].place["parser_id"]


@dataclass(slots=True)
class LoadCounts:
    """The counts of loaded lines."""

    events: int = 0  # the number of ingested events
    duplicates: int = 0  # the number of events skipped because their identifier is known
    quarantined: int = 0  # the number of lines that can't be parsed
    forgotten: int = 0  # the number of events skipped because their session is erased


class Loader:
    """Loads lines into the current database of a connection, and records how far each segment was ingested.

    Args:
        connection: a connection whose current database has the tables of ``schema.py``.
        beside: the catalog of another database whose events are known too; None if there is none.
        chain: the chain that gets a link for each transaction; None for no proofs.

    Attributes:
        tally: the counts of all lines.
        tables: the tables that got rows.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        *,
        beside: str | None = None,
        chain: Chain | None = None,
    ) -> None:
        self._connection = connection
        self._chain = chain
        self._catalogues = ("", f"{beside}.") if beside else ("",)
        self.tally = LoadCounts()
        self.tables: set[str] = set()

    def load(self, lines: Sequence[Line]) -> None:
        """Ingest lines: their rows and the new offsets in one transaction."""
        try:
            self._commit(lines)
        except duckdb.OperationalError:
            raise
        except (duckdb.Error, ValueError) as error:
            # DuckDB refuses a row that passed all checks. One line must not block all others: halving finds it.
            if len(lines) == 1:
                self._commit(lines, refusal=str(error).partition("\n")[0])
            else:
                self.load(lines[: len(lines) // 2])
                self.load(lines[len(lines) // 2 :])

    def load_prepared(self, prepared: Prepared) -> None:
        """Ingest events prepared elsewhere, in one transaction."""
        self._commit([Line(DIRECT, 0, line) for line in prepared.others], prepared=prepared)

    def _commit(
        self, lines: Sequence[Line], *, refusal: str | None = None, prepared: Prepared | None = None
    ) -> None:
        """Ingest lines, and prepared events after them; or quarantine a single refused line."""
        tally = LoadCounts()
        head = None if self._chain is None else self._chain.head
        try:
            # Known events are queried in the transaction that adds to them, since other processes may add some, too.
            with transaction(self._connection):
                self._take_in(lines, refusal, tally)
                if prepared is not None and prepared.events:
                    self._insert(prepared, tally)
        except BaseException:
            if self._chain is not None and head is not None:
                self._chain.head = head
            raise
        for counted in fields(tally):
            setattr(
                self.tally, counted.name, getattr(self.tally, counted.name) + getattr(tally, counted.name)
            )

    def _take_in(self, lines: Sequence[Line], refusal: str | None, tally: LoadCounts) -> None:
        staging, cells = Staging(), Cells()
        superseded: list[str] = []
        if refusal is None:
            superseded = self._stage(lines, staging, cells, tally)
        else:
            _quarantine(lines[0], refusal, staging, cells, tally)
        staging.insert(self._connection, self._link)
        self.tables.update(staging.tables)
        self._seal(cells, superseded)
        self._finish(lines, staging)

    def _insert(self, prepared: Prepared, tally: LoadCounts) -> None:
        """Insert the rows of events prepared elsewhere, except those that are known or must not be ingested."""
        link = self._link
        inserted = insert_prepared(self._connection, prepared, link, has=self._may_have)
        tally.events += inserted.events
        tally.duplicates += inserted.duplicates
        tally.forgotten += inserted.forgotten
        self.tables.update(rows.table for rows in prepared.rows)
        if self._chain is None or not inserted.events:
            return
        if inserted.is_whole:
            self._chain.write_salts(prepared.salts)
            cells: Sequence[bytes] = prepared.cells
        else:
            # The remaining rows are only in the database: their cells are computed from it, as in a verification.
            self._chain.write_salts(draw_salts(inserted.salted_by))
            rows = rows_of_links(self._chain.head.link + 1, self._chain.head.link + 1)
            cells = digests_of(self._connection, rows._replace(tables=[each.table for each in prepared.rows]))
        self._chain.head = self._chain.write(cells)

    @property
    def _link(self) -> int | None:
        """The link of the next transaction."""
        return None if self._chain is None else self._chain.head.link + 1

    def _seal(self, cells: Cells, superseded: Sequence[str]) -> None:
        """Remove superseded rows; if there is a chain and anything new, write the next link."""
        chain = self._chain
        if chain is None or not cells:
            self._remove(superseded)
            return
        salts = draw_salts(cells.salted_by)
        chain.write_salts(salts)
        made = list(cells.digests(salts))
        withdrawn: list[bytes] = []
        if superseded:
            rows = rows_of_turns(superseded)
            there = rows._replace(tables=[*filter(self._may_have, rows.tables)])
            withdrawn = withdraw(self._connection, [there], chain.head.link + 1, "superseded")
            self._remove(superseded)
        chain.head = chain.write(made, withdrawn)

    def _stage(self, lines: Sequence[Line], staging: Staging, cells: Cells, tally: LoadCounts) -> list[str]:
        """Stage the rows of lines; return the turns that some of them supersede."""
        decoded: list[tuple[Line, Event | ReversalAsTry]] = []
        for line in lines:
            if line.data.isspace():
                continue  # of an erased session
            try:
                decoded.append((line, decode(line)))
            except ValueError as error:
                _quarantine(line, str(error), staging, cells, tally)
        known = self._known_events([event for _, event in decoded])
        is_asked = any(isinstance(event, ParserUsed) for _, event in decoded)
        parsers = self._known("parser_id", "parsers") if is_asked else set()
        gone = self._known("turn_id::VARCHAR", "superseded")
        forgotten = self._forgotten()
        superseded: list[str] = []
        older = Older(self._connection, self._catalogues)
        for line, event in decoded:
            event_id = event.event_id.lower()
            if event_id in known:
                tally.duplicates += 1
                continue
            if forgotten.covers(event):
                tally.forgotten += 1
                continue
            known.add(event_id)
            try:
                brought_up = older.brought_up(event)
                rows = [fit(row) for row in rows_of(brought_up)]
            except ValueError as error:
                _quarantine(line, f"bad field: {error}", staging, cells, tally)
                continue
            tally.events += 1
            if isinstance(event, TurnSuperseded):
                superseded.append(event.turn_id)
            for row in rows[:1] if _is_gone(event, gone) else rows:
                if not _is_known_parser(row, parsers):
                    staging.add(row)
                    cells.add(_TABLES[row.table], row.values, brought_up)
        return superseded

    def _remove(self, turn_ids: Sequence[str]) -> None:
        """Remove the rows of superseded turns."""
        if not turn_ids:
            return
        of_turns = "turn_id IN (SELECT unnest(string_split(?, ','))::UUID)"
        joined = [",".join(turn_ids)]
        for table, key in ENDS.items():
            if self._may_have(table):
                started = f"SELECT {key} FROM {table.replace('_ends', '_starts')} WHERE {of_turns}"  # noqa: S608 (our own names)
                self._connection.execute(f"DELETE FROM {table} WHERE {key} IN ({started})", joined)  # noqa: S608
        for table in filter(self._may_have, OF_TURN):
            self._connection.execute(f"DELETE FROM {table} WHERE {of_turns}", joined)  # noqa: S608

    def _known_events(self, events: Sequence[Event | ReversalAsTry]) -> set[str]:
        if not events:
            return set()
        event_ids = [event.event_id for event in events]
        # One long text, since a list parameter takes DuckDB 1.5 a hundred times as long.
        joined = ",".join(event_ids)
        ends = [min(event_ids), max(event_ids)]
        known: set[str] = set()
        for catalogue in self._catalogues:
            found = self._connection.execute(
                f"SELECT event_id::VARCHAR FROM {catalogue}events SEMI JOIN "  # noqa: S608 (our own names)
                "(SELECT unnest(string_split(?, ','))::UUID AS event_id) USING (event_id) "
                # Rows outside this range are skipped without being read, file by file if there are many.
                "WHERE event_id BETWEEN ?::UUID AND ?::UUID",
                [joined, *ends],
            )
            known.update(event_id for (event_id,) in found.fetchall())
        return known

    def _may_have(self, table: str) -> bool:  # noqa: ARG002 - the lake's loader knows
        """Return whether a table may have rows; to query one that has none takes a lake long."""
        return True

    def _known(self, column: str, table: str) -> set[str]:
        known: set[str] = set()
        for catalogue in self._catalogues if self._may_have(table) else ():
            found = self._connection.execute(f"SELECT {column} FROM {catalogue}{table}")  # noqa: S608
            known.update(value for (value,) in found.fetchall())
        return known

    def _forgotten(self) -> ErasedSessions:
        """Return the sessions of which nothing is ingested."""
        steps = [
            row
            for catalogue in (self._catalogues if self._may_have("forgotten") else ())
            for row in self._connection.execute(
                f"SELECT session_id::VARCHAR, step, forgotten_at FROM {catalogue}forgotten"  # noqa: S608 (our own names)
            ).fetchall()
        ]
        return ErasedSessions(steps)

    def _finish(self, lines: Sequence[Line], staging: Staging) -> None:  # noqa: ARG002 - the lake's loader needs it
        """Commit more than the rows: record how far each segment was ingested."""
        offsets = {line.segment: line.end for line in lines if line.segment != DIRECT}
        if offsets:
            self._note(offsets)

    def _note(self, offsets: dict[str, int]) -> None:
        self._connection.execute(
            "INSERT INTO segments SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[]) "
            "ON CONFLICT (name) DO UPDATE SET ingested_bytes = excluded.ingested_bytes",
            [list(offsets), list(offsets.values())],
        )


def _is_known_parser(row: Row, parsers: set[str]) -> bool:
    if row.table != "parsers":
        return False
    parser_id = row.values[_PARSER_ID]
    is_known = parser_id in parsers
    parsers.add(parser_id)
    return is_known


def _is_gone(event: Event | ReversalAsTry, superseded: set[str]) -> bool:
    """Return whether an event's turn was superseded before the event came; then only the event itself is kept.

    Reviews of the turn are kept: they move to the turn that replaces it.
    """
    return getattr(event, "turn_id", None) in superseded and not isinstance(event, TurnSuperseded | Reviewed)


def _quarantine(line: Line, reason: str, staging: Staging, cells: Cells, tally: LoadCounts) -> None:
    tally.quarantined += 1
    # Kept whole, since the segment is deleted once it is ingested. Bytes that are not UTF-8 are kept as \xNN.
    text = line.data.decode(errors="backslashreplace").rstrip("\n")
    unreadable = Unreadable(line.segment, line.start, reason, text, found_at=now())
    row = Row(QUARANTINE.name, QUARANTINE.values(unreadable))
    staging.add(row)
    cells.add(QUARANTINE, row.values, None)


class Tail(Loader):
    """Loads lines into the tail; the view keeps the offsets."""

    def empty(self) -> None:
        """Empty the tables, for their next user."""
        anew = (GROWING_TABLES[name].ddl for name in self.tables)
        self._connection.execute(";".join(ddl.replace("CREATE", "CREATE OR REPLACE", 1) for ddl in anew))

    def _finish(self, lines: Sequence[Line], staging: Staging) -> None:
        """Record no offsets."""
