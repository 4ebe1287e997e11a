"""A server of the Model Context Protocol through the proxy: the same bytes, and each call with its validation, result and time."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from forked_python import COMMAND, ForkedPython

import actionledger as al
from actionledger.core.recordings import RecordedSession
from actionledger.imports import import_sessions
from actionledger.imports.live.mcp import McpLine, McpReader, McpSide
from actionledger.imports.live.stdio import _read, _write
from actionledger.imports.live.tap import LARGEST_BODY
from actionledger.imports.sources.base import Item, LeftOut

SERVER = """
import json, sys
TOOL = {"name": "add", "description": "Adds.", "inputSchema": {"type": "object",
        "properties": {"a": {"type": "integer"}}, "required": ["a"]}}
def answer(message):
    method, given = message.get("method"), message.get("params") or {}
    if method == "initialize":
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "sums", "version": "1"}}}
    if method == "tools/list":
        return {"result": {"tools": [TOOL]}}
    if given.get("name") != "add":
        return {"error": {"code": -32602, "message": "Unknown tool: " + str(given.get("name"))}}
    a = given.get("arguments", {}).get("a")
    if not isinstance(a, int):
        return {"result": {"content": [{"type": "text", "text": "a is no number"}], "isError": True}}
    return {"result": {"content": [{"type": "text", "text": "Sum: %d \\U0001f642" % (a + 1)}]}}
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "die":
        sys.exit(7)
    if "id" in message:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}, ensure_ascii=False) + "\\n")
        sys.stdout.flush()
sys.stderr.write("bye")
"""

AWAY_FROM_MAIN = """
import signal, sys, threading
from actionledger.imports.live.stdio import StdioServer
server = StdioServer([sys.argv[1], "-c", "print('ready', flush=True); import time; time.sleep(100)"])
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
sys.exit(server.run(lambda line: None))
"""


LAST_WORDS = """
import sys
from actionledger.imports.live.stdio import StdioServer
says = "def end(*_):\\n    print('x' * 1_000_000, flush=True); sys.exit(5)\\n"
program = "import signal, sys, time\\n" + says + "signal.signal(signal.SIGTERM, end)\\nwhile True:\\n    print('more', flush=True); time.sleep(0.01)"
sys.exit(StdioServer([sys.argv[1], "-c", program]).run(lambda line: None))
"""


def ask(number: int | str | None, method: str, **params: Any) -> bytes:
    head = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **head, "method": method, "params": params}).encode() + b"\n"


HELLO = (
    ask(0, "initialize", protocolVersion="2025-06-18", clientInfo={"name": "tester", "version": "2"}),
    ask(None, "notifications/initialized"),
    ask("list", "tools/list"),
)
CALLS = (
    ask(1, "tools/call", name="add", arguments={"a": 1}),
    ask(2, "tools/call", name="add", arguments={"a": "one"}),
    ask("2", "tools/call", name="subtract", arguments={}),
)


@pytest.fixture
def server(tmp_path: Path) -> list[str]:
    path = tmp_path / "server.py"
    path.write_text(SERVER, encoding="utf-8")
    return [sys.executable, "-X", "utf8", str(path)]


def through(server: list[str], ledger: Path) -> list[str]:
    return ["mcp-proxy", "--ledger", str(ledger), "--", *server]


def rows(ledger: Path, query: str) -> list[tuple[Any, ...]]:
    with al.open_ledger(ledger, read_only=True) as opened:
        return opened.sql(query).fetchall()


def test_what_passes_is_the_same_bytes(server: list[str], tmp_path: Path, forked: ForkedPython):
    """Both ways, line by line, with the server's status and what it says beside; keeping it changes nothing."""
    said = b"".join((*HELLO, *CALLS))
    plain = subprocess.run(server, input=said, capture_output=True, check=True)
    ledger = tmp_path / "l.duckdb"
    recorded = forked.run(COMMAND, tmp_path, *through(server, ledger), stdin=said)
    assert (recorded.returncode, recorded.stdout.encode()) == (0, plain.stdout)
    assert recorded.stderr.startswith("bye")
    found = rows(ledger, "SELECT name, status, reason FROM actions ORDER BY turn_index")
    assert [row[:2] for row in found] == [("add", "valid"), ("add", "invalid"), ("subtract", "unknown")]
    results = rows(
        ledger,
        "SELECT status, reason, result LIKE '%🙂%', duration_ms > 0 FROM executions ORDER BY turn_index",
    )
    assert results[0] == ("succeeded", None, True, True)
    assert [row[:2] for row in results[1:]] == [("failed", "tool_error"), ("failed", "unknown_action")]
    [[metadata]] = rows(ledger, "SELECT metadata FROM sessions")
    assert json.loads(metadata)["server"] == {"name": "sums", "version": "1"}
    assert json.loads(metadata)["client"] == {"name": "tester", "version": "2"}
    [[tools]] = rows(ledger, "SELECT tools FROM tools")
    assert json.loads(tools)[0]["function"]["parameters"]["required"] == ["a"]


def test_an_answer_is_there_before_the_next_question(server: list[str], tmp_path: Path, forked: ForkedPython):
    """Nothing waits for more: a client asks and is answered, line by line."""
    with forked.begun(COMMAND, tmp_path, *through(server, tmp_path / "l.duckdb")) as proxy:
        for line in (HELLO[0], HELLO[2], *CALLS):
            proxy.stdin.write(line.decode())
            proxy.stdin.flush()
            assert json.loads(proxy.stdout.readline())["id"] == json.loads(line)["id"]
        proxy.stdin.close()
        assert proxy.wait() == 0


def test_a_server_that_dies_is_said_with_its_status(server: list[str], tmp_path: Path, forked: ForkedPython):
    """The call that was under way has no result, and what came before is kept."""
    ledger = tmp_path / "l.duckdb"
    said = b"".join((*HELLO, CALLS[0], ask(None, "die"), CALLS[1]))
    done = forked.run(COMMAND, tmp_path, *through(server, ledger), stdin=said)
    assert done.returncode == 7
    assert rows(ledger, "SELECT status FROM executions") == [("succeeded",)]


def test_a_ledger_that_can_not_be_opened_leaves_the_server_usable(
    server: list[str], tmp_path: Path, forked: ForkedPython
):
    """It is said beside, and every byte passes."""
    ledger = tmp_path / "l.duckdb"
    ledger.write_text("no ledger")
    plain = subprocess.run(server, input=CALLS[0], capture_output=True, check=True)
    done = forked.run(COMMAND, tmp_path, *through(server, ledger), stdin=CALLS[0])
    assert (done.returncode, done.stdout.encode()) == (0, plain.stdout)
    assert "Nothing is recorded." in done.stderr


def test_a_command_that_there_is_not_is_refused(tmp_path: Path, forked: ForkedPython):
    done = forked.run(COMMAND, tmp_path, *through([str(tmp_path / "nothing")], tmp_path / "l.duckdb"))
    assert done.returncode == 2
    assert "can't be started" in done.stderr


def test_the_client_s_signal_reaches_the_server(server: list[str], tmp_path: Path, forked: ForkedPython):
    """And what was recorded is kept."""
    ledger = tmp_path / "l.duckdb"
    with forked.begun(COMMAND, tmp_path, *through(server, ledger)) as proxy:
        proxy.stdin.write(CALLS[0].decode())
        proxy.stdin.flush()
        proxy.stdout.readline()
        proxy.send_signal(signal.SIGTERM)
        assert proxy.wait() == 128 + signal.SIGTERM
    assert rows(ledger, "SELECT status FROM executions") == [("succeeded",)]


def test_a_signal_that_another_thread_gets_reaches_the_server(
    server: list[str], tmp_path: Path, forked: ForkedPython
):
    """As one does that comes just before the proxy waits for more."""
    with forked.begun(AWAY_FROM_MAIN, tmp_path, *server) as proxy:
        assert proxy.stdout.readline() == "ready\n"
        proxy.send_signal(signal.SIGTERM)
        assert proxy.wait() == 128 + signal.SIGTERM


def test_a_server_with_last_words_ends_though_its_client_has_gone(
    server: list[str], tmp_path: Path, forked: ForkedPython
):
    """Nobody reads them any more: it waited for a reader, and the proxy for it, for ever."""
    with forked.begun(LAST_WORDS, tmp_path, *server[:1]) as proxy:
        assert proxy.stdout.readline() == "more\n"
        proxy.stdout.close()
        assert proxy.wait() != 0


def test_pipes_that_do_not_wait_are_waited_for():
    """Some clients hand over such ones: a moment without a byte was taken for the end, and a full pipe for a client that has gone."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    data, came = random.Random(1).randbytes(300_000), bytearray()

    def write() -> None:
        _write(writing, data)
        os.close(writing)

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        while piece := _read(reading):
            came += piece
        written.result()
    os.close(reading)
    assert bytes(came) == data


def test_connections_of_one_session_lose_no_call_of_each_other(
    server: list[str], tmp_path: Path, forked: ForkedPython
):
    """The calls of the second one were taken for those of the first, by their number."""
    ledger = tmp_path / "l.duckdb"
    for number in (1, 2):
        said = b"".join(
            (
                HELLO[2],
                *(ask(n, "tools/call", name="add", arguments={"a": 10 * number + n}) for n in range(3)),
            )
        )
        proxied = ["mcp-proxy", "--ledger", str(ledger), "--session", "s", "--", *server]
        done = forked.run(COMMAND, tmp_path, *proxied, stdin=said)
        assert "3 calls and 3 results imported; 0 turns were already recorded" in done.stderr
    found = rows(ledger, "SELECT turn_index, arguments->>'a' FROM actions ORDER BY ALL")
    assert found == [(place, str(a)) for place, a in enumerate((10, 11, 12, 20, 21, 22))]


class Talk:
    """Lines of a connection, a second apart."""

    def __init__(self) -> None:
        self.reader = McpReader("here", session="s")
        self.clock = 0.0

    def say(self, side: McpSide, line: bytes) -> list[Item]:
        self.clock += 1.0
        at = datetime(2026, 1, 2, 3, 4, int(self.clock))
        return list(self.reader.read(McpLine(side, line, at, self.clock)))

    def all(self, *lines: tuple[McpSide, bytes]) -> Iterator[Item]:
        for side, line in lines:
            yield from self.say(side, line)


def answer(number: object, **said: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **said}).encode()


def test_answers_out_of_order_are_of_their_own_calls(ledger: al.Ledger):
    """By their identifier, of which 2 and "2" are two; a call that is cancelled has been stopped, whatever comes late."""
    told = {"content": [{"type": "text", "text": "late"}]}
    items = Talk().all(
        *((McpSide.CLIENT, line) for line in CALLS),
        (McpSide.SERVER, answer("2", result={"content": [{"type": "text", "text": "third"}]})),
        (McpSide.CLIENT, ask(None, "notifications/cancelled", requestId=2, reason="enough")),
        (McpSide.SERVER, answer(2, result=told)),
        (McpSide.SERVER, answer(1, error={"code": -32602, "message": "Invalid arguments: a"})),
    )
    report = import_sessions(ledger, items, source="mcp")
    assert (report.turns, report.calls, report.results) == (3, 3, 3)
    found = ledger.sql(
        "SELECT turn_index, status, reason, duration_ms FROM executions ORDER BY ALL"
    ).fetchall()
    assert found == [
        (0, "failed", "schema_error", 6000.0),
        (1, "interrupted", "stopped", 3000.0),
        (2, "succeeded", None, 1000.0),
    ]
    told = ledger.sql("SELECT reason, detail, count FROM left_out").fetchall()
    assert told == [("no_call", "response", 1)]


def test_calls_that_share_an_identifier_are_answered_in_their_order(ledger: al.Ledger):
    """The first answer went to the last call, and the other one to nobody."""
    said = [answer(1, result={"content": [{"type": "text", "text": text}]}) for text in ("one", "two")]
    calls = [ask(1, "tools/call", name="add", arguments={"a": a}) for a in (1, 2)]
    items = Talk().all(
        *((McpSide.CLIENT, each) for each in calls), *((McpSide.SERVER, each) for each in said)
    )
    import_sessions(ledger, items, source="mcp")
    asked = "SELECT turn_index, result->>'$' FROM executions ORDER BY ALL"
    assert ledger.sql(asked).fetchall() == [(0, "one"), (1, "two")]


def test_calls_wait_for_no_list_of_a_server_that_is_gone():
    """Calls that were made in the same breath as its tools were asked for: they were lost."""
    talk = Talk()
    assert [*talk.all((McpSide.CLIENT, HELLO[2]), (McpSide.CLIENT, CALLS[0]))] == []
    assert list(talk.reader.rest(is_end=False)) == []
    [item] = talk.reader.rest(is_end=True)
    assert isinstance(item, RecordedSession)
    assert item.turns[0].calls[0].name == "add"


def test_a_request_of_the_server_is_no_response():
    """Its identifiers are its own: one that is the call's took the call's place, and its result came to nothing."""
    talk = Talk()
    talk.say(McpSide.CLIENT, CALLS[0])
    [request] = talk.say(McpSide.SERVER, ask(1, "tools/call", name="add"))
    [response] = talk.say(McpSide.CLIENT, answer(1, result={}))
    [result] = talk.say(McpSide.SERVER, answer(1, result={}))
    assert isinstance(request, LeftOut)
    assert isinstance(response, LeftOut)
    assert isinstance(result, RecordedSession)
    assert len(result.results) == 1


def test_every_message_is_a_call_s_or_counted():
    """Responses to what is only counted need no count of their own."""
    talk = Talk()
    said = [
        (McpSide.CLIENT, ask(5, "resources/list")),
        (McpSide.SERVER, answer(5, result={})),
        (McpSide.SERVER, answer(5, result={})),
        (McpSide.CLIENT, ask(None, "notifications/cancelled", requestId=77)),
        (McpSide.CLIENT, b"[]"),
        (McpSide.CLIENT, b"x" * LARGEST_BODY),
    ]
    found = [[(item.reason.value, item.detail) for item in talk.say(*each)] for each in said]
    assert found == [
        [("bookkeeping", "resources/list")],
        [],
        [("no_call", "response")],
        [("bookkeeping", "notifications/cancelled")],
        [("not_an_object", "client")],
        [("too_large", "line of the client")],
    ]


def test_pages_of_tools_are_one_list_and_a_new_list_takes_its_place():
    talk = Talk()

    def listed(number: int, name: str, **params: Any) -> None:
        talk.say(McpSide.CLIENT, ask(number, "tools/list", **params))
        talk.say(
            McpSide.SERVER,
            answer(number, result={"tools": [{"name": name, "inputSchema": {"type": "object"}}]}),
        )

    def names() -> list[str]:
        [item] = talk.say(McpSide.CLIENT, CALLS[0])
        return [each["function"]["name"] for each in json.loads(item.turns[0].tools)]  # type: ignore[union-attr]

    listed(1, "a")
    listed(2, "b", cursor="next")
    assert names() == ["a", "b"]
    listed(3, "c")
    assert names() == ["c"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"Listening on stdio", "unreadable"),
        (b"7", "not_an_object"),
        (b'{"method": "ping", "id": 1}', "bookkeeping"),
        (b"[" * 100_000, "unreadable"),
        (b'{"method": "x", "params": ' + b"[" * 300 + b"]" * 300 + b"}", "not_an_object"),
    ],
)
def test_what_is_no_call_is_counted(line: bytes, reason: str):
    [item] = Talk().say(McpSide.SERVER, line)
    assert isinstance(item, LeftOut)
    assert item.reason == reason


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, True])
@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call", "notifications/cancelled"])
def test_no_value_where_another_was_meant_ends_anything(value: Any, method: str):
    talk = Talk()
    for asked in (
        {"params": value},
        {"params": {"name": value, "arguments": value, "requestId": value, "cursor": value}},
    ):
        message = json.dumps({"id": value, "method": method, **asked}).encode()
        talk.say(McpSide.CLIENT, message)
        for told in (
            {"result": value},
            {"error": value},
            {"result": {"tools": value, "content": value, "serverInfo": value}},
        ):
            talk.say(McpSide.CLIENT, message)
            talk.say(McpSide.SERVER, answer(value, **told))
