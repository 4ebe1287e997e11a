"""Saved views: shared, and data whatever stands in their file."""

import json
from pathlib import Path

import pytest

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger.saved import KIND, Saved, SavedView, read_views, save_view


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
    """Nothing is written."""
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
