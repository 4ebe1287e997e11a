"""Start the process that runs the code in ``inside``."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

INSIDE = Path(__file__).parent / "inside"
"""The folder of the code that runs in the process."""

# Only the package's parent is on the path, so the rest of the toolkit can't be imported.
_BOOT = "import sys; sys.path.insert(0, {folder!r}); from inside.main import main; main()"


class Launcher(Protocol):
    """Starts processes that confine themselves, inside a further sandbox or none."""

    @property
    def name(self) -> str:
        """The sandbox's name."""

    def missing(self) -> str:
        """Return what is missing here and what to do; empty if nothing is."""

    def command(self, label: str) -> list[str]:
        """Return the command that starts a process."""

    def environment(self) -> Mapping[str, str]:
        """Return the environment of the command; the code's process must not see it."""

    def end(self, label: str) -> None:
        """End what survives the command."""


def python_command(python: str, folder: str) -> list[str]:
    """Return the command that starts the process with a given Python."""
    # Isolated from the environment, the user's folder and the site packages. The option about writing byte code is passed on,
    # because without byte code every start compiles the package anew.
    options = ["-B"] if sys.dont_write_bytecode else []
    return [python, "-I", "-S", *options, "-X", "utf8", "-c", _BOOT.format(folder=folder)]


def host_python() -> str:
    """Return the path of this interpreter outside of its virtual environment, which the process doesn't need."""
    return os.path.realpath(sys.executable)


def launch(launcher: Launcher, label: str) -> "subprocess.Popen[bytes]":
    """Start a process in its own process group, without the host's descriptors."""
    return subprocess.Popen(  # noqa: S603 - the command is made here and contains no text from a model
        launcher.command(label),
        env=launcher.environment(),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
