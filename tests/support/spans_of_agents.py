"""Traces of made-up agents as values of OTLP's JSON: conversations with calls, tools' spans, a sub-agent, and requests told twice."""

import json
from typing import Any

BEGIN = 1_758_026_593_000_000_000


def value(held: object) -> dict[str, Any]:
    if isinstance(held, bool):
        return {"boolValue": held}
    if isinstance(held, int):
        return {"intValue": str(held)}
    return {"stringValue": held}


def span(
    number: int, operation: str, given: dict[str, object], *, trace: int, parent: int = 0
) -> dict[str, Any]:
    known = {"gen_ai.operation.name": operation, **given}
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{trace * 1000 + number:016x}",
        **({"parentSpanId": f"{trace * 1000 + parent:016x}"} if parent else {}),
        "name": f"{operation} x",
        "startTimeUnixNano": str(BEGIN + (trace * 1000 + number) * 10**9),
        "endTimeUnixNano": str(BEGIN + (trace * 1000 + number) * 10**9 + 5 * 10**8),
        "attributes": [{"key": key, "value": value(each)} for key, each in known.items()],
    }


def batch(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def text(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": words}]}


def chat(
    number: int, shown: list[Any], said: dict[str, Any], *, trace: int, parent: int, **more: object
) -> dict[str, Any]:
    given = {
        "gen_ai.input.messages": json.dumps(shown),
        "gen_ai.output.messages": json.dumps([said]),
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 10 * number,
        "gen_ai.usage.output_tokens": number,
        **more,
    }
    return span(number, "chat", given, trace=trace, parent=parent)


def agent(trace: int, conversation: str = "") -> list[dict[str, Any]]:
    """Return a trace: an agent that asks twice and calls a tool that is an agent itself, one request wrapped in another."""
    asked = text("user", f"Where is {trace}? 你好 🙂")
    called = text("assistant", "I look.")
    called["parts"].append({"type": "tool_call", "id": f"c{trace}", "name": "look", "arguments": '{"at": 1}'})
    seen = {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": f"c{trace}", "response": "Exit code 1"}],
    }
    named = {"gen_ai.conversation.id": conversation} if conversation else {}
    tool = {
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": f"c{trace}",
        "gen_ai.tool.call.result": "Exit code 1",
    }
    return [
        span(1, "invoke_agent", {"gen_ai.agent.name": "main", **named}, trace=trace),
        chat(2, [asked], called, trace=trace, parent=1),
        span(3, "execute_tool", tool, trace=trace, parent=1),
        span(4, "invoke_agent", {"gen_ai.agent.name": "below"}, trace=trace, parent=3),
        chat(5, [text("user", "Look.")], text("assistant", "Seen."), trace=trace, parent=4),
        {
            **chat(6, [asked, called, seen], text("assistant", "It is there."), trace=trace, parent=1),
            "name": "outer",
        },
        chat(7, [asked, called, seen], text("assistant", "It is there."), trace=trace, parent=6),
        span(8, "GET", {"http.request.method": "GET"}, trace=trace, parent=7),
    ]
