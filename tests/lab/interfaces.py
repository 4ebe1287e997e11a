"""The four interfaces that the scripted server speaks: an answer as the events of a stream, or whole.

An event is its name, empty where the interface has none, and its value.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lab.truth import Answer, Piece, Tokens

Event = tuple[str, Any]
SERVED = "lab-served-1"
"""What the server says the model is, unlike what it was asked for."""
SIGNED = "bGFi"


def halves(text: str) -> list[str]:
    """Cut a text in two, so that a reader has to join it."""
    half = (len(text) + 1) // 2
    return [piece for piece in (text[:half], text[half:]) if piece]


def parsed(raw: str) -> Any:
    """Read arguments where an interface has no place for text; broken ones stay text."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw


# --- Anthropic's messages


def _anthropic_usage(answer: Answer) -> dict[str, int]:
    told = answer.tokens
    if answer.usage == "none":
        return {"input_tokens": 0, "output_tokens": 0}  # that interface can't do without
    return {
        "input_tokens": told.input - told.cached, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": told.cached, "output_tokens": told.output,
    }  # fmt: skip


_ANTHROPIC_ENDS = {
    "call": "tool_use", "end": "end_turn", "length": "max_tokens", "refusal": "refusal",
    "window": "model_context_window_exceeded", "stop word": "stop_sequence",
}  # fmt: skip


def _anthropic_block(answer: Answer, piece: Piece) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block as it begins, and what is added to it."""
    kind, said = piece
    if kind == "call":
        call = answer.calls[int(said)]
        added = [{"type": "input_json_delta", "partial_json": each} for each in halves(call.raw)]
        return {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, added
    if kind == "text":
        return {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": each} for each in halves(str(said))
        ]
    added = [{"type": "thinking_delta", "thinking": each} for each in halves(str(said))]
    signed = {"type": "signature_delta", "signature": SIGNED}
    return {"type": "thinking", "thinking": "", "signature": ""}, [*added, signed]


def anthropic_stream(answer: Answer) -> Iterator[Event]:
    def event(kind: str, **value: Any) -> Event:
        return kind, {"type": kind, **value}

    head = {
        "id": f"msg_lab_{answer.number}",
        "type": "message",
        "role": "assistant",
        "model": SERVED,
        "content": [],
    }
    usage = _anthropic_usage(answer) | {"output_tokens": 1}
    yield event("message_start", message=head | {"stop_reason": None, "stop_sequence": None, "usage": usage})
    for index, piece in enumerate(answer.order):
        block, added = _anthropic_block(answer, piece)
        yield event("content_block_start", index=index, content_block=block)
        for delta in added:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    end = {"stop_reason": _ANTHROPIC_ENDS[answer.finish], "stop_sequence": None}
    yield event("message_delta", delta=end, usage=_anthropic_usage(answer))
    yield event("message_stop")


def anthropic_whole(answer: Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for kind, said in answer.order:
        call = answer.calls[int(said)] if kind == "call" else None
        if call:
            content.append({"type": "tool_use", "id": call.id, "name": call.name, "input": parsed(call.raw)})
        else:
            signed = {"signature": SIGNED} if kind == "thought" else {}
            named = "thinking" if kind == "thought" else "text"
            content.append({"type": named, named: said, **signed})
    return {
        "id": f"msg_lab_{answer.number}", "type": "message", "role": "assistant", "model": SERVED,
        "content": content, "stop_reason": _ANTHROPIC_ENDS[answer.finish],
        "stop_sequence": None, "usage": _anthropic_usage(answer),
    }  # fmt: skip


# --- OpenAI's chat completions


def _chat_usage(answer: Answer) -> dict[str, Any] | None:
    told = answer.tokens
    if answer.usage == "none":
        return None
    return {
        "prompt_tokens": told.input, "completion_tokens": told.output, "total_tokens": told.input + told.output,
        "prompt_tokens_details": {"cached_tokens": told.cached},
        "completion_tokens_details": {"reasoning_tokens": told.reasoning},
    }  # fmt: skip


_CHAT_ENDS = {
    "call": "tool_calls", "end": "stop", "length": "length", "refusal": "content_filter",
    "window": "length", "stop word": "stop",
}  # fmt: skip


def chat_stream(answer: Answer) -> Iterator[Event]:
    head = {
        "id": f"chatcmpl-lab-{answer.number}",
        "object": "chat.completion.chunk",
        "created": 1 + answer.number,
        "model": SERVED,
    }

    def delta(value: Mapping[str, Any], finish: str | None = None) -> Event:
        return "", {**head, "choices": [{"index": 0, "delta": value, "finish_reason": finish}]}

    yield delta({"role": "assistant", "content": ""})
    for kind, said in answer.order:
        if kind != "call":
            named = "reasoning_content" if kind == "thought" else "content"
            for piece in halves(str(said)):
                yield delta({named: piece})
            continue
        call = answer.calls[int(said)]
        begun = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield delta({"tool_calls": [{"index": said, **begun}]})
        for piece in halves(call.raw):
            yield delta({"tool_calls": [{"index": said, "function": {"arguments": piece}}]})
    yield delta({}, _CHAT_ENDS[answer.finish])
    if usage := _chat_usage(answer):
        yield "", {**head, "choices": [], "usage": usage}
    yield "", "[DONE]"


def chat_whole(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.raw}}
            for c in answer.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": _CHAT_ENDS[answer.finish]}
    return {
        "id": f"chatcmpl-lab-{answer.number}", "object": "chat.completion", "created": 1 + answer.number, "model": SERVED,
        "choices": [choice], "usage": _chat_usage(answer),
    }  # fmt: skip


# --- OpenAI's Responses


def _items(answer: Answer) -> list[dict[str, Any]]:
    whole = "incomplete" if answer.finish in _INCOMPLETE else "completed"
    return [_item(answer, place, piece) | {"status": whole} for place, piece in enumerate(answer.order)]


def _item(answer: Answer, place: int, piece: Piece) -> dict[str, Any]:
    kind, said = piece
    name = f"lab_{answer.number}_{place}"
    if kind == "thought":
        return {
            "id": f"rs_{name}",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": said}],
        }
    if kind == "text":
        content = [{"type": "output_text", "text": said, "annotations": []}]
        return {"id": f"msg_{name}", "type": "message", "role": "assistant", "content": content}
    call = answer.calls[int(said)]
    head = {"id": f"fc_{name}", "call_id": call.id, "name": call.name}
    if call.namespace:
        head |= {"name": call.name.removeprefix(f"{call.namespace}__"), "namespace": call.namespace}
    if call.is_custom:
        return {**head, "type": "custom_tool_call", "input": call.raw}
    return {**head, "type": "function_call", "arguments": call.raw}


_INCOMPLETE = {
    "length": "max_output_tokens",
    "window": "max_output_tokens",
    "refusal": "content_filter",
}


def responses_whole(answer: Answer) -> dict[str, Any]:
    told = answer.tokens
    usage = {
        "input_tokens": told.input, "input_tokens_details": {"cached_tokens": told.cached},
        "output_tokens": told.output, "output_tokens_details": {"reasoning_tokens": told.reasoning},
        "total_tokens": told.input + told.output,
    }  # fmt: skip
    reason = _INCOMPLETE.get(answer.finish)
    return {
        "id": f"resp_lab_{answer.number}", "object": "response", "created_at": 1 + answer.number, "model": SERVED,
        "status": "incomplete" if reason else "completed", "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "parallel_tool_calls": True, "tools": [], "tool_choice": "auto", "output": _items(answer),
        "usage": None if answer.usage == "none" else usage,
    }  # fmt: skip


def responses_stream(answer: Answer) -> Iterator[Event]:
    count = iter(range(1000))

    def event(kind: str, **value: Any) -> Event:
        return kind, {"type": kind, "sequence_number": next(count), **value}

    whole = responses_whole(answer)
    begun = whole | {"status": "in_progress", "incomplete_details": None, "output": [], "usage": None}
    yield event("response.created", response=begun)
    for index, item in enumerate(whole["output"]):
        place = {"item_id": item["id"], "output_index": index}
        if item["type"] == "reasoning":
            yield event("response.output_item.added", output_index=index, item=item | {"summary": []})
            part = {"type": "summary_text", "text": ""}
            yield event("response.reasoning_summary_part.added", **place, summary_index=0, part=part)
            said = item["summary"][0]
            for piece in halves(said["text"]):
                yield event("response.reasoning_summary_text.delta", **place, summary_index=0, delta=piece)
            yield event("response.reasoning_summary_text.done", **place, summary_index=0, text=said["text"])
            yield event("response.reasoning_summary_part.done", **place, summary_index=0, part=said)
        elif item["type"] == "message":
            started = item | {"status": "in_progress", "content": []}
            yield event("response.output_item.added", output_index=index, item=started)
            part = {"type": "output_text", "text": "", "annotations": []}
            yield event("response.content_part.added", **place, content_index=0, part=part)
            words = item["content"][0]["text"]
            for piece in halves(words):
                yield event("response.output_text.delta", **place, content_index=0, delta=piece)
            yield event("response.output_text.done", **place, content_index=0, text=words)
            yield event("response.content_part.done", **place, content_index=0, part=item["content"][0])
        else:
            field, kind = (
                ("input", "response.custom_tool_call_input")
                if item["type"] == "custom_tool_call"
                else ("arguments", "response.function_call_arguments")
            )
            started = item | {"status": "in_progress", field: ""}
            yield event("response.output_item.added", output_index=index, item=started)
            for piece in halves(item[field]):
                yield event(f"{kind}.delta", **place, delta=piece)
            yield event(f"{kind}.done", **place, **{field: item[field]})
        yield event("response.output_item.done", output_index=index, item=item)
    yield event(
        "response.incomplete" if answer.finish in _INCOMPLETE else "response.completed", response=whole
    )


# --- Gemini


def gemini_whole(answer: Answer) -> dict[str, Any]:
    told = answer.tokens
    parts = [_gemini_part(answer, piece) for piece in answer.order]
    ends = {"length": "MAX_TOKENS", "window": "MAX_TOKENS", "refusal": "SAFETY"}
    finish = ends.get(answer.finish, "STOP")
    usage = {"usageMetadata": _gemini_usage(told)} if answer.usage != "none" else {}
    return {
        "modelVersion": SERVED,
        "responseId": f"resp-lab-{answer.number}",
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": finish}],
        **usage,
    }


def _gemini_part(answer: Answer, piece: Piece) -> dict[str, Any]:
    kind, said = piece
    if kind == "call":
        call = answer.calls[int(said)]
        return {"functionCall": {"id": call.id, "name": call.name, "args": parsed(call.raw)}}
    return {"text": said, "thought": True} if kind == "thought" else {"text": said}


def _gemini_usage(told: Tokens) -> dict[str, int]:
    return {
        "promptTokenCount": told.input, "cachedContentTokenCount": told.cached,
        "candidatesTokenCount": told.output - told.reasoning, "thoughtsTokenCount": told.reasoning,
        "totalTokenCount": told.input + told.output,
    }  # fmt: skip


def gemini_stream(answer: Answer) -> Iterator[Event]:
    whole = gemini_whole(answer)
    candidate = whole["candidates"][0]
    head = {key: whole[key] for key in ("modelVersion", "responseId")}
    for part in candidate["content"]["parts"]:
        yield "", {**head, "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]}
    last = candidate | {"content": {"role": "model", "parts": []}}
    usage = {key: whole[key] for key in ("usageMetadata",) if key in whole}
    yield "", {**head, "candidates": [last], **usage}


# --- What breaks off, and what is refused

_ENDINGS = {"anthropic": 2, "chat": 3, "responses": 1, "gemini": 1}
"""How many events end a stream."""


def stream(answer: Answer) -> list[Event]:
    """Return an answer's events, as far as they are sent before the connection breaks off."""
    events = list(STREAMS[answer.interface](answer))
    if not answer.cut:
        return events
    endings = _ENDINGS[answer.interface] - (answer.interface == "chat" and answer.usage == "none")
    events = events[:-endings]
    if answer.cut in ("end", "unfinished"):
        return events
    if answer.cut == "error":
        return [*events, _error_event(answer.interface)]
    whole = answer.calls[-1].raw if answer.cut == "call" else answer.text
    sought = json.dumps(halves(whole)[0])[1:-1]
    places = [at for at, (_, value) in enumerate(events) if sought in json.dumps(value)]
    return events[: places[0] + 1] if places else events


def _error_event(interface: str) -> Event:
    """Return the event by which a stream says that its answer has failed."""
    error = refused(529, interface)
    if interface == "responses":
        said = {"code": "server_is_overloaded", "message": error["error"]["message"]}
        failed = {"id": "resp_lab_failed", "object": "response", "status": "failed", "error": said}
        return "response.failed", {"type": "response.failed", "response": failed}
    return ("error" if interface == "anthropic" else ""), error


def refused(status: int, interface: str) -> dict[str, Any]:
    """Return the body of an answer that is an error."""
    said = f"Scripted error {status}."
    if interface == "gemini":
        return {"error": {"code": status, "message": said, "status": "UNAVAILABLE"}}
    kinds = {400: "invalid_request_error", 429: "rate_limit_error", 529: "overloaded_error"}
    error = {"type": kinds.get(status, "api_error"), "message": said}
    return (
        {"type": "error", "error": error} if interface == "anthropic" else {"error": error | {"code": None}}
    )


STREAMS: dict[str, Callable[[Answer], Iterator[Event]]] = {
    "anthropic": anthropic_stream,
    "chat": chat_stream,
    "responses": responses_stream,
    "gemini": gemini_stream,
}
WHOLE: dict[str, Callable[[Answer], dict[str, Any]]] = {
    "anthropic": anthropic_whole,
    "chat": chat_whole,
    "responses": responses_whole,
    "gemini": gemini_whole,
}
