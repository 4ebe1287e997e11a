"""A relay between a client and a server on standard input and output: it forwards every byte at once, and copies lines."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from select import select
from time import perf_counter

from actionledger.core.errors import UsageError
from actionledger.core.ids import now
from actionledger.imports.live.mcp import McpLine, McpSide
from actionledger.imports.live.tap import LARGEST_BODY

_PIECE = 2**16
_BY_SIGNAL = 128
_NOT_STARTED = (FileNotFoundError, PermissionError)

Take = Callable[[McpLine], None]


class StdioServer:
    """A server that runs as a child of this process, in its place."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - what the user names is run, without a shell
        except _NOT_STARTED as error:
            raise UsageError(f"The command {command[0]!r} can't be started: {error.strerror}.") from error

    def run(self, take: Take) -> int:
        """Forward both sides' bytes until the server ends, each line to ``take``, which must not block; return its exit status, as a shell reports it."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda told, _frame: self._child.send_signal(told))
        threading.Thread(target=self._to_server, args=(take,), daemon=True).start()
        assert self._child.stdout
        lines = _Lines(McpSide.SERVER, take)
        try:
            for piece in _pieces(self._child.stdout.fileno()):
                _write(sys.stdout.fileno(), piece)
                lines.feed(piece)
        except OSError:
            self._child.terminate()  # the client is gone, or its pipe is closed
            self._child.stdout.close()  # otherwise a server that still writes waits for a reader
        lines.finish()
        # With a timeout, so that signals are handled in between.
        status = self._child.wait(timeout=threading.TIMEOUT_MAX)
        return status if status >= 0 else _BY_SIGNAL - status

    def _to_server(self, take: Take) -> None:
        assert self._child.stdin
        lines = _Lines(McpSide.CLIENT, take)
        with suppress(OSError):  # the server has closed its input
            while piece := _read(sys.stdin.fileno()):
                lines.feed(piece)
                _write(self._child.stdin.fileno(), piece)
        lines.finish()
        with suppress(OSError):
            self._child.stdin.close()


class _Lines:
    """Splits pieces into lines; a line above the limit is cut, so that it is counted."""

    def __init__(self, side: McpSide, take: Take) -> None:
        self._side = side
        self._take = take
        self._begun = bytearray()

    def feed(self, piece: bytes) -> None:
        *whole, rest = piece.split(b"\n")
        for end in whole:
            self._grow(end)
            self.finish()
        self._grow(rest)

    def finish(self) -> None:
        if self._begun:
            self._take(McpLine(self._side, bytes(self._begun), now(), perf_counter()))
            self._begun.clear()

    def _grow(self, piece: bytes) -> None:
        self._begun += piece[: LARGEST_BODY - len(self._begun)]


def _pieces(descriptor: int) -> Iterator[bytes]:
    """Yield a stream's pieces to its end, and handle signals meanwhile: one right before a read, or in another thread, doesn't end it."""
    bell, rope = os.pipe()
    os.set_blocking(rope, False)
    before = signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
    try:
        while True:
            ready, *_ = select([descriptor, bell], [], [])
            if bell in ready:
                os.read(bell, _PIECE)
            if descriptor in ready:
                if not (piece := os.read(descriptor, _PIECE)):
                    return
                yield piece
    finally:
        signal.set_wakeup_fd(before)
        os.close(bell)
        os.close(rope)


def _read(descriptor: int) -> bytes:
    """Return the next bytes, empty at the end; also from a non-blocking pipe."""
    while True:
        try:
            return os.read(descriptor, _PIECE)
        except BlockingIOError:
            select([descriptor], [], [])


def _write(descriptor: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select([], [descriptor], [])
