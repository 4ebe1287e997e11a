"""A query sees the published copy and everything beyond it."""

import gc
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from actionledger.core.errors import LedgerError, NewerLedgerError
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.storage import loading, memory, readers, working_file
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.local import LocalStore


@pytest.fixture
def reader(ledger):
    """The ledger of ``ledger``, opened for reading only."""
    with open_ledger(ledger.path, read_only=True) as opened:
        yield opened


def messages(ledger) -> list[str]:
    return [message for (message,) in ledger.sql("SELECT message FROM events ORDER BY message").fetchall()]


def snapshot(path: Path) -> dict[str, tuple[int, int]]:
    return {str(each): (each.stat().st_size, each.stat().st_mtime_ns) for each in path.parent.rglob("*")}


def test_a_process_reads_its_own_writes(ledger, make) -> None:
    """What was recorded a moment ago is there, without a flush."""
    assert messages(ledger) == []
    for message in ("a", "b"):
        ledger.record(make.note(message))
        assert message in messages(ledger)


def test_a_reader_sees_what_was_only_flushed(ledger, reader, make) -> None:
    """What others flushed is there before anybody takes it in, and writing nothing is meant literally."""
    ledger.record(make.note("a"))
    assert messages(reader) == []
    ledger.flush()
    before = snapshot(ledger.path)
    assert messages(reader) == ["a"]
    ledger.record(make.response())
    ledger.flush()
    assert reader.sql("SELECT text, feedback FROM turns").fetchall() == [("hello", None)]
    assert snapshot(ledger.path).keys() == before.keys()
    with duckdb.connect(str(ledger.path), read_only=True) as plain:
        assert plain.execute("SELECT count(*) FROM events").fetchone() == (0,)


def test_a_tail_is_the_same_as_what_is_taken_in(ledger, reader, make) -> None:
    """Every table and view shows the same rows before and after the ingest."""
    for event in make.one_of_each():
        ledger.record(event)
    ledger.flush()
    names = [*(table.name for table in readers.TABLES), *readers.VIEWS]
    before = {name: reader.sql(f"FROM {name}").fetchall() for name in names}
    assert all(rows for name, rows in before.items() if name != "unacted_turns")  # each response has a call
    ledger.ingest()
    assert {name: reader.sql(f"FROM {name}").fetchall() for name in names} == before


@pytest.mark.parametrize(
    "query",
    [
        "SHOW TABLES",
        "SELECT table_name FROM information_schema.tables",
        "SELECT view_name FROM duckdb_views() WHERE NOT internal",
    ],
)
def test_a_statement_that_lists_what_there_is_sees_every_view(ledger, query) -> None:
    """Views are made for the statement that names them; this one names none."""
    assert readers.VIEWS.keys() <= {row[0] for row in ledger.sql(query).fetchall()}


def test_a_view_that_is_named_in_any_way_is_there(ledger, make) -> None:
    for event in make.one_of_each():
        ledger.record(event)
    for query in (
        "FROM Sessions",
        'FROM "sessions"',
        "FROM query_table('ses' || 'sions')",
        "DESCRIBE sessions",
    ):
        assert len(ledger.sql(query)), query
    with pytest.raises(duckdb.CatalogException, match=r"Did you mean.*sessions"):
        ledger.sql("FROM sesions")


def test_a_tail_doubles_nothing(ledger, reader, make) -> None:
    """An event in a segment that the published copy holds already is passed over, and so is a known parser."""
    note, parser = make.note("a"), make.parser()
    ledger.record(note)
    ledger.record(parser)
    ledger.ingest()
    ledger.record(note)
    ledger.record(make.parser())
    ledger.flush()
    assert messages(reader) == ["a", None, None]
    assert reader.sql("SELECT count(*) FROM parsers").fetchall() == [(1,)]


def test_an_unreadable_line_does_not_stop_a_reader(ledger, reader, make) -> None:
    """What the ingester will put aside, a reader shows as put aside."""
    writer = SegmentWriter(LedgerFiles.at(ledger.path).segments)
    writer.append(b"nonsense\n")
    writer.close()
    ledger.record(make.note("a"))
    ledger.flush()
    assert messages(reader) == ["a"]
    assert reader.sql("SELECT line FROM quarantine").fetchall() == [("nonsense",)]


def test_nothing_is_made_anew_while_nothing_changes(ledger, reader, make, monkeypatch) -> None:
    """A second query uses the connection of the first; what was flushed since is added to it; a new copy makes another one."""
    made, loaded = [], []
    connect, load = LocalStore.connect, loading.Loader.load
    monkeypatch.setattr(LocalStore, "connect", lambda *a, **k: made.append(1) or connect(*a, **k))
    monkeypatch.setattr(
        loading.Loader, "load", lambda self, lines: loaded.append(len(lines)) or load(self, lines)
    )
    ledger.record(make.note("a"))
    ledger.flush()
    for _ in range(3):
        assert messages(reader) == ["a"]
    assert made == []
    ledger.record(make.note("b"))
    ledger.flush()
    assert messages(reader) == ["a", "b"]
    assert made == []
    assert loaded == [1, 1]
    ledger.ingest()
    assert messages(reader) == ["a", "b"]
    assert len(made) == 1


def test_a_reader_connects_once(ledger, monkeypatch) -> None:
    """What a copy is, is asked on the connection that answers: to begin a DuckDB is most of what a reader takes."""
    made = []
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *a, **k: made.append(1) or connect(*a, **k))
    monkeypatch.setattr(memory, "_kept", memory._Kept())
    for _ in range(3):
        working_file._version_of_copy.cache_clear()
        with open_ledger(ledger.path, read_only=True) as opened:
            assert messages(opened) == []
    assert len(made) == 1


def test_a_copy_of_another_version_that_takes_the_place_is_refused(ledger, reader, tmp_path) -> None:
    """Whoever has the ledger open is told in a sentence what took its place, and reads on when it can be read again."""
    ours, theirs = tmp_path / "ours.duckdb", tmp_path / "theirs.duckdb"
    assert messages(reader) == []
    shutil.copyfile(ledger.path, ours)
    shutil.copyfile(ledger.path, theirs)
    with duckdb.connect(str(theirs)) as plain:
        plain.execute("UPDATE meta SET schema_version = schema_version + 1")
    theirs.replace(ledger.path)
    with pytest.raises(NewerLedgerError, match="upgrade actionledger"):
        messages(reader)
    ours.replace(ledger.path)
    assert messages(reader) == []


def test_a_tail_that_could_not_be_loaded_is_loaded_again(ledger, reader, make, monkeypatch) -> None:
    """What a query failed on is not half there for the next one."""
    ledger.record(make.note("a"))
    ledger.flush()
    assert messages(reader) == ["a"]
    ledger.record(make.note("b"))
    ledger.flush()

    def fail(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(loading.Loader, "load", fail)
        with pytest.raises(LedgerError, match=r"can't be read: No space left on device\.$"):
            messages(reader)
    assert messages(reader) == ["a", "b"]


def test_a_copy_published_in_between_is_read_again(ledger, reader, make, monkeypatch) -> None:
    """Published and cleared away while a reader collects: it starts over instead of missing something."""
    ledger.record(make.note("a"))
    ledger.flush()
    load, calls = readers._View.load_new_lines, []

    def load_late(self) -> None:
        if not calls:
            ledger.close()
        calls.append(1)
        load(self)

    monkeypatch.setattr(readers._View, "load_new_lines", load_late)
    assert messages(reader) == ["a"]
    assert len(calls) == 2


def test_a_reader_comes_to_an_end_however_often_others_publish(ledger, reader, make, monkeypatch) -> None:
    """With every copy replaced before the segments are read, it sees all that was flushed before it asked."""
    ledger.record(make.note("a"))
    ledger.flush()
    load, calls = readers._View.load_new_lines, []

    def load_late(self) -> None:
        calls.append(1)
        with open_ledger(ledger.path, in_background=False) as other:
            other.record(make.note(f"later {len(calls):02}"))
            other.ingest()
        load(self)

    monkeypatch.setattr(readers._View, "load_new_lines", load_late)
    assert "a" in messages(reader)
    assert len(calls) == 4
    monkeypatch.undo()
    assert len(messages(reader)) == 5


def test_a_segment_that_goes_before_it_is_read_is_asked_of_the_next_copy(
    ledger, reader, make, monkeypatch
) -> None:
    """No view is taken that lacks it, though none stays the published one."""
    ledger.record(make.note("a"))
    ledger.flush()
    load, calls = readers._View.load_new_lines, []

    def load_late(self) -> None:
        calls.append(1)
        if len(calls) == 4:
            ledger.close()
        load(self)

    monkeypatch.setattr(readers._View, "load_new_lines", load_late)
    monkeypatch.setattr(LocalStore, "holds", lambda *_given: False)
    assert messages(reader) == ["a"]
    assert len(calls) == 5


def test_a_result_outlives_what_comes_after(ledger, make) -> None:
    """A cursor keeps what it saw, though the connection behind it was replaced and the ledger closed."""
    ledger.record(make.note("a"))
    result = ledger.sql("SELECT message FROM events")
    ledger.record(make.note("b"))
    assert messages(ledger) == ["a", "b"]
    ledger.close()
    gc.collect()
    assert result.fetchall() == [("a",)]


def test_parameters_and_frames(ledger, make) -> None:
    """A query takes parameters by place and by name, and its result becomes a data frame."""
    ledger.record(make.note("a"))
    assert ledger.sql("SELECT ? FROM events WHERE message = ?", [7, "a"]).fetchall() == [(7,)]
    assert ledger.sql("SELECT $x + 1 FROM events", {"x": 7}).fetchall() == [(8,)]
    assert ledger.sql("SELECT 1 AS one").columns == ("one",)
    pytest.importorskip("pandas")
    assert ledger.sql("SELECT message FROM events").df()["message"].tolist() == ["a"]


def test_a_wrong_query_is_duckdbs_to_explain(ledger) -> None:
    """An error in SQL reaches the caller as it is, and the next query works."""
    with pytest.raises(duckdb.CatalogException):
        ledger.sql("SELECT * FROM nothing")
    assert messages(ledger) == []


def test_threads_get_their_own_rows(ledger, make) -> None:
    """Threads that ask at once, while another records, never see each other's rows."""
    ledger.record(make.note("a"))

    def ask(number: int) -> bool:
        if number % 5 == 0:
            ledger.record(make.note(str(number)))
        rows = ledger.sql(
            "SELECT ?, range FROM range(2000), (SELECT 1 FROM events LIMIT 1)", [number]
        ).fetchall()
        return len(rows) == 2000 and {row[0] for row in rows} == {number}

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(24)))
    assert len(messages(ledger)) == 1 + 5


HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


def test_a_stranger_who_opened_the_file_for_writing_is_in_nobodys_way(ledger, reader, make) -> None:
    """DuckDB locks everybody out of a file that is open for writing; the ledger is read, written and published."""
    ledger.record(make.note("a"))
    ledger.ingest()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, ledger.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as stranger:
        assert stranger.stdout.readline() == "held\n"
        assert messages(reader) == ["a"]
        ledger.record(make.note("b"))
        assert messages(ledger) == ["a", "b"]
        assert ledger.ingest().was_busy is False
        with open_ledger(ledger.path) as third:
            assert messages(third) == ["a", "b"]
        stranger.stdin.close()


def test_plain_duckdb_in_the_same_process_is_in_nobodys_way(ledger, make) -> None:
    """A notebook may open the file by itself, for writing even, before and after it asked the ledger."""
    ledger.record(make.note("a"))
    assert messages(ledger) == ["a"]
    ledger.ingest()
    assert messages(ledger) == ["a"]
    with duckdb.connect(str(ledger.path)) as plain:
        assert plain.execute("SELECT message FROM events").fetchall() == [("a",)]
        ledger.record(make.note("b"))
        assert messages(ledger) == ["a", "b"]
        with open_ledger(ledger.path, read_only=True) as reader:
            assert messages(reader) == ["a", "b"]


def test_a_ledger_without_its_folder_is_read(tmp_path, path, ledger, make) -> None:
    """The published copy alone is enough."""
    ledger.record(make.note("a"))
    ledger.close()
    alone = tmp_path / "alone" / "x.duckdb"
    alone.parent.mkdir()
    shutil.copy(path, alone)
    with open_ledger(alone, read_only=True) as reader:
        assert messages(reader) == ["a"]
    assert [each.name for each in alone.parent.iterdir()] == ["x.duckdb"]


def test_a_lost_file_is_published_again(ledger, reader, make) -> None:
    """A published copy that is gone comes back with a writer's next query; a reader says in one sentence what is amiss."""
    ledger.record(make.note("a"))
    ledger.ingest()
    for each in (ledger, reader):
        assert messages(each) == ["a"]
    ledger.path.unlink()
    with pytest.raises(
        LedgerError, match=r"can't be read: IO Error: Cannot open database .* does not exist\.$"
    ):
        messages(reader)
    assert messages(ledger) == ["a"]
    assert messages(reader) == ["a"]


def test_what_nothing_could_check_is_not_valid_in_rows_of_before_either(ledger, reader, make) -> None:
    """Rows of before there was the word say ``valid`` with no catalogue: neither SQL nor a count shows them so, the file keeps them."""
    for catalogue in (None, "assistant"):
        ledger.record(make.parsed(catalogue=catalogue, actions=(make.action(),)))
    ledger.flush()
    asked = "SELECT catalogue, status FROM actions ORDER BY catalogue NULLS FIRST"
    shown = [(None, "not_checked"), ("assistant", "valid")]
    statuses = {ActionStatus.VALID: 1, ActionStatus.NOT_CHECKED: 1}
    assert (reader.sql(asked).fetchall(), funnel(reader).statuses) == (shown, statuses)
    ledger.ingest()
    assert (reader.sql(asked).fetchall(), funnel(reader).statuses) == (shown, statuses)
    assert (funnel(reader).validation.count, funnel(reader).runnable) == (1, 2)
    with duckdb.connect(str(ledger.path), read_only=True) as plain:
        assert plain.execute(asked).fetchall() == [(None, "valid"), ("assistant", "valid")]
