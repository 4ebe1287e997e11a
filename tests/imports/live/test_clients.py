"""Clients and functions that are recorded in one line do what they did."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import wire_bodies as bodies
from fake_upstream import Act, Answer, Asked, Upstream
from forked_python import ForkedPython

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.imports.live import calls
from actionledger.imports.live.clients import recording_of
from actionledger.ledger.queries.progress import next_turn_indexes
from actionledger.ledger.storage.files import LedgerFiles

KEY = "sk-proj-" + "Ab12Cd34" * 6
ASK = {"model": "gpt-x", "messages": [{"role": "user", "content": "Add."}]}
TOLD = {"model": "claude-x", "max_tokens": 9, "messages": ASK["messages"]}


@pytest.fixture
def provider(upstream: Upstream) -> Upstream:
    def answer(asked: Asked) -> Answer:
        number, is_chat = str(len(upstream.asked)), "chat" in asked.path
        if asked.json.get("stream"):
            made = bodies.chat_stream(number) if is_chat else bodies.message_stream(number)
            return Answer(made, content_type="text/event-stream")
        return Answer((json.dumps(bodies.chat(number) if is_chat else bodies.message(number)).encode(),))

    upstream.answer = answer
    return upstream


def recorded(ledger: al.Ledger) -> list[tuple[Any, ...]]:
    """Return the turns after everything that waits was written."""
    ledger.close()
    query = "SELECT text LIKE 'Grüße 🙂%', output_tokens, finish_reason FROM turns ORDER BY occurred_at"
    with al.open_ledger(ledger.path, read_only=True) as again:
        assert again.sql("SELECT name, arguments FROM actions GROUP BY ALL").fetchall() == [
            ("add", '{"a":1}')
        ]
        return again.sql(query).fetchall()


def rows(ledger: al.Ledger, query: str) -> list[tuple[Any, ...]]:
    ledger.close()
    with al.open_ledger(ledger.path, read_only=True) as again:
        return again.sql(query).fetchall()


def test_openai_s_client_is_recorded_whole_and_streamed(provider: Upstream, ledger: al.Ledger):
    """The client that was given stays as it is."""
    openai = pytest.importorskip("openai", reason="OpenAI's library is not installed")
    plain = openai.OpenAI(api_key=KEY, base_url=f"{provider.address}/v1")
    client = al.record(plain, ledger=ledger)
    assert type(client) is type(plain)
    whole = client.chat.completions.create(**ASK)
    assert whole.choices[0].message.tool_calls[0].function.arguments == '{"a": 1}'
    pieces = [
        each.choices[0].delta.content
        for each in client.chat.completions.create(**ASK, stream=True)
        if each.choices
    ]
    assert pieces[0] == "Grüße 🙂"
    plain.chat.completions.create(**ASK)
    assert provider.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert recorded(ledger) == [(True, 7, "tool_calls")] * 2


def test_anthropic_s_client_is_recorded_whole_and_streamed(provider: Upstream, ledger: al.Ledger):
    anthropic = pytest.importorskip("anthropic", reason="Anthropic's library is not installed")
    client = al.record(anthropic.Anthropic(api_key=KEY, base_url=provider.address), ledger=ledger)
    assert client.messages.create(**TOLD).content[1].input == {"a": 1}
    with client.messages.stream(**TOLD) as stream:
        assert "".join(stream.text_stream) == "Grüße 🙂"
        assert stream.get_final_message().content[1].input == {"a": 1}
    assert recorded(ledger) == [(True, 7, "tool_use")] * 2


def test_asynchronous_clients_are_recorded(provider: Upstream, ledger: al.Ledger):
    openai = pytest.importorskip("openai", reason="OpenAI's library is not installed")
    anthropic = pytest.importorskip("anthropic", reason="Anthropic's library is not installed")

    async def ask() -> None:
        url = provider.address
        first = al.record(openai.AsyncOpenAI(api_key=KEY, base_url=f"{url}/v1"), ledger=ledger)
        second = al.record(anthropic.AsyncAnthropic(api_key=KEY, base_url=url), ledger=ledger)
        await asyncio.gather(*(first.chat.completions.create(**ASK) for _ in range(5)))
        async for _ in await first.chat.completions.create(**ASK, stream=True):
            pass
        async with second.messages.stream(**TOLD) as stream:
            assert (await stream.get_final_message()).stop_reason == "tool_use"

    asyncio.run(ask())
    assert sorted(recorded(ledger)) == [(True, 7, "tool_calls")] * 6 + [(True, 7, "tool_use")]


def test_an_http_client_is_recorded_with_its_own_settings(provider: Upstream, ledger: al.Ledger):
    """What it sends by default goes on; headers are no part of the record."""
    with httpx.Client(base_url=provider.address, headers={"X-Key": KEY}) as plain:
        client = al.record(plain, ledger=ledger)
        got = client.post("/v1/chat/completions", json=ASK)
    assert got.json() == bodies.chat("1")
    assert recorded(ledger) == [(True, 7, "tool_calls")]
    assert [
        file for file in ledger.path.parent.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()
    ] == []


def test_what_breaks_breaks_as_it_did(upstream: Upstream, ledger: al.Ledger):
    """The client's own error reaches the caller; the record says what came."""
    upstream.answer = lambda _asked: Answer(
        (*bodies.chat_stream("1")[:3], Act.CUT), content_type="text/event-stream"
    )
    with httpx.Client() as plain:
        client = al.record(plain, ledger=ledger)
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(f"{upstream.address}/v1/chat/completions", json=ASK)
        with pytest.raises(httpx.ConnectError):
            client.post("http://127.0.0.1:1/v1/chat/completions", json=ASK)
    assert rows(ledger, "SELECT finish_reason FROM turns") == [("cut_by_server",)]


def test_a_function_of_any_kind_is_recorded(ledger: al.Ledger):
    """Plain, asynchronous, and both that yield pieces; what it returns is returned."""
    text = 'Now. <tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'

    def plain() -> str:
        return text

    async def later() -> str:
        return text

    def pieces() -> Iterator[str]:
        yield from text

    async def pieces_later() -> AsyncIterator[str]:
        for each in text:
            yield each

    def about(function: Any) -> Any:
        return al.record(function, ledger=ledger, session="s", model="m")

    async def ask() -> tuple[str, list[str]]:
        return await about(later)(), [each async for each in about(pieces_later)()]

    assert about(plain)() == text
    assert list(about(pieces)()) == list(text)
    assert asyncio.run(ask()) == (text, list(text))
    query = "SELECT turn_index, text, model, latency_ms >= 0 FROM turns ORDER BY turn_index"
    assert rows(ledger, query) == [(number, text, "m", True) for number in range(4)]


def test_a_function_that_fails_or_returns_something_else_is_counted(ledger: al.Ledger):
    """It fails for its caller as before; a stream that nobody wants to its end is recorded as far as it came."""

    def fails() -> str:
        raise TimeoutError

    def pieces() -> Iterator[str]:
        yield "One"
        yield "two"

    with pytest.raises(TimeoutError):
        al.record(fails, ledger=ledger)()
    unreadable = object()
    assert al.record(lambda: unreadable, ledger=ledger)() is unreadable
    begun = al.record(pieces, ledger=ledger)()
    assert next(begun) == "One"
    begun.close()
    ledger.close()
    with al.open_ledger(ledger.path, read_only=True) as again:
        told = set(again.sql("SELECT reason, detail FROM left_out").fetchall())
        assert told == {("no_response", "TimeoutError"), ("unknown_kind", "object")}
        assert again.sql("SELECT text FROM turns").fetchall() == [("One",)]


def test_a_message_is_recorded_with_its_calls_and_what_is_known_beside(ledger: al.Ledger):
    """A response as the libraries return it, or as decoded JSON; what the caller changes later is not what was answered."""
    answer = bodies.chat("1")
    with al.recorded_call(ledger, "s", model="gpt-x", tools=[]) as call:
        call.answered(answer, results=[{"call_id": "call_1", "output": "no", "is_error": True}])
        answer_before = json.dumps(answer)
    answer["choices"][0]["message"]["content"] = "changed"
    ledger.close()
    with al.open_ledger(ledger.path, read_only=True) as again:
        assert again.sql("SELECT text LIKE 'Grüße%', output_tokens FROM turns").fetchall() == [(True, 7)]
        assert again.sql("SELECT status, reason FROM executions").fetchall() == [("failed", "tool_error")]
    assert "Grüße" in json.loads(answer_before)["choices"][0]["message"]["content"]


def test_a_usage_that_cant_be_never_costs_the_response(ledger: al.Ledger):
    """The program goes on, and so does what is recorded of it: what can't be is not."""
    for took in (7, {"output_tokens": -3, "input_tokens": 4}, {"oops": 1}, al.Usage(cost_usd=-1.0)):
        with al.recorded_call(ledger, "s", model="m") as call:
            call.answered("All done.", usage=took)
    ledger.close()
    asked = "SELECT input_tokens, output_tokens, cost_usd FROM turns ORDER BY turn_index"
    with al.open_ledger(ledger.path, read_only=True) as again:
        assert again.sql(asked).fetchall() == [(None,) * 3, (4, None, None), (None,) * 3, (None,) * 3]
        assert again.sql("FROM left_out").fetchall() == []


def test_what_is_no_client_is_refused(ledger: al.Ledger):
    with pytest.raises(
        UsageError, match="A client of OpenAI, Anthropic or httpx is recorded, or a function; not int"
    ):
        al.record(7, ledger=ledger)


PRICES = '[[model]]\nmodel = "m*"\ninput = 1.0\noutput = 4.0\n'
TOOK = {"input_tokens": 1_000_000, "output_tokens": 500_000}


def test_calls_are_priced_by_a_file(ledger: al.Ledger, tmp_path: Path):
    """A function's and a block's; other prices for the same ledger are refused, and none leave those that hold."""
    (tmp_path / "prices.toml").write_text(PRICES)
    prices = al.Prices.of(tmp_path / "prices.toml")
    with al.recorded_call(ledger, "s1", model="m1") as call:
        call.answered("Before.", usage=TOOK)
    assert recording_of(ledger).drain(10)
    with al.recorded_call(ledger, "s1", model="m1", prices=tmp_path / "prices.toml") as call:
        call.answered("After.", usage=TOOK)
    answer = {
        "role": "assistant",
        "content": "Hi",
        "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 1},
    }
    al.record(lambda: answer, ledger=ledger, session="s2", model="m2", prices=prices)()
    al.record(lambda: answer, ledger=ledger, session="s3", model="other")()
    with pytest.raises(UsageError, match="priced by other prices"):
        al.record(print, ledger=ledger, prices=al.Prices(prices.rows * 2))
    assert recording_of(ledger).drain(10)
    found = ledger.sql("SELECT text, cost_usd, cost_origin FROM turns ORDER BY model, turn_index").fetchall()
    assert found == [
        ("Before.", None, None),
        ("After.", 3.0, "prices"),
        ("Hi", pytest.approx(1.000004), "prices"),
        ("Hi", None, None),
    ]


def test_sessions_are_asked_for_all_at_once(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """However many are recorded, and each goes on where the ledger has come to; what another began since is seen by the next asking."""
    for number in range(3):
        with al.recorded_call(ledger, f"s{number}") as call:
            call.answered(f"First of {number}.")
    assert recording_of(ledger).drain(10)
    asked: list[str] = []
    monkeypatch.setattr(
        calls,
        "next_turn_indexes",
        lambda there, source: asked.append(source) or next_turn_indexes(there, source),
    )
    reader = calls.CallReader(ledger, "here")
    about = [calls.CallAbout(f"s{number}") for number in (*range(50), 1)]
    made = [calls.Answered(each, "Hi.", "str", "", datetime(2026, 1, 1), 1.0, 1) for each in about]
    places = [(item.external_id, item.turns[0].index) for each in made for item in reader.read(each)]
    assert places[:4] == [("s0", 1), ("s1", 1), ("s2", 1), ("s3", 0)]
    assert (places[-1], asked) == (("s1", 2), ["live"])
    monkeypatch.setattr(calls, "FRESH", 0.0)
    list(reader.read(calls.Answered(calls.CallAbout("new"), "Hi.", "str", "", datetime(2026, 1, 1), 1.0, 1)))
    assert asked == ["live", "live"]


RECORDING = """
import sys
import actionledger as al

with al.open_ledger("team.duckdb") as ledger:
    ask = al.record(lambda text: text, ledger=ledger, session="s")
    for said in sys.stdin:
        ask(said)
        print("asked", flush=True)
"""


def test_programs_that_record_into_one_session_at_once_keep_each_response(
    tmp_path: Path, forked: ForkedPython
):
    """They took the same places, and whichever came second was known already, and lost."""
    with forked.begun(RECORDING, tmp_path) as one, forked.begun(RECORDING, tmp_path) as other:
        for number in range(3):
            for name, program in (("one", one), ("other", other)):
                program.stdin.write(f"{name} {number}\n")
                program.stdin.flush()
                assert program.stdout.readline() == "asked\n"
        for program in (one, other):
            program.stdin.close()
            assert program.wait() == 0
    with al.open_ledger(tmp_path / "team.duckdb", read_only=True) as there:
        found = there.sql("SELECT turn_index, text FROM turns").fetchall()
    assert sorted(index for index, _ in found) == list(range(6))
    assert sorted(text for _, text in found) == [
        f"{who} {number}\n" for who in ("one", "other") for number in range(3)
    ]


def test_a_place_that_can_not_be_held_loses_no_response(ledger: al.Ledger):
    """As on a disk that is full: it is counted by this process alone."""
    LedgerFiles.at(ledger.path).places.write_text("no folder")
    reader = calls.CallReader(ledger, "here")
    made = calls.Answered(calls.CallAbout("s"), "Hi.", "str", "", datetime(2026, 1, 1), 1.0, 1)
    assert [item.turns[0].index for _ in range(3) for item in reader.read(made)] == [0, 1, 2]


FORKING = """
import os
import actionledger as al

def ask(text):
    return text

with al.open_ledger("team.duckdb") as ledger:
    ask = al.record(ask, ledger=ledger, session="s")
    ask("parent 1")
    child = os.fork()
    if not child:
        ask("child 1")
        ask("child 2")
        ledger.close()
        os._exit(0)
    os.waitpid(child, 0)
    ask("parent 2")
"""


def test_a_forked_child_has_a_session_of_its_own(tmp_path: Path, forked: ForkedPython):
    """Its turns took the places that the parent's have next: whichever came second was known already, and lost."""
    assert forked.run(FORKING, tmp_path).returncode == 0
    with al.open_ledger(tmp_path / "team.duckdb", read_only=True) as there:
        found = there.sql(
            "SELECT regexp_replace(external_id, '[0-9]+', 'N'), turn_index, text "
            "FROM turns JOIN sessions USING (session_id) ORDER BY ALL"
        ).fetchall()
    assert found == [
        ("s", 0, "parent 1"),
        ("s", 1, "parent 2"),
        ("s (process N)", 0, "child 1"),
        ("s (process N)", 1, "child 2"),
    ]
