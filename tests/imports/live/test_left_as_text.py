"""A call that a model leaves as text passes the proxy as it is, and is recorded as one that failed."""

import json
from typing import Any

import httpx
import pytest
import wire_bodies as bodies
from fake_upstream import Answer, Upstream

import actionledger as al
from actionledger.imports.live.server import ProxyServer

LEFT = 'I add.\n\n<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>'
CHAT_TOOL = {"type": "function", "function": {"name": "add", "parameters": bodies.ADD}}
MESSAGE_TOOL = {"name": "add", "input_schema": bodies.ADD}


def chat(text: str) -> dict[str, Any]:
    body = bodies.chat("1", text)
    body["choices"] = [
        {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    ]
    return body


def message(text: str) -> dict[str, Any]:
    return bodies.message("1", text) | {
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }


INTERFACES = {"/v1/chat/completions": (chat, CHAT_TOOL), "/v1/messages": (message, MESSAGE_TOOL)}


@pytest.mark.parametrize("path", INTERFACES)
@pytest.mark.parametrize(
    ("text", "reason"), [(LEFT, "tool_markup_in_content"), ("I call add(a) later.", None)]
)
def test_a_call_left_as_text_has_failed(
    upstream: Upstream, ledger: al.Ledger, path: str, text: str, reason: str | None
):
    """On both interfaces; a mention of the tool is none."""
    answer, tool = INTERFACES[path]
    body = answer(text)
    upstream.answer = lambda _asked: Answer((json.dumps(body).encode(),))
    asked = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Add."}],
        "tools": [tool],
    }
    with ProxyServer(upstream.address, ledger) as proxy:
        assert httpx.post(f"{proxy.address}{path}", json=asked).json() == body
    rows = ledger.sql("SELECT outcome, reason, action_count FROM parse_attempts").fetchall()
    assert rows == [("failed" if reason else "no_action", reason, 0)]
