"""A scripted model server on loopback: it says a scenario's steps, and writes down what it said and what it was asked."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from lab.interfaces import WHOLE, refused, stream
from lab.steps import DEEPER, HELPER, LAST, TITLE, Asked, Scenario, Step, Tools, call_of, parts, text_of
from lab.truth import Answer, Call, Piece, Truth, tokens_of

MOST_REQUESTS = 40
"""An agent that asks more often than that and the steps goes in circles: it's told so, as an error that is not tried again."""
BROKEN_OFF = 0
"""In a status' place: a connection that breaks off before there is any."""
BREAKS = frozenset({"text", "call", "end"})
"""Where a connection breaks off; what else cuts an answer has its stream end in order."""
SEEN = 0.3
"""Seconds before a connection breaks off, so that what was sent has come through."""


class Server:
    """A server of one scenario for one agent, as a context.

    Attributes:
        truth: what was sent.
        address: where it listens.
    """

    def __init__(self, script: Scenario, tools: Tools, *, final_tool: str = "") -> None:
        self.truth = Truth()
        self._steps = list(script.steps)
        self._of_helper = list(script.helper)
        self._of_deeper = list(script.deeper)
        self._most = MOST_REQUESTS + len(script.steps)
        self._tools = tools
        self._final_tool = final_tool
        self._lock = threading.Lock()
        lab = self

        class Handler(_Handler):
            server_of_lab = lab

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(
        self, interface: str, body: Mapping[str, Any], raw: bytes, *, is_stream: bool = True
    ) -> Answer | Step:
        """Take the next step for a request with tools; any other is for a title or a summary of the client's own.

        Returns:
            The answer, or the step whose status is an error.
        """
        with self._lock:
            number = len(self.truth.answers)
            if number >= self._most:
                return Step(status=400)
            is_side = not has_tools(body)
            step = Step(f"{TITLE} {number}") if is_side else self._next(body)
            status = BROKEN_OFF if step.cut and not is_stream else step.status
            if status != 200:
                self.truth.errors.append(status)
                return replace(step, status=status)
            answer = self._answer(step, number, interface, is_side=is_side)
            self.truth.answers.append(answer)
            self.truth.requests.append(raw)
            return answer

    def _next(self, body: Mapping[str, Any]) -> Step:
        steps = self._steps
        if self._of_deeper and is_told(body, DEEPER):
            steps = self._of_deeper
        elif self._of_helper and is_told(body, HELPER):
            steps = self._of_helper
        return steps.pop(0) if steps else Step(LAST)

    def _answer(self, step: Step, number: int, interface: str, *, is_side: bool) -> Answer:
        calls = tuple(
            call_of(asked, self._tools, f"lab_{number}_{place}") for place, asked in enumerate(calls_in(step))
        )
        text = "".join(text_of(part, self._tools) for part in parts(step))
        thought = "".join(part.thought for part in parts(step))
        if self._final_tool and not (calls or is_side or step.shown or step.finish or step.cut) and text:
            raw = json.dumps({"answer": text})
            calls = (Call(f"call_final_{number}", self._final_tool, raw, is_judged=False),)
            text = ""
        finish = step.finish or ("call" if calls else "end")
        tokens = tokens_of(number, is_full=step.usage == "full")
        said = (number, interface, text, calls, finish, tokens, is_side, thought, step.cut)
        return Answer(*said, tuple(pieces(step)) if step.after else (), step.usage, step.of)


def has_tools(body: Mapping[str, Any]) -> bool:
    """Whether a request offers tools: beside its messages, or as one of its items."""
    items = body.get("input")
    return bool(body.get("tools")) or any(
        isinstance(item, Mapping) and item.get("type") == "additional_tools"
        for item in (items if isinstance(items, list) else ())
    )


def calls_in(step: Step) -> list[Asked]:
    """Return all calls of an answer."""
    return [asked for part in parts(step) for asked in part.calls]


def pieces(step: Step) -> Iterator[Piece]:
    """Yield what an answer of several parts says, in order."""
    place = 0
    for part in parts(step):
        if part.thought:
            yield "thought", part.thought
        if part.text:
            yield "text", part.text
        for _ in part.calls:
            yield "call", place
            place += 1


def is_told(body: Mapping[str, Any], task: str) -> bool:
    """Whether a request is that of a helper that an agent has sent: the task stands in its user's words."""
    items = next(
        (body[key] for key in ("messages", "input", "contents") if isinstance(body.get(key), list)), []
    )
    return any(
        task in json.dumps(item)
        for item in items
        if isinstance(item, Mapping) and (item.get("role") == "user" or item.get("type") == "agent_message")
    )


def interface_of(path: str) -> str | None:
    """Return which interface an address is of; None for what is no request for an answer."""
    ends = {"/chat/completions": "chat", "/responses": "responses", "/messages": "anthropic"}
    if "enerateContent" in path:
        return "gemini"
    return next((name for end, name in ends.items() if path.endswith(end)), None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_lab: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        models = [{"id": "lab-asked-1", "object": "model", "owned_by": "lab"}]
        self._whole(200, {"object": "list", "data": models, "models": []})

    def do_POST(self) -> None:
        raw = self._body()
        path = self.path.split("?")[0]
        interface = interface_of(path)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return self._whole(400, {"error": {"message": "no JSON"}})
        if interface is None:
            return self._whole(200, {"input_tokens": 1234, "totalTokens": 1234})
        is_stream = bool(body.get("stream")) or "stream" in path
        answer = self.server_of_lab.answer(interface, body, raw, is_stream=is_stream)
        if isinstance(answer, Step):
            if answer.status == BROKEN_OFF:
                return self._broken_off()
            return self._whole(answer.status, refused(answer.status, interface), wait=answer.wait)
        if is_stream:
            return self._stream(answer)
        return self._whole(200, WHOLE[interface](answer))

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            raw = b"".join(pieces)
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "zstd":
            import zstandard

            return zstandard.ZstdDecompressor().decompressobj().decompress(raw)
        return raw

    def _whole(self, status: int, value: Any, *, wait: int = 0) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if wait:
            self.send_header("retry-after", str(wait))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, value in stream(answer):
            told = value if isinstance(value, str) else json.dumps(value)
            data = (f"event: {name}\n" if name else "").encode() + f"data: {told}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if answer.cut in BREAKS:
            self._broken_off()
            return
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _broken_off(self) -> None:
        time.sleep(SEEN)
        self.close_connection = True
