"""The view of a query: the published copy, and all that segments hold beyond it.

Nothing is locked and, in a folder that may not be written to, nothing is written. What is not taken in yet goes through the
same projection into a ledger in memory, the tail, and a view over both takes each table's place. The tail stays: what is new is
added to it, until another copy is published and a new tail, of what lies beyond that one, takes its place.
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
    from actionledger.ledger.storage.tail import Tail

_CALM_ATTEMPTS = 3
"""So often a copy is looked for that stays the published one while it and the segments are read."""

_TAIL = "tail"
GROWING_TABLES = {table.name: table for table in (*TABLES, QUARANTINE)}
_OTHER_TABLES = ("meta", "segments", "links")
_UNKNOWN = "SELECT action_id FROM actions WHERE status = 'unknown'"
_READING = regex(r"\s*(?:select|from|with|values|describe|summarize|show)\b", re.IGNORECASE)
_CHANGING = regex(r";|\b(?:insert|update|delete|merge)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _State:
    """What a view was made from: as long as nothing of it changes, another one would show the same."""

    published: Hashable
    segments: dict[str, int]


class Reader:
    """Keeps a connection that sees everything, and shows it what is new.

    Args:
        store: where the ledger's tables lie.
        may_write: whether the ledger's folder may be written to for a moment.
        without_text: whether every text that a model, a tool or a person wrote is blank.
    """

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
        """Whether there is nothing more to see than what the connection sees."""
        with self._one_sentence():
            return self._state is not None and self._state == self._look()

    def refresh(self) -> None:
        """See what there is now: what is new beyond the same published copy, or all beyond another one.

        However often others publish, it comes to an end, and sees all that was flushed before it was asked (``_lacks``).

        Raises:
            LedgerError: the published copy can't be read.
        """
        with self._one_sentence():
            flushed: dict[str, int] | None = None
            for attempt in count():
                looked_at, state = time.monotonic(), self._look()
                # What segments held at first, of those that are still there: the others are in the published copy.
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
                # A tail that was loaded in part is not to be trusted: it goes with whatever was raised.
                view, self._view = self._view, None
                view.load_new_lines()
                # Published meanwhile: segments that were in neither the old copy nor the folder may be missing.
                if self._store.holds(state.published, looked_at) or (
                    attempt >= _CALM_ATTEMPTS and not self._lacks(view, flushed)
                ):
                    self._view, self._state = view, state
                    return

    def _lacks(self, view: "_View", flushed: Mapping[str, int]) -> bool:
        """Return whether a view may lack some of what segments held when it was asked for: one went before it was read to its end.

        Such a segment is in every copy that is opened from now on, and not asked for again: each attempt that fails leaves fewer of them.
        """
        gone = flushed.keys() - segment_sizes(self._files.segments)
        return any(view.known.get(qualified_name(self._store.host, name), 0) < flushed[name] for name in gone)

    def cursor(self, query: str = "") -> DuckDBPyConnection:
        """Return a cursor of its own on the connection, which stays usable when the connection is replaced.

        Args:
            query: all that it is asked; empty where that is not known.
        """
        if self._view is None:
            self.refresh()
        assert self._view is not None
        with within_reading_limit():
            return self._view.cursor(query)

    @property
    def has_rollup(self) -> bool:
        """Whether what the connection sees has a rollup: views of ``rollups/tables.py``, and of what is not in it."""
        return self._view is not None and self._view.has_rollup

    def close(self) -> None:
        """Let go of the connection; it closes with the last cursor, until then each keeps what it sees."""
        if self._view is not None:
            self._view.close()
        self._view = self._state = None

    def start_over(self) -> None:
        """Give up the parent's connection in a forked child."""
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
        """Add to the tail what segments hold beyond what is known."""
        of_host = batches(self._segments, dict(self.known), finish=False, host=self._host)
        for batch in of_host if self._has_tail else ():
            loader = self._loader or self._begin_tail()
            loader.load(batch)
            self.known |= {line.segment: line.end for line in batch}
        in_tail = frozenset(self._loader.tables if self._loader is not None else ())
        others = views_of_rollup(in_tail, is_current=self.has_rollup) if self.knows_rollups else {}
        self._views = _views(self._instance.lacks, in_tail, without_text=self._without_text) | others
        there = self._instance.views
        # What another reader of the same DuckDB has left is other now, and may be made of views that it had no need of.
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
        """Make what is asked of views, where it isn't there as it is to be, and let go of those that are no more: each takes a third of a
        millisecond, and few statements need half of them.
        """
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
        # What others may be looking at changes at once. In one text: a statement by itself takes half as long again to be begun and ended.
        with transaction(self._connection) if gone or new.keys() & there else nullcontext():
            self._connection.execute(";".join([*gone, *made]))
        self._instance.views = {name: select for name, select in there.items() if name in self._views} | new

    def close(self) -> None:
        """Have another one use the DuckDB, where nobody can still use it or may have left something in it."""
        loader, self._loader = self._loader, None
        if self._only_reads and not self._cursors:
            if loader is not None:
                loader.empty()
            keep(self._instance, BASE)

    def _begin_tail(self) -> "Tail":
        from actionledger.ledger.storage.tail import Tail  # noqa: PLC0415 - slow to load, and most readers find all published

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
    """Return whether a statement certainly changes nothing in the DuckDB that it is asked of."""
    return _READING.match(query) is not None and _CHANGING.search(query) is None


@lru_cache(maxsize=64)
def _views(lacks: frozenset[str], in_tail: frozenset[str], *, without_text: bool) -> dict[str, str]:
    """Return the SELECT of each view that shows a table as it is, or what people read, those first that others are made of."""
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
"""What may be about a view that it doesn't name."""


def _views_named(query: str, views: Mapping[str, str]) -> Collection[str]:
    """Return the views that a statement names, with those that they are made of; all where it may be about others, or names none."""
    asked: set[str] = set()
    new = set() if _ASKS_FOR_ANY.search(query) else views.keys() & set(_NAME.findall(query.lower()))
    while new:
        asked |= new
        new = {name for each in new for name in _NAME.findall(views[each]) if name in views} - asked
    return asked or views.keys()


def _seen(table: Table, *, without_text: bool) -> str:
    """Return the SELECT of what a query sees of a table: all but how it was proven, and blanks for texts where none is to be seen."""
    columns = {name: name for name in table.columns}
    if table.name == "actions":
        columns["status"] = STATUS_OF_ACTION
    if without_text:
        for name, blank in table.blanks.items():
            columns[name] = f"CASE WHEN {name} IS NOT NULL THEN '{blank}'::{table.columns[name]} END"
        if {"name", "action_id"} <= table.columns.keys():
            # A name that nobody offered is what the model made up.
            is_unknown = "status = 'unknown'" if "status" in table.columns else f"action_id IN ({_UNKNOWN})"
            columns["name"] = f"CASE WHEN {is_unknown} THEN '' ELSE name END"
    return "SELECT " + ", ".join(f'{select} AS "{name}"' for name, select in columns.items())


def _nothing_of(table: Table) -> str:
    """Return the SELECT of no row of a table, for a ledger that hasn't it yet."""
    columns = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in table.columns.items())
    return f"SELECT {columns} WHERE false"


def _base(table: str, in_tail: Collection[str]) -> str:
    """Return what the published copy has of a table, without what the tail supersedes of it."""
    is_superseded = "superseded" in in_tail and table in OF_TURN
    return f"{BASE}.{table}" + (f" ANTI JOIN {_TAIL}.superseded USING (turn_id)" if is_superseded else "")
