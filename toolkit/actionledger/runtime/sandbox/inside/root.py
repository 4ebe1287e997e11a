"""A separate root for a command: it contains only what the command may read and write, and no other names.

Landlock refuses opening files, but lets every process connect to a socket with a path, such as Docker's or a key agent's.
A missing path can't be connected to.
"""

import os
from collections.abc import Iterable, Sequence

from . import namespaces, system
from .landlock import Allowed

_BIND, _RECURSIVE, _REMOUNT, _READ_ONLY, _NO_SET_USER, _NO_DEVICES = 0x1000, 0x4000, 0x20, 1, 2, 4
_MOST_LINKS = 40
_OLD = "/.before"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - private to the command, and made here
_SHARED_MEMORY_SIZE = "size=64m,mode=1777"
_SWITCHES = (
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/irq",
    "/proc/bus",
    "/proc/fs",
    "/proc/acpi",
    "/proc/scsi",
)
_STREAMS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}


class NoRootError(Exception):
    """The kernel refuses a new root; the process keeps the old one."""


def change_root(place: str, allowed: Sequence[Allowed]) -> bool:
    """Move this process into a root that contains only the allowed paths."""
    _move(place)
    _show(allowed)
    own_processes = _show_processes()
    system.detach(_OLD)
    os.rmdir(_OLD)
    system.mount("none", "/", None, _REMOUNT | _BIND | _READ_ONLY | _NO_SET_USER | _NO_DEVICES)
    return own_processes


def _move(place: str) -> None:
    """Make an empty file system the root, with the old root mounted in it."""
    try:
        system.mount("tmpfs", place, "tmpfs", _NO_SET_USER | _NO_DEVICES, "mode=755")
    except OSError as error:
        raise NoRootError from error
    try:
        os.mkdir(place + _OLD)
        # Tried while the way back still exists: kernels before 5.12 can't do it.
        system.protect_mounts(place, read_only=False)
        system.pivot_root(place, place + _OLD)
    except OSError as error:
        system.detach(place)
        raise NoRootError from error
    os.chdir("/")


def shared_memory() -> Allowed:
    """Return the new root's folder for shared memory."""
    return Allowed(_SHARED_MEMORY, writing=True)


def _show(allowed: Sequence[Allowed]) -> None:
    writable = [one.path for one in allowed if one.writing]
    # Outer paths come first, so that none is covered; writable paths cover readable ones.
    for one in sorted(allowed, key=lambda one: (one.path.count("/"), one.path, one.writing)):
        if one.names or (not one.writing and _is_beneath(one.path, writable)):
            continue
        found = _placed(one.path)
        if found:
            _bind(found, writing=one.writing)
    os.makedirs(_SHARED_MEMORY, exist_ok=True)
    system.mount("tmpfs", _SHARED_MEMORY, "tmpfs", _NO_SET_USER | _NO_DEVICES, _SHARED_MEMORY_SIZE)
    for name, target in _STREAMS.items():
        os.symlink(target, f"/dev/{name}")


def _bind(path: str, *, writing: bool) -> None:
    system.mount(_OLD + path, path, None, _BIND | _RECURSIVE)
    try:
        system.protect_mounts(path, read_only=not writing, devices=path.startswith("/dev/"))
    except OSError:
        system.detach(path)
        raise


def _show_processes() -> bool:
    os.mkdir("/proc")
    own = namespaces.mount_processes()
    if not own:
        system.mount(f"{_OLD}/proc", "/proc", None, _BIND | _RECURSIVE)
    # Root can set the kernel's switches there without any capability.
    for switches in _SWITCHES:
        if os.path.exists(switches):
            system.mount(switches, switches, None, _BIND | _RECURSIVE)
            system.protect_mounts(switches, read_only=True)
    return own


def _placed(path: str) -> str:
    """Create a path and the links on its way in the new root; return the resolved path, or empty if it doesn't exist."""
    due, at, links = _parts(path), "/", 0
    while due:
        at = os.path.join(at, due.pop(0))
        before = _OLD + at
        if at == "/proc":
            return ""  # mounted anew
        if os.path.islink(before):
            links += 1
            if links > _MOST_LINKS:
                return ""
            target = os.readlink(before)
            # A dangling link exists as well.
            if not os.path.lexists(at):
                os.symlink(target, at)
            due, at = [*_parts(os.path.normpath(os.path.join(os.path.dirname(at), target))), *due], "/"
        elif not os.path.exists(before):
            return ""
        elif os.path.isdir(before):
            os.makedirs(at, exist_ok=True)
        elif not os.path.lexists(at):
            os.close(os.open(at, os.O_CREAT | os.O_WRONLY))
    return at


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _is_beneath(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
