"""Settings of commands, the files that they can reach, and the files that an approval of a command covers."""

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from actionledger.core.canonical import json_text
from actionledger.core.errors import ActionError, UsageError
from actionledger.core.files import state_folder
from actionledger.core.vocabulary import Reason
from actionledger.runtime.sandbox.inside.landlock import LATEST

_PASSED_ON = ("LANG", "LANGUAGE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Environment variables that commands get, besides ``PATH`` and ``LC_…``; none holds a secret."""

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
"""Folders of toolchain managers, which a command's own home would hide: the variable, and the folder in the user's home."""


ENVIRONMENT = "ACTIONLEDGER_COMMANDS"
"""The environment variable that allows all commands of a process to be ``unconfined``, to use the ``network``, or both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The kernel features that walls may use; fewer features simulate other machines."""

    namespaces: bool = True  # whether to use namespaces
    landlock: int = LATEST  # the maximum version of Landlock; 0 for none
    filter: bool = True  # whether to use a filter of system calls


ALL_MEANS = Means()


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """Settings and limits of commands.

    Args:
        seconds: the timeout.
        grace: the time that a command has to end itself before it is killed, in seconds.
        output: the maximum kept of each of its two outputs, in characters: the beginning and the end.
        file_bytes: the maximum size of a file that it writes, in bytes.
        memory: the maximum memory of all its processes together, in bytes.
        processes: the maximum number of its processes and threads.
        network: whether it may reach other machines and the servers on this one.
        environment: environment variables in addition to the default ones.
        readable: folders that it may read in addition to the system's, the workspace and the program's own.
        unconfined: whether it runs even if it can't be confined to its workspace; its result lists its walls.
        means: the kernel features that walls may use.

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
    """Return whether an operator allows something explicitly: in the settings, or for this whole process."""
    return bool(getattr(settings, what)) or what in os.environ.get(ENVIRONMENT, "").replace(",", " ").split()


def toolchains() -> dict[str, str]:
    """Return the existing folders of toolchain managers, by their environment variables."""
    folders = {
        name: os.environ.get(name) or str(Path.home() / folder) for name, folder in _TOOLCHAINS.items()
    }
    return {name: folder for name, folder in folders.items() if Path(folder).is_dir()}


def environment_of(settings: CommandSettings, home: Path) -> dict[str, str]:
    """Return a command's whole environment."""
    passed = {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith("LC_")
    }
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    # A relative folder would let a file in the workspace pass for a program.
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
    """Return the folders that a command may write to."""
    return [str(workspace), str(home), *_DEVICES]


def readable(program: Path, settings: CommandSettings) -> list[str]:
    """Return the folders that a command may read and run, in addition to the writable ones."""
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
    """Return the folders whose names a command may list, even if it may not read their content."""
    return [_CONFIGURATION]


@lru_cache(maxsize=2)
def _open_to_all(folder: str, _when: int) -> tuple[str, ...]:
    """Return the world-readable paths in a folder: no password hashes or keys, even if this process could read them."""
    return tuple(_readable_by_all(folder)[1])


def _readable_by_all(folder: str) -> tuple[bool, list[str]]:
    """Return whether a whole folder is world-readable, and its world-readable paths, as few as possible."""
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
    """Return the folder through which every command may read a file; empty if there is none."""
    folders = [*_SYSTEM, _CONFIGURATION, *toolchains().values(), *map(str, settings.readable)]
    return next((folder for folder in folders if path.resolve().is_relative_to(Path(folder).resolve())), "")


def _installations(program: Path) -> Iterator[Path]:
    """Yield the folders that a program is installed in, following links; the program itself if its folder is a user's home."""
    for place in _chain(program):
        prefix = place.parent.parent if place.parent.name == "bin" else place.parent
        yield from _without_state(
            next(one for one in (prefix, place.parent, place) if not _holds_a_home(one))
        )


def _without_state(folder: Path) -> Iterator[Path]:
    """Yield a folder, without the path to this user's state: ``~/.local`` holds both programs and state."""
    state = state_folder().resolve()
    if not state.is_relative_to(folder.resolve()):
        yield folder
        return
    for inner in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not state.is_relative_to(inner.resolve()):
            yield inner


def _chain(program: Path) -> Iterable[Path]:
    """Return a program's path, the paths that its links lead through, and the final file."""
    places = [program.absolute()]
    while places[-1].is_symlink() and len(places) < _MOST_LINKS:
        target = places[-1].parent / places[-1].readlink()
        places.append(Path(os.path.normpath(target)))
    return [*places, program.resolve()]


def _holds_a_home(folder: Path) -> bool:
    """Return whether a folder is a user's home, or contains one."""
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
"""Files that programs read and execute without being given their names."""

_PIECE = 1 << 20
_LONGEST = 4096
"""The maximum length of a path, in characters."""


def bound(words: Sequence[str], workspace: Path, aside: Collection[str] = ()) -> str:
    """Return what a decision about a command covers besides its words: the content of each file that they name.

    Files that such a file reads or imports are not followed.
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
    """Yield the words that may be file names in a command line."""
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
        return False  # too long for a file name


def _resolved(root: Path, name: str) -> Path | None:
    try:
        return (root / name).resolve() if 0 < len(name) <= _LONGEST else None
    except (OSError, ValueError, RuntimeError):
        return None  # no valid file name


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return digest.hexdigest()
