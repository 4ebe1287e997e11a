"""Check a rollup: compute it again from the rows, and compare."""

from collections.abc import Sequence

from duckdb import DuckDBPyConnection

from actionledger.core.text import counted
from actionledger.ledger.queries.scopes import FIRST_READING
from actionledger.ledger.storage.rollups.state import is_current
from actionledger.ledger.storage.rollups.tables import (
    APART,
    DIALECTS,
    FAILURES,
    KINDS,
    PARTS,
    PICKED,
    PIECE,
    Piece,
    only,
    pick_changed,
    pieces_in,
)
from actionledger.ledger.storage.rollups.writer import (
    COLUMNS,
    DIGEST,
    LISTED,
    LISTED_DIALECTS,
    OF_SESSIONS,
    PART_SQL,
    count_parts,
)

_SAID = ", ".join(column for column in COLUMNS[PARTS] if column != "kind")
_MADE = f"""
SELECT {PART_SQL}, digest FROM rolling_parts JOIN ({OF_SESSIONS}) USING (of_session)"""
_KEPT = (
    f"SELECT {_SAID}, digest FROM {PARTS} LEFT JOIN {KINDS} USING (kind) WHERE session_id IN (FROM {PIECE})"
)
_OTHERS = f"""
SELECT count(DISTINCT session_id) FROM (
    (FROM ({_MADE}) EXCEPT ALL FROM ({_KEPT})) UNION ALL (FROM ({_KEPT}) EXCEPT ALL FROM ({_MADE}))
    UNION ALL BY NAME
    ((FROM rolling_apart EXCEPT ALL FROM {APART} WHERE session_id IN (FROM {PIECE}))
     UNION ALL (FROM {APART} WHERE session_id IN (FROM {PIECE}) EXCEPT ALL FROM rolling_apart)))"""
_PARTED = "run_id, is_first, day, capture, profile, model, task"
_MISCOUNTED = f"""
SELECT count(*) FROM (
    SELECT {_PARTED} FROM (
        SELECT {_PARTED}, sum(responses)::BIGINT AS responses FROM {PARTS} JOIN {KINDS} USING (kind) GROUP BY ALL
        UNION ALL
        SELECT run_id, {FIRST_READING} AS is_first, date_trunc('day', occurred_at) AS day, capture, profile, model, task, -count(*)
        FROM parse_attempts ANTI JOIN {APART} USING (session_id) GROUP BY ALL)
    GROUP BY ALL HAVING sum(responses) <> 0)"""
"""Counts the groups, by everything that a filter distinguishes, whose responses in the parts differ from those in the rows."""

_DRAWN = f"""
CREATE OR REPLACE TEMP TABLE {PICKED} AS
SELECT session_id, NULL::INTEGER AS first_link, 0 AS last_link, 0 AS piece FROM (
    SELECT session_id FROM (SELECT session_id FROM session_starts USING SAMPLE {{half}} ROWS)
    UNION SELECT session_id FROM (SELECT session_id FROM {PARTS} USING SAMPLE {{half}} ROWS))"""
_STRANGERS = (
    f"SELECT count(DISTINCT session_id) FROM (SELECT session_id FROM {PARTS} UNION ALL FROM {APART}) "
    f"ANTI JOIN {PICKED} USING (session_id)"
)
_KINDS = f"""
SELECT count(*) FROM (
    SELECT digest, {DIGEST} AS made
    FROM (SELECT * REPLACE (coalesce(failures, []) AS failures, coalesce(dialects, []) AS dialects)
          FROM {KINDS} LEFT JOIN (SELECT kind, {LISTED} FROM {FAILURES} GROUP BY kind) USING (kind)
          LEFT JOIN (SELECT kind, {LISTED_DIALECTS} FROM {DIALECTS} GROUP BY kind) USING (kind)))
WHERE digest IS DISTINCT FROM made"""


def faults_of_rollup(connection: DuckDBPyConnection) -> list[str]:
    """Return the differences between a database's rollup and its rows, a sentence each. A rollup that is not relied on has none."""
    if not _is_relied_on(connection):
        return []
    pieces = pick_changed(connection, None)
    [(others,)] = connection.execute(_STRANGERS).fetchall()
    others += _others(connection, pieces)
    return _sentences(others, _changed_kinds(connection))


def faults_of_sample(connection: DuckDBPyConnection, sessions: int) -> tuple[list[str], int]:
    """Check a sample of sessions, all kinds, and the numbers of responses; return the differences and the sample's size."""
    if not _is_relied_on(connection):
        return [], 0
    connection.execute(_DRAWN.format(half=sessions // 2))
    [(count,)] = connection.execute(f"SELECT count(*) FROM {PICKED}").fetchall()
    found = _sentences(_others(connection, pieces_in(connection)), _changed_kinds(connection))
    [(lists,)] = connection.execute(_MISCOUNTED).fetchall()
    if lists and not found:
        found = [
            f"The table {PARTS} has more or fewer responses of {lists:,} runs, days or models than there are: rates that are made of it are wrong."
        ]
    return found, int(count)


def _is_relied_on(connection: DuckDBPyConnection) -> bool:
    [(here,)] = connection.execute("SELECT current_database()").fetchall()
    return is_current(connection, here)


def _others(connection: DuckDBPyConnection, pieces: Sequence[Piece]) -> int:
    """Return how many picked sessions the rollup counts differently from their rows."""
    others = 0
    for piece in pieces:
        with only(connection, piece):
            count_parts(connection)
            [(more,)] = connection.execute(_OTHERS).fetchall()
        others += more
    return others


def _changed_kinds(connection: DuckDBPyConnection) -> int:
    [(kinds,)] = connection.execute(_KINDS).fetchall()
    return int(kinds)


def _sentences(others: int, kinds: int) -> list[str]:
    found = [
        (
            others,
            f"The table {PARTS} says of {counted(others, 'session')} something else than their rows: rates that are made of it are wrong.",
        ),
        (
            kinds,
            f"{counted(kinds, 'row')} of the table {KINDS} {'was' if kinds == 1 else 'were'} changed: rates that are made of it are wrong.",
        ),
    ]
    return [sentence for count, sentence in found if count]
