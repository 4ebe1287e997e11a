"""Whether a rollup says what the rows say: it is made again of them, and compared."""

from duckdb import DuckDBPyConnection

from actionledger.ledger.rollups.making import (
    AT_ONCE,
    COLUMNS,
    DEFINITION,
    DIGEST,
    LISTED,
    count_parts,
    pick_changed,
)
from actionledger.ledger.rollups.tables import APART, FAILURES, KINDS, PARTS, rolled_up_to

_SAID = ", ".join(column for column in COLUMNS[PARTS] if column != "kind")
_MADE = f"""
SELECT {_SAID.replace("session_id", "of_session AS session_id")}, digest FROM rolling_parts
JOIN (SELECT session_id AS of_session, source FROM session_starts WHERE session_id IN (FROM rolling)) USING (of_session)"""
_KEPT = (
    f"SELECT {_SAID}, digest FROM {PARTS} LEFT JOIN {KINDS} USING (kind) WHERE session_id IN (FROM rolling)"
)
_OTHERS = f"""
SELECT count(DISTINCT session_id) FROM (
    (FROM ({_MADE}) EXCEPT ALL FROM ({_KEPT})) UNION ALL (FROM ({_KEPT}) EXCEPT ALL FROM ({_MADE}))
    UNION ALL BY NAME
    ((FROM rolling_apart EXCEPT ALL FROM {APART} WHERE session_id IN (FROM rolling))
     UNION ALL (FROM {APART} WHERE session_id IN (FROM rolling) EXCEPT ALL FROM rolling_apart)))"""
_STRANGERS = (
    f"SELECT count(DISTINCT session_id) FROM (SELECT session_id FROM {PARTS} UNION ALL FROM {APART}) "
    "ANTI JOIN rolled_since USING (session_id)"
)
_KINDS = f"""
SELECT count(*) FROM (
    SELECT digest, {DIGEST} AS made
    FROM (SELECT * REPLACE (coalesce(failures, []) AS failures)
          FROM {KINDS} LEFT JOIN (SELECT kind, {LISTED} FROM {FAILURES} GROUP BY kind) USING (kind)))
WHERE digest IS DISTINCT FROM made"""


def faults_of_rollup(connection: DuckDBPyConnection) -> list[str]:
    """Return where a database's rollup is not what its rows come to, a sentence each; one that nobody relies on has no faults.

    Args:
        connection: its current database is a ledger; temporary tables are made in it.
    """
    link = rolled_up_to(connection, DEFINITION)
    if connection.execute("SELECT max(link) FROM links").fetchone() != (link,):
        return []
    count = pick_changed(connection, None)
    [(others,)] = connection.execute(_STRANGERS).fetchall()
    for start in range(0, count, AT_ONCE):
        count_parts(connection, start, AT_ONCE)
        [(more,)] = connection.execute(_OTHERS).fetchall()
        others += more
    [(kinds,)] = connection.execute(_KINDS).fetchall()
    found = [
        (
            others,
            f"The table {PARTS} says of {others:,} sessions something else than their rows: rates that are made of it are wrong.",
        ),
        (kinds, f"{kinds:,} rows of the table {KINDS} were changed: rates that are made of them are wrong."),
    ]
    return [sentence for count, sentence in found if count]
