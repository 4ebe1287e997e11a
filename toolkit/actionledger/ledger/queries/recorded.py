"""What is there to read again, and what need not be taken in again."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, FIRST_READING, Filter, scope

_BATCH = 1000


class Streamed(Protocol):
    """A result that can be fetched piece by piece."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return the next rows, at most ``size``; none at the end."""


class Streamable(Protocol):
    """Anything that answers SQL piece by piece: a ledger, in the first place."""

    def sql(self, query: str, parameters: Any = None, /) -> Streamed:
        """Run one SELECT with its parameters and return what it gave."""


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """One recorded response with its dimensions.

    Args:
        turn_id, session_id, turn_index: which.
        profile, model, task, occurred_at: its dimensions.
        text: the raw response.
    """

    turn_id: str
    session_id: str
    turn_index: int
    profile: str
    model: str
    task: str
    occurred_at: datetime | None
    text: str


_RESPONSES = """
SELECT turn_id::VARCHAR, session_id::VARCHAR, turn_index, profile, model, task, occurred_at, text
FROM turn_starts
WHERE turn_id IN (SELECT turn_id FROM parse_attempts WHERE {condition})
ORDER BY session_id, turn_index"""


def responses(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[RecordedResponse]:
    """Yield the responses that the filter's attempts have read, session by session."""
    condition, parameters = scope(within)
    result = ledger.sql(_RESPONSES.format(condition=condition), parameters)
    while batch := result.fetchmany(_BATCH):
        for row in batch:
            yield RecordedResponse(*row)


_BY_PROFILE = """
SELECT profile, count(DISTINCT turn_id) FROM parse_attempts WHERE {condition} GROUP BY profile ORDER BY profile"""


def responses_by_profile(ledger: Queryable, within: Filter = EVERYTHING) -> dict[str, int]:
    """Return how many responses of each profile the filter's attempts have read."""
    condition, parameters = scope(within)
    return dict(ledger.sql(_BY_PROFILE.format(condition=condition), parameters).fetchall())


_KNOWN = """
WITH known AS (SELECT session_id FROM session_starts WHERE source = $source)
SELECT session_id::VARCHAR FROM session_ends SEMI JOIN known USING (session_id)
UNION ALL SELECT turn_id::VARCHAR FROM {table} SEMI JOIN known USING (session_id) WHERE {condition}"""


def known_ids(ledger: Queryable, source: str, *, run: bool = False) -> set[str]:
    """Return the ids of the sessions and turns of a source that need not be taken in again.

    Args:
        ledger: what to ask.
        source: the source.
        run: whether the turns' actions are to be run as well, and not only read.

    Returns:
        The sessions that came to their end, and the turns that were read (and run) to theirs.
    """
    table, condition = ("turn_ends", "true") if run else ("parse_attempts", FIRST_READING)
    statement = _KNOWN.format(table=table, condition=condition)
    return {row[0] for row in ledger.sql(statement, {"source": source}).fetchall()}
