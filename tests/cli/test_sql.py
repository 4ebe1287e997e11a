"""``sql``: one statement that reads, its rows in every format, and nothing beyond it."""

import csv
import io
import json
import os
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from actionledger.cli.sql import Format, write_answer
from actionledger.ledger.guarding.guard import Answer

ROWS = "SELECT * FROM (VALUES (1, 'a'), (2, 'b\n\"c\"'), (3, NULL)) AS t(n, text) ORDER BY n"


def test_csv_is_read_back(run, recorded):
    """By another reader than our own; what is null is empty."""
    out = run("sql", ROWS, "-l", recorded, "--format", "csv").out
    assert list(csv.reader(io.StringIO(out))) == [["n", "text"], ["1", "a"], ["2", 'b\n"c"'], ["3", ""]]


def test_no_text_in_csv_is_a_formula(run, recorded):
    """Nor is a column's name; numbers stay numbers."""
    out = run("sql", "SELECT -1 AS n, '=1' AS \"@x\", '-1' AS text", "-l", recorded, "--format", "csv").out
    assert list(csv.reader(io.StringIO(out))) == [["n", "'@x", "text"], ["-1", "'=1", "'-1"]]


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_a_terminal_is_not_steered_and_a_file_is_exact(run, recorded, tmp_path, form):
    """In a name, a text, over lines, and with blanks at the end: a terminal shows them, what reads a file gets them as they are."""
    hostile = "\x1b[31mred\x07\x9b2J\rover\x7f \u202e\n\x1b[2Jlines  "
    names, row = ("n\x1b]0;t\x07",), (hostile,)
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        write_answer(Answer(names, iter([row])), Format(form), terminal)
    pieces = []
    with suppress(OSError):  # a terminal that nobody writes to any more ends in an error
        while piece := os.read(ours, 10_000):
            pieces.append(piece)
    os.close(ours)
    shown = b"".join(pieces).decode()
    assert not set(shown) & set("\x1b\x07\x9b\x7f\u202e")
    assert "[31mred" in shown
    assert "lines  " in shown
    file = tmp_path / "exact"
    with file.open("w", encoding="utf-8", newline="") as stream:
        write_answer(Answer(names, iter([row])), Format(form), stream)
    text = file.read_bytes().decode()
    read = list(csv.reader(io.StringIO(text, newline=""))) if form == "csv" else json.loads(text)
    assert (
        read == {"csv": [[*names], [*row]], "json": [{names[0]: hostile}], "jsonl": {names[0]: hostile}}[form]
    )


def test_json_lines_are_read_back(run, recorded):
    """An object a row."""
    out = run("sql", ROWS, "-l", recorded, "-f", "jsonl").out
    assert [json.loads(line) for line in out.splitlines()] == [
        {"n": 1, "text": "a"},
        {"n": 2, "text": 'b\n"c"'},
        {"n": 3, "text": None},
    ]


def test_json_of_nothing_is_an_empty_list(run, recorded):
    """And JSON lines of nothing are nothing."""
    none = "SELECT 1 AS x WHERE false"
    assert run("sql", none, "-l", recorded, "--json").value == []
    assert run("sql", none, "-l", recorded, "-f", "jsonl").out == ""
    assert run("sql", none, "-l", recorded).out.split() == ["x"]


def test_columns_of_one_name_are_both_there(run, recorded):
    """The second gets a number; none is lost to the other."""
    assert run("sql", "SELECT 1 AS a, 2 AS a", "-l", recorded, "--json").value == [{"a": 1, "a_1": 2}]


def test_rows_below_each_other(run, recorded):
    """A line a value."""
    assert run("sql", "SELECT 1 AS a, 'x y' AS longer", "-l", recorded, "-f", "vertical").out == (
        "a       1\nlonger  x y\n"
    )


@pytest.mark.parametrize("name", ["o.csv", "o.json", "o.jsonl", "o.parquet"])
def test_an_output_is_the_only_file(run, recorded, tmp_path, name):
    """Its name says the format; another reader finds the same rows in it."""
    before = sorted(recorded.parent.rglob("*"))
    done = run("sql", ROWS, "-l", recorded, "--output", name)
    assert (done.code, done.out) == (0, "")
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert sorted(recorded.parent.rglob("*")) == before
    reader = {"o.csv": "read_csv", "o.parquet": "read_parquet"}.get(name, "read_json")
    with duckdb.connect() as connection:
        assert connection.execute(f"SELECT n, text FROM {reader}('{tmp_path / name}')").fetchall() == [
            (1, "a"),
            (2, 'b\n"c"'),
            (3, None),
        ]


def test_an_output_that_is_there_stays_unless_it_may_be_replaced(run, sentence, recorded, tmp_path):
    """A statement that fails half-way leaves it as it was, too."""
    (tmp_path / "o.csv").write_text("mine")
    assert "--force replaces it" in sentence("sql", "SELECT 1", "-l", recorded, "-o", "o.csv")
    fails = "SELECT (CASE range WHEN 3000 THEN 'x' ELSE '1' END)::INT FROM range(4000)"
    assert "can't be run" in sentence("sql", fails, "-l", recorded, "-o", "o.csv", "--force")
    assert (tmp_path / "o.csv").read_text() == "mine"
    assert run("sql", "SELECT 1 AS x", "-l", recorded, "-o", "o.csv", "--force").code == 0
    assert (tmp_path / "o.csv").read_text() == "x\n1\n"
    assert [file.name for file in tmp_path.iterdir()] == ["o.csv"]


def test_without_a_statement_the_tables_are_listed(run, recorded):
    """And a table's name lists its columns, with their units; a program gets both."""
    done = run("sql", "-l", recorded)
    [turns] = [line for line in done.out.splitlines() if line.startswith("turns ")]
    [counted] = run("sql", "SELECT count(*) AS n FROM turns", "-l", recorded, "--json").value
    assert turns.split()[1] == str(counted["n"])
    done = run("sql", "executions", "-l", recorded)
    [duration] = [line for line in done.out.splitlines() if line.startswith("duration_ms ")]
    assert "DOUBLE" in duration
    assert "milliseconds" in duration
    found = {table["name"]: table for table in run("sql", "--json", "-l", recorded).value}
    assert run("sql", "executions", "--json", "-l", recorded).value == found["executions"]


def test_the_statement_comes_from_where_it_is(run, recorded, tmp_path):
    """The argument, the standard input, a file."""
    (tmp_path / "q.sql").write_text("SELECT 7 AS x -- the last line is a comment")
    for arguments in (("SELECT 7 AS x;",), ("-",), ("--file", "q.sql")):
        assert run("sql", *arguments, "-l", recorded, "--json", stdin="SELECT 7 AS x\n;\n").value == [
            {"x": 7}
        ]
    assert run("sql", "--file", "q.sql", "-l", recorded, "-o", "o.parquet").code == 0


@pytest.mark.parametrize(
    "query",
    ["FROM turns", "DESCRIBE turns", "SHOW TABLES", "SUMMARIZE actions", "EXPLAIN SELECT 1", "VALUES (1)", "TABLE runs",
     "PIVOT (SELECT outcome, 1 AS n FROM parse_attempts) ON outcome USING sum(n)", "WITH a AS (SELECT 1) FROM a"],
)  # fmt: skip
def test_what_reads_is_run(run, recorded, query):
    """In all the forms that DuckDB has for it."""
    assert run("sql", query, "-l", recorded, "--json").code == 0


@pytest.mark.parametrize(
    "query",
    ["INSERT INTO turn_starts VALUES (1)", "CREATE TABLE x (a INT)", "DROP VIEW turns", "ATTACH 'x.duckdb'", "USE base",
     "COPY (SELECT 1) TO 'x.csv'", "SET memory_limit = '9GB'", "INSTALL httpfs", "LOAD httpfs", "PRAGMA version", "CHECKPOINT",
     "SELECT 1; SELECT 2", "DELETE FROM turn_starts", "CALL pragma_version()", "EXPORT DATABASE 'x'", "PREPARE p AS SELECT 1",
     "FROM read_text('log.jsonl')", "FROM 'log.jsonl'", "FROM glob('*')", "FROM read_csv('https://127.0.0.1:9/x.csv')",
     "EXPLAIN ANALYZE COPY (SELECT 1) TO 'x.csv'", "FROM connection", "WITH x AS (DELETE FROM turn_starts RETURNING *) FROM x"],
)  # fmt: skip
def test_what_reaches_further_is_refused(sentence, recorded, log, query):
    """Writing, settings, files, the network, names of this program: one sentence, and nothing is changed."""
    before = recorded.read_bytes()
    assert sentence("sql", query, "-l", recorded)
    assert recorded.read_bytes() == before
    assert list(log.parent.iterdir()) == [log]


def test_files_beside_the_temporary_ones_are_out_of_reach(sentence, recorded, tmp_path):
    """What spills into a folder for temporary files takes no other file of that folder along."""
    (tmp_path / "secret.txt").write_text("secret")
    assert "can't be run" in sentence("sql", f"FROM read_text('{tmp_path / 'secret.txt'}')", "-l", recorded)


@pytest.mark.parametrize(
    "query", ["now()", "current_date", "current_timestamp", "now() - INTERVAL 1 DAY", "[now()]"]
)
def test_it_knows_what_time_it_is(run, recorded, query):
    """In UTC, without a further package or extension."""
    [row] = run("sql", f"SELECT {query} AS x", "-l", recorded, "--json").value
    assert "20" in str(row["x"])
    assert run("sql", f"SELECT {query} AS x", "-l", recorded, "-o", "x.parquet").code == 0


def test_a_statement_has_its_time(sentence, recorded):
    """One that would run for hours is stopped, while it counts and while its rows are fetched."""
    for query in (
        "SELECT count(*) FROM range(100000000000) WHERE hash(range) % 7 = 1",
        "FROM range(100000000000)",
    ):
        said = sentence("sql", query, "-l", recorded, "-f", "csv", "-o", "x.csv", "--timeout", "0.3")
        assert "took longer than 0.3 seconds" in said
    assert not Path("x.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("SELECT 1", "--file", "q.sql"), "Give one statement"),
        (("--file", "none.sql"), "can't be read"),
        (("SELECT 1", "-f", "parquet"), "give --output FILE"),
        (("SELECT 1", "--json", "-f", "csv"), "say two things"),
        (("SELECT 1", "-o", "x.xyz"), "ends as none of the formats"),
        (("SELECT 1", "-o", "."), "is a folder"),
        (("SELECT 1", "-o", "none/x.csv"), "there is no 'none'"),
        ((" ",), "here is no statement"),
        (("turn",), "There is no table 'turn'. Did you mean 'turns'? Known: actions, "),
        (("CHECKPOINT",), "a ledger is asked, not changed"),
        (("SELECT 1; SELECT 2",), "here is 2 statements"),
    ],
)
def test_wrong_use_is_one_sentence(sentence, recorded, arguments, said):
    assert said in sentence("sql", *arguments, "-l", recorded)
