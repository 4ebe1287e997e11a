"""Messages of OpenTelemetry's conventions for generative AI: a role and ``parts``, or a framework's own form.

Defined by ``docs/gen-ai/gen-ai-input-messages.json`` and ``gen-ai-output-messages.json`` of the semantic conventions (1.41). Agents put their own
messages there too: OpenAI's, Gemini's, or Vercel's SDK's.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.shapes import gemini
from actionledger.imports.shapes.base import Message, Speaker, plain, read_parts
from actionledger.imports.sources.access import as_list, count_at, number_at, object_at, objects_at, text_at
from actionledger.imports.sources.json_values import value_of
from actionledger.imports.sources.usage import usage_of, with_thoughts

_SPEAKERS: dict[str, Speaker] = {
    "assistant": "model",
    "model": "model",
    "ai": "model",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CALLS = frozenset({"tool_call", "tool-call"})
_RESULTS = frozenset({"tool_call_response", "tool-result", "tool_result"})
_THOUGHTS = frozenset({"reasoning", "thinking"})
_RAN_THERE = frozenset({"server_tool_call", "server_tool_call_response"})
_NO_TEXT = frozenset({"blob", "file", "uri", "image", "file-data", "image-data"})


def speaker_of(role: str) -> Speaker:
    """Return the author of a message by its role; a person if unknown."""
    return _SPEAKERS.get(role, "person")


def is_message(value: JsonMap) -> bool:
    """Return whether a value is a message with typed parts, or a message of Vercel's SDK."""
    kinds = {text_at(part, "type") for part in objects_at(value, "content")}
    return isinstance(value.get("parts"), list) or bool(kinds & (_CALLS | {"tool-result"}))


def message(value: JsonMap) -> Message:
    """Read a message."""
    parts = value.get("parts") if isinstance(value.get("parts"), list) else value.get("content")
    if any("type" not in part for part in objects_at({"parts": parts}, "parts")):
        role = "model" if text_at(value, "role") == "assistant" else value.get("role", "model")
        return gemini.message({"role": role, "parts": parts})
    found = Message(speaker_of(text_at(value, "role")), message_id=text_at(value, "id"))
    read_parts(found, parts, _read_part)
    found.usage = Usage(finish_reason=text_at(value, "finish_reason")[:80])
    return found


def _read_part(part: JsonMap, found: Message) -> None:
    kind = text_at(part, "type")
    if kind == "text":
        found.say(part.get("content") if "content" in part else part.get("text"))
    elif kind in _CALLS:
        name, given = _first(part, "name", "toolName"), _first(part, "arguments", "input", "args")
        found.call(_first(part, "id", "toolCallId"), name, given)
    elif kind in _RESULTS:
        output = _first(part, "response", "result", "output")
        error = isinstance(output, Mapping) and text_at(output, "type").startswith("error-")
        is_error = True if error or part.get("isError") is True else None
        found.result(_first(part, "id", "toolCallId"), plain(_unwrapped(output)), is_error=is_error)
    elif kind in _THOUGHTS:
        found.think(_first(part, "content", "text", "thinking", "reasoning"), detail=kind)
    elif kind in _RAN_THERE:
        found.pass_over(LeftOutReason.RUN_BY_PROVIDER, kind)
    elif kind in _NO_TEXT:
        found.pass_over(LeftOutReason.NO_TEXT, kind)
    else:
        found.unknown(kind, part)


def _unwrapped(output: object) -> object:
    """Return a result of Vercel's SDK without its wrapping: ``{"type": "json", "value": …}``."""
    kinds = {"text", "json", "content", "error-text", "error-json"}
    return output.get("value") if isinstance(output, Mapping) and text_at(output, "type") in kinds else output


def _first(value: JsonMap, *keys: str) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def instructions(value: object) -> Message:
    """Read separate instructions: a text, or parts."""
    found = Message("system")
    for part in as_list(value):
        if isinstance(part, Mapping):
            found.say(part.get("content") if "content" in part else part.get("text"))
        else:
            found.say(part)
    return found


def finish(value: JsonMap) -> str:
    """Return the finish reason of a choice; empty if it has none."""
    return text_at(value, "finish_reason") or text_at(object_at(value, "message"), "finish_reason")


_TOKENS = {
    "input_tokens": ("input_tokens", "prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens"),
    "output_tokens": (
        *("output_tokens", "completion_tokens"),
        *("ai.usage.outputTokens", "ai.usage.completionTokens"),
    ),
    "total_tokens": ("total_tokens", "ai.usage.totalTokens"),
    "cached_tokens": (
        *("cache_read.input_tokens", "cache_read_input_tokens", "cached_input_tokens"),
        *(
            "details.cache_read_tokens",
            "ai.usage.inputTokenDetails.cacheReadTokens",
            "ai.usage.cachedInputTokens",
        ),
    ),
    "cache_write_tokens": (
        *("cache_creation.input_tokens", "cache_creation_input_tokens", "cache_write.input_tokens"),
        *(
            "cache_write_input_tokens",
            "details.cache_write_tokens",
            "ai.usage.inputTokenDetails.cacheWriteTokens",
        ),
    ),
    "reasoning_tokens": (
        *(
            "reasoning.output_tokens",
            "reasoning_tokens",
            "output_tokens.reasoning",
            "details.reasoning_tokens",
        ),
        *("ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"),
    ),
}
"""Attributes of counts: below ``gen_ai.usage.`` by the conventions' names over the years, and those of Vercel's SDK."""

_COUNTS = regex(r"'(\w{1,40})': (\d{1,15})\b")
_LONGEST = 4000


def usage(given: JsonMap) -> Usage:
    """Read the usage of a request."""
    costs = [number_at(given, f"gen_ai.usage.{side}_cost") for side in ("input", "output")]
    known = [cost for cost in costs if cost is not None]
    why = _why(given)
    counts: JsonDict = {field: _count(given, names) for field, names in _TOKENS.items()}
    shown, thought, total = counts["input_tokens"], counts["reasoning_tokens"], counts.pop("total_tokens")
    counts["output_tokens"] = with_thoughts(counts["output_tokens"], thought, total, shown)
    return Usage(
        **counts,
        cost_usd=sum(known) if known else number_at(given, "gen_ai.usage.cost"),
        latency_ms=number_at(given, "ai.response.msToFinish"),
        time_to_first_token_ms=_to_first(given),
        finish_reason=why[:80],
    ).filled(_of_litellm(given))


def _why(given: JsonMap) -> str:
    """Return the finish reason: from a list, or from Microsoft's forms, the list's JSON text and the name of a Python enum member."""
    reasons = given.get("gen_ai.response.finish_reasons")
    with suppress(ValueError, RecursionError):
        reasons = value_of(reasons) if isinstance(reasons, str) and reasons.startswith("[") else reasons
    if isinstance(reasons, list) and reasons and isinstance(reasons[0], str):
        return reasons[0]
    if member := text_at(given, "gen_ai.response.finish_reason"):
        return member.removeprefix("FinishReason.").lower()
    return text_at(given, "ai.response.finishReason") or text_at(given, "anthropic.message.stop_reason")


def _of_litellm(given: JsonMap) -> Usage:
    """Return LiteLLM's usage next to its tokens: the ``repr`` of the provider's usage."""
    said = text_at(given, "metadata.usage_object")[:_LONGEST]
    return usage_of({name: int(count) for name, count in _COUNTS.findall(said)}) if said else Usage()


def _to_first(given: JsonMap) -> float | None:
    """Return the time to the first chunk in milliseconds: seconds in the conventions, but not for Vercel and Strands."""
    for name in ("gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk"):
        if (seconds := number_at(given, name)) is not None:
            return seconds * 1000
    waited = number_at(given, "ai.response.msToFirstChunk")
    return number_at(given, "gen_ai.server.time_to_first_token") if waited is None else waited


def _count(given: JsonMap, names: Iterable[str]) -> int | None:
    keys = (name if name.startswith("ai.") else f"gen_ai.usage.{name}" for name in names)
    return next((count for key in keys if (count := count_at(given, key)) is not None), None)
