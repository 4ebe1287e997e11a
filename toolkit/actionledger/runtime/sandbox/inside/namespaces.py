"""Separate namespaces for a command: processes, mounts, shared memory and, if it has no network access, network.

The first process started after ``enter`` is the first of its namespace: when it ends, the kernel ends all others in it.
None of them sees or signals a process outside.
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
    """Let this process's next child start in new namespaces."""
    flags = _PROCESSES | _MOUNTS | _SHARED_MEMORY | (0 if network else _NETWORK)
    with suppress(OSError):
        system.unshare(flags)
        return True
    # A system may revoke the rights in a new user namespace, which only shows inside it.
    if not _child_can(flags | _USERS):
        return False
    _enter_as_user(flags | _USERS)
    return True


def keep_mounts_to_itself() -> None:
    """Hide all later mounts from the outside."""
    system.mount("none", "/", None, _RECURSIVE | _PRIVATE)


def mount_processes() -> bool:
    """Mount only this namespace's processes at ``/proc``; return whether the kernel permits it."""
    with suppress(OSError):
        system.mount("proc", "/proc", "proc", _NO_SET_USER | _NO_DEVICES | _NO_RUNNING)
        return True
    return False


def start_loopback() -> None:
    """Enable this namespace's loopback device, so that a program can connect to itself."""
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
        except BaseException:  # noqa: BLE001 - whatever the error, the answer is no
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def _enter_as_user(flags: int) -> None:
    """Enter namespaces through a user namespace in which this process keeps its user."""
    user, group = os.geteuid(), os.getegid()
    system.unshare(flags)
    for name, text in (
        ("uid_map", f"{user} {user} 1"),
        ("setgroups", "deny"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
