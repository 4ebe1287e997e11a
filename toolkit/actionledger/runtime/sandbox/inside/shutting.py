"""How a command is shut in: by namespaces first, by Landlock and the filter of system calls last, each where the kernel has it."""

import ctypes
import os
import sys
from contextlib import suppress
from typing import Any

from . import landlock, namespaces, refusals, root, system
from .landlock import Allowed
from .syscalls import architecture

_SET_NO_NEW_PRIVILEGES, _DROP_FROM_BOUNDING_SET = 38, 24
# What root may still do: give files to others, and read and change what a container's user owns.
_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 6, 7})
_CAPABILITIES = 64


class Shutting:
    """What shuts one command in.

    Args:
        task: what the host says of the command.
    """

    def __init__(self, task: dict[str, Any]) -> None:
        self.task = task
        self.spaced = False
        """Whether it is in namespaces of its own."""
        self.walls: set[str] = set()
        """The names of the walls that stand so far."""
        self._rooted = False

    def enter_namespaces(self) -> bool:
        """Have the next child begin in namespaces of its own; return whether it will."""
        self.spaced = (
            _is_linux() and self.task["namespaces"] and namespaces.enter(network=self.task["network"])
        )
        return self.spaced

    def furnish(self) -> None:
        """Give this process, the first of its namespaces, a root, a list of processes and a loopback of its own."""
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
        """Refuse this process, which becomes the command, what it is not to have; return the names of all walls."""
        if _is_linux():
            libc = system.library()
            self._give_up_privileges(libc)
            version = self._restrict(libc)
            self._refuse_calls(libc, version, supervisor)
        return sorted(self.walls)

    def _give_up_privileges(self, libc: ctypes.CDLL) -> None:
        if os.geteuid() == 0 or self.spaced:
            for capability in set(range(_CAPABILITIES)) - _KEPT_CAPABILITIES:
                # One that the kernel doesn't know is an error.
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
        """Put the filter in force: it stands in for the walls that are missing."""
        if not self.task["filter"]:
            return
        scoped = self.spaced or version >= landlock.SCOPES_SINCE
        sockets = self.task["network"] or "network" in self.walls
        with suppress(OSError):  # a processor that nobody has a table for
            target = architecture()
            spared = () if scoped else (supervisor, *self.task["spared"])
            refusals.install(libc, target, sockets=sockets, spared=spared)
            # Whoever can't end its supervisor is ended by it.
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
