"""The sandboxes on this machine: confined, bubblewrap, container and Monty; selected by name, or the best that passes its test."""

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from actionledger.core.errors import SandboxError, UnknownNameError
from actionledger.runtime.sandbox.base import Sandbox
from actionledger.runtime.sandbox.launch import INSIDE, host_python, python_command
from actionledger.runtime.sandbox.monty import MontySandbox
from actionledger.runtime.sandbox.process import ProcessSandbox

DEFAULT_IMAGE = "python:3.13-slim"
"""An image whose ``python`` is 3.11 or newer; nothing else in it is used."""

ENGINES = ("docker", "podman")

_MOUNTED = "/sandbox"
_MEMORY = "1g"
_ASK_SECONDS = 15


class ContainerLauncher:
    """Starts containers with a Python and the sandbox's own code, both read-only."""

    name = "container"

    def __init__(self, engine: str = "", image: str = DEFAULT_IMAGE) -> None:
        self._engine = engine or next(filter(shutil.which, ENGINES), ENGINES[0])
        self._image = image

    def missing(self) -> str:
        """Return what is missing here and what to do; empty if nothing is."""
        if shutil.which(self._engine) is None:
            return f"the command {self._engine!r} is not found; install one of {', '.join(ENGINES)}"
        if complaint := self._complaint("version"):
            return f"{self._engine!r} doesn't answer ({complaint}); start its service"
        if complaint := self._complaint("image", "inspect", self._image):
            return f"the image {self._image!r} is not there ({complaint}); run: {self._engine} pull {self._image}"
        return ""

    def command(self, label: str) -> list[str]:
        """Return the command that starts a container with that name."""
        return [
            *(shutil.which(self._engine) or self._engine, "run", "--rm", "--interactive", "--name", label),
            # A pull would use the run's time, and fetch an image that nobody has checked.
            *("--pull", "never", "--network", "none", "--ipc", "none", "--log-driver", "none"),
            *("--read-only", "--workdir", "/", "--hostname", "sandbox", "--user", "65534:65534"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--pids-limit", "16", "--memory", _MEMORY, "--memory-swap", _MEMORY, "--cpus", "1"),
            *("--mount", f"type=bind,source={INSIDE},target={_MOUNTED}/{INSIDE.name},readonly"),
            *("--entrypoint", "python", self._image),
            *python_command("python", _MOUNTED)[1:],
        ]

    def environment(self) -> Mapping[str, str]:
        """Return the host's environment, by which the command finds its engine; none of it enters the container."""
        return os.environ

    def end(self, label: str) -> None:
        """Remove the container, which outlives the command that started it."""
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603 - the command is made here and contains no text from a model
                [self._engine, "rm", "--force", label], capture_output=True, timeout=_ASK_SECONDS, check=False
            )

    def _complaint(self, *arguments: str) -> str:
        """Return the engine's error for a command; empty if it succeeds."""
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
    """Runs code in a confined CPython in a container."""

    def __init__(self, engine: str = "", image: str = DEFAULT_IMAGE) -> None:
        super().__init__(ContainerLauncher(engine, image))


_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime")
"""System paths that a Python may need besides its own folder; missing ones are skipped."""

_CHECK_SECONDS = 10


class BubblewrapLauncher:
    """Starts this machine's own Python in namespaces that contain nothing else."""

    name = "bubblewrap"

    def missing(self) -> str:
        """Return what is missing here and what to do; empty if nothing is."""
        if not sys.platform.startswith("linux"):
            return f"it needs Linux, this is {sys.platform}"
        if shutil.which("bwrap") is None:
            return "the command 'bwrap' is not found; install bubblewrap"
        try:
            check = subprocess.run(  # noqa: S603 - the command is made here and contains no text from a model
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
        """Return an empty environment."""
        return {}

    def end(self, label: str) -> None:
        """Do nothing: all processes in the namespaces die with the command."""

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
    """Runs code in a confined CPython on an otherwise empty machine."""

    def __init__(self) -> None:
        super().__init__(BubblewrapLauncher())


class HostLauncher:
    """Starts this machine's own Python."""

    name = "confined"

    def missing(self) -> str:
        """Return what is missing here; empty if nothing is."""
        if not sys.platform.startswith("linux"):
            return f"it needs Linux, this is {sys.platform}; use the sandbox 'monty' or 'container'"
        if not sys.executable:
            return "this program doesn't say which Python it runs on (sys.executable is empty)"
        return ""

    def command(self, label: str) -> list[str]:  # noqa: ARG002 - only containers need a name
        """Return the command that starts a process."""
        return python_command(host_python(), str(INSIDE.parent))

    def environment(self) -> Mapping[str, str]:
        """Return an empty environment."""
        return {}

    def end(self, label: str) -> None:
        """Do nothing: there is no further process."""


class ConfinedSandbox(ProcessSandbox):
    """Runs code in a CPython that confines itself by features of the Linux kernel; needs no rights and no package."""

    def __init__(self) -> None:
        super().__init__(HostLauncher())


AUTO = "auto"


_SANDBOXES: Mapping[str, Callable[[], Sandbox]] = MappingProxyType(
    {
        "confined": ConfinedSandbox,
        "monty": MontySandbox,
        "bubblewrap": BubblewrapSandbox,
        "container": ContainerSandbox,
    }
)


_AUTOMATIC = ("confined", "monty")
"""The sandboxes that ``auto`` tries, in order; the others cost more, and are used only by name."""


def sandbox_names() -> tuple[str, ...]:
    """Return the names of the sandboxes, available here or not."""
    return tuple(_SANDBOXES)


def choose(name: str = AUTO) -> Sandbox:
    """Return a sandbox that has passed its test on this machine."""
    if name != AUTO and name not in _SANDBOXES:
        raise UnknownNameError("sandbox", name, (AUTO, *_SANDBOXES))
    tried: list[str] = []
    for candidate in _AUTOMATIC if name == AUTO else (name,):
        sandbox = _SANDBOXES[candidate]()
        availability = sandbox.available()
        if availability:
            if tried:
                _say_what_is_lost(candidate, tried)
            return sandbox
        sandbox.close()
        tried.append(f"{candidate}: {availability.reason}")
    raise SandboxError(
        f"Model-written code can't be run here, since nothing can confine it ({'; '.join(tried)}). "
        "Mend one of these, or choose another sandbox: 'bubblewrap', 'container', or 'monty' with "
        "actionledger[sandbox] installed."
    )


def _say_what_is_lost(chosen: str, tried: list[str]) -> None:
    """Warn the operator that code runs in another sandbox than the first, and what that lacks."""
    warnings.warn(
        f"Model-written code runs in {chosen!r} here, which has a part of Python only: code that works elsewhere may fail. "
        f"Better ones are not available ({'; '.join(tried)}); choose one by its name to have it required.",
        RuntimeWarning,
        stacklevel=3,
    )
