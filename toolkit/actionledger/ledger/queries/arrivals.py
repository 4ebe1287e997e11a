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
    SELECT turn_id, session_id, occurred_at, model, profile, parser_name || ' ' || left(parser_id, 8) AS parser
    FROM parse_attempts WHERE occurred_at IS NOT NULL AND {condition}),
whole AS (
    SELECT read.*, source, prompt, left(tools_hash, 12) AS tools
    FROM read JOIN (
        SELECT session_id, source, left(md5(metadata->>'$.system'), 12) AS prompt FROM session_starts) USING (session_id)
    LEFT JOIN (SELECT turn_id, tools_hash FROM turn_starts) USING (turn_id)),
labelled AS (
    SELECT occurred_at, unnest([{{'what': 'model', 'label': model}}, {{'what': 'profile', 'label': profile}},
        {{'what': 'parser', 'label': parser}}, {{'what': 'source', 'label': source}},
        {{'what': 'prompt', 'label': prompt}}, {{'what': 'tools', 'label': tools}}], recursive := true)
    FROM whole)
SELECT what, label, min(occurred_at) AS first_at, count(*) AS responses
FROM labelled WHERE label <> '' GROUP BY what, label ORDER BY first_at, what, label"""


def arrivals(ledger: Queryable, within: Filter = EVERYTHING) -> list[Arrival]:
    """Return what responses have, by when the first had it; responses without a time say nothing.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within)
    return rows(ledger, Arrival, _ARRIVALS.format(condition=condition), parameters)
