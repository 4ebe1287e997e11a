"""Inspect's messages and responses: content in parts, calls with parsed arguments, and the provider's own body."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Message, Speaker, tools_text
from actionledger.imports.shapes.bodies import shape_of_response
from actionledger.imports.sources.access import (
    as_list,
    count_at,
    non_empty,
    number_at,
    object_at,
    objects_at,
    score_of,
    text_at,
    time_at,
)
from actionledger.imports.sources.usage import with_thoughts

_SPEAKERS: dict[str, Speaker] = {"assistant": "model", "user": "person", "system": "system", "tool": "tool"}

_ATTACHED = ("attachment://", "tc://")

_ERRORS: dict[str, Reason] = {
    "parsing": Reason.SCHEMA_ERROR,
    "timeout": Reason.TIMEOUT,
    "permission": Reason.NOT_PERMITTED,
    "file_not_found": Reason.NOT_FOUND,
    "is_a_directory": Reason.NOT_FOUND,
    "unicode_decode": Reason.TOOL_ERROR,
    "output_limit": Reason.TOO_LARGE,
    "limit": Reason.ACTION_LIMIT,
    "approval": Reason.NOT_APPROVED,
}
"""Inspect's kinds of tool errors; ``unknown`` says nothing, so its words are judged."""

_NO_SUCH_TOOL = regex(r"Tool \S{1,200} not found\Z")
"""Its message about a call of a tool that doesn't exist, which is also a parsing error."""


def attached(value: Any, attachments: JsonMap) -> Any:
    """Return a value with references replaced by the texts that a sample stores once."""
    if isinstance(value, str):
        mark = next((mark for mark in _ATTACHED if value.startswith(mark)), None)
        held = attachments.get(value[len(mark) :]) if mark else None
        return held if isinstance(held, str) else value
    if isinstance(value, list):
        return [attached(each, attachments) for each in value]
    if isinstance(value, dict):
        return {key: attached(each, attachments) for key, each in value.items()}
    return value


def message(value: JsonMap) -> Message:
    """Read a message of any role."""
    speaker = _SPEAKERS.get(text_at(value, "role"))
    found = Message(speaker or "system", message_id=text_at(value, "id"))
    if speaker is None:
        found.unknown(value.get("role"), value)
        return found
    content = value.get("content")
    for part in as_list(content):
        if isinstance(part, str):
            found.say(part)
        elif isinstance(part, Mapping):
            kind = text_at(part, "type")
            if kind == "text":
                found.say(part.get("text"))
            elif kind == "reasoning":
                is_hidden = part.get("redacted") is True
                found.think(part.get("summary") if is_hidden else part.get("reasoning"), detail="reasoning")
            elif kind == "tool_use":  # made and answered by the provider
                call_id = text_at(part, "id")
                found.call(call_id, part.get("name"), part.get("arguments"))
                error = {"message": part["error"]} if part.get("error") else {}
                found.results.append(tool_result(call_id, part.get("result"), error))
            else:
                found.pass_over(LeftOutReason.NO_TEXT, kind)
        elif part is not None:
            found.pass_over(LeftOutReason.NOT_AN_OBJECT, type(part).__name__)
    if speaker == "tool":
        found.results.append(
            tool_result(text_at(value, "tool_call_id"), found.text, object_at(value, "error"))
        )
        found.text = ""
    for call in objects_at(value, "tool_calls"):
        found.call(call.get("id"), call.get("function"), call.get("arguments"))
    return found


def tool_result(call_id: str, output: Any, error: JsonMap, **more: Any) -> RecordedResult:
    if not error:
        return RecordedResult(call_id, output, is_error=False, **more)
    said = output if isinstance(output, str) and output else text_at(error, "message")
    reason = _ERRORS.get(text_at(error, "type"))
    if reason is Reason.SCHEMA_ERROR and _NO_SUCH_TOOL.match(said):
        reason = Reason.UNKNOWN_ACTION
    return RecordedResult(call_id, said, is_error=True, reason=reason, **more)


def response(event: JsonMap) -> Iterator[tuple[Message, Capture]]:
    """Yield a model event's choices, the first with the usage of all, each with its capture."""
    output = object_at(event, "output")
    raw = _raw_arguments(object_at(object_at(event, "call"), "response"))
    for number, choice in enumerate(objects_at(output, "choices")):
        found = message({"role": "assistant", **object_at(choice, "message")})
        if number and found.message_id:
            found.message_id += f"#{number}"
        usage = _usage(output) if number == 0 else Usage()
        found.usage = replace(usage, finish_reason=text_at(choice, "stop_reason")[:80])
        found.model = text_at(output, "model") or text_at(event, "model")
        found.occurred_at = time_at(event, "completed") or time_at(event, "timestamp")
        keeps = Capture.CALLS
        told = Counter(call.call_id for call in found.calls)
        if raw is not None and "" not in told and all(len(raw.get(each, ())) >= told[each] for each in told):
            found.calls = [_as_written(call, raw[call.call_id].popleft()) for call in found.calls]
            keeps = Capture.ARGUMENTS
        yield found, keeps if found.calls or event.get("tools") else Capture.TEXT


def tools(event: JsonMap) -> str:
    """Return the tools that a model event offered, as a turn has them; empty for none."""
    offered = [
        {
            "type": "function",
            "function": {key: tool[key] for key in ("name", "description", "parameters") if key in tool},
        }
        for tool in objects_at(event, "tools")
    ]
    return tools_text(offered)


def _raw_arguments(body: JsonMap) -> dict[str, deque[RecordedCall]] | None:
    """Return the calls of a provider's body by identifier, which several may share; None if it lacks the arguments as written."""
    shape = shape_of_response(body) if body else None
    if shape is None or shape.KEEPS is not Capture.ARGUMENTS:
        return None
    written: defaultdict[str, deque[RecordedCall]] = defaultdict(deque)
    for found in shape.response(body).messages:
        for call in found.calls:
            written[call.call_id].append(call)
    return written


def _as_written(call: RecordedCall, written: RecordedCall) -> RecordedCall:
    return replace(call, arguments=written.arguments, kind=written.kind)


def _usage(output: JsonMap) -> Usage:
    counts = object_at(output, "usage")
    shown, written = count_at(counts, "input_tokens"), count_at(counts, "output_tokens")
    cached, stored = count_at(counts, "input_tokens_cache_read"), count_at(counts, "input_tokens_cache_write")
    beside = (cached or 0) + (stored or 0)
    if shown is not None and count_at(counts, "total_tokens") == shown + (written or 0) + beside:
        shown += beside  # as Anthropic counts: its input leaves out cached tokens
    seconds, thought = number_at(output, "time"), count_at(counts, "reasoning_tokens")
    return Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(written, thought, count_at(counts, "total_tokens"), shown, beside),
        cached_tokens=cached,
        cache_write_tokens=stored,
        reasoning_tokens=thought,
        cost_usd=number_at(counts, "total_cost"),
        latency_ms=None if seconds is None else seconds * 1000,
    )


# The name, task and result of an Inspect sample.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""The values of word scores in Inspect's own metrics."""

_DECIDED = {"C": True, "I": False, True: True, False: False}


def name(sample: JsonMap, log: JsonMap) -> str:
    """Return a sample's name: its own identifier, or in older logs its run, task, number and epoch."""
    run = "/".join(filter(None, (text_at(log, key) for key in ("run_id", "task_id"))))
    number = f"{sample.get('id')}/{count_at(sample, 'epoch') or 1}"
    return text_at(sample, "uuid") or (
        f"{run}/{number}" if run else derived_id("inspect", text_at(log, "created"), number)
    )


def task(sample: JsonMap) -> str:
    """Return the first line of the model's task."""
    given = sample.get("input")
    told = given if isinstance(given, str) else ""
    if isinstance(given, list):
        asked = (message(each) for each in given if isinstance(each, dict))
        told = next((each.text for each in asked if each.speaker == "person"), "")
    return told.strip().split("\n", 1)[0][:200]


def reason(sample: JsonMap) -> str:
    """Return why a sample ended early; empty if it didn't."""
    error, limit = object_at(sample, "error"), object_at(sample, "limit")
    if error:
        return f"error: {text_at(error, 'message')}"[:200]
    return f"limit: {text_at(limit, 'type')}" if limit else ""


def metadata(sample: JsonMap, log: JsonMap) -> JsonDict:
    """Return a sample's other metadata."""
    retries = sample.get("error_retries")
    known = {
        "sample": sample.get("id") if isinstance(sample.get("id"), str | int) else None,
        "epoch": count_at(sample, "epoch"),
        "run": text_at(log, "run_id"),
        "created": text_at(log, "created"),
        "inspect_ai": text_at(object_at(log, "packages"), "inspect_ai"),
        "retries": len(retries) if isinstance(retries, list) else None,
    }
    return non_empty(known)


def success(scores: JsonMap) -> bool | None:
    """Return whether all right-or-wrong scores are right; None if there are none."""
    values = (score.get("value") for score in scores.values() if isinstance(score, dict))
    decided = [_DECIDED[value] for value in values if isinstance(value, str | bool) and value in _DECIDED]
    return all(decided) if decided else None


def numbers(scores: JsonMap) -> Iterator[tuple[str, float]]:
    """Yield each score by name, and the parts of a score with several by theirs."""
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else None
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, each in parts:
            number = score_of(_GRADES.get(each) if isinstance(each, str) else each)
            if number is not None:
                yield f"{name}/{part}" if part else name, number
