"""Tokens, money and time of responses and failures, and the prices that the money was computed by."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from actionledger.core.recording import LIST_PRICES_USED, PRICES_USED
from actionledger.core.vocabulary import BILLED_BESIDE, Origin, Reason
from actionledger.ledger.queries.base import INTENT, Queryable, Stage, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import LABELS
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.rolled import UNSPLIT, Label, rolled_scope, rows_beside
from actionledger.ledger.queries.scopes import scope
from actionledger.ledger.storage.rollups.tables import PARTS, SUMS

Kept: TypeAlias = Literal["profile", "model", "task", "source"]
"""The columns that don't depend on the parser, by which usage can be split."""


@dataclass(frozen=True, slots=True)
class UsageSums:
    """The usage of a set of responses."""

    turns: int  # how many responses there are
    counted: int  # how many have recorded tokens
    input_tokens: int | None  # input_tokens, output_tokens: their sums; None if no response has any recorded
    output_tokens: int | None
    cached_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    priced: int  # how many responses have a known cost
    cost_usd: float  # their sum, in dollars
    by_prices: int  # how many have a cost from a price file or a price list
    by_prices_usd: float  # their sum, in dollars
    timed: int  # how many responses have a recorded latency
    latency_ms: float | None  # their median, in milliseconds; None if there is none
    slow_ms: float | None  # their 95th percentile, in milliseconds; None if there is none


_TOKENS = {
    **{name: f"sum({name})::BIGINT" for name in ("input_tokens", "output_tokens")},
    **{
        f"{kind}_tokens": f"coalesce(sum({kind}_tokens), 0)::BIGINT"
        for kind in ("cached", "cache_write", "reasoning")
    },
}

_COMPUTED = {
    "turns": "count(*)",
    "counted": "count(coalesce(input_tokens, output_tokens))",
    **_TOKENS,
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
    **_TOKENS,
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
"""A turn that is queried by its row is a part of its own."""


def usage(ledger: Queryable, within: Filter = EVERYTHING) -> UsageSums:
    """Return the usage of the responses that a filter selects; each response counts once, however often it was parsed."""
    found = _usage(ledger, within, UNSPLIT)
    return found[0].sums if found else _NOTHING


def usage_by(ledger: Queryable, dimension: Kept, within: Filter = EVERYTHING) -> dict[str, UsageSums]:
    """Return the usage of responses, for each value of a dimension."""
    return {found.label: found.sums for found in _usage(ledger, within, LABELS[dimension])}


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The usage of the responses with one label."""

    label: str
    sums: UsageSums


_NOTHING = UsageSums(0, 0, None, None, 0, 0, 0, 0, 0.0, 0, 0.0, 0, None, None)


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


_USED = """
SELECT DISTINCT code, coalesce(detail->>'dated', ''), coalesce(detail->>'package', '') FROM events
WHERE code = $files AND run_id IN (SELECT run_id FROM turn_starts WHERE cost_origin = 'prices')
   OR code = $lists AND run_id IN (SELECT run_id FROM turn_starts WHERE cost_origin = 'list_prices') ORDER BY ALL DESC"""

_PICKED = "turn_id IN (SELECT turn_id FROM parse_attempts WHERE {condition})"

_UNPRICED = f"""
SELECT coalesce(model, '') AS model, count(*) AS turns FROM turn_starts
WHERE cost_usd IS NULL AND input_tokens IS NOT NULL AND output_tokens IS NOT NULL AND {_PICKED}
GROUP BY ALL ORDER BY turns DESC, model"""

_BILLED = f"""
SELECT detail->>'kind' AS kind, coalesce(detail->>'model', '') AS model, count(*) AS times,
       coalesce(sum((detail->>'input_tokens')::BIGINT), 0)::BIGINT AS input_tokens,
       coalesce(sum((detail->>'output_tokens')::BIGINT), 0)::BIGINT AS output_tokens,
       coalesce(sum((detail->>'requests')::BIGINT), 0)::BIGINT AS requests
FROM events WHERE code = $billed AND {_PICKED} GROUP BY ALL ORDER BY times DESC, kind, model"""


@dataclass(frozen=True, slots=True)
class Unpriced:
    """A model's responses with tokens and no cost, since neither their recording nor a price list has it."""

    model: str  # the model; empty if none is recorded
    turns: int  # the number of responses


@dataclass(frozen=True, slots=True)
class BilledBeside:
    """Usage that providers billed outside messages; its tokens are included in those of the responses."""

    kind: str  # the kind of usage, in the provider's term
    model: str  # the model of the tokens, if different from the message's; otherwise empty
    times: int  # how often it was billed
    input_tokens: int
    output_tokens: int
    requests: int


def price_sources(ledger: Queryable) -> tuple[str, ...]:
    """Return the sources of a ledger's prices, with their days: ``a price file of 2026-01-01``."""
    found = ledger.sql(_USED, {"files": PRICES_USED, "lists": LIST_PRICES_USED}).fetchall()
    return tuple(_words(code, day, package) for code, day, package in found)


def unpriced(ledger: Queryable, within: Filter = EVERYTHING) -> list[Unpriced]:
    """Return the models with responses that have tokens and no cost, with their number, the most frequent first."""
    return rows(ledger, Unpriced, *scope(within).filled(_UNPRICED))


def billed_beside(ledger: Queryable, within: Filter = EVERYTHING) -> list[BilledBeside]:
    """Return the usage that providers billed outside the messages that a filter selects."""
    return rows(ledger, BilledBeside, *scope(within).filled(_BILLED, billed=BILLED_BESIDE))


def _words(code: str, day: str, package: str) -> str:
    what = "a price file" if code == PRICES_USED else "list prices"
    return f"{what}{f' of {day}' if day else ''}{f' ({package})' if package else ''}"


@dataclass(frozen=True, slots=True)
class FailureCost:
    """A reason of failure, and the usage of the turns that have it."""

    stage: Stage | None  # where it failed; None for all together
    code: Reason | None  # the reason; None for all together
    origin: Origin | None  # who ran the action; None if parsing or checking failed
    count: int  # the number of parse attempts, field errors or executions
    inferred: int  # how many of those were inferred only from the words of a recorded result
    turns: int  # how many turns have it; a turn with several reasons counts for each
    sessions: int  # how many sessions have it
    counted: int  # how many of the turns have recorded tokens
    input_tokens: int | None  # input_tokens, output_tokens: their sums; None if no turn has any recorded
    output_tokens: int | None
    priced: int  # how many of the turns have a known cost
    cost_usd: float  # their sum, in dollars
    by_prices: int  # how many of the turns have a cost from a price file or a price list
    by_prices_usd: float  # their sum, in dollars


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
       sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
       count(cost_usd) AS priced, coalesce(sum(cost_usd), 0) AS cost_usd,
       count(cost_usd) FILTER (cost_origin <> 'recorded') AS by_prices,
       coalesce(sum(cost_usd) FILTER (cost_origin <> 'recorded'), 0) AS by_prices_usd
FROM grouped JOIN spent USING (turn_id) GROUP BY stage, code, origin
ORDER BY turns DESC, count DESC, stage, code, origin"""


def failure_costs(ledger: Queryable, within: Filter = EVERYTHING) -> list[FailureCost]:
    """Return the reasons of failure in the responses that a filter selects, with the usage of their turns."""
    condition, parameters = scope(within)
    statement = _COSTS.format(failed=failed(condition))
    found = rows(
        ledger, FailureCost, statement, parameters | {"intent": INTENT, "stages": list(get_args(Stage))}
    )
    return sorted(found, key=lambda cost: cost.stage is not None)
