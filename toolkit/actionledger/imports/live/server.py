"""Servers on loopback that record traffic: the proxy before a model, and the OTLP receiver."""

import asyncio
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Self

from actionledger.core.errors import UsageError, require
from actionledger.core.ids import now
from actionledger.imports import Prices
from actionledger.imports.live.calls import SOURCE, WireReader
from actionledger.imports.live.proxy import SILENCE, Proxy
from actionledger.imports.live.recording import Recording, RecordingResult, Taken
from actionledger.imports.live.spans import Came, SpanRecording
from actionledger.imports.live.tap import LOOPBACK, RawExchange
from actionledger.imports.live.traces import SETTLED
from actionledger.ledger import Ledger

require("A server that records", "live", "httpx", "uvicorn")
import uvicorn  # noqa: E402 - optional; the call above names a missing package

ADDRESS = "127.0.0.1"
"""The default address to listen on."""

_BACKLOG = 512
_LAST_REQUESTS = 5
_SWITCH_SECONDS = 0.0002


class RecordingServer(Generic[Taken]):
    """An application that listens on a port (0: any free one; ``address`` is its base URL) of loopback, with its recording."""

    def __init__(self, app: Any, recording: Recording[Taken], *, port: int = 0, host: str = ADDRESS) -> None:
        self.recording = recording
        # Naming the protocol has small pieces sent at once; otherwise each could wait 40 ms for an acknowledgement.
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            listening.close()
            raise UsageError(
                f"Nothing can listen on {host}, port {port}: {error.strerror}; choose another."
            ) from error
        listening.listen(_BACKLOG)
        self._socket = listening
        named = f"[{host}]" if ":" in host else host
        self.address = f"http://{named}:{self._socket.getsockname()[1]}"
        self._server = _Server(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="critical",
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=_LAST_REQUESTS,
            )
        )
        self._thread: threading.Thread | None = None

    def run(self, on_start: Callable[[], None] = lambda: None) -> RecordingResult:
        """Serve until this process is interrupted or ended; open requests have a few more seconds."""
        # The writing thread shares the interpreter: with the default interval the first byte of a large request waits 16 ms, so 7.
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            asyncio.run(self._serve(on_start, handles_signals=True))
        finally:
            kept = self.recording.close()
        return kept

    def close(self) -> RecordingResult:
        """Stop a server that was started as a context, and return its result."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        return self.recording.close()

    def __enter__(self) -> Self:
        is_ready = threading.Event()
        failures: list[BaseException] = []

        def serve() -> None:
            try:
                asyncio.run(self._serve(is_ready.set, handles_signals=False))
            except BaseException as error:
                if is_ready.is_set():
                    raise
                failures.append(error)  # raised again in the waiting thread
            finally:
                is_ready.set()

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()
        is_ready.wait()
        if failures:
            self.close()
            raise failures[0]
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def let_go(self) -> None:
        """Release the application's resources at the end."""

    async def _serve(self, on_start: Callable[[], None], *, handles_signals: bool) -> None:
        if handles_signals:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self._server.stop)
        try:
            on_start()
            await self._server.serve(sockets=[self._socket])
        finally:
            await self.let_go()


class ProxyServer(RecordingServer[RawExchange]):
    """A recording proxy that listens on loopback.

    Args:
        upstream: the address to which requests are forwarded.
        ledger: the ledger; it must stay open until this is closed.
        port: the port; 0 for any free port.
        silence: how long the upstream may be silent, in seconds.
        prices: prices for responses, which no interface reports.
        token: the token that a request must have as the first part of its path or in the header ``x-actionledger-token``; empty for none.

    Raises:
        UsageError: the upstream's address or the token is invalid, or the port can't be listened on.
    """

    def __init__(
        self,
        upstream: str,
        ledger: Ledger,
        *,
        port: int = 0,
        silence: float = SILENCE,
        prices: Prices | None = None,
        token: str = "",
    ) -> None:
        origin = f"proxy {upstream} {now():%Y-%m-%d %H:%M:%S.%f}"
        recording: Recording[RawExchange] = Recording(
            ledger, WireReader(origin).read, source=SOURCE, origin=origin, prices=prices
        )
        self._proxy = Proxy(upstream, recording.put, silence=silence, token=token)
        super().__init__(self._proxy, recording, port=port)

    async def let_go(self) -> None:
        """Close the connections to the upstream."""
        await self._proxy.close()


class OtlpServer(RecordingServer[Came]):
    """A receiver of OTLP over HTTP that listens on loopback by default.

    Raises:
        UsageError: the address can't be listened on.
        MissingPackageError: the protocol's package is not installed.
    """

    def __init__(
        self,
        ledger: Ledger,  # the ledger; it must stay open until this is closed
        *,
        port: int = 0,  # the port; 0 for any free port
        # the address to listen on; if it is not loopback, anyone who reaches it may send
        host: str = ADDRESS,
        settled: float = SETTLED,  # how long a complete trace is quiet before it is recorded, in seconds
        prices: Prices | None = None,  # prices for responses with tokens but without a cost
    ) -> None:
        from actionledger.imports.live.otlp import Receiver  # noqa: PLC0415 - needs packages that a proxy doesn't

        origin = f"otlp-receiver {now():%Y-%m-%d %H:%M:%S.%f}"
        recording = SpanRecording(ledger, origin, settled=settled, prices=prices)
        self._receiver = Receiver(recording.offer_spooled, only_here=host in LOOPBACK)
        super().__init__(self._receiver, recording, port=port, host=host)

    async def let_go(self) -> None:
        """Finish reading what was received, so that it is recorded."""
        self._receiver.close()


class _Server(uvicorn.Server):
    """A server that is stopped by its owner, not by signals: the recording must still be written."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        """Stop after the open requests; at once on the second call."""
        self.force_exit = self.should_exit
        self.should_exit = True
