"""The view of a query: the published copy, and everything in segments beyond it.

Nothing is locked and, in a folder that is not writable, nothing is written. Events that are not ingested yet go through the same projection into an
in-memory ledger, the tail, and a view over both replaces each table. The tail stays, and new events are added to it. When another copy is
published, a new tail replaces it, with what lies beyond that copy.
"""

import re
import time
from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING
from weakref import WeakSet

from duckdb import DuckDBPyConnection

from actionledger.core.patterns import regex
from actionledger.core.processes import abandon, watch
from actionledger.ledger.storage.connections import BASE, offsets_in, transaction
from actionledger.ledger.storage.files import one_sentence
from actionledger.ledger.storage.memory import keep, within_reading_limit
from actionledger.ledger.storage.rollups.state import is_current, views_of_rollup
from actionledger.ledger.storage.schema import OF_TURN, QUARANTINE, STATUS_OF_ACTION, TABLES, VIEWS, Table
from actionledger.ledger.storage.segments import batches, qualified_name, segment_sizes
from actionledger.ledger.storage.store import Store
from actionledger.ledger.upkeep.migrations import make_tables

if TYPE_CHECKING:
    from actionledger.ledger.storage.loading import Tail

_CALM_ATTEMPTS = 3
"""The number of attempts to find a copy that stays the published one while it and the segments are read."""

_TAIL = "tail"
GROWING_TABLES = {table.name: table for table in (*TABLES, QUARANTINE)}
_OTHER_TABLES = ("meta", "segments", "links")
_UNKNOWN = "SELECT action_id FROM actions WHERE status = 'unknown'"
_READING = regex(r"\s*(?:select|from|with|values|describe|summarize|show)\b", re.IGNORECASE)
_CHANGING = regex(r";|\b(?:insert|update|delete|merge)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _State:
    """The state from which a view was made; while it is unchanged, another view would show the same."""

    published: Hashable
    segments: dict[str, int]


class Reader:
    """Keeps a connection that sees everything, and adds what is new."""

    def __init__(self, store: Store, *, may_write: bool, without_text: bool = False) -> None:
        self._store = store
        self._without_text = without_text
        self._files = store.files
        self._may_write = may_write
        self._view: _View | None = None
        self._state: _State | None = None
        self._knows_rollups = False
        watch(self)

    def is_current(self) -> bool:
        """Whether the connection sees everything that there is now."""
        with self._one_sentence():
            return self._state is not None and self._state == self._look()

    def refresh(self) -> None:
        """See what is new: new lines beyond the same published copy, or everything beyond another one.

        However often others publish, it ends, and sees everything that was flushed before the call (``_lacks``).
        """
        with self._one_sentence():
            flushed: dict[str, int] | None = None
            for attempt in count():
                looked_at, state = time.monotonic(), self._look()
                # The first sizes of those segments that still exist: the others are in the published copy.
                flushed = (
                    dict(state.segments)
                    if flushed is None
                    else {name: flushed[name] for name in flushed.keys() & state.segments}
                )
                if self._view is None or self._state is None or state.published != self._state.published:
                    self.close()
                    self._view = _View(
                        self._store,
                        may_write=self._may_write,
                        without_text=self._without_text,
                        knows_rollups=self._knows_rollups,
                    )
                    self._knows_rollups = self._view.knows_rollups
                # A partly loaded tail can't be trusted, so that any error drops it.
                view, self._view = self._view, None
                view.load_new_lines()
                # After a publication meanwhile, segments may be missing that were in neither the old copy nor the folder.
                if self._store.holds(state.published, looked_at) or (
                    attempt >= _CALM_ATTEMPTS and not self._lacks(view, flushed)
                ):
                    self._view, self._state = view, state
                    return

    def _lacks(self, view: "_View", flushed: Mapping[str, int]) -> bool:
        """Return whether a view may lack some lines that were flushed before the call: a segment was deleted before it was read to its end.

        Such a segment is in every copy that is opened from now on, and needs no further check: each failed attempt leaves fewer of them.
        """
        gone = flushed.keys() - segment_sizes(self._files.segments)
        return any(view.known.get(qualified_name(self._store.host, name), 0) < flushed[name] for name in gone)

    def cursor(self, query: str = "") -> DuckDBPyConnection:
        """Return a separate cursor on the connection, which stays usable when the connection is replaced."""
        if self._view is None:
            self.refresh()
        assert self._view is not None
        with within_reading_limit():
            return self._view.cursor(query)

    @property
    def has_rollup(self) -> bool:
        """Whether the connection has a rollup: views of ``rollups/tables.py``, and of the sessions that are not in it."""
        return self._view is not None and self._view.has_rollup

    def close(self) -> None:
        """Release the connection. It closes with its last cursor; until then each cursor keeps what it sees."""
        if self._view is not None:
            self._view.close()
        self._view = self._state = None

    def start_over(self) -> None:
        """Abandon the parent's connection in a forked child."""
        if self._view is not None:
            abandon(self._view)
        self._view = self._state = None

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        with one_sentence(f"The ledger {self._files.published} can't be read"), within_reading_limit():
            yield

    def _look(self) -> _State:
        segments = segment_sizes(self._files.segments) if self._store.has_tail else {}
        return _State(self._store.state(), segments)


class _View:
    """One published copy, and the tail beyond it."""

    def __init__(self, store: Store, *, may_write: bool, without_text: bool, knows_rollups: bool) -> None:
        self._without_text = without_text
        self._segments = store.files.segments
        self._host = store.host
        self._has_tail = store.has_tail
        self._loader: Tail | None = None
        self._cursors: WeakSet[DuckDBPyConnection] = WeakSet()
        self._only_reads = True
        self._instance = store.connect(may_write=may_write)
        self._connection = self._instance.connection
        try:
            self.known = offsets_in(self._connection, BASE)
            self.has_rollup = not without_text and is_current(self._connection, BASE)
            self.knows_rollups = knows_rollups or self.has_rollup
        except BaseException:
            self._connection.close()
            raise

    def load_new_lines(self) -> None:
        """Add the segments' new lines to the tail."""
        of_host = batches(self._segments, dict(self.known), finish=False, host=self._host)
        for batch in of_host if self._has_tail else ():
            loader = self._loader or self._begin_tail()
            loader.load(batch)
            self.known |= {line.segment: line.end for line in batch}
        in_tail = frozenset(self._loader.tables if self._loader is not None else ())
        others = views_of_rollup(in_tail, is_current=self.has_rollup) if self.knows_rollups else {}
        self._views = _views(self._instance.lacks, in_tail, without_text=self._without_text) | others
        there = self._instance.views
        # Views that another reader of the same DuckDB has left may differ now, and may depend on views that it had no need of.
        others_now = [name for name in there if name in self._views and self._views[name] != there[name]]
        self._make_views(_views_named(" ".join(others_now), self._views) if others_now else ())

    def cursor(self, query: str) -> DuckDBPyConnection:
        """Return a cursor on the connection; see ``Reader``."""
        self._only_reads = self._only_reads and _is_reading(query)
        self._make_views(_views_named(query, self._views))
        cursor = self._connection.cursor()
        self._cursors.add(cursor)
        return cursor

    def _make_views(self, asked: Collection[str]) -> None:
        """Create missing or outdated views on request, drop obsolete ones. Each takes a third of a millisecond; few statements need half of them."""
        there = dict(self._instance.views)
        gone = [f"DROP VIEW {name}" for name in there if name not in self._views]
        new = {
            name: select
            for name, select in self._views.items()
            if name in asked and there.get(name) != select
        }
        if not new and not gone:
            return
        made = [f"CREATE OR REPLACE VIEW {name} AS {select}" for name, select in new.items()]
        # In one transaction, since others may be using the views. As one text: separate statements take half as long again to begin and end.
        with transaction(self._connection) if gone or new.keys() & there else nullcontext():
            self._connection.execute(";".join([*gone, *made]))
        self._instance.views = {name: select for name, select in there.items() if name in self._views} | new

    def close(self) -> None:
        """Release the DuckDB for reuse, unless it is still in use or may have been changed."""
        loader, self._loader = self._loader, None
        if self._only_reads and not self._cursors:
            if loader is not None:
                loader.empty()
            keep(self._instance, BASE)

    def _begin_tail(self) -> "Tail":
        from actionledger.ledger.storage.loading import Tail  # noqa: PLC0415 - slow to load, and most readers need no tail

        writer = self._connection.cursor()
        if not self._instance.has_tail:
            writer.execute(f"ATTACH ':memory:' AS {_TAIL}")
        writer.execute(f"USE {_TAIL}")
        if not self._instance.has_tail:
            make_tables(writer)
            self._instance.has_tail = True
        self._loader = Tail(writer, beside=BASE)
        return self._loader


def _is_reading(query: str) -> bool:
    """Return whether a statement certainly changes nothing in its DuckDB."""
    return _READING.match(query) is not None and _CHANGING.search(query) is None


@lru_cache(maxsize=64)
def _views(lacks: frozenset[str], in_tail: frozenset[str], *, without_text: bool) -> dict[str, str]:
    """Return the SELECT of each view, of tables and of what people read, in the order of their dependencies."""
    views = {table: f"FROM {BASE}.{table}" for table in _OTHER_TABLES}
    for table, columns in GROWING_TABLES.items():
        seen = _seen(columns, without_text=without_text)
        views[table] = f"{seen} FROM {_base(table, in_tail)}" if table not in lacks else _nothing_of(columns)
        if table in in_tail:
            views[table] += f" UNION ALL BY NAME {seen} FROM {_TAIL}.{table}"
    return views | VIEWS


_NAME = regex(r"[a-z]+(?:_[a-z]+)*")
_ASKS_FOR_ANY = regex(
    r"information_schema|duckdb_|sqlite_|pg_|\bshow\b|\bpragma|\bquery(?:_table)?\s*\(", re.IGNORECASE
)
"""Matches statements that may use views without naming them."""


def _views_named(query: str, views: Mapping[str, str]) -> Collection[str]:
    """Return the views that a statement names, with their dependencies; all views if it may use others, or names none."""
    asked: set[str] = set()
    new = set() if _ASKS_FOR_ANY.search(query) else views.keys() & set(_NAME.findall(query.lower()))
    while new:
        asked |= new
        new = {name for each in new for name in _NAME.findall(views[each]) if name in views} - asked
    return asked or views.keys()


def _seen(table: Table, *, without_text: bool) -> str:
    """Return the SELECT of a table's visible columns: all except those for proofs, with blanks for texts if these are hidden."""
    columns = {name: name for name in table.columns}
    if table.name == "actions":
        columns["status"] = STATUS_OF_ACTION
    if without_text:
        for name, blank in table.blanks.items():
            columns[name] = f"CASE WHEN {name} IS NOT NULL THEN '{blank}'::{table.columns[name]} END"
        if {"name", "action_id"} <= table.columns.keys():
            # A name that nobody offered was made up by the model.
            is_unknown = "status = 'unknown'" if "status" in table.columns else f"action_id IN ({_UNKNOWN})"
            columns["name"] = f"CASE WHEN {is_unknown} THEN '' ELSE name END"
    return "SELECT " + ", ".join(f'{select} AS "{name}"' for name, select in columns.items())


def _nothing_of(table: Table) -> str:
    """Return a SELECT without rows, for a table that an older ledger lacks."""
    columns = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in table.columns.items())
    return f"SELECT {columns} WHERE false"


def _base(table: str, in_tail: Collection[str]) -> str:
    """Return the published copy's rows of a table, without those that the tail supersedes."""
    is_superseded = "superseded" in in_tail and table in OF_TURN
    return f"{BASE}.{table}" + (f" ANTI JOIN {_TAIL}.superseded USING (turn_id)" if is_superseded else "")
