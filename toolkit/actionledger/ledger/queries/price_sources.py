"""By which prices costs were computed, and of which days these are; and what costs nobody knows."""

from dataclasses import dataclass

from actionledger.core.recording import BILLED_BESIDE, LIST_PRICES_USED, PRICES_USED
from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.scopes import scope

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
    """The responses of a model that have tokens and no cost, since neither their recording nor a price says it.

    Args:
        model: the model; empty where none is recorded.
        turns: how many.
    """

    model: str
    turns: int


@dataclass(frozen=True, slots=True)
class BilledBeside:
    """What providers have billed beside messages; its tokens are among those of the responses.

    Args:
        kind: what it is, in the provider's word.
        model: whose tokens, where they are another model's than the message's; empty else.
        times: how often.
        input_tokens, output_tokens: how many tokens.
        requests: how many requests, where it is billed by these.
    """

    kind: str
    model: str
    times: int
    input_tokens: int
    output_tokens: int
    requests: int


def price_sources(ledger: Queryable) -> tuple[str, ...]:
    """Return by which prices a ledger has costs, in words with their days: ``a price file of 2026-01-01``.

    Args:
        ledger: what to ask.
    """
    found = ledger.sql(_USED, {"files": PRICES_USED, "lists": LIST_PRICES_USED}).fetchall()
    return tuple(_words(code, day, package) for code, day, package in found)


def unpriced(ledger: Queryable, within: Filter = EVERYTHING) -> list[Unpriced]:
    """Return the models of which responses have tokens and no cost, with how many, the most frequent first.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within)
    return rows(ledger, Unpriced, _UNPRICED.format(condition=condition), parameters)


def billed_beside(ledger: Queryable, within: Filter = EVERYTHING) -> list[BilledBeside]:
    """Return what providers have billed beside the messages that a filter picks.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within)
    return rows(
        ledger, BilledBeside, _BILLED.format(condition=condition), parameters | {"billed": BILLED_BESIDE}
    )


def _words(code: str, day: str, package: str) -> str:
    what = "a price file" if code == PRICES_USED else "list prices"
    return f"{what}{f' of {day}' if day else ''}{f' ({package})' if package else ''}"
