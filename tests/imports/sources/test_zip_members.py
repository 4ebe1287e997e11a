"""Files of archives that zstd compressed: read, bounded by what they say that they hold, and refused where they are damaged."""

import zipfile
from pathlib import Path

import pytest
from zstd_archives import write_zstd_archive

from actionledger.imports.sources.files import ZSTD, opened_member

TEXT = b"What is the weather? " * 5000


def read_of(path: Path, name: str = "a.json") -> bytes:
    with zipfile.ZipFile(path) as archive, opened_member(archive, archive.getinfo(name)) as file:
        return file.read()


def test_a_file_of_either_kind_is_read(tmp_path):
    """Behind others, and with a name of many bytes."""
    path = tmp_path / "log.eval"
    write_zstd_archive(path, {"你好/b.json": b"", "a.json": TEXT})
    assert (read_of(path), read_of(path, "你好/b.json")) == (TEXT, b"")
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("a.json").compress_type == ZSTD
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", TEXT)
    assert read_of(path) == TEXT


@pytest.mark.parametrize("told", [{"size": 100}, {"size": len(TEXT) + 1}, {"crc": 7}])
def test_a_file_that_is_not_what_it_says_is_refused(tmp_path, told):
    """No more is unpacked than a byte beyond its size."""
    path = tmp_path / "log.eval"
    write_zstd_archive(path, {"a.json": TEXT}, **told)
    with pytest.raises(zipfile.BadZipFile, match="CRC-32 or size"):
        read_of(path)


def test_a_damaged_file_is_refused(tmp_path):
    """Its bytes, or the header before them."""
    path = tmp_path / "log.eval"
    write_zstd_archive(path, {"a.json": TEXT})
    data = bytearray(path.read_bytes())
    begin = 30 + len("a.json")
    path.write_bytes(data[:begin] + bytes(20) + data[begin + 20 :])
    with pytest.raises(zipfile.BadZipFile):
        read_of(path)
    path.write_bytes(b"XX" + data[2:])
    with pytest.raises(zipfile.BadZipFile):
        read_of(path)


def test_an_encrypted_file_is_refused(tmp_path):
    """As the library says it of files of other kinds."""
    path = tmp_path / "log.eval"
    write_zstd_archive(path, {"a.json": TEXT}, flags=1)
    with pytest.raises(RuntimeError, match="encrypted"):
        read_of(path)
