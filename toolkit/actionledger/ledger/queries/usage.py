"""What responses took: tokens, money, time, as far as recordings say."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import LABELS
from actionledger.ledger.queries.rolled import UNSPLIT, Label, rolled_scope, rows_beside
from actionledger.ledger.queries.scopes import scope
from actionledger.ledger.storage.rollups.tables import PARTS
from actionledger.ledger.storage.rollups.taking import SUMS

Kept: TypeAlias = Literal["profile", "model", "task", "source"]
"""What is kept of a response whoever reads it, and its usage can be split by."""


@dataclass(frozen=True, slots=True)
class UsageSums:
    """What a set of responses took.

    Args:
        turns: how many responses there are.
        counted: of how many tokens are recorded.
        input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens: the sums over those.
        priced: of how many responses the cost is known.
        cost_usd: the sum over those, in dollars.
        by_prices: of how many the cost is by a price file or a price list.
        by_prices_usd: the sum over those, in dollars.
        timed: of how many responses it is recorded how long they took.
        latency_ms: the median of those, in milliseconds; None where there is none.
        slow_ms: how long all but the slowest twentieth of those took at most, in milliseconds; None where there is none.
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
    slow_ms: float | None


_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")

_COMPUTED = {
    "turns": "count(*)",
    "counted": "count(coalesce(input_tokens, output_tokens))",
    **{name: f"coalesce(sum({name}), 0)::BIGINT" for name in _TOKENS},
    "priced": "count(cost_usd)",
    "cost_usd": "coalesce(sum(cost_usd), 0)",
    "by_prices": "count(cost_usd) FILTER (cost_origin <> 'recorded')",
    "by_prices_usd": "coalesce(sum(cost_usd) FILTER (cost_origin <> 'recorded'), 0)",
    "timed": "count(latency_ms)",
    "latency_ms": "median(latency_ms)",
    "slow_ms": "quantile_cont(latency_ms, 0.95)",
}
_SUMS = ", ".join(f"'{name}': {computed}" for name, computed in _COMPUTED.items())

_USAGE = f"""
SELECT {{label}} AS label, {{{{{_SUMS}}}}} AS sums FROM turn_starts {{join}}
WHERE turn_id IN (SELECT turn_id FROM parse_attempts WHERE {{condition}}) GROUP BY ALL ORDER BY label"""

_SUMMED = {
    "turns": "coalesce(sum(received), 0)::BIGINT",
    "counted": "coalesce(sum(counted), 0)::BIGINT",
    **{name: f"coalesce(sum({name}), 0)::BIGINT" for name in _TOKENS},
    "priced": "coalesce(sum(priced), 0)::BIGINT",
    "cost_usd": "coalesce(sum(cost_usd), 0)",
    "by_prices": "coalesce(sum(by_prices), 0)::BIGINT",
    "by_prices_usd": "coalesce(sum(by_prices_usd), 0)",
    "timed": "coalesce(sum(len(latencies)), 0)::BIGINT",
    "latency_ms": "any_value(median_ms)",
    "slow_ms": "any_value(slow_ms)",
}
_SUMS_OF_PARTS = ", ".join(f"'{name}': {summed}" for name, summed in _SUMMED.items())
_PART = ", ".join(SUMS)
_OF_ONE = f"""
1 AS received, (coalesce(input_tokens, output_tokens) IS NOT NULL)::INTEGER AS counted, {", ".join(_TOKENS)},
(cost_usd IS NOT NULL)::INTEGER AS priced, cost_usd, (cost_usd IS NOT NULL AND cost_origin <> 'recorded')::INTEGER AS by_prices,
CASE WHEN cost_origin <> 'recorded' THEN cost_usd END AS by_prices_usd, CASE WHEN latency_ms IS NOT NULL THEN [latency_ms] END AS latencies"""

_ROLLED = f"""
WITH taken AS (
    SELECT {{of_parts}} AS label, {_PART} FROM {PARTS} WHERE {{rolled}}
    UNION ALL BY NAME
    SELECT {{of_rows}} AS label, {_OF_ONE} FROM turn_starts {{join}}
    WHERE turn_id IN (SELECT turn_id FROM parse_attempts WHERE {{apart}}{{condition}})),
waits AS (
    SELECT label, median(latency) AS median_ms, quantile_cont(latency, 0.95) AS slow_ms
    FROM (SELECT label, unnest(latencies) AS latency FROM taken WHERE latencies IS NOT NULL) GROUP BY label)
SELECT label, {{{{{_SUMS_OF_PARTS}}}}} AS sums FROM taken LEFT JOIN waits USING (label) GROUP BY label ORDER BY label"""
"""A turn that is asked by its row is a part of its own."""


def usage(ledger: Queryable, within: Filter = EVERYTHING) -> UsageSums:
    """Return what the responses that a filter picks took; each response counts once, however often it was read.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    found = _usage(ledger, within, UNSPLIT)
    return found[0].sums if found else _NOTHING


def usage_by(ledger: Queryable, dimension: Kept, within: Filter = EVERYTHING) -> dict[str, UsageSums]:
    """Return what responses took, for each value of a dimension."""
    return {found.label: found.sums for found in _usage(ledger, within, LABELS[dimension])}


@dataclass(frozen=True, slots=True)
class _Labelled:
    """What the responses of one label took."""

    label: str
    sums: UsageSums


_NOTHING = UsageSums(0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0.0, 0, None, None)


def _usage(ledger: Queryable, within: Filter, label: Label) -> list[_Labelled]:
    rolled = rolled_scope(ledger, within) if within == within.given else None
    if rolled is None:
        condition, parameters = scope(within)
        statement = _USAGE.format(label=label.of_rows, join=label.join, condition=condition)
        return rows(ledger, _Labelled, statement, parameters)
    apart, of_rows = rows_beside(within, rolled)
    condition, parameters = scope(of_rows)
    statement = _ROLLED.format(
        of_parts=label.of_parts,
        rolled=rolled.condition,
        of_rows=label.of_rows,
        join=label.join,
        apart=apart,
        condition=condition,
    )
    return rows(ledger, _Labelled, statement, parameters | rolled.parameters)
