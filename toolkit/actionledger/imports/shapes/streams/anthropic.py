"""The events of one of Anthropic's messages: blocks that begin, grow and end, by their place."""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.imports.sources.access import object_at, text_at

KINDS = frozenset({"message_start", "content_block_start", "content_block_delta", "message_delta"})
"""What its events are called, beside those that say nothing."""

_GROWN = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def body(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that the events add up to; a call's ``input`` is the text that the model wrote."""
    whole: dict[str, Any] = {"type": "message", "role": "assistant"}
    blocks: dict[int, dict[str, Any]] = {}
    before: list[tuple[int, dict[str, Any]]] = []
    usage: dict[str, Any] = {}
    for event in events:
        kind = text_at(event, "type")
        if kind == "message_start":
            message = object_at(event, "message")
            whole.update(message)
            usage.update(object_at(message, "usage"))
        elif kind == "content_block_start":
            place = _place(event, len(blocks))
            if place in blocks:  # a gateway that numbers two blocks alike: the first one is whole
                before.append((place, blocks[place]))
            blocks[place] = _begun(object_at(event, "content_block"))
        elif kind == "content_block_delta":
            _grow(
                blocks.setdefault(_place(event, len(blocks) - 1), {"type": "text"}), object_at(event, "delta")
            )
        elif kind == "message_delta":
            whole.update(object_at(event, "delta"))
            usage.update(object_at(event, "usage"))
    return whole | {"content": _in_order(before, blocks), "usage": usage}


def _in_order(
    before: Sequence[tuple[int, dict[str, Any]]], blocks: Mapping[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the blocks by their places; of those with one place, the one that began first."""
    return [block for _, block in sorted([*before, *blocks.items()], key=lambda placed: placed[0])]


def _begun(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block at its beginning: arguments are empty there, whatever stands in their place."""
    is_call = text_at(block, "type") == "tool_use" and not block.get("input")
    return {**block, "input": ""} if is_call else dict(block)


def _grow(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    kind = text_at(delta, "type")
    if kind == "input_json_delta" and isinstance(block.get("input", ""), str):
        block["input"] = block.get("input", "") + text_at(delta, "partial_json")
    elif key := _GROWN.get(kind):
        block[key] = text_at(block, key) + text_at(delta, key)


def _place(event: Mapping[str, Any], otherwise: int) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else max(otherwise, 0)
