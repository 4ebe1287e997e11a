"""Providers' messages among pasted texts: recognised by their shape, shown call by call. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actionledger.core.values import Block
from actionledger.ledger.queries import TurnDetail
from actionledger.reading.messages import SplitCall, split_message
from actionledger_dashboard.viewer.looks import Values, card, lane, pretty, words
from actionledger_dashboard.viewer.reading import action_card

_CALLS = ("tool_calls", "toolCalls", "function_call", "functionCall")
_PARTS = {
    "text",
    "tool_use",
    "thinking",
    "tool_result",
    "function_call",
    "output_text",
    "reasoning",
    "tool-call",
}
_WRAPPERS = ("response", "body", "message")
_STREAMED = ("data:", "event:", ": ")


@dataclass(frozen=True, slots=True)
class Recognised:
    """The kind of a JSON text, by its shape."""

    called: str  # its name for people
    refusal: str = ""  # why it has nothing to parse, as a sentence; empty for a message
    tools: Sequence[Mapping[str, Any]] | None = None  # the tools that it offers; None if it names none


def recognised(text: str) -> Recognised | None:
    """Return the kind of a pasted text; None for a model's plain response."""
    if text.lstrip().startswith(_STREAMED) and '{"' in text:
        return Recognised(
            "a stream",
            "These are the pieces of a stream, as they come line by line; paste the whole message that they make, as a client puts it together.",
        )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _of_value(value, 4)


def _of_value(value: Any, depth: int) -> Recognised | None:
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, Mapping):
        return None
    if called := _message(value):
        tools = value.get("tools")
        has_tools = isinstance(tools, list) and tools and all(isinstance(tool, Mapping) for tool in tools)
        return Recognised(called, tools=tools if has_tools else None)
    if refused := _refused(value):
        return refused
    inner = next((value[key] for key in _WRAPPERS if isinstance(value.get(key), Mapping)), None)
    return _of_value(inner, depth - 1) if inner is not None and depth else None


def _of_list(items: list[Any]) -> Recognised | None:
    """Return the kind of a list: the parts of a message, or tools, which belong into the other box."""
    if not items or not all(isinstance(item, Mapping) for item in items):
        return None
    if all("functionCall" in item or "toolUse" in item or item.get("type") in _PARTS for item in items):
        return Recognised("the parts of a message")
    if all("role" in item and ("content" in item or "parts" in item) for item in items):
        return Recognised(
            "a conversation",
            f"This is a conversation of {len(items):,} messages; paste one that the model wrote.",
        )
    if all(
        {"input_schema", "parameters", "function", "functionDeclarations"} & item.keys() for item in items
    ):
        return Recognised("tools", "These are tools, not a message; paste them into the box for tools.")
    return None


def _message(value: Mapping[str, Any]) -> str:
    """Return a message's name by its shape; empty if it is not a message."""
    if isinstance(choices := value.get("choices"), list):
        is_chunk = any(isinstance(each, Mapping) and "delta" in each for each in choices)
        return "" if is_chunk else "an OpenAI chat completion"
    if isinstance(value.get("candidates"), list):
        return "a Gemini response"
    if isinstance(value.get("output"), list):
        return "an OpenAI Responses response"
    if isinstance(value.get("parts"), list) and value.get("role", "model") == "model":
        return "a Gemini message"
    content = value.get("content")
    if isinstance(content, Mapping) and isinstance(content.get("parts"), list):
        return "a Gemini candidate"
    if "messages" in value or "contents" in value or value.get("role") in {"user", "system", "tool"}:
        return ""
    if any(value.get(key) for key in _CALLS):
        return "an OpenAI chat message"
    if isinstance(content, list) and all(isinstance(part, Mapping) for part in content):
        is_anthropic = value.get("type") == "message" or any(
            part.get("type") == "tool_use" for part in content
        )
        return "an Anthropic message" if is_anthropic else "a message"
    return "a message" if value.get("role") == "assistant" and isinstance(content, str) else ""


def _refused(value: Mapping[str, Any]) -> Recognised | None:
    """Return which other object of an interface was pasted; None if it is no such object."""
    if "choices" in value or value.get("object") == "chat.completion.chunk":
        return Recognised(
            "a piece", "This is one piece of a stream; paste the whole message that its pieces make."
        )
    if isinstance(value.get("messages"), list) or isinstance(value.get("contents"), list):
        return Recognised(
            "a request", "This is a request, which has what the model was shown; paste what came back."
        )
    if value.get("role") in {"user", "system", "tool", "developer"}:
        who = value["role"]
        return Recognised(
            "another's message", f"This message is the {who}'s; paste one that the model wrote."
        )
    if isinstance(error := value.get("error"), Mapping) and "message" in error:
        return Recognised(
            "an error", f"This is a provider's error, and no message: {str(error['message'])[:300]}"
        )
    return None


def calls_lane(message: object, detail: TurnDetail) -> Values:
    """Return a message's calls in order, each with the provider's details and its validation."""
    calls = iter(split_message(message).calls)
    cards = [
        _other(block)
        if block.dialect == "message"
        else _call(block, next(calls, SplitCall("", "", "", "function", 0)), detail)
        for block in detail.blocks
    ]
    return lane("Calls, as the provider has split them off", cards, "It has no call: all of it is text.")


def _call(block: Block, call: SplitCall, detail: TurnDetail) -> Values:
    where = " · ".join(filter(None, (call.call_id, block.dialect)))
    action = next((each for each in detail.actions if each.block == block.index), None)
    if action is not None:
        return action_card(action, detail) | {"where": where}
    given = (
        call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    )
    return card(
        call.name or "(no name)",
        words(block.status),
        "bad",
        where,
        list(_messages(block)),
        value=pretty(given),
        block=block.index,
    )


def _other(block: Block) -> Values:
    """Return the card with the issues of the message itself."""
    return card("the message", words(block.status), "bad", "", list(_messages(block)), block=block.index)


def _messages(block: Block) -> Iterator[str]:
    for issue in block.issues:
        yield issue.message
