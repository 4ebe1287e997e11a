"""Token counts in one form, from the names used by OpenAI, Anthropic, Gemini and Bedrock.

Anthropic and Bedrock count cached tokens separately from the input, and Gemini reasoning separately from the output; here each is included.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.recordings import Billed, Usage
from actionledger.imports.sources.access import count_at, object_at, objects_at, text_at

# Tokens that a provider bills apart from a message: an advisor's and a compaction's, searches, and longer cache writes.
_SERVING = frozenset({"message", "fallback_message"})
"""The iterations included in an Anthropic message's counts; others are billed apart."""

_THEIRS = {
    "input_tokens": ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    "output_tokens": ("output_tokens",),
    "cached_tokens": ("cache_read_input_tokens",),
    "cache_write_tokens": ("cache_creation_input_tokens",),
}


_COUNTS = _THEIRS["input_tokens"] + _THEIRS["output_tokens"]
_BESIDE = frozenset({"iterations", "cache_creation", "server_tool_use"})
"""The keys of a usage object for what is billed apart from the message."""


def billed_by_anthropic(given: JsonMap) -> tuple[Billed, ...]:
    """Return what Anthropic bills apart from a message, or differently from its counts."""
    if _BESIDE.isdisjoint(given):
        return ()
    found: list[Billed] = []
    serving: list[JsonMap] = []
    others: list[JsonMap] = []
    for each in objects_at(given, "iterations"):
        (serving if text_at(each, "type") in _SERVING else others).append(each)
    # A message's counts should be the sum of its own iterations, but sometimes are the first one's.
    if serving and (more := _more(serving, given)):
        found.append(Billed(kind="message", **more))
    for each in others:
        counts: JsonDict = {name: _of(each, name) for name in _THEIRS}
        kind, model = text_at(each, "type")[:80] or "iteration", text_at(each, "model")[:200]
        found.append(Billed(kind=kind, model=model, long_writes=_long(each), **counts))
    if long := max(_long(given), sum(map(_long, serving))):
        found.append(Billed(kind="ephemeral_1h_input_tokens", long_writes=long, is_own=True))
    searches = count_at(object_at(given, "server_tool_use"), "web_search_requests")
    if searches:
        found.append(Billed(kind="web_search_requests", requests=searches))
    return tuple(found)


def with_billed(usage: "Usage", billed: Iterable[Billed]) -> "Usage":
    """Return a usage that includes the tokens billed apart from the message."""
    kept = tuple(billed)
    if not kept:
        return usage
    beside = [each for each in kept if not each.is_own]
    sums = {name: sum(getattr(each, name) for each in beside) for name in _THEIRS} if beside else {}
    counts = {name: (getattr(usage, name) or 0) + more for name, more in sums.items() if more}
    return replace(usage, **counts, billed=(*usage.billed, *kept))


def _more(serving: Sequence[JsonMap], given: JsonMap) -> JsonDict:
    """Return how many more tokens a message's own iterations, of which there are some, have than its counts; empty if none."""
    if len(serving) == 1 and _counts(serving[0]) == _counts(given):
        return {}
    more = {name: max(0, sum(_of(each, name) for each in serving) - _of(given, name)) for name in _THEIRS}
    return more if any(more.values()) else {}


def _counts(given: JsonMap) -> list[object]:
    return [*map(given.get, _COUNTS)]


def _of(given: JsonMap, name: str) -> int:
    """Return an Anthropic count as in ``Usage``: the input includes cache reads and writes."""
    return sum(count_at(given, each) or 0 for each in _THEIRS[name])


def _long(given: JsonMap) -> int:
    return count_at(object_at(given, "cache_creation"), "ephemeral_1h_input_tokens") or 0


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


def usage_of(given: JsonMap, **more: Any) -> Usage:
    """Return the counts of a provider's usage object; missing ones are None."""
    told = {name: int(given[name]) for name in COUNTS & given.keys() if is_count(given[name])}
    cached, written = _first(told, _CACHED), _first(told, _CACHE_WRITES)
    whole = _first(told, _WHOLE_INPUT)
    if whole is None and (beside := _first(told, _BESIDE_INPUT)) is not None:
        whole = beside + (cached or 0) + (written or 0)
    thoughts = _first(told, _THOUGHTS)
    output, visible = _first(told, _OUTPUT), _first(told, _VISIBLE_OUTPUT)
    if output is None and (visible is not None or thoughts is not None):
        output = (visible or 0) + (thoughts or 0)
    if cached is None:
        cached = _first(told, _CACHED_WITHIN)
        cached = _within(given, _DETAILS_OF_INPUT, "cached_tokens") if cached is None else cached
    if thoughts is None:
        thoughts = _within(given, _DETAILS_OF_OUTPUT, "reasoning_tokens")
    if thoughts is None:
        thoughts = _first(told, _REASONING)
    output = with_thoughts(output, thoughts, given.get("total_tokens"), whole)
    counts = {
        "input_tokens": whole,
        "output_tokens": output,
        "cached_tokens": cached,
        "cache_write_tokens": written,
        "reasoning_tokens": thoughts,
    }
    billed = billed_by_anthropic(given)
    if all(each.is_own for each in billed):  # usually, and then the counts include it
        return Usage(**{"billed": billed} | counts | more)
    return with_billed(Usage(**counts | more), billed)


def with_thoughts(
    output: int | None, thoughts: int | None, total: object, shown: int | None, *beside: int | None
) -> int | None:
    """Return the whole output: with reasoning tokens, if the total shows that they are separate, or if they exceed the output."""
    if output is None or not thoughts:
        return output
    more = sum(each or 0 for each in beside)
    without = {(shown or 0) + output, (shown or 0) + output + more}
    is_beside = total not in without and total in {each + thoughts for each in without}
    return output + thoughts if is_beside or thoughts > output else output


def _first(told: Mapping[str, int], names: tuple[str, ...]) -> int | None:
    for name in names:
        if name in told:
            return told[name]
    return None


def _within(given: JsonMap, places: tuple[str, ...], name: str) -> int | None:
    parts = (given[place] for place in places if place in given)
    return next((_count(part.get(name)) for part in parts if isinstance(part, Mapping)), None)


def _count(value: Any) -> int | None:
    """Return a count; None for anything else."""
    return int(value) if is_count(value) else None


def is_count(value: object) -> bool:
    """Return whether a value is a whole number of 0 or more that a ledger can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


_BROKEN_OFF = frozenset({"aborted", "canceled", "cancelled", "error"})


def broken_off(finish_reason: str) -> str:
    """Return a finish reason that means the answer was cut off; empty if it ended normally."""
    return finish_reason if finish_reason in _BROKEN_OFF else ""
