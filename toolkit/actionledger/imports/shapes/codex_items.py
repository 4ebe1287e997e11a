"""Items of a rollout of Codex's that the model wrote: its texts, its thoughts and its calls."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from actionledger.core.namespaces import qualified
from actionledger.core.values.recordings import RecordedCall
from actionledger.imports.shapes.openai_responses import thoughts_of
from actionledger.imports.sources.access import object_at, objects_at, text_at

Line: TypeAlias = Mapping[str, Any]


def text_of(item: Line) -> str:
    """Return the texts of an item: of its content, or of the summary of a thought."""
    parts = (*objects_at(item, "content"), *objects_at(item, "summary"))
    return "\n\n".join(filter(None, (text_at(part, "text") for part in parts)))


def holds_sign(thought: Line) -> bool:
    """Return whether a call may be left in a thought: then the response ends with it, and is one."""
    from actionledger.reading.leaked import has_sign  # noqa: PLC0415 - loads every dialect, and few files end with a thought

    return has_sign("\n".join(thoughts_of(thought)), frozenset())


def parts_of(item: Line) -> Sequence[str | RecordedCall]:
    """Return what an item adds to a response: its text, its thoughts or its call."""
    kind = text_at(item, "type")
    if kind == "reasoning":
        return thoughts_of(item)
    return [text_of(item) if kind == "message" else call_of(kind, item)]


def call_of(kind: str, item: Line) -> RecordedCall:
    """Return the call that an item is."""
    call_id = text_at(item, "call_id")
    name = qualified(item.get("namespace"), text_at(item, "name"))
    if kind == "custom_tool_call":
        return RecordedCall(call_id, name, text_at(item, "input"), kind="text")
    if kind == "function_call":
        return RecordedCall(call_id, name, text_at(item, "arguments"))
    return RecordedCall(call_id, kind.removesuffix("_call"), object_at(item, "action"))
