"""Processes that run untrusted SQL, from the side of the asking process.

Each is a fork of a process with everything loaded, a single thread and no DuckDB started: loading anew would take a hundred times as long.
A command forks itself. A process with threads, such as a server, keeps another process that forks for it.
"""

import atexit
import fcntl
import os
import pickle
import signal
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from actionledger.core.errors import LedgerError
from actionledger.core.processes import ended, watch, words_for
from actionledger.ledger.guarding.wire import END, FORK, Setup, ask, received, send

_MESSAGE_BYTES = 1 << 20
_PIPE_BYTES = 1 << 20
"""The size of a pipe that takes a batch of rows at once, so that neither process waits in the middle of it."""


class DiedError(Exception):
    """The process has ended, or sent an invalid message."""


class GuardProcess:
    """One process that answers one statement after the other, until it is ended."""

    def __init__(self) -> None:
        theirs, self_requests = os.pipe()
        self_answers, answers = os.pipe()
        with suppress(AttributeError, OSError):  # only Linux has larger pipes, and may refuse them
            fcntl.fcntl(answers, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        try:
            self.pid, self._ended = _begun(theirs, answers)
        except BaseException:
            os.close(self_requests)
            os.close(self_answers)
            raise
        finally:
            os.close(theirs)
            os.close(answers)
        self._requests = os.fdopen(self_requests, "wb", buffering=0)
        self._answers = os.fdopen(self_answers, "rb", buffering=0)
        self._code: int | None = None

    def begin(self, setup: Setup) -> tuple[Any, ...]:
        """Have it open a ledger; return its answer."""
        self.tell(setup)
        answer, _ = self.hear(_MESSAGE_BYTES, None)
        return answer

    def tell(self, value: object) -> None:
        """Send it a request."""
        try:
            send(self._requests, value)
        except OSError as error:
            raise DiedError(ended(self.end())) from error

    def hear(self, max_bytes: int, until: float | None) -> tuple[tuple[Any, ...], int]:
        """Return its next message, and the message's size in bytes."""
        try:
            value, length = received(self._answers, max_bytes, until)
        except EOFError as error:
            raise DiedError(ended(self.end())) from error
        except (pickle.UnpicklingError, AttributeError, ValueError, TypeError, IndexError) as error:
            raise DiedError("has said what can't be understood") from error
        if not isinstance(value, tuple) or not value:
            raise DiedError("has said what can't be understood")
        return value, length

    def end(self) -> int:
        """End it, whatever it is doing; return its exit code, as ``subprocess`` does."""
        if self._code is None:
            self._code = self._ended(self.pid)
            for pipe in (self._requests, self._answers):
                with suppress(OSError):
                    pipe.close()
        return self._code


def _begun(requests: int, answers: int) -> tuple[int, Callable[[int], int]]:
    """Start a process that answers; return its id, and a function that ends it."""
    if _has_one_thread():
        from actionledger.ledger.guarding.child import ended_here, forked  # noqa: PLC0415 - loaded only to fork

        return forked(requests, answers), ended_here
    return _forker.begun(requests, answers), _forker.ended


def _has_one_thread() -> bool:
    """Return whether this process has only this thread, counting DuckDB's threads; False if unknown."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


class _Forker:
    """A process that forks for this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self.start_over()
        watch(self)
        atexit.register(self.drop)

    def start_over(self) -> None:
        """Forget, in a forked child, the parent's process."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.returncode = 0  # only the parent can wait for it
        self._lock = Lock()
        self._process = self._socket = None

    def keep_ready(self) -> None:
        """Start it now, so that it is ready for the first request."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._let_go()
            if self._process is None:
                self._begin()

    def begun(self, requests: int, answers: int) -> int:
        """Have it fork a process that answers; return that process's id."""
        self.keep_ready()
        return self._answer(FORK, 0, requests, answers)

    def ended(self, pid: int) -> int:
        """Have it end a process that it has forked; return the exit code."""
        return self._answer(END, pid)

    def drop(self) -> None:
        """End it, and all the processes that it has forked."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._let_go()

    def _answer(self, what: int, value: int, *descriptors: int) -> int:
        """Return its answer. If it has ended, so have its children: an END request then returns the code of a killed process."""
        with self._lock:
            if self._socket is not None:
                try:
                    return ask(self._socket, what, value, *descriptors)
                except OSError:
                    self._let_go()
        if what == END:
            return -signal.SIGKILL
        raise LedgerError("The process that asks the ledger can't be begun; try again.")

    def _begin(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            # In a session of its own, so that Ctrl-C reaches this process only, which then decides about that one.
            self._process = subprocess.Popen(  # noqa: S603 - our own arguments
                words_for("actionledger.ledger.guarding.child"),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def _let_go(self) -> None:
        process, own = self._process, self._socket
        self._process = self._socket = None
        if own is not None:
            own.close()  # it ends when the socket closes
        if process is not None:
            process.wait()


_forker = _Forker()


def keep_ready() -> None:
    """Prepare a process with everything loaded for the next statement, for a process with threads."""
    _forker.keep_ready()
