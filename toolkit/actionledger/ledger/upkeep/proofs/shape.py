"""Whether a database has the tables, columns and views of a ledger: rows that nobody has changed say nothing where people read a view that is another one."""

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.rollups.tables import ROLLUPS
from actionledger.ledger.storage.schema import TABLES, VIEWS
from actionledger.ledger.upkeep.migrations import create_everything
from actionledger.ledger.upkeep.proofs.report import Fault

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
    """What a database has: the type of each column, by table or view and column; what each view selects; macros."""

    columns: dict[tuple[str, str], str]
    views: dict[str, str]
    macros: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a database is made of, beside what a ledger is.

    Args:
        faults: the tables, columns and views that are gone or others.
        notes: what is none of a ledger's.
        can_be_walked: whether all tables and columns are there, and a query means what it says.
    """

    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    can_be_walked: bool


def shape_of(
    connection: DuckDBPyConnection, make: Make = create_everything, *, lacks: Collection[str] = ()
) -> Shape:
    """Compare what the current database is made of with what a ledger of this version is."""
    _stand_in(connection, lacks)
    here, meant = _contents(connection), _meant(make)
    of_tables = [fault for fault in _of_columns(here, meant) if fault.table not in {*VIEWS, *lacks}]
    of_tables += [
        Fault(
            f"The macro {name} stands in the file: what a query asks of {name} may be answered by somebody else.",
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
    notes = [f"{name} stands in the file, and is none of a ledger's." for name in strange]
    return Shape((*of_tables, *of_views), tuple(notes), can_be_walked=not of_tables)


def _stand_in(connection: DuckDBPyConnection, lacks: Collection[str]) -> None:
    """Have an empty table in the place of each that isn't there yet, so that whoever asks all of them finds it."""
    for table in TABLES:
        if table.name in lacks:
            connection.execute(table.ddl.replace("CREATE TABLE", "CREATE OR REPLACE TEMP TABLE", 1))


def _contents(connection: DuckDBPyConnection) -> _Contents:
    columns = {(table, column): kind for table, column, kind in connection.execute(_COLUMNS).fetchall()}
    views = dict(connection.execute(_VIEWS).fetchall())
    return _Contents(columns, views, frozenset(name for (name,) in connection.execute(_MACROS).fetchall()))


@cache
def _meant(make: Make) -> _Contents:
    with closing(duckdb.connect()) as connection:
        make(connection)
        return _contents(connection)


def _of_columns(here: _Contents, meant: _Contents) -> Iterator[Fault]:
    tables = {table for table, _ in here.columns}
    for table in dict.fromkeys(table for table, _ in meant.columns):
        if table not in tables:
            yield Fault(f"The table {table} is gone.", table)
    # It may select the very same rows today, and others tomorrow.
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
    """Return whether a view that is written otherwise, as another DuckDB writes it, has other rows too."""
    try:
        return connection.execute(_OTHER_ROWS.format(name=name, select=select)).fetchone() == (True,)
    except duckdb.Error:
        return True  # it has other columns
