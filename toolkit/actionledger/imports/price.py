"""What tokens of one model cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, TypeAlias

from actionledger.core.values.recordings import Billed, Usage

_MILLION = 1_000_000
_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class Tier:
    """Other prices, where a response was shown more than so many tokens.

    Args:
        above: how many.
        prices: the prices, by the fields of ``Price``.
    """

    above: int
    prices: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What tokens of a model cost, in dollars of the United States per million.

    Args:
        model: the model's name, or a pattern of names such as ``claude-sonnet-4*``; capitals make no difference.
        since: the first day that it holds for, UTC; None for always.
        input: of what the model is shown, but for what a cache gives or takes.
        output: of what it writes, thoughts included.
        cached: of what comes from a cache; None for the price of input.
        cache_write: of what is written to a cache; None for the price of input.
        cache_write_1h: of what is kept there for an hour; None for the price of other writes.
        searches: of a thousand searches that a provider makes; None for nothing.
        tiers: other prices for long inputs, the lowest bound first.
    """

    model: str
    since: date | None = None
    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None
    searches: float | None = None
    tiers: tuple[Tier, ...] = field(default=())

    def of(self, billed: Billed) -> float:
        """Return what something costs, in dollars.

        Args:
            billed: what is billed: its tokens, and how many requests.
        """
        price = self._for(billed.input_tokens)
        cached = price.input if price.cached is None else price.cached
        written = price.input if price.cache_write is None else price.cache_write
        kept = written if price.cache_write_1h is None else price.cache_write_1h
        long = min(billed.long_writes, billed.cache_write_tokens)
        plain = max(0, billed.input_tokens - billed.cached_tokens - billed.cache_write_tokens)
        millionths = (
            plain * price.input
            + billed.output_tokens * price.output
            + billed.cached_tokens * cached
            + (billed.cache_write_tokens - long) * written
            + long * kept
        )
        return millionths / _MILLION + billed.requests * (price.searches or 0) / 1000

    def _for(self, shown: int) -> "Price":
        if not self.tiers:
            return self
        fitting = [tier for tier in self.tiers if shown > tier.above]
        other: dict[str, Any] = dict(fitting[-1].prices) if fitting else {}
        return replace(self, tiers=(), **other) if other else self


Finding: TypeAlias = Callable[[str, datetime | None], Price | None]
"""Returns the price of a model at a time, UTC without a zone; None for the latest."""


def cost_of(find: Finding, model: str, usage: Usage, at: datetime | None) -> float | None:
    """Return what a response cost with what is billed beside it, in dollars; None where one of its models has no price, or tokens aren't known."""
    price = find(model, at)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    beside = [each for each in usage.billed if not each.is_own]
    cost = price.of(_own(usage, beside))
    for each in beside:
        other = find(each.model, at) if each.model else price
        if other is None:
            return None
        cost += other.of(each)
    return cost


def _own(usage: Usage, beside: list[Billed]) -> Billed:
    """Return what the message itself took."""
    counts: dict[str, Any] = {name: getattr(usage, name) or 0 for name in _COUNTS}
    for each in beside:
        counts = {name: counts[name] - getattr(each, name) for name in _COUNTS}
    if beside:
        counts = {name: max(0, count) for name, count in counts.items()}
    long = sum(each.long_writes for each in usage.billed if each.is_own) if usage.billed else 0
    return Billed(kind="message", **counts, long_writes=long)
