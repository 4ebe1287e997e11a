"""The filter of system calls: calls that are not allowed fail with EPERM."""

import ctypes
import errno
import struct

from .syscalls import CLONE3, Architecture

# Instructions of the kernel's packet filter: load a word of the call, compare, test bits, return.
LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
KILL, ALLOW, REFUSE = 0x80000000, 0x7FFF0000, 0x00050000

# Offsets of words in the call's description (struct seccomp_data).
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 32

X32_BIT = 0x40000000
_PROT_EXEC = 4
_MAKES_MEMORY_EXECUTABLE = ("mmap", "mprotect")
_SET_MODE_FILTER, _FLAG_ALL_THREADS = 1, 1


def install(libc: ctypes.CDLL, target: Architecture, code: bytes) -> None:
    """Install a filter for this process; it can't be removed."""
    buffer = ctypes.create_string_buffer(code, len(code))
    description = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    arguments = (target.install_filter, _SET_MODE_FILTER, _FLAG_ALL_THREADS, description)
    if libc.syscall(*arguments):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls (seccomp)")


def program(target: Architecture) -> bytes:
    """Return the filter that allows only the listed calls, as the kernel's instructions of eight bytes each."""
    lines = [
        instruction(LOAD, ARCHITECTURE),
        instruction(IF_EQUAL, target.audit, then=1),
        instruction(RETURN, KILL),
        instruction(LOAD, NUMBER),
    ]
    if target.has_x32:
        lines += [instruction(IF_AT_LEAST, X32_BIT, otherwise=1), instruction(RETURN, KILL)]
    for name, number in target.allowed.items():
        lines += _unless_executable(number) if name in _MAKES_MEMORY_EXECUTABLE else _allowed(number)
    lines += [
        # glibc falls back to clone, which is refused with EPERM, only if clone3 is reported missing.
        instruction(IF_EQUAL, CLONE3, otherwise=1),
        instruction(RETURN, REFUSE | errno.ENOSYS),
        instruction(RETURN, REFUSE | errno.EPERM),
    ]
    return b"".join(lines)


def _allowed(number: int) -> list[bytes]:
    return [instruction(IF_EQUAL, number, otherwise=1), instruction(RETURN, ALLOW)]


def _unless_executable(number: int) -> list[bytes]:
    """Allow a call unless it requests executable memory, which machine code or a library would need."""
    return [
        instruction(IF_EQUAL, number, otherwise=4),
        instruction(LOAD, THIRD_ARGUMENT),
        instruction(IF_ANY_BIT, _PROT_EXEC, otherwise=1),
        instruction(RETURN, REFUSE | errno.EPERM),
        instruction(RETURN, ALLOW),
    ]


def instruction(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one instruction; ``then`` and ``otherwise`` are the numbers of instructions skipped after a comparison."""
    return struct.pack("HBBI", code, then, otherwise, value)
