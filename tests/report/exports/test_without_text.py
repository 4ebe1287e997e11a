"""What is exported without its texts holds none of them in any byte, in any form, and all the numbers."""

import json
from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries.marks import selected
from actionledger.ledger.queries.names import one_session
from actionledger.ledger.storage import memory
from actionledger.ledger.storage.copies import write_database, write_rows, write_tables
from actionledger.ledger.storage.schema import LINK, TABLES
from actionledger.report.exports.atif import trajectory
from actionledger.report.exports.otlp import traces
from actionledger.report.exports.parts import track
from actionledger.report.exports.reports import session_report

WORD = "Zaphod"
CALLS = [
    {"id": f"{WORD}-1", "type": "function", "function": {"name": "add", "arguments": json.dumps({WORD: WORD})}},
    {"id": "c2", "type": "function", "function": {"name": f"make_{WORD}", "arguments": f'{{"a": "{WORD}",}}'}},
]  # fmt: skip
TOOL = {"type": "function", "function": {"name": "add", "description": WORD, "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}}}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with the word wherever somebody could write it."""
    folder = tmp_path_factory.mktemp("written")
    with open_ledger(folder / "l.duckdb") as ledger:
        ledger.record_turn(
            "calls",
            message={"role": "assistant", "content": WORD, "tool_calls": CALLS},
            tools=[TOOL],
            results=[{"call_id": f"{WORD}-1", "output": f"Error: {WORD}", "is_error": True}],
            prompt=WORD,
            feedback=WORD,
            reasoning=WORD,
        )
        ledger.record_turn("text", f"<execute>{WORD} = '", profile="mint", prompt=WORD)
        with al.Runtime("coder", ledger=ledger, workspace=folder / "work") as runtime:
            runtime.auto = True
            runtime.handle(f"{WORD} <create_file><path>{WORD}.txt</path><content>{WORD}</content></create_file><read_file><path>no{WORD}</path></read_file>")  # fmt: skip
        al.review(ledger, "calls", 0, by="ann", comment=WORD)
    return folder / "l.duckdb"


@pytest.fixture
def bare(written):
    with open_ledger(written, read_only=True, without_text=True) as ledger:
        yield ledger


def test_a_reader_before_it_may_have_asked_for_any_table(written, monkeypatch):
    """Readers share a DuckDB one after another; without texts a table's view may be made of another table's."""
    for table in TABLES:
        monkeypatch.setattr(memory, "_kept", type(memory._kept)())
        with open_ledger(written, read_only=True) as ledger:
            ledger.sql(f"SELECT count(*) FROM {table.name}").fetchall()
        with open_ledger(written, read_only=True, without_text=True) as ledger:
            assert WORD not in str(ledger.sql("FROM turns").fetchall())


def clean(*files: Path) -> None:
    for file in files:
        assert WORD.encode() not in file.read_bytes(), file.name


def test_no_table_has_a_text_and_every_one_its_rows(bare, written) -> None:
    """Asked row by row, since a file may be compressed; what is no text is as it was."""
    with duckdb.connect(str(written), read_only=True) as plain:
        held = 0
        for table in TABLES:
            rows = bare.sql(f"SELECT * FROM {table.name}").fetchall()
            assert WORD not in repr(rows), table.name
            whole = plain.execute(f"SELECT * EXCLUDE ({LINK}) FROM {table.name}").fetchall()
            held += WORD in repr(whole)
            assert len(rows) == len(whole)
        assert held >= 8
    with open_ledger(written, read_only=True) as ledger:
        assert queries.funnel(bare) == queries.funnel(ledger)


def test_no_form_of_an_export_has_one(bare, tmp_path) -> None:
    """Rows, whole ledgers, tables, reports, spans and trajectories."""
    for what in ("sessions", "turns", "readings", "actions", "executions"):
        for form in ("csv", "jsonl", "parquet"):
            write_rows(bare, selected(what), tmp_path / f"{what}.{form}", form)
            clean(tmp_path / f"{what}.{form}")
    write_database(bare, tmp_path / "out.duckdb")
    write_tables(bare, tmp_path / "tables", "jsonl")
    clean(tmp_path / "out.duckdb", *(tmp_path / "tables").iterdir())
    with open_ledger(tmp_path / "out.duckdb", read_only=True) as again:
        assert all(WORD not in repr(again.sql(f"FROM {table.name}").fetchall()) for table in TABLES)
        assert again.verify().is_whole
    for row in queries.sessions(bare):
        said = track(bare, one_session(bare, row.session_id))
        assert WORD not in json.dumps([trajectory(said), traces([said])])
        assert WORD not in "".join(session_report(said))


def test_a_name_stays_that_somebody_has_offered(bare) -> None:
    """One that the model made up is a text of its own."""
    assert bare.sql("SELECT DISTINCT name FROM actions ORDER BY name").fetchall() == [("",), ("add",), ("create_file",), ("read_file",)]  # fmt: skip


def test_a_new_column_is_a_text_until_somebody_says_that_it_is_none() -> None:
    """The list is made of the annotations: what stays is a closed list, an identifier, a number, a time, or called a word."""
    kept = {(table.name, name) for table in TABLES for name, kind in table.columns.items() if kind in {"VARCHAR", "JSON"} and name not in table.blanks}  # fmt: skip
    assert ("turn_starts", "text") not in kept
    assert ("actions", "arguments") not in kept
    assert ("turn_starts", "model") in kept
    assert ("actions", "status") in kept


def test_what_has_no_texts_is_not_written_to(tmp_path) -> None:
    """It is a way to read."""
    with pytest.raises(UsageError, match="can only be read"):
        open_ledger(tmp_path / "l.duckdb", without_text=True)
