"""The files of lists: their labels, and why one could not be made."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries.marks import Selection, listed_turns
from actionledger.ledger.queries.sessions import whole_sessions
from actionledger.ledger.row_files import write_rows

SESSIONS, TURNS = "views/sessions.py", "views/turns.py"


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger whose sessions and turns have labels: both, one of the two, none; the same twice, and one that would be a formula."""
    path = tmp_path_factory.mktemp("labels") / "labelled.duckdb"
    turns = tuple(RecordedTurn(number, "Nothing to do.") for number in range(3))
    filed = {"both": ("nightly", "=1+1", "flaky"), "filed": ("nightly",), "given": (), "none": ()}
    items = [RecordedSession(name, None, "m", "", turns, labels=labels) for name, labels in filed.items()]
    with open_ledger(path) as ledger:
        import_sessions(ledger, items, source="chatlog", origin="theirs.jsonl")
    with open_ledger(path) as ledger:
        ids = {row.external_id: row.session_id for row in queries.sessions(ledger)}
        for name, turn, label in (
            ("both", 2, "early"), ("both", 1, "zoo"), ("both", 0, "flaky"), ("given", 1, "flaky"), ("given", 1, "a, b"),
        ):  # fmt: skip
            al.review(ledger, ids[name], turn, by="ann", label=label)
    return path


def labels_in(file: Path) -> list[tuple[str, str, str]]:
    """Return of each row of a file which it is, and its labels as a list shows them."""
    if file.suffix == ".csv":  # DuckDB's own reader knows how it writes a list
        found = duckdb.sql(f"FROM read_csv('{file}', types={{'labels': 'VARCHAR[]'}})")
    else:
        found = duckdb.sql(
            f"FROM '{file}'"
            if file.suffix == ".parquet"
            else f"FROM read_json('{file}', columns={{external_id: 'VARCHAR', turn_index: 'INTEGER', labels: 'VARCHAR[]'}})"
        )
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    return [(row["external_id"], str(row.get("turn_index")), ", ".join(row["labels"])) for row in rows]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_file_has_the_labels_of_its_list(
    open_page: Callable[..., AppTest],
    drawn: Callable[[AppTest, str], dict[str, Any]],
    labelled: Path,
    tmp_path: Path,
    form: Any,
) -> None:
    """Cell by cell: first what a session is filed under, then what people say of its turns, each once."""
    for page, selection in ((SESSIONS, Selection(*whole_sessions())), (TURNS, listed_turns())):
        file = tmp_path / f"list.{form}"
        with open_ledger(labelled, read_only=True) as ledger:
            count = write_rows(ledger, selection, file, form)
        table = drawn(open_page(labelled, page), "table")
        places = {column["label"]: place for place, column in enumerate(table["columns"])}
        shown = [
            (
                row[places["Session"]],
                str(row[places["Turn"]]) if page == TURNS else "None",
                row[places["Labels"]],
            )
            for row in table["rows"]
        ]
        found = labels_in(file)
        if page == SESSIONS:
            found = [(name, "None", labels) for name, _, labels in found]
        assert count == len(shown) == (4 if page == SESSIONS else 12)
        assert sum(bool(labels) for _, _, labels in shown) == (3 if page == SESSIONS else 7)
        assert sorted(found) == sorted(shown)
