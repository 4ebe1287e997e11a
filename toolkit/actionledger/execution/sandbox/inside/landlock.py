"""The second wall: Landlock refuses files, network and signals even where the first wall had a hole."""

import ctypes
import errno
import os
import struct

from .syscalls import LANDLOCK_CREATE, LANDLOCK_RESTRICT

_ASK_VERSION = 1
# By version of the interface: how many kinds of access to files it knows; the network is known from 4, scopes from 6.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_RIGHTS = 16
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_BIND_AND_CONNECT = 0b11
_SOCKETS_AND_SIGNALS = 0b11


def restrict(libc: ctypes.CDLL) -> int:
    """Refuse this process every file, port, abstract socket and signal that this kernel's Landlock knows of.

    Returns:
        The version of Landlock; 0 where the kernel has none.

    Raises:
        OSError: the kernel has Landlock and refuses the rules.
    """
    version = int(libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION))
    if version < 1:
        if ctypes.get_errno() in {errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}:
            return 0
        raise OSError(ctypes.get_errno(), "the kernel doesn't say which Landlock it has")
    rules = _rules(version)
    handle = int(libc.syscall(LANDLOCK_CREATE, rules, ctypes.c_size_t(len(rules)), 0))
    if handle < 0:
        raise OSError(ctypes.get_errno(), "the kernel takes no Landlock rules")
    try:
        if libc.syscall(LANDLOCK_RESTRICT, handle, 0):
            raise OSError(ctypes.get_errno(), "the kernel doesn't put the Landlock rules in force")
    finally:
        os.close(handle)
    return version


def _rules(version: int) -> bytes:
    """Return the rules as the kernel takes them: everything handled, nothing allowed."""
    words = [(1 << _FILE_RIGHTS.get(version, _LATEST_FILE_RIGHTS)) - 1]
    if version >= _NETWORK_SINCE:
        words.append(_BIND_AND_CONNECT)
    if version >= _SCOPES_SINCE:
        words.append(_SOCKETS_AND_SIGNALS)
    return struct.pack(f"{len(words)}Q", *words)
