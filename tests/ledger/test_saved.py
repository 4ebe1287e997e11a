"""What people keep under a name."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger.saved import LONGEST_NAME, MOST_BYTES, Saved
from actionledger.ledger.storage.files import LedgerFiles


@pytest.fixture
def saved(path) -> Saved:
    return Saved(path, "queries")


def test_what_is_kept_comes_back(saved, path) -> None:
    """By name, without regard to case; to another process too, and without a ledger being there."""
    saved.put("b", {"x": [1, "é\u202e"]})
    saved.put(" A   day ", 2)
    saved.put("b", 3)
    assert list(Saved(path, "queries").entries().items()) == [("A day", 2), ("b", 3)]
    assert Saved(path, "views").entries() == {}
    saved.remove("A day")
    saved.remove("nobody")
    assert dict(saved.entries()) == {"b": 3}
    assert saved.path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in saved.path.parent.glob("tmp-*")] == []


def test_none_is_lost_to_another(saved, path) -> None:
    """Those who save at once each find theirs."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: Saved(path, "queries").put(f"n{number}", number), range(12)))
    assert len(saved.entries()) == 12


def test_an_ingester_takes_nothing_away_meanwhile(saved, path, monkeypatch) -> None:
    """It removes what killed ones have left at any time."""
    monkeypatch.setattr(
        "actionledger.ledger.saved.sync_to_disk", lambda _: LedgerFiles.at(path).remove_leftovers()
    )
    saved.put("a", 1)
    assert dict(saved.entries()) == {"a": 1}
    assert sorted(file.name for file in saved.path.parent.iterdir()) == ["saved-queries.json", "saved.lock"]


@pytest.mark.parametrize("damage", [b"{", b"[1]", b"\xff"])
def test_a_damaged_file_stays_as_it_is(saved, damage) -> None:
    """It is somebody's work: nothing is written over it."""
    saved.put("a", 1)
    saved.path.write_bytes(damage)
    for change in (saved.entries, lambda: saved.put("b", 2), lambda: saved.remove("a")):
        with pytest.raises(LedgerError, match="saved queries"):
            change()
    assert saved.path.read_bytes() == damage


@pytest.mark.parametrize("name", ["", "  \n", "x" * (LONGEST_NAME + 1)])
def test_a_name_is_a_name(saved, name) -> None:
    """Neither nothing nor a text."""
    with pytest.raises(UsageError, match="characters"):
        saved.put(name, 1)


def test_too_much_is_refused_and_what_was_there_stays(saved) -> None:
    """With the bound."""
    saved.put("a", 1)
    with pytest.raises(UsageError, match="1,000,000 bytes"):
        saved.put("b", "x" * MOST_BYTES)
    assert json.loads(saved.path.read_bytes()) == {"a": 1}


def test_where_nothing_may_be_written_nothing_is(path) -> None:
    """Not even a folder."""
    reader = Saved(path, "queries", read_only=True)
    for change in (lambda: reader.put("a", 1), lambda: reader.remove("a")):
        with pytest.raises(UsageError, match="Nothing is written here"):
            change()
    assert list(path.parent.iterdir()) == []
    assert reader.entries() == {}


def test_a_folder_that_is_a_link_is_refused(saved, path, tmp_path) -> None:
    """What is written must not end up elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    LedgerFiles.at(path).folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LedgerError, match="symbolic link"):
        saved.put("a", 1)


def test_a_kind_is_no_path(path) -> None:
    """Nothing is written beside the ledger's own folder."""
    with pytest.raises(ValueError, match="not a word"):
        Saved(path, "../x")
