"""The numbers of the system calls that a confined Python needs, and of some that commands are refused.

A confined Python is refused all other calls: it can't open files, make sockets, start processes or signal others. Reading, writing
and closing reach only open descriptors. Threads are refused too: most attacks on a kernel need races between
threads, and short scripts hardly ever need threads.
"""

import os
from types import MappingProxyType
from typing import NamedTuple

_X86_64 = {
    "read": 0,
    "write": 1,
    "close": 3,
    "fstat": 5,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigreturn": 15,
    "writev": 20,
    "select": 23,
    "mremap": 25,
    "madvise": 28,
    "nanosleep": 35,
    "getpid": 39,
    "exit": 60,
    "gettid": 186,
    "futex": 202,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "pselect6": 270,
    "getrandom": 318,
    "rseq": 334,
}
_AARCH64 = {
    "read": 63,
    "write": 64,
    "close": 57,
    "fstat": 80,
    "lseek": 62,
    "mmap": 222,
    "mprotect": 226,
    "munmap": 215,
    "brk": 214,
    "rt_sigreturn": 139,
    "writev": 66,
    "mremap": 216,
    "madvise": 233,
    "nanosleep": 101,
    "getpid": 172,
    "exit": 93,
    "gettid": 178,
    "futex": 98,
    "restart_syscall": 128,
    "clock_gettime": 113,
    "clock_nanosleep": 115,
    "exit_group": 94,
    "pselect6": 72,
    "getrandom": 278,
    "rseq": 293,
}


_EVERYWHERE = {"pidfd_send_signal": 424, "io_uring_setup": 425, "pidfd_open": 434}
_OTHERS_X86_64 = _EVERYWHERE | {
    "socket": 41,
    "kill": 62,
    "tkill": 200,
    "tgkill": 234,
    "rt_sigqueueinfo": 129,
    "rt_tgsigqueueinfo": 297,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "perf_event_open": 298,
    "bpf": 321,
    "userfaultfd": 323,
}
_OTHERS_AARCH64 = _EVERYWHERE | {
    "socket": 198,
    "kill": 129,
    "tkill": 130,
    "tgkill": 131,
    "rt_sigqueueinfo": 138,
    "rt_tgsigqueueinfo": 240,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "perf_event_open": 241,
    "bpf": 280,
    "userfaultfd": 282,
}


class Architecture(NamedTuple):
    """A processor architecture's system calls."""

    audit: int  # its number in filters (`AUDIT_ARCH_…`)
    allowed: MappingProxyType[str, int]  # the calls that confined code may make, by name
    others: MappingProxyType[str, int]  # the calls that a command may be refused, by name
    install_filter: int  # the number of `seccomp`
    has_x32: bool  # whether it has a second table of calls under the same audit number


_ARCHITECTURES = {
    "x86_64": Architecture(
        0xC000003E,
        MappingProxyType(_X86_64),
        MappingProxyType(_OTHERS_X86_64),
        install_filter=317,
        has_x32=True,
    ),
    "aarch64": Architecture(
        0xC00000B7,
        MappingProxyType(_AARCH64),
        MappingProxyType(_OTHERS_AARCH64),
        install_filter=277,
        has_x32=False,
    ),
}

LANDLOCK_CREATE, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT = 444, 445, 446
"""The numbers of ``landlock_create_ruleset``, ``…_add_rule`` and ``…_restrict_self``, on every architecture."""

CLONE3 = 435
"""The number of ``clone3``, on every architecture."""


def architecture() -> Architecture:
    """Return this machine's architecture."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise OSError(
            f"no table of system calls for the processor {machine!r}; there is one for x86_64 and aarch64"
        )
    return _ARCHITECTURES[machine]
