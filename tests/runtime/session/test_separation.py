"""A ledger, a workspace and its stores lie apart, and what a manifest says of them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.profiles.stores import SqliteStore
from actionledger.runtime.session.folder import lies_in, refuse_reachable
from actionledger.runtime.session.states import stores
from actionledger.runtime.session.states.capture import CapturedState
from actionledger.runtime.session.states.lines import read
from actionledger.runtime.session.states.stores import copy_of, image_of, rows_of


@pytest.fixture
def places(tmp_path: Path) -> Path:
    (tmp_path / "work" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "work")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / "out").symlink_to(tmp_path / "elsewhere")
    return tmp_path


@pytest.mark.parametrize(
    ("ledger", "workspace"),
    [
        ("work/l.duckdb", "work"),
        ("work/inner/l.duckdb", "work"),
        ("link/l.duckdb", "work"),
        ("work/l.duckdb", "link"),
        ("elsewhere/../work/l.duckdb", "work"),
        ("work/new/l.duckdb", "work"),
        ("l.duckdb", "l.duckdb.d/segments"),
        ("l.duckdb", "."),
    ],
)
def test_one_in_the_other_is_refused(places, ledger, workspace):
    """However it is written, and before anything is made."""
    with pytest.raises(UsageError, match="lies in"):
        refuse_reachable(places / ledger, places / workspace)
    assert not (places / "l.duckdb.d").exists()


@pytest.mark.parametrize(
    ("ledger", "workspace"),
    [
        ("l.duckdb", "work"),
        ("work2/l.duckdb", "work"),
        ("work/out/l.duckdb", "work"),
        ("work.duckdb", "work"),
    ],
)
def test_beside_each_other_is_fine(places, ledger, workspace):
    """Also where a link in the workspace leads out of it: what is confined doesn't follow."""
    refuse_reachable(places / ledger, places / workspace)


def test_the_same_folder_by_another_name_is_the_same(places, monkeypatch):
    """As with two mounts, or capitals where the file system has none: what the system says of the folder decides."""
    stat = Path.stat

    def mounted(path: Path, **given: bool):
        return stat(places / "work" if path == places / "elsewhere" else path, **given)

    assert not lies_in(places / "elsewhere" / "l.duckdb", places / "work")
    monkeypatch.setattr(Path, "stat", mounted)
    assert lies_in(places / "elsewhere" / "l.duckdb", places / "work")


def test_a_session_in_a_ledgers_folder_is_refused(tmp_path):
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        pytest.raises(UsageError, match="belongs to the ledger alone"),
    ):
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "l.duckdb.d" / "work")


class Names(SqliteStore):
    owner, tables = "tests", ("names (name)",)

    def add(self, name: str) -> None:
        self.rows("INSERT INTO names VALUES (?)", (name,))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Names]:
    with Names(tmp_path / "names.sqlite") as opened:
        opened.add("Ada")
        yield opened


def names_in(image: bytes | None) -> list[str]:
    """Return the names that a copy holds."""
    return [name for (name,) in (rows_of(image or b"") or {}).get("names", ())]


def test_an_action_of_the_toolkit_s_own_opens_no_second_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "_copied", lambda *_, **__: pytest.fail("a second connection"))
    with (
        al.open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger,
        al.Runtime("assistant", ledger=ledger) as runtime,
    ):
        for name in ("Ada", "Bob"):
            runtime.handle(al.render([("create_task", {"content": name})], "actions"))
            steps = al.steps(ledger, runtime.session_id)
    shown = [step.after.rows("assistant.sqlite") for step in steps if step.after]
    assert [[row[1] for row in rows["tasks"]] for rows in shown if rows] == [["Ada"], ["Ada", "Bob"]]


def test_only_what_is_committed_is_copied(store: Names) -> None:
    """By the thread that is at it, and by another one while it is."""
    with store.writing() as cursor:
        cursor.execute("INSERT INTO names VALUES ('Bob')")
        assert store.copied() is None
        assert names_in(image_of(store.path, 10**6, on_disk=0, has_log=True)) == ["Ada"]
    begun, done = Event(), Event()

    def hold() -> None:
        with store.opened():
            begun.set()
            done.wait(120)

    thread = Thread(target=hold)
    thread.start()
    try:
        assert begun.wait(120)
        assert store.copied() is None
        assert names_in(image_of(store.path, 10**6, on_disk=0, has_log=True)) == ["Ada", "Bob"]
    finally:
        done.set()
        thread.join(120)
    assert store.copied()


def test_another_file_at_its_path_is_not_taken_for_it(store: Names) -> None:
    store.path.rename(store.path.with_name("moved.sqlite"))
    with closing(sqlite3.connect(store.path)) as other:
        other.execute("CREATE TABLE names (name)")
        other.execute("INSERT INTO names VALUES ('Eve')")
        other.commit()
    assert copy_of(store.path) is None
    assert names_in(image_of(store.path, 10**6, on_disk=0, has_log=False)) == ["Eve"]


def test_a_closed_store_is_asked_no_more(store: Names) -> None:
    assert copy_of(store.path)
    store.close()
    assert copy_of(store.path) is None
    assert not any(store in stores for stores in stores._by_file.values())
    assert names_in(image_of(store.path, 10**6, on_disk=0, has_log=False)) == ["Ada"]


def test_a_line_that_is_nested_too_deep_is_damage_and_no_fault():
    """Whoever can write a manifest's file can write that."""
    found = read(b"[" * 200_000 + b"\n")
    assert (found.lines, found.is_damaged) == ([], True)
    with pytest.raises(ValueError, match="nested deeper"):
        CapturedState.from_bytes(b"[" * 200_000)
