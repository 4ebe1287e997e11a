"""Namespaces: processes, mounts, shared memory and, where it is to have none, the network of a command's own.

The first process that is started after ``enter`` is the first of its namespace: the kernel ends all others there as soon as it
ends, and none of them sees or signals a process outside.
"""

import fcntl
import os
import struct
from contextlib import suppress

from . import system

_MOUNTS, _SHARED_MEMORY, _USERS, _PROCESSES, _NETWORK = (
    0x0002_0000,
    0x0800_0000,
    0x1000_0000,
    0x2000_0000,
    0x4000_0000,
)
_RECURSIVE, _PRIVATE = 0x4000, 0x4_0000
_NO_SET_USER, _NO_DEVICES, _NO_RUNNING = 2, 4, 8
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def enter(*, network: bool) -> bool:
    """Have this process's next child begin in namespaces of its own."""
    flags = _PROCESSES | _MOUNTS | _SHARED_MEMORY | (0 if network else _NETWORK)
    with suppress(OSError):
        system.unshare(flags)
        return True
    # Where rights in a new user namespace are taken away again, this shows only behind its door.
    if not _child_can(flags | _USERS):
        return False
    _enter_as_user(flags | _USERS)
    return True


def keep_mounts_to_itself() -> None:
    """Have nothing that is mounted from now on be seen outside."""
    system.mount("none", "/", None, _RECURSIVE | _PRIVATE)


def mount_processes() -> bool:
    """Show the processes of this namespace, and no others, at ``/proc``; return whether the kernel lets us."""
    with suppress(OSError):
        system.mount("proc", "/proc", "proc", _NO_SET_USER | _NO_DEVICES | _NO_RUNNING)
        return True
    return False


def start_loopback() -> None:
    """Have this namespace's own loopback device work, so that a program can serve itself."""
    with suppress(OSError):
        any_socket = system.datagram_socket()
        try:
            asked = struct.pack("16sH14x", b"lo", 0)
            (flags,) = struct.unpack_from("H", fcntl.ioctl(any_socket, _GET_FLAGS, asked), 16)
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
        finally:
            os.close(any_socket)


def _child_can(flags: int) -> bool:
    child = os.fork()
    if not child:
        try:
            _enter_as_user(flags)
            keep_mounts_to_itself()
        except BaseException:  # noqa: BLE001 - whatever stands in the way, the answer is no
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def _enter_as_user(flags: int) -> None:
    """Enter namespaces by way of a user namespace in which this process is who it was."""
    user, group = os.geteuid(), os.getegid()
    system.unshare(flags)
    for name, text in (
        ("uid_map", f"{user} {user} 1"),
        ("setgroups", "deny"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
