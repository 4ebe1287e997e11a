"""A turn's usage and cost as they are recorded: unknown zeros left out, prices applied, and what is billed apart noted."""

from dataclasses import asdict, fields, replace
from datetime import datetime
from math import isfinite
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.core.recording import TurnKey, billed_beside, hash_of_tools
from actionledger.core.recordings import RecordedTurn, Usage
from actionledger.core.vocabulary import CostOrigin
from actionledger.imports.import_run import ImportRun
from actionledger.imports.price_lists import list_price, price_list
from actionledger.imports.prices import Prices, cost_of
from actionledger.imports.report import ImportReport
from actionledger.ledger.queries.packed import KnownTurn

# The fields of a response's event apart from its text: task, tokens, times and cost.
_OF_USAGE = [each.name for each in fields(Usage) if each.name not in {"finish_reason", "billed"}]
_TOKENS = [name for name in _OF_USAGE if name.endswith("_tokens")]
_PLACEHOLDER = 16
"""Characters that no token of ordinary text reaches: output with more of them for each token was not counted to its end."""
_NOTHING = Usage()
_NOTHING_RECORDED: dict[str, object] = dict.fromkeys(_OF_USAGE)


def recorded_of(turn: RecordedTurn, usage: Usage) -> dict[str, object]:
    """Return a recording's values of a response apart from its text, by the fields of its event; the usage is what is known of it."""
    said = (
        _NOTHING_RECORDED
        if usage is _NOTHING or usage == _NOTHING
        else {name: _storable(getattr(usage, name)) for name in _OF_USAGE}
    )
    return said | {
        "finish_reason": usage.finish_reason or None,
        "message_id": turn.external_id,
        "capture": turn.capture,
        "call_count": len(turn.calls),
        "tools_hash": hash_of_tools(turn.tools) if turn.tools else None,
        "reasoning": turn.reasoning or None,
        "cost_origin": None if said["cost_usd"] is None else CostOrigin.RECORDED,
    }


def known_usage(turn: RecordedTurn) -> Usage:
    """Return a turn's usage, without counts that mean unknown, as in interrupted messages.

    No response has an empty input, and none with content has no output. An unfinished message may have the count of a stream's
    beginning, as in Claude Code 2.1.22 to 2.1.58. The output tokens include reasoning.
    """
    usage = turn.usage
    if usage.output_tokens == 0 and not usage.input_tokens:
        cost = usage.cost_usd or None
        unknown: dict[str, Any] = dict.fromkeys(_TOKENS)
        return replace(usage, **unknown, cost_usd=cost)
    if usage.output_tokens == 0 and (turn.text or turn.calls or turn.reasoning):
        return replace(usage, output_tokens=None, reasoning_tokens=usage.reasoning_tokens or None)
    if usage.output_tokens and not usage.finish_reason and _is_placeholder(usage.output_tokens, turn):
        return replace(usage, output_tokens=None)
    thought = usage.reasoning_tokens or 0
    if usage.output_tokens is not None and thought > usage.output_tokens:
        return replace(usage, output_tokens=usage.output_tokens + thought)
    return usage


def _is_placeholder(tokens: int, turn: RecordedTurn) -> bool:
    """Return whether a turn has far more text, calls and reasoning than so many tokens can hold."""
    arguments = [each.arguments for each in turn.calls]
    texts = [
        each if isinstance(each, str) else json_text(each) for each in (turn.text, turn.reasoning, *arguments)
    ]
    return sum(map(len, texts)) > _PLACEHOLDER * (tokens + 2)


def priced(
    prices: Prices | None, model: str, turn: RecordedTurn, took: Usage, report: ImportReport
) -> dict[str, object]:
    """Return a turn's cost if its recording has none: by a price file, or by its provider's list; count a turn without a price."""
    if took.cost_usd is not None or took.output_tokens is None or took.input_tokens is None:
        return {}
    cost, origin = _computed(prices, model, took, turn.occurred_at)
    if cost is None:
        report.unpriced[model] += 1
        return {}
    report.priced += origin is CostOrigin.PRICES
    report.listed += origin is CostOrigin.LIST_PRICES
    return {"cost_usd": cost, "cost_origin": origin}


def is_unfilled(prices: Prices | None, model: str, turn: RecordedTurn, there: KnownTurn | None) -> bool:
    """Return whether a recorded turn without a cost has a price by now: what was recorded stays as it is."""
    if turn.usage.cost_usd is not None or there is None or there.has_cost:
        return False
    return _computed(prices, model, known_usage(turn), turn.occurred_at)[0] is not None


def _computed(
    prices: Prices | None, model: str, took: Usage, at: datetime | None
) -> tuple[float | None, CostOrigin]:
    cost = None if prices is None else prices.cost(model, took, at)
    if cost is not None:
        return cost, CostOrigin.PRICES
    return cost_of(list_price, model, took, at), CostOrigin.LIST_PRICES


def _storable(value: object) -> object:
    """Return a count or an amount that fits its column; None for any other."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None


def note_costs(
    run: ImportRun, key: TurnKey, cost: dict[str, object], prices: Prices | None, turn: RecordedTurn
) -> None:
    """Note which prices a turn's cost comes from, and what is billed apart from its message."""
    origin = cost.get("cost_origin")
    if origin is CostOrigin.PRICES and prices is not None:
        run.note_prices(prices.dated)
    elif origin is CostOrigin.LIST_PRICES and (held := price_list()) is not None:
        run.note_list_prices(held.package, held.dated)
    beside = [each for each in turn.usage.billed if not each.is_own]
    for place, each in enumerate(beside):
        said = {name: value for name, value in asdict(each).items() if value and name != "is_own"}
        run.record(billed_beside(key, run.key.run_id, place, said))
