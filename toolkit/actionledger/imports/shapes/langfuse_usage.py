"""What Langfuse says that a request took: ``usageDetails``, in its own names or in a provider's."""

from collections.abc import Mapping
from typing import Any

from actionledger.core.values.recordings import Usage
from actionledger.imports.sources.access import count_at
from actionledger.imports.sources.usage import usage_of, with_thoughts

_CACHED = ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens", "prompt_details.cache_read")
_WRITTEN = ("input_cache_creation", "cache_creation_input_tokens", "prompt_details.cache_write")
_THOUGHT = ("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning")


def counts_in(given: Mapping[str, Any]) -> Usage:
    """Read the counts of a request."""
    whole, output = count_at(given, "input"), count_at(given, "output")
    if whole is None and output is None:
        return usage_of(given)
    cached, written = _sum(given, _CACHED), _sum(given, _WRITTEN)
    beside = (cached or 0) + (written or 0)
    thought = _sum(given, _THOUGHT)
    output = with_thoughts(output, thought, count_at(given, "total"), whole, beside)
    if whole is not None and beside and count_at(given, "total") == whole + (output or 0) + beside:
        whole += beside
    return Usage(
        input_tokens=whole,
        output_tokens=output,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=thought,
    )


def _sum(given: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    known = [count for key in keys if (count := count_at(given, key)) is not None]
    return sum(known) if known else None
