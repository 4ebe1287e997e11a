"""What is no other version of this package: refused with the reason, before an environment is made for it."""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from actionledger.core.errors import UsageError
from actionledger.replay import environments
from actionledger.replay.environments import environment_of

MADE = "an environment would be made"


@pytest.fixture(autouse=True)
def _nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        environments, "_make", lambda _, content: pytest.fail(f"{MADE}: {sorted(content.files)}")
    )


def wheel(path: Path, metadata: bytes = b"", compression: int = zipfile.ZIP_STORED) -> bytearray:
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("actionledger/__init__.py", "x = 1\n" * 50)
        file.writestr("actionledger-9.dist-info/METADATA", metadata)
    return bytearray(path.read_bytes())


def changed(archive: bytearray, at_header: int, at_directory: int, value: int) -> bytearray:
    """Return an archive with another byte in each file's header, and in the directory."""
    for mark, place in ((b"PK\x03\x04", at_header), (b"PK\x01\x02", at_directory)):
        at = archive.find(mark)
        while at >= 0:
            archive[at + place] = value
            at = archive.find(mark, at + 4)
    return archive


@pytest.mark.parametrize("damage", ["encrypted", "unknown packing", "packed badly", "cut"])
def test_a_wheel_that_cannot_be_read_is_refused(tmp_path, damage):
    path = tmp_path / "x.whl"
    archive = wheel(path, compression=zipfile.ZIP_DEFLATED)
    if damage == "encrypted":
        archive = changed(archive, 6, 8, 1)
    elif damage == "unknown packing":
        archive = changed(archive, 8, 10, 99)
    elif damage == "packed badly":
        archive[30 + len("actionledger/__init__.py")] = 0xFF
    else:
        archive = archive[: len(archive) // 2]
    path.write_bytes(archive)
    with pytest.raises(UsageError, match=r"The wheel .* can't be read"):
        environment_of(str(path))


def test_what_a_wheel_needs_may_be_written_in_any_bytes(tmp_path):
    """Of metadata that is no UTF-8 the rest counts."""
    wheel(tmp_path / "x.whl", b"Author: \xff\nRequires-Dist: duckdb\n")
    assert environments._content(str(tmp_path / "x.whl")).needs == ["duckdb"]


def test_a_commit_is_whole_in_each_folder_of_its_repository(tmp_path, monkeypatch):
    """In a folder that holds no source, and in the source's own: with what it needs."""
    for name, content in (
        ("toolkit/actionledger/__init__.py", ""),
        ("pyproject.toml", '[project]\ndependencies = ["duckdb"]\n'),
        ("docs/index.md", ""),
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    monkeypatch.chdir(tmp_path)
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "x"]):
        subprocess.run(
            ["git", *words],
            check=True,
            capture_output=True,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
        )
    for folder in (".", "docs", "toolkit"):
        monkeypatch.chdir(tmp_path / folder)
        content = environments._content("HEAD")
        assert (sorted(content.files), content.needs) == (["actionledger/__init__.py"], ["duckdb"])


def test_a_program_that_never_ends_is_stopped_with_what_it_has_started(tmp_path, monkeypatch):
    """git that waits for a network, say: the sentence names it; its child, which holds its output open, is gone as well."""
    program, held = tmp_path / "bin" / "git", tmp_path / "held"
    os.mkfifo(held)
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nsleep 100 > {held} &\nwait\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setattr(environments, "_SECONDS", 0.3)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(UsageError, match=r"'git rev-parse .* has not ended within 0.3 seconds"):
            environment_of("main")
        os.set_blocking(reader, True)
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)
