"""The pieces of an answer of Gemini's: each is a response with some more parts."""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.imports.sources.access import object_at, objects_at

_KEPT = ("responseId", "modelVersion", "usageMetadata", "promptFeedback", "createTime")


def body(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that the pieces add up to, each candidate for itself."""
    whole: dict[str, Any] = {}
    candidates: dict[int, dict[str, Any]] = {}
    for event in events:
        whole.update({key: event[key] for key in _KEPT if event.get(key)})
        for candidate in objects_at(event, "candidates"):
            index = candidate.get("index")
            there = candidates.setdefault(index if isinstance(index, int) else 0, {"parts": []})
            there["parts"] += objects_at(object_at(candidate, "content"), "parts")
            there["finishReason"] = candidate.get("finishReason") or there.get("finishReason")
    return whole | {"candidates": [_candidate(candidates[key]) for key in sorted(candidates)]}


def _candidate(there: Mapping[str, Any]) -> dict[str, Any]:
    content = {"role": "model", "parts": there["parts"]}
    return {"content": content, "finishReason": there["finishReason"]}
