"""Confine a command: by namespaces first, by Landlock and the filter of system calls last, each if the kernel has it."""

import ctypes
import os
import sys
from contextlib import suppress
from typing import Any

from . import landlock, namespaces, refusals, root, system
from .landlock import Allowed
from .syscalls import architecture

_SET_NO_NEW_PRIVILEGES, _DROP_FROM_BOUNDING_SET = 38, 24
# What root may still do: change the owner of files, and read and change files of a container's user.
_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 6, 7})
_CAPABILITIES = 64


class Shutting:
    """Confines one command."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.task = task
        self.spaced = False
        """Whether it is in its own namespaces."""
        self.walls: set[str] = set()
        """The names of the walls so far."""
        self._rooted = False

    def enter_namespaces(self) -> bool:
        """Let the next child start in new namespaces; return whether it will."""
        self.spaced = (
            _is_linux() and self.task["namespaces"] and namespaces.enter(network=self.task["network"])
        )
        return self.spaced

    def furnish(self) -> None:
        """Give this process, the first of its namespaces, its own root, process list and loopback device."""
        self.walls |= {"signals", "ending"}
        namespaces.keep_mounts_to_itself()
        if not self.task["network"]:
            namespaces.start_loopback()
            self.walls.add("network")
        workspace, own_processes = os.getcwd(), False
        try:
            own_processes = root.change_root(self.task["home"], self._allowed())
            self._rooted = True
            self.walls.add("files")
        except root.NoRootError:
            own_processes = namespaces.mount_processes()
        os.chdir(workspace)
        if own_processes:
            self.walls.add("processes")

    def close(self, supervisor: int) -> list[str]:
        """Confine this process, which becomes the command; return the names of all walls."""
        if _is_linux():
            libc = system.library()
            self._give_up_privileges(libc)
            version = self._restrict(libc)
            self._refuse_calls(libc, version, supervisor)
        return sorted(self.walls)

    def _give_up_privileges(self, libc: ctypes.CDLL) -> None:
        if os.geteuid() == 0 or self.spaced:
            for capability in set(range(_CAPABILITIES)) - _KEPT_CAPABILITIES:
                # The kernel reports an error for an unknown capability.
                libc.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
        system.process_control(_SET_NO_NEW_PRIVILEGES, 1)

    def _restrict(self, libc: ctypes.CDLL) -> int:
        network = self.task["network"] or "network" in self.walls
        version = landlock.restrict(libc, self._allowed(), network=network, at_most=self.task["landlock"])
        if version:
            self.walls.add("files")
        if version >= landlock.SCOPES_SINCE:
            self.walls |= {"signals", "ending"}
        return version

    def _refuse_calls(self, libc: ctypes.CDLL, version: int, supervisor: int) -> None:
        """Install the filter, which replaces the missing walls."""
        if not self.task["filter"]:
            return
        scoped = self.spaced or version >= landlock.SCOPES_SINCE
        sockets = self.task["network"] or "network" in self.walls
        with suppress(OSError):  # an unknown architecture
            target = architecture()
            spared = () if scoped else (supervisor, *self.task["spared"])
            refusals.install(libc, target, sockets=sockets, spared=spared)
            # A command that can't end its supervisor will be ended by it.
            self.walls.add("ending")
            if not sockets:
                self.walls.add("network")

    def _allowed(self) -> list[Allowed]:
        allowed = [Allowed(path, writing=True) for path in self.task["writable"]]
        allowed += [Allowed(path) for path in self.task["readable"]]
        allowed += [Allowed(path, names=True) for path in self.task["listed"]]
        return [*allowed, root.shared_memory()] if self._rooted else allowed


def _is_linux() -> bool:
    return sys.platform.startswith("linux")
