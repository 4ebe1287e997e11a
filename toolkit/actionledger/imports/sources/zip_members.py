"""Files of zip archives, those among them that zstd compressed, which the library's own module knows from Python 3.14 on."""

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, cast

from actionledger.core.compressed import unzstd

ZSTD = 93
"""The number that zip archives have for zstd."""

_HEADER = struct.Struct("<4s5H3L2H")
_MARK = b"PK\x03\x04"
_ENCRYPTED = 1


def opened_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Open a file of an archive, to be read once from its beginning; no more is given than it says that it holds."""
    if info.compress_type != ZSTD:
        return archive.open(info)
    if info.flag_bits & _ENCRYPTED:
        raise RuntimeError(f"File {info.filename!r} is encrypted")
    if archive.filename is None:
        raise NotImplementedError("That compression method is not supported")
    file = Path(archive.filename).open("rb")  # noqa: SIM115 - closed by who reads it
    try:
        _skip_header(file, info)
        return io.BufferedReader(_Member(file, info))
    except BaseException:
        file.close()
        raise


def _skip_header(file: IO[bytes], info: zipfile.ZipInfo) -> None:
    """Go to where the packed bytes begin: behind a header of the file's own, with its name and what else is said of it."""
    file.seek(info.header_offset)
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(_MARK):
        raise zipfile.BadZipFile(f"Bad magic number for file header of {info.filename!r}")
    file.seek(sum(_HEADER.unpack(header)[-2:]), io.SEEK_CUR)


class _Packed(io.RawIOBase):
    """So many bytes of a file from where it stands."""

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
    """Unpacks a file, and compares its size and its checksum with what the archive says."""

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
