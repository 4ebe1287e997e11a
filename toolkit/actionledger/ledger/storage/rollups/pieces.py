"""Sessions in pieces of so many events, in the order in which the last of each was taken in: what is rolled up at once.

A piece takes so much memory and no more, and of the tables no more is read than the links that its sessions are of: what was recorded
or imported together lies together. So a ledger takes as long as it has rows, and whoever is killed has lost a piece.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.rollups.tables import Reached
from actionledger.ledger.storage.schema import LINK, executions_of

EVENTS_AT_ONCE = 250_000
"""So many events are rolled up at once, some 75,000 turns: twice as many take as long, and 60 MB more."""

PICKED, PIECE = "rolled_since", "rolling"
"""The temporary tables of the sessions that are to be rolled up, and of those of one piece."""

_OF_SESSIONS = (
    "session_starts",
    "turn_starts",
    "parse_attempts",
    "actions",
    "validation_errors",
    "blocks",
    "issues",
    "execution_starts",
)
"""The tables that are asked session by session."""

_ENDS = "execution_ends"

_ORDERED = f"""
CREATE OR REPLACE TEMP TABLE {PICKED} AS
SELECT session_id, first_link, last_link,
       ((sum(events) OVER (ORDER BY last_link, session_id ROWS UNBOUNDED PRECEDING) - events) // {{at_once}})::INTEGER AS piece
FROM (
    SELECT session_id, coalesce(max({LINK}), 0) AS last_link, count(*) AS events, {{first}} AS first_link
    FROM (SELECT session_id, {LINK} FROM events WHERE {{since}} UNION ALL SELECT session_id, {LINK} FROM forgotten WHERE {{since}})
    WHERE session_id IS NOT NULL GROUP BY session_id HAVING {{beyond}})"""
"""Whatever is recorded of a session is an event of it; that it is forgotten names it nowhere else."""

_FIRST = f"CASE WHEN count({LINK}) = count(*) THEN min({LINK}) END"
"""What a session began at; NULL for what was recorded before there was a chain."""

_PIECES = f"""
SELECT piece, CASE WHEN count(first_link) = count(*) THEN min(first_link) END, max(last_link),
       max((last_link, session_id))[2]::VARCHAR
FROM {PICKED} GROUP BY piece ORDER BY piece"""


class Piece(NamedTuple):
    """Sessions that are rolled up at once.

    Args:
        number: its number among the pieces.
        first: the link at which the first of them began; None where that isn't known.
        last: the last link that any of them has something of.
        session_id: the last session of that link.
    """

    number: int
    first: int | None
    last: int
    session_id: str


def pick_changed(
    connection: DuckDBPyConnection, reached: Reached | None, at_once: int = EVENTS_AT_ONCE
) -> list[Piece]:
    """Return the sessions that something has come to, in pieces."""
    asked = {"at_once": at_once, "first": _FIRST, "since": "true", "beyond": "true"}
    if reached is not None and reached.session_id is None:
        # What a session had before is not looked for among all there is.
        asked |= {"first": "NULL::INTEGER", "since": f"{LINK} > {reached.link}"}
    elif reached is not None:
        asked["beyond"] = f"(last_link, session_id) > ({reached.link}, '{reached.session_id}'::UUID)"
    connection.execute(_ORDERED.format(**asked))
    return pieces_in(connection)


def pieces_in(connection: DuckDBPyConnection) -> list[Piece]:
    """Return the pieces of the sessions that are picked."""
    return [Piece(*row) for row in connection.execute(_PIECES).fetchall()]


@contextmanager
def only(connection: DuckDBPyConnection, piece: Piece) -> Iterator[None]:
    """Have each table that is asked session by session, by its own name, hold the rows of one piece alone."""
    [(here,)] = connection.execute("SELECT current_database()").fetchall()
    within = "true" if piece.first is None else f"{LINK} BETWEEN {piece.first} AND {piece.last}"
    theirs = f"session_id IN (SELECT session_id FROM temp.{PIECE})"
    views = {name: f'FROM "{here}".{name} WHERE {within} AND {theirs}' for name in _OF_SESSIONS}
    views |= {_ENDS: f'FROM "{here}".{_ENDS} WHERE {within}', "executions": executions_of("true")}
    picked = f"SELECT session_id FROM {PICKED} WHERE piece = {piece.number}"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {PIECE} AS {picked}")
    try:
        for name, select in views.items():
            connection.execute(f"CREATE TEMP VIEW {name} AS {select}")
        yield
    finally:
        for name in views:
            connection.execute(f"DROP VIEW IF EXISTS temp.{name}")
