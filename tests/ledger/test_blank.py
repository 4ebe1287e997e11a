"""A blank ledger is kept in the user's cache: what is not as it was made there is made again."""

import stat
from pathlib import Path

import pytest

from actionledger.core.files import cache_folder
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import blank as module


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_folder() / "blank-ledger"


def made_in_another_process() -> bytes:
    module.blank.cache_clear()
    return module.blank()


def test_the_next_process_takes_what_the_first_has_made(kept, monkeypatch) -> None:
    first = made_in_another_process()
    monkeypatch.setattr(module, "_made", lambda: pytest.fail("it is there"))
    assert made_in_another_process() == first
    assert stat.S_IMODE(kept.stat().st_mode) & (stat.S_IWGRP | stat.S_IWOTH) == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(b"0" * 64 + path.read_bytes()[64:]),
        lambda path: path.write_bytes(path.read_bytes()[:64] + b"0" * 1000),
        lambda path: path.write_bytes(b""),
        lambda path: path.chmod(0o666),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["cut", "of another key", "damaged", "empty", "open to others", "a folder"],
)
def test_what_is_not_as_it_was_made_is_made_again(kept, change) -> None:
    first = made_in_another_process()
    change(kept)
    again = made_in_another_process()
    assert len(again) == len(first)
    assert again != first, "a database has an identifier of its own"


def test_what_is_kept_follows_the_words_of_columns(kept, monkeypatch) -> None:
    made_in_another_process()
    before = kept.read_bytes()[:64]
    monkeypatch.setattr(module, "meanings", lambda: ["other words"])
    made_in_another_process()
    assert kept.read_bytes()[:64] != before


def test_a_ledger_begins_where_nothing_can_be_kept(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    module.blank.cache_clear()
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        assert len(ledger.sql("FROM events")) == 0
