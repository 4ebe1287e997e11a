"""Files that are there whole or as they were."""

import os
from pathlib import Path

import pytest

from actionledger.core.files import write_whole


def test_what_was_there_stays_where_the_new_one_can_not_be_written(tmp_path, monkeypatch):
    """A full disk leaves the file of before, and nothing beside it."""
    path = tmp_path / "baseline.json"
    write_whole(path, b"first")
    path.chmod(0o640)

    def fails(self: Path, content: bytes) -> None:
        with self.open("wb") as file:
            file.write(content[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fails)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"second")
    monkeypatch.undo()
    assert path.read_bytes() == b"first"
    assert [each.name for each in tmp_path.iterdir()] == ["baseline.json"]
    write_whole(path, b"second")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"second", 0o640)


def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path):
    """What is no ordinary file is not replaced by one."""
    write_whole(tmp_path / "new" / "file", b"x")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "new" / "file")
    write_whole(link, b"y")
    write_whole(Path(os.devnull), b"z")
    assert (link.is_symlink(), link.read_bytes()) == (True, b"y")
    assert not Path(os.devnull).is_file()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"x")
