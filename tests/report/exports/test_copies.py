"""Out and in again: every row, column and character of every table, and nothing of anybody else."""

import csv
import json
from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger import queries
from actionledger.ledger.queries.marks import selected
from actionledger.ledger.storage import copies
from actionledger.ledger.storage.copies import read_tables, write_database, write_rows, write_tables
from actionledger.ledger.storage.schema import LINK, TABLES


def contents(file: Path) -> dict[str, list[tuple]]:
    """Return every row of every table by plain DuckDB, in an order of their own."""
    with duckdb.connect(str(file), read_only=True) as connection:
        return {
            table.name: sorted(
                connection.execute(f"SELECT * EXCLUDE ({LINK}) FROM {table.name}").fetchall(), key=repr
            )
            for table in TABLES
        }


def test_one_database_is_the_ledger_again(ledger, path, tmp_path):
    """The same rows, and one file alone; a ledger that can be asked and gone on with."""
    counts = write_database(ledger, tmp_path / "out.duckdb")
    assert [each.name for each in tmp_path.iterdir()] == ["out.duckdb"]
    assert contents(tmp_path / "out.duckdb") == contents(path)
    assert counts == {name: len(rows) for name, rows in contents(path).items()}
    with al.open_ledger(tmp_path / "out.duckdb") as again:
        assert queries.funnel(again) == queries.funnel(ledger)
        assert queries.failure_costs(again) == queries.failure_costs(ledger)
        with al.Runtime("assistant", ledger=again) as runtime:
            runtime.handle("Hello.")


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_tables_are_read_again_without_a_loss(ledger, path, tmp_path, form):
    """A file a table, and back: NUL, line separators, marks that turn text round, numbers beyond a double, microseconds."""
    counts = write_tables(ledger, tmp_path / "out", form)
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == sorted(
        f"{table.name}.{form}" for table in TABLES
    )
    assert read_tables(tmp_path / "out", tmp_path / "again.duckdb") == counts
    assert contents(tmp_path / "again.duckdb") == contents(path)


def test_tables_of_an_older_toolkit_are_read_without_the_ones_that_came_later(ledger, tmp_path):
    """Their ledger has those, and nothing in them."""
    counts = write_tables(ledger, tmp_path / "out", "jsonl")
    (tmp_path / "out/session_details.jsonl").unlink()
    assert read_tables(tmp_path / "out", tmp_path / "again.duckdb") == counts | {"session_details": 0}


def test_some_sessions_are_all_of_them_and_nothing_of_others(ledger, path, tmp_path):
    """With their runs, parsers, tools and results; every count is the whole's, restricted."""
    [kid] = [row.session_id for row in queries.sessions(ledger) if row.external_id == "kid"]
    write_database(ledger, tmp_path / "out.duckdb", [kid])
    whole, some = contents(path), contents(tmp_path / "out.duckdb")
    for table in TABLES:
        assert set(map(repr, some[table.name])) <= set(map(repr, whole[table.name]))
    assert len(some["turn_starts"]) == len(some["execution_starts"]) == len(some["execution_ends"]) == 1
    assert (len(some["tools"]), len(some["session_starts"])) == (1, 1)
    with al.open_ledger(tmp_path / "out.duckdb", read_only=True) as again:
        assert queries.turn(again, kid, 0) == queries.turn(ledger, kid, 0)
    assert write_tables(ledger, tmp_path / "none", "jsonl", [])["turn_starts"] == 0


def test_what_is_there_is_not_overwritten(ledger, tmp_path):
    """Neither a file nor a folder with something in it; and a folder without a table is named."""
    there = tmp_path / "there.duckdb"
    there.write_text("mine")
    with pytest.raises(LedgerError, match="already exists"):
        write_database(ledger, there)
    with pytest.raises(LedgerError, match="is not empty"):
        write_tables(ledger, tmp_path, "jsonl")
    with pytest.raises(LedgerError, match="no file of the table"):
        read_tables(tmp_path, tmp_path / "new.duckdb")
    assert [each.name for each in tmp_path.iterdir()] == ["there.duckdb"]
    assert there.read_text() == "mine"


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("what", ["sessions", "turns", "readings", "actions", "executions"])
def test_rows_are_exactly_those_that_a_filter_selects(ledger, tmp_path, what, form):
    """As many as are counted in the file by another reader, and of no other model."""
    file = tmp_path / f"rows.{form}"
    within = queries.Filter(models=("big",))
    count = write_rows(ledger, selected(what, within), file, form)
    if form == "parquet":
        found = duckdb.sql(f"SELECT model FROM '{file}'").fetchall()
    elif form == "csv":
        found = [(row["model"],) for row in csv.DictReader(file.open(newline=""))]
    else:
        found = [(json.loads(line)["model"],) for line in file.read_bytes().split(b"\n") if line]
    assert found == [("big",)] * count
    assert count == {"sessions": 1}.get(what, 3)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            'Async write failed: {"exception_message":"No space left on device","errno":"28"}',
            "the disk is full, .* make room",
        ),
        ("Could not read\nit goes on", "IO Error: Could not read\\.$"),
    ],
)
def test_why_a_file_can_t_be_written_is_a_sentence(ledger, tmp_path, monkeypatch, said, why):
    """With what to do where that is known; nothing is left of it, and what was there before stays."""

    def failing(file, form):
        assert (file.stat().st_mode & 0o777, form) == (0o600, "csv")
        raise duckdb.IOException(f"IO Error: {said}")

    monkeypatch.setattr(copies, "count_rows", failing)
    (tmp_path / "t.csv").write_text("before")
    with pytest.raises(LedgerError, match=f"The file .*t.csv can't be written: {why}"):
        write_rows(ledger, selected("turns"), tmp_path / "t.csv", "csv")
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == "before"


def test_a_mark_selects_the_rows_that_its_page_shows(ledger, tmp_path):
    """As the dashboard's page of turns counts them."""
    mark = queries.Mark(stage="acting", origin="recorded")
    count = write_rows(ledger, selected("turns", mark=mark), tmp_path / "t.jsonl", "jsonl")
    assert count == queries.count_turns_behind(ledger, mark=mark) == 2


def test_only_what_there_is_is_selected(ledger):
    """The name stands in no statement."""
    with pytest.raises(UsageError, match="choose one of sessions, turns"):
        selected("turns; DROP TABLE turns")
