"""Saved views: kept whole, shared, never written over a file that can't be read."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actionledger.errors import LedgerError, UsageError
from actionledger.ledger import open_ledger
from actionledger.ledger.saved_views import SavedView, SavedViews


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger's path; its folder is there."""
    with open_ledger(tmp_path / "team.duckdb", in_background=False):
        pass
    return tmp_path / "team.duckdb"


def file_of(path: Path) -> Path:
    return Path(f"{path}.d", "views.json")


def test_a_view_is_saved_opened_renamed_and_deleted(path: Path) -> None:
    """Who opens the ledger next sees the same."""
    SavedViews(path).save(SavedView("Worst of gpt", "sessions", "model=gpt&order=worst+read+first"))
    SavedViews(path).save(SavedView("a 😀 & ümlaut", "turns", "search=%25_%27"))
    assert [view.name for view in SavedViews(path).read().views] == ["a 😀 & ümlaut", "Worst of gpt"]
    SavedViews(path).rename("Worst of gpt", "weekly")
    SavedViews(path).save(SavedView("weekly", "sessions", "model=gpt-2"))
    SavedViews(path).delete("a 😀 & ümlaut")
    assert SavedViews(path).read().views == (SavedView("weekly", "sessions", "model=gpt-2"),)
    assert stat.S_IMODE(file_of(path).stat().st_mode) == 0o600
    assert not list(file_of(path).parent.glob("views.json.*"))


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\u202eb", "\ud800", "a\x00b"])
def test_what_can_be_no_name_is_refused(path: Path, name: str) -> None:
    """Nothing is written."""
    with pytest.raises(UsageError, match="A view's name has 1 to 100 characters"):
        SavedViews(path).save(SavedView(name, "turns", ""))
    assert not file_of(path).exists()


def test_no_name_is_taken_twice_or_lost(path: Path) -> None:
    """A view that somebody else has deleted, or named so, is no reason to lose one."""
    views = SavedViews(path)
    for name in "ab":
        views.save(SavedView(name, "turns", f"search={name}"))
    with pytest.raises(UsageError, match="There is a view 'b' already"):
        views.rename("a", "b")
    with pytest.raises(UsageError, match="There is no view 'c' any more"):
        views.rename("c", "d")
    with pytest.raises(UsageError, match="There is no view 'c' any more"):
        views.delete("c")
    assert [view.query for view in views.read().views] == ["search=a", "search=b"]


BAD = {
    "no JSON": b"{",
    "no UTF-8": b'{"version": 1, "views": [{"name": "\xff"}]}',
    "another shape": b"[]",
    "a number": b"7",
    "views of another kind": b'{"version": 1, "views": ["x"]}',
    "no name": b'{"version": 1, "views": [{"page": "turns", "query": ""}]}',
    "another site": json.dumps(
        {"version": 1, "views": [{"name": "x", "page": "javascript:alert(1)//", "query": ""}]}
    ).encode(),
    "another host": json.dumps(
        {"version": 1, "views": [{"name": "x", "page": "//evil", "query": ""}]}
    ).encode(),
    "a later version": b'{"version": 2, "views": []}',
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_a_file_that_cannot_be_read_is_named_and_kept(path: Path, content: bytes) -> None:
    """Nothing crashes, nothing of it is opened, and nobody writes over it."""
    file_of(path).write_bytes(content)
    shelf = SavedViews(path).read()
    assert shelf.views == ()
    assert "views.json, can't be read" in shelf.problem
    with pytest.raises(LedgerError, match="mend it, or move it away"):
        SavedViews(path).save(SavedView("x", "turns", ""))
    assert file_of(path).read_bytes() == content


def test_a_query_is_data(path: Path) -> None:
    """What stands in the file is written anew as a query, so that nothing of it ends the address."""
    held = {"version": 1, "views": [{"name": "x", "page": "turns", "query": 'a="><script>&b=#c'}]}
    file_of(path).write_text(json.dumps(held))
    [view] = SavedViews(path).read().views
    assert view.query == "a=%22%3E%3Cscript%3E&b=%23c"


def test_several_at_once_lose_nothing(path: Path) -> None:
    """Each waits for the others."""
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(lambda number: SavedViews(path).save(SavedView(f"v{number}", "turns", "")), range(24))
        )
    assert len(SavedViews(path).read().views) == 24


def test_where_nothing_can_be_written_it_is_said(tmp_path: Path) -> None:
    """A folder that is a file can't hold views."""
    Path(f"{tmp_path / 'team.duckdb'}.d").write_text("in the way")
    with pytest.raises(LedgerError, match="The views can't be kept in"):
        SavedViews(tmp_path / "team.duckdb").save(SavedView("x", "turns", ""))
    link = tmp_path / "other.duckdb.d"
    link.mkdir()
    (link / "views.json").symlink_to(tmp_path / "elsewhere.json")
    SavedViews(tmp_path / "other.duckdb").save(SavedView("x", "turns", ""))
    assert not (tmp_path / "elsewhere.json").exists()
