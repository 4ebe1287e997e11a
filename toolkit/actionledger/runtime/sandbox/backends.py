"""The sandboxes of this machine: confined, bubblewrap, container, Monty; one by name, or the best that proves itself."""

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
"""What ``auto`` tries, in this order; the others cost more, and are there for those who ask."""


def sandbox_names() -> tuple[str, ...]:
    """Return the names of the sandboxes, available here or not."""
    return tuple(_SANDBOXES)


def choose(name: str = AUTO) -> Sandbox:
    """Return a sandbox that has proved itself on this machine."""
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
    """Tell the operator that code runs in another sandbox than the first, and what that lacks."""
    warnings.warn(
        f"Model-written code runs in {chosen!r} here, which has a part of Python only: code that works elsewhere may fail. "
        f"Better ones are not available ({'; '.join(tried)}); choose one by its name to have it required.",
        RuntimeWarning,
        stacklevel=3,
    )
