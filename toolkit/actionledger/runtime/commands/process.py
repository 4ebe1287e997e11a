"""Run one command: in a sandboxing process, with its output captured, and with a timeout for it and all its children."""

import codecs
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import ceil
from pathlib import Path
from threading import Event
from typing import TypeAlias

from actionledger.core.canonical import JsonDict
from actionledger.core.errors import ActionError
from actionledger.core.privacy import mask_text
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands import reach
from actionledger.runtime.commands.reach import ENVIRONMENT, CommandSettings, allows, environment_of
from actionledger.runtime.sandbox.launch import INSIDE, host_python

OnOutput: TypeAlias = Callable[[str, str], None]
"""Called with the output's name (``stdout`` or ``stderr``) and its next piece."""

MARGIN = 64 * 1024
"""The number of characters kept beyond each cut, so that a secret up to that length is masked whole and not cut in two."""


class OutputCapture:
    """One output of a command."""

    def __init__(self, name: str, limit: int, on_output: OnOutput | None = None) -> None:
        self._name = name
        self._limit = limit
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = _Beginning(limit + MARGIN)
        self._tail = _End(limit + MARGIN)
        self._length = 0

    def add(self, data: bytes, *, final: bool = False) -> None:
        """Add the next bytes; invalid UTF-8 becomes U+FFFD."""
        text = self._decoder.decode(data, final)
        if not text:
            return
        self._length += len(text)
        if self._on_output:
            self._on_output(self._name, text)
        self._head.add(text)
        self._tail.add(text)

    @property
    def text(self) -> str:
        """The kept text, with secrets masked; a line tells how much was left out, if any."""
        if self._length <= self._limit:
            return self._head.text
        head = mask_text(self._head.text)[: self._limit // 2]
        tail = mask_text(self._tail.text)[-(self._limit - self._limit // 2) :]
        return f"{head}\n[… {self._length - len(head) - len(tail):,} characters left out …]\n{tail}"


class _Beginning:
    """The first characters of a text."""

    def __init__(self, room: int) -> None:
        self._pieces: list[str] = []
        self._room = room

    def add(self, text: str) -> None:
        if self._room:
            self._pieces.append(text[: self._room])
            self._room -= len(self._pieces[-1])

    @property
    def text(self) -> str:
        return "".join(self._pieces)


class _End:
    """The last characters of a text."""

    def __init__(self, room: int) -> None:
        self._pieces: deque[str] = deque()
        self._length = 0
        self._room = room

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        while self._length - len(self._pieces[0]) >= self._room:
            self._length -= len(self._pieces.popleft())

    @property
    def text(self) -> str:
        return "".join(self._pieces)[-self._room :]


class Wall(StrEnum):
    """A wall around a command: a protection by the sandbox.

    For ``memory`` and ``number``, the kernel limits each process if it can, and the processes together are measured
    ten times a second.
    """

    FILES = "files"
    """It accesses only its given files: the workspace, its home, and software installed for all users."""
    PROCESSES = "processes"
    """It sees no other processes."""
    SIGNALS = "signals"
    """It can't signal other processes."""
    ENDING = "ending"
    """It can't end the process that supervises it, and no child process outlives it."""
    NETWORK = "network"
    """It reaches no other machine, and no server on this one."""
    MEMORY = "memory"
    """It is ended if it uses too much memory."""
    NUMBER = "number"
    """It is ended if it has too many processes and threads."""


KEEPS_TO_THE_WORKSPACE = frozenset({Wall.FILES})
"""The walls without which a command runs only if an operator explicitly allows it."""


_BOOT = "import sys; sys.path.insert(0, {folder!r}); from inside.command import main; main()"
_LOOK_EVERY = 0.05
_PIECE = 64 * 1024
_AROUND_THE_END = 5.0
"""How long the supervising process may take to end the command, beyond the grace period, in seconds."""

HOW_TO_RUN = (
    "Whoever operates this session can run it where there is Landlock (Linux 5.13 or later) or namespaces, a virtual machine or a "
    "container for one, or allow commands without walls by name: --unconfined-commands, CommandSettings(unconfined=True) or "
    f"{ENVIRONMENT}=unconfined in the environment."
)


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a command."""

    # its exit status, or the negative number of the signal that ended it; None if it was ended or is unknown
    status: int | None
    stdout: str  # stdout, stderr: its outputs, as far as they were kept
    stderr: str
    seconds: float  # its duration
    ended_by: str  # `"timeout"`, `"cancelled"`, `"memory"` or `"processes"` if it was ended; empty otherwise
    walls: tuple[Wall, ...]  # the walls around it


def run_command(
    words: Sequence[str],
    *,
    workspace: Path,
    home: Path,
    settings: CommandSettings,
    on_output: OnOutput | None = None,
    cancelled: Event | None = None,
) -> Ran:
    """Run a program with its arguments in a workspace."""
    running = _Running(words, workspace, home, settings, on_output)
    try:
        return running.finished(cancelled or Event())
    finally:
        running.end()


class _Running:
    """A running command."""

    def __init__(
        self,
        words: Sequence[str],
        workspace: Path,
        home: Path,
        settings: CommandSettings,
        on_output: OnOutput | None,
    ) -> None:
        self._settings = settings
        self._begun = time.monotonic()
        self._outputs = [OutputCapture(name, settings.output, on_output) for name in ("stdout", "stderr")]
        self._reported = b""
        self._report, report = os.pipe()
        try:
            task = _task(words, workspace, home, settings) | {"report": report}
            self._process = _started(task, workspace, report)
        except BaseException:
            os.close(self._report)
            raise
        finally:
            os.close(report)
        self._selector = selectors.DefaultSelector()
        for stream, take in (
            (self._process.stdout, self._outputs[0].add),
            (self._process.stderr, self._outputs[1].add),
            (self._report, self._take_report),
        ):
            assert stream is not None
            self._selector.register(stream, selectors.EVENT_READ, take)

    def finished(self, cancelled: Event) -> Ran:
        """Wait until the command and all its children have ended, or end them at the timeout."""
        ended_by, last = "", self._begun + self._settings.seconds
        while self._selector.get_map():
            late = time.monotonic() >= last
            if ended_by and late:
                break  # the supervising process fails to end it
            if not ended_by and (late or cancelled.is_set()):
                ended_by = "timeout" if late else "cancelled"
                self._let_go()
                last = time.monotonic() + self._settings.grace + _AROUND_THE_END
            self._listen(min(_LOOK_EVERY, max(0.0, last - time.monotonic())))
        return self._ran(ended_by)

    def end(self) -> None:
        """End the command and all its children."""
        self._let_go()
        try:
            self._process.wait(self._settings.grace + _AROUND_THE_END)
        except subprocess.TimeoutExpired:
            groups = {self._process.pid, self._reports().get("started", self._process.pid)}
            for group in groups:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
            self._process.wait()
        self._selector.close()
        os.close(self._report)
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()

    def _listen(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            data = os.read(key.fd, _PIECE)
            key.data(data)
            if not data:
                self._selector.unregister(key.fileobj)

    def _take_report(self, data: bytes) -> None:
        self._reported += data

    def _ran(self, ended_by: str) -> Ran:
        for output in self._outputs:
            output.add(b"", final=True)
        said = self._reports()
        if "refused" in said and not ended_by:
            raise ActionError(Reason.UNAVAILABLE, f"The command could not be started: {said['refused']}.")
        if "unheld" in said:
            raise ActionError(Reason.UNAVAILABLE, f"The command was not run: {said['unheld']}. {HOW_TO_RUN}")
        ended_by = ended_by or str(said.get("beyond", ""))
        return Ran(
            status=None if ended_by else said.get("ended"),
            stdout=self._outputs[0].text,
            stderr=self._outputs[1].text,
            seconds=time.monotonic() - self._begun,
            ended_by=ended_by,
            walls=_walls(said),
        )

    def _reports(self) -> JsonDict:
        """Return the reports of the supervising process so far."""
        said: JsonDict = {}
        for line in self._reported.splitlines():
            with suppress(ValueError):
                said |= json.loads(line)
        return said

    def _let_go(self) -> None:
        """Close the pipes that keep the command alive."""
        if self._process.stdin:
            self._process.stdin.close()


def _task(words: Sequence[str], workspace: Path, home: Path, settings: CommandSettings) -> JsonDict:
    """Return the supervising process's task, as a JSON value."""
    environment = environment_of(settings, home)
    program = reach.program_of(words[0], workspace, environment["PATH"])
    return {
        "program": str(program),
        "words": list(words),
        "environment": environment,
        "writable": reach.writable(workspace, home),
        "readable": reach.readable(program, settings),
        "network": allows(settings, "network"),
        "listed": reach.listed(),
        "home": str(home),
        "grace": settings.grace,
        "most": {
            "memory": settings.memory,
            "processes": settings.processes,
            "file_bytes": settings.file_bytes,
            "processor_seconds": ceil(settings.seconds + settings.grace) * (os.cpu_count() or 1),
        },
        "required": [] if allows(settings, "unconfined") else sorted(KEEPS_TO_THE_WORKSPACE),
        "spared": [os.getpid()],
        **asdict(settings.means),
    }


def _walls(said: JsonDict) -> tuple[Wall, ...]:
    """Return the walls that the supervising process reported, in the order of ``Wall``."""
    counted = {Wall.MEMORY, Wall.NUMBER} if sys.platform.startswith("linux") else set()
    standing = {*said.get("walls", ()), *(counted if "walls" in said else ())}
    return tuple(wall for wall in Wall if wall in standing)


def _started(task: JsonDict, workspace: Path, report: int) -> "subprocess.Popen[bytes]":
    options = ["-B"] if sys.dont_write_bytecode else []
    boot = _BOOT.format(folder=str(INSIDE.parent))
    try:
        return subprocess.Popen(  # noqa: S603 - no shell: the command's words are data of a task
            [host_python(), "-I", "-S", *options, "-X", "utf8", "-c", boot, json.dumps(task)],
            cwd=workspace,
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(report,),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        message = f"The command could not be started: {error}."
        raise ActionError(Reason.UNAVAILABLE, message) from error
