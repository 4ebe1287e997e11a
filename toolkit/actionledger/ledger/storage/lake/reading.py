"""A reader's look at one snapshot of a lake: of a small lake in memory, else where its files are.

DuckLake asks its catalog about every table of every statement, and opens each of many small files anew. With a few megabytes in them, to
read each table once takes less than the statements of one report.
"""

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.connections import BASE, transaction
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace

HELD_BYTES = 8 * 1024 * 1024
"""Up to what size a lake is held in memory, in bytes of its files; there it takes some five times as much."""

LITTLE_BYTES = 64 * 1024 * 1024
"""Up to what size one thread reads a lake: of a few dozen small files a table, more take twice the processor time."""

_LAKE = "lake"
_SIZE = f"SELECT coalesce(sum(file_size_bytes), 0) FROM __ducklake_metadata_{BASE}.ducklake_data_file WHERE end_snapshot IS NULL"
_TABLES = f"SELECT table_name FROM duckdb_tables() WHERE database_name = '{_LAKE}'"


def size_of(connection: DuckDBPyConnection) -> int:
    """Return how large the files of a lake's newest state are, in bytes."""
    [(size,)] = connection.execute(_SIZE).fetchall()
    return int(size)


def connect_reader(place: LakePlace, snapshot: int, size: int, *, may_hold: bool) -> DuckDBPyConnection:
    """Open a database in memory that shows one state of a lake under the name of ``BASE``, for good."""
    is_held = may_hold and size < HELD_BYTES
    connection = connect_lake(place, snapshot=snapshot, name=_LAKE if is_held else BASE)
    try:
        if size < LITTLE_BYTES:
            connection.execute("SET threads = 1")
        if is_held:
            _hold(connection)
        else:
            # Its files never change.
            connection.execute("SET parquet_metadata_cache = true")
    except BaseException:
        connection.close()
        raise
    return connection


def _hold(connection: DuckDBPyConnection) -> None:
    connection.execute(f"ATTACH ':memory:' AS {BASE}")
    # In one transaction: DuckLake asks its catalog for the state once in each.
    with transaction(connection):
        tables = [name for (name,) in connection.execute(_TABLES).fetchall()]
        connection.execute(
            ";".join(f'CREATE TABLE {BASE}."{name}" AS FROM {_LAKE}."{name}"' for name in tables)
        )
    connection.execute(f"DETACH {_LAKE}")
