"""A sandbox whose code runs in a process of its own that shuts itself in, and the probe that proves it."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Lock
from typing import Self

from actionledger.core.ids import new_id
from actionledger.runtime.sandbox import ending, messages
from actionledger.runtime.sandbox.base import (
    DEFAULT_LIMITS,
    NO_API,
    Api,
    Availability,
    CodeOutcome,
    CodeResult,
    Limits,
)
from actionledger.runtime.sandbox.budget import CancelledError, Deadline
from actionledger.runtime.sandbox.conversation import Channel, NotConfinedError, RunConversation
from actionledger.runtime.sandbox.ending import HostCalls, LimitExceededError, Output, RunEnding
from actionledger.runtime.sandbox.inside.frames import Frame, FrameError
from actionledger.runtime.sandbox.launch import Launcher, launch

# One process as the host holds it: a channel, a way to end it, nothing left behind; and one kept ready.
_MAX_COMPLAINT = 2000
_PATIENCE = 0.5
"""How long a process may take to end after its pipes are closed, in seconds."""


class ChildProcess:
    """A process that waits for its task.

    Args:
        launcher: starts it.

    Raises:
        OSError: it can't be started.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._label = f"actionledger-{new_id()}"
        self._process = launch(launcher, self._label)
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        self.channel = Channel(self._process.stdout.fileno(), self._process.stdin.fileno())
        self.owner = os.getpid()

    @property
    def pid(self) -> int:
        """The number of its process, and of its process group."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it still runs."""
        with suppress(ChildProcessError):
            return self._look() is None
        return False

    def ending(self) -> str:
        """Return how it ended by itself, such as ``"exit status 3"`` or ``"signal SIGSEGV"``; empty if it didn't."""
        patience = time.monotonic() + _PATIENCE
        # Its pipes are closed a little before it has ended.
        while self.is_alive() and time.monotonic() < patience:
            time.sleep(0.001)
        with suppress(ChildProcessError):
            status = self._look()
            return "" if status is None else _described(status.si_code, status.si_status)
        return ""

    def complaint(self) -> str:
        """Return what it wrote to its standard error before it shut itself in: why it could not, if so."""
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        os.set_blocking(descriptor, False)
        try:
            text = os.read(descriptor, 64 * 1024).decode(errors="replace")
        except OSError:
            return ""
        return " ".join(text.strip().splitlines()[-1:])[:_MAX_COMPLAINT]

    def kill(self) -> None:
        """End it with all it may have started, collect it, and close what it was held by."""
        with suppress(ChildProcessError, ProcessLookupError):
            # Whoever is still there to be collected keeps its number: the signal can't reach a stranger.
            self._look()
            os.killpg(self.pid, signal.SIGKILL)
        self._launcher.end(self._label)
        self._process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close this process's ends of its pipes; on the other side it ends when it reads next."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _look(self) -> "os.waitid_result | None":
        """Return how it ended, without collecting it; None while it runs."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)


def _described(code: int, status: int) -> str:
    if code == os.CLD_EXITED:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(status).name}"
    except ValueError:
        return f"signal {status}"


class Spare:
    """Keeps one process ready, and hands it out once.

    Args:
        launcher: starts the processes.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._lock = Lock()
        self._ready: ChildProcess | None = None

    def take(self) -> ChildProcess | None:
        """Return the process kept ready, which nobody else gets then; None where there is none."""
        with self._lock:
            child, self._ready = self._ready, None
        return child if child is not None and self._usable(child) else None

    def refill(self) -> None:
        """Start a process for the next run, unless one is ready; it gets ready by itself."""
        with self._lock, suppress(OSError):
            if self._ready is None:
                self._ready = ChildProcess(self._launcher)

    def close(self) -> None:
        """End the one kept ready."""
        child = self.take()
        if child is not None:
            child.kill()

    def _usable(self, child: ChildProcess) -> bool:
        """Whether a process is this one's and alive; one that isn't is let go of."""
        if child.owner != os.getpid():
            # This process was forked off the one that started it, which still needs it.
            child.let_go()
            return False
        if not child.is_alive():
            child.kill()
            return False
        return True


class ProcessSandbox:
    """Runs each code in a fresh process that shuts itself in before it is given the code.

    Threads may share it: each run has its own process.

    Args:
        launcher: starts the processes, behind walls of its own or none.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._spare = Spare(launcher)
        self._availability: Availability | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self._launcher.name

    def available(self) -> Availability:
        """Say whether a process here really is shut in: one is started and tries to get out."""
        if self._availability is None:
            self._availability = self._probed()
        return self._availability

    def run(
        self, code: str, *, api: Api = NO_API, limits: Limits = DEFAULT_LIMITS, cancel: Event | None = None
    ) -> CodeResult:
        """Run code; see ``Sandbox.run``."""

        def runner(host: HostCalls, output: Output) -> RunEnding:
            try:
                with self._confined(code, host, output, cancel) as confined:
                    return _served(confined, Deadline(limits.seconds, cancel))
            except NotConfinedError:
                return ending.refused()
            except CancelledError:
                return ending.cancelled()

        return ending.measured(self.name, code, api, limits, runner, cancel=cancel)

    def close(self) -> None:
        """End the process that is kept ready; the next run starts one."""
        self._spare.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _probed(self) -> Availability:
        if missing := self._launcher.missing():
            return Availability(available=False, reason=missing)
        try:
            host, output = HostCalls(NO_API, PROBE_LIMITS), Output(PROBE_LIMITS.output)
            with self._confined(PROBE, host, output, None) as confined:
                ended = _served(confined, Deadline(PROBE_LIMITS.seconds))
        except NotConfinedError as error:
            return Availability(available=False, reason=str(error))
        return verdict(ended, _standing(confined.walls))

    @contextmanager
    def _confined(
        self, code: str, host: HostCalls, output: Output, cancel: Event | None
    ) -> Iterator["_Confined"]:
        """Give a process that has shut itself in; leave nothing of it behind."""
        confined = self._kept(code, host, output, cancel) or self._fresh(code, host, output, cancel)
        try:
            yield confined
        finally:
            confined.child.kill()
            self._spare.refill()

    def _kept(self, code: str, host: HostCalls, output: Output, cancel: Event | None) -> "_Confined | None":
        """Return the process kept ready, shut in; None where there is none, or where it died waiting."""
        child = self._spare.take()
        try:
            return _shut_in(child, code, host, output, cancel) if child is not None else None
        except NotConfinedError:
            return None

    def _fresh(self, code: str, host: HostCalls, output: Output, cancel: Event | None) -> "_Confined":
        """Start a process; return it, shut in."""
        try:
            child = ChildProcess(self._launcher)
        except OSError as error:
            raise NotConfinedError(f"the process can't be started: {error}") from error
        return _shut_in(child, code, host, output, cancel)


@dataclass(frozen=True, slots=True)
class _Confined:
    """A process that has shut itself in."""

    child: ChildProcess
    conversation: RunConversation
    walls: Frame


def _shut_in(
    child: ChildProcess, code: str, host: HostCalls, output: Output, cancel: Event | None
) -> _Confined:
    """Have a process shut itself in; end it where it doesn't."""
    conversation = RunConversation(child.channel, host, output, code)
    try:
        walls = conversation.confine(Deadline(host.limits.start_seconds, cancel))
        return _Confined(child, conversation, walls)
    except (TimeoutError, EOFError, BrokenPipeError) as error:
        why = child.complaint() or child.ending() or "it doesn't answer"
        child.kill()
        raise NotConfinedError(f"the process did not get ready: {why}") from error
    except BaseException:
        child.kill()
        raise


def _served(confined: _Confined, deadline: Deadline) -> RunEnding:
    """Run code in a confined process; this is the one table from how that goes wrong to outcomes."""
    try:
        return confined.conversation.run(deadline)
    except TimeoutError:
        return ending.timed_out(confined.conversation.host.limits)
    except LimitExceededError as error:
        return ending.limit_exceeded(str(error))
    except FrameError:
        return ending.crashed(messages.broke_off())
    except (EOFError, BrokenPipeError):
        return ending.crashed(messages.crashed(confined.child.ending()))


def _standing(walls: Frame) -> str:
    """Return for the operator which walls a process stands behind."""
    landlock = f"Landlock {walls.get('landlock')}" if walls.get("landlock") else "no Landlock in this kernel"
    user = "an ordinary user" if walls.get("unprivileged") else "root of a user namespace"
    return f"a filter of system calls, {landlock}, resource limits, as {user}"


PROBE_LIMITS = Limits(seconds=10)

# asyncio brings socket and subprocess along, so that what is tried meets the walls and not a module that isn't there.
PROBE = """
import asyncio, os, socket, subprocess

def attempt(action):
    try:
        action()
    except BaseException as error:
        return type(error).__name__
    return "done"

def fork():
    if os.fork() == 0:
        os._exit(0)

{
    "opening a file": attempt(lambda: os.open("/", os.O_RDONLY)),
    "making a socket": attempt(socket.socket),
    "forking": attempt(fork),
    "starting a program": attempt(lambda: subprocess.run(["/bin/true"])),
    "taking 1 GB of memory": attempt(lambda: bytearray(2**30)),
}
"""

_EXPECTED = {
    "opening a file": {"PermissionError"},
    "making a socket": {"PermissionError"},
    "forking": {"PermissionError", "BlockingIOError"},
    "starting a program": {"PermissionError", "BlockingIOError"},
    "taking 1 GB of memory": {"MemoryError"},
}


def verdict(ended: RunEnding, walls: str) -> Availability:
    """Judge a probe."""
    if ended.outcome is not CodeOutcome.SUCCEEDED or not isinstance(ended.value, dict):
        return Availability(available=False, reason=f"the probe did not run: {ended.message}")
    answers = {attempt: ended.value.get(attempt) for attempt in _EXPECTED}
    got_out = [
        f"{attempt} ({answer})" for attempt, answer in answers.items() if answer not in _EXPECTED[attempt]
    ]
    if got_out:
        return Availability(available=False, reason=f"the probe was not stopped at {', '.join(got_out)}")
    return Availability(available=True, reason=walls)
