"""Providers' list prices by model and day, from the package genai-prices where it is installed; without a network."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from actionledger.core.errors import is_there
from actionledger.core.patterns import regex
from actionledger.imports.prices import Price, Tier

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
"""What genai-prices calls the prices."""

_MODULE = "genai_prices"
_LOCAL = frozenset(
    {"ollama", "lmstudio", "lm_studio", "llamacpp", "llama.cpp", "vllm", "sglang", "local", "mlx"}
)
"""What stands before a model's name where it runs on a machine of its user's: no list has a price for that."""

_BEDROCK = regex(
    r"(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen)\.", re.ASCII
)


@dataclass(frozen=True, slots=True)
class PriceList:
    """The lists that are installed.

    Args:
        package: the package with its version.
        dated: the latest day up to today that they name.
    """

    package: str
    dated: date


def is_installed() -> bool:
    """Return whether price lists are there."""
    return is_there(_MODULE)


@lru_cache(maxsize=1)
def price_list() -> PriceList | None:
    """Return which lists are installed; None where none are."""
    if not is_installed():
        return None
    try:
        package = f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        package = PACKAGE
    today = datetime.now(UTC).date()
    return PriceList(package, max((day for day in _days() if day <= today), default=today))


def list_price(model: str, at: datetime | None = None) -> Price | None:
    """Return what the list of a model's provider says; None where there is none, or no list is installed."""
    found = _model(model) if model and is_installed() else None
    if found is None:
        return None
    return _price(found.id, found.get_prices(datetime.now(UTC) if at is None else at.replace(tzinfo=UTC)))


@lru_cache(maxsize=4096)
def _model(name: str) -> "ModelInfo | None":
    for provider, reference in _references(name.lower().strip()):
        try:
            return _lists().find_provider_model(reference, None, provider, None)[1]
        except (LookupError, ValueError):
            continue
    return None


def _references(name: str) -> list[tuple[str | None, str]]:
    """Return what a model may be called in the lists, with its provider where its name says it."""
    before, sign, behind = name.rpartition("/")
    if before.partition("/")[0] in _LOCAL:
        return []
    if sign:
        return [(before.rpartition("/")[2], behind), ("openrouter", name), (None, behind)]
    return [("aws", name)] if _BEDROCK.match(name) else [(None, name)]


@lru_cache(maxsize=1)
def _lists() -> "DataSnapshot":
    from genai_prices.data import providers  # noqa: PLC0415 - loaded where a cost is asked for
    from genai_prices.data_snapshot import DataSnapshot  # noqa: PLC0415

    return DataSnapshot(providers=providers, from_auto_update=False)


def _days() -> list[date]:
    models = (model for provider in _lists().providers for model in provider.models)
    prices = (each for model in models for each in (model.prices if isinstance(model.prices, list) else []))
    return [day for each in prices if (day := getattr(each.constraint, "start_date", None)) is not None]


_converted: dict[int, Price | None] = {}
"""By the price of the lists, which stays where it is: they have no hash."""


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
    """Return what a price is where more than so many tokens are shown."""
    fitting = [tier for tier in getattr(given, "tiers", ()) if tier.start <= start]
    return float(max(fitting, key=lambda tier: tier.start).price) if fitting else _base(given)
