"""What two ledgers differ in that have the same imported sessions: nothing, but for what says which run it was, and when."""

from pathlib import Path

import duckdb

WHEN_AND_WHICH = {
    "run_id",
    "recorded_at",
    "parsed_at",
    "first_used_at",
    "duration_us",
    "found_at",
    "link",
    "described_at",
}
OF_RUNS = {"started_at", "finished_at"}
BOOKKEEPING = {"meta", "segments", "links", "salts", "withdrawn"}
RUN_EVENTS = "('run_started', 'run_finished', 'input_left_out')"


def differences(one: Path, other: Path, *, but: str = "") -> dict[str, tuple[int, int]]:
    """Return how many rows of each table only one of two published ledgers has, and only the other; none for tables that agree."""
    found = {}
    with duckdb.connect() as connection:
        for name, path in (("one", one), ("other", other)):
            connection.execute(f"ATTACH '{path}' AS {name} (READ_ONLY)")
        for table, columns in _tables(connection, but):
            sides = [f"SELECT {columns} FROM {name}.{table}" for name in ("one", "other")]
            found[table.partition(" ")[0]] = (
                _count(connection, *sides),
                _count(connection, *reversed(sides)),
            )
    return {table: counts for table, counts in found.items() if any(counts)}


def _tables(connection: duckdb.DuckDBPyConnection, but: str) -> list[tuple[str, str]]:
    tables = []
    for (table,) in connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'one'"
    ).fetchall():
        left_out = WHEN_AND_WHICH | (OF_RUNS if table.startswith("run_") else set())
        if table in BOOKKEEPING or (but == "runs" and table.startswith("run_")):
            continue
        if table == "events":
            tables.append(
                (
                    f"events WHERE kind NOT IN {RUN_EVENTS}",
                    "event_id, kind, session_id, turn_id, code, message",
                )
            )
            continue
        columns = connection.execute(
            "SELECT column_name FROM duckdb_columns() WHERE database_name = 'one' AND table_name = ?", [table]
        ).fetchall()
        tables.append((table, ", ".join(f'"{name}"' for (name,) in columns if name not in left_out)))
    return tables


def _count(connection: duckdb.DuckDBPyConnection, rows: str, without: str) -> int:
    [(count,)] = connection.execute(f"SELECT count(*) FROM ({rows} EXCEPT ALL {without})").fetchall()
    return int(count)
