"""What is kept of sessions: of each **part** of one its **kind**, and of each kind its numbers.

A part is what a session has in one run, on one day and of one capture, so that a filter takes all of it or nothing. Most sessions
have one part, and many of them the same numbers: those are of one kind, and what sums kinds up has hardly anything to do. A session
of which that can't be said is **apart**, and its rows are asked: a turn that was read twice, a result that is filed under another run,
day or model than the reading that it belongs to. A rollup is as good as the link of the chain that it was made at: where there
is a later one, it is not asked.
"""

import hashlib
from typing import NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.connections import transaction

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
"""The tables, with what a row of each is. They hold nothing that the other tables don't, and are made again at any time."""

WORTH_BYTES = 64 * 1024 * 1024
"""A working file below this is asked row by row: a rollup would save it a tenth of a second."""

NOT_ROLLED_UP = "not_rolled_up"
"""The view that readers have of the sessions whose rows are to be asked."""


class Reached(NamedTuple):
    """How far sessions are rolled up, in the order of the links that each was last in, and of their identifiers.

    Args:
        link: the link.
        session_id: the session of that link which is the last that is rolled up; None where all of them are.
    """

    link: int
    session_id: UUID | str | None


def rolled_up_to(connection: DuckDBPyConnection, definition: str) -> Reached | None:
    """Return how far the current database's rollup has come; None where there is none, or it was made in another way."""
    if not is_there(connection):
        return None
    found = connection.execute(f"SELECT link, session_id, definition FROM {STATE}").fetchall()
    return Reached(*found[0][:2]) if len(found) == 1 and found[0][2] == definition else None


def is_there(connection: DuckDBPyConnection) -> bool:
    """Return whether the current database has the tables of a rollup."""
    asked = "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND starts_with(table_name, 'rollup_')"
    return connection.execute(asked).fetchone() == (len(ROLLUPS),)


def remove(connection: DuckDBPyConnection) -> None:
    """Leave nothing of the current database's rollup."""
    with transaction(connection):
        for table in ROLLUPS:
            connection.execute(f"DROP TABLE IF EXISTS {table}")


def digest_of(*texts: str) -> str:
    """Return what tells one way of making a rollup from another."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
