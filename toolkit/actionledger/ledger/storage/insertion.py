"""Insert rows into a database, each event once and none of an erased session."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from duckdb import DuckDBPyConnection

from actionledger.core.events import SessionForgotten
from actionledger.core.vocabulary import ForgettingStep
from actionledger.ledger.storage.arrow import PLACE, arrow_of, insert_arrow, select_arrow
from actionledger.ledger.storage.columns import Values
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.projection import Row
from actionledger.ledger.storage.schema import QUARANTINE, TABLES

STANDING = """
SELECT session_id::VARCHAR FROM forgotten GROUP BY session_id HAVING max_by(step, forgotten_at) = 'forgotten'"""
"""Selects the erased sessions of a ledger."""


class ErasedSessions:
    """The sessions that are erased."""

    def __init__(self, steps: Iterable[tuple[str, str, datetime]]) -> None:
        self._sessions: set[str] = set()
        for session_id, step, _ in sorted(steps, key=lambda each: each[2]):
            self._note(session_id, step)

    def covers(self, event: object) -> bool:
        """Return whether an event belongs to an erased session; an event that erases or readmits a session updates this object."""
        if isinstance(event, SessionForgotten):
            self._note(event.forgotten_session, event.step)
            return False
        return bool(self._sessions) and getattr(event, "session_id", None) in self._sessions

    def _note(self, session_id: str, step: str) -> None:
        if step == ForgettingStep.FORGOTTEN:
            self._sessions.add(session_id)
        else:
            self._sessions.discard(session_id)


_TABLES = {table.name: table for table in (*TABLES, QUARANTINE)}


class Staging:
    """Collects rows, then inserts them in their order."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, list[Values]] = defaultdict(list)

    def add(self, row: Row) -> None:
        """Add a row to those of its table."""
        self._rows[row.table].append(row.values)

    @property
    def tables(self) -> Collection[str]:
        """The tables with rows."""
        return self._rows.keys()

    def insert(self, connection: DuckDBPyConnection, link: int | None) -> None:
        """Insert all rows into the tables of the connection's current database."""
        for name, rows in self._rows.items():
            table, columns = _TABLES[name], list(zip(*rows, strict=True))
            insert_arrow(connection, table, arrow_of(table, columns, range(len(rows))), link)


_EVENTS = _TABLES["events"]

_INCOMING, _PASSED_OVER = "incoming", "passed_over"
_REASONS = {
    "events": f"SELECT {PLACE}, 1 AS turn, 'known' AS why FROM {_INCOMING} SEMI JOIN events USING (event_id)",  # noqa: S608 (our own names, here and below)
    "forgotten": f"SELECT {PLACE}, 2, 'forgotten' FROM {_INCOMING} WHERE session_id::VARCHAR IN ({STANDING})",  # noqa: S608
    "superseded": f"SELECT {PLACE}, 3, 'superseded' FROM {_INCOMING} SEMI JOIN superseded USING (turn_id)",  # noqa: S608
}
"""Why events are skipped, by the table that says so. In these joins DuckDB keeps the smaller side in memory, not all events of a ledger."""

_COUNTED = f"SELECT count(*) FILTER (why = 'known'), count(*) FILTER (why = 'forgotten'), count(*) FROM {_PASSED_OVER}"  # noqa: S608
_SALTED_BY = f"""
SELECT DISTINCT coalesce(session_id, run_id)::VARCHAR FROM {_INCOMING}
WHERE {PLACE} NOT IN (SELECT {PLACE} FROM {_PASSED_OVER} WHERE why != 'superseded')"""  # noqa: S608
_NEW = f"{PLACE} NOT IN (SELECT {PLACE} FROM {_PASSED_OVER})"  # noqa: S608
_NEW_EVENT = f"{PLACE} NOT IN (SELECT {PLACE} FROM {_PASSED_OVER} WHERE why != 'superseded')"  # noqa: S608
"""For a turn that was superseded before its event arrived, only the event itself is kept."""


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """The rows that were inserted."""

    events: int  # the number of new events
    duplicates: int  # the number of events skipped as already known
    forgotten: int  # the number of events skipped because their session is erased
    is_whole: bool  # whether all rows of all events were inserted
    salted_by: frozenset[str]  # the salt owners of the new rows, if some were skipped


def insert_prepared(
    connection: DuckDBPyConnection, prepared: Prepared, link: int | None, *, has: Callable[[str], bool]
) -> InsertedRows:
    """Insert the rows of events into the current database, except events that it already has; ``has`` says which tables may have rows."""
    [of_events] = (rows for rows in prepared.rows if rows.table == _EVENTS.name)
    names = ("event_id", "run_id", "session_id", "turn_id")
    select_arrow(connection, _EVENTS, of_events, names, into=_INCOMING)
    reasons = " UNION ALL ".join(
        why for table, why in _REASONS.items() if table == _EVENTS.name or has(table)
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {_PASSED_OVER} AS SELECT {PLACE}, arg_min(why, turn) AS why FROM ({reasons}) GROUP BY {PLACE}"  # noqa: S608
    )
    [(duplicates, forgotten, passed_over)] = connection.execute(_COUNTED).fetchall()
    for rows in prepared.rows:
        condition = "true"
        if passed_over:
            condition = _NEW_EVENT if rows.table == _EVENTS.name else _NEW
        insert_arrow(connection, _TABLES[rows.table], rows, link, condition)
    salted_by = (
        frozenset(owner for (owner,) in connection.execute(_SALTED_BY).fetchall())
        if passed_over
        else frozenset()
    )
    connection.execute(f"DROP TABLE {_INCOMING}; DROP TABLE {_PASSED_OVER}")
    events = prepared.events - duplicates - forgotten
    return InsertedRows(events, duplicates, forgotten, not passed_over, salted_by)
