"""A server that speaks OpenAI's chat interface, and breaks it where a test says so."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from actionledger.runtime.models import Message, transport
from actionledger.runtime.models.openai import OpenAICompatible


class Act(Enum):
    """What the server does between two pieces of a body."""

    STALL = "wait until the test is over"
    CUT = "close the connection in the middle of a chunk"
    HANG_UP = "close the connection between two chunks"
    FLOOD = "send comments until the client is gone, for two seconds at the most"


Body = tuple[bytes | Act, ...]


@dataclass(frozen=True)
class Reply:
    """One answer: pieces of bytes, each sent as a chunk of its own, and what happens between them."""

    body: Body = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """One request as the server got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ChatServer:
    """Answers each request with the next reply of its plan."""

    CUT, HANG_UP, STALL, FLOOD = Act.CUT, Act.HANG_UP, Act.STALL, Act.FLOOD
    DONE = b"data: [DONE]\n\n"

    def __init__(self) -> None:
        self.plan: list[Reply] = []
        self.seen: list[Seen] = []
        self.is_over = threading.Event()
        self.client_left = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self))
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    # What it is going to answer

    def stream(self, *body: bytes | Act) -> None:
        self.raw(*body, Content_Type="text/event-stream")

    def whole(self, message: Any = None, **fields: Any) -> None:
        """Answer in one piece, with this message and these fields beside the choice."""
        said = {"role": "assistant", "content": "Hi 😀"} if message is None else message
        data = {
            "model": "m-1",
            "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2},
        }
        self.raw(json.dumps(data | fields).encode())

    def raw(self, *body: bytes | Act, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.plan.append(Reply(body, status, named))

    def refuse(self, status: int, body: Any = "", **headers: str) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.raw(*([text.encode()] if text else []), status=status, **headers)

    def drop(self) -> None:
        """Close the connection without an answer."""
        self.plan.append(Reply(status=0))

    # What a stream consists of

    @staticmethod
    def event(data: Any) -> bytes:
        return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"

    @classmethod
    def piece(cls, text: str | None = None, finish: str | None = None, **delta: Any) -> bytes:
        given = delta if text is None else {"content": text, **delta}
        return cls.event({"model": "m-1", "choices": [{"index": 0, "delta": given, "finish_reason": finish}]})

    def close(self) -> None:
        self.is_over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, owner: ChatServer, *args: Any) -> None:
        self.owner = owner
        super().__init__(*args)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.owner.seen.append(Seen(self.path, dict(self.headers), json.loads(body)))
        reply = self.owner.plan.pop(0) if self.owner.plan else Reply((b"no reply is planned",), 500)
        self.close_connection = True
        if not reply.status:
            return
        self.send_response(reply.status)
        for name, value in (reply.headers | {"Transfer-Encoding": "chunked", "Connection": "close"}).items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):
            self.send_pieces(reply.body)

    def send_pieces(self, body: Body) -> None:
        for part in body:
            match part:
                case b"":
                    pass
                case Act.STALL:
                    self.owner.is_over.wait(120)
                case Act.CUT:
                    self.wfile.write(b"ff\r\nda")
                    return
                case Act.HANG_UP:
                    return
                case Act.FLOOD:
                    self.flood()
                case bytes():
                    self.chunk(part)
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, part: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.flush()

    def flood(self) -> None:
        try:
            for _ in range(400):
                self.owner.is_over.wait(0.005)
                self.chunk(b": still here\n\n")
        except ConnectionError:
            self.owner.client_left.set()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server with an empty plan."""
    made = ChatServer()
    yield made
    made.close()


@pytest.fixture
def key() -> str:
    """The key that the clients send; it must be found nowhere else."""
    return "sk-test-0123456789abcdef"


@pytest.fixture
def hello() -> list[Message]:
    """What the models are shown."""
    return [Message("system", "Be brief."), Message("user", "Hello 😀")]


@pytest.fixture
def client(
    server: ChatServer, key: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., OpenAICompatible]]:
    """Makes clients of the server; they retry without waiting."""
    made: list[OpenAICompatible] = []

    def make(**given: Any) -> OpenAICompatible:
        model = OpenAICompatible(server.url, "m", **{"api_key": key} | given)
        made.append(model)
        return model

    monkeypatch.setattr(transport, "_wait", lambda _asked: 0.0)
    yield make
    for model in made:
        model.close()
