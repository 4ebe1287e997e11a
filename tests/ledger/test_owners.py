"""Root's work in somebody else's ledger leaves it theirs."""

import os
from pathlib import Path

import pytest

import actionledger as al
from actionledger.imports import import_path

OTHER, GROUP = 12_345, 12_346

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Another user's ledger."""
    home = tmp_path / "home"
    home.mkdir()
    path = home / "team.duckdb"
    with al.open_ledger(path) as opened:
        opened.record_turn("s", "Hello.")
    for each in (home, *home.rglob("*")):
        os.chown(each, OTHER, GROUP)
    return path


def owners(path: Path) -> set[tuple[int, int]]:
    return {(each.lstat().st_uid, each.lstat().st_gid) for each in (path, *Path(f"{path}.d").rglob("*"))}


def test_an_import_by_root_leaves_all_to_the_owner(ledger: Path, tmp_path: Path) -> None:
    """The published file, and whatever else was made anew: the owner goes on with it."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"session": "a", "text": "hi"}\n')
    assert import_path(log, ledger).turns == 1
    assert owners(ledger) == {(OTHER, GROUP)}
    assert ledger.stat().st_mode & 0o777 == 0o600


def test_a_copy_that_is_published_meanwhile_is_the_owners(ledger: Path) -> None:
    """Who is killed behind it has not left them without their ledger."""
    with al.open_ledger(ledger) as opened:
        opened.record_turn("t", "Hi.")
        opened.ingest()
        assert (ledger.stat().st_uid, ledger.stat().st_gid) == (OTHER, GROUP)


def test_nothing_else_is_given_away(ledger: Path, tmp_path: Path) -> None:
    """What a link or a second name in the folder leads to stays root's, and so does what was a third one's."""
    theirs = tmp_path / "theirs"
    theirs.write_text("root's")
    folder = Path(f"{ledger}.d")
    (folder / "link").symlink_to(theirs)
    (folder / "name").hardlink_to(theirs)
    third = folder / "third"
    third.touch()
    os.chown(third, 777, 777)
    with al.open_ledger(ledger) as opened:
        opened.record_turn("t", "Hi.")
    assert (theirs.stat().st_uid, third.stat().st_uid) == (0, 777)


def test_a_ledger_of_roots_own_stays_that(tmp_path: Path) -> None:
    """Also in somebody else's folder: who made it has it."""
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, OTHER, GROUP)
    with al.open_ledger(home / "mine.duckdb") as opened:
        opened.record_turn("t", "Hi.")
    assert owners(home / "mine.duckdb") == {(0, 0)}
