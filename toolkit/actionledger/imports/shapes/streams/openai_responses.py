"""The events of a response of OpenAI's: the last holds all of it; of a stream that was cut, the items that were done."""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.imports.sources.access import object_at, text_at

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


def body(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that the events add up to."""
    begun: Mapping[str, Any] = {}
    items: dict[int, Any] = {}
    for event in events:
        kind = text_at(event, "type")
        response = object_at(event, "response")
        if response:
            begun = response
        if kind in _ENDS and (response.get("output") or not items):
            return {"object": "response", **response}
        if kind.startswith("response.output_item."):
            index = event.get("output_index")
            items[index if isinstance(index, int) else len(items)] = event.get("item")
        elif kind.endswith(".delta"):
            _grow(items, event)
    output = [items[key] for key in sorted(items)]
    # What it was while it was made is no reason why it stopped.
    return {"object": "response", **begun, "status": "", "output": output}


def _grow(items: dict[int, Any], event: Mapping[str, Any]) -> None:
    """Add a piece to an item that isn't done, so that a stream which is cut loses no text."""
    index = event.get("output_index")
    item = items.get(index) if isinstance(index, int) else None
    piece = text_at(event, "delta")
    if not isinstance(item, dict):
        return
    match text_at(item, "type"):
        case "function_call":
            item["arguments"] = text_at(item, "arguments") + piece
        case "custom_tool_call":
            item["input"] = text_at(item, "input") + piece
        case "message" if text_at(event, "type") == "response.output_text.delta":
            content = item.get("content")
            told = (
                content[-1]
                if isinstance(content, list) and content and isinstance(content[-1], dict)
                else None
            )
            if told is None:
                item["content"] = [{"type": "output_text", "text": piece}]
            else:
                told["text"] = text_at(told, "text") + piece
