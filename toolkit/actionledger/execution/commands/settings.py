"""How commands are run: for how long, with what around them, and how much is kept of what they say."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actionledger.errors import UsageError

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


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """How commands are run.

    Args:
        seconds: how long one may take.
        grace: how long one that is ended has for that, in seconds, before it is killed.
        output: how much is kept of each of its two outputs, in characters: the beginning and the end.
        file_bytes: how large a file it may write, in bytes.
        network: whether it may open connections.
        environment: what it sees beside the variables that everybody may see.
        readable: folders that it may read beside the system's, the workspace and the program's own.
        confined: whether it is refused where nothing here can confine it; else it runs, and its result says so.

    Raises:
        UsageError: a number is not above zero.
    """

    seconds: float = 120.0
    grace: float = 2.0
    output: int = 16_000
    file_bytes: int = 2**30
    network: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    confined: bool = False

    def __post_init__(self) -> None:
        for name in ("seconds", "grace", "output", "file_bytes"):
            if getattr(self, name) <= 0:
                raise UsageError(f"The setting {name} is {getattr(self, name)}; it must be above 0.")


def toolchains() -> dict[str, str]:
    """Return the folders of the managers of programs that there are, by the variable that names each."""
    folders = {
        name: os.environ.get(name) or str(Path.home() / folder) for name, folder in _TOOLCHAINS.items()
    }
    return {name: folder for name, folder in folders.items() if Path(folder).is_dir()}


def environment_of(settings: CommandSettings, home: Path) -> dict[str, str]:
    """Return all that a command sees of its surroundings.

    Args:
        settings: how it is run.
        home: the folder that it is told to be its home and its place for temporary files.
    """
    passed = {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith("LC_")
    }
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    # A relative folder would let a file of the workspace go by the name of a program.
    path = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
    own = {"PATH": path, "HOME": str(home), "TMPDIR": str(home), "TERM": "dumb", "NO_COLOR": "1"}
    return {**passed, **toolchains(), **own, **settings.environment}
