"""The data kept for sessions: the **kind** of each **part** of a session, and the numbers of each kind.

A part is a session's data of one run, one day and one capture, so that a filter selects all of it or nothing. Most sessions
have one part, and many have the same numbers: these are of one kind, so that summing over kinds is fast. A session that doesn't fit is **apart**,
and its rows are queried. Examples are a turn that was parsed twice, or a result that is filed under another run, day or model than its parse.
A rollup is valid for the link of the chain at which it was made: if there is a later link, it is not used.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.connections import transaction
from actionledger.ledger.storage.schema import LINK, executions_of

PARTS, KINDS, FAILURES, DIALECTS, APART, STATE = (
    "rollup_parts",
    "rollup_kinds",
    "rollup_failures",
    "rollup_dialects",
    "rollup_apart",
    "rollup_state",
)
ROLLUPS = {
    PARTS: "a session in one run, on one day and of one capture, and the kind that it is of",
    KINDS: "what parts of one kind come to, each number once",
    FAILURES: "what failed in each part of one kind, how often, and in how many turns",
    DIALECTS: "in which dialects responses of each part of one kind were read whole, and how many",
    APART: "a session whose rows are to be asked themselves",
    STATE: "how far sessions are rolled up: to which link of the chain, and to which session where it is not all of that link",
}
"""The tables, with the meaning of a row. They hold nothing that the other tables don't, and can be made again at any time."""

WORTH_BYTES = 64 * 1024 * 1024
"""A smaller working file is queried row by row: a rollup would save a tenth of a second."""

NOT_ROLLED_UP = "not_rolled_up"
"""The readers' view of the sessions whose rows must be queried."""


class RollupProgress(NamedTuple):
    """How far sessions are rolled up, in the order of each one's last link, then of their identifiers."""

    link: int
    session_id: UUID | str | None  # the last session of that link that is rolled up; None if all of them are


def rolled_up_to(connection: DuckDBPyConnection, definition: str) -> RollupProgress | None:
    """Return the progress of the current database's rollup; None if there is none, or if it was made by another definition."""
    if not is_there(connection):
        return None
    found = connection.execute(f"SELECT link, session_id, definition FROM {STATE}").fetchall()
    return RollupProgress(*found[0][:2]) if len(found) == 1 and found[0][2] == definition else None


def is_there(connection: DuckDBPyConnection) -> bool:
    """Return whether the current database has the tables of a rollup."""
    asked = "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND starts_with(table_name, 'rollup_')"
    return connection.execute(asked).fetchone() == (len(ROLLUPS),)


def remove(connection: DuckDBPyConnection) -> None:
    """Drop the current database's rollup."""
    with transaction(connection):
        for table in ROLLUPS:
            connection.execute(f"DROP TABLE IF EXISTS {table}")


def digest_of(*texts: str) -> str:
    """Return a digest of a rollup's definition."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")

RECORDED = (*_TOKENS, "cost_usd", "cost_origin", "latency_ms")
"""The columns of ``turn_starts`` on a response's usage."""

SUMS = {
    "received": ("INTEGER", "count(*)"),
    "counted": ("INTEGER", "count(coalesce(input_tokens, output_tokens))"),
    **{name: ("BIGINT", f"sum({name})::BIGINT") for name in _TOKENS},
    "priced": ("INTEGER", "count(cost_usd)"),
    "cost_usd": ("DOUBLE", "sum(cost_usd ORDER BY cost_usd)"),
    "by_prices": ("INTEGER", "count(cost_usd) FILTER (cost_origin <> 'recorded')"),
    "by_prices_usd": ("DOUBLE", "sum(cost_usd ORDER BY cost_usd) FILTER (cost_origin <> 'recorded')"),
    "latencies": ("DOUBLE[]", "list(latency_ms ORDER BY latency_ms) FILTER (latency_ms IS NOT NULL)"),
}
"""The data kept on a part's responses: the type and the aggregate of each, over ``turn_starts``. Sums are NULL if nothing is recorded, which takes no
space. They are added in a fixed order, so that another computation gives the same result.
"""

COLUMNS = {"first_at": "TIMESTAMP", "parser": "VARCHAR", "tools": "VARCHAR", "prompt": "VARCHAR"} | {
    name: kind for name, (kind, _) in SUMS.items()
}
"""The columns of a part besides its kind."""

OF_ATTEMPT = "parser_name || ' ' || left(parser_id, 8)"
OF_TURN = "left(tools_hash, 12)"
OF_SESSION = "left(md5(metadata->>'$.system'), 12)"
"""The identifiers of a response's parser, tools and instructions, as SQL on ``parse_attempts``, ``turn_starts`` and ``session_starts``."""

TURNS = f"""
SELECT turn_id, session_id AS turn_session, profile AS turn_profile, model AS turn_model, task AS turn_task, tools_hash,
       {", ".join(RECORDED)}
FROM turn_starts"""
"""The columns of a parse's turn, as SQL."""

IS_OF_TURN = (
    "(session_id = turn_session AND profile IS NOT DISTINCT FROM turn_profile "
    "AND model IS NOT DISTINCT FROM turn_model AND task IS NOT DISTINCT FROM turn_task) IS true"
)
"""Whether a parse is filed like its turn, as SQL."""

OF_ATTEMPTS = f"""
SELECT part, of_session, min(of_time) AS first_at, any_value(of_parser) AS parser, any_value(of_tools) AS tools,
       {", ".join(f"{aggregate} AS {name}" for name, (_, aggregate) in SUMS.items())}
FROM rolling_attempts GROUP BY part, of_session"""
"""The data kept on each part besides its kind, except its session's instructions, as SQL."""


EVENTS_AT_ONCE = 250_000
"""The number of events that are rolled up at once, some 75,000 turns: twice as many take as long, and 60 MB more."""

PICKED, PIECE = "rolled_since", "rolling"
"""The temporary tables of the sessions to roll up, and of those of one piece."""

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
"""The tables that are queried session by session."""

_ENDS = "execution_ends"

_ORDERED = f"""
CREATE OR REPLACE TEMP TABLE {PICKED} AS
SELECT session_id, first_link, last_link,
       ((sum(events) OVER (ORDER BY last_link, session_id ROWS UNBOUNDED PRECEDING) - events) // {{at_once}})::INTEGER AS piece
FROM (
    SELECT session_id, coalesce(max({LINK}), 0) AS last_link, count(*) AS events, {{first}} AS first_link
    FROM (SELECT session_id, {LINK} FROM events WHERE {{since}} UNION ALL SELECT session_id, {LINK} FROM forgotten WHERE {{since}})
    WHERE session_id IS NOT NULL GROUP BY session_id HAVING {{beyond}})"""
"""Everything recorded of a session is an event of it, except its erasure, which names it only in ``forgotten``."""

_FIRST = f"CASE WHEN count({LINK}) = count(*) THEN min({LINK}) END"
"""The link at which a session began; NULL for rows from before there was a chain."""

_PIECES = f"""
SELECT piece, CASE WHEN count(first_link) = count(*) THEN min(first_link) END, max(last_link),
       max((last_link, session_id))[2]::VARCHAR
FROM {PICKED} GROUP BY piece ORDER BY piece"""


class Piece(NamedTuple):
    """Sessions that are rolled up at once."""

    number: int  # its number among the pieces
    first: int | None  # the link at which the first of them began; None if unknown
    last: int  # the last link with rows of any of them
    session_id: str  # the last session of that link


def pick_changed(
    connection: DuckDBPyConnection, reached: RollupProgress | None, at_once: int = EVENTS_AT_ONCE
) -> list[Piece]:
    """Return the sessions with new events, in pieces."""
    asked = {"at_once": at_once, "first": _FIRST, "since": "true", "beyond": "true"}
    if reached is not None and reached.session_id is None:
        # Earlier rows of a session are not searched for among all rows.
        asked |= {"first": "NULL::INTEGER", "since": f"{LINK} > {reached.link}"}
    elif reached is not None:
        asked["beyond"] = f"(last_link, session_id) > ({reached.link}, '{reached.session_id}'::UUID)"
    connection.execute(_ORDERED.format(**asked))
    return pieces_in(connection)


def pieces_in(connection: DuckDBPyConnection) -> list[Piece]:
    """Return the pieces of the picked sessions."""
    return [Piece(*row) for row in connection.execute(_PIECES).fetchall()]


@contextmanager
def only(connection: DuckDBPyConnection, piece: Piece) -> Iterator[None]:
    """Within the context, limit the tables that are queried session by session to the rows of one piece, under their own names."""
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
