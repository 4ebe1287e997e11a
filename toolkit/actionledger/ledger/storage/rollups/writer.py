"""Roll sessions up: all of them if there is no rollup yet, else those with new events."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.rolled import ALL, Counts
from actionledger.ledger.queries.scopes import AGAIN, FIRST_READING
from actionledger.ledger.storage.connections import transaction
from actionledger.ledger.storage.rollups import tables
from actionledger.ledger.storage.rollups.tables import (
    APART,
    DIALECTS,
    EVENTS_AT_ONCE,
    FAILURES,
    KINDS,
    PARTS,
    PICKED,
    PIECE,
    ROLLUPS,
    STATE,
    RollupProgress,
    digest_of,
    only,
    pick_changed,
    remove,
    rolled_up_to,
)

_MEMORY = "384MB"

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
    | {"kind": "INTEGER"}
    | tables.COLUMNS,
    KINDS: {"kind": "INTEGER", "digest": "VARCHAR"} | dict.fromkeys(_NUMBERS, "INTEGER"),
    FAILURES: {"kind": "INTEGER", "stage": "INTEGER"}
    | dict.fromkeys(("code", "action", "origin"), "VARCHAR")
    | dict.fromkeys(("hits", "turns"), "INTEGER"),
    DIALECTS: {"kind": "INTEGER", "dialect": "VARCHAR", "read": "INTEGER"},
    APART: {"session_id": "UUID"},
    STATE: {"link": "INTEGER", "session_id": "UUID", "definition": "VARCHAR"},
}
"""The columns of each table, with their types."""

_TABLES = ";".join(
    f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(map(' '.join, columns.items()))}); "
    f"COMMENT ON TABLE {table} IS 'rolled up: {ROLLUPS[table]}'"
    for table, columns in COLUMNS.items()
)

_THEIRS = f"session_id IN (SELECT session_id FROM {PIECE})"
_KEY = "session_id, run_id, run_kind, date_trunc('day', occurred_at), capture, profile, model, task, parser_name, parser_id, tools_hash"

_OWN = f"""
CREATE OR REPLACE TEMP TABLE rolling_attempts AS
SELECT attempt_id, turn_id, session_id AS of_session, run_id AS of_run, {FIRST_READING} AS is_first,
       date_trunc('day', occurred_at) AS of_day, capture AS of_capture, profile AS of_profile, model AS of_model, task AS of_task,
       occurred_at AS of_time, {tables.OF_ATTEMPT} AS of_parser, {tables.OF_TURN} AS of_tools, hash({_KEY}) AS part,
       {tables.IS_OF_TURN} AS is_of_turn, {", ".join(tables.RECORDED)}
FROM parse_attempts LEFT JOIN ({tables.TURNS}) USING (turn_id)"""

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
"""Conditions that hold for every row of a session that can be counted by the parse that it belongs to."""

_APART = """
CREATE OR REPLACE TEMP TABLE rolling_apart AS
SELECT session_id FROM (SELECT DISTINCT of_session AS session_id FROM rolling_attempts) LEFT JOIN session_starts USING (session_id)
GROUP BY session_id HAVING count(source) <> 1
UNION
SELECT of_session FROM rolling_attempts
GROUP BY of_session, CASE WHEN NOT is_first THEN of_run END HAVING count(*) <> count(DISTINCT turn_id)
UNION
SELECT of_session FROM rolling_attempts WHERE NOT is_of_turn
""" + "".join(
    f"""
UNION
SELECT session_id FROM {table} LEFT JOIN rolling_attempts USING (attempt_id) WHERE ({holds}) IS NOT true"""
    for table, holds in _MISFILED.items()
)

_FAILED = f"""
CREATE OR REPLACE TEMP TABLE rolling_failures AS
WITH {failed("true")}
SELECT part, of_session, stage, code, action, origin, count(*)::INTEGER AS hits, count(DISTINCT found.turn_id)::INTEGER AS turns
FROM found JOIN rolling_attempts USING (attempt_id) GROUP BY ALL"""

_READ_IN = f"""
CREATE OR REPLACE TEMP TABLE rolling_dialects AS
SELECT part, of_session, dialect, count(*)::INTEGER AS read
FROM parse_attempts JOIN (SELECT attempt_id, part, of_session FROM rolling_attempts) USING (attempt_id)
WHERE {AUDITABLE} AND list_contains($read, outcome) GROUP BY ALL"""

LISTED = """
list({'stage': stage, 'code': code, 'action': action, 'origin': origin, 'hits': hits, 'turns': turns}
     ORDER BY stage, code, action, origin) AS failures"""
"""The failures of a part or a kind, as one value, as SQL."""

LISTED_DIALECTS = "list({'dialect': dialect, 'read': read} ORDER BY dialect) AS dialects"
"""The dialects in which responses of a part or a kind were parsed, as one value, as SQL."""

_FAILED_IN = f"SELECT part, of_session, {LISTED} FROM rolling_failures GROUP BY part, of_session"
_DIALECTS_OF = f"SELECT part, of_session, {LISTED_DIALECTS} FROM rolling_dialects GROUP BY part, of_session"


def _counted_sql(counts: Counts) -> str:
    """Return the statement that counts the rows of one table, part by part."""
    numbers = ", ".join(f"({aggregate})::INTEGER AS {name}" for name, aggregate in counts.columns.items())
    return (
        f"SELECT part, of_session, {numbers} FROM {counts.source} JOIN (SELECT attempt_id, part, of_session FROM rolling_attempts) "
        f"USING (attempt_id) WHERE {counts.which} GROUP BY part, of_session"
    )


DIGEST = "sha256(to_json([{}, failures::JSON::VARCHAR, dialects::JSON::VARCHAR])::VARCHAR)".format(
    ", ".join(f"{name}::VARCHAR" for name in _NUMBERS)
)
"""A kind's digest, as SQL: of its numbers, failures and dialects. Models name actions, and could make two kinds collide in a weaker digest."""

_JOINS = " ".join(f"LEFT JOIN ({_counted_sql(counts)}) USING (part, of_session)" for counts in ALL)
_ZEROED = ", ".join(f"coalesce({name}, 0)::INTEGER AS {name}" for name in _NUMBERS)
_PARTS_SQL = f"""
CREATE OR REPLACE TEMP TABLE rolling_parts AS
WITH parts AS (
    SELECT *, count(*) OVER (PARTITION BY of_session, CASE WHEN NOT is_first THEN run_id END) = 1 AS is_alone FROM (
        SELECT part, of_session, any_value(of_run) AS run_id, any_value(is_first) AS is_first, any_value(of_day) AS day,
               any_value(of_capture) AS capture, any_value(of_profile) AS profile, any_value(of_model) AS model,
               any_value(of_task) AS task
        FROM rolling_attempts ANTI JOIN (SELECT session_id AS of_session FROM rolling_apart) USING (of_session)
        GROUP BY part, of_session)),
counted AS (
    SELECT parts.*, taken.* EXCLUDE (part, of_session), {_ZEROED}, coalesce(failures, []) AS failures, coalesce(dialects, []) AS dialects FROM parts {_JOINS}
    LEFT JOIN ({_FAILED_IN}) USING (part, of_session) LEFT JOIN ({_DIALECTS_OF}) USING (part, of_session)
    LEFT JOIN ({tables.OF_ATTEMPTS}) AS taken USING (part, of_session))
SELECT *, {DIGEST} AS digest FROM counted"""

_NEW_KINDS = f"""
CREATE OR REPLACE TEMP TABLE rolling_kinds AS
SELECT digest, (SELECT coalesce(max(kind), 0) FROM {KINDS}) + row_number() OVER (ORDER BY digest) AS kind,
       {", ".join(f"any_value({name}) AS {name}" for name in _NUMBERS)}, any_value(failures) AS failures,
       any_value(dialects) AS dialects
FROM rolling_parts ANTI JOIN {KINDS} USING (digest) GROUP BY digest"""

OF_SESSIONS = f"SELECT session_id AS of_session, source, {tables.OF_SESSION} AS prompt FROM session_starts"
PART_SQL = ", ".join(
    "of_session AS session_id" if name == "session_id" else name for name in COLUMNS[PARTS] if name != "kind"
)
"""The columns of a part from its session, and all columns of a part except its kind, as SQL."""

_INSERTS = f"""
INSERT INTO {KINDS} BY NAME SELECT * EXCLUDE (failures, dialects) FROM rolling_kinds;
INSERT INTO {FAILURES} BY NAME SELECT kind, unnest(failures, recursive := true) FROM rolling_kinds WHERE len(failures) > 0;
INSERT INTO {DIALECTS} BY NAME SELECT kind, unnest(dialects, recursive := true) FROM rolling_kinds WHERE len(dialects) > 0;
INSERT INTO {APART} FROM rolling_apart;
INSERT INTO {PARTS} BY NAME
SELECT {PART_SQL}, kind
FROM rolling_parts JOIN (SELECT digest, kind FROM {KINDS}) USING (digest) JOIN ({OF_SESSIONS}) USING (of_session)
ORDER BY of_session, part"""

_OUTDATED = f"DELETE FROM {PARTS} WHERE {_THEIRS}; DELETE FROM {APART} WHERE {_THEIRS}"

_UNUSED = f"""
DELETE FROM {FAILURES} WHERE kind NOT IN (SELECT kind FROM {PARTS});
DELETE FROM {DIALECTS} WHERE kind NOT IN (SELECT kind FROM {PARTS});
DELETE FROM {KINDS} WHERE kind NOT IN (SELECT kind FROM {PARTS})"""

DEFINITION = digest_of(_OWN, _APART, _FAILED, _READ_IN, _PARTS_SQL, OF_SESSIONS)
"""Identifies the way in which a rollup is made."""


def roll_up(
    connection: DuckDBPyConnection,
    *,
    pieces: int | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    at_once: int = EVENTS_AT_ONCE,
) -> None:
    """Update the rollup of the current database to its last link, each piece in its own transaction; nothing to do if it is up to date."""
    [(last,)] = connection.execute("SELECT max(link) FROM links").fetchall()
    [(here,)] = connection.execute("SELECT current_database()").fetchall()
    reached = rolled_up_to(connection, DEFINITION) if is_whole(connection, here) else None
    if last is None or reached == (last, None):
        return
    if reached is None:
        remove(connection)
        connection.execute(_TABLES)
    with _more_memory(connection):
        try:
            picked = pick_changed(connection, reached, at_once)
            for piece in picked[:pieces]:
                if is_stopped():
                    return
                with only(connection, piece), transaction(connection):
                    _roll(connection, is_new=reached is None)
                    _note(connection, RollupProgress(piece.last, piece.session_id))
            if pieces is None or len(picked) <= pieces:
                with transaction(connection):
                    _drop_unused(connection)
                    _note(connection, RollupProgress(last, None))
        finally:
            for name in _TEMPORARY:
                connection.execute(f"DROP TABLE IF EXISTS temp.{name}")


def _note(connection: DuckDBPyConnection, reached: RollupProgress) -> None:
    connection.execute(f"DELETE FROM {STATE}")
    connection.execute(f"INSERT INTO {STATE} VALUES (?, ?, ?)", [*reached, DEFINITION])


def is_whole(connection: DuckDBPyConnection, catalog: str) -> bool:
    """Return whether a database has all tables and columns of a rollup, whoever made them."""
    selects = (f'SELECT {", ".join(columns)} FROM "{catalog}".{table}' for table, columns in COLUMNS.items())
    try:
        connection.execute("SELECT " + " AND ".join(f"NOT EXISTS ({select} LIMIT 0)" for select in selects))
    except duckdb.ProgrammingError:
        return False
    return True


@contextmanager
def _more_memory(connection: DuckDBPyConnection) -> Iterator[None]:
    """Let DuckDB use more memory for joins than for writing."""
    [(limit,)] = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    connection.execute(f"SET memory_limit = '{_MEMORY}'")
    try:
        yield
    finally:
        with suppress(duckdb.Error):
            connection.execute(f"SET memory_limit = '{limit}'")


def _drop_unused(connection: DuckDBPyConnection) -> None:
    """Delete kinds without sessions, once there are many, or after an erasure."""
    are_many = f"(SELECT count(*) FROM {KINDS}) > (SELECT count(*) FROM {PARTS})"
    if connection.execute(f"SELECT {are_many} OR EXISTS (FROM forgotten)").fetchone() == (True,):
        connection.execute(_UNUSED)


_TEMPORARY = (
    PICKED,
    PIECE,
    "rolling_attempts",
    "rolling_apart",
    "rolling_failures",
    "rolling_dialects",
    "rolling_parts",
    "rolling_kinds",
)


def _roll(connection: DuckDBPyConnection, *, is_new: bool) -> None:
    count_parts(connection)
    connection.execute(_NEW_KINDS)
    if not is_new:
        connection.execute(_OUTDATED)
    connection.execute(_INSERTS)


def count_parts(connection: DuckDBPyConnection) -> None:
    """Compute the parts of a piece's sessions from their rows: ``rolling_parts``, and ``rolling_apart``."""
    connection.execute(_OWN)
    connection.execute(_APART)
    connection.execute(_FAILED, {"intent": INTENT})
    connection.execute(_READ_IN, {"read": READ})
    connection.execute(_PARTS_SQL)
