"""What a file and docs/ledger.md say of tables and columns."""

import re
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from actionledger.core.ids import now
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.storage.comments import column_meanings, row_meaning
from actionledger.ledger.storage.connections import STORAGE_VERSION
from actionledger.ledger.storage.schema import BOOKKEEPING, TABLES, VIEWS

FIXTURES = Path(__file__).parent / "fixtures"
UNITS = {"_ms": "millisecond", "_us": "microsecond", "_usd": "dollar", "_bytes": "byte", "_at": "UTC"}
"""What a column's comment says whose name ends so."""

# The version's own tables; quarantine has comments like any other.
OURS = {re.match(r"CREATE TABLE (\w+)", statement)[1] for statement in BOOKKEEPING} - {"quarantine"}


def comments(path: Path) -> dict[tuple[str, str], str | None]:
    """What plain DuckDB says: by table and column, and by table alone."""
    with duckdb.connect(str(path), read_only=True) as plain:
        columns = "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
        found = {(table, column): said for table, column, said in plain.execute(columns).fetchall()}
        names = (
            "SELECT table_name, comment FROM duckdb_tables() UNION ALL "
            "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"
        )
        return found | {(table, ""): said for table, said in plain.execute(names).fetchall()}


@pytest.fixture(scope="module")
def blank(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("blank") / "x.duckdb"
    open_ledger(path).close()
    return path


def test_every_table_and_column_says_what_it_is(blank) -> None:
    """To any tool that opens the file, views included; what has a unit says it."""
    found = comments(blank)
    assert len(found) > 300
    assert [key for key, said in found.items() if not said and key[0] not in OURS] == []
    for (table, column), said in found.items():
        unit = next((unit for end, unit in UNITS.items() if column.endswith(end) and table not in OURS), "")
        assert unit in (said or ""), (table, column, said)


def test_an_older_ledger_gets_them_when_it_is_brought_up_to_date(blank, tmp_path) -> None:
    """The same ones."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": STORAGE_VERSION}) as old:
        old.execute((FIXTURES / "version_4.sql").read_text(encoding="utf-8"))
    open_ledger(path).close()
    assert comments(path) == comments(blank)


def test_a_ledger_says_when_it_was_made(tmp_path) -> None:
    """Each its own time, though their tables are made once."""
    made = []
    for name in ("a", "b"):
        with open_ledger(tmp_path / f"{name}.duckdb") as ledger:
            [[at]] = ledger.sql("SELECT created_at FROM meta").fetchall()
        made.append(at)
    assert now() - timedelta(minutes=5) < made[0] < made[1] <= now()


def test_the_tables_are_told_with_how_many_rows_they_have(path, make) -> None:
    """Of what starts and ends the view; what is not published yet counts."""
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.response())
        ledger.flush()
        found = {table.name: table for table in queries.tables(ledger)}
        assert VIEWS.keys() < found.keys()
        assert not [name for name in found if name.endswith(("_starts", "_ends"))]
        assert (found["turns"].rows, found["actions"].rows) == (1, 0)
        for name, table in found.items():
            described = [row[:2] for row in ledger.sql(f"DESCRIBE {name}").fetchall()]
            assert [(column.name, column.sql_type) for column in table.columns] == described


def test_what_there_is_not_has_no_words() -> None:
    assert (row_meaning("nothing"), column_meanings("nothing")) == ("", {})


DOCUMENT = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")


def test_every_table_that_people_read_is_described():
    """The table of tables names all views and tables but those that a view joins."""
    described = set(re.findall(r"^\| `(\w+)` \|", DOCUMENT, re.MULTILINE))
    halves = {table.name for table in TABLES if table.name.endswith(("_starts", "_ends", "_details"))}
    assert described == {table.name for table in TABLES} - halves | set(VIEWS) | {"quarantine"}


def test_every_question_can_be_asked(tmp_path):
    """Each statement of the document runs on a ledger."""
    questions = ";".join(re.findall(r"```sql\n(.*?)```", DOCUMENT, re.DOTALL)).split(";\n")
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        for question in filter(str.strip, questions):
            ledger.sql(question).fetchall()
