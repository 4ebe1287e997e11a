"""The confined CPython: no walls but those that the process builds itself. Linux alone."""

import sys
from collections.abc import Mapping

from actionledger.runtime.sandbox.launching import INSIDE, host_python, python_command
from actionledger.runtime.sandbox.process import ProcessSandbox


class HostLauncher:
    """Starts this machine's own Python."""

    name = "confined"

    def missing(self) -> str:
        """Say what is missing here; empty where nothing is."""
        if not sys.platform.startswith("linux"):
            return f"it needs Linux, this is {sys.platform}; use the sandbox 'monty' or 'container'"
        if not sys.executable:
            return "this program doesn't say which Python it runs on (sys.executable is empty)"
        return ""

    def command(self, label: str) -> list[str]:  # noqa: ARG002 - only containers need a name
        """Return the command that starts a process."""
        return python_command(host_python(), str(INSIDE.parent))

    def environment(self) -> Mapping[str, str]:
        """Return nothing."""
        return {}

    def end(self, label: str) -> None:
        """Do nothing: the process is all there is."""


class ConfinedSandbox(ProcessSandbox):
    """Runs code in a CPython that shuts itself in by the means of the Linux kernel; needs no rights and no package."""

    def __init__(self) -> None:
        super().__init__(HostLauncher())
