"""What a command can reach on the disk: the system, its own program, the workspace and its home; and nothing else of anybody's."""

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from actionledger.core.errors import ActionError
from actionledger.core.user_state import state_folder
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands.settings import CommandSettings, toolchains

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
