"""What was taken in can be shown to be there as it was; what was changed, lost or put there is found, with its place."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from effort import examples, soaked
from hypothesis import given, settings, strategies as st

import actionledger as al
from actionledger.core.errors import LedgerError, NotALedgerError, UsageError
from actionledger.imports import plan_importer
from actionledger.ledger.storage import internals
from actionledger.ledger.storage.connections import STORAGE_VERSION
from actionledger.ledger.storage.copies import read_tables, write_database, write_tables
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.rollups.tables import ROLLUPS
from actionledger.ledger.storage.schema import TABLES, VIEWS
from actionledger.ledger.upkeep.health import examine, mend

FIXTURES = Path(__file__).parents[1] / "fixtures"
SAMPLES = Path(__file__).parents[3] / "data" / "agents"
ACT = "<create_file><path>a.txt</path><content>hello</content></create_file>"
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}

Change = Callable[[str], Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with sessions of three kinds, taken in by several links."""
    folder = tmp_path_factory.mktemp("made")
    path = folder / "team.duckdb"
    with al.open_ledger(path, in_background=False) as ledger:
        for number in range(3):
            ledger.record_turn(f"s{number}", "Hello.\n<execute>1 + 1</execute>", profile="mint")
        ledger.ingest()
        result = {"call_id": "c1", "output": "no b", "is_error": True}
        ledger.record_turn("calls", message={"role": "assistant", "tool_calls": [CALL]}, results=[result])
        ledger.ingest()
        with al.Runtime("coder", ledger=ledger, workspace=folder / "work", auto=True) as runtime:
            runtime.handle(ACT)
    return path


@pytest.fixture
def changed(made: Path, tmp_path: Path) -> Change:
    """Changes a copy of the published file by a statement of somebody else's; returns the copy."""

    def change(statement: str) -> Path:
        copy = tmp_path / "copy.duckdb"
        shutil.copy(made, copy)
        with duckdb.connect(str(copy)) as connection:
            connection.execute(statement)
        return copy

    return change


def test_what_nobody_has_touched_is_whole(made) -> None:
    """Every row is looked at: as many as plain DuckDB counts in the tables of records."""
    found = verify(made)
    assert found.is_whole
    assert not found.notes
    with duckdb.connect(str(made), read_only=True) as connection:
        tables = connection.execute(
            "SELECT DISTINCT table_name FROM duckdb_columns() JOIN duckdb_tables() USING (table_name) "
            "WHERE column_name = 'link' AND table_name NOT IN ('links', 'salts', 'withdrawn')"
        ).fetchall()
        counts = [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in tables]
    assert found.rows == sum(counts) > 0
    assert found.links == found.chains[0].head.link + 1 > 3
    assert not found.unproven


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("UPDATE turn_starts SET text = replace(text, 'Hello', 'Hallo') WHERE rowid = 1", "turn_starts"),
        ("UPDATE actions SET status = 'valid', arguments = '{\"a\": 2}' WHERE name = 'add'", "actions"),
        ("UPDATE execution_ends SET duration_ms = 1 WHERE rowid = 0", "execution_ends"),
        ("UPDATE parse_attempts SET parsed_at = parsed_at + INTERVAL 1 MICROSECOND WHERE rowid = 2", "parse_attempts"),
        ("UPDATE turn_starts SET link = 1 WHERE link = 2", "turn_starts"),
        ("DELETE FROM turn_starts WHERE rowid = 1", "turn_starts"),
        ("DELETE FROM blocks WHERE rowid = 1", "blocks"),
        ("DELETE FROM events WHERE kind = 'turn_finished'", "events"),
        ("DELETE FROM session_starts WHERE external_id = 's1'", "session_starts"),
        ("INSERT INTO turn_starts FROM turn_starts LIMIT 1", "turn_starts"),
        ("INSERT INTO turn_starts SELECT * REPLACE (NULL AS link, uuid() AS turn_id) FROM turn_starts LIMIT 1", "turn_starts"),
        ("INSERT INTO actions SELECT * REPLACE (99 AS link) FROM actions LIMIT 1", "actions"),
        ("UPDATE parsers SET configuration = '{}' WHERE rowid = 0", "parsers"),
    ],
)  # fmt: skip
def test_a_row_that_was_changed_is_found(changed, statement, table) -> None:
    """One byte of a text, a number, a row that is gone, one more: the first place is in its table."""
    found = verify(changed(statement))
    assert found.faults[0].table == table


def test_the_place_is_the_turn_of_the_session(changed, made) -> None:
    """What is said of it is enough to open it."""
    with duckdb.connect(str(made), read_only=True) as connection:
        turn, session = connection.execute(
            "SELECT turn_id::VARCHAR, session_id::VARCHAR FROM turn_starts WHERE rowid = 2"
        ).fetchone()
    [fault] = verify(changed("UPDATE turn_starts SET text = text || '.' WHERE rowid = 2")).faults
    assert (fault.turn_id, fault.session_id) == (turn, session)
    assert f"turn 0 ({turn}) of session {session}" in fault.sentence


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE links SET head = repeat('0', 64) WHERE link = 1",
        "UPDATE links SET made_at = made_at + INTERVAL 1 HOUR WHERE link = 2",
        "DELETE FROM links WHERE link = 1",
        "DELETE FROM links WHERE link = (SELECT max(link) FROM links)",
        "DELETE FROM links",
        "UPDATE salts SET salt = uuid() WHERE rowid = 0",
        "INSERT INTO withdrawn VALUES (1, 2, '\\x00'::BLOB, 'forgotten')",
        "UPDATE links SET link = NULL WHERE link = 2",
        "UPDATE links SET made_at = NULL WHERE link = 2",
        "UPDATE links SET marks = NULL WHERE link = 2",
        "UPDATE salts SET salt = NULL WHERE rowid = 0",
        "INSERT INTO withdrawn VALUES (1, 2, NULL, 'forgotten')",
        "ALTER TABLE links ALTER COLUMN marks TYPE VARCHAR",
    ],
)
def test_the_chain_itself_can_not_be_changed(changed, statement) -> None:
    """Who changes a link has to make all behind it anew."""
    assert not verify(changed(statement)).is_whole


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE OR REPLACE VIEW turns AS SELECT * REPLACE ('' AS text) FROM turn_starts JOIN turn_ends USING (turn_id)", "view turns was"),
        ("CREATE OR REPLACE VIEW runs AS SELECT * FROM run_starts WHERE false", "view runs was changed"),
        ("DROP VIEW sessions", "view sessions is gone"),
        ("DROP TABLE quarantine", "table quarantine is gone"),
        ("ALTER TABLE blocks DROP COLUMN span_end", "column span_end of the table blocks is gone"),
        ("CREATE MACRO coalesce_all(x) AS x", "macro coalesce_all"),
        ("UPDATE meta SET schema_version = 4", "says version 4"),
    ],
)  # fmt: skip
def test_what_people_read_can_not_be_another_one(changed, statement, said) -> None:
    """A view that shows something else, a table that is gone, a version that says there are no proofs: rows alone prove none of it."""
    assert said in verify(changed(statement)).faults[0].sentence


@pytest.mark.parametrize("table", [each.name for each in TABLES])
def test_no_table_can_become_a_view(changed, table) -> None:
    """A view of the same rows looks whole today, and may show others tomorrow."""
    moved = changed(
        f"CREATE TABLE mine AS FROM {table}; DROP TABLE {table}; CREATE VIEW {table} AS FROM mine"
    )
    assert f"The table {table} is a view now" in " ".join(map(str, verify(moved).faults))


@pytest.mark.parametrize("table", ROLLUPS)
def test_no_sum_can_become_a_view(changed, table) -> None:
    """Sums that are kept are asked in the place of the rows that they are of."""
    moved = changed(f"DROP TABLE IF EXISTS {table}; CREATE VIEW {table} AS SELECT 1 AS a")
    assert f"The table {table} is a view now" in " ".join(map(str, verify(moved).faults))


def test_what_is_none_of_a_ledgers_is_said(changed) -> None:
    """Somebody's own table changes nothing that was recorded, and a view that is only written otherwise shows the same."""
    found = verify(changed("CREATE TABLE mine (a INTEGER)"))
    assert found.is_whole
    assert "mine is in the file" in found.notes[0]
    [(select,)] = [(text,) for name, text in VIEWS.items() if name == "runs"]
    assert verify(changed(f"CREATE OR REPLACE VIEW runs AS SELECT * FROM ({select}) WHERE true")).is_whole


def test_a_file_that_was_cut_is_found_and_what_mends_it_said(made, tmp_path) -> None:
    """At the end, in the middle, in the header; verify says whether the working file has all of it, and doctor that it was cut."""
    for part in (made, made.with_name(f"{made.name}.d")):
        (shutil.copytree if part.is_dir() else shutil.copy)(part, tmp_path / part.name)
    path = tmp_path / made.name
    for size in (path.stat().st_size // 2, 20):
        os.truncate(path, size)
        found = verify(path)
        assert "can't be read whole" in found.faults[0].sentence
        assert str(path) in found.faults[0].sentence or "tmp-" not in found.faults[0].sentence
        assert "doctor --fix" in found.notes[0]
        assert examine(path).needs_person
    path.unlink()
    mend(path)
    assert verify(path).is_whole


def test_a_chain_that_was_made_anew_is_found_by_the_head_that_was_kept(made, tmp_path) -> None:
    """Who holds the files can rebuild all of it; a head that lies elsewhere shows that."""
    kept = verify(made).head
    assert verify(made, since=kept).is_whole
    with al.open_ledger(made, read_only=True) as ledger:
        write_database(ledger, tmp_path / "anew.duckdb")
    assert verify(tmp_path / "anew.duckdb").is_whole
    [fault] = verify(tmp_path / "anew.duckdb", since=kept).faults
    assert "older state" in fault.sentence
    assert not verify(made, since=f"1:{'0' * 64}").is_whole
    with pytest.raises(UsageError, match="not a head of a ledger"):
        verify(made, since="latest")


def test_a_cut_segment_is_found(ledger, make) -> None:
    """Below what was taken in, and within a line that nobody writes on."""
    ledger.record(make.response())
    ledger.ingest()
    files = LedgerFiles.at(ledger.path)
    [segment] = files.segments.iterdir()
    os.truncate(segment, 100)
    [fault] = verify(ledger.path).faults
    assert fault.table == f"segments/{segment.name}"
    assert "100 bytes" in fault.sentence


def test_a_swapped_file_is_found(made, tmp_path) -> None:
    """Another ledger's file, or an older copy of its own, in the place of the published one."""
    path = tmp_path / "team.duckdb"
    with al.open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("s", "One.")
    shutil.copy(path, tmp_path / "older")
    with al.open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("s", "Two.")
    assert verify(path).is_whole
    shutil.copy(path, tmp_path / "newer")
    for other, said in ((tmp_path / "older", "an older copy"), (made, "part at link 0")):
        shutil.copy(other, path)
        assert said in verify(path).faults[0].sentence
    shutil.copy(tmp_path / "newer", path)
    assert verify(path).is_whole


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_what_was_recorded_before_is_said_to_be(tmp_path, version) -> None:
    """Of an older ledger nothing can be shown until it is brought up to date, and then that it stays as it is."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": STORAGE_VERSION}) as old:
        old.execute((FIXTURES / f"version_{version}.sql").read_text(encoding="utf-8"))
    [note] = verify(path).notes
    assert f"version {version}" in note
    assert "before proofs were kept" in note
    older = path.read_bytes()
    al.open_ledger(path).close()
    newer = path.read_bytes()
    path.write_bytes(older)
    assert "an older copy stands in its place" in verify(path).faults[0].sentence
    path.write_bytes(newer)
    with duckdb.connect(str(path), read_only=True) as now:
        rows = now.execute(
            "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM turn_starts)"
        ).fetchone()[0]
    found = verify(path)
    assert found.is_whole
    assert found.unproven >= rows


def test_what_a_recording_has_more_of_takes_the_place_of_the_turn(tmp_path) -> None:
    """The turn that is gone is known to be: nothing is missing, and nobody can have taken it away later."""
    path = tmp_path / "team.duckdb"
    with al.open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("s", "One.", name="m1")
        ledger.ingest()
        ledger.record_turn("s", "One. Two.", name="m1")
    found = verify(path)
    assert found.is_whole
    assert found.superseded
    assert not found.forgotten


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_copy_begins_a_chain_of_its_own(made, tmp_path, form) -> None:
    """What was exported is proven from then on."""
    with al.open_ledger(made, read_only=True) as ledger:
        write_tables(ledger, tmp_path / "tables", form)
    read_tables(tmp_path / "tables", tmp_path / "again.duckdb")
    found = verify(tmp_path / "again.duckdb")
    assert found.is_whole
    assert found.unproven == found.rows > 0
    with duckdb.connect(str(tmp_path / "again.duckdb")) as connection:
        connection.execute("UPDATE turn_starts SET text = '' WHERE rowid = 0")
    assert verify(tmp_path / "again.duckdb").faults[0].table == "turn_starts"


@settings(max_examples=examples(15))
@given(
    text=st.text(max_size=60),
    result=st.text(max_size=30)
    | st.sampled_from(["", "{", "NaN", '"a"', "1e999", "[" * 300, '{"a": NaN}', "null"]),
    milliseconds=st.floats() | st.integers(-5, 5),
)
def test_whatever_is_recorded_is_whole(text, result, milliseconds, tmp_path_factory, make_any) -> None:
    """What a column can't hold as it was given is proven as it is stored."""
    path = tmp_path_factory.mktemp("any") / "l.duckdb"
    make = make_any()
    with al.open_ledger(path, in_background=False) as ledger:
        ledger.record(make.response(text))
        ledger.record(make.started(arguments=result))
        ledger.record(make.finished(result=result, message=text, duration_ms=milliseconds))
    assert verify(path).faults == ()


def test_what_is_no_ledger_is_refused(tmp_path) -> None:
    """Nothing there, a text, a database of somebody else's."""
    with pytest.raises(LedgerError, match="no ledger"):
        verify(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database at all")
    with pytest.raises(NotALedgerError):
        verify(tmp_path / "text.duckdb")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("CREATE TABLE t (a INTEGER)")
    with pytest.raises(NotALedgerError):
        verify(tmp_path / "other.duckdb")


@pytest.mark.parametrize("workers", soaked([1, 2], [1]))
def test_what_comes_in_by_the_thousand_is_proven_as_the_rest(tmp_path, monkeypatch, workers) -> None:
    """Rows that DuckDB has made of an import's lines, in several links: whole as they are, and a changed one is found."""
    monkeypatch.setattr(internals, "BATCH_BYTES", 16_384)
    monkeypatch.setattr(plan_importer, "WORTH_BYTES", 0)
    path = tmp_path / "team.duckdb"
    al.import_path(SAMPLES, path, workers=workers)
    found = verify(path)
    assert found.is_whole
    assert found.links >= 3
    assert not found.unproven
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE parse_attempts SET valid_count = valid_count + 1 WHERE rowid = 7")
    assert [fault.table for fault in verify(path).faults] == ["parse_attempts"]
