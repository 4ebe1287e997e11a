"""What was new when: a model, a profile, a parser, a source, instructions or a set of tools that no response before had."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.scopes import scope

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


_ARRIVALS = """
WITH read AS (
    SELECT turn_id, session_id, occurred_at, model, profile, parser_name, parser_id
    FROM parse_attempts SEMI JOIN session_starts USING (session_id) WHERE occurred_at IS NOT NULL AND {condition}),
known AS (
    SELECT model, profile, parser_name || ' ' || left(parser_id, 8) AS parser, min(occurred_at) AS first_at, count(*) AS responses
    FROM read GROUP BY model, profile, parser_name, parser_id),
of_sessions AS (
    SELECT source, left(md5(metadata->>'$.system'), 12) AS prompt, first_at, responses
    FROM (SELECT session_id, min(occurred_at) AS first_at, count(*) AS responses FROM read GROUP BY session_id)
    JOIN session_starts USING (session_id)),
of_turns AS (
    SELECT left(tools_hash, 12) AS tools, min(occurred_at) AS first_at, count(*) AS responses
    FROM read JOIN (SELECT turn_id, tools_hash FROM turn_starts WHERE tools_hash <> '') USING (turn_id) GROUP BY tools_hash),
labelled AS (
    SELECT 'model' AS what, model AS label, first_at, responses FROM known
    UNION ALL SELECT 'profile', profile, first_at, responses FROM known
    UNION ALL SELECT 'parser', parser, first_at, responses FROM known
    UNION ALL SELECT 'source', source, first_at, responses FROM of_sessions
    UNION ALL SELECT 'prompt', prompt, first_at, responses FROM of_sessions
    UNION ALL SELECT 'tools', tools, first_at, responses FROM of_turns)
SELECT what, label, min(first_at) AS first_at, sum(responses)::BIGINT AS responses
FROM labelled WHERE label <> '' GROUP BY what, label ORDER BY first_at, what, label"""
"""Responses are summed up by what little they differ in before they are labelled: there are many, and each has six labels."""


def arrivals(ledger: Queryable, within: Filter = EVERYTHING) -> list[Arrival]:
    """Return what responses have, by when the first had it; responses without a time say nothing.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within)
    return rows(ledger, Arrival, _ARRIVALS.format(condition=condition), parameters)
