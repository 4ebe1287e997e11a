"""C library calls without a Python function, with errors raised."""

import ctypes
import os
from functools import cache

_MOUNT_SET_ATTRIBUTES = 442
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_HERE, _WITH_ALL_BENEATH = -100, 0x8000
_READ_ONLY, _NO_SET_USER, _NO_DEVICES = 1, 2, 4
_DETACH = 2
_INTERNET, _DATAGRAMS = 2, 2


@cache
def library() -> ctypes.CDLL:
    """Return the C library."""
    return ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Move into new namespaces."""
    _checked(library().unshare(flags), "unshare")


def process_control(option: int, value: int) -> None:
    """Set one property of this process (``prctl``)."""
    _checked(library().prctl(option, value, 0, 0, 0), f"prctl {option}")


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, options: str = "") -> None:
    """Mount a file system, or bind a path to another location."""
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    _checked(library().mount(*words, ctypes.c_ulong(flags), options.encode() or None), f"mount {target}")


def protect_mounts(target: str, *, read_only: bool, devices: bool = False) -> None:
    """Restrict a mount and all mounts in it: set-user-ID is always disabled, writing and devices on request."""
    taken = _NO_SET_USER | (_READ_ONLY if read_only else 0) | (0 if devices else _NO_DEVICES)
    attributes = (ctypes.c_uint64 * 4)(taken, 0, 0, 0)
    arguments = (_HERE, os.fsencode(target), _WITH_ALL_BENEATH, attributes, ctypes.c_size_t(32))
    _checked(library().syscall(_MOUNT_SET_ATTRIBUTES, *arguments), f"mount_setattr {target}")


def pivot_root(new: str, old: str) -> None:
    """Make a mount the root, and move the old root elsewhere."""
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"no number of pivot_root is known for {os.uname().machine}")
    _checked(library().syscall(number, os.fsencode(new), os.fsencode(old)), "pivot_root")


def datagram_socket() -> int:
    """Return the descriptor of a new datagram socket."""
    descriptor = int(library().socket(_INTERNET, _DATAGRAMS, 0))
    _checked(min(descriptor, 0), "socket")
    return descriptor


def detach(target: str) -> None:
    """Unmount a path as soon as nobody uses it."""
    _checked(library().umount2(os.fsencode(target), _DETACH), f"umount {target}")


def _checked(answer: int, what: str) -> None:
    if answer:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
