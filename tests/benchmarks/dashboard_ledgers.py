"""The ledgers that the dashboard is measured on: recordings of others with two readings, and one repeated until it is large."""

import shutil
from pathlib import Path

import duckdb

import actionledger as al
from actionledger.demo import take_samples
from actionledger.ledger.storage.rollups.writer import roll_up

MINT = Path(__file__).parents[3] / "shared" / "corpora" / "mint"
OWN_IDS = (
    "session_id",
    "turn_id",
    "attempt_id",
    "action_id",
    "execution_id",
    "event_id",
    "parent_session_id",
)
"""What tells one repetition from the others; runs and parsers are the same in all."""

TIMES, UNDATED = ("occurred_at", "started_at"), "2026-01-05 09:00:00"


def made(path: Path, turns: int = 0) -> Path:
    """Make a ledger with two readings of each turn, where it is not there yet; return its path."""
    if path.exists():
        return path
    if turns:
        return repeated(made(path.with_name("two-readings.duckdb")), path, turns)
    with al.open_ledger(path) as ledger:
        if MINT.exists():
            al.import_path(MINT, ledger)
            al.reparse(ledger, parser="mint-harness")
        else:
            take_samples(ledger)
            al.reparse(ledger, parser="gembrain-standard")
    return path


def repeated(source: Path, path: Path, turns: int) -> Path:
    """Write a ledger's published copy with its sessions again and again, a day later each time."""
    partial = path.with_suffix(".partial")
    shutil.copy(source, partial)
    with duckdb.connect(str(partial)) as connection:
        connection.execute("SET preserve_insertion_order = false")
        [(held,)] = connection.sql("SELECT count(*) FROM turn_starts").fetchall()
        times = -(-turns // held) - 1
        for (table,) in connection.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
            if statement := _repetition(connection, table):
                connection.execute(statement, [times])
        roll_up(connection)  # as the ledger has it that has grown to this
        connection.execute("CHECKPOINT")
    partial.rename(path)
    return path


def _repetition(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    """Return the statement that repeats a table's rows; empty for a table whose rows are no session's."""
    types = dict(
        connection.sql(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index",
            params=[table],
        ).fetchall()
    )
    if "session_id" not in types and "execution_id" not in types:
        return ""
    changed = [
        f"CAST(md5({name}::VARCHAR || '/' || n) AS UUID)"
        if name in OWN_IDS
        else f"coalesce({name}, TIMESTAMP '{UNDATED}') + to_days(n::INTEGER)"
        if kind.startswith("TIMESTAMP") and name in TIMES
        else f"{name} || ' ' || n"
        if name == "external_id"
        else name
        for name, kind in types.items()
    ]
    return f"INSERT INTO {table} SELECT {', '.join(changed)} FROM {table}, range(1, ? + 1) AS repetition(n)"
