"""``export``: what is written, what is refused, and that nothing else is touched."""

import json

import duckdb
import pytest

from actionledger.ledger import open_ledger, queries


@pytest.mark.parametrize(("what", "count"), [("sessions", 3), ("turns", 6), ("readings", 6)])
def test_rows_are_written_in_the_form_of_the_name(run, recorded, tmp_path, what, count):
    """And said; the ledger's own count is the file's."""
    for suffix, rows in (
        ("parquet", f"'{tmp_path}/{what}.parquet'"),
        ("jsonl", f"'{tmp_path}/{what}.jsonl'"),
    ):
        done = run("export", "rows", what, f"{what}.{suffix}", "--ledger", recorded)
        assert (done.code, done.out) == (0, "")
        assert f"{count} rows written" in done.err
        assert duckdb.sql(f"SELECT count(*) FROM {rows}").fetchall() == [(count,)]


def test_a_filter_narrows_rows_and_sessions(run, recorded, tmp_path):
    """The same one for both; a session comes whole."""
    run("export", "rows", "turns", "t.csv", "--profile", "coder", "--ledger", recorded)
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 2
    done = run("export", "sessions", "c.duckdb", "--profile", "coder", "--ledger", recorded)
    assert done.err.startswith("1 session, ")
    with open_ledger(tmp_path / "c.duckdb", read_only=True) as ledger:
        assert [row.external_id for row in queries.sessions(ledger)] == ["c"]


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_folder_of_tables_becomes_a_ledger_again(run, recorded, tmp_path, form):
    assert run("export", "sessions", "out", "--tables", form, "--ledger", recorded).code == 0
    assert run("export", "restore", "out", "again.duckdb").code == 0
    with (
        open_ledger(tmp_path / "again.duckdb", read_only=True) as again,
        open_ledger(recorded, read_only=True) as before,
    ):
        assert queries.funnel(again) == queries.funnel(before)
        assert queries.sessions(again) == queries.sessions(before)


def test_a_session_is_a_report_spans_and_a_trajectory(run, recorded, tmp_path):
    """Each in one file, for its owner alone."""
    for command, name in (("report", "r.html"), ("otlp", "o.json"), ("atif", "a.json")):
        assert run("export", command, name, "--session", "a", "--ledger", recorded).code == 0
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert "<script" not in (tmp_path / "r.html").read_text()
    assert len(json.loads((tmp_path / "a.json").read_text())["steps"]) >= 3
    assert json.loads((tmp_path / "o.json").read_text())["resourceSpans"]


def test_texts_are_left_out_where_asked(run, sentence, recorded, tmp_path):
    """With every form; a filter that looks for one is refused with them."""
    for command in (("rows", "turns", "t.csv"), ("report", "r.html", "-s", "a"), ("otlp", "o.json", "-s", "a"), ("atif", "a.json", "-s", "a")):  # fmt: skip
        assert run("export", *command, "--without-text", "--ledger", recorded).code == 0
    with open_ledger(recorded, read_only=True) as ledger:
        texts = [text for (text,) in ledger.sql("SELECT text FROM turns WHERE length(text) > 20").fetchall()]
    assert texts
    for name in ("t.csv", "r.html", "o.json", "a.json"):
        assert not any(text in (tmp_path / name).read_text() for text in texts)
    assert "give one of them" in sentence(
        "export", "rows", "turns", "u.csv", "--text", "a", "--without-text", "--ledger", recorded
    )


def test_a_comparison_is_a_report(run, recorded, tmp_path):
    """Of a run's readings beside the first ones."""
    copy = tmp_path / "copy.duckdb"
    run("export", "sessions", "copy.duckdb", "--ledger", recorded)
    run("replay", "--parser", "auto", "--profile", "coder", "--ledger", copy)
    with open_ledger(copy, read_only=True) as ledger:
        again = next(each.run_id for each in queries.runs(ledger) if str(each.kind) == "reparse")
    assert run("export", "report", "c.html", "--compare", again, "--ledger", copy).code == 0
    assert "Two readings of the same turns" in (tmp_path / "c.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rows", "tables", "x.csv"), "is nothing that can be exported; choose one of sessions, turns"),
        (("rows", "turns", "x.txt"), "says no format; name it .parquet, .csv or .jsonl"),
        (("rows", "turns", "nowhere/x.csv"), "give a file"),
        (("report", "x.html"), "Give one of --session and --compare."),
        (("report", "x.html", "--session", "nobody"), "nobody"),
        (("atif", "x.json", "--session", "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_exported_is_a_sentence(sentence, recorded, tmp_path, arguments, said):
    assert said in sentence("export", *arguments, "--ledger", recorded)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_unless_it_is_said(run, sentence, recorded, tmp_path):
    """--force replaces a file of rows or a report."""
    file = tmp_path / "t.csv"
    file.write_text("mine")
    assert "already exists; --force" in sentence("export", "rows", "turns", "t.csv", "--ledger", recorded)
    assert file.read_text() == "mine"
    assert run("export", "rows", "turns", "t.csv", "--force", "--ledger", recorded).code == 0
    assert file.read_text().startswith("run_id,")
