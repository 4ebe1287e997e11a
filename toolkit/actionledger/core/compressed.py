"""Reads compressed files: gzip, zstd, bzip2 and xz, recognised by their first bytes, whatever their names.

A file that unpacks to far more than any recording does is meant to fill a disk or memory. Nothing is unpacked to disk
here, and memory is limited, so such a file can only cost time: reading it raises an error.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import IO, Any, cast

from actionledger.core.errors import require

MAX_RATIO = 200
"""The most times its own size that a compressed file may unpack to; recordings reach 5 to 60."""

FREE_BYTES = 256 * 2**20
"""The size in bytes that any compressed file may unpack to."""

SUFFIXES = (".gz", ".zst", ".bz2", ".xz")
"""The suffixes of compressed files, after the name of the content."""

_WINDOW_BYTES = 128 * 2**20
"""The limit on zstd's window, in bytes; the whole window is kept in memory."""

_PIECE_BYTES = 2048
"""The number of compressed bytes that zstd unpacks at once; each four of them may become 128 KiB."""


class BrokenOffError(OSError):
    """A compressed file ends too early, is damaged, or unpacks to too much."""


class TooMuchError(BrokenOffError):
    """A compressed file unpacks to far more than any recording does."""


def unzstd(file: IO[bytes]) -> IO[bytes]:
    """Return a reader of zstd data, with a limit on its window."""
    if _has_zstd():
        return cast("IO[bytes]", import_module("compression.zstd").ZstdFile(file))
    require("Reading what zstd compressed", "sources", "zstandard")
    import zstandard  # noqa: PLC0415 - an extra

    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
    return io.BufferedReader(_Frames(file, decompressor.decompressobj), 128 * 1024)


def _has_zstd() -> bool:
    """Return whether this Python can unpack zstd itself, as 3.14 can."""
    return find_spec("compression") is not None


_KINDS: tuple[tuple[bytes, Callable[[IO[bytes]], IO[bytes]]], ...] = (
    (b"\x1f\x8b", lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file))),
    (b"\x28\xb5\x2f\xfd", unzstd),
    (b"BZh", lambda file: cast("IO[bytes]", bz2.BZ2File(file))),
    (b"\xfd7zXZ\0", lambda file: cast("IO[bytes]", lzma.LZMAFile(file))),  # noqa: SIM115 - whoever reads it closes it
)


def unpacked(file: io.BufferedReader, read_bytes: Callable[[], int]) -> io.BufferedReader:
    """Return a reader of a file's content: unpacked if it is compressed, else unchanged."""
    head = file.peek(8)
    for mark, opened in _KINDS:
        if head.startswith(mark):
            return io.BufferedReader(_Bounded(opened(file), read_bytes), 128 * 1024)
    return file


def unpacked_zstd(data: bytes, most: int) -> bytes:
    """Return the content of one zstd-compressed value, such as a database column's."""
    try:
        found: bytes = unzstd(io.BytesIO(data)).read(most + 1)
    except Exception as error:
        if isinstance(error, EOFError | OSError) or type(error).__name__ == "ZstdError":
            raise ValueError(f"it is damaged: {error}") from error
        raise
    if len(found) > most:
        raise ValueError(f"it unpacks to more than {most:,} bytes")
    return found


class _Frames(io.RawIOBase):
    """Reads zstd frames; unlike the package's own reader, it raises an error if a frame is cut off."""

    def __init__(self, file: IO[bytes], begin: Callable[[], Any]) -> None:
        self._file, self._begin = file, begin
        self._frame: Any = None
        self._found = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._found:
            is_within = self._frame is not None and not self._frame.eof
            rest = b"" if self._frame is None or is_within else self._frame.unused_data
            if not (piece := rest or self._file.read(_PIECE_BYTES)):
                if is_within:
                    raise EOFError("it ends in the middle of what it holds")
                return 0
            self._frame = self._frame if is_within else self._begin()
            self._found = memoryview(self._frame.decompress(piece))
        size = min(len(buffer), len(self._found))
        buffer[:size], self._found = self._found[:size], self._found[size:]
        return size


class _Bounded(io.RawIOBase):
    """Unpacks up to a limit; after an error, each further read raises it again."""

    def __init__(self, file: IO[bytes], read_bytes: Callable[[], int]) -> None:
        self._file = file
        self._read_bytes = read_bytes
        self._given = 0
        self._error: BrokenOffError | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if self._error is not None:
            raise self._error
        try:
            data = getattr(self._file, "read1", self._file.read)(len(buffer))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise self._broken(str(error)) from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise self._broken(str(error)) from error
        self._given += len(data)
        if self._given > FREE_BYTES and self._given > MAX_RATIO * max(self._read_bytes(), 1):
            self._error = TooMuchError(
                f"it unpacks to more than {MAX_RATIO} times its size, {self._given:,} bytes so far; if that is right, unpack "
                "it yourself, and give the file"
            )
            raise self._error
        buffer[: len(data)] = data
        return len(data)

    def _broken(self, why: str) -> BrokenOffError:
        self._error = BrokenOffError(why)
        return self._error
