"""The confined CPython in a container of Docker or Podman: for machines that are not Linux, or on request."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from actionledger.runtime.sandbox.launching import INSIDE, python_command
from actionledger.runtime.sandbox.process import ProcessSandbox

DEFAULT_IMAGE = "python:3.13-slim"
"""An image whose ``python`` is 3.11 or newer; nothing else of it is used."""

ENGINES = ("docker", "podman")

_MOUNTED = "/sandbox"
_MEMORY = "1g"
_ASK_SECONDS = 15


class ContainerLauncher:
    """Starts containers that hold a Python and the sandbox's own code, read-only.

    Args:
        engine: the command, such as ``"podman"``; empty for the first that is found.
        image: the image, which must be there already.
    """

    name = "container"

    def __init__(self, engine: str = "", image: str = DEFAULT_IMAGE) -> None:
        self._engine = engine or next(filter(shutil.which, ENGINES), ENGINES[0])
        self._image = image

    def missing(self) -> str:
        """Say what is missing here and what to do; empty where nothing is."""
        if shutil.which(self._engine) is None:
            return f"the command {self._engine!r} is not found; install one of {', '.join(ENGINES)}"
        if complaint := self._complaint("version"):
            return f"{self._engine!r} doesn't answer ({complaint}); start its service"
        if complaint := self._complaint("image", "inspect", self._image):
            return f"the image {self._image!r} is not there ({complaint}); run: {self._engine} pull {self._image}"
        return ""

    def command(self, label: str) -> list[str]:
        """Return the command that starts a container by that name."""
        return [
            *(shutil.which(self._engine) or self._engine, "run", "--rm", "--interactive", "--name", label),
            # A pull would take its time out of a run's, and bring in what nobody has looked at.
            *("--pull", "never", "--network", "none", "--ipc", "none", "--log-driver", "none"),
            *("--read-only", "--workdir", "/", "--hostname", "sandbox", "--user", "65534:65534"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--pids-limit", "16", "--memory", _MEMORY, "--memory-swap", _MEMORY, "--cpus", "1"),
            *("--mount", f"type=bind,source={INSIDE},target={_MOUNTED}/{INSIDE.name},readonly"),
            *("--entrypoint", "python", self._image),
            *python_command("python", _MOUNTED)[1:],
        ]

    def environment(self) -> Mapping[str, str]:
        """Return the host's, by which the engine's command finds its engine; none of it enters the container."""
        return os.environ

    def end(self, label: str) -> None:
        """Remove the container: it outlives the command that started it."""
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603 - the command is made here, of nothing a model wrote
                [self._engine, "rm", "--force", label], capture_output=True, timeout=_ASK_SECONDS, check=False
            )

    def _complaint(self, *arguments: str) -> str:
        """Return why the engine refuses a question; empty where it answers."""
        try:
            answer = subprocess.run(  # noqa: S603 - the same
                [self._engine, *arguments], capture_output=True, timeout=_ASK_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if not answer.returncode:
            return ""
        return " ".join(answer.stderr.decode(errors="replace").split()) or f"exit status {answer.returncode}"


class ContainerSandbox(ProcessSandbox):
    """Runs code in a confined CPython in a container.

    Args:
        engine: the command, such as ``"podman"``; empty for the first that is found.
        image: the image, which must be there already.
    """

    def __init__(self, engine: str = "", image: str = DEFAULT_IMAGE) -> None:
        super().__init__(ContainerLauncher(engine, image))
