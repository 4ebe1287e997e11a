"""The process confines itself, irrevocably, before it gets any foreign code.

Each step is a wall of its own. The filter of system calls holds without the others, and the others would hold most of
what it does.
"""

import ctypes
import errno
import os
import resource
import signal
from dataclasses import dataclass
from itertools import pairwise

from . import landlock, seccomp
from .syscalls import architecture

_SET_DUMPABLE, _SET_NO_NEW_PRIVILEGES = 4, 38
_NOBODY = 65534
_GRACE_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Walls:
    """The confinement of the process."""

    seccomp: bool  # whether the filter of system calls is installed
    landlock: int  # the version of Landlock; 0 if the kernel has none
    unprivileged: bool  # whether the process runs as an ordinary user


def lock_down(memory: int, seconds: float, keep: tuple[int, ...]) -> Walls:
    """Confine this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    target = architecture()
    _close_all_but(keep)
    _limit_resources(memory, int(seconds) + _GRACE_SECONDS)
    _prctl(libc, _SET_DUMPABLE, 0)
    unprivileged = _give_up_root()
    _prctl(libc, _SET_NO_NEW_PRIVILEGES, 1)
    version = landlock.restrict(libc)
    # The last step, because it refuses the calls that the others need.
    seccomp.install(libc, target, seccomp.program(target))
    return Walls(seccomp=True, landlock=version, unprivileged=unprivileged)


def _close_all_but(keep: tuple[int, ...]) -> None:
    bounds = (-1, *sorted(keep), os.sysconf("SC_OPEN_MAX"))
    for before, after in pairwise(bounds):
        # An empty range would be taken for an unlimited one.
        if before + 1 < after:
            os.closerange(before + 1, after)


def _limit_resources(memory: int, seconds: int) -> None:
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_NOFILE: 16,
        resource.RLIMIT_NPROC: 0,
    }
    for kind, wanted in limits.items():
        _, hard = resource.getrlimit(kind)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (most, most))
    # A killed host can't end a sleeping process; the alarm can, and foreign code can't postpone it.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _give_up_root() -> bool:
    """Change root to the user nobody; return whether the process now runs as an ordinary user."""
    if os.geteuid() != 0:
        return True
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError as error:
        # A user namespace without other users has no user nobody; the other walls remain.
        if error.errno not in {errno.EINVAL, errno.EPERM}:
            raise
        return False
    return True


def _prctl(libc: ctypes.CDLL, option: int, value: int) -> None:
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"the kernel refuses prctl {option}")
