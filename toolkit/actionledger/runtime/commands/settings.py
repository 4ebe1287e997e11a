"""How commands are run: for how long, with what around them, and how much is kept of what they say."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actionledger.core.errors import UsageError
from actionledger.runtime.sandbox.inside.landlock import LATEST

_PASSED_ON = ("LANG", "LANGUAGE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""What commands see of the environment beside ``PATH`` and ``LC_…``: nothing in it is a secret."""

_TOOLCHAINS = {
    "PYENV_ROOT": ".pyenv",
    "RUSTUP_HOME": ".rustup",
    "NVM_DIR": ".nvm",
    "VOLTA_HOME": ".volta",
    "ASDF_DATA_DIR": ".asdf",
    "SDKMAN_DIR": ".sdkman",
    "GOROOT": "sdk/go",
    "JAVA_HOME": ".jdk",
}
"""Where managers of programs keep these, which a command's own home would hide: a variable, and its folder in a home."""


ENVIRONMENT = "ACTIONLEDGER_COMMANDS"
"""The variable of the environment that lets all commands of a process be ``unconfined``, or have the ``network``, or both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Which means of the kernel may be used to build walls; fewer show what a command would be held by elsewhere.

    Args:
        namespaces: whether namespaces.
        landlock: the latest version of Landlock; 0 for none.
        filter: whether a filter of system calls.
    """

    namespaces: bool = True
    landlock: int = LATEST
    filter: bool = True


ALL_MEANS = Means()


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """How commands are run.

    Args:
        seconds: how long one may take.
        grace: how long one that is ended has for that, in seconds, before it is killed.
        output: how much is kept of each of its two outputs, in characters: the beginning and the end.
        file_bytes: how large a file it may write, in bytes.
        memory: how much memory all its processes may have together, in bytes.
        processes: how many processes and threads it may have at once.
        network: whether it may reach other machines, and what this one serves.
        environment: what it sees beside the variables that everybody may see.
        readable: folders that it may read beside the system's, the workspace and the program's own.
        unconfined: whether it runs even where nothing keeps it to its workspace; its result says which walls stood.
        means: what walls may be built of.

    Raises:
        UsageError: a number is not above zero.
    """

    seconds: float = 120.0
    grace: float = 2.0
    output: int = 16_000
    file_bytes: int = 2**30
    memory: int = 4 * 2**30
    processes: int = 1024
    network: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    unconfined: bool = False
    means: Means = ALL_MEANS

    def __post_init__(self) -> None:
        for name in ("seconds", "grace", "output", "file_bytes", "memory", "processes"):
            if getattr(self, name) <= 0:
                raise UsageError(f"The setting {name} is {getattr(self, name)}; it must be above 0.")


def allows(settings: CommandSettings, what: str) -> bool:
    """Return whether an operator lets commands have something by name: in the settings, or for all of this process."""
    return bool(getattr(settings, what)) or what in os.environ.get(ENVIRONMENT, "").replace(",", " ").split()


def toolchains() -> dict[str, str]:
    """Return the folders of the managers of programs that there are, by the variable that names each."""
    folders = {
        name: os.environ.get(name) or str(Path.home() / folder) for name, folder in _TOOLCHAINS.items()
    }
    return {name: folder for name, folder in folders.items() if Path(folder).is_dir()}


def environment_of(settings: CommandSettings, home: Path) -> dict[str, str]:
    """Return all that a command sees of its surroundings."""
    passed = {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith("LC_")
    }
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    # A relative folder would let a file of the workspace go by the name of a program.
    path = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
    own = {"PATH": path, "HOME": str(home), "TMPDIR": str(home), "TERM": "dumb", "NO_COLOR": "1"}
    return {**passed, **toolchains(), **own, **settings.environment}
