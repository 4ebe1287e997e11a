"""Zip archives whose files zstd compressed, written by hand: Python's own module can't before 3.14."""

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest


def write_zstd_archive(
    path: Path, files: Mapping[str, bytes], *, size: int | None = None, crc: int | None = None, flags: int = 0
) -> None:
    """Write an archive."""
    compressor = pytest.importorskip("zstandard").ZstdCompressor()
    written, entries = bytearray(), bytearray()
    for name, data in files.items():
        packed, called = compressor.compress(data), name.encode()
        said = (
            zlib.crc32(data) if crc is None else crc,
            len(packed),
            len(data) if size is None else size,
            len(called),
            0,
        )
        fields = (63, flags | 0x800, 93, 0, 33, *said)
        place = len(written)
        written += struct.pack("<4s5H3L2H", b"PK\x03\x04", *fields) + called + packed
        entries += struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 63, *fields, 0, 0, 0, 0, place) + called
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(files), len(files), len(entries), len(written), 0)
    path.write_bytes(bytes(written + entries + end))
