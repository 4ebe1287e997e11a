"""A sandbox that runs code in a process that confines itself, and the probe that tests it."""

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

# The host's handle of one process: a channel and its clean end; and the spare process.
_MAX_COMPLAINT = 2000
_PATIENCE = 0.5
"""How long a process may take to end after its pipes are closed, in seconds."""


class ChildProcess:
    """A process that waits for its task."""

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
        """The id of its process and of its process group."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it still runs."""
        with suppress(ChildProcessError):
            return self._look() is None
        return False

    def ending(self) -> str:
        """Return how it ended by itself, such as ``"exit status 3"`` or ``"signal SIGSEGV"``; empty if it didn't."""
        patience = time.monotonic() + _PATIENCE
        # Its pipes are closed shortly before it ends.
        while self.is_alive() and time.monotonic() < patience:
            time.sleep(0.001)
        with suppress(ChildProcessError):
            status = self._look()
            return "" if status is None else _described(status.si_code, status.si_status)
        return ""

    def complaint(self) -> str:
        """Return its standard error from before it was confined, which tells why that failed, if so."""
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        os.set_blocking(descriptor, False)
        try:
            text = os.read(descriptor, 64 * 1024).decode(errors="replace")
        except OSError:
            return ""
        return " ".join(text.strip().splitlines()[-1:])[:_MAX_COMPLAINT]

    def kill(self) -> None:
        """Kill it and all its children, reap it, and close its pipes."""
        with suppress(ChildProcessError, ProcessLookupError):
            # A process that is not reaped yet keeps its id, so the signal can't reach another one.
            self._look()
            os.killpg(self.pid, signal.SIGKILL)
        self._launcher.end(self._label)
        self._process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close the host's ends of its pipes; the process ends at its next read."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _look(self) -> "os.waitid_result | None":
        """Return how it ended, without reaping it; None while it runs."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)


def _described(code: int, status: int) -> str:
    if code == os.CLD_EXITED:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(status).name}"
    except ValueError:
        return f"signal {status}"


class Spare:
    """Keeps one spare process and hands it out once."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._lock = Lock()
        self._ready: ChildProcess | None = None

    def take(self) -> ChildProcess | None:
        """Return the spare process and forget it; None if there is none."""
        with self._lock:
            child, self._ready = self._ready, None
        return child if child is not None and self._usable(child) else None

    def refill(self) -> None:
        """Start a spare process unless there is one; it gets ready in the background."""
        with self._lock, suppress(OSError):
            if self._ready is None:
                self._ready = ChildProcess(self._launcher)

    def close(self) -> None:
        """End the spare process."""
        child = self.take()
        if child is not None:
            child.kill()

    def _usable(self, child: ChildProcess) -> bool:
        """Whether a child belongs to this process and is alive; one that doesn't is released."""
        if child.owner != os.getpid():
            # This process was forked from the one that started the child, which still needs it.
            child.let_go()
            return False
        if not child.is_alive():
            child.kill()
            return False
        return True


class ProcessSandbox:
    """Runs each code in a new process, which confines itself before it gets the code.

    Threads may share it: each run has its own process.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._spare = Spare(launcher)
        self._availability: Availability | None = None

    @property
    def name(self) -> str:
        return self._launcher.name

    def available(self) -> Availability:
        """Return whether processes are really confined here, by a probe that tries to break out."""
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
        """End the spare process; the next run starts one."""
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
        """Yield a confined process, and clean up after it."""
        confined = self._kept(code, host, output, cancel) or self._fresh(code, host, output, cancel)
        try:
            yield confined
        finally:
            confined.child.kill()
            self._spare.refill()

    def _kept(self, code: str, host: HostCalls, output: Output, cancel: Event | None) -> "_Confined | None":
        """Return the spare process, confined; None if there is none or it died."""
        child = self._spare.take()
        try:
            return _shut_in(child, code, host, output, cancel) if child is not None else None
        except NotConfinedError:
            return None

    def _fresh(self, code: str, host: HostCalls, output: Output, cancel: Event | None) -> "_Confined":
        """Start a process and return it confined."""
        try:
            child = ChildProcess(self._launcher)
        except OSError as error:
            raise NotConfinedError(f"the process can't be started: {error}") from error
        return _shut_in(child, code, host, output, cancel)


@dataclass(frozen=True, slots=True)
class _Confined:
    """A confined process."""

    child: ChildProcess
    conversation: RunConversation
    walls: Frame


def _shut_in(
    child: ChildProcess, code: str, host: HostCalls, output: Output, cancel: Event | None
) -> _Confined:
    """Let a process confine itself; kill it if it fails."""
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
    """Run code in a confined process; this table converts every error into an outcome."""
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
    """Return a description of a process's confinement, for the operator."""
    landlock = f"Landlock {walls.get('landlock')}" if walls.get("landlock") else "no Landlock in this kernel"
    user = "an ordinary user" if walls.get("unprivileged") else "root of a user namespace"
    return f"a filter of system calls, {landlock}, resource limits, as {user}"


PROBE_LIMITS = Limits(seconds=10)

# asyncio imports socket and subprocess, so that the attempts meet the confinement and not a missing module.
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
    """Return the result of a probe."""
    if ended.outcome is not CodeOutcome.SUCCEEDED or not isinstance(ended.value, dict):
        return Availability(available=False, reason=f"the probe did not run: {ended.message}")
    answers = {attempt: ended.value.get(attempt) for attempt in _EXPECTED}
    got_out = [
        f"{attempt} ({answer})" for attempt, answer in answers.items() if answer not in _EXPECTED[attempt]
    ]
    if got_out:
        return Availability(available=False, reason=f"the probe was not stopped at {', '.join(got_out)}")
    return Availability(available=True, reason=walls)
