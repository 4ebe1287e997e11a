"""Requests of the Model Context Protocol that no server answers: bounded in memory and time, and none lost."""

import json
import tracemalloc
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.imports.live.mcp import McpLine, McpReader, McpSide
from actionledger.imports.sources.base import Item, LeftOut


def message(number: object, **said: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **said}).encode()


def call(number: object, a: object = 1) -> bytes:
    return message(number, method="tools/call", params={"name": "add", "arguments": {"a": a}})


def said(reader: McpReader, side: McpSide, data: bytes) -> list[Item]:
    return list(reader.read(McpLine(side, data, datetime(2026, 1, 2), 0.0)))


def test_requests_without_a_response_take_little_memory():
    """Two hundred identifiers of a megabyte that nobody answers, and methods as long, are known again without being kept."""
    reader = McpReader("here", session="s")
    identifiers = [f"{number} {'x' * 1_000_000}" for number in range(200)]
    tracemalloc.start()
    try:
        for each in identifiers:
            said(reader, McpSide.CLIENT, call(each))
        for number in range(20):
            said(reader, McpSide.CLIENT, message(number, method="m" * 1_000_000))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 5_000_000
    [found] = said(reader, McpSide.SERVER, message(identifiers[7], result={"content": []}))
    assert isinstance(found, RecordedSession)
    assert found.results[0].call_id.endswith("/7")
    [other] = said(reader, McpSide.SERVER, message(f"{identifiers[8]}y", result={"content": []}))
    assert isinstance(other, LeftOut)


@pytest.mark.parametrize("numbers", [range(10_050), [1] * 10_050], ids=["each its own", "all the same"])
def test_no_number_of_requests_waits_without_end(numbers: Iterable[int]):
    """Each call is recorded; beyond ten thousand that wait, a response is one of no call, and counted."""
    reader = McpReader("here", session="s")
    assert all(len(said(reader, McpSide.CLIENT, call(number))) == 1 for number in numbers)
    answered = [
        item for number in numbers for item in said(reader, McpSide.SERVER, message(number, result={}))
    ]
    assert len(answered) == 10_050
    assert sum(isinstance(item, RecordedSession) for item in answered) == 10_000


def test_calls_that_wait_for_the_list_of_tools_are_let_go_in_time():
    """A server that never lists its tools keeps no more than some megabytes of calls from the record."""
    reader = McpReader("here", session="s")
    assert said(reader, McpSide.CLIENT, message(0, method="tools/list")) == []
    waits = [len(said(reader, McpSide.CLIENT, call(number, "x" * 2**20))) for number in range(1, 51)]
    assert sum(waits) + len(list(reader.rest(is_end=True))) == 50
    assert max(waits) == 16
