"""Tables and the files that they are downloaded as."""

import csv
import io
from pathlib import Path

from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter, Mark
from actionledger_dashboard.components.tables import csv_text


def test_a_file_has_a_row_for_each_turn_of_the_filter(sample: Path) -> None:
    """As many as are counted, hostile names and line breaks among them."""
    with open_ledger(sample, read_only=True) as ledger:
        for within, mark in ((Filter(), Mark()), (Filter(tasks=("demo",)), Mark(outcomes=("failed",)))):
            found = queries.turns_behind(ledger, within, mark, limit=None)
            written = csv_text({"name": row.external_id, "snippet": row.snippet} for row in found)
            rows = list(csv.DictReader(io.StringIO(written)))
            assert len(rows) == queries.count_turns_behind(ledger, within, mark) > 0
            assert [row["snippet"] for row in rows] == [row.snippet for row in found]


def test_no_cell_is_a_formula() -> None:
    """A spreadsheet runs nothing that a model wrote; numbers stay numbers."""
    written = csv_text([{"text": "=HYPERLINK(1)", "number": -1}, {"text": "@x", "number": 2}])
    assert [row.split(",")[0] for row in written.splitlines()] == ["text", "'=HYPERLINK(1)", "'@x"]
    assert written.splitlines()[1].endswith(",-1")


def test_no_rows_are_an_empty_file() -> None:
    """A list that has become empty meanwhile is no error."""
    assert not csv_text([])
