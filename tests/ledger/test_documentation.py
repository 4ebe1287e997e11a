"""docs/ledger.md says what is there."""

import re
from pathlib import Path

from actionledger.ledger import open_ledger
from actionledger.ledger.storage.schema import TABLES, VIEWS

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
