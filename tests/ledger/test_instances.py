"""A DuckDB that was begun for one ledger serves the next one in the process, which finds nothing of the one before."""

from pathlib import Path

import duckdb
import pytest

from actionledger.ledger import open_ledger
from actionledger.ledger.storage import memory
from actionledger.ledger.storage.connections import store


@pytest.fixture(autouse=True)
def kept(monkeypatch) -> memory._Kept:
    """What is kept, nothing at first."""
    kept = memory._Kept()
    monkeypatch.setattr(memory, "_kept", kept)
    return kept


@pytest.fixture
def begun(monkeypatch) -> list[int]:
    """One entry for each DuckDB that is begun."""
    made: list[int] = []
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *a, **k: made.append(1) or connect(*a, **k))
    return made


@pytest.fixture
def two(tmp_path, make) -> tuple[Path, Path]:
    """Two ledgers; the first holds a note that is taken in, the second nothing."""
    paths = tmp_path / "one.duckdb", tmp_path / "two.duckdb"
    for path in paths:
        with open_ledger(path) as ledger:
            ledger.record(make.note(path.stem))
    return paths


def messages(ledger) -> list[str]:
    return [message for (message,) in ledger.sql("SELECT message FROM events ORDER BY message").fetchall()]


def open_files(path: Path) -> list[str]:
    links = [each for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return [str(link) for link in links if link.exists() and str(path) in str(link.readlink())]


def test_each_ledger_shows_its_own(two, begun, kept) -> None:
    """One after the other they are read over one DuckDB, begun once, and each is closed behind its reader."""
    kept.start_over()
    for _ in range(2):
        for path in two:
            with open_ledger(path, read_only=True) as ledger:
                assert messages(ledger) == [path.stem]
            assert open_files(path) == []
    assert len(begun) == 1


def test_readers_at_the_same_time_share_none(two) -> None:
    """Two that are open at once have a DuckDB each."""
    with open_ledger(two[0], read_only=True) as one, open_ledger(two[1], read_only=True) as other:
        assert [messages(one), messages(other), messages(one)] == [["one"], ["two"], ["one"]]


def test_what_lies_beyond_a_copy_goes_with_its_ledger(two, make) -> None:
    """Whoever comes next sees none of the rows that were only flushed."""
    one, two_ = two
    with open_ledger(one, in_background=False) as writing:
        writing.record(make.note("flushed"))
        writing.record(make.response())
        writing.flush()
        for _ in range(2):
            with open_ledger(one, read_only=True) as ledger:
                assert messages(ledger) == ["flushed", "one", None]
                assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (1,)
            with open_ledger(two_, read_only=True) as ledger:
                assert messages(ledger) == ["two"]
                assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (0,)
                assert ledger.sql(
                    "SELECT count(*) FROM (FROM tail.events UNION ALL BY NAME FROM tail.turn_starts)"
                ).fetchone() == (0,)


def test_blanks_and_texts_take_turns(two) -> None:
    """One that is read without its texts shows none after one that was read with them, and the other way round."""
    for without_text in (False, True, False, True):
        with open_ledger(two[0], read_only=True, without_text=without_text) as ledger:
            assert messages(ledger) == ([""] if without_text else ["one"])


@pytest.mark.parametrize(
    "left",
    [
        "CREATE TABLE left_behind AS SELECT 1 AS x",
        "CREATE VIEW left_behind AS SELECT 1 AS x",
        "SELECT 1; CREATE TABLE left_behind AS SELECT 1 AS x",
        "/* */ CREATE TABLE left_behind AS SELECT 1 AS x",
        "EXPLAIN ANALYZE CREATE TABLE left_behind AS SELECT 1 AS x",
        "WITH a AS (SELECT 1 AS x) INSERT INTO tail.events BY NAME SELECT 'left' AS message FROM a",
        "SET GLOBAL default_null_order = 'nulls_first'",
        "ATTACH ':memory:' AS left_behind",
    ],
)
def test_nothing_that_a_statement_leaves_is_found_by_the_next_one(two, make, left) -> None:
    """A statement may make tables or change settings; the DuckDB that it did that in is nobody else's."""
    asked = (
        "SELECT table_name FROM duckdb_tables() WHERE table_name = 'left_behind' UNION ALL "
        "SELECT view_name FROM duckdb_views() WHERE view_name = 'left_behind' UNION ALL "
        "SELECT database_name FROM duckdb_databases() WHERE database_name = 'left_behind' UNION ALL "
        "SELECT value FROM duckdb_settings() WHERE name = 'default_null_order'"
    )
    with open_ledger(two[1], read_only=True) as ledger:
        before = ledger.sql(asked).fetchall()
    with open_ledger(two[0]) as ledger:
        ledger.record(make.note("flushed"))
        ledger.sql(left)
    with open_ledger(two[1], read_only=True) as ledger:
        assert ledger.sql(asked).fetchall() == before
        assert messages(ledger) == ["two"]


def test_a_result_keeps_its_ledger(two) -> None:
    """A result that is read, and run again, when its ledger is long closed and another one open, is of the one that was asked."""
    with open_ledger(two[0], read_only=True) as ledger:
        result = ledger.sql("SELECT message FROM events")
    with open_ledger(two[1], read_only=True) as ledger:
        assert messages(ledger) == ["two"]
        assert [len(result), result.fetchall(), result.fetchall(), [tuple(row) for row in result]] == [
            1,
            [("one",)],
            [],
            [("one",)],
        ]


@pytest.mark.parametrize("names_folder", [True, False])
def test_one_that_has_spilled_is_not_kept(begun, tmp_path, names_folder) -> None:
    """Where it spills to can't be changed any more: the next one needs another folder."""
    config = {"memory_limit": "40MB", "threads": 1}
    if names_folder:
        config["temp_directory"] = str(tmp_path / "it's spilled")
    for count in (1, 2):
        with memory.borrowed(config) as connection:
            connection.execute("CREATE TEMP TABLE t AS SELECT random() AS a FROM range(12_000_000)")
        assert len(begun) == count


def test_what_is_temporary_goes_with_its_user(begun) -> None:
    """A table that is not dropped is in nobody's way."""
    for _ in range(2):
        with memory.borrowed({"threads": 1}) as connection:
            connection.execute("CREATE TEMP TABLE t AS SELECT 1 AS a; SET VARIABLE v = 1")
    assert len(begun) == 1


def test_one_that_failed_is_not_kept(begun) -> None:
    """Nobody knows what state it is in."""
    with pytest.raises(ZeroDivisionError), memory.borrowed({}):
        raise ZeroDivisionError
    with memory.borrowed({}):
        assert len(begun) == 2


def test_a_forked_child_begins_its_own(kept) -> None:
    """The threads of the parent's are not there: nobody would ever answer."""
    with memory.borrowed({"threads": 1}):
        pass
    assert len(kept._instances) == 1
    kept.start_over()
    assert kept._instances == []


def test_few_are_kept(kept) -> None:
    """However many were at work at once."""
    several = [memory.begin({"threads": 1}) for _ in range(memory._MOST + 2)]
    for each in several:
        memory.keep(each)
    assert kept._instances == several[-1 : -1 - memory._MOST : -1]


def test_a_working_file_is_whole_when_it_is_let_go(tmp_path, begun) -> None:
    """What was written is in the file itself, whose next user may be another process; nothing lies beside it."""
    paths = [tmp_path / f"{name}.duckdb" for name in ("it's", "b")]
    for path in paths:
        with store(path) as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    assert len(begun) == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.duckdb", "it's.duckdb"]
    for path in paths:
        with duckdb.connect(str(path), read_only=True) as plain:
            assert plain.execute("FROM t").fetchall() == [(1,)]
