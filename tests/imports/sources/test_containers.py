"""The bytes of a recording, wherever they are: compressed, in an archive, piped in, in another encoding, or made to harm."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from pathlib import Path

import pytest

from actionledger.core import compressed
from actionledger.core.errors import MissingPackageError, SourceError
from actionledger.imports.sources import files
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.containers import head_of, opened
from actionledger.imports.sources.files import STANDARD_INPUT, files_in
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.registry import sample_of

LINES = b"".join(b'{"n": %d}\n' % n for n in range(5000))
VALUES = [{"n": n} for n in range(5000)]


def zstd(data: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}


@pytest.fixture
def file(tmp_path):
    """Writes a file; gives its path."""

    def write(data: bytes, name: str = "log.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.fixture
def zipped(tmp_path):
    """Writes an archive; gives its path."""

    def write(**files: bytes) -> Path:
        path = tmp_path / "log.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path

    return write


def read(path: Path) -> list[object]:
    return [item if isinstance(item, Refusal) else item[1] for item in json_lines(path)]


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", ["log.jsonl", "log.gz", "log.zip", "log"])
def test_what_is_compressed_is_unpacked_whatever_it_is_called(file, packer, name):
    """A name may lie, what stands in the file doesn't; two of them one behind the other are one file."""
    half = LINES.index(b"\n", len(LINES) // 2) + 1
    packed = PACKERS[packer]
    assert read(file(packed(LINES[:half]) + packed(LINES[half:]), name)) == VALUES


@pytest.mark.parametrize("name", ["log.jsonl.gz", "log.jsonl.zst", "log.zip"])
def test_a_plain_file_with_the_name_of_a_packed_one_is_read(file, name):
    """The same the other way round."""
    assert read(file(LINES, name)) == VALUES


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("cut", [0.5, 0.98])
def test_a_cut_file_keeps_what_stands_before_the_cut(file, packer, cut):
    """One refusal says that it breaks off; where next to nothing can be unpacked, that is all."""
    noise = b"".join(
        b'{"n": %d, "x": "%s"}\n' % (n, bytes(str(hash((n, 7))), "ascii")) for n in range(20_000)
    )
    data = PACKERS[packer](noise)
    found = read(file(data[: int(len(data) * cut)]))
    refusals = [item for item in found if isinstance(item, Refusal)]
    assert len(refusals) == 1
    assert [item["n"] for item in found if isinstance(item, dict)] == list(range(len(found) - 1))
    assert len(found) > 1000 or packer == "bzip2"


@pytest.mark.parametrize("packer", PACKERS)
def test_a_file_that_was_packed_in_parts_is_read_whole(file, packer):
    """As a log is that is packed anew for each of its days; the end of one is not the end of all."""
    first, second = LINES[:8000], LINES[8000:]
    assert read(file(PACKERS[packer](first) + PACKERS[packer](second))) == VALUES


@pytest.mark.parametrize("packer", PACKERS)
def test_a_damaged_file_is_refused(file, packer):
    """Each packer has an error of its own for what it can't unpack."""
    [refusal] = read(file(PACKERS[packer](LINES)[:12] + b"\xff" * 30))
    assert "breaks off" in refusal.reason


@pytest.mark.parametrize("packer", PACKERS)
def test_a_file_that_explodes_is_refused(file, packer, monkeypatch):
    """Far more than any recording unpacks to; said with what to do, and what stood before is there."""
    monkeypatch.setattr(compressed, "FREE_BYTES", 2**20)
    bomb = PACKERS[packer](b'{"n": 0}\n' + b" " * 2**25 + b'\n{"n": 1}\n')
    found = read(file(bomb))
    assert found[0] == {"n": 0}
    assert "unpacks to more than 200 times its size" in found[-1].reason
    assert "unpack it yourself" in found[-1].reason


def test_an_archive_is_read_where_it_lies(zipped, tmp_path):
    """As a folder would be, with compressed files in it; nothing of it is written."""
    path = zipped(**{"b/x.jsonl.gz": gzip.compress(LINES), "a.jsonl": LINES, "b/": b""})
    assert files_in(path) == [path / "a.jsonl", path / "b/x.jsonl.gz"]
    assert [read(each) for each in files_in(path)] == [VALUES, VALUES]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["../../up.jsonl", "/etc/up.jsonl", "a/../../up.jsonl", r"..\up.jsonl"])
def test_a_name_in_an_archive_leads_nowhere_else(zipped, name):
    """It is read from the archive, whatever else lies at that place."""
    (path,) = files_in(zipped(**{name: LINES}))
    assert ".." not in path.parts
    assert path.name == "up.jsonl"
    assert read(path) == VALUES


def test_an_archive_that_explodes_is_refused(zipped, monkeypatch):
    """By what it says of itself, before anything of it is unpacked."""
    monkeypatch.setattr(files, "FREE_BYTES", 2**20)
    path = zipped(**{f"{n}.jsonl": b" " * 2**21 for n in range(10)})
    with pytest.raises(
        SourceError, match=r"would unpack to 10 files of 20,971,520 bytes.*unpack it yourself"
    ):
        files_in(path)
    monkeypatch.setattr(files, "MAX_FILES", 5)
    with pytest.raises(SourceError, match="more than 5 files"):
        files_in(zipped(**{f"{n}.jsonl": b"{}" for n in range(6)}))


def test_an_archive_that_packs_nothing_is_one(tmp_path):
    """Its lines stand in it as they are."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.jsonl", '{"session": "s", "text": "Hello."}\n' * 3)
    assert sample_of(path).values == ()


def test_an_archive_in_an_archive_is_refused(zipped):
    """It is named for what it is."""
    inner = zipped(a=LINES).read_bytes()
    (path,) = files_in(zipped(**{"inner.zip": inner}))
    with pytest.raises(SourceError, match="is a zip archive, not lines of JSON"):
        read(path)


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_a_cut_archive_is_refused(zipped, keep):
    """Its list of files stands at its end."""
    path = zipped(**{"a.jsonl": LINES})
    data = path.read_bytes()
    path.write_bytes(data[: max(int(len(data) * keep), 4)])
    with pytest.raises(SourceError, match=r"The archive '.*log\.zip' can't be read: "):
        files_in(path)


def test_a_damaged_file_of_an_archive_is_refused_alone(zipped):
    """What stands before the damage is taken."""
    noise = b"".join(
        b'{"n": %d, "x": "%s"}\n' % (n, bytes(str(hash((n, 7))), "ascii")) for n in range(20_000)
    )
    path = zipped(**{"a.jsonl": noise, "b.jsonl": LINES})
    data = bytearray(path.read_bytes())
    place = len(data) // 2
    data[place : place + 64] = bytes(64)
    path.write_bytes(data)
    damaged, whole = map(read, files_in(path))
    assert "breaks off" in damaged[-1].reason
    assert whole == VALUES


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values(), lambda data: data.decode().encode("utf-16")])
@pytest.mark.parametrize("length", [3, 20_000, pytest.param(400_000, marks=pytest.mark.soak)])
def test_what_is_piped_in_can_be_looked_at_first(monkeypatch, pack, length):
    """Its first line at least, however long that is; nothing of it is lost, and nobody waits for more than that."""
    first = b'{"n": "' + b"".join(b"%x" % (n * n) for n in range(length)) + b'"}\n'
    pipe = io.BytesIO(pack(first + LINES))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pipe)))
    for _ in range(2):
        head = head_of(STANDARD_INPUT, 100, 2**24)
        assert head.startswith(first)
        assert len(head) <= max(len(first), 100)
    assert read(STANDARD_INPUT) == [{"n": first[7:-3].decode()}, *VALUES]


def test_a_missing_package_is_named(file, monkeypatch):
    data = zstd(LINES)
    monkeypatch.setattr("actionledger.core.errors.find_spec", lambda name: None)
    monkeypatch.setattr(compressed, "_has_zstd", lambda: False)
    with pytest.raises(MissingPackageError, match=r"actionledger\[sources\]"):
        read(file(data))


@pytest.mark.parametrize("name", ["missing.jsonl", "log.jsonl/inner.jsonl", "nul\0.jsonl"])
def test_a_file_that_is_not_there_is_one_sentence(file, name):
    """Also where a file stands in the place of a folder."""
    path = file(LINES).parent / name
    with pytest.raises(SourceError, match="can't be read"), opened(path):
        pass
