"""A recording proxy between a client and a model's server: what passes is the same bytes, and what is recorded is what passed."""

import gzip
import json
import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
import wire_bodies as bodies
from fake_upstream import Act, Answer, Asked, Upstream
from forked_python import COMMAND, ForkedPython

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.imports.live.proxy import Proxy, upstream_of
from actionledger.imports.live.server import ProxyServer

KEY = "sk-proj-" + "Ab12Cd34" * 6
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": bodies.ADD}}]
SSE = "text/event-stream"


def asks(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "model": "gpt-x",
        "messages": messages or [{"role": "user", "content": "Add."}],
        "tools": TOOLS,
        **more,
    }


def one(ledger: al.Ledger, query: str) -> Any:
    [row] = ledger.sql(query).fetchall()
    return row


def left_out(ledger: al.Ledger) -> set[tuple[str, str, int]]:
    return set(ledger.sql("SELECT reason, detail, count FROM left_out").fetchall())


def test_a_server_that_cannot_begin_says_so(upstream: Upstream, ledger: al.Ledger, monkeypatch):
    """As where no more files may be open: nobody waits for it."""

    def refused(of_server) -> None:
        of_server.close()
        raise OSError("Too many open files")

    server = ProxyServer(upstream.address, ledger)
    monkeypatch.setattr("actionledger.imports.live.server.asyncio.run", refused)
    with pytest.raises(OSError, match="Too many"), server:
        pytest.fail("It serves.")


def test_a_stream_passes_as_it_comes_byte_for_byte(upstream: Upstream, ledger: al.Ledger):
    """Each piece is with the client before the server writes the next one."""
    pieces = bodies.chat_stream("1")
    upstream.answer = lambda _asked: Answer(
        pieces, content_type=SSE, headers={"X-Request-Id": "r1"}, waits=True
    )
    with ProxyServer(upstream.address, ledger) as proxy:
        with httpx.stream(
            "POST", f"{proxy.address}/v1/chat/completions?key={KEY}", json=asks(stream=True)
        ) as got:
            came = b""
            arrived = got.iter_raw()
            for number in range(len(pieces)):
                upstream.go_on()
                while len(came) < sum(map(len, pieces[: number + 1])):
                    came += next(arrived)
            upstream.go_on()
            assert list(arrived) == []
        assert came == b"".join(pieces)
        assert got.headers["x-request-id"] == "r1"
        assert upstream.asked[0].path == f"/v1/chat/completions?key={KEY}"
    row = one(ledger, "SELECT capture, model, output_tokens, finish_reason FROM turns")
    assert row == ("arguments", "gpt-x", 7, "tool_calls")
    assert one(ledger, "SELECT time_to_first_token_ms <= latency_ms FROM turns") == (True,)
    assert one(ledger, "SELECT name, status, arguments FROM actions") == ("add", "valid", '{"a":1}')


def test_a_conversation_is_one_session_with_what_came_of_its_calls(upstream: Upstream, ledger: al.Ledger):
    """A request repeats what was said: its results belong to the calls of the turn before, and nothing is there twice."""
    upstream.answer = lambda asked: Answer(
        (json.dumps(bodies.chat(str(len(asked.json["messages"])))).encode(),)
    )
    history: list[dict[str, Any]] = [{"role": "user", "content": "Add."}]
    with ProxyServer(upstream.address, ledger) as proxy:
        for _ in range(4):
            got = httpx.post(f"{proxy.address}/v1/chat/completions", json=asks(*history)).json()
            said = got["choices"][0]["message"]
            content = "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n"  # as an agent says it; a line alone may be printed
            history += [
                said,
                {"role": "tool", "tool_call_id": said["tool_calls"][0]["id"], "content": content},
            ]
    assert one(ledger, "SELECT count(*), count(DISTINCT session_id), max(turn_index) FROM turns") == (4, 1, 3)
    assert one(ledger, "SELECT count(*) FROM tools") == (1,)
    reasons = ledger.sql(
        "SELECT status, reason, count(*) FROM executions WHERE origin = 'recorded' GROUP BY ALL"
    )
    assert reasons.fetchall() == [("failed", "command_failed", 3)]


def test_a_session_is_the_one_that_its_client_names(upstream: Upstream, ledger: al.Ledger, tmp_path: Path):
    """In a header, too: a sub-agent is linked, and no other header is kept."""
    upstream.answer = lambda asked: Answer((json.dumps(bodies.chat(str(len(upstream.asked)))).encode(),))
    key = {"authorization": f"Bearer {KEY}", "x-secret": "a-secret-of-mine"}
    with ProxyServer(upstream.address, ledger) as proxy:
        for told in ({}, {"x-claude-code-agent-id": "a1"}, {}):
            named = key | {"X-Claude-Code-Session-Id": "s1"} | told
            httpx.post(f"{proxy.address}/v1/chat/completions", json=asks(), headers=named)
    query = "SELECT s.external_id, relation, count(*) FROM sessions s JOIN turns USING (session_id) GROUP BY ALL ORDER BY 1"
    assert ledger.sql(query).fetchall() == [("s1", None, 2), ("s1/a1", "subagent", 1)]
    ledger.close()
    assert not any(b"a-secret-of-mine" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_no_key_is_recorded_and_the_client_s_goes_on(upstream: Upstream, ledger: al.Ledger, tmp_path: Any):
    """Neither of a header, nor of a query, nor of a body; the upstream gets it all the same."""
    upstream.answer = lambda _asked: Answer((json.dumps(bodies.chat("1", f"export KEY={KEY}")).encode(),))
    headers = {"Authorization": f"Bearer {KEY}", "X-Api-Key": KEY}
    with ProxyServer(upstream.address, ledger) as proxy:
        body = asks({"role": "user", "content": f"My key is {KEY}."})
        httpx.post(f"{proxy.address}/v1/chat/completions?key={KEY}", json=body, headers=headers)
    assert upstream.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert upstream.asked[0].headers["x-api-key"] == KEY
    assert one(ledger, "SELECT count(*) FROM turns") == (1,)
    ledger.ingest()
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert files
    assert [each for each in files if KEY.encode() in each.read_bytes()] == []


@pytest.mark.parametrize(
    ("answer", "status", "told"),
    [
        (
            Answer((b'{"error": {"type": "overloaded_error", "message": "x"}}',), 529),
            529,
            "529 overloaded_error",
        ),
        (Answer((b"<html>no</html>",), 502, "text/html"), 502, "502 unreadable body"),
        (Answer((Act.HANG_UP,)), 502, "cut_by_server"),
    ],
)
def test_an_error_passes_and_is_recorded_as_one(
    upstream: Upstream, ledger: al.Ledger, answer: Answer, status: int, told: str
):
    """The client sees the server's own status and body; the record says that nothing was answered, and why."""
    upstream.answer = lambda _asked: answer
    with ProxyServer(upstream.address, ledger) as proxy:
        got = httpx.post(f"{proxy.address}/v1/chat/completions", json=asks())
    assert got.status_code == status
    if answer.pieces != (Act.HANG_UP,):
        assert got.content == answer.pieces[0]
    assert left_out(ledger) == {("no_response", told, 1)}


def test_what_can_not_be_reached_or_is_silent_is_said(upstream: Upstream, ledger: al.Ledger):
    """A gateway's status, with a reason that a client's library can read."""
    with ProxyServer("http://127.0.0.1:1", ledger) as proxy:
        got = httpx.post(f"{proxy.address}/v1/messages", json=asks())
    assert (got.status_code, got.json()["error"]["type"]) == (502, "upstream_failed")
    upstream.answer = lambda _asked: Answer((Act.STALL,), before_head=True)
    with ProxyServer(upstream.address, ledger, silence=0.2) as proxy:
        got = httpx.post(f"{proxy.address}/v1/chat/completions", json=asks())
    assert (got.status_code, got.json()["error"]["type"]) == (504, "upstream_timeout")
    assert left_out(ledger) == {("no_response", "unreachable", 1), ("no_response", "timeout", 1)}


def test_a_stream_that_breaks_in_the_middle_breaks_there_for_the_client(
    upstream: Upstream, ledger: al.Ledger
):
    """Not at a seemly end: the client must not take a part for the whole. The part is recorded, and that it is one."""
    pieces = bodies.message_stream("1")[:6]
    upstream.answer = lambda _asked: Answer((*pieces, Act.CUT), content_type=SSE)
    came = []
    with ProxyServer(upstream.address, ledger) as proxy:
        asking = httpx.stream("POST", f"{proxy.address}/v1/messages", json=asks(stream=True))
        with pytest.raises(httpx.RemoteProtocolError), asking as got:
            came.extend(got.iter_raw())
    assert b"".join(came) == b"".join(pieces)
    assert one(ledger, "SELECT finish_reason FROM turns") == ("cut_by_server",)
    assert one(ledger, "SELECT outcome FROM parse_attempts") != ("strict",)


def test_a_client_that_leaves_in_the_middle_ends_the_asking_too(upstream: Upstream, ledger: al.Ledger):
    """The server is let go of, and what had come by then is recorded."""
    pieces = bodies.chat_stream("1")[:2]
    upstream.answer = lambda _asked: Answer((*pieces, Act.STALL), content_type=SSE)
    with ProxyServer(upstream.address, ledger) as proxy:
        with httpx.stream("POST", f"{proxy.address}/v1/chat/completions", json=asks(stream=True)) as got:
            came = b""
            for piece in got.iter_raw():
                came += piece
                if len(came) == sum(map(len, pieces)):
                    break
        assert upstream.left.wait(120)
    assert one(ledger, "SELECT finish_reason, text LIKE 'Grüße 🙂%' FROM turns") == ("closed_by_client", True)


def test_fifty_at_once_are_fifty_turns(upstream: Upstream, ledger: al.Ledger):
    """Each is answered with its own, while all of them are under way, and each conversation is a session."""
    everybody = Event()

    def answer(asked: Asked) -> Answer:
        number = asked.json["messages"][0]["content"]
        if len(upstream.asked) == 50:
            everybody.set()
        return Answer(bodies.chat_stream(number, number), content_type=SSE, until=everybody)

    upstream.answer = answer
    with ProxyServer(upstream.address, ledger) as proxy, ThreadPoolExecutor(50) as pool:

        def ask(number: int) -> bytes:
            body = asks({"role": "user", "content": str(number)}, stream=True)
            return httpx.post(f"{proxy.address}/v1/chat/completions", json=body, timeout=300).content

        got = list(pool.map(ask, range(50)))
    assert got == [b"".join(bodies.chat_stream(str(number), str(number))) for number in range(50)]
    counts = "SELECT count(*), count(DISTINCT session_id), count(DISTINCT text) FROM turns"
    assert one(ledger, counts) == (50, 50, 50)


def test_what_is_compressed_passes_compressed_and_is_read(upstream: Upstream, ledger: al.Ledger):
    """Only what can be read here is asked for, of what the client takes."""
    packed = gzip.compress(json.dumps(bodies.chat("1")).encode())
    upstream.answer = lambda _asked: Answer((packed,), headers={"Content-Encoding": "gzip"})
    with ProxyServer(upstream.address, ledger) as proxy:
        headers = {"Accept-Encoding": "br, gzip;q=0.8"}
        with httpx.stream(
            "POST", f"{proxy.address}/v1/chat/completions", json=asks(), headers=headers
        ) as got:
            assert b"".join(got.iter_raw()) == packed
    assert upstream.asked[0].headers["accept-encoding"] == "gzip"
    assert one(ledger, "SELECT text LIKE 'Grüße 🙂%' FROM turns") == (True,)


def test_what_is_no_model_s_passes_and_is_counted(upstream: Upstream, ledger: al.Ledger):
    """Lists of models, counts of tokens, and whatever else a client asks."""
    upstream.answer = lambda asked: Answer((asked.method.encode(),), content_type="text/plain")
    with ProxyServer(f"{upstream.address}/v1", ledger) as proxy:
        assert httpx.get(f"{proxy.address}/v1/models").text == "GET"
        assert httpx.put(f"{proxy.address}/files/a%2Fb", content=b"x" * 70_000).text == "PUT"
        assert httpx.post(f"{proxy.address}/v1/messages/count_tokens", json=asks()).text == "POST"
    assert [each.path for each in upstream.asked] == [
        "/v1/models",
        "/v1/files/a%2Fb",
        "/v1/messages/count_tokens",
    ]
    assert len(upstream.asked[1].body) == 70_000
    kinds = {("unknown_kind", f"{what}", 1) for what in ("GET models", "PUT b", "POST count_tokens")}
    assert left_out(ledger) == kinds


def test_only_names_of_this_machine_are_answered(upstream: Upstream, ledger: al.Ledger):
    """A page in a browser whose name was made to lead here asks nobody's model."""
    with ProxyServer(upstream.address, ledger) as proxy:
        got = httpx.post(
            f"{proxy.address}/v1/chat/completions", json=asks(), headers={"Host": "evil.example"}
        )
    assert got.status_code == 403
    assert upstream.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:9"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Content-Type": "text/plain;charset=UTF-8"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Host": "[x"},
    ],
)
def test_no_page_of_another_origin_asks(upstream: Upstream, ledger: al.Ledger, headers: dict[str, str]):
    """It forged turns, and reached an upstream that asks for no key."""
    with ProxyServer(upstream.address, ledger) as proxy:
        url = f"{proxy.address}/v1/chat/completions"
        body = json.dumps(asks())
        own = {"Content-Type": "application/json"}
        assert httpx.post(url, content=body, headers=own | headers).status_code == 403
        if "Content-Type" not in headers:
            assert httpx.get(url, headers=headers).status_code == 403
        assert upstream.asked == []
        same = {"Origin": proxy.address, "Sec-Fetch-Site": "same-origin"}
        assert httpx.post(url, content=body, headers=own | same).status_code == 200
        files = {"file": ("a.wav", b"RIFF")}
        assert httpx.post(f"{proxy.address}/v1/audio/transcriptions", files=files).status_code == 200
    assert one(ledger, "SELECT count(*) FROM turns") == (0,)


def test_a_token_is_asked_for_and_goes_nowhere(upstream: Upstream, ledger: al.Ledger, tmp_path: Path):
    """In the path or in a header; who names it may be a page, too."""
    token = "a-word-of-mine_17"
    upstream.answer = lambda _asked: Answer((json.dumps(bodies.chat("1")).encode(),))
    page = {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site"}
    with ProxyServer(f"{upstream.address}/v1", ledger, token=token) as proxy:
        for start, headers, status in (
            ("", {}, 403),
            ("/a-word-of-mine_18", {}, 403),
            ("", {"X-Actionledger-Token": "x"}, 403),
            ("", page, 403),
            (f"/{token}", {}, 200),
            (f"/{token}", page, 200),
            ("", {"X-Actionledger-Token": token}, 200),
            (f"/{token}", {"Host": "evil.example"}, 403),
        ):
            url = f"{proxy.address}{start}/v1/chat/completions?a=1"
            assert httpx.post(url, json=asks(), headers=headers).status_code == status
    assert [each.path for each in upstream.asked] == ["/v1/chat/completions?a=1"] * 3
    assert token not in str(upstream.asked)
    ledger.close()
    assert not any(token.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.parametrize("token", ["short", "with/slash/in", "ümlaut-token", "a" * 201])
def test_a_token_that_can_not_stand_in_a_path_is_refused(upstream: Upstream, token: str):
    with pytest.raises(UsageError, match="8 to 200"):
        Proxy(upstream.address, lambda _exchange: None, token=token)


def raw(address: str, *lines: str, body: bytes = b"") -> tuple[int, bytes]:
    """Return the status that a request has, and what follows it, written as no client writes it."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 30) as connection:
        head = [*lines, f"Host: {host}:{port}", "Connection: close", "", ""]
        connection.sendall("\r\n".join(head).encode("latin-1") + body)
        came = b"".join(iter(lambda: connection.recv(65536), b""))
    return int(came.split(b" ", 2)[1]), came


@pytest.mark.parametrize(
    "target",
    [
        "/v1/../admin",
        "/../admin",
        "/v1/%2e%2e/admin",
        "/v1/%252e%252E/admin",
        "/v1/%252525252e%252525252e/admin",
        "/v1/..%2fadmin",
        "/v1/..%5Cadmin",
        "/v1/.%2e;x/admin",
        "/v1/./models",
        "/v1/models%00",
        "http://evil.example/v1/models",
        "*",
        "/v1/" + "a" * 70_000,
    ],
)
def test_a_target_leads_below_the_upstream_s_path_or_nowhere(
    upstream: Upstream, ledger: al.Ledger, target: str
):
    """However it is written; one that is none gets a word of what is wrong."""
    with ProxyServer(f"{upstream.address}/v1", ledger) as proxy:
        status, _ = raw(proxy.address, f"GET {target} HTTP/1.1")
        assert status == 400
        assert upstream.asked == []
        assert raw(proxy.address, "GET /v1/a..b/...%20x HTTP/1.1")[0] == 200
    assert [each.path for each in upstream.asked] == ["/v1/a..b/...%20x"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (["Content-Length: 5", "Connection: content-length"], b"hello"),
        (["Transfer-Encoding: chunked", "Connection: transfer-encoding"], b"5\r\nhello\r\n0\r\n\r\n"),
        (["Content-Length: 5", "Connection: x-mine, Content-Type"], b"hello"),
        (["Content-Length: 5", "Transfer-Encoding: chunked"], b"5\r\nhello\r\n0\r\n\r\n"),
        (["Content-Length: 5", "Content-Length: 6"], b"hello"),
        (["Content-Length: 5", "Transfer-Encoding: gzip, chunked"], b"5\r\nhello\r\n0\r\n\r\n"),
        (["Content-Length: +5"], b"hello"),
    ],
)
def test_a_body_has_one_end_for_all(upstream: Upstream, ledger: al.Ledger, headers: list[str], body: bytes):
    """It goes on whole and says once how long it is, or doesn't go on."""
    with ProxyServer(upstream.address, ledger) as proxy:
        lines = ["POST /v1/messages HTTP/1.1", "Content-Type: application/json", "X-Mine: 1", *headers]
        status, _ = raw(proxy.address, *lines, body=body)
        assert httpx.post(f"{proxy.address}/v1/messages", json={}).status_code == 200
    *first, last = upstream.asked
    assert last.body == b"{}"
    assert (status, [each.body for each in first]) in [(200, [b"hello"]), (400, [])]
    for each in first:
        named = {name.lower() for name in each.headers}
        assert len(named & {"content-length", "transfer-encoding"}) == 1
        assert "content-type" in named
        assert ("x-mine" in named) == ("x-mine" not in str(headers))


@pytest.mark.parametrize(
    "address", ["api.openai.com", "ftp://x", "", "https://", "https://u:p@x", "http://x?key=1", "http://[x"]
)
def test_an_upstream_that_is_no_address_is_refused(address: str):
    with pytest.raises(UsageError):
        upstream_of(address)


def test_a_stream_cut_by_nobody_that_has_no_end_is_unfinished(upstream: Upstream, ledger: al.Ledger):
    """A server may close in order and still not have said why it stopped."""
    upstream.answer = lambda _asked: Answer(bodies.chat_stream("1")[:3], content_type=SSE)
    with ProxyServer(upstream.address, ledger) as proxy:
        httpx.post(f"{proxy.address}/v1/chat/completions", json=asks(stream=True))
    assert one(ledger, "SELECT finish_reason FROM turns") == ("unfinished",)


def error(kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": "Try again."}}


@pytest.mark.parametrize(
    ("path", "pieces", "reason"),
    [
        (
            "messages",
            (*bodies.message_stream("1")[:6], *bodies.sse(error("overloaded_error"))),
            "overloaded_error",
        ),
        (
            "chat/completions",
            (*bodies.chat_stream("1")[:3], *bodies.sse(error("server_error"))),
            "server_error",
        ),
        (
            "responses",
            (*bodies.response_stream("1")[:2], *bodies.sse({"type": "error", "code": "server_error"})),
            "server_error",
        ),
        ("responses", bodies.response_stream("1")[:2], "unfinished"),
    ],
)
def test_a_stream_that_an_error_breaks_off_says_which(
    upstream: Upstream, ledger: al.Ledger, path: str, pieces: tuple[bytes, ...], reason: str
):
    """As providers do when they are overloaded; where a response stood while it was made is no reason."""
    upstream.answer = lambda _asked: Answer(pieces, content_type=SSE)
    with ProxyServer(upstream.address, ledger) as proxy:
        httpx.post(f"{proxy.address}/v1/{path}", json=asks(stream=True))
    assert one(ledger, "SELECT finish_reason FROM turns") == (reason,)


def test_a_stream_that_is_an_error_alone_is_no_response(upstream: Upstream, ledger: al.Ledger):
    """A server may find out behind its 200 that it can't answer."""
    upstream.answer = lambda _asked: Answer(
        bodies.sse(error("overloaded_error"), named=True), content_type=SSE
    )
    with ProxyServer(upstream.address, ledger) as proxy:
        httpx.post(f"{proxy.address}/v1/messages", json=asks(stream=True))
    assert left_out(ledger) == {("no_response", "overloaded_error", 1)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_where_it_listens_and_what_was_kept(
    upstream: Upstream, tmp_path: Path, forked: ForkedPython, number: signal.Signals
):
    """Until it is ended; what passed by then is in the ledger."""
    upstream.answer = lambda _asked: Answer((json.dumps(bodies.chat("1")).encode(),))
    file = tmp_path / "l.duckdb"
    command = ["proxy", "--upstream", upstream.address, "--port", "0", "--ledger", file]
    with forked.begun(COMMAND, tmp_path, *command) as running:
        told = ""
        for said in running.stderr:
            told += said
            if found := re.search(r"OPENAI_BASE_URL=(\S+)", said):
                got = httpx.post(f"{found[1]}/chat/completions", json=asks())
                assert got.json() == bodies.chat("1")
                running.send_signal(number)
        assert running.wait() == 0
    assert "1 session with 1 new turn imported" in told
    with al.open_ledger(file, read_only=True) as ledger:
        assert one(ledger, "SELECT count(*) FROM turns") == (1,)


def test_small_pieces_are_sent_at_once(
    upstream: Upstream, ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch
):
    """A connection that collects them makes each wait some 40 ms for an acknowledgement."""
    seen = []
    really = Proxy.__call__

    async def look(self: Proxy, scope: Any, receive: Any, send: Any) -> None:
        transport = receive.__self__.transport
        seen.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        await really(self, scope, receive, send)

    monkeypatch.setattr(Proxy, "__call__", look)
    with ProxyServer(upstream.address, ledger) as proxy:
        httpx.get(f"{proxy.address}/x")
    assert seen == [1]
