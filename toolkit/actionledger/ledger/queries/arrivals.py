"""What was new when: a model, a profile, a parser, a source, instructions or a set of tools that no response before had."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.rolled import rolled_scope, rows_beside
from actionledger.ledger.queries.scopes import scope
from actionledger.ledger.storage.rollups.tables import PARTS
from actionledger.ledger.storage.rollups.taking import OF_ATTEMPT, OF_SESSION, OF_TURN

Novelty: TypeAlias = Literal["model", "profile", "parser", "source", "prompt", "tools"]
"""What may be new about a response, known before it was read."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that responses have from a time on.

    Args:
        what: what it is.
        label: its name; for tools and for a prompt, which is the instructions that a session was recorded with, the beginning of
            their hash; for a parser its name and the beginning of its hash.
        first_at: the time of the first response that has it, UTC without a zone.
        responses: how many have it.
    """

    what: Novelty
    label: str
    first_at: datetime
    responses: int


_READ = f"""
read AS (
    SELECT turn_id, session_id, occurred_at, model, profile, {OF_ATTEMPT} AS parser
    FROM parse_attempts SEMI JOIN session_starts USING (session_id) WHERE occurred_at IS NOT NULL AND {{apart}}{{condition}}),
known AS (
    SELECT model, profile, parser, min(occurred_at) AS first_at, count(*) AS responses FROM read GROUP BY model, profile, parser),
of_sessions AS (
    SELECT source, {OF_SESSION} AS prompt, first_at, responses
    FROM (SELECT session_id, min(occurred_at) AS first_at, count(*) AS responses FROM read GROUP BY session_id)
    JOIN session_starts USING (session_id)),
of_turns AS (
    SELECT tools, min(occurred_at) AS first_at, count(*) AS responses
    FROM read JOIN (SELECT turn_id, {OF_TURN} AS tools FROM turn_starts WHERE tools_hash <> '') USING (turn_id) GROUP BY tools)"""
"""Responses are summed up by what little they differ in before they are labelled: there are many, and each has six labels."""

_OF_ROWS = {
    "model": "known",
    "profile": "known",
    "parser": "known",
    "source": "of_sessions",
    "prompt": "of_sessions",
    "tools": "of_turns",
}
_OF_PARTS = f"""
parts AS (
    SELECT {", ".join(_OF_ROWS)}, min(first_at) AS first_at, sum(received)::BIGINT AS responses
    FROM {PARTS} WHERE day IS NOT NULL AND {{rolled}} GROUP BY ALL)"""

_LABELLED = """
SELECT what, label, min(first_at) AS first_at, sum(responses)::BIGINT AS responses
FROM ({labelled}) WHERE label <> '' GROUP BY what, label ORDER BY first_at, what, label"""


def arrivals(ledger: Queryable, within: Filter = EVERYTHING) -> list[Arrival]:
    """Return what responses have, by when the first had it; responses without a time say nothing.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    rolled = rolled_scope(ledger, within) if within == within.given else None
    apart, of_rows = rows_beside(within, rolled)
    condition, parameters = scope(of_rows)
    tables = [_READ.format(apart=apart, condition=condition)]
    labelled = [_labelled(what, table) for what, table in _OF_ROWS.items()]
    if rolled is not None:
        tables.append(_OF_PARTS.format(rolled=rolled.condition))
        labelled += [_labelled(what, "parts") for what in _OF_ROWS]
        parameters = parameters | rolled.parameters
    statement = f"WITH {', '.join(tables)} {_LABELLED.format(labelled=' UNION ALL '.join(labelled))}"
    return rows(ledger, Arrival, statement, parameters)


def _labelled(what: str, table: str) -> str:
    return f"SELECT '{what}' AS what, {what} AS label, first_at, responses FROM {table}"
