"""Tokens in the providers' own names as one thing: what OpenAI, Anthropic, Gemini and Bedrock call their counts.

Anthropic and Bedrock count what came from a cache beside the input, and Gemini thoughts beside the output; here each is a part of it.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from actionledger.core.values.recordings import Usage
from actionledger.imports.sources.billed import billed_by_anthropic, with_billed

_CACHED = ("cache_read_input_tokens", "cacheReadInputTokens")
_CACHE_WRITES = ("cache_creation_input_tokens", "cacheWriteInputTokens")
_BESIDE_INPUT = ("input_tokens", "inputTokens")
_WHOLE_INPUT = ("prompt_tokens", "promptTokenCount", "prompt_token_count")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens")
_VISIBLE_OUTPUT = ("candidatesTokenCount", "candidates_token_count")
_THOUGHTS = ("thoughtsTokenCount", "thoughts_token_count")
_CACHED_WITHIN = (
    "cachedContentTokenCount",
    "cached_content_token_count",
    "cached_tokens",
    "cached_input_tokens",
)
_DETAILS_OF_INPUT = ("prompt_tokens_details", "input_tokens_details")
_DETAILS_OF_OUTPUT = ("completion_tokens_details", "output_tokens_details")
_REASONING = ("reasoning_output_tokens", "reasoning_tokens")

_ALL = (_CACHED, _CACHE_WRITES, _BESIDE_INPUT, _WHOLE_INPUT, _OUTPUT, _VISIBLE_OUTPUT, _THOUGHTS, _CACHED_WITHIN, _REASONING)  # fmt: skip

COUNTS = frozenset(name for names in _ALL for name in names) | {"cache_write_tokens"}
"""The names of all counts, the providers' and those of ``Usage``."""

_BESIDE_COUNTS = {*_DETAILS_OF_INPUT, *_DETAILS_OF_OUTPUT, "total_tokens", "totalTokens", "totalTokenCount", "total_token_count", "cache_creation", "server_tool_use", "service_tier", "iterations"}  # fmt: skip

PROVIDERS_OWN = (COUNTS | _BESIDE_COUNTS) - {each.name for each in fields(Usage)}
"""The names that only a provider's usage object has."""


def usage_of(given: Mapping[str, Any], **more: Any) -> Usage:
    """Return the counts of a provider's usage object; what it doesn't have is None."""
    cached, written = _first(given, _CACHED), _first(given, _CACHE_WRITES)
    beside = _first(given, _BESIDE_INPUT)
    whole = _first(given, _WHOLE_INPUT)
    if whole is None and beside is not None:
        whole = beside + (cached or 0) + (written or 0)
    thoughts = _first(given, _THOUGHTS)
    output, visible = _first(given, _OUTPUT), _first(given, _VISIBLE_OUTPUT)
    if output is None and (visible is not None or thoughts is not None):
        output = (visible or 0) + (thoughts or 0)
    within = _first(given, _CACHED_WITHIN)
    if within is None:
        within = _within(given, _DETAILS_OF_INPUT, "cached_tokens")
    if thoughts is None:
        thoughts = _within(given, _DETAILS_OF_OUTPUT, "reasoning_tokens")
    if thoughts is None:
        thoughts = _first(given, _REASONING)
    output = with_thoughts(output, thoughts, given.get("total_tokens"), whole)
    counts = {
        "input_tokens": whole,
        "output_tokens": output,
        "cached_tokens": within if cached is None else cached,
        "cache_write_tokens": written,
        "reasoning_tokens": thoughts,
    }
    return with_billed(Usage(**counts | more), billed_by_anthropic(given))


def with_thoughts(
    output: int | None, thoughts: int | None, total: object, shown: int | None, *beside: int | None
) -> int | None:
    """Return all that a model wrote: with its thoughts, where the total says that they stand beside it, or they are more than it."""
    if output is None or not thoughts:
        return output
    more = sum(each or 0 for each in beside)
    without = {(shown or 0) + output, (shown or 0) + output + more}
    is_beside = total not in without and total in {each + thoughts for each in without}
    return output + thoughts if is_beside or thoughts > output else output


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        if (value := given.get(name)) is not None and (count := _count(value)) is not None:
            return count
    return None


def _within(given: Mapping[str, Any], places: tuple[str, ...], name: str) -> int | None:
    parts = (given.get(place) for place in places)
    return next((_count(part.get(name)) for part in parts if isinstance(part, Mapping)), None)


def _count(value: Any) -> int | None:
    """Return a count; anything else that stands in its place is none."""
    return int(value) if is_count(value) else None


def is_count(value: object) -> bool:
    """Return whether a value is a whole number that a ledger takes, 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
