"""Programs, each run in a fork of one Python that has loaded the package: to load it is most of what a short one takes.

Whoever starts it sends a message a program over a socket, with the descriptors that are the program's standard streams, and another to
wait for it. A program finds what ``python -c`` gives it, and ends as it does, what is registered to be done at its end included. That
its modules are taken down after that took half a second of a processor, a hundred times what the rest of a short one takes: it is done
where a test asks for it.
"""

import atexit
import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import actionledger as al
from actionledger.imports.sources.registry import sources
from actionledger.profiles import profile_named

COMMAND = "from actionledger.cli import main\nmain()"
"""The command line, as ``python -m actionledger``."""

MOST_BYTES = 1 << 17


@dataclass
class Running:
    """A program that was begun."""

    pid: int  # its process
    stdin: IO[str]  # what it reads
    stdout: IO[str]  # what it writes
    stderr: IO[str]  # what it complains of
    line: socket.socket  # the socket to the Python that it is a fork of

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it without warning."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Return its status, when it has ended."""
        return int(_asked(self.line, {"wait": self.pid})["status"])


@dataclass
class Begun:
    """A process that is a fork, where the package would start one: as much of ``subprocess.Popen`` as it asks for."""

    pid: int  # the process
    stdin: IO[bytes]  # what it reads
    stdout: IO[bytes]  # what it writes
    line: socket.socket  # the socket to the Python that it is a fork of

    def kill(self) -> None:
        """End it without warning."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return its status, when it has ended."""
        return int(_asked(self.line, {"wait": self.pid})["status"])


class ForkedPython:
    """The Python that is forked; a context that ends it."""

    PIPE = subprocess.PIPE

    def __enter__(self) -> Self:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = [sys.executable, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(words, pass_fds=[theirs.fileno()])
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        self._process.wait()

    def run(
        self,
        code: str,
        folder: Path,
        *arguments: object,
        stdin: bytes = b"",
        is_taken_down: bool = False,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in a folder."""
        with contextlib.ExitStack() as stack:
            given, stdout, stderr = files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            given.write(stdin)
            given.seek(0)
            streams = [file.fileno() for file in files]
            pid = self._begin(code, folder, arguments, environment, streams, is_taken_down=is_taken_down)
            status = int(_asked(self._line, {"wait": pid})["status"])
            texts = [(file.seek(0), file.read().decode())[1] for file in (stdout, stderr)]
        return subprocess.CompletedProcess(code, status, *texts)

    @contextmanager
    def begun(self, code: str, folder: Path, *arguments: object, **environment: str) -> Iterator[Running]:
        """Begin a program in a folder, and end it where nobody has."""
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        pid = self._begin(code, folder, arguments, environment, theirs)
        for descriptor in theirs:
            os.close(descriptor)
        with (
            os.fdopen(pipes[0][1], "w") as stdin,
            os.fdopen(pipes[1][0]) as out,
            os.fdopen(pipes[2][0]) as err,
        ):
            running = Running(pid, stdin, out, err, self._line)
            try:
                yield running
            finally:
                with contextlib.suppress(BrokenPipeError):
                    stdin.close()
                if not _asked(self._line, {"ended": pid})["ended"]:
                    running.kill()
                    running.wait()

    def Popen(  # noqa: N802 - it takes the place of the other
        self, words: Sequence[str], *, stderr: IO[bytes], bufsize: int = -1, **_piped: object
    ) -> Begun:
        """Begin a program whose words are those of ``own_processes.words_for``, in a session of its own."""
        (read, write), (from_it, to_us) = os.pipe(), os.pipe()
        code = f"import os; os.setsid(); {words[2]}"
        pid = self._begin(code, Path.cwd(), tuple(words[3:]), {}, [read, to_us, stderr.fileno()])
        for descriptor in (read, to_us):
            os.close(descriptor)
        streams = os.fdopen(write, "wb", bufsize), os.fdopen(from_it, "rb", bufsize)
        return Begun(pid, *streams, self._line)

    def _begin(
        self,
        code: str,
        folder: Path,
        arguments: tuple[object, ...],
        environment: dict[str, str],
        streams: list[int],
        *,
        is_taken_down: bool = False,
    ) -> int:
        asked = {
            "code": code,
            "arguments": [str(argument) for argument in arguments],
            "folder": str(folder),
            "environment": os.environ | environment,
            "is_taken_down": is_taken_down,
        }
        socket.send_fds(self._line, [json.dumps(asked).encode()], streams)
        return int(json.loads(self._line.recv(MOST_BYTES))["pid"])


def _asked(line: socket.socket, asked: dict[str, Any]) -> dict[str, Any]:
    line.send(json.dumps(asked).encode())
    return dict(json.loads(line.recv(MOST_BYTES)))


def serve(line: socket.socket) -> dict[str, Any] | None:
    """Answer until nobody asks any more: None; in a child, return what was asked for."""
    statuses: dict[int, int] = {}
    while True:
        said, streams, *_ = socket.recv_fds(line, MOST_BYTES, 3)
        if not said:
            return None
        asked = json.loads(said)
        if pid := asked.get("wait") or asked.get("ended"):
            if pid not in statuses:
                ended, status = os.waitpid(pid, 0 if "wait" in asked else os.WNOHANG)
                statuses |= {ended: os.waitstatus_to_exitcode(status)} if ended else {}
            answer = {"status": statuses.get(pid), "ended": pid in statuses}
        elif child := os.fork():
            answer = {"pid": child}
            for descriptor in streams:
                os.close(descriptor)
        else:
            for place, descriptor in enumerate(streams):
                os.dup2(descriptor, place)
                os.close(descriptor)
            line.close()
            return dict(asked)
        line.send(json.dumps(answer).encode())


def run(asked: dict[str, Any]) -> None:
    """Be the program that was asked for."""
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv, sys.path[0] = ["-c", *asked["arguments"]], ""
    tempfile.tempdir = None  # the environment may name another place
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    program = compile(asked["code"], "<string>", "exec")
    if asked["is_taken_down"]:
        exec(program, main.__dict__)
    else:
        end(status_of(program, main.__dict__))


def status_of(program: types.CodeType, names: dict[str, Any]) -> int:
    """Return the status that a program ends with, having said why."""
    try:
        exec(program, names)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        sys.stderr.write(f"{ended.code}\n")
        return 1
    except BaseException:  # noqa: BLE001 - as Python itself ends for any
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def end(status: int) -> None:
    """End this process as Python does, but for taking down what is loaded."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(ValueError, OSError):  # it was closed, or whoever listened is gone
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    for name in ("actionledger.cli", "actionledger.imports.worker", "actionledger.replay.worker"):
        importlib.import_module(name)
    for name in al.__all__:
        getattr(al, name)
    profile_named("coder"), profile_named("orchestrator")
    for name in ("duckdb", "pandas", "pyarrow", "sqlite3"):
        importlib.import_module(name)
    sources()
    with socket.socket(fileno=int(sys.argv[1])) as line:
        asked = serve(line)
    if asked is not None:
        run(asked)
