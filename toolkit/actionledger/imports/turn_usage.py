"""A turn's usage and cost as they are recorded: unknown zeros left out, prices applied, and what is billed apart noted.

Providers' list prices by model and day come from the package genai-prices if it is installed; without network access. Loading them takes 70 ms of
processor time, so a model's prices are cached for the user until another version is installed.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from actionledger.core.canonical import JsonDict, json_text
from actionledger.core.errors import is_there
from actionledger.core.files import cached, keep_cached
from actionledger.core.patterns import regex
from actionledger.core.recording import TurnKey, billed_beside, hash_of_tools
from actionledger.core.recordings import RecordedTurn, Usage
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import CostOrigin
from actionledger.imports.import_run import ImportRun
from actionledger.imports.prices import Price, Prices, Tier, cost_of
from actionledger.imports.report import ImportReport
from actionledger.ledger.queries.packed import KnownTurn

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice

PACKAGE = "genai-prices"
_PRICES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
    "searches": "web_searches_kcount",
}
"""The names of prices in genai-prices."""

_MODULE = "genai_prices"
_LOCAL = frozenset(
    {"ollama", "lmstudio", "lm_studio", "llamacpp", "llama.cpp", "vllm", "sglang", "local", "mlx"}
)
"""Prefixes of models that run on the user's own machine: no list has a price for them."""

_BEDROCK = regex(
    r"(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen)\.", re.ASCII
)


@dataclass(frozen=True, slots=True)
class PriceList:
    """The installed price lists."""

    package: str  # the package with its version
    dated: date  # the latest day up to today that they name


@cache
def is_installed() -> bool:
    """Return whether price lists are installed."""
    return is_there(_MODULE)


@lru_cache(maxsize=1)
def price_list() -> PriceList | None:
    """Return the installed lists; None if there are none."""
    if not is_installed():
        return None
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to load, and for what has a price

    try:
        package = f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        package = PACKAGE
    today = datetime.now(UTC).date()
    days = map(date.fromisoformat, _kept()["days"] or _days())
    return PriceList(package, max((day for day in days if day <= today), default=today))


def list_price(model: str, at: datetime | None = None) -> Price | None:
    """Return a model's price in its provider's list; None if it has none, or no list is installed."""
    if not model or not is_installed():
        return None
    name, when = model.lower().strip(), datetime.now(UTC) if at is None else at.replace(tzinfo=UTC)
    steps = _steps(name)
    if steps is None and (found := _model(name)) is not None:
        return _price(found.id, found.get_prices(when))
    holding = [price for since, price in steps or () if since is None or since <= when.date()]
    # As the package does: if all prices begin later, take the first.
    return holding[-1] if holding else next((price for _, price in steps or ()), None)


_Steps: TypeAlias = tuple[tuple[date | None, Price | None], ...]
"""A model's prices, each with the first day that it applies to, the latest last."""

_CACHE, _MOST = "list-prices", 256
"""The cache's name, and its most models; prices of further models are looked up in the lists."""


@lru_cache(maxsize=4096)
def _steps(name: str) -> _Steps | None:
    """Return a model's prices; None if one depends on the time of day."""
    # Hashed, so that the cache shows no name: the name may have been erased since.
    kept, key = _kept(), sha256(utf8_with_halves(name)).hexdigest()[:32]
    if key not in kept["models"]:
        found = _model(name)
        constraints = [] if found is None or not isinstance(found.prices, list) else found.prices
        if any(hasattr(each.constraint, "start_time") for each in constraints):
            return None
        kept["models"][key] = [] if found is None else [*_written(found)]
        kept["days"] = kept["days"] or _days()
        if len(kept["models"]) <= _MOST and (version_of_lists := _key()):
            keep_cached(_CACHE, version_of_lists, json.dumps(kept).encode())
    return tuple(
        (since and date.fromisoformat(since), price and _read(**price))
        for since, price in kept["models"][key]
    )


def _written(model: "ModelInfo") -> Iterator[tuple[str | None, JsonDict | None]]:
    steps = (
        [(each.constraint, each.prices) for each in model.prices]
        if isinstance(model.prices, list)
        else [(None, model.prices)]
    )
    for constraint, prices in steps:
        since, price = getattr(constraint, "start_date", None), _price(model.id, prices)
        yield since and since.isoformat(), None if price is None else asdict(price)


def _read(tiers: list[JsonDict], **prices: Any) -> Price:
    return Price(**prices, tiers=tuple(Tier(**tier) for tier in tiers))


@cache
def _kept() -> JsonDict:
    """Return the cached days that the lists name, and prices of models."""
    key = _key()
    content = cached(_CACHE, key) if key else None
    return json.loads(content) if content else {"days": [], "models": {}}


def _key() -> bytes:
    """Return a key of these lists and of this code; empty if unknown."""
    spec = find_spec(_MODULE)
    try:
        files = [Path(spec.origin or "").with_name("data.py").stat(), Path(__file__).stat()] if spec else []
    except OSError:
        return b""
    return "".join(f"{each.st_size} {each.st_mtime_ns}\n" for each in files).encode()


@lru_cache(maxsize=4096)
def _model(name: str) -> "ModelInfo | None":
    for provider, reference in _references(name):
        try:
            return _lists().find_provider_model(reference, None, provider, None)[1]
        except (LookupError, ValueError):
            continue
    return None


def _references(name: str) -> list[tuple[str | None, str]]:
    """Return a model's possible names in the lists, with the provider if the name has one."""
    before, sign, behind = name.rpartition("/")
    if before.partition("/")[0] in _LOCAL:
        return []
    if sign:
        return [(before.rpartition("/")[2], behind), ("openrouter", name), (None, behind)]
    return [("aws", name)] if _BEDROCK.match(name) else [(None, name)]


@lru_cache(maxsize=1)
def _lists() -> "DataSnapshot":
    from genai_prices.data import providers  # noqa: PLC0415 - loaded only if a cost is requested
    from genai_prices.data_snapshot import DataSnapshot  # noqa: PLC0415

    return DataSnapshot(providers=providers, from_auto_update=False)


def _days() -> list[str]:
    models = (model for provider in _lists().providers for model in provider.models)
    prices = (each for model in models for each in (model.prices if isinstance(model.prices, list) else []))
    days = {day for each in prices if (day := getattr(each.constraint, "start_date", None)) is not None}
    return [day.isoformat() for day in sorted(days)]


_converted: dict[int, Price | None] = {}
"""By the identity of the list's price, which is never freed: it has no hash."""


def _price(model: str, given: "ModelPrice") -> Price | None:
    if id(given) not in _converted:
        _converted[id(given)] = _converted_price(model, given)
    return _converted[id(given)]


def _converted_price(model: str, given: "ModelPrice") -> Price | None:
    held = {name: getattr(given, theirs) for name, theirs in _PRICES.items()}
    bases = {name: _base(each) for name, each in held.items()}
    if bases["input"] is None or bases["output"] is None:
        return None
    starts = sorted({tier.start for each in held.values() for tier in getattr(each, "tiers", ())})
    tiers = tuple(
        Tier(
            start,
            {name: dollars for name, each in held.items() if (dollars := _above(each, start)) is not None},
        )
        for start in starts
    )
    return Price(model=model, tiers=tiers, **bases)  # type: ignore[arg-type]


def _base(given: Any) -> float | None:
    return None if given is None else float(getattr(given, "base", given))


def _above(given: Any, start: int) -> float | None:
    """Return a price for input longer than a threshold in tokens."""
    fitting = [tier for tier in getattr(given, "tiers", ()) if tier.start <= start]
    return float(max(fitting, key=lambda tier: tier.start).price) if fitting else _base(given)


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
