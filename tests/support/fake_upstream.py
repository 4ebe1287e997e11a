"""A server that speaks the providers' interfaces, and breaks where a test says so."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Act(Enum):
    """What the server does between two pieces of a body."""

    STALL = "wait until the test is over, or the client is gone"
    CUT = "close the connection in the middle of the body"
    HANG_UP = "close the connection without a word"


@dataclass(slots=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Answer:
    """What the server answers; pieces are written one by one, each a chunk of its own.

    ``waits``: for ``go_on`` before each piece and the end. ``before_head``: nothing of the head is written before the pieces' acts.
    ``until``: answers nothing before that is set.
    """

    pieces: tuple[bytes | Act, ...]
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    waits: bool = False
    before_head: bool = False
    until: threading.Event | None = None


Answers = Callable[[Asked], Answer]


async def _in_pieces(reader: asyncio.StreamReader) -> bytes:
    """Return a body that comes in pieces."""
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


class Upstream:
    """A model's server on loopback that answers as a test says."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answer: Answers = lambda _asked: Answer((b"{}",))
        self._serving: set[asyncio.Task[None]] = set()
        self.left = threading.Event()
        self._may_go_on = asyncio.Semaphore(0)
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._waiters = ThreadPoolExecutor(60)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512))
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        async def end() -> None:
            self._over.set()
            self._server.close()
            for each in self._serving:
                each.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

        self._run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._waiters.shutdown()

    def go_on(self) -> None:
        self._loop.call_soon_threadsafe(self._may_go_on.release)

    def _run(self, work: Awaitable[Any]) -> Any:
        async def awaited() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result(120)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            self._serving.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
        method, path, _ = line.split(" ")
        headers = dict(each.lower().split(": ", 1) for each in rest)
        if "transfer-encoding" in headers:
            body = await _in_pieces(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(method, path, dict(each.split(": ", 1) for each in rest), body)
        self.asked.append(asked)
        answer = self.answer(asked)
        head = {"Content-Type": answer.content_type, "Transfer-Encoding": "chunked", **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} Said", *(f"{name}: {value}" for name, value in head.items())]
        if answer.until is not None:
            await asyncio.get_running_loop().run_in_executor(self._waiters, answer.until.wait, 30)
        if answer.pieces[:1] == (Act.HANG_UP,):
            return False
        if not answer.before_head:
            writer.write("\r\n".join((*lines, "", "")).encode())
        for piece in answer.pieces:
            if piece is Act.CUT:
                await writer.drain()
                return False
            if piece is Act.STALL:
                await writer.drain()
                await self._stall(reader)
                return False
            if answer.waits:
                await self._may_go_on.acquire()
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if answer.waits:
            await self._may_go_on.acquire()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _stall(self, reader: asyncio.StreamReader) -> None:
        waits = [asyncio.create_task(reader.read()), asyncio.create_task(self._over.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if waits[0].done():
            self.left.set()
        for each in waits:
            each.cancel()
