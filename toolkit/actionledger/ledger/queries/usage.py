"""What responses took: tokens, money, time, as far as recordings say."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import Queryable, picked, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, scope


@dataclass(frozen=True, slots=True)
class UsageSums:
    """What a set of responses took.

    Args:
        turns: how many responses there are.
        counted: of how many tokens are recorded.
        input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens: the sums over those.
        priced: of how many responses the cost is recorded.
        cost_usd: the sum over those, in dollars.
        by_prices: of how many the cost is a price file's.
        by_prices_usd: the sum over those, in dollars.
        timed: of how many responses it is recorded how long they took.
        latency_ms: the median of those, in milliseconds; None where there is none.
    """

    turns: int
    counted: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    priced: int
    cost_usd: float
    by_prices: int
    by_prices_usd: float
    timed: int
    latency_ms: float | None


_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")

_SUMS = picked(
    UsageSums,
    turns="count(*)",
    counted="count(coalesce(input_tokens, output_tokens))",
    priced="count(cost_usd)",
    cost_usd="coalesce(sum(cost_usd), 0)",
    timed="count(latency_ms)",
    by_prices="count(cost_usd) FILTER (cost_origin = 'prices')",
    by_prices_usd="coalesce(sum(cost_usd) FILTER (cost_origin = 'prices'), 0)",
    latency_ms="median(latency_ms)",
    **{name: f"coalesce(sum({name}), 0)::BIGINT" for name in _TOKENS},
)

_USAGE = f"""
SELECT {_SUMS} FROM turn_starts
WHERE turn_id IN (SELECT turn_id FROM parse_attempts WHERE {{condition}})"""


def usage(ledger: Queryable, within: Filter = EVERYTHING) -> UsageSums:
    """Return what the responses that a filter picks took; each response counts once, however often it was read.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within)
    [found] = rows(ledger, UsageSums, _USAGE.format(condition=condition), parameters)
    return found
