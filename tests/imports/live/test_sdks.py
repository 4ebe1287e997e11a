"""The providers' own libraries through the proxy: what they make of a response is what they make of it without."""

import json
from typing import Any

import pytest
import wire_bodies as bodies
from fake_upstream import Answer, Asked, Upstream

import actionledger as al
from actionledger.imports.live.server import ProxyServer

openai = pytest.importorskip("openai", reason="OpenAI's library is not installed")

SSE = "text/event-stream"
STREAMS = {
    "/v1/chat/completions": bodies.chat_stream,
    "/v1/responses": bodies.response_stream,
    "/v1/messages": bodies.message_stream,
}
WHOLE = {
    "/v1/chat/completions": bodies.chat,
    "/v1/responses": bodies.response,
    "/v1/messages": bodies.message,
}
TOOL = {"name": "add", "description": "", "input_schema": bodies.ADD}
ASKS: dict[str, dict[str, Any]] = {
    "chat": {"model": "gpt-x", "messages": [{"role": "user", "content": "Add."}]},
    "responses": {"model": "gpt-x", "input": "Add."},
    "anthropic": {
        "model": "claude-x",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Add."}],
        "tools": [TOOL],
    },
}


@pytest.fixture
def provider(upstream: Upstream) -> Upstream:
    def answer(asked: Asked) -> Answer:
        number = str(len(upstream.asked))
        if asked.json.get("stream"):
            return Answer(STREAMS[asked.path](number), content_type=SSE)
        return Answer((json.dumps(WHOLE[asked.path](number)).encode(),))

    upstream.answer = answer
    return upstream


def clients(address: str) -> dict[str, Any]:
    """Return what asks each interface, by its name."""
    asks = openai.OpenAI(api_key="k", base_url=f"{address}/v1", max_retries=0)
    found = {"chat": asks.chat.completions.create, "responses": asks.responses.create}
    anthropic = pytest.importorskip("anthropic", reason="Anthropic's library is not installed")
    found["anthropic"] = anthropic.Anthropic(api_key="k", base_url=address, max_retries=0).messages.create
    return found


def seen(answer: Any, *, stream: bool) -> Any:
    """Return what a client sees of an answer, without what is different in each."""
    parts = [each.model_dump() for each in answer] if stream else answer.model_dump()
    for each in parts if stream else [parts]:
        each.pop("_request_id", None)
    return parts


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("interface", sorted(ASKS))
def test_a_library_sees_the_same_and_the_ledger_sees_it_all(
    provider: Upstream, ledger: al.Ledger, interface: str, stream: bool
):
    """OpenAI's chat and Responses interfaces and Anthropic's messages, streamed and not."""
    direct = seen(clients(provider.address)[interface](**ASKS[interface], stream=stream), stream=stream)
    provider.asked.clear()
    with ProxyServer(provider.address, ledger) as proxy:
        through = seen(clients(proxy.address)[interface](**ASKS[interface], stream=stream), stream=stream)
    assert through == direct
    [turn] = ledger.sql("SELECT text, input_tokens, output_tokens, message_id, model FROM turns").fetchall()
    whole = next(make for path, make in WHOLE.items() if provider.asked[0].path == path)("1")
    assert turn[0].startswith("Grüße 🙂")
    assert turn[1:] == (11, 7, whole["id"], whole["model"])
    assert ledger.sql("SELECT name, arguments FROM actions").fetchall() == [("add", '{"a":1}')]
    as_written = stream or interface != "anthropic"
    assert ledger.sql("SELECT capture FROM turns").fetchall() == [("arguments" if as_written else "calls",)]
