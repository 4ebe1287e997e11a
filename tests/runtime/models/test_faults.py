"""What goes wrong between client and server: each fault is a typed error, and what came before it is not lost."""

import gzip
import logging
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from actionledger.runtime.models import (
    BrokenResponseError,
    ModelError,
    ModelTimeoutError,
    ModelUnreachableError,
    RateLimitedError,
    RequestRefusedError,
    ServerFailedError,
    Timeouts,
)
from actionledger.runtime.models.openai import OpenAICompatible

DEEP = "[" * 150 + "]" * 150


def broken(chunks, kind=ModelError):
    """Return the texts that a stream gives before it breaks, and the error."""
    texts = []
    with pytest.raises(kind) as caught:
        texts.extend(chunk.text for chunk in chunks)
    assert type(caught.value) is kind
    return texts, caught.value


# Streams that break


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ((b"dta: x\n\n",), "not a server-sent event: 'dta: x'"),
        ((b'{"error": 1}\n\n',), "not a server-sent event"),
        ((b"data: {oops\n\n",), "no JSON: '{oops'"),
        ((b"data: [1]\n\n",), "JSON that is not an object: '[1]'"),
        ((b'data: {"choices": [{"delta": {"content": "a\xff"}}]}\n\n',), "not UTF-8"),
        ((b'data: {"choices": [{"delta": {"content": "\xf0\x9f',), "not UTF-8"),
        ((b'data: {"choices": [{"delta": {"conte',), "no JSON"),
        ((b'data: {"choices": {}, "x": [1]}\n\n', b'data: {"choices": [1]}\n\n'), "choices that are no list"),
        ((b'data: {"choices": [{"delta": [1]}]}\n\n',), "a piece that is not an object: '[1]'"),
        ((b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',), "content that is not text: '7'"),
        ((b'data: {"choices": [{"delta": {"content": 7}, "finish_reason": "stop"}]}\n\n',), "content that is not text"),
        ((b'data: {"choices": [{"delta": {"tool_calls": 7}}]}\n\n',), "calls that are no list: '7'"),
        ((b'data: {"choices": [{"delta": {"tool_calls": [7]}}]}\n\n',), "a call that is not an object: '7'"),
        ((b'data: {"choices": [{"delta": {"tool_calls": [{"function": 7}]}}]}\n\n',), "whose function is not an object"),
        ((b'data: {"choices": [%s]}\n\n' % DEEP.encode(),), "nested deeper than 100 levels"),
        ((b"data: " + b"[" * 100_000 + b"\n\n",), "no JSON"),
        ((), "ended its response in the middle"),
    ],
)  # fmt: skip
def test_a_stream_that_cannot_be_read_on(server, client, hello, ending, words):
    """What came so far was given out and is in the error; the error says what the server sent."""
    server.stream(server.piece("Hel"), server.piece("lo", tool_calls=[{"id": "a"}]), *ending)
    texts, error = broken(client().stream(hello), BrokenResponseError)
    assert texts == ["Hel", "lo"]
    assert words in str(error)
    assert server.url in str(error)
    assert error.partial.text == "Hello"
    assert error.partial.message["tool_calls"][0]["id"] == "a"
    assert len(server.seen) == 1


@pytest.mark.parametrize("way", ["CUT", "HANG_UP"])
def test_a_connection_cut_in_the_middle(server, client, hello, way):
    """A break after the first byte is not repaired by asking again: two beginnings would be given out."""
    server.stream(server.piece("Hello"), getattr(server, way))
    server.stream(server.piece("Another", "stop"), server.DONE)
    texts, error = broken(client(retries=3).stream(hello), BrokenResponseError)
    assert (texts, error.partial.text, len(server.seen)) == (["Hello"], "Hello", 1)
    assert "broke off its response" in str(error)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (b'data: {"error": {"message": "out of memory", "code": 500}}\n\n', "out of memory"),
        (b'data: {"error": "out of memory", "choices": [{"delta": {}, "finish_reason": "error"}]}\n\n', "out of memory"),
        (b'data: {"object": "error", "message": "out of memory"}\n\n', "out of memory"),
        (b'data: {"error": {"kind": 7}}\n\n', '{"kind": 7}'),
        (b"event: error\ndata: out of memory\n\n", "out of memory"),
    ],
)  # fmt: skip
def test_a_fault_that_the_server_reports_in_the_stream(server, client, hello, fault, words):
    """The server's own words arrive, and so does the text before them."""
    server.stream(server.piece("Hello"), fault)
    texts, error = broken(client().stream(hello), ServerFailedError)
    assert (texts, error.partial.text, error.status) == (["Hello"], "Hello", 200)
    assert words in str(error)


@pytest.mark.parametrize("body", [(b"data: [DONE]\n\n",), (), (b'data: {"choices": [], "error": null}\n\n',)])
def test_a_stream_without_a_response(server, client, hello, body):
    """Empty choices are passed over; if there is nothing else, that is said."""
    server.stream(*body)
    texts, error = broken(client().stream(hello), BrokenResponseError)
    assert (texts, error.partial) == ([], None)
    assert "no response in it" in str(error)


def test_a_stream_that_never_ends_is_cut_off(server, client, hello):
    """Its size has a limit, and comments count."""
    server.stream(server.piece("Hello"), server.FLOOD)
    texts, error = broken(client(max_bytes=500).stream(hello), BrokenResponseError)
    assert (texts, error.partial.text) == (["Hello"], "Hello")
    assert "more than 500 bytes" in str(error)
    assert server.client_left.wait(60)


def test_a_line_without_an_end_is_cut_off(server, client, hello):
    """What is kept of a line is bounded like everything else."""
    server.stream(*[b"data: " + b"x" * 1000] * 10)
    assert "more than 5,000 bytes" in str(
        broken(client(max_bytes=5000).stream(hello), BrokenResponseError)[1]
    )


def test_a_compressed_bomb_is_cut_off(server, client, hello):
    """The size that counts is the one in memory; the client asks for no compression."""
    server.raw(gzip.compress(b" " * 100_000), Content_Encoding="gzip")
    with pytest.raises(BrokenResponseError, match="more than 50,000 bytes"):
        client(max_bytes=50_000).complete(hello)
    assert server.seen[0].headers["Accept-Encoding"] == "identity"


# Responses in one piece


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no JSON: ''"),
        (b"<html>Login</html>", "no JSON: '<html>Login</html>'"),
        (b'{"choices": []}', "a response without a message"),
        (b'{"choices": [{"message": null}]}', "a response without a message"),
        (b'{"choices": 7}', "choices that are no list"),
        (b'{"choices": [{"message": {"content": {"a": 1}}}]}', "content that is not text"),
        (b'{"a": "' + b"\x1b[31m" + b"x" * 1000, "…'"),
    ],
)
def test_a_response_that_cannot_be_read(server, client, hello, body, words):
    """The operator sees what came instead, short and without control characters."""
    server.raw(body)
    with pytest.raises(BrokenResponseError) as caught:
        client().complete(hello)
    assert words in str(caught.value)
    assert "/v1" in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700


def test_a_fault_that_comes_as_a_response(server, client, hello):
    """Some servers report faults with status 200."""
    server.raw(b'{"error": {"message": "no such model"}}')
    with pytest.raises(ServerFailedError, match="no such model"):
        client().complete(hello)


def test_a_response_cut_in_the_middle(server, client, hello):
    """Half a JSON object is no response."""
    server.raw(b'{"choices": [', server.CUT)
    with pytest.raises(BrokenResponseError, match="broke off"):
        client().complete(hello)


# Statuses


@pytest.mark.parametrize(
    "case",
    [
        (400, RequestRefusedError, "change what the request holds"),
        (401, RequestRefusedError, "check the key"),
        (404, RequestRefusedError, "check the base URL and the model's name"),
        (413, RequestRefusedError, "less text"),
        (418, RequestRefusedError, "check the base URL"),
        (429, RateLimitedError, "ask less often"),
        (500, ServerFailedError, "look into its log"),
    ],
)
def test_a_status_says_what_to_do(server, client, hello, case):
    """Kind, status, address, the server's own words, and what helps."""
    status, kind, advice = case
    server.refuse(status, "that is so")
    _, error = broken(client(retries=0).stream(hello), kind)
    assert error.status == status
    for words in (server.url, str(status), "'that is so'", advice):
        assert words in str(error)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "that is so"}},
        {"error": "that is so"},
        {"detail": "that is so"},
        {"object": "error", "message": "that is so"},
    ],
    ids=str,
)
def test_the_servers_words_are_found(server, client, hello, body):
    """Every kind of server packs them in another way."""
    server.refuse(400, body)
    with pytest.raises(RequestRefusedError, match="answered 400: 'that is so'; "):
        client().complete(hello)


def test_a_redirect_is_not_followed(server, client, hello, key):
    """The key would go along to whoever the server names."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.1)
        place = f"http://127.0.0.1:{other.getsockname()[1]}/v1/chat/completions?token=t"
        server.refuse(307, Location=place)
        with pytest.raises(
            RequestRefusedError, match=r"points to .*/completions'; a redirect is not followed"
        ) as caught:
            client(retries=0, timeouts=Timeouts(read=60)).complete(hello)
        with pytest.raises(TimeoutError):
            other.accept()
    assert "token" not in str(caught.value)


def test_a_refusal_that_breaks_off_is_still_told(server, client, hello):
    """The status says the most of it."""
    server.raw(b"bad", server.HANG_UP, status=400)
    with pytest.raises(RequestRefusedError, match="answered 400: 'bad'"):
        client().complete(hello)


def test_a_refusal_without_an_end_is_left(server, client, hello):
    """Its beginning is enough, and the connection is closed."""
    server.raw(b"x" * 100_000, server.FLOOD, status=400)
    with pytest.raises(RequestRefusedError, match="answered 400: 'xxx"):
        client().complete(hello)
    assert server.client_left.wait(60)


# Asking again


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_a_passing_fault_is_asked_again(server, client, hello, status):
    """The caller sees the answer of the last try alone."""
    server.refuse(status)
    server.drop()
    server.whole()
    assert client(retries=2).complete(hello).text == "Hi 😀"
    assert len(server.seen) == 3


def test_that_it_is_asked_again_is_nobodys_line_on_the_terminal(server, client, hello, caplog):
    """Where nothing is set up, a warning of any logger would be printed as it is."""
    server.refuse(503)
    server.whole()
    client(retries=1).complete(hello)
    assert [record.getMessage() for record in caplog.records if record.levelname != "INFO"] == []


def test_a_stream_that_breaks_before_its_first_byte_is_asked_again(server, client, hello):
    """Nothing was given out yet."""
    server.stream(server.HANG_UP)
    server.stream(server.piece("Hi", "stop"), server.DONE)
    assert "".join(chunk.text for chunk in client().stream(hello)) == "Hi"


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_a_lasting_fault_is_not_asked_again(server, client, hello, status):
    """The same request would be refused for the same reason."""
    server.refuse(status)
    with pytest.raises(RequestRefusedError):
        client(retries=5).complete(hello)
    assert len(server.seen) == 1


def test_a_spent_quota_is_not_asked_again(server, client, hello):
    """It comes with 429, and waiting doesn't fill it."""
    server.refuse(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    with pytest.raises(RequestRefusedError, match="billing"):
        client(retries=5).complete(hello)
    assert len(server.seen) == 1


def test_the_tries_are_counted(server, client, hello):
    """Two retries are three requests; the last error is the one that is raised."""
    for number in range(3):
        server.refuse(503, f"try {number}")
    with pytest.raises(ServerFailedError, match="try 2"):
        client(retries=2).complete(hello)
    assert len(server.seen) == 3


def test_a_wish_to_wait_is_followed(server, key, hello):
    """``Retry-After`` counts in seconds, and the client really waits so long."""
    server.refuse(429, Retry_After="0.2")
    server.whole()
    begin = time.monotonic()
    with OpenAICompatible(server.url, "m", api_key=key) as model:
        assert model.complete(hello).text == "Hi 😀"
    assert time.monotonic() - begin >= 0.2


@pytest.mark.parametrize(
    ("wish", "timeouts"),
    [
        ("3600", Timeouts()),
        (format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True), Timeouts()),
        ("30", Timeouts(total=25)),
    ],
    ids=["seconds", "date", "beyond the deadline"],
)
def test_a_wish_to_wait_too_long_ends_it(server, client, hello, wish, timeouts):
    """The operator hears how long, instead of waiting for it."""
    server.refuse(429, "busy", Retry_After=wish)
    with pytest.raises(RateLimitedError, match=r"It asks to wait \d+") as caught:
        client(timeouts=timeouts).complete(hello)
    assert caught.value.retry_after > 20
    assert len(server.seen) == 1


@pytest.mark.parametrize("wish", ["soon", "nan", "-5", "Wed, 21 Oct 2015 07:28:00 -0000"])
def test_a_wish_that_says_nothing_is_passed_over(server, client, hello, wish):
    """An unreadable or past time is no reason to give up."""
    server.refuse(503, Retry_After=wish)
    server.whole()
    assert client().complete(hello).text == "Hi 😀"


# No server, and no time


def test_no_server_at_all(hello, client):
    """The operator hears which address was tried."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with OpenAICompatible(f"http://127.0.0.1:{port}/v1", "m", retries=0) as model:
        _, error = broken(model.stream(hello), ModelUnreachableError)
    assert f"http://127.0.0.1:{port}/v1/chat/completions can't be reached" in str(error)
    assert error.partial is None


def test_a_server_that_hangs_up(server, client, hello):
    """A connection that is closed without an answer was none."""
    server.drop()
    with pytest.raises(ModelUnreachableError, match="can't be reached"):
        client(retries=0).complete(hello)


def test_a_server_that_says_nothing(server, client, hello):
    """A time-out is not asked again: the server may be at work on it."""
    server.stream(server.STALL)
    with pytest.raises(ModelTimeoutError, match="silent for too long") as caught:
        client(timeouts=Timeouts(read=0.1), retries=3).complete(hello)
    assert "read 0.1 s" in str(caught.value)
    assert len(server.seen) == 1


def test_a_stream_that_falls_silent(server, client, hello):
    """What came before is there."""
    server.stream(server.piece("Hello"), server.STALL)
    texts, error = broken(client(timeouts=Timeouts(read=4)).stream(hello), ModelTimeoutError)
    assert (texts, error.partial.text) == (["Hello"], "Hello")


def test_a_stream_that_takes_too_long_in_all(server, client, hello, monkeypatch):
    """A server that keeps the line busy without an answer is left."""
    server.stream(server.piece("Hello"), server.FLOOD)
    chunks = client(timeouts=Timeouts(total=50)).stream(hello)
    assert next(chunks).text == "Hello"
    later = time.monotonic() + 51
    monkeypatch.setattr(time, "monotonic", lambda: later)
    texts, error = broken(chunks, ModelTimeoutError)
    assert (texts, error.partial.text) == ([], "Hello")
    assert "total 50 s" in str(error)
    assert server.client_left.wait(60)


# The key


def test_the_key_is_shown_nowhere(server, client, hello, key, caplog):
    """Not in the model, its parts, an error that quotes the server, or what is logged on the way."""
    caplog.set_level(logging.DEBUG)
    model = client(retries=1)
    shown = [repr(model), str(vars(model)), str(vars(model._transport))]
    padding = "x" * 290
    server.refuse(500, {"error": {"message": f"{padding}Bearer {key}"}})
    server.refuse(401, {"error": {"message": f"Incorrect API key provided: {key}"}})
    with pytest.raises(RequestRefusedError) as caught:
        model.complete(hello)
    server.stream(f"no event {key}\n\n".encode())
    shown += [str(caught.value), repr(caught.value), str(broken(model.stream(hello), BrokenResponseError)[1])]
    assert "[key]" in shown[3]
    assert "[key]" in shown[5]
    assert caplog.records
    assert key not in "".join(shown) + caplog.text
    assert key[:8] not in "".join(shown) + caplog.text
