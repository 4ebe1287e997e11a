"""The working file: how it is made and opened, and what processes count in it."""

import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from pathlib import Path

import duckdb
import pytest

from actionledger.core.errors import LedgerError
from actionledger.core.files import cache_folder
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import working_file as module
from actionledger.ledger.storage.connections import ROW_GROUP_ROWS, connect_store, store
from actionledger.ledger.storage.internals import SharedCounter


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


OPENED: list[Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]]] = [
    store,
    lambda path: closing(connect_store(path)),
]


def groups(path: Path) -> list[int]:
    """Return how many rows lie together in a file's table, one group after the other."""
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute(
            "SELECT sum(count)::INTEGER FROM pragma_storage_info('rows') "
            "WHERE column_name = 'number' AND segment_type != 'VALIDITY' GROUP BY row_group_id ORDER BY row_group_id"
        )
        return [count for (count,) in found.fetchall()]


@pytest.mark.parametrize("opened", OPENED, ids=["in little memory", "in as much as it takes"])
def test_rows_lie_together_in_small_groups(tmp_path: Path, opened):
    path = tmp_path / "store.duckdb"
    with opened(path) as connection:
        connection.execute("CREATE TABLE rows AS SELECT range AS number FROM range(200000)")
    assert groups(path) == [ROW_GROUP_ROWS] * 3 + [200_000 - 3 * ROW_GROUP_ROWS]
    assert not Path(f"{path}.wal").exists()


@pytest.mark.parametrize("opened", OPENED, ids=["in little memory", "in as much as it takes"])
def test_a_file_with_larger_groups_goes_on(tmp_path: Path, opened):
    """A ledger of an earlier version has DuckDB's own; also where a key is checked, which older DuckDBs lost rows of."""
    path = tmp_path / "store.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": "v1.5.0"}) as connection:
        connection.execute("CREATE TABLE rows AS SELECT range AS number FROM range(100000)")
        connection.execute("CREATE TABLE keyed (name VARCHAR PRIMARY KEY, number BIGINT)")
        connection.execute("INSERT INTO keyed SELECT 'n' || range, range FROM range(100000)")
    assert groups(path) == [100_000]
    for more in range(3):
        with opened(path) as connection:
            connection.execute(f"INSERT INTO rows SELECT 100000 + {more} * 50000 + range FROM range(50000)")
            connection.execute(
                f"INSERT INTO keyed VALUES ('n5', {more}), ('new{more}', 0) "
                "ON CONFLICT (name) DO UPDATE SET number = excluded.number"
            )
    assert max(groups(path)[1:]) <= ROW_GROUP_ROWS
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT count(*), sum(number) FROM rows").fetchone() == (
            250_000,
            250_000 * 249_999 // 2,
        )
        assert connection.execute("SELECT count(*), sum(number) FROM keyed").fetchone() == (
            100_003,
            100_000 * 99_999 // 2 - 5 + 2,
        )


_TAKE = """
import sys
from pathlib import Path
from actionledger.ledger.storage.internals import SharedCounter
counter = SharedCounter(Path(sys.argv[1]))
print(sum(counter.take("a", 100, 3600) is None for _ in range(80)))
"""


def test_processes_share_one_count(tmp_path):
    """Three that want eighty each get a hundred together."""
    command = [sys.executable, "-c", _TAKE, str(tmp_path / "rates.json")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sum(int(process.communicate()[0]) for process in running) == 100


def test_threads_share_one_count(tmp_path):
    counter = SharedCounter(tmp_path / "rates.json")
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: counter.take("a", 20, 3600), range(40)))
    assert taken.count(None) == 20


@pytest.mark.parametrize("content", [b"", b"no json", b"[1]", b'{"a": 1}', b'{"a": ["x"]}', b"\xff"])
def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path, content):
    """It is no record; nothing fails for its sake."""
    path = tmp_path / "rates.json"
    path.write_bytes(content)
    assert SharedCounter(path).take("a", 1, 60) is None
    assert SharedCounter(path).take("a", 1, 60) is not None


def test_a_clock_that_was_set_back_locks_nobody_out(tmp_path):
    """Times in the future are forgotten."""
    path = tmp_path / "rates.json"
    assert SharedCounter(path, lambda: 5000.0).take("a", 1, 60) is None
    assert SharedCounter(path, lambda: 1000.0).take("a", 1, 60) is None


def test_a_folder_that_is_gone_is_said(tmp_path):
    with pytest.raises(LedgerError, match="can't be counted"):
        SharedCounter(tmp_path / "gone" / "rates.json").take("a", 1, 60)


def test_a_ledger_has_one(tmp_path):
    """In its folder, for all that write to it."""
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.internals.counter().take("a", 1, 60)
        assert ledger.internals.counter().take("a", 1, 60) is not None
    assert (tmp_path / "team.duckdb.d" / "rates.json").exists()
