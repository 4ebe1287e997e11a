"""The confined CPython behind a second set of walls: bubblewrap's namespaces. On request, where ``bwrap`` is found."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from actionledger.runtime.sandbox.launching import INSIDE, host_python, python_command
from actionledger.runtime.sandbox.process import ProcessSandbox

_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime")
"""What a Python may need of the system besides its own folder; what isn't there is passed over."""

_CHECK_SECONDS = 10


class BubblewrapLauncher:
    """Starts this machine's own Python in namespaces that hold nothing but it."""

    name = "bubblewrap"

    def missing(self) -> str:
        """Say what is missing here and what to do; empty where nothing is."""
        if not sys.platform.startswith("linux"):
            return f"it needs Linux, this is {sys.platform}"
        if shutil.which("bwrap") is None:
            return "the command 'bwrap' is not found; install bubblewrap"
        try:
            check = subprocess.run(  # noqa: S603 - the command is made here, of nothing a model wrote
                [*self._walls(), "/usr/bin/true"], capture_output=True, timeout=_CHECK_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"'bwrap' can't be run: {error}"
        if check.returncode:
            complaint = check.stderr.decode(errors="replace").strip()
            return f"'bwrap' can't make its namespaces ({complaint}); allow user namespaces to this user"
        return ""

    def command(self, label: str) -> list[str]:  # noqa: ARG002 - only containers need a name
        """Return the command that starts a process."""
        return [*self._walls(), *python_command(host_python(), str(INSIDE.parent))]

    def environment(self) -> Mapping[str, str]:
        """Return nothing."""
        return {}

    def end(self, label: str) -> None:
        """Do nothing: what is behind the walls dies with the command."""

    def _walls(self) -> list[str]:
        bwrap = shutil.which("bwrap") or "bwrap"
        prefix = str(Path(host_python()).parent.parent)
        own = [prefix] if not prefix.startswith("/usr") else []
        shown = [option for path in (*_SYSTEM, *own, str(INSIDE)) for option in ("--ro-bind-try", path, path)]
        return [
            bwrap,
            *("--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1"),
            *("--uid", "65534", "--gid", "65534", "--cap-drop", "ALL", "--hostname", "sandbox", "--clearenv"),
            *shown,
            *("--remount-ro", "/", "--chdir", "/"),
        ]


class BubblewrapSandbox(ProcessSandbox):
    """Runs code in a confined CPython that sees an empty machine besides."""

    def __init__(self) -> None:
        super().__init__(BubblewrapLauncher())
