"""Which files people mean: a file, a folder's, a pattern's, the standard input."""

import glob
import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from actionledger.core.compressed import SUFFIXES
from actionledger.core.errors import SourceError
from actionledger.imports.sources.archives import archive_of, size_in
from actionledger.imports.sources.standard_input import STANDARD_INPUT

ARCHIVES = ("*.zip",)

_LEDGER = ".duckdb.d"
"""What the name of a ledger's own folder ends in: its lines are nobody's recording."""


class Given(NamedTuple):
    """A file that is to be taken in.

    Args:
        path: the file.
        root: the folder, the archive or the file itself that people have named.
        is_named: whether people have named it, or it was found in a folder.
    """

    path: Path
    root: Path
    is_named: bool = True


def files_at(paths: Iterable[str | os.PathLike[str]]) -> list[Given]:
    """Return the files that paths mean, each once, a folder's sorted."""
    found: dict[Path, Given] = {}
    for path in paths:
        for given in _files_of(Path(path).expanduser()):
            found.setdefault(given.path if given.path == STANDARD_INPUT else given.path.absolute(), given)
    return list(found.values())


def fits(path: Path, patterns: Iterable[str]) -> bool:
    """Return whether a file is called as one of the patterns says, packed or not."""
    names = {path.name, path.stem} if path.suffix in SUFFIXES else {path.name}
    return any(fnmatch(name, pattern) for name in names for pattern in patterns)


def place_of(given: Given) -> str:
    """Return what the sessions of a file are told apart by: its name, below a folder with its place there."""
    if given.path == STANDARD_INPUT:
        return "stdin"
    place = Path(given.path.name) if given.path == given.root else given.path.relative_to(given.root)
    return str(place.with_name(place.name.split(".")[0] or place.name))


def size_of(path: Path) -> int | None:
    """Return how many bytes of a file there are to read; None if unknown."""
    if path == STANDARD_INPUT:
        return None
    try:
        return path.stat().st_size
    except NotADirectoryError:
        archive = archive_of(path)
        return size_in(path, archive) if archive else None
    except OSError:
        return None


def _files_of(path: Path) -> Iterator[Given]:
    if path == STANDARD_INPUT:
        yield Given(path, path)
    elif path.is_dir():
        yield from _below(path)
    elif os.path.lexists(path) or archive_of(path) is not None:
        _refuse_streams(path)
        yield Given(path, path)
    elif glob.has_magic(str(path)):
        names = sorted(glob.glob(str(path), recursive=True, include_hidden=True))  # noqa: PTH207 - Path takes no absolute pattern
        if not names:
            raise SourceError(f"No file fits the pattern {str(path)!r}.")
        for name in names:
            if Path(name).is_file():
                yield Given(Path(name), Path(name), is_named=False)
    else:
        raise SourceError(f"There is no file {str(path)!r} to take in.")


def _refuse_streams(path: Path) -> None:
    """Raise where a path is no file but a stream, which gives what it holds once, and may have no end."""
    with suppress(OSError):
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode):
            raise SourceError(
                f"{str(path)!r} is a stream, no file, and can't be read from its beginning again; give it as the standard input: "
                f"actionledger import - < {shlex.quote(str(path))}"
            )


def _below(folder: Path) -> Iterator[Given]:
    closed: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        folders[:] = sorted(name for name in folders if not name.endswith(_LEDGER))
        for name in sorted(names):
            file = Path(place, name)
            if file.is_file():
                yield Given(file, folder, is_named=False)
    # As if people had named it: why it can't be read is then told of it, as of a file.
    yield from (Given(each, folder) for each in closed)
