"""Steps whose input and output are whatever a framework has handed over, as stores of traces keep them."""

from collections.abc import Mapping
from typing import Any

from actionledger.imports.shapes import sniffed
from actionledger.imports.shapes.base import plain, tools_text
from actionledger.imports.shapes.offered import offered
from actionledger.imports.shapes.recorders import keep_by_recorder
from actionledger.imports.shapes.steps import Step
from actionledger.imports.sources.access import object_at, text_at


def fill_request(step: Step, asked: Any, answer: Any, provider: str, tools: Any = None) -> None:
    """Give a request what it was asked, what was answered, and what was offered."""
    request, answer = sniffed.request_of(asked), sniffed.decoded(answer)
    step.shown, step.said = list(request.messages), sniffed.answer_of(answer)
    listed = object_at({"answer": answer}, "answer").get("tools")
    held = sniffed.decoded(request.tools or None) or listed or sniffed.decoded(tools)
    step.tools = tools_text(offered(held)) if isinstance(held, list) else ""
    step.model = step.model or request.model
    step.usage = step.usage.filled(step.said[0].usage) if step.said else step.usage
    keep_by_recorder(step, "", provider or step.model)


def output_of(given: Any) -> Any:
    """Return what a tool gave: of a message of LangChain's, or of a protocol's result, the content; else all of it."""
    held = _result(given)
    if "tool_call_id" in held or isinstance(held.get("content"), list):
        return plain(held.get("content"))
    return given


def answered_call(given: Any) -> str:
    """Return the call that a tool's output names; empty for none."""
    return text_at(_result(given), "tool_call_id")


def has_failed(given: Any) -> bool | None:
    """Return whether a tool's output says that it is an error, as a message of LangChain's does; None where it says nothing."""
    held = _result(given)
    return {"error": True, "success": False}.get(text_at(held, "status")) if "tool_call_id" in held else None


def arguments_in(given: Any) -> Any:
    """Return what a tool was given, of the arguments of the Python function that it is: those with names, or the only one without."""
    held = object_at({"input": sniffed.decoded(given)}, "input")
    if not {"args", "kwargs"} <= held.keys() or held.keys() - {"args", "kwargs", "sanitize_inputs_outputs"}:
        return given
    plain_ones = held["args"] if isinstance(held["args"], list) else []
    return held["kwargs"] if held["kwargs"] or len(plain_ones) != 1 else plain_ones[0]


def _result(given: Any) -> Mapping[str, Any]:
    """Return a tool's output as an object, without LangChain's wrapping; an empty one if it is none."""
    held = object_at({"output": sniffed.decoded(given)}, "output")
    inner = object_at({"output": sniffed.decoded(held.get("output"))}, "output")
    held = inner if set(held) == {"output"} else held
    if "lc" in held:
        return object_at(held, "kwargs")
    return object_at(held, "data") if held.get("type") == "tool" and "data" in held else held
