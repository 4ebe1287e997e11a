"""The cost of responses by the user's price file, for recordings with tokens but without a cost."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError, UsageError, require_path
from actionledger.core.recordings import Billed, Usage
from actionledger.imports.sources.access import as_list

_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class Tier:
    """Other prices for a response with more input tokens than a threshold."""

    above: int  # the threshold in input tokens
    prices: Mapping[str, float]  # the prices, by the fields of `Price`


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of a model's tokens, in US dollars per million.

    Args:
        model: the model's name, or a pattern such as ``claude-sonnet-4*``; case is ignored.
        since: the first day that it applies to, UTC; None for always.
        input: for input tokens that a cache neither gives nor stores.
        output: for output tokens, including reasoning.
        cached: for tokens read from a cache; None for the price of input.
        cache_write: for tokens written to a cache; None for the price of input.
        cache_write_1h: for tokens cached for an hour; None for the price of other writes.
        searches: for a thousand searches by the provider; None if free.
        tiers: other prices for long inputs, the lowest threshold first.
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
        """Return the cost of billed tokens and requests, in dollars.

        Args:
            billed: the tokens, and the number of requests.
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
        other: JsonDict = dict(fitting[-1].prices) if fitting else {}
        return replace(self, tiers=(), **other) if other else self


Finding: TypeAlias = Callable[[str, datetime | None], Price | None]
"""Returns the price of a model at a time, UTC without a zone; None for the latest."""


def cost_of(find: Finding, model: str, usage: Usage, at: datetime | None) -> float | None:
    """Return the cost of a response and of what is billed with it, in dollars; None if a model has no price or tokens are unknown."""
    price = find(model, at)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    beside = [each for each in usage.billed if not each.is_own] if usage.billed else []
    cost = price.of(_own(usage, beside))
    for each in beside:
        other = find(each.model, at) if each.model else price
        if other is None:
            return None
        cost += other.of(each)
    return cost


def _own(usage: Usage, beside: list[Billed]) -> Billed:
    """Return what the message itself used, without what is billed separately."""
    counts: JsonDict = {name: getattr(usage, name) or 0 for name in _COUNTS}
    if beside:
        counts = {
            name: max(0, count - sum(getattr(each, name) for each in beside))
            for name, count in counts.items()
        }
    long = sum(each.long_writes for each in usage.billed if each.is_own) if usage.billed else 0
    return Billed(kind="message", **counts, long_writes=long)


_MILLION = 1_000_000
_FIELDS = ("input", "output", "cached", "cache_write", "cache_write_1h", "searches")

_PER_TOKEN = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
    "cache_write_1h": "cache_creation_input_token_cost_above_1hr",
}
"""The prices' keys in LiteLLM's ``model_prices_and_context_window.json``, which gives them per token."""


@dataclass(frozen=True, slots=True)
class Prices:
    r"""The prices of a file.

    Args:
        rows: the prices; the longest matching pattern applies, and of its rows the latest.
        dated: the day on which the file was last changed, UTC; None without a file.

    Example:
        >>> from pathlib import Path
        >>> row = '[[model]]\nmodel = "small-*"\nsince = 2026-01-01\ninput = 1.0\noutput = 4.0\n'
        >>> _ = Path("prices.toml").write_text(row)
        >>> prices = al.Prices.of("prices.toml")
        >>> prices.cost("small-2", al.Usage(input_tokens=500_000, output_tokens=250_000))
        1.5
        >>> prices.cost("large-1", al.Usage(input_tokens=1, output_tokens=1)) is None
        True
    """

    rows: tuple[Price, ...]
    dated: date | None = None

    @classmethod
    def of(cls, path: str | PathLike[str]) -> "Prices":
        r"""Load a price file: TOML or JSON with a list ``model``, or JSON as LiteLLM publishes it.

        Args:
            path: the file.

        Raises:
            SourceError: it can't be read, or is neither TOML nor JSON.
            UsageError: it holds no prices, or an invalid row.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("prices.toml").write_text('[[model]]\nmodel = "small-*"\ninput = 1.0\noutput = 4.0\n')
            >>> len(al.Prices.of("prices.toml").rows)
            1
        """
        require_path("A file of prices", path)
        file = Path(path)
        held = _content(file)
        found = tuple(_rows(held, str(file)) if "model" in held else _of_litellm(held))
        if not found:
            raise UsageError(
                f"{str(file)!r} holds no prices: give a list of [[model]], or LiteLLM's file of model prices."
            )
        return cls(found, datetime.fromtimestamp(file.stat().st_mtime, UTC).date())

    def cost(self, model: str, usage: Usage, at: datetime | None = None) -> float | None:
        r"""Return a response's cost in dollars; None if no price matches, or its tokens aren't recorded.

        Args:
            model: the model, as its recording names it.
            usage: its usage.
            at: when it was made, UTC without a zone; None for the latest prices.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("prices.toml").write_text('[[model]]\nmodel = "small-*"\ninput = 1.0\noutput = 4.0\n')
            >>> al.Prices.of("prices.toml").cost("small-2", al.Usage(input_tokens=1_000_000, output_tokens=0))
            1.0
        """
        return cost_of(self._price, model, usage, at)

    def _price(self, model: str, at: datetime | None) -> Price | None:
        day = (at or datetime.now(UTC)).date()
        name = model.lower()
        fitting = [
            row
            for row in self.rows
            if (row.since is None or row.since <= day)
            and (
                fnmatchcase(name, row.model.lower())
                or fnmatchcase(name.rpartition("/")[2], row.model.lower())
            )
        ]
        return max(fitting, key=lambda row: (len(row.model.strip("*")), row.since or date.min), default=None)


def _content(file: Path) -> JsonDict:
    import tomllib  # noqa: PLC0415 - hardly ever needed

    try:
        text = file.read_text(encoding="utf-8")
        held = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except OSError as error:
        raise SourceError(
            f"The price file {str(file)!r} can't be read: {error.strerror or error}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"The price file {str(file)!r} is neither TOML nor JSON: {error}.") from error
    if not isinstance(held, dict):
        raise UsageError(f"The price file {str(file)!r} holds no object, but {type(held).__name__}.")
    return held


def _rows(held: JsonMap, file: str) -> Iterator[Price]:
    given = held["model"]
    for number, row in enumerate(as_list(given), start=1):
        where = f"{file!r}, model {number}"
        if not isinstance(row, dict) or not isinstance(row.get("model"), str):
            raise UsageError(
                f'{where}: expected model, input and output, such as model = "claude-*", input = 3.0, output = 15.0.'
            )
        if strange := row.keys() - {"model", "since", *_FIELDS}:
            raise UsageError(
                f"{where}: {min(strange)!r} is not a field; there are model, since, {', '.join(_FIELDS)}."
            )
        prices = {name: _dollars(row.get(name), f"{where}, {name}") for name in _FIELDS}
        if prices["input"] is None or prices["output"] is None:
            raise UsageError(f"{where}: input and output are needed, in dollars per million tokens.")
        yield Price(model=row["model"], since=_day(row.get("since"), where), **prices)  # type: ignore[arg-type]


def _of_litellm(held: JsonMap) -> Iterator[Price]:
    for name, row in held.items():
        if not isinstance(row, dict) or name == "sample_spec":
            continue
        prices = {key: _dollars(row.get(theirs), f"{name!r}, {theirs}") for key, theirs in _PER_TOKEN.items()}
        per_million = {key: None if each is None else each * _MILLION for key, each in prices.items()}
        if per_million["input"] is not None and per_million["output"] is not None:
            # Their names are no patterns, and also mean the model after a provider's prefix.
            yield Price(model=name.replace("[", "[[]"), **per_million)  # type: ignore[arg-type]


def _dollars(value: object, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise UsageError(f"{where}: {str(value)[:40]!r} is not a price; give dollars from 0.")
    return float(value)


def _day(value: object, where: str) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise UsageError(f"{where}: {str(value)[:40]!r} is not a day; write it as 2026-01-31.") from None
