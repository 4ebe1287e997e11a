"""The background ingester of each writing process: it publishes flushed events without being asked.

It is a thread, since its cost is negligible: ``tests/benchmarks/ledger_live.py`` measures a writer's flushes without it, with it, and with a
process instead. It starts at the first flush. Whenever it is elected, it ingests what any process has flushed.
"""

import logging
from threading import Event, Lock, Thread, current_thread, main_thread

from actionledger.core.errors import LedgerError
from actionledger.core.processes import POLL_SECONDS, watch_worker
from actionledger.ledger.storage.segments import segment_sizes
from actionledger.ledger.storage.store import Publishing, Store

_GATHER_SECONDS = 0.3
"""Seconds that it waits after a flush for more events."""

_LOOK_SECONDS = 2.0
"""Seconds between its searches for other processes' segments."""

_LONGEST_PAUSE_SECONDS = 30.0
_JOIN_SECONDS = 60.0

_log = logging.getLogger(__name__)


class BackgroundIngester:
    """Ingests and publishes in a thread of its own; a forked child starts its own thread at its first flush."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._begin()
        watch_worker(self)

    def _begin(self) -> None:
        self._lock = Lock()
        self._news = Event()
        self._stop = Event()
        self._thread: Thread | None = None
        self._is_paused = False

    def wake(self) -> None:
        """Report that something was flushed; takes a microsecond, except the first time."""
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._stop = Event()
                    work = _Work(self._store, self._news, self._stop)
                    self._thread = Thread(target=work.run, name="actionledger-ingest", daemon=True)
                    self._thread.start()
        if not self._news.is_set():
            self._news.set()

    def stop(self) -> None:
        """End the thread after its current step; ``wake`` starts another one."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is None:
                return
            self._stop.set()
            self._news.set()
        if thread is not current_thread():
            thread.join(_JOIN_SECONDS)

    def pause(self) -> None:
        """See ``Pausable``."""
        self._is_paused = self._thread is not None
        self.stop()

    def go_on(self) -> None:
        """See ``Pausable``."""
        if self._is_paused:
            self._is_paused = False
            self.wake()

    def start_over(self) -> None:
        """Forget the parent's thread in a forked child."""
        self._begin()


class _Work:
    """The thread's work, without a reference to the ledger, so that an unused ledger can be garbage collected."""

    def __init__(self, store: Store, news: Event, stop: Event) -> None:
        self._store = store
        self._news = news
        self._stop = stop
        self._seen: dict[str, int] = {}
        self._failures = 0
        self._is_kept_waiting = False

    def run(self) -> None:
        while not self._stop.is_set():
            self._news.wait(_LOOK_SECONDS)
            self._news.clear()
            if segment_sizes(self._store.files.segments) != self._seen or self._store.is_behind():
                self._stop.wait(self._pause())
                self._ingest()

    def _pause(self) -> float:
        """Return how many seconds to gather more events: ingesting before a copy is due shows nobody anything new."""
        if self._failures:
            return min(_GATHER_SECONDS * 2.0**self._failures, _LONGEST_PAUSE_SECONDS)
        try:
            due = self._store.due_in()
        except OSError:
            due = 0.0
        least = POLL_SECONDS if self._is_kept_waiting else _GATHER_SECONDS
        return min(max(due, least), _LONGEST_PAUSE_SECONDS)

    def _ingest(self) -> None:
        if self._stop.is_set():
            return
        sizes = segment_sizes(self._store.files.segments)
        try:
            report = self._store.ingest(Publishing.WHEN_DUE, is_stopped=self._stop.is_set)
        except LedgerError as error:
            # At the program's end, Python may already have removed the temporary folder.
            if not self._failures and main_thread().is_alive():
                _log.warning("%s It is kept in segments, and tried again.", error)
            self._failures += 1
            return
        self._failures = 0
        # An import holds the ingest lock for seconds at a time, with short gaps for others.
        self._is_kept_waiting = report.was_busy and sizes != self._seen
        if self._is_kept_waiting:
            self._news.set()
        if not report.was_busy and report.due_in is None:
            self._seen = sizes
