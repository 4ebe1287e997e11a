"""Zip archives: their files are read where they lie, as if the archive were a folder. Nothing of them is written to disk."""

import io
import lzma
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from actionledger.core.compressed import FREE_BYTES, MAX_RATIO, BrokenOffError
from actionledger.core.errors import SourceError
from actionledger.core.plurals import counted
from actionledger.imports.sources.zip_members import opened_member

MARK = b"PK\x03\x04"
"""How a zip archive begins."""

MAX_FILES = 100_000
"""How many files an archive may hold."""


def files_in(archive: Path) -> list[Path]:
    """Return the files of an archive, each as a path below it, sorted."""
    return [archive / name for name in sorted(_index(archive))]


def doubled_in(archive: Path) -> dict[Path, int]:
    """Return what several files of an archive are called, as paths below it, each with how many these are: the last one is read."""
    return {archive / name: count for name, count in _opened(archive).names.items() if count > 1}


def archive_of(path: Path) -> Path | None:
    """Return the archive that a path leads into; None where it leads into none."""
    return next((above for above in path.parents if above.is_file()), None)


def size_in(path: Path, archive: Path) -> int:
    """Return how large a file of an archive is, in bytes, unpacked."""
    info = _index(archive).get(path.relative_to(archive).as_posix())
    return info.file_size if info else 0


@contextmanager
def opened_in(path: Path, archive: Path) -> Iterator[io.RawIOBase]:
    """Give the bytes of a file of an archive."""
    info = _index(archive).get(path.relative_to(archive).as_posix())
    if info is None:
        raise SourceError(f"The archive {str(archive)!r} holds no {path.relative_to(archive).as_posix()!r}.")
    try:
        file = opened_member(_opened(archive).zip, info)
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile, OSError) as error:
        raise SourceError(f"{str(path)!r} can't be unpacked: {error}.") from error
    with file:
        yield _Inside(file)


class _Inside(io.RawIOBase):
    """Reads a file of an archive; where it is damaged, it breaks off as any compressed file does."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            data = self._file.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError) as error:
            raise BrokenOffError(str(error)) from error
        buffer[: len(data)] = data
        return len(data)


def _index(archive: Path) -> dict[str, zipfile.ZipInfo]:
    return _opened(archive).files


def _opened(archive: Path) -> "_Archive":
    try:
        status = archive.stat()
        return _archive(archive, status.st_mtime_ns, status.st_size)
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SourceError(f"The archive {str(archive)!r} can't be read: {why}.") from error


class _Archive(NamedTuple):
    """An archive, its files by their names, and how many have each; one that would lie outside of a folder lies in it."""

    zip: zipfile.ZipFile
    files: dict[str, zipfile.ZipInfo]
    names: Counter[str]


@lru_cache(maxsize=1)
def _archive(archive: Path, _changed: int, size: int) -> _Archive:
    """Open an archive; the last one stays open, since its list of files would be read anew for each of them."""
    opened = zipfile.ZipFile(archive)
    infos = [info for info in opened.infolist() if not info.is_dir()]
    total = sum(info.file_size for info in infos)
    if len(infos) > MAX_FILES or (total > FREE_BYTES and total > MAX_RATIO * size):
        opened.close()
        raise SourceError(
            f"The archive {str(archive)!r} of {size:,} bytes would unpack to {counted(len(infos), 'file')} of {total:,} bytes, more than "
            f"{MAX_FILES:,} files or {MAX_RATIO} times its size; if that is right, unpack it yourself, and give the folder."
        )
    named = [(name, info) for info in infos if (name := _safe_name(info.filename))]
    return _Archive(opened, dict(named), Counter(name for name, _ in named))


def _safe_name(name: str) -> str:
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in {"/", "..", "."}]
    return "/".join(parts)
