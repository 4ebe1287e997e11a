"""The filter of a command's system calls: it refuses a few for which the kernel has no finer control, or has had too many holes.

A sandbox for code has a list of allowed calls; ordinary programs need nearly all of them, so here a list is refused.
"""

import ctypes
import errno
from collections.abc import Iterable, Sequence

from . import seccomp
from .seccomp import (
    ALLOW,
    ARCHITECTURE,
    FIRST_ARGUMENT,
    IF_AT_LEAST,
    IF_EQUAL,
    LOAD,
    NUMBER,
    REFUSE,
    RETURN,
    instruction,
)
from .syscalls import Architecture

# Kernel work that bypasses filters and file rules; keys that belong to the user and not to the command.
_ALWAYS = {
    "io_uring_setup": errno.ENOSYS,
    "add_key": errno.EPERM,
    "request_key": errno.EPERM,
    "keyctl": errno.EPERM,
    "bpf": errno.EPERM,
    "perf_event_open": errno.EPERM,
    "userfaultfd": errno.EPERM,
}
_SIGNALLING = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open")
_EVERYBODY = -1
_WORD = 0xFFFF_FFFF


def install(libc: ctypes.CDLL, target: Architecture, *, sockets: bool, spared: Sequence[int]) -> None:
    """Install the filter for this process and all its children; it can't be removed."""
    seccomp.install(libc, target, program(target, sockets=sockets, spared=spared))


def program(target: Architecture, *, sockets: bool, spared: Sequence[int]) -> bytes:
    """Return the filter as the kernel's instructions of eight bytes each; see ``install``."""
    # The table of calls for 32-bit programs has other numbers, and would bypass the refusals.
    strangers = ALLOW if sockets and not spared else REFUSE | errno.EPERM
    lines = [
        instruction(LOAD, ARCHITECTURE),
        instruction(IF_EQUAL, target.audit, then=1),
        instruction(RETURN, strangers),
        instruction(LOAD, NUMBER),
    ]
    if target.has_x32:
        lines += [
            instruction(IF_AT_LEAST, seccomp.X32_BIT, otherwise=1),
            instruction(RETURN, REFUSE | errno.ENOSYS),
        ]
    for name, number in _ALWAYS.items():
        lines += _refused(target.others[name], number)
    if not sockets:
        lines += _refused(target.others["socket"], errno.EACCES)
    if spared:
        # It accepts a folder of /proc instead of a process id, so it can't be checked.
        lines += _refused(target.others["pidfd_send_signal"], errno.ENOSYS)
        aims = sorted({*spared, *(-process for process in spared), _EVERYBODY})
        for name in _SIGNALLING:
            lines += _refused_about(target.others[name], aims)
    return b"".join([*lines, instruction(RETURN, ALLOW)])


def _refused(number: int, why: int) -> list[bytes]:
    return [instruction(IF_EQUAL, number, otherwise=1), instruction(RETURN, REFUSE | why)]


def _refused_about(number: int, aims: Iterable[int]) -> list[bytes]:
    """Refuse a call if its first argument is one of some processes; process ids have 32 bits, even if the argument has more."""
    aims = [aim & _WORD for aim in aims]
    checks = [instruction(IF_EQUAL, aim, then=len(aims) - place) for place, aim in enumerate(aims)]
    return [
        instruction(IF_EQUAL, number, otherwise=len(aims) + 3),
        instruction(LOAD, FIRST_ARGUMENT),
        *checks,
        instruction(RETURN, ALLOW),
        instruction(RETURN, REFUSE | errno.EPERM),
    ]
