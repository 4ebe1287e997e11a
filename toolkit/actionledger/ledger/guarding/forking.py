"""Forks of a process with one thread, each to run a stranger's SQL: how they begin and end, and how another process asks for them."""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from struct import Struct

FORK, END = 1, 2
"""What may be asked for: a process that answers over two descriptors, or the end of one."""

_REQUEST, _ANSWER = Struct("<Bq"), Struct("<q")


def forked(requests: int, answers: int) -> int:
    """Fork this process, which has one thread; return the number of the new one, which answers until nothing more is asked."""
    from actionledger.ledger.guarding.child import answer  # noqa: PLC0415 - loaded before the fork, and only where one is

    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()  # Ctrl-C is heard by who asks
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            _close_all_but(requests, answers)
            answer(requests, answers)
        finally:
            os._exit(1)
    return pid


def ended(pid: int) -> int:
    """End a child of this process; return how it has ended, as ``subprocess`` does."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # somebody waits for all children
        return -signal.SIGKILL


def ask(asking: socket.socket, what: int, value: int, *descriptors: int) -> int:
    """Return what the process at the other end of a socket answers."""
    socket.send_fds(asking, [_REQUEST.pack(what, value)], descriptors)
    data = asking.recv(_ANSWER.size, socket.MSG_WAITALL)
    if len(data) < _ANSWER.size:
        raise BrokenPipeError
    (answer,) = _ANSWER.unpack(data)
    return int(answer)


def serve(asked: socket.socket) -> None:
    """Fork and end processes as they are asked for, until nobody asks any more; then none of them is left."""
    children: set[int] = set()
    with suppress(OSError):
        while True:
            data, descriptors, _, _ = socket.recv_fds(asked, _REQUEST.size, 2, socket.MSG_WAITALL)
            if len(data) < _REQUEST.size:
                break
            what, value = _REQUEST.unpack(data)
            if what == FORK:
                value = forked(*descriptors)
                children.add(value)
                for descriptor in descriptors:
                    os.close(descriptor)
            elif value in children:
                children.remove(value)
                value = ended(value)
            else:
                value = -signal.SIGKILL
            asked.sendall(_ANSWER.pack(value))
    for child in children:
        ended(child)


def _close_all_but(*kept: int) -> None:
    """Close what this process has from the one that it is a fork of; a lock of that one stays its own."""
    with suppress(OSError):
        for path in list(Path("/proc/self/fd").iterdir()):
            if (descriptor := int(path.name)) > 2 and descriptor not in kept:
                with suppress(OSError):
                    os.close(descriptor)
