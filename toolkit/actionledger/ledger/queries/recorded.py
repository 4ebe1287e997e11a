"""What is there to read again, and what need not be taken in again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Protocol

from actionledger.ledger.queries.base import Queryable, picked
from actionledger.ledger.queries.filters import EVERYTHING, FIRST_READING, Filter, scope
from actionledger.text import utf8_with_halves

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
SELECT {columns} FROM turn_starts
WHERE turn_id IN (SELECT turn_id FROM parse_attempts WHERE {condition})
ORDER BY session_id, turn_index"""


def responses(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[RecordedResponse]:
    """Yield the responses that the filter's attempts have read, session by session."""
    condition, parameters = scope(within)
    result = ledger.sql(_RESPONSES.format(columns=picked(RecordedResponse), condition=condition), parameters)
    while batch := result.fetchmany(_BATCH):
        for row in batch:
            yield RecordedResponse(*row)


_BY_PROFILE = """
SELECT profile, count(DISTINCT turn_id) FROM parse_attempts WHERE {condition} GROUP BY profile ORDER BY profile"""


def responses_by_profile(ledger: Queryable, within: Filter = EVERYTHING) -> dict[str, int]:
    """Return how many responses of each profile the filter's attempts have read."""
    condition, parameters = scope(within)
    return dict(ledger.sql(_BY_PROFILE.format(condition=condition), parameters).fetchall())


@dataclass(slots=True)
class Known:
    """What a ledger has of a source.

    Args:
        ids: the sessions that came to their end, and the turns that were read (and run) to theirs.
        texts: the digest of the text of each turn, whether it was read or not, by its id.
    """

    ids: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)


_DONE = """
WITH known AS (SELECT session_id FROM session_starts WHERE source = $source)
SELECT session_id::VARCHAR FROM session_ends SEMI JOIN known USING (session_id)
UNION ALL SELECT turn_id::VARCHAR FROM {table} SEMI JOIN known USING (session_id) WHERE {condition}"""

_DIGEST = 16

_TEXTS = f"""
WITH known AS (SELECT session_id FROM session_starts WHERE source = $source)
SELECT turn_id::VARCHAR, left(sha256(text), {_DIGEST}) FROM turn_starts SEMI JOIN known USING (session_id)"""


def digest(text: str) -> str:
    """Return what tells a recorded text from another one."""
    return sha256(utf8_with_halves(text)).hexdigest()[:_DIGEST]


def known(ledger: Queryable, source: str, *, run: bool = False) -> Known:
    """Return what need not be taken in again of a source.

    Args:
        ledger: what to ask.
        source: the source.
        run: whether the turns' actions are to be run as well, and not only read.
    """
    table, condition = ("turn_ends", "true") if run else ("parse_attempts", FIRST_READING)
    done = ledger.sql(_DONE.format(table=table, condition=condition), {"source": source})
    ids = {row[0] for row in done.fetchall()}
    return Known(ids, dict(ledger.sql(_TEXTS, {"source": source}).fetchall()))
