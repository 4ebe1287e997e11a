"""How commands are run, what they can reach on the disk, and what an approval of a command line binds."""

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from actionledger.core.canonical import json_text
from actionledger.core.errors import ActionError, UsageError
from actionledger.core.files import state_folder
from actionledger.core.records import dataclass
from actionledger.core.vocabulary import Reason
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


_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/snap"),
    *("/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm", "/run/systemd/resolve"),
    *("/System", "/Library"),
)
_CONFIGURATION = "/etc"
_KEPT_SECONDS = 60.0
_FOR_ALL_FILES, _FOR_ALL_FOLDERS = stat.S_IROTH, stat.S_IROTH | stat.S_IXOTH
_MOST_LINKS = 40
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


def program_of(word: str, workspace: Path, path: str) -> Path:
    """Return the file of a program."""
    found = shutil.which(str(workspace / word) if "/" in word else word, path=path)
    if found is None:
        message = f"There is no program {word[:100]!r} that could be run here. Use one that is installed."
        raise ActionError(Reason.NOT_FOUND, message)
    return Path(found)


def writable(workspace: Path, home: Path) -> list[str]:
    """Return what a command may write to."""
    return [str(workspace), str(home), *_DEVICES]


def readable(program: Path, settings: CommandSettings) -> list[str]:
    """Return what a command may read and run, beside what it may write to."""
    own = {
        *_installations(program),
        *_installations(Path(sys.executable)),
        *toolchains().values(),
        *settings.readable,
    }
    return [
        *_SYSTEM,
        *_open_to_all(_CONFIGURATION, int(time.monotonic() / _KEPT_SECONDS)),
        *sorted(map(str, own)),
    ]


def listed() -> list[str]:
    """Return the folders whose names a command may list, whatever in them it may not read."""
    return [_CONFIGURATION]


@lru_cache(maxsize=2)
def _open_to_all(folder: str, _when: int) -> tuple[str, ...]:
    """Return what everybody may read in a folder: not the hashes of passwords, nor keys, whoever this process is."""
    return tuple(_readable_by_all(folder)[1])


def _readable_by_all(folder: str) -> tuple[bool, list[str]]:
    """Return whether everybody may read all of a folder, and what of it everybody may read, in as few paths as possible."""
    whole, found = True, []
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return False, []
    for entry in entries:
        with suppress(OSError):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and mode & _FOR_ALL_FOLDERS == _FOR_ALL_FOLDERS:
                inner_whole, inner = _readable_by_all(entry.path)
                whole = whole and inner_whole
                found += inner
            elif mode & _FOR_ALL_FILES and not stat.S_ISDIR(mode):
                found.append(entry.path)
            else:
                whole = False
    is_top = folder == _CONFIGURATION
    return whole, [folder] if whole and not is_top else found


def granted(path: Path, settings: CommandSettings) -> str:
    """Return the folder by which every command may read a file; empty where none is."""
    folders = [*_SYSTEM, _CONFIGURATION, *toolchains().values(), *map(str, settings.readable)]
    return next((folder for folder in folders if path.resolve().is_relative_to(Path(folder).resolve())), "")


def _installations(program: Path) -> Iterator[Path]:
    """Yield what a program was installed in, wherever links lead: its folder, or itself where that is somebody's home."""
    for place in _chain(program):
        prefix = place.parent.parent if place.parent.name == "bin" else place.parent
        yield from _without_state(
            next(one for one in (prefix, place.parent, place) if not _holds_a_home(one))
        )


def _without_state(folder: Path) -> Iterator[Path]:
    """Yield a folder, or what is in it but the way to this user's state: ``~/.local`` holds both programs and that."""
    state = state_folder().resolve()
    if not state.is_relative_to(folder.resolve()):
        yield folder
        return
    for inner in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not state.is_relative_to(inner.resolve()):
            yield inner


def _chain(program: Path) -> Iterable[Path]:
    """Return a program's path, and those that its links go through up to the file itself."""
    places = [program.absolute()]
    while places[-1].is_symlink() and len(places) < _MOST_LINKS:
        target = places[-1].parent / places[-1].readlink()
        places.append(Path(os.path.normpath(target)))
    return [*places, program.resolve()]


def _holds_a_home(folder: Path) -> bool:
    """Return whether a folder is somebody's home, or above it."""
    homes = (Path.home(), Path("/root"), Path("/home/somebody"), Path("/Users/somebody"))
    return any(home.is_relative_to(folder) for home in homes) or folder.parent in {
        Path("/home"),
        Path("/Users"),
    }


_BUILD_FILES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "npm": ("package.json",),
    "npx": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "just": ("justfile", "Justfile"),
    "tox": ("tox.ini", "pyproject.toml"),
    "cmake": ("CMakeLists.txt",),
}
"""What programs read and do without being told its name."""

_PIECE = 1 << 20
_LONGEST = 4096
"""What is longer, in characters, is no path."""


def bound(words: Sequence[str], workspace: Path, aside: Collection[str] = ()) -> str:
    """Return what a decision about a command is about beside its words: the content of each file that these name.

    What such a file reads or imports in turn is not followed.
    """
    root = workspace.resolve()
    left_out = {_resolved(root, path) for path in aside}
    found = {}
    for name in _names(words):
        path = _resolved(root, name)
        if path is None or path in left_out or not _is_file_in(root, path):
            continue
        found[str(path.relative_to(root))] = _digest(path)
    return json_text(dict(sorted(found.items()))) if found else ""


def _names(words: Sequence[str]) -> Iterator[str]:
    """Yield what could be the name of a file in a command line."""
    program = Path(words[0]).name if words else ""
    yield from _BUILD_FILES.get(program, ())
    for before, word in zip(("", *words), words, strict=False):
        yield word
        if word.startswith("-"):
            # --file=x, -fx
            yield word.partition("=")[2] or word[2:]
        if before == "-m":
            module = word.replace(".", "/")
            yield from (f"{module}.py", f"{module}/__main__.py", f"{module}/__init__.py")
        yield f"{word}/__main__.py"


def _is_file_in(root: Path, path: Path) -> bool:
    try:
        return path.is_relative_to(root) and path.is_file()
    except OSError:
        return False  # a name that is too long for one


def _resolved(root: Path, name: str) -> Path | None:
    try:
        return (root / name).resolve() if 0 < len(name) <= _LONGEST else None
    except (OSError, ValueError, RuntimeError):
        return None  # no name that a file could have


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return digest.hexdigest()
