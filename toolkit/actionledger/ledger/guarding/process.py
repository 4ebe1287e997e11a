"""Processes that run a stranger's SQL, as the one that asks sees them.

Each is a fork of a process that has loaded all that it needs, has one thread and has begun no DuckDB: to load it anew would take a
hundred times as long. A command forks itself. Whoever has threads, as a server has, keeps another process that forks in its stead.
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
"""A batch of rows goes at once, without either process waiting for the other one in its middle."""


class DiedError(Exception):
    """The process has ended, or says what can't be understood."""


class GuardProcess:
    """One process that answers one statement after the other, until it is ended.

    Attributes:
        pid: its number.
    """

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
        """Have it open a ledger; return what it says of that."""
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
        """Return what it says next, and how many bytes that takes."""
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
        """End it, whatever it does; return how it has ended, as ``subprocess`` does."""
        if self._code is None:
            self._code = self._ended(self.pid)
            for pipe in (self._requests, self._answers):
                with suppress(OSError):
                    pipe.close()
        return self._code


def _begun(requests: int, answers: int) -> tuple[int, Callable[[int], int]]:
    """Begin a process that answers; return its number, and what ends it by that."""
    if _has_one_thread():
        from actionledger.ledger.guarding.child import ended_here, forked  # noqa: PLC0415 - loaded only where one forks

        return forked(requests, answers), ended_here
    return _forker.begun(requests, answers), _forker.ended


def _has_one_thread() -> bool:
    """Return whether nobody else is at work in this process, in DuckDB's threads neither; where that is not known, somebody is."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


class _Forker:
    """The process that forks in this one's stead."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self.start_over()
        watch(self)
        atexit.register(self.drop)

    def start_over(self) -> None:
        """Leave the parent's to it, in a forked child."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.returncode = 0  # it is not ours to wait for
        self._lock = Lock()
        self._process = self._socket = None

    def keep_ready(self) -> None:
        """Have it begun, so that it is there when something is asked."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._let_go()
            if self._process is None:
                self._begin()

    def begun(self, requests: int, answers: int) -> int:
        """Have it fork a process that answers; return its number."""
        self.keep_ready()
        return self._asked(FORK, 0, requests, answers)

    def ended(self, pid: int) -> int:
        """Have it end a process that it has forked; return how that has ended."""
        return self._asked(END, pid)

    def drop(self) -> None:
        """End it, and with it all that it has forked."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._let_go()

    def _asked(self, what: int, value: int, *descriptors: int) -> int:
        """Return what it answers; of a process that is to be ended, its end by a signal where both have ended."""
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
            # In a session of its own: whoever interrupts this process says what becomes of that one.
            self._process = subprocess.Popen(  # noqa: S603 - words of our own
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
            own.close()  # it ends with that
        if process is not None:
            process.wait()


_forker = _Forker()


def keep_ready() -> None:
    """Have the next statement's process begin without loading anything, where this process has threads."""
    _forker.keep_ready()
