"""What failures cost: how often each reason occurs, and the tokens and the money of the turns that it occurs in."""

from dataclasses import dataclass
from typing import get_args

from actionledger.core.vocabulary import Origin, Reason
from actionledger.ledger.queries.base import INTENT, Queryable, Stage, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class FailureCost:
    """One reason of failure, and what was spent on the turns that have it.

    Args:
        stage: where; None for all of them together.
        code: what; None for all of them together.
        origin: who had run the action; None where reading or checking failed.
        count: how often: parse attempts, field errors or executions.
        inferred: how many of those only the words of a recorded result tell.
        turns: in how many turns. A turn with several reasons is one of each of them.
        sessions: in how many sessions.
        counted: of how many of the turns tokens are recorded.
        input_tokens, output_tokens: the sums over those.
        priced: of how many of the turns the cost is recorded.
        cost_usd: the sum over those, in dollars.
        by_prices: of how many of the turns a price file or a price list says it.
        by_prices_usd: the sum over those, in dollars.
    """

    stage: Stage | None
    code: Reason | None
    origin: Origin | None
    count: int
    inferred: int
    turns: int
    sessions: int
    counted: int
    input_tokens: int
    output_tokens: int
    priced: int
    cost_usd: float
    by_prices: int
    by_prices_usd: float


_COSTS = """
WITH {failed},
by_turn AS (
    SELECT stage, code, origin, session_id, turn_id, count(*) AS hits, count(*) FILTER (is_inferred) AS inferred
    FROM found GROUP BY stage, code, origin, session_id, turn_id),
grouped AS (
    SELECT * FROM by_turn
    UNION ALL
    SELECT NULL, NULL, NULL, session_id, turn_id, sum(hits), sum(inferred) FROM by_turn GROUP BY session_id, turn_id),
spent AS (
    SELECT turn_id, input_tokens, output_tokens, cost_usd, cost_origin FROM turn_starts SEMI JOIN by_turn USING (turn_id))
SELECT $stages[stage] AS stage, code, origin, sum(hits)::BIGINT AS count, sum(inferred)::BIGINT AS inferred,
       count(*) AS turns, count(DISTINCT session_id) AS sessions,
       count(coalesce(input_tokens, output_tokens)) AS counted,
       coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens, coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
       count(cost_usd) AS priced, coalesce(sum(cost_usd), 0) AS cost_usd,
       count(cost_usd) FILTER (cost_origin <> 'recorded') AS by_prices,
       coalesce(sum(cost_usd) FILTER (cost_origin <> 'recorded'), 0) AS by_prices_usd
FROM grouped JOIN spent USING (turn_id) GROUP BY stage, code, origin
ORDER BY turns DESC, count DESC, stage, code, origin"""


def failure_costs(ledger: Queryable, within: Filter = EVERYTHING) -> list[FailureCost]:
    """Return the reasons of failure in the responses that a filter picks, with what their turns took."""
    condition, parameters = scope(within)
    statement = _COSTS.format(failed=failed(condition))
    found = rows(
        ledger, FailureCost, statement, parameters | {"intent": INTENT, "stages": list(get_args(Stage))}
    )
    return sorted(found, key=lambda cost: cost.stage is not None)
