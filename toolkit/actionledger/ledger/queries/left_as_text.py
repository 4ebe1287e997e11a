"""How many responses hold a tool call as plain text beside which calls are kept apart, and what these responses took."""

from dataclasses import dataclass

from actionledger.core.vocabulary import Reason
from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope

LEFT = (Reason.TOOL_MARKUP_IN_CONTENT, Reason.TOOL_MARKUP_IN_REASONING)
"""The reasons of such calls."""


@dataclass(frozen=True, slots=True)
class LeftAsText:
    """The responses with a call that was left as text.

    Args:
        responses: how many there are.
        sessions: in how many sessions.
        counted: of how many responses the tokens are recorded.
        input_tokens, output_tokens: the sums over those.
    """

    responses: int
    sessions: int
    counted: int
    input_tokens: int
    output_tokens: int


_CODES = ", ".join(f"'{code}'" for code in LEFT)
_FOUND = f"""
WITH noted AS (SELECT DISTINCT attempt_id FROM issues WHERE code IN ({_CODES})),
found AS (
    SELECT DISTINCT turn_id, session_id FROM parse_attempts
    WHERE attempt_id IN (SELECT attempt_id FROM noted) AND outcome IN ('failed', 'partial') AND {{condition}})
SELECT count(*) AS responses, count(DISTINCT session_id) AS sessions, count(coalesce(input_tokens, output_tokens)) AS counted,
       coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens, coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens
FROM found LEFT JOIN (SELECT turn_id, input_tokens, output_tokens FROM turn_starts) USING (turn_id)"""


def left_as_text(ledger: Queryable, within: Filter = EVERYTHING) -> LeftAsText:
    """Return how many of the responses that a filter picks hold a call as text, and what these took.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(rated(within))
    return rows(ledger, LeftAsText, _FOUND.format(condition=condition), parameters)[0]
