"""What a request took, by the names that the conventions for generative AI had over the years, and those of Vercel's SDK."""

import re
from collections.abc import Mapping
from typing import Any

from actionledger.core.values.recordings import Usage
from actionledger.imports.sources.access import count_at, number_at, text_at
from actionledger.imports.sources.usage import usage_of, with_thoughts

_COUNTS = re.compile(r"'(\w{1,40})': (\d{1,15})\b")
_LONGEST = 4000


def usage(given: Mapping[str, Any]) -> Usage:
    """Read what a request took."""
    costs = [number_at(given, f"gen_ai.usage.{side}_cost") for side in ("input", "output")]
    known = [cost for cost in costs if cost is not None]
    reasons = given.get("gen_ai.response.finish_reasons")
    why = reasons[0] if isinstance(reasons, list) and reasons else given.get("ai.response.finishReason")
    # fmt: off
    shown = _count(given, "input_tokens", "prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens")
    written = _count(given, "output_tokens", "completion_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens")
    thought = _count(
        given, "reasoning.output_tokens", "reasoning_tokens", "output_tokens.reasoning", "details.reasoning_tokens",
        "ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens",
    )
    return Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(written, thought, _count(given, "total_tokens", "ai.usage.totalTokens"), shown),
        cached_tokens=_count(
            given, "cache_read.input_tokens", "cache_read_input_tokens", "cached_input_tokens", "details.cache_read_tokens",
            "ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens",
        ),
        cache_write_tokens=_count(
            given, "cache_creation.input_tokens", "cache_creation_input_tokens", "cache_write.input_tokens",
            "cache_write_input_tokens", "details.cache_write_tokens",
            "ai.usage.inputTokenDetails.cacheWriteTokens",
        ),
        reasoning_tokens=thought,
        cost_usd=sum(known) if known else number_at(given, "gen_ai.usage.cost"),
        latency_ms=number_at(given, "ai.response.msToFinish"),
        time_to_first_token_ms=_to_first(given),
        finish_reason=why[:80] if isinstance(why, str) else text_at(given, "anthropic.message.stop_reason")[:80],
    ).filled(_of_litellm(given))
    # fmt: on


def _of_litellm(given: Mapping[str, Any]) -> Usage:
    """Return what LiteLLM says beside its tokens: Python's own words for the provider's usage."""
    said = text_at(given, "metadata.usage_object")[:_LONGEST]
    return usage_of({name: int(count) for name, count in _COUNTS.findall(said)}) if said else Usage()


def _to_first(given: Mapping[str, Any]) -> float | None:
    """Return how long the first of a response took, in milliseconds: the conventions say seconds, Vercel and Strands don't."""
    for name in ("gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk"):
        if (seconds := number_at(given, name)) is not None:
            return seconds * 1000
    waited = number_at(given, "ai.response.msToFirstChunk")
    return number_at(given, "gen_ai.server.time_to_first_token") if waited is None else waited


def _count(given: Mapping[str, Any], *names: str) -> int | None:
    keys = (name if name.startswith("ai.") else f"gen_ai.usage.{name}" for name in names)
    return next((count for key in keys if (count := count_at(given, key)) is not None), None)
