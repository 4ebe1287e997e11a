"""The filter of system calls: what is not allowed fails with EPERM."""

import ctypes
import errno
import struct

from .syscalls import CLONE3, Architecture

# Instructions of the kernel's packet filter: load a word of the call, compare, test bits, return.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _REFUSE = 0x80000000, 0x7FFF0000, 0x00050000

# Where a word stands in the call's description (struct seccomp_data).
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32

_X32_BIT = 0x40000000
_PROT_EXEC = 4
_MAKES_MEMORY_EXECUTABLE = ("mmap", "mprotect")
_SET_MODE_FILTER, _FLAG_ALL_THREADS = 1, 1


def install(libc: ctypes.CDLL, target: Architecture) -> None:
    """Put the filter in force for this process, for ever.

    Raises:
        OSError: the kernel refuses it.
    """
    code = program(target)
    buffer = ctypes.create_string_buffer(code, len(code))
    description = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    arguments = (target.install_filter, _SET_MODE_FILTER, _FLAG_ALL_THREADS, description)
    if libc.syscall(*arguments):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls (seccomp)")


def program(target: Architecture) -> bytes:
    """Return the filter as the kernel's instructions, eight bytes each."""
    lines = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_IF_EQUAL, target.audit, then=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
    ]
    if target.has_x32:
        lines += [_instruction(_IF_AT_LEAST, _X32_BIT, otherwise=1), _instruction(_RETURN, _KILL)]
    for name, number in target.allowed.items():
        lines += _unless_executable(number) if name in _MAKES_MEMORY_EXECUTABLE else _allowed(number)
    lines += [
        # glibc goes back to clone, which is refused with EPERM, only when clone3 is said not to exist.
        _instruction(_IF_EQUAL, CLONE3, otherwise=1),
        _instruction(_RETURN, _REFUSE | errno.ENOSYS),
        _instruction(_RETURN, _REFUSE | errno.EPERM),
    ]
    return b"".join(lines)


def _allowed(number: int) -> list[bytes]:
    return [_instruction(_IF_EQUAL, number, otherwise=1), _instruction(_RETURN, _ALLOW)]


def _unless_executable(number: int) -> list[bytes]:
    """Allow a call unless it asks for memory that can be run: no machine code of one's own, no library loaded."""
    return [
        _instruction(_IF_EQUAL, number, otherwise=4),
        _instruction(_LOAD, _THIRD_ARGUMENT),
        _instruction(_IF_ANY_BIT, _PROT_EXEC, otherwise=1),
        _instruction(_RETURN, _REFUSE | errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    ]


def _instruction(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)
