"""What a response took, in the same words wherever a turn is shown whole."""

from collections.abc import Iterator

from actionledger.core.vocabulary import BY_PRICES
from actionledger.ledger.queries import Response


def spent(response: Response) -> Iterator[str]:
    """Yield when a response was made, what it took and why it ended, as far as that is recorded.

    Args:
        response: it.
    """
    if response.occurred_at is not None:
        yield f"{response.occurred_at:%Y-%m-%d %H:%M:%S} UTC"
    if response.input_tokens is not None:
        cache = ((response.cached_tokens, "from a cache"), (response.cache_write_tokens, "written to one"))
        yield f"{response.input_tokens:,} tokens in" + _of_them(*cache)
    if response.output_tokens is not None:
        yield f"{response.output_tokens:,} tokens out" + _of_them((response.reasoning_tokens, "reasoning"))
    if response.cost_usd is not None:
        shown = f"${response.cost_usd:,.2f}" if response.cost_usd >= 1 else f"${response.cost_usd:,.4f}"
        yield shown + BY_PRICES.get(response.cost_origin, "")
    if response.latency_ms is not None:
        yield f"answered in {response.latency_ms / 1000:,.1f} s"
    if response.time_to_first_token_ms is not None:
        yield f"first token after {response.time_to_first_token_ms / 1000:,.2f} s"
    if response.finish_reason:
        yield f"finish reason {response.finish_reason}"


def _of_them(*parts: tuple[int | None, str]) -> str:
    told = ", ".join(f"{count:,} {what}" for count, what in parts if count)
    return f" ({told})" if told else ""
