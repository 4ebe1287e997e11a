"""Rolling sessions up: all of them where there is no rollup yet, else those that something has come to since."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.connections import transaction
from actionledger.ledger.proofs.cells import ENDS
from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ
from actionledger.ledger.queries.counted import ALL, Counts
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import AGAIN, FIRST_READING
from actionledger.ledger.rollups.tables import (
    APART,
    DIALECTS,
    FAILURES,
    KINDS,
    PARTS,
    ROLLUPS,
    STATE,
    digest_of,
    remove,
    rolled_up_to,
)
from actionledger.ledger.schema import LINK, OF_SESSION, TABLES

AT_ONCE = 50_000
"""So many sessions are rolled up at once, so that it takes little memory."""

_MEMORY = "512MB"

_NUMBERS = [name for counts in ALL for name in counts.columns]

COLUMNS = {
    PARTS: {
        "session_id": "UUID",
        "run_id": "UUID",
        "is_first": "BOOLEAN",
        "is_alone": "BOOLEAN",
        "day": "TIMESTAMP",
    }
    | dict.fromkeys(("capture", "profile", "model", "task", "source"), "VARCHAR")
    | {"kind": "INTEGER"},
    KINDS: {"kind": "INTEGER", "digest": "VARCHAR"} | dict.fromkeys(_NUMBERS, "INTEGER"),
    FAILURES: {"kind": "INTEGER", "stage": "INTEGER"}
    | dict.fromkeys(("code", "action", "origin"), "VARCHAR")
    | dict.fromkeys(("hits", "turns"), "INTEGER"),
    DIALECTS: {"kind": "INTEGER", "dialect": "VARCHAR", "read": "INTEGER"},
    APART: {"session_id": "UUID"},
    STATE: {"link": "INTEGER", "definition": "VARCHAR"},
}
"""The columns of each table, with their types."""

_TABLES = ";".join(
    f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(map(' '.join, columns.items()))}); "
    f"COMMENT ON TABLE {table} IS 'rolled up: {ROLLUPS[table]}'"
    for table, columns in COLUMNS.items()
)

_THEIRS = "session_id IN (SELECT session_id FROM rolling)"
_KEY = "session_id, run_id, run_kind, date_trunc('day', occurred_at), capture, profile, model, task"

_OWN = f"""
CREATE OR REPLACE TEMP TABLE rolling_attempts AS
SELECT attempt_id, turn_id, session_id AS of_session, run_id AS of_run, {FIRST_READING} AS is_first,
       date_trunc('day', occurred_at) AS of_day, capture AS of_capture, profile AS of_profile, model AS of_model, task AS of_task,
       hash({_KEY}) AS part
FROM parse_attempts WHERE {_THEIRS}"""

_SAME = " AND ".join(
    f"{mine} IS NOT DISTINCT FROM {theirs}"
    for mine, theirs in (
        ("session_id", "of_session"),
        ("date_trunc('day', occurred_at)", "of_day"),
        ("profile", "of_profile"),
        ("model", "of_model"),
        ("task", "of_task"),
    )
)
_OF_KIND = f"(run_id NOT IN (SELECT run_id FROM run_starts WHERE run_kind IN ({AGAIN}))) = is_first"
_IN_RUN = f"run_id = of_run AND ({FIRST_READING}) = is_first"
_MISFILED = {
    "actions": f"{_SAME} AND {_IN_RUN}",
    "execution_starts": f"{_SAME} AND {_OF_KIND}",
    "validation_errors": "session_id = of_session",
    "blocks": "session_id = of_session",
    "issues": "session_id = of_session",
}
"""What holds for each row of a session that can be counted by the reading that it belongs to."""

_APART = """
CREATE OR REPLACE TEMP TABLE rolling_apart AS
SELECT session_id FROM (FROM rolling) LEFT JOIN session_starts USING (session_id)
GROUP BY session_id HAVING count(source) <> 1
UNION
SELECT of_session FROM rolling_attempts
GROUP BY of_session, CASE WHEN NOT is_first THEN of_run END HAVING count(*) <> count(DISTINCT turn_id)
""" + "".join(
    f"""
UNION
SELECT session_id FROM {table} LEFT JOIN rolling_attempts USING (attempt_id) WHERE {_THEIRS} AND ({holds}) IS NOT true"""
    for table, holds in _MISFILED.items()
)

_FAILED = f"""
CREATE OR REPLACE TEMP TABLE rolling_failures AS
WITH {failed(_THEIRS)}
SELECT part, of_session, stage, code, action, origin, count(*)::INTEGER AS hits, count(DISTINCT found.turn_id)::INTEGER AS turns
FROM found JOIN rolling_attempts USING (attempt_id) GROUP BY ALL"""

_READ_IN = f"""
CREATE OR REPLACE TEMP TABLE rolling_dialects AS
SELECT part, of_session, dialect, count(*)::INTEGER AS read
FROM parse_attempts JOIN (SELECT attempt_id, part, of_session FROM rolling_attempts) USING (attempt_id)
WHERE {_THEIRS} AND {AUDITABLE} AND list_contains($read, outcome) GROUP BY ALL"""

LISTED = """
list({'stage': stage, 'code': code, 'action': action, 'origin': origin, 'hits': hits, 'turns': turns}
     ORDER BY stage, code, action, origin) AS failures"""
"""What failed in a part or a kind, as one value, as SQL."""

LISTED_DIALECTS = "list({'dialect': dialect, 'read': read} ORDER BY dialect) AS dialects"
"""In which dialects responses of a part or a kind were read, as one value, as SQL."""

_FAILED_IN = f"SELECT part, of_session, {LISTED} FROM rolling_failures GROUP BY part, of_session"
_DIALECTS_OF = f"SELECT part, of_session, {LISTED_DIALECTS} FROM rolling_dialects GROUP BY part, of_session"


def _counted_sql(counts: Counts) -> str:
    """Return the statement that counts the rows of one table, part by part."""
    numbers = ", ".join(f"({aggregate})::INTEGER AS {name}" for name, aggregate in counts.columns.items())
    return (
        f"SELECT part, of_session, {numbers} FROM {counts.source} JOIN (SELECT attempt_id, part, of_session FROM rolling_attempts) "
        f"USING (attempt_id) WHERE {_THEIRS} AND {counts.which} GROUP BY part, of_session"
    )


DIGEST = "sha256(to_json([{}, failures::JSON::VARCHAR, dialects::JSON::VARCHAR])::VARCHAR)".format(
    ", ".join(f"{name}::VARCHAR" for name in _NUMBERS)
)
"""What tells a kind from others, as SQL: its numbers, what failed, and in which dialects it was read. An action's name is whatever a model has written, so that a weaker
digest might be made to take two kinds for one."""

_JOINS = " ".join(f"LEFT JOIN ({_counted_sql(counts)}) USING (part, of_session)" for counts in ALL)
_ZEROED = ", ".join(f"coalesce({name}, 0)::INTEGER AS {name}" for name in _NUMBERS)
_PARTS_SQL = f"""
CREATE OR REPLACE TEMP TABLE rolling_parts AS
WITH parts AS (
    SELECT part, of_session, any_value(of_run) AS run_id, any_value(is_first) AS is_first, any_value(of_day) AS day,
           any_value(of_capture) AS capture, any_value(of_profile) AS profile, any_value(of_model) AS model, any_value(of_task) AS task
    FROM rolling_attempts ANTI JOIN (SELECT session_id AS of_session FROM rolling_apart) USING (of_session) GROUP BY part, of_session),
counted AS (
    SELECT parts.*, {_ZEROED}, coalesce(failures, []) AS failures, coalesce(dialects, []) AS dialects FROM parts {_JOINS}
    LEFT JOIN ({_FAILED_IN}) USING (part, of_session) LEFT JOIN ({_DIALECTS_OF}) USING (part, of_session))
SELECT *, count(*) OVER (PARTITION BY of_session, CASE WHEN NOT is_first THEN run_id END) = 1 AS is_alone,
       {DIGEST} AS digest
FROM counted"""

_NEW_KINDS = f"""
CREATE OR REPLACE TEMP TABLE rolling_kinds AS
SELECT digest, (SELECT coalesce(max(kind), 0) FROM {KINDS}) + row_number() OVER (ORDER BY digest) AS kind,
       {", ".join(f"any_value({name}) AS {name}" for name in _NUMBERS)}, any_value(failures) AS failures,
       any_value(dialects) AS dialects
FROM rolling_parts ANTI JOIN {KINDS} USING (digest) GROUP BY digest"""

_INSERTS = f"""
INSERT INTO {KINDS} BY NAME SELECT * EXCLUDE (failures, dialects) FROM rolling_kinds;
INSERT INTO {FAILURES} BY NAME SELECT kind, unnest(failures, recursive := true) FROM rolling_kinds WHERE len(failures) > 0;
INSERT INTO {DIALECTS} BY NAME SELECT kind, unnest(dialects, recursive := true) FROM rolling_kinds WHERE len(dialects) > 0;
DELETE FROM {PARTS} WHERE {_THEIRS};
DELETE FROM {APART} WHERE {_THEIRS};
INSERT INTO {APART} FROM rolling_apart;
INSERT INTO {PARTS} BY NAME
SELECT of_session AS session_id, run_id, is_first, is_alone, day, capture, profile, model, task, source, kind
FROM rolling_parts JOIN (SELECT digest, kind FROM {KINDS}) USING (digest)
JOIN (SELECT session_id AS of_session, source FROM session_starts WHERE {_THEIRS}) USING (of_session)
ORDER BY of_session, part"""

_UNUSED = f"""
DELETE FROM {FAILURES} WHERE kind NOT IN (SELECT kind FROM {PARTS});
DELETE FROM {DIALECTS} WHERE kind NOT IN (SELECT kind FROM {PARTS});
DELETE FROM {KINDS} WHERE kind NOT IN (SELECT kind FROM {PARTS})"""

DEFINITION = digest_of(_OWN, _APART, _FAILED, _READ_IN, _PARTS_SQL)
"""What tells a rollup that was made in this way."""


def roll_up(connection: DuckDBPyConnection, at_once: int = AT_ONCE) -> None:
    """Bring the rollup of the current database up to its last link, in one transaction; where that is done, nothing.

    Args:
        connection: its current database is a working file.
        at_once: how many sessions are rolled up at once.
    """
    [(last,)] = connection.execute("SELECT max(link) FROM links").fetchall()
    [(here,)] = connection.execute("SELECT current_database()").fetchall()
    link = rolled_up_to(connection, DEFINITION) if is_whole(connection, here) else None
    if last is None or link == last:
        return
    if link is None:
        remove(connection)
    with _more_memory(connection), transaction(connection):
        connection.execute(_TABLES)
        for start in range(0, pick_changed(connection, link), at_once):
            _roll(connection, start, at_once)
        _drop_unused(connection)
        connection.execute(f"DELETE FROM {STATE}")
        connection.execute(f"INSERT INTO {STATE} VALUES (?, ?)", [last, DEFINITION])
        for name in _TEMPORARY:
            connection.execute(f"DROP TABLE IF EXISTS temp.{name}")


def is_whole(connection: DuckDBPyConnection, catalog: str) -> bool:
    """Return whether a database has all tables and columns of a rollup, whoever made them.

    Args:
        connection: what to ask.
        catalog: what the database is called there.
    """
    selects = (f'SELECT {", ".join(columns)} FROM "{catalog}".{table}' for table, columns in COLUMNS.items())
    try:
        connection.execute("SELECT " + " AND ".join(f"NOT EXISTS ({select} LIMIT 0)" for select in selects))
    except duckdb.ProgrammingError:
        return False
    return True


@contextmanager
def _more_memory(connection: DuckDBPyConnection) -> Iterator[None]:
    """Let DuckDB join in more memory than it writes in."""
    [(limit,)] = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    connection.execute(f"SET memory_limit = '{_MEMORY}'")
    try:
        yield
    finally:
        with suppress(duckdb.Error):
            connection.execute(f"SET memory_limit = '{limit}'")


def _drop_unused(connection: DuckDBPyConnection) -> None:
    """Leave nothing of kinds that no session is of any more, once they are many, or a session is forgotten."""
    counts = f"SELECT (SELECT count(*) FROM {KINDS}) > (SELECT count(*) FROM {PARTS})"
    forgotten = "SELECT count(*) > 0 FROM rolled_since SEMI JOIN forgotten USING (session_id)"
    if (True,) in (connection.execute(counts).fetchone(), connection.execute(forgotten).fetchone()):
        connection.execute(_UNUSED)


_TEMPORARY = (
    "rolled_since",
    "rolling",
    "rolling_attempts",
    "rolling_apart",
    "rolling_failures",
    "rolling_dialects",
    "rolling_parts",
    "rolling_kinds",
)


def _roll(connection: DuckDBPyConnection, start: int, count: int) -> None:
    count_parts(connection, start, count)
    connection.execute(_NEW_KINDS)
    connection.execute(_INSERTS)


def count_parts(connection: DuckDBPyConnection, start: int, count: int) -> None:
    """Count the parts of some of the sessions of ``rolled_since`` by their rows: ``rolling_parts``, and ``rolling_apart``.

    Args:
        connection: its current database is a ledger.
        start: how many sessions stand before them.
        count: how many there are at most.
    """
    theirs = f"SELECT session_id FROM rolled_since WHERE nth > {start} AND nth <= {start + count}"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE rolling AS {theirs}")
    connection.execute(_OWN)
    connection.execute(_APART)
    connection.execute(_FAILED, {"intent": INTENT})
    connection.execute(_READ_IN, {"read": READ})
    connection.execute(_PARTS_SQL)


def pick_changed(connection: DuckDBPyConnection, link: int | None) -> int:
    """Number the sessions that something has come to, in ``rolled_since``; return how many they are.

    Args:
        connection: its current database is a ledger.
        link: behind which link; None for all sessions.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE rolled_since AS {_changed(link)}")
    [(count,)] = connection.execute("SELECT count(*) FROM rolled_since").fetchall()
    return int(count)


def _changed(link: int | None) -> str:
    since = "" if link is None else f" WHERE {LINK} > {link}"
    of_tables = " UNION ".join(
        f"SELECT {OF_SESSION if table.name in ENDS else 'session_id'} AS session_id FROM {table.name}{since}"
        for table in TABLES
        if table.name in ENDS or "session_id" in table.columns
    )
    starts = " UNION ".join(
        f"SELECT session_id FROM {name.replace('_ends', '_starts')} JOIN {name} USING ({key})"
        f" WHERE {OF_SESSION} IS NULL" + (f" AND {name}.{LINK} > {link}" if since else "")
        for name, key in ENDS.items()
    )
    return (
        "SELECT session_id, row_number() OVER (ORDER BY session_id) AS nth "
        f"FROM (SELECT DISTINCT session_id FROM ({of_tables} UNION {starts}) WHERE session_id IS NOT NULL)"
    )
