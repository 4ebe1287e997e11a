"""Statements of unknown length end when they are told to: by Ctrl-C, or when their time is over.

DuckDB looks for Ctrl-C between its own tasks only, and then waits, where nothing reaches it any more, for the task that
another of its threads is in the middle of: on a busy machine that one never ends. All its threads hear ``interrupt``,
but only while a statement runs: one that comes between two statements is lost, and is sent again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread
from typing import TypeVar

from duckdb import DuckDBPyConnection

_AGAIN = 0.05
"""After how many seconds an interrupt that was not heard is sent again."""

_Given = TypeVar("_Given")


def stoppable(connection: DuckDBPyConnection, work: Callable[[], _Given]) -> _Given:
    """Do what may take DuckDB long, in a thread of its own, so that this one can hear Ctrl-C."""
    if current_thread() is not main_thread():
        return work()  # Python tells no other thread of Ctrl-C
    given: list[_Given] = []
    failed: list[BaseException] = []
    stopped, ended = Event(), Event()

    def do() -> None:
        try:
            if not stopped.is_set():
                given.append(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            failed.append(error)
        finally:
            ended.set()

    thread = Thread(target=do, name="actionledger-statement", daemon=True)
    try:
        thread.start()
        ended.wait()
    except BaseException:  # only a signal's handler raises here
        stopped.set()
        while thread.ident is not None and not ended.wait(_AGAIN):
            connection.interrupt()
        raise
    if failed:
        raise failed[0]
    return given[0]


@contextmanager
def limited(connection: DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Interrupt what runs on a connection when its time is over, until nothing runs on it any more."""
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
