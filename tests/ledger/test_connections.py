"""How a working file is opened to be written to."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import duckdb
import pytest

from actionledger.ledger.storage.connections import ROW_GROUP_ROWS, connect_store, store

OPENED: list[Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]]] = [
    store,
    lambda path: closing(connect_store(path)),
]


def groups(path: Path) -> list[int]:
    """Return how many rows lie together in a file's table, one group after the other."""
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute(
            "SELECT sum(count)::INTEGER FROM pragma_storage_info('rows') "
            "WHERE column_name = 'number' AND segment_type != 'VALIDITY' GROUP BY row_group_id ORDER BY row_group_id"
        )
        return [count for (count,) in found.fetchall()]


@pytest.mark.parametrize("opened", OPENED, ids=["in little memory", "in as much as it takes"])
def test_rows_lie_together_in_small_groups(tmp_path: Path, opened):
    path = tmp_path / "store.duckdb"
    with opened(path) as connection:
        connection.execute("CREATE TABLE rows AS SELECT range AS number FROM range(200000)")
    assert groups(path) == [ROW_GROUP_ROWS] * 3 + [200_000 - 3 * ROW_GROUP_ROWS]
    assert not Path(f"{path}.wal").exists()


@pytest.mark.parametrize("opened", OPENED, ids=["in little memory", "in as much as it takes"])
def test_a_file_with_larger_groups_goes_on(tmp_path: Path, opened):
    """A ledger of an earlier version has DuckDB's own; also where a key is checked, which older DuckDBs lost rows of."""
    path = tmp_path / "store.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": "v1.5.0"}) as connection:
        connection.execute("CREATE TABLE rows AS SELECT range AS number FROM range(100000)")
        connection.execute("CREATE TABLE keyed (name VARCHAR PRIMARY KEY, number BIGINT)")
        connection.execute("INSERT INTO keyed SELECT 'n' || range, range FROM range(100000)")
    assert groups(path) == [100_000]
    for more in range(3):
        with opened(path) as connection:
            connection.execute(f"INSERT INTO rows SELECT 100000 + {more} * 50000 + range FROM range(50000)")
            connection.execute(
                f"INSERT INTO keyed VALUES ('n5', {more}), ('new{more}', 0) "
                "ON CONFLICT (name) DO UPDATE SET number = excluded.number"
            )
    assert max(groups(path)[1:]) <= ROW_GROUP_ROWS
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT count(*), sum(number) FROM rows").fetchone() == (
            250_000,
            250_000 * 249_999 // 2,
        )
        assert connection.execute("SELECT count(*), sum(number) FROM keyed").fetchone() == (
            100_003,
            100_000 * 99_999 // 2 - 5 + 2,
        )
