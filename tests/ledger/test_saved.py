"""What people keep under a name, saved views among it."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger.saved import KIND, LONGEST_NAME, MOST_BYTES, Saved, SavedView, read_views, save_view
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
    with pytest.raises(UsageError, match="characters"):
        saved.put(name, 1)


def test_too_much_is_refused_and_what_was_there_stays(saved) -> None:
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


@pytest.fixture
def kept(tmp_path: Path) -> Saved:
    """Where views are kept beside a ledger."""
    return Saved(tmp_path / "team.duckdb", KIND)


def test_a_view_is_saved_renamed_and_removed(kept: Saved) -> None:
    """Who opens the ledger next sees the same."""
    save_view(kept, SavedView("Worst of gpt", "sessions", "model=gpt&order=worst+read+first"))
    save_view(kept, SavedView("a 😀 & ümlaut", "turns", "search=%25_%27"))
    assert [view.name for view in read_views(kept).views] == ["a 😀 & ümlaut", "Worst of gpt"]
    kept.rename("Worst of gpt", " weekly ")
    save_view(kept, SavedView("weekly", "sessions", "model=gpt-2"))
    kept.remove("a 😀 & ümlaut")
    assert read_views(kept) == ((SavedView("weekly", "sessions", "model=gpt-2"),), "")


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\u202eb", "\ud800", "a\x00b"])
def test_what_can_be_no_name_is_refused(kept: Saved, name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        save_view(kept, SavedView(name, "turns", ""))
    assert not kept.path.exists()


def test_no_name_is_taken_twice_or_lost(kept: Saved) -> None:
    """What somebody else has deleted, or named so, is no reason to lose one."""
    for name in "ab":
        save_view(kept, SavedView(name, "turns", f"search={name}"))
    with pytest.raises(UsageError, match="Something is called 'b' already"):
        kept.rename("a", "b")
    with pytest.raises(UsageError, match="Nothing is called 'c' any more"):
        kept.rename("c", "d")
    with pytest.raises(UsageError, match="A name has 1 to 80 characters"):
        kept.rename("a", " ")
    assert [view.query for view in read_views(kept).views] == ["search=a", "search=b"]


@pytest.mark.parametrize("content", [b"{", b"[]", b"7", b'{"x": "\xff"}'])
def test_a_file_that_cannot_be_read_is_named_and_kept(kept: Saved, content: bytes) -> None:
    """Nothing crashes, nothing of it is opened, and nobody writes over it."""
    kept.path.parent.mkdir()
    kept.path.write_bytes(content)
    shelf = read_views(kept)
    assert shelf.views == ()
    assert str(kept.path) in shelf.problem
    with pytest.raises(LedgerError):
        save_view(kept, SavedView("x", "turns", ""))
    assert kept.path.read_bytes() == content


@pytest.mark.parametrize(
    "held",
    [
        "x",
        None,
        {},
        {"page": "turns"},
        {"page": "javascript:alert(1)//", "query": ""},
        {"page": "//evil", "query": ""},
    ],
)
def test_what_is_no_view_is_named_and_the_others_are_there(kept: Saved, held: object) -> None:
    """No address leads out of the dashboard."""
    kept.put("bad", held)
    save_view(kept, SavedView("good", "turns", ""))
    shelf = read_views(kept)
    assert [view.name for view in shelf.views] == ["good"]
    assert "'bad' is not a view" in shelf.problem


def test_a_query_is_data(kept: Saved) -> None:
    """What stands in the file is written anew as a query, so that nothing of it ends the address."""
    kept.put("x", {"page": "turns", "query": 'a="><script>&b=#c'})
    [view] = read_views(kept).views
    assert view.query == "a=%22%3E%3Cscript%3E&b=%23c"
    assert json.loads(kept.path.read_bytes())["x"]["page"] == "turns"
