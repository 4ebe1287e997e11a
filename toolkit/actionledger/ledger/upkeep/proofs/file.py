"""Verify a ledger in one file: the published copy, the working file, the segments, and a head that was kept elsewhere."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from filecmp import cmp
from functools import cache
from pathlib import Path
from typing import NamedTuple

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.core.processes import FileLock
from actionledger.ledger.storage.chain import Head
from actionledger.ledger.storage.connections import BASE, attach_published, offsets_in
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, one_sentence, wal_of
from actionledger.ledger.storage.rollups.tables import PARTS, ROLLUPS
from actionledger.ledger.storage.schema import PROVEN_SINCE, SCHEMA_VERSION, TABLES, VIEWS, lacking
from actionledger.ledger.storage.segments import has_live_writer, segment_sizes
from actionledger.ledger.storage.stored import withdrawn_in
from actionledger.ledger.storage.working_file import is_database
from actionledger.ledger.upkeep.migrations import create_everything, version_in, version_of_copy
from actionledger.ledger.upkeep.proofs.report import Fault, Verification, faults_since
from actionledger.ledger.upkeep.proofs.walk import ChainWalk, walk
from actionledger.ledger.upkeep.rollups import faults_of_rollup

Make = Callable[[DuckDBPyConnection], None]

_COLUMNS = (
    "SELECT table_name, column_name, data_type FROM duckdb_columns() "
    "WHERE database_name = current_database() AND NOT internal"
)
_VIEWS = (
    "SELECT view_name, regexp_replace(sql, '^.*? AS ', '') FROM duckdb_views() "
    "WHERE database_name = current_database() AND NOT internal"
)
_MACROS = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal"
_OTHER_ROWS = """
SELECT EXISTS (FROM ((SELECT * FROM {name}) EXCEPT ALL ({select}))) OR EXISTS (FROM (({select}) EXCEPT ALL (SELECT * FROM {name})))"""


class _Contents(NamedTuple):
    """The contents of a database: each column's type by table or view and name; each view's query; macros."""

    columns: dict[tuple[str, str], str]
    views: dict[str, str]
    macros: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a database's schema differs from a ledger's."""

    faults: tuple[Fault, ...]  # the tables, columns and views that are missing or changed
    notes: tuple[str, ...]  # what doesn't belong to a ledger
    can_be_walked: bool  # whether all tables and columns exist and no macro can change a query's meaning


def shape_of(
    connection: DuckDBPyConnection, make: Make = create_everything, *, lacks: Collection[str] = ()
) -> Shape:
    """Compare the current database's schema with a ledger's of this version."""
    _stand_in(connection, lacks)
    here, meant = _contents(connection), _expected(make)
    of_tables = [fault for fault in _of_columns(here, meant) if fault.table not in {*VIEWS, *lacks}]
    of_tables += [
        Fault(
            f"The macro {name} is in the file: what a query gets from {name} may come from somebody else.",
            name,
        )
        for name in sorted(here.macros)
    ]
    of_views = [] if of_tables or lacks else list(_of_views(connection, here, meant))
    known = {table for table, _ in meant.columns} | ROLLUPS.keys()
    strange = sorted({table for table, _ in here.columns} - known)
    strange += [
        f"{table}.{column}"
        for table, column in sorted(here.columns.keys() - meant.columns.keys())
        if table not in {*strange, *VIEWS, *ROLLUPS}
    ]
    notes = [f"{name} is in the file, but does not belong to a ledger." for name in strange]
    return Shape((*of_tables, *of_views), tuple(notes), can_be_walked=not of_tables)


def _stand_in(connection: DuckDBPyConnection, lacks: Collection[str]) -> None:
    """Create an empty temporary table for each missing one, so that queries over all tables work."""
    for table in TABLES:
        if table.name in lacks:
            connection.execute(table.ddl.replace("CREATE TABLE", "CREATE OR REPLACE TEMP TABLE", 1))


def _contents(connection: DuckDBPyConnection) -> _Contents:
    columns = {(table, column): kind for table, column, kind in connection.execute(_COLUMNS).fetchall()}
    views = dict(connection.execute(_VIEWS).fetchall())
    return _Contents(columns, views, frozenset(name for (name,) in connection.execute(_MACROS).fetchall()))


@cache
def _expected(make: Make) -> _Contents:
    with closing(duckdb.connect()) as connection:
        make(connection)
        return _contents(connection)


def _of_columns(here: _Contents, meant: _Contents) -> Iterator[Fault]:
    tables = {table for table, _ in here.columns}
    for table in dict.fromkeys(table for table, _ in meant.columns):
        if table not in tables:
            yield Fault(f"The table {table} is gone.", table)
    # It may select the same rows now, and others later.
    for view in sorted(here.views.keys() & ({table for table, _ in meant.columns} | ROLLUPS.keys())):
        if view not in meant.views:
            yield Fault(f"The table {view} is a view now: what it shows stands elsewhere.", view)
    for (table, column), kind in meant.columns.items():
        found = here.columns.get((table, column))
        if table in tables and found != kind:
            what = "is gone" if found is None else f"is of the type {found}, and was {kind}"
            yield Fault(f"The column {column} of the table {table} {what}.", table)


def _of_views(connection: DuckDBPyConnection, here: _Contents, meant: _Contents) -> Iterator[Fault]:
    for name, select in VIEWS.items():
        if name not in here.views:
            yield Fault(f"The view {name} is gone: who asks it finds nothing.", name)
        elif here.views[name] != meant.views[name] and _shows_others(connection, name, select):
            yield Fault(f"The view {name} was changed: it does not show what its tables hold.", name)


def _shows_others(connection: DuckDBPyConnection, name: str, select: str) -> bool:
    """Return whether a view with another definition also has other rows. Another DuckDB version may write a definition differently."""
    try:
        return connection.execute(_OTHER_ROWS.format(name=name, select=select)).fetchone() == (True,)
    except duckdb.Error:
        return True  # it has other columns


def faults_of_segments(files: LedgerFiles, offsets: Mapping[str, int]) -> list[Fault]:
    """Return the faults of truncated segments."""
    faults = []
    for name, size in segment_sizes(files.segments).items():
        taken = offsets.get(name, 0)
        if size < taken:
            sentence = f"The segment {name} has {size:,} bytes, and {taken:,} were taken in: it was cut, and what was behind them may be lost."
            faults.append(Fault(sentence, f"segments/{name}", key=str(size)))
        elif not _ends_whole(files.segments / name, size) and not has_live_writer(files.segments):
            sentence = f"The segment {name} ends within a line, at byte {size:,}: it was cut, or its writer died while writing an unacknowledged record."
            faults.append(Fault(sentence, f"segments/{name}", key=str(size)))
    return faults


def _ends_whole(path: Path, size: int) -> bool:
    if not size:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"


_STORE = "store"
_MEMORY = "1GB"


def verify_file(files: LedgerFiles, kept: Sequence[Head]) -> Verification:
    """Verify that a ledger in one file holds what was ingested; it changes nothing."""
    with one_sentence(f"The ledger {files.published} can't be verified"):
        if not is_database(files.published):
            raise LedgerError(f"There is no ledger {files.published} to verify.")
        found, published, offsets = _of_published(files, kept)
        if not found.chains and not found.faults:
            return _with(found, _newer_beside(files), [])
        heads = dict(published.heads)
        found = _with(found, *_of_store(files, published, offsets, heads))
        return _with(found, [*faults_of_segments(files, offsets), *faults_since(kept, heads)], [])


def _of_published(files: LedgerFiles, kept: Sequence[Head]) -> tuple[Verification, ChainWalk, dict[str, int]]:
    """Return the published copy's verification, its chain, and the ingested bytes of each segment."""
    published, offsets, counts = ChainWalk(), dict[str, int](), dict[str, int]()
    of_rollup: list[Fault] = []
    try:
        with closing(duckdb.connect(config={"memory_limit": _MEMORY})) as connection:
            attach_published(connection, files, may_write=os.access(files.folder, os.W_OK))
            version = version_of_copy(connection, files.published)
            connection.execute(f"USE {BASE}")
            if version < PROVEN_SINCE:
                return _of_older(connection, version, kept), published, offsets
            shape = shape_of(connection, lacks=lacking(version))
            if shape.can_be_walked:
                [published] = walk(connection)
                offsets, counts = offsets_in(connection), withdrawn_in(connection)
                of_rollup = [Fault(sentence, PARTS) for sentence in faults_of_rollup(connection)]
    except duckdb.Error as error:
        unread = Fault(f"The published file can't be read whole: {_sentence(error, files)}")
        return Verification((unread,), ()), ChainWalk(), {}
    found = Verification(
        faults=(*shape.faults, *published.faults, *of_rollup),
        notes=shape.notes,
        chains=published.proven,
        superseded=counts.get("superseded", 0),
        forgotten=counts.get("forgotten", 0),
    )
    return found, published, offsets


def _sentence(error: duckdb.Error, files: LedgerFiles) -> str:
    """Return DuckDB's message with the file name that people know."""
    line = str(error).partition("\n")[0]
    return re.sub(rf"{re.escape(str(files.folder))}/{TEMPORARY}[0-9a-f]+\.duckdb", str(files.published), line)


def _of_older(connection: DuckDBPyConnection, version: int, kept: Sequence[Head]) -> Verification:
    asked = "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND table_name = 'links'"
    if connection.execute(asked).fetchone() != (0,):
        sentence = f"The table meta says version {version} of the schema, which knows no proofs, and the file has a chain: one of them was changed."
        return Verification((Fault(sentence, "meta"),), ())
    note = (
        f"The ledger has version {version} of the schema: it was recorded before proofs were kept. Whoever opens it for writing brings it up to "
        f"version {SCHEMA_VERSION}, and from then on it is proven."
    )
    faults = (
        [Fault("A head was kept of this ledger, and it has no chain: an older ledger is in its place.")]
        if kept
        else []
    )
    return Verification(tuple(faults), (note,))


def _newer_beside(files: LedgerFiles) -> list[Fault]:
    """Return a fault if the published file is of an older version than the working file."""
    lock = FileLock(files.ingest_lock)
    if not files.store.exists() or not os.access(files.folder, os.W_OK) or not lock.acquire(5.0):
        return []
    try:
        with closing(duckdb.connect(str(files.store), config={"memory_limit": _MEMORY})) as connection:
            if (version_in(connection) or 0) < PROVEN_SINCE:
                return []
    finally:
        lock.release()
    sentence = (
        "The working file has a chain, and the published file is of an older version: an older copy stands in its place, or whoever brought "
        "the ledger up to date was killed at it. Opened for writing, it is published again."
    )
    return [Fault(sentence)]


def _with(found: Verification, faults: list[Fault], notes: list[str]) -> Verification:
    return replace(found, faults=(*found.faults, *faults), notes=(*found.notes, *notes))


def _of_store(
    files: LedgerFiles, published: ChainWalk, offsets: dict[str, int], heads: dict[int, str]
) -> tuple[list[Fault], list[str]]:
    """Return the faults and notes of the working file; add its offsets and heads to the known ones."""
    if not files.store.exists() or not os.access(files.folder, os.W_OK):
        return [], [
            "The working file is not here or can't be opened: the published file alone was looked at."
        ]
    lock = FileLock(files.ingest_lock)
    if not lock.acquire(5.0):
        return [], ["Another process takes events in right now: the published file alone was looked at."]
    try:
        if not wal_of(files.store).exists() and cmp(files.published, files.store, shallow=False):
            return [], []
        with closing(duckdb.connect(str(files.store), config={"memory_limit": _MEMORY})) as connection:
            shape, store = shape_of(connection), ChainWalk()
            if shape.can_be_walked:
                [store] = walk(connection)
                offsets |= offsets_in(connection)
        # Compared under the lock, so that nobody publishes meanwhile.
        said = (*shape.faults, *store.faults)
        faults = [replace(fault, sentence=f"In the working file: {fault.sentence}") for fault in said]
        faults += _beside(files, published, store) if published.heads and store.heads else []
        heads |= store.heads
    except duckdb.Error as error:
        line = str(error).partition("\n")[0]
        return [Fault(f"The working file can't be read: {line}", _STORE)], []
    finally:
        lock.release()
    return faults, list(_notes_on(files, published, store)) if not faults else []


def _notes_on(files: LedgerFiles, published: ChainWalk, store: ChainWalk) -> Iterator[str]:
    """Yield notes on the published file if the working file is whole."""
    behind = len(store.heads) - len(published.heads)
    if not published.heads:
        yield f"The working file is whole: move {files.published} away, and 'actionledger doctor --fix' publishes it again."
    elif behind > 0:
        yield f"The published file lacks the last {behind:,} links of the working file; 'actionledger ingest' publishes them."


def _beside(files: LedgerFiles, published: ChainWalk, store: ChainWalk) -> list[Fault]:
    other = next(
        (link for link, head in sorted(published.heads.items()) if store.heads.get(link) != head), None
    )
    if other is not None:
        sentence = f"The published file and the working file part at link {other}: one of them was put there from elsewhere, or is an older or newer copy."
        return [Fault(sentence, "links", other)]
    is_behind = len(store.heads) > len(published.heads)
    if is_behind and not files.unpublished.exists() and not segment_sizes(files.segments):
        last = max(published.heads)
        sentence = (
            f"The published file ends at link {last}, though all was published: an older copy is in its place. 'actionledger ingest' "
            "publishes what the working file holds."
        )
        return [Fault(sentence, "links", last)]
    return []
