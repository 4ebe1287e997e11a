"""The files that a list is downloaded as."""

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Origin, Reason
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.marks import Selection, listed_turns, whole_turns_behind
from actionledger.ledger.queries.sessions import whole_sessions
from actionledger.ledger.row_files import write_rows
from actionledger.replay.failure_changes import FailureChange
from actionledger.replay.failure_groups import FailureKey
from actionledger_dashboard.components import tables
from actionledger_dashboard.components.review_week import as_rows
from actionledger_dashboard.components.tables import Column, csv_text
from actionledger_dashboard.components.wording import known


def rows_of(file: Path) -> list[dict[str, object]]:
    """Return the rows of a file by a reader of its own."""
    if file.suffix == ".csv":
        csv.field_size_limit(1 << 30)
        return list(csv.DictReader(io.StringIO(file.read_bytes().decode(), newline="")))
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    found = duckdb.sql(f"FROM '{file}'")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_file_has_the_rows_of_the_list_alone(sample: Path, tmp_path: Path, form: str) -> None:
    """As many as are counted, hostile names, line breaks and filters by what came of them included."""
    with open_ledger(sample, read_only=True) as ledger:
        for within in (Filter(), Filter(tasks=("demo",), outcomes=("failed",)), Filter(text="😀")):
            file = tmp_path / f"turns.{form}"
            count = write_rows(ledger, listed_turns(within), file, form)
            listed = queries.turns_behind(ledger, within, limit=None)
            wanted = sorted((turn.session_id, str(turn.turn_index), turn.outcome) for turn in listed)
            found = [
                (str(row["session_id"]), str(row["turn_index"]), row["outcome"]) for row in rows_of(file)
            ]
            assert count == len(wanted) == queries.count_turns_behind(ledger, within) > 0
            assert sorted(found) == wanted
            at_once = tmp_path / f"at_once.{form}"
            write_rows(ledger, Selection(*whole_turns_behind(within)), at_once, form)
            assert file.read_bytes() == at_once.read_bytes()
            assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_file_of_sessions_is_the_list(elsewhere: Path, tmp_path: Path, form: str) -> None:
    """In its order, children under their parent, with the same numbers."""
    within = Filter(text="edit")
    with open_ledger(elsewhere, read_only=True) as ledger:
        file = tmp_path / f"sessions.{form}"
        count = write_rows(ledger, Selection(*whole_sessions(within, order="worst")), file, form)
        listed = queries.sessions(ledger, within, order="worst", limit=None)
    assert count == len(listed) == 2
    found = [(row["external_id"], str(row["turns"]), str(row["meant_to_act"])) for row in rows_of(file)]
    assert found == [(row.external_id, str(row.turns), str(row.parsed.count)) for row in listed]


def test_no_cell_is_a_formula(sample: Path, tmp_path: Path) -> None:
    """A spreadsheet runs nothing that a model wrote, in CSV alone; numbers stay numbers, and a long text is counted as well."""
    texts = ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", "\r=1", "a=1", "'=1", "x" * 200_000]
    shown = " UNION ALL ".join(
        f"SELECT {place} AS place, $t{place} AS text, -1 AS number" for place in range(len(texts))
    )
    selection = Selection(f"{shown} ORDER BY 1", {f"t{place}": text for place, text in enumerate(texts)})
    with open_ledger(sample, read_only=True) as ledger:
        for form in ("csv", "jsonl"):
            assert write_rows(ledger, selection, tmp_path / f"t.{form}", form) == len(texts)
    written = rows_of(tmp_path / "t.csv")
    assert [row["text"] for row in written] == [f"'{text}" for text in texts[:6]] + texts[6:]
    assert {row["number"] for row in written} == {"-1"}
    assert [row["text"] for row in rows_of(tmp_path / "t.jsonl")] == texts


def test_a_list_that_has_become_empty_is_no_error(sample: Path, tmp_path: Path) -> None:
    """The file has its heading, and no row."""
    nobody = Filter(models=(derived_id("no such model"),))
    with open_ledger(sample, read_only=True) as ledger:
        for selection in (listed_turns(nobody), Selection(*whole_sessions(nobody))):
            assert write_rows(ledger, selection, tmp_path / "none.csv", "csv") == 0
    assert (tmp_path / "none.csv").read_text().startswith("session_id,")


def test_rows_that_are_here_already_hold_no_formula_either() -> None:
    """Numbers stay numbers; no rows are an empty file."""
    written = csv_text([{"text": "=HYPERLINK(1)", "number": -1}, {"text": "@x", "number": 2}])
    assert [row.split(",")[0] for row in written.splitlines()] == ["text", "'=HYPERLINK(1)", "'@x"]
    assert written.splitlines()[1].endswith(",-1")
    assert csv_text([{"=1+1": 1}]).startswith("'=1+1"), "a column of the SQL page is called as a link says"
    assert not csv_text([])


def test_a_sum_says_of_how_many_turns_it_is_recorded() -> None:
    """Where that is not all of them."""
    assert [known("0.2 s", of, 3) for of in (0, 2, 3)] == ["not recorded", "0.2 s (of 2)", "0.2 s"]


def test_a_link_of_no_words_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears where it leads: a session without a model has no link to all of these."""
    shown: list[dict[str, object]] = []
    monkeypatch.setattr(tables, "_mount_table", lambda key, data: shown.extend(data["columns"]))
    columns = [
        Column("Session", ["a", "b", "c"]),
        Column("Model", ["", "x", None], "name", hrefs=["?1", "?2", "?3"]),
    ]
    tables.show_table("key", "label", columns, ["?a", "?b", "?c"])
    assert [column["hrefs"] for column in shown] == [[], ["", "?2", ""]]


def test_what_became_of_failures_is_a_file() -> None:
    """A row for each group, those that are gone among them, with a turn of this week where it has one."""
    key = FailureKey("acting", Reason.NO_MATCH, "=edit", Origin.RUNTIME, "No match for #.")
    gone = FailureKey("reading", Reason.UNCLOSED_TAG, "", None, "")
    changes = [
        FailureChange(key, "grown", 1, 3, Rate(1, 57), Rate(3, 53), 0.25, 0.5, 570, 530),
        FailureChange(gone, "gone", 2, 0, Rate(2, 57), Rate(0, 53), 0.5, 1.0, 570, 530),
    ]
    found = list(csv.DictReader(io.StringIO(csv_text(as_rows(changes, [])))))
    assert [(row["became"], row["stage"], row["code"], row["action"], row["origin"]) for row in found] == [
        ("grown", "acting", "no_match", "'=edit", "runtime"),
        ("gone", "reading", "unclosed_tag", "", ""),
    ]
    assert [
        (
            row["turns_now"],
            row["of_turns_now"],
            row["sessions_now"],
            row["of_sessions_now"],
            row["p_adjusted"],
        )
        for row in found
    ] == [
        ("3", "530", "3", "53", "0.5"),
        ("0", "530", "0", "53", "1.0"),
    ]
