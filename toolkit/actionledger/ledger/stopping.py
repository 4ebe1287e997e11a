"""Stop statements of unknown length, on Ctrl-C or when their time is over.

DuckDB checks for Ctrl-C between its own tasks only. Then it waits for the task of another of its threads, which nothing can reach any more:
on a busy machine that wait never ends. All its threads react to ``interrupt``, but only while a statement runs. One that arrives between
two statements is lost, so it is sent again.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Event, Thread, current_thread, main_thread
from typing import Any, TypeAlias, TypeVar

from duckdb import DuckDBPyConnection

_AGAIN = 0.05
"""Seconds after which an interrupt is sent again."""

_Given = TypeVar("_Given")
_Worker: TypeAlias = SimpleQueue[Callable[[], Any]]

_idle: list[_Worker] = []
"""What threads without work wait for. They are kept, since DuckDB frees a thread's memory with it: the next one's statement takes it page by page."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def stoppable(connection: DuckDBPyConnection, work: Callable[[], _Given]) -> _Given:
    """Run a long DuckDB call in another thread, so that this thread can react to Ctrl-C."""
    if current_thread() is not main_thread():
        return work()  # Python delivers Ctrl-C to the main thread only
    given: list[_Given] = []
    failed: list[BaseException] = []
    stopped, ended = Event(), Event()

    def do() -> None:
        try:
            if not stopped.is_set():
                given.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            failed.append(error)
        finally:
            ended.set()

    worker = _idle.pop() if _idle else _worker()
    try:
        worker.put(do)
        ended.wait()
    except BaseException:  # only a signal's handler raises here
        stopped.set()
        worker.put(do)  # the handler may have run before the first one
        while not ended.wait(_AGAIN):
            connection.interrupt()
        _idle.append(worker)
        raise
    _idle.append(worker)
    if failed:
        raise failed[0]
    return given[0]


def _worker() -> _Worker:
    asked = _Worker()

    def run() -> None:
        while True:
            asked.get()()

    Thread(target=run, name="actionledger-statement", daemon=True).start()
    return asked


@contextmanager
def limited(connection: DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Interrupt a connection when the time is over, and again until nothing runs on it."""
    over = Event()

    def watch() -> None:
        if not over.wait(seconds):
            while not over.wait(_AGAIN):
                connection.interrupt()

    watcher = Thread(target=watch, name="actionledger-time-limit", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
