"""The process that runs untrusted SQL. It limits its own resources, and may crash without harm to others.

It ends even if the process that started it is gone: at the end of its input, or when a statement's time is over, by a signal that needs no Python.
"""

import os
import pickle
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import duckdb

from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.ledger.guarding.statements import Statements
from actionledger.ledger.guarding.wire import ANSWER, FORK, REFUSALS, REQUEST, Setup, received_trusted, send
from actionledger.ledger.storage.local import store_at
from actionledger.ledger.storage.readers import Reader

HARD_MEMORY = 1536 * 2**20
"""How much memory a statement may take beyond that of the process with the ledger open, in bytes: 1.5 times DuckDB's limit."""

GRACE_SECONDS = 1.0
"""Seconds after its time limit at which a statement ends if nobody has ended it."""

_MOST_SECONDS = 10.0**7
_FIRST_ROWS, _MOST_ROWS, _BATCH_BYTES = 64, 20_000, 1 << 20


def main() -> None:
    """Fork processes that answer, as requested over the standard input, which is a socket."""
    with socket.socket(fileno=os.dup(0)) as asked:
        serve(asked)


def answer(requests_from: int, answers_to: int) -> None:
    """Answer requests until there are no more; then this process ends."""
    requests, answers = os.fdopen(requests_from, "rb", buffering=0), os.fdopen(answers_to, "wb", buffering=0)
    # Leave no output but the answers: neither a log nor a crash message may go anywhere.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        setup: Setup = received_trusted(requests)
        os.environ.update(setup.environment)
        for name in os.environ.keys() - setup.environment.keys():
            del os.environ[name]
        statements = _opened(setup)
        send(answers, ("ready",))
        while True:
            _answer(statements, received_trusted(requests), _Channel(requests, answers), setup.seconds)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # DuckDB's threads may be in the middle of something
    except ActionLedgerError as error:
        kind = next(each.__name__ for each in type(error).__mro__ if each.__name__ in REFUSALS)
        send(answers, ("refused", kind, str(error)))
    except duckdb.Error as error:
        send(answers, ("refused", "LedgerError", str(error)))


class _Channel(NamedTuple):
    """The pipes for requests and answers."""

    requests: IO[bytes]
    answers: IO[bytes]


def _opened(setup: Setup) -> Statements:
    place = setup.place
    store = store_at(place.path, read_only=True, as_of=place.as_of)
    reader = Reader(store, may_write=place.may_write, without_text=place.without_text)
    statements = Statements(reader.cursor, setup.folder, store.folders)
    # Have the kernel limit the memory. macOS has no such limit; there only DuckDB's own limit holds.
    with suppress(OSError, ValueError):
        status = Path("/proc/self/status").read_text("ascii")
        [held] = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:")]
        limit = held * 1024 + HARD_MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    # Python ignores the signal that comes with it, so that a write beyond the limit raises.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (setup.max_bytes, setup.max_bytes))
    return statements


def _answer(statements: Statements, request: tuple[str, str], channel: _Channel, seconds: float) -> None:
    what, statement = request
    try:
        with _ended_after(seconds + GRACE_SECONDS):
            if what == "rows":
                with statements.ask(statement) as (names, fetch):
                    send(channel.answers, ("names", names))
                    _give_rows(fetch, channel)
            elif what == "arrow":
                send(channel.answers, ("names", statements.write_arrow(statement)))
            else:
                statements.write_parquet(statement)
                send(channel.answers, ("done",))
    except UsageError as error:
        send(channel.answers, ("wrong", str(error)))
    except MemoryError:
        send(channel.answers, ("wrong", "The statement needs more memory than it may take."))


def _give_rows(fetch: Callable[[int], list[tuple[Any, ...]]], channel: _Channel) -> None:
    """Send rows as long as they are requested, about a megabyte at a time."""
    count = _FIRST_ROWS
    while received_trusted(channel.requests):
        rows = fetch(count)
        try:
            size = send(channel.answers, ("rows", rows))
        except pickle.PicklingError as error:
            raise UsageError(f"The statement gives what has no value in Python: {error}") from error
        if not rows:
            return
        count = max(1, min(_MOST_ROWS, 2 * count, count * _BATCH_BYTES // size))


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End this process when the time is over."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _MOST_SECONDS))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()


def forked(requests: int, answers: int) -> int:
    """Fork this process, which has one thread. Return the id of the new process, which answers until its input ends."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()  # Ctrl-C goes to the asking process
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            _close_all_but(requests, answers)
            answer(requests, answers)
        finally:
            os._exit(1)
    return pid


def ended_here(pid: int) -> int:
    """Kill a child of this process; return its exit code, as ``subprocess`` does."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # something else waits for all children
        return -signal.SIGKILL


def serve(asked: socket.socket) -> None:
    """Fork and end processes on request, until the requests end; then end all that are left."""
    children: set[int] = set()
    with suppress(OSError):
        while True:
            data, descriptors, _, _ = socket.recv_fds(asked, REQUEST.size, 2, socket.MSG_WAITALL)
            if len(data) < REQUEST.size:
                break
            what, value = REQUEST.unpack(data)
            if what == FORK:
                value = forked(*descriptors)
                children.add(value)
                for descriptor in descriptors:
                    os.close(descriptor)
            elif value in children:
                children.remove(value)
                value = ended_here(value)
            else:
                value = -signal.SIGKILL
            asked.sendall(ANSWER.pack(value))
    for child in children:
        ended_here(child)


def _close_all_but(*kept: int) -> None:
    """Close the descriptors inherited from the parent, except these; the parent's locks stay its own."""
    with suppress(OSError):
        for path in list(Path("/proc/self/fd").iterdir()):
            if (descriptor := int(path.name)) > 2 and descriptor not in kept:
                with suppress(OSError):
                    os.close(descriptor)
