"""How a process is started that runs what is in ``inside``."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

INSIDE = Path(__file__).parent / "inside"
"""The code that runs there."""

# The package is put on the path by its parent alone; nothing else of the toolkit can be imported.
_BOOT = "import sys; sys.path.insert(0, {folder!r}); from inside.main import main; main()"


class Launcher(Protocol):
    """Starts processes that shut themselves in, behind walls of its own or none."""

    @property
    def name(self) -> str:
        """The name of its sandbox."""

    def missing(self) -> str:
        """Say what is missing here and what to do; empty where nothing is."""

    def command(self, label: str) -> list[str]:
        """Return the command that starts a process."""

    def environment(self) -> Mapping[str, str]:
        """Return the environment of the command; the code's process must see none of it."""

    def end(self, label: str) -> None:
        """End what the death of the command leaves alive."""


def python_command(python: str, folder: str) -> list[str]:
    """Return the command that starts the process with a Python."""
    # Isolated from the environment, the user's folder and the site packages. What it is told itself about writing byte
    # code it passes on: without any, every start compiles the package anew.
    options = ["-B"] if sys.dont_write_bytecode else []
    return [python, "-I", "-S", *options, "-X", "utf8", "-c", _BOOT.format(folder=folder)]


def host_python() -> str:
    """Return this interpreter without its virtual environment, which the process doesn't need."""
    return os.path.realpath(sys.executable)


def launch(launcher: Launcher, label: str) -> "subprocess.Popen[bytes]":
    """Start a process with none of the host's descriptors, in a process group of its own."""
    return subprocess.Popen(  # noqa: S603 - the command is made here, of nothing a model wrote
        launcher.command(label),
        env=launcher.environment(),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
