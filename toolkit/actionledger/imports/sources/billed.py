"""What a provider bills beside a message: an advisor's and a compaction's tokens, searches, and what it stores for longer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from actionledger.core.values.recordings import Billed
from actionledger.imports.sources.access import count_at, object_at, objects_at, text_at

if TYPE_CHECKING:
    from actionledger.core.values.recordings import Usage


_SERVING = frozenset({"message", "fallback_message"})
"""The iterations that the counts of a message of Anthropic's are of; any other is billed beside them."""

_THEIRS = {
    "input_tokens": ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    "output_tokens": ("output_tokens",),
    "cached_tokens": ("cache_read_input_tokens",),
    "cache_write_tokens": ("cache_creation_input_tokens",),
}


_COUNTS = _THEIRS["input_tokens"] + _THEIRS["output_tokens"]
_BESIDE = frozenset({"iterations", "cache_creation", "server_tool_use"})
"""Where a usage object says that something is billed beside the message."""


def billed_by_anthropic(given: Mapping[str, Any]) -> tuple[Billed, ...]:
    """Return what Anthropic bills beside a message, or otherwise than its counts say."""
    if _BESIDE.isdisjoint(given):
        return ()
    found = []
    iterations = list(objects_at(given, "iterations"))
    serving = [each for each in iterations if text_at(each, "type") in _SERVING]
    # Counts of a message are said to be the sum of its own iterations, and are those of the first one at times.
    if more := _more(serving, given):
        found.append(Billed(kind="message", **more))
    for each in iterations:
        if text_at(each, "type") not in _SERVING:
            counts: dict[str, Any] = {name: _of(each, name) for name in _THEIRS}
            kind, model = text_at(each, "type")[:80] or "iteration", text_at(each, "model")[:200]
            found.append(Billed(kind=kind, model=model, long_writes=_long(each), **counts))
    if long := max(_long(given), sum(_long(each) for each in serving)):
        found.append(Billed(kind="ephemeral_1h_input_tokens", long_writes=long, is_own=True))
    searches = count_at(object_at(given, "server_tool_use"), "web_search_requests")
    if searches:
        found.append(Billed(kind="web_search_requests", requests=searches))
    return tuple(found)


def with_billed(usage: "Usage", billed: Iterable[Billed]) -> "Usage":
    """Return a usage with what is billed beside the message among its tokens."""
    kept = tuple(billed)
    if not kept:
        return usage
    beside = [each for each in kept if not each.is_own]
    sums = {name: sum(getattr(each, name) for each in beside) for name in _THEIRS} if beside else {}
    counts = {name: (getattr(usage, name) or 0) + more for name, more in sums.items() if more}
    return replace(usage, **counts, billed=(*usage.billed, *kept))


def _more(serving: Sequence[Mapping[str, Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many more tokens a message's own iterations have than it says; nothing where they are no more."""
    if not serving or (
        len(serving) == 1 and all(serving[0].get(name) == given.get(name) for name in _COUNTS)
    ):
        return {}
    more = {name: max(0, sum(_of(each, name) for each in serving) - _of(given, name)) for name in _THEIRS}
    return more if any(more.values()) else {}


def _of(given: Mapping[str, Any], name: str) -> int:
    """Return a count of Anthropic's as ``Usage`` has it: input with what a cache gave or took."""
    return sum(count_at(given, each) or 0 for each in _THEIRS[name])


def _long(given: Mapping[str, Any]) -> int:
    return count_at(object_at(given, "cache_creation"), "ephemeral_1h_input_tokens") or 0
