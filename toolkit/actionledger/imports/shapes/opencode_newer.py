"""opencode's messages of its second engine, as its first would have written them.

Defined by ``@opencode-ai/sdk`` 1.19, ``SessionMessage`` of its API's second version, and run with 1.18.33, which has both engines: a row of the
table ``session_message`` is one message, and of the model one response. Arguments that the engine could not decode are their text.
"""

from actionledger.core.canonical import JsonMap
from actionledger.imports.shapes.opencode_messages import Told
from actionledger.imports.sources.access import object_at, objects_at, text_at

_BY_CLIENT = frozenset({"synthetic", "system"})


def told_of(kind: str, value: JsonMap) -> Told:
    """Return a message and its parts in the form of the first engine's."""
    message = {"id": value.get("id"), "time": value.get("time"), "role": "user"}
    if kind == "assistant":
        model, error = object_at(value, "model"), object_at(value, "error")
        finish = text_at(value, "finish")
        message |= {"role": kind, "modelID": text_at(model, "id"), "finish": finish}
        message |= {name: value[name] for name in ("cost", "tokens") if name in value}
        if error:
            message["error"] = {"name": finish or "error", "message": text_at(error, "message")}
        return message, [_part(part) for part in objects_at(value, "content")]
    if kind == "user" or kind in _BY_CLIENT:
        words = {"type": "text", "text": text_at(value, "text"), "synthetic": kind in _BY_CLIENT}
        return message, [words, *({"type": "file"} for _ in objects_at(value, "files"))]
    return message, [{"type": kind, **value}]


def _part(part: JsonMap) -> JsonMap:
    if text_at(part, "type") != "tool":
        return part
    state, times = object_at(part, "state"), object_at(part, "time")
    words = [
        text_at(each, "text") for each in objects_at(state, "content") if text_at(each, "type") == "text"
    ]
    return {
        "type": "tool",
        "callID": text_at(part, "id"),
        "tool": text_at(part, "name"),
        "state": {
            "status": state.get("status"),
            "input": state.get("input"),
            "output": "\n".join(words) or state.get("result"),
            "error": text_at(object_at(state, "error"), "message") or "\n".join(words),
            "metadata": object_at(state, "structured"),
            "time": {"start": times.get("ran"), "end": times.get("completed")},
        },
    }
