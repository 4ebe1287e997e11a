"""The events of an answer of Bedrock's: blocks that begin and grow, by their place."""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.imports.sources.access import object_at, text_at

KINDS = frozenset({"messageStart", "contentBlockStart", "contentBlockDelta", "messageStop"})
"""What its events are called, beside those that say nothing."""


def body(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that the events add up to; a call's ``input`` is the text that the model wrote."""
    whole: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    before: list[tuple[int, dict[str, Any]]] = []
    for event in events:
        if begun := object_at(event, "contentBlockStart"):
            call = object_at(object_at(begun, "start"), "toolUse")
            if replaced := blocks.get(_place(begun)):  # a gateway that numbers two blocks alike
                before.append((_place(begun), replaced))
            blocks[_place(begun)] = {"toolUse": {**call, "input": ""}} if call else {}
        elif grown := object_at(event, "contentBlockDelta"):
            _grow(blocks.setdefault(_place(grown), {}), object_at(grown, "delta"))
        elif stopped := object_at(event, "messageStop"):
            whole["stopReason"] = stopped.get("stopReason")
        elif told := object_at(event, "metadata"):
            whole.update({key: told[key] for key in ("usage", "metrics") if key in told})
    placed = sorted([*before, *blocks.items()], key=lambda each: each[0])
    content = [block for _, block in placed]
    return {"stopReason": "", **whole, "output": {"message": {"role": "assistant", "content": content}}}


def _grow(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    if piece := object_at(delta, "toolUse"):
        call = block.setdefault("toolUse", {"input": ""})
        call["input"] = text_at(call, "input") + text_at(piece, "input")
    elif isinstance(delta.get("text"), str):
        block["text"] = text_at(block, "text") + delta["text"]
    elif thought := object_at(delta, "reasoningContent"):
        kind = "reasoningText" if "text" in thought else "redactedContent"
        held = block.setdefault("reasoningContent", {}).setdefault(kind, {})
        held["text"] = text_at(held, "text") + text_at(thought, "text")


def _place(event: Mapping[str, Any]) -> int:
    index = event.get("contentBlockIndex")
    return index if isinstance(index, int) else 0
