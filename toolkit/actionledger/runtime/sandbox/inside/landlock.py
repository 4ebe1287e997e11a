"""The second wall: Landlock refuses files, network and signals even if the first wall has a hole."""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from .syscalls import LANDLOCK_ADD_RULE, LANDLOCK_CREATE, LANDLOCK_RESTRICT

_ASK_VERSION = 1
# By version of the interface, the number of known file accesses; network is known from 4, scopes from 6.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_RIGHTS = 16
NETWORK_SINCE, SCOPES_SINCE = 4, 6
"""The first versions that can refuse ports, and signals and abstract sockets."""

LATEST = 2**16
"""Any version of the kernel."""

_BIND_AND_CONNECT = 0b11
_SOCKETS_AND_SIGNALS = 0b11
_PATH_BENEATH = 1
# Access bits: run, write, read, list; the bits in a rule about a file; the read-only bits.
_OF_FILES = 0b1100_0000_0000_0111
_READING = 0b1101
_LISTING = 0b1000


class Allowed(NamedTuple):
    """An allowed access."""

    path: str  # a file, or a folder with all its content; a missing one is skipped
    writing: bool = False  # whether every access is allowed, or only reading and running
    names: bool = False  # whether only listing the names in it is allowed


def restrict(
    libc: ctypes.CDLL, allowed: Sequence[Allowed] = (), *, network: bool = False, at_most: int = LATEST
) -> int:
    """Refuse this process every file, port, abstract socket and signal that this kernel's Landlock covers."""
    version = min(version_of_kernel(libc), at_most)
    if not version:
        return 0
    rules = _rules(version, network=network)
    handle = int(libc.syscall(LANDLOCK_CREATE, rules, ctypes.c_size_t(len(rules)), 0))
    if handle < 0:
        raise OSError(ctypes.get_errno(), "the kernel takes no Landlock rules")
    try:
        for one in allowed:
            with suppress(FileNotFoundError):
                _allow(libc, handle, one, _file_rights(version))
        if libc.syscall(LANDLOCK_RESTRICT, handle, 0):
            raise OSError(ctypes.get_errno(), "the kernel doesn't put the Landlock rules in force")
    finally:
        os.close(handle)
    return version


def version_of_kernel(libc: ctypes.CDLL) -> int:
    """Return the version of this kernel's Landlock; 0 if it has none."""
    version = int(libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION))
    if version > 0:
        return version
    if ctypes.get_errno() in {errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}:
        return 0
    raise OSError(ctypes.get_errno(), "the kernel doesn't say which Landlock it has")


def _file_rights(version: int) -> int:
    return (1 << _FILE_RIGHTS.get(version, _LATEST_FILE_RIGHTS)) - 1


def _rules(version: int, *, network: bool) -> bytes:
    """Return the rules in the kernel's format: everything is handled and nothing allowed, except the network if requested."""
    words = [_file_rights(version)]
    if version >= NETWORK_SINCE:
        words.append(0 if network else _BIND_AND_CONNECT)
    if version >= SCOPES_SINCE:
        words.append(_SOCKETS_AND_SIGNALS)
    return struct.pack(f"{len(words)}Q", *words)


def _allow(libc: ctypes.CDLL, handle: int, allowed: Allowed, rights: int) -> None:
    descriptor = os.open(allowed.path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not allowed.writing:
            rights &= _LISTING if allowed.names else _READING
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        if libc.syscall(LANDLOCK_ADD_RULE, handle, _PATH_BENEATH, rule, 0):
            raise OSError(ctypes.get_errno(), f"the kernel takes no Landlock rule about {allowed.path}")
    finally:
        os.close(descriptor)
