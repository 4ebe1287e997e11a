"""Threads that handlers run in, so that one that hangs can be left behind.

A thread can't be stopped from outside. So a job that takes too long is abandoned: its thread goes on, as a daemon that
keeps nothing from ending, and another one takes its place.
"""

import atexit
import time
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any
from weakref import WeakSet

_PATIENCE = 1.0
"""How long the end of the process waits for a thread that has nothing to do, in seconds."""


class Job:
    """One piece of work and what came of it.

    Args:
        work: what to do.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self.duration_ms = 0.0
        self._begun = time.perf_counter()
        self._work = work
        self._variables = copy_context()
        self._is_done = Event()

    def run(self) -> None:
        """Do the work; whatever it raises is kept."""
        self._begun = time.perf_counter()
        try:
            self.result = self._variables.run(self._work)
        except BaseException as error:  # noqa: BLE001 - whoever waits decides what to make of it
            self.error = error
        self.duration_ms = (time.perf_counter() - self._begun) * 1000
        self._is_done.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait until the work is done, counted from its beginning; return whether it is."""
        rest = None if seconds is None else max(0.0, self._begun + seconds - time.perf_counter())
        return self._is_done.wait(rest)


class _Worker:
    """One thread that does one job after another."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self.is_busy = False
        self.thread = Thread(target=self._run, name="actionledger-handler", daemon=True)
        self.thread.start()
        _alive.add(self)

    def _run(self) -> None:
        while (job := self.jobs.get()) is not None:
            self.is_busy = True
            job.run()
            del job
            self.is_busy = False


_alive: WeakSet[_Worker] = WeakSet()


@atexit.register
def _end_idle() -> None:
    """End the threads that nobody closed: one that waits for ever keeps modules from being taken down, and DuckDB complains of it."""
    workers = list(_alive)
    for worker in workers:
        worker.jobs.put(None)
    for worker in workers:
        if not worker.is_busy:
            worker.thread.join(_PATIENCE)


class Workers:
    """As many threads as there are jobs at a time; one that is done waits for the next job."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._busy: dict[Job, _Worker] = {}

    def start(self, work: Callable[[], Any]) -> Job:
        """Begin a piece of work in a thread of its own."""
        job = Job(work)
        worker = self._take()
        self._busy[job] = worker
        worker.jobs.put(job)
        return job

    def finish(self, job: Job, seconds: float | None) -> bool:
        """Wait for a job; one that takes longer is abandoned."""
        if not job.wait(seconds):
            self.abandon(job)
            return False
        self._idle.append(self._busy.pop(job))
        return True

    def abandon(self, job: Job) -> bool:
        """Stop waiting for a job; return whether anybody was."""
        worker = self._busy.pop(job, None)
        if worker is not None:
            worker.jobs.put(None)
        return worker is not None

    def close(self) -> None:
        """Let the threads end, each after its job."""
        for worker in (*self._idle, *self._busy.values()):
            worker.jobs.put(None)
        self._idle.clear()
        self._busy.clear()

    def _take(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.thread.is_alive():  # in a forked child the parent's threads are not
                return worker
        return _Worker()
