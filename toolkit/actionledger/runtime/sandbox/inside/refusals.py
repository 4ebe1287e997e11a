"""The filter of a command's system calls: a few are refused, for there the kernel has no finer wall, or had too many holes.

A sandbox for code allows a list of calls; ordinary programs need nearly all of them, so here a list is refused.
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

# Work for the kernel that no filter and no rule about files sees; keys that belong to the user, not to the command.
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
    """Put the filter in force for this process and all that it starts, for ever."""
    seccomp.install(libc, target, program(target, sockets=sockets, spared=spared))


def program(target: Architecture, *, sockets: bool, spared: Sequence[int]) -> bytes:
    """Return the filter as the kernel's instructions, eight bytes each; see ``install``."""
    # A second table of calls, for programs of 32 bits, has other numbers: it would lead round what is refused for good reason.
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
        # It takes a folder of /proc for a process, whoever it is.
        lines += _refused(target.others["pidfd_send_signal"], errno.ENOSYS)
        aims = sorted({*spared, *(-process for process in spared), _EVERYBODY})
        for name in _SIGNALLING:
            lines += _refused_about(target.others[name], aims)
    return b"".join([*lines, instruction(RETURN, ALLOW)])


def _refused(number: int, why: int) -> list[bytes]:
    return [instruction(IF_EQUAL, number, otherwise=1), instruction(RETURN, REFUSE | why)]


def _refused_about(number: int, aims: Iterable[int]) -> list[bytes]:
    """Refuse a call whose first argument is one of some processes; process numbers have 32 bits, whatever the call's have."""
    aims = [aim & _WORD for aim in aims]
    checks = [instruction(IF_EQUAL, aim, then=len(aims) - place) for place, aim in enumerate(aims)]
    return [
        instruction(IF_EQUAL, number, otherwise=len(aims) + 3),
        instruction(LOAD, FIRST_ARGUMENT),
        *checks,
        instruction(RETURN, ALLOW),
        instruction(RETURN, REFUSE | errno.EPERM),
    ]
