"""Find the files that a user names: a file, a folder, a pattern, or standard input."""

import glob
import io
import lzma
import os
import shlex
import stat
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from actionledger.core.compressed import FREE_BYTES, MAX_RATIO, SUFFIXES, BrokenOffError, unzstd
from actionledger.core.errors import SourceError
from actionledger.core.text import counted, escaped_halves

# Zip archives: their files are read in place, as if the archive were a folder. Nothing is written to disk.
ZSTD = 93
"""The compression method of zstd in zip archives; Python's own module has it from 3.14 on."""

_HEADER = struct.Struct("<4s5H3L2H")
_MARK = b"PK\x03\x04"
_ENCRYPTED = 1


def opened_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Open a file of an archive, to be read once from its beginning, up to its declared size."""
    if info.compress_type != ZSTD:
        return archive.open(info)
    if info.flag_bits & _ENCRYPTED:
        raise RuntimeError(f"File {info.filename!r} is encrypted")
    if archive.filename is None:
        raise NotImplementedError("That compression method is not supported")
    file = Path(archive.filename).open("rb")  # noqa: SIM115 - the caller closes it
    try:
        _skip_header(file, info)
        return io.BufferedReader(_Member(file, info))
    except BaseException:
        file.close()
        raise


def _skip_header(file: IO[bytes], info: zipfile.ZipInfo) -> None:
    """Go to the packed bytes, after the file's own header of variable length."""
    file.seek(info.header_offset)
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(_MARK):
        raise zipfile.BadZipFile(f"Bad magic number for file header of {info.filename!r}")
    file.seek(sum(_HEADER.unpack(header)[-2:]), io.SEEK_CUR)


class _Packed(io.RawIOBase):
    """A number of bytes of a file from its current position."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._file.read(min(len(buffer), self._left))
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)


class _Member(io.RawIOBase):
    """Unpacks a file, and compares its size and checksum with the archive's."""

    def __init__(self, file: IO[bytes], info: zipfile.ZipInfo) -> None:
        self._file = file
        self._unpacked = unzstd(cast("IO[bytes]", io.BufferedReader(_Packed(file, info.compress_size))))
        self._info = info
        self._left = info.file_size
        self._checksum = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            data = self._unpacked.read(min(len(buffer), self._left + 1))
        except Exception as error:
            if isinstance(error, EOFError) or type(error).__name__ == "ZstdError":
                raise zipfile.BadZipFile(str(error)) from error
            raise
        self._left -= len(data)
        self._checksum = zlib.crc32(data, self._checksum)
        if self._left < 0 or (not data and (self._left or self._checksum != self._info.CRC)):
            raise zipfile.BadZipFile(f"Bad CRC-32 or size for file {self._info.filename!r}")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


MARK = b"PK\x03\x04"
"""The beginning of a zip archive."""

MAX_FILES = 100_000
"""The most files in an archive."""


def files_in(archive: Path) -> list[Path]:
    """Return the files of an archive, each as a path below it, sorted."""
    return [archive / name for name in sorted(_index(archive))]


def doubled_in(archive: Path) -> dict[Path, int]:
    """Return how many files of an archive share a name, by their path below it; the last one is read."""
    return {archive / name: count for name, count in _opened(archive).names.items() if count > 1}


def archive_of(path: Path) -> Path | None:
    """Return the archive that a path leads into; None if there is none."""
    return next((above for above in path.parents if above.is_file()), None)


def size_in(path: Path, archive: Path) -> int:
    """Return the unpacked size of a file in an archive, in bytes."""
    info = _index(archive).get(path.relative_to(archive).as_posix())
    return info.file_size if info else 0


@contextmanager
def opened_in(path: Path, archive: Path) -> Iterator[io.RawIOBase]:
    """Open the bytes of a file in an archive."""
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
    """Reads a file of an archive; if it is damaged, it breaks off like any compressed file."""

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
    """An archive, its files by name, and the number of each name; names can't lead outside a folder."""

    zip: zipfile.ZipFile
    files: dict[str, zipfile.ZipInfo]
    names: Counter[str]


@lru_cache(maxsize=1)
def _archive(archive: Path, _changed: int, size: int) -> _Archive:
    """Open an archive; the last one stays open, or its index would be read again for each file."""
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


# Standard input with a look at its beginning, by which the format is recognized before it is read.
STANDARD_INPUT = Path("-")
"""The path that means standard input."""


class Piped(io.RawIOBase):
    """A pipe whose beginning can be read twice."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._held = b""

    def readable(self) -> bool:
        return True

    def hold(self, data: bytes) -> None:
        """Put back data, which is read again first."""
        self._held = data + self._held

    def read1(self, size: int = -1) -> bytes:
        """Return the available bytes, at most ``size``; block only if there are none."""
        if self._held:
            size = len(self._held) if size < 0 else size
            data, self._held = self._held[:size], self._held[size:]
            return data
        # A pipe returns what is there: waiting for a full buffer would delay what another program is still writing.
        data = getattr(self._file, "read1", self._file.read)(size)
        return bytes(data)

    def readinto(self, buffer: Any, /) -> int:
        data = self.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


_PIPES: WeakKeyDictionary[IO[bytes], Piped] = WeakKeyDictionary()


def piped() -> Piped:
    """Return this process's standard input, always the same object."""
    return _PIPES.setdefault(sys.stdin.buffer, Piped(sys.stdin.buffer))


ARCHIVES = ("*.zip",)

_LEDGER = ".duckdb.d"
"""The suffix of a ledger's own folder: its files are no recordings."""


class Given(NamedTuple):
    """A file to be imported."""

    path: Path  # the file
    root: Path  # the folder, archive or file that the user named
    is_named: bool = True  # whether the user named it, rather than a folder around it


def files_at(paths: Iterable[str | os.PathLike[str]]) -> list[Given]:
    """Return the files of some paths, each once, a folder's sorted."""
    found: dict[Path, Given] = {}
    for path in paths:
        for given in _files_of(Path(path).expanduser()):
            found.setdefault(given.path if given.path == STANDARD_INPUT else given.path.absolute(), given)
    return list(found.values())


def fits(path: Path, patterns: Iterable[str]) -> bool:
    """Return whether a file's name matches one of the patterns, packed or not."""
    names = {path.name, path.stem} if path.suffix in SUFFIXES else {path.name}
    return any(fnmatch(name, pattern) for name in names for pattern in patterns)


def place_of(given: Given) -> str:
    """Return a file's scope for session names: its name, or in a folder its relative path."""
    if given.path == STANDARD_INPUT:
        return "stdin"
    place = Path(given.path.name) if given.path == given.root else given.path.relative_to(given.root)
    return escaped_halves(str(place.with_name(place.name.split(".")[0] or place.name)))


def size_of(path: Path) -> int | None:
    """Return the bytes to read of a file; None if unknown."""
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
        names = sorted(glob.glob(str(path), recursive=True, include_hidden=True))  # noqa: PTH207 - Path accepts no absolute pattern
        if not names:
            raise SourceError(f"No file fits the pattern {str(path)!r}.")
        for name in names:
            if Path(name).is_file():
                yield Given(Path(name), Path(name), is_named=False)
    else:
        raise SourceError(f"There is no file {str(path)!r} to import.")


def _refuse_streams(path: Path) -> None:
    """Raise if a path is a stream, which can be read only once and may have no end."""
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
    # As if the user had named it: an error is then reported for it, as for a file.
    yield from (Given(each, folder) for each in closed)
