"""``import`` and ``ingest``: what can be read is taken in, and the rest is named."""

import gzip
import json
from pathlib import Path

import pytest

from actionledger.cli.importing import SHOWN_REFUSALS
from actionledger.ledger import open_ledger

MINT = {
    "state": {
        "history": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "<solution>4</solution>"},
        ],
        "success": True,
    },
    "task": {"task_name": "math", "task_id": 7},
}


def turns(path: Path) -> list[tuple]:
    with open_ledger(path, read_only=True) as ledger:
        query = "SELECT external_id, t.turn_index, t.profile FROM turns t JOIN sessions s USING (session_id) ORDER BY 1, 2"
        return ledger.sql(query).fetchall()


def test_a_file_is_taken_in(run, log, tmp_path):
    """The counts are said, and what to do next."""
    done = run("import", "jsonl", log, "-l", "team.duckdb")
    assert (done.code, done.err) == (0, "")
    assert "3 sessions with 6 new turns taken in; 0 turns were there already; 0 lines refused." in done.out
    assert "Next: actionledger report --ledger team.duckdb" in done.out
    assert len(turns(tmp_path / "team.duckdb")) == 6


def test_a_second_time_everything_is_known(run, log):
    """Nothing is doubled, and that is no error."""
    run("import", "jsonl", log, "-l", "team.duckdb")
    done = run("import", "jsonl", log, "-l", "team.duckdb")
    assert done.code == 0
    assert "0 sessions with 0 new turns taken in; 6 turns were there already" in done.out


def test_refused_lines_have_their_own_exit_code(run, tmp_path):
    """Each is named with its file, line and reason, as text; the others are taken in."""
    lines = (
        b'{"session": "s", "text": "a"}',
        b"[bold]oops[/nope]",
        b'{"session": "s"}',
        b'{"session": "s", "text": "b"}',
    )
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(lines))
    done = run("import", "jsonl", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert "1 session with 2 new turns taken in; 0 turns were there already; 2 lines refused." in done.out
    assert "refused log.jsonl:2: The line is no JSON" in done.err
    assert "refused log.jsonl:3: The field 'text': Field required." in done.err
    assert len(turns(tmp_path / "team.duckdb")) == 2


def test_a_turn_with_another_text_is_told(run, tmp_path):
    """Apart from what was there already, by its session and place; what was recorded first is kept, and the exit code says so."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"session": "s", "text": "a"}\n{"session": "s", "text": "b"}\n')
    run("import", "jsonl", "log.jsonl", "-l", "team.duckdb")
    texts = ("other", "b", "c")
    path.write_text("\n".join(json.dumps({"session": "s", "text": text}) for text in texts))
    done = run("import", "jsonl", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert (
        "1 session with 1 new turn taken in; 1 turn was there already; 1 turn has other content under the same id, and what was "
        "recorded first is kept; 0 lines refused." in done.out
    )
    assert (
        "not taken log.jsonl: s#0: other content under the same id; what was recorded first is kept."
        in done.err
    )
    kept = run("sql", "FROM turns SELECT text ORDER BY turn_index", "-l", "team.duckdb", "--json").value
    assert [row["text"] for row in kept] == ["a", "b", "c"]


def test_a_flood_of_refusals_is_cut_and_kept(run, tmp_path):
    """The rest is in the ledger, and the printed command finds it."""
    (tmp_path / "log.jsonl").write_text('{"session": "s", "text": "a"}\n' + "oops\n" * (SHOWN_REFUSALS + 5))
    done = run("import", "jsonl", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert done.err.count("refused log.jsonl:") == SHOWN_REFUSALS
    assert "… and 5 more: actionledger sql -l team.duckdb" in done.err
    kept = run("sql", "-l", "team.duckdb", "FROM events WHERE code = 'line_refused'", "--json").value
    assert len(kept) == SHOWN_REFUSALS + 5


def test_a_hostile_line_changes_no_terminal(run, tmp_path):
    """A refusal may quote it, with escapes made visible."""
    hostile = "\x1b[31m\x9b[bold]x[/nope]"
    (tmp_path / "log.jsonl").write_text(json.dumps({"session": "s", "text": "a", "profile": hostile}))
    done = run("import", "jsonl", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert "[bold]x[/nope]" in done.err
    assert not set(done.out + done.err) & {"\x1b", "\x9b"}


def test_the_profile_of_lines_that_name_none(run, tmp_path):
    """It is the assistant's unless given; lines that name one keep it."""
    (tmp_path / "log.jsonl").write_text(
        '{"session": "a", "text": "x"}\n{"session": "b", "text": "x", "profile": "reasoner"}'
    )
    run("import", "jsonl", "log.jsonl", "-l", "team.duckdb", "--profile", "coder")
    assert turns(tmp_path / "team.duckdb") == [("a", 0, "coder"), ("b", 0, "reasoner")]


def test_sessions_of_two_sources_are_kept_apart(run, log, tmp_path):
    """By the file's name, or as the source is called."""
    (tmp_path / "other.jsonl").write_bytes(log.read_bytes())
    run("import", "jsonl", log, "-l", "team.duckdb")
    assert "3 sessions with 6 new turns" in run("import", "jsonl", "other.jsonl", "-l", "team.duckdb").out
    assert (
        "6 turns were there already"
        in run("import", "jsonl", "other.jsonl", "-l", "team.duckdb", "--source", "log").out
    )


def test_a_gzipped_file_is_taken_in(run, log, tmp_path):
    """Its name says so; it is the same source."""
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(log.read_bytes()))
    run("import", "jsonl", "log.jsonl.gz", "-l", "team.duckdb")
    assert "6 turns were there already" in run("import", "jsonl", log, "-l", "team.duckdb").out


def test_a_folder_of_mints_recordings_is_taken_in(run, tmp_path):
    """Every file below it; the folders name the model."""
    for model in ("one", "two"):
        folder = tmp_path / "mint" / model / "F=None" / "max5" / "reasoning" / "math"
        folder.mkdir(parents=True)
        (folder / "results.jsonl.gz").write_bytes(gzip.compress(json.dumps(MINT).encode()))
    done = run("import", "mint", "mint", "-l", "team.duckdb")
    assert done.code == 0
    assert "2 sessions with 2 new turns taken in" in done.out
    with open_ledger(tmp_path / "team.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT model, task FROM sessions ORDER BY 1").fetchall() == [
            ("one", "math"),
            ("two", "math"),
        ]


def test_the_ledger_can_be_named_by_the_environment(run, log, tmp_path, monkeypatch):
    """So that it need not be written every time."""
    monkeypatch.setenv("ACTIONLEDGER_LEDGER", "named.duckdb")
    run("import", "jsonl", log)
    assert len(turns(tmp_path / "named.duckdb")) == 6


def test_a_hostile_name_of_a_ledger_is_text(run, log):
    """What looks like markup in a path is part of the path."""
    done = run("import", "jsonl", log, "-l", "[bold]x[ /nope].duckdb")
    assert done.code == 0
    assert "--ledger [bold]x[ /nope].duckdb" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "jsonl", "missing.jsonl"), "There is no file 'missing.jsonl' to take in."),
        (("import", "missing.jsonl"), "There is no file 'missing.jsonl' to take in."),
        (("import", "jsonl", "log.jsonl", "-p", "asistant"), "Did you mean 'assistant'?"),
        (("import", "mint", "missing"), "No results.jsonl"),
        (("import", "mint", "."), "No results.jsonl"),
        (("import", "jsonl", "log.jsonl", "-l", "log.jsonl"), "is no DuckDB database"),
        (("import", "jsonl", "log.jsonl", "-l", "."), "is a folder"),
        (("ingest", "-l", "log.jsonl"), "is no DuckDB database"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(sentence, log, arguments, said):
    """With exit code 1 and without a traceback; no ledger is made, and what was taken for one stays as it was."""
    before = log.read_bytes()
    assert said in sentence(*arguments)
    assert log.read_bytes() == before
    assert list(log.parent.iterdir()) == [log]


def test_a_file_that_breaks_off_is_taken_in_so_far(run, tmp_path):
    """The break is a refused line."""
    data = gzip.compress(b"".join(b'{"session": "%d", "text": "x"}\n' % n for n in range(2000)))
    (tmp_path / "log.jsonl.gz").write_bytes(data[:-50])
    done = run("import", "jsonl", "log.jsonl.gz", "-l", "team.duckdb")
    assert done.code == 1
    assert "1 line refused" in done.out
    assert "breaks off" in done.err
    assert len(turns(tmp_path / "team.duckdb")) > 100


def test_what_was_flushed_can_be_taken_in(run, log):
    """The counts are said; where there is nothing left, they are nothing."""
    run("import", "jsonl", log, "-l", "team.duckdb")
    done = run("ingest", "-l", "team.duckdb")
    assert done.code == 0
    assert "0 events taken in, 0 known already, 0 lines that can't be read" in done.out


def test_what_is_piped_in_is_taken_in(run, log, tmp_path):
    """Plain or gzipped; a refusal says where it comes from."""
    done = run("import", "jsonl", "-", "-l", "team.duckdb", stdin=log.read_bytes() + b"\noops\n")
    assert done.code == 1
    assert "3 sessions with 6 new turns taken in" in done.out
    assert "refused standard input:7: The line is no JSON" in done.err
    zipped = gzip.compress(log.read_bytes())
    again = run("import", "-", "-l", "team.duckdb", stdin=zipped)
    assert (again.code, "6 turns were there already" in again.out) == (0, True)


def test_a_folder_of_lines_is_taken_in(run, log, tmp_path):
    """Each file's sessions are its own, also where they share their names; a file by itself is the same source."""
    for name in ("more/a.jsonl", "more/deeper/a.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(log.read_bytes())
    (tmp_path / "more/b.jsonl.gz").write_bytes(gzip.compress(log.read_bytes()))
    (tmp_path / "more/notes.txt").write_text("nothing")
    done = run("import", "jsonl", "more", "-l", "team.duckdb")
    assert (done.code, "9 sessions with 18 new turns" in done.out) == (0, True)
    assert "6 turns were there already" in run("import", "jsonl", "more/a.jsonl", "-l", "team.duckdb").out


def test_the_format_is_found_out(run, log, tmp_path):
    """By what the lines hold, whatever the file is called."""
    (tmp_path / "a").write_bytes(log.read_bytes())
    (tmp_path / "results.jsonl").write_text(json.dumps(MINT))
    assert "3 sessions with 6 new turns" in run("import", "./a", "-l", "team.duckdb").out
    assert "1 session with 1 new turn " in run("import", "results.jsonl", "-l", "team.duckdb").out
    with open_ledger(tmp_path / "team.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT DISTINCT source FROM sessions ORDER BY 1").fetchall() == [("a",), ("mint",)]


LINE = b'{"session": "s", "text": "t"}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04rest", "is a zip archive, not lines of JSON; unzip it"),
        (b"PAR1rest", "is a Parquet file"),
        (b"\0" * 8 + b"DUCK", "is a DuckDB database"),
        (b"SQLite format 3\0", "is an SQLite database"),
        (b"\x28\xb5\x2f\xfdrest", "zstdcat"),
        (b"BZh9rest", "bzcat"),
        (b"\xfd7zXZ\0rest", "xzcat"),
        (b"x" * 257 + b"ustar", "is a tar archive"),
        (gzip.compress(b"x" * 257 + b"ustar", mtime=0), "is a tar archive"),
        (LINE.decode().encode("utf-16"), "iconv -f UTF-16"),
        (b"[" + LINE + b"]", "is one JSON document, a list"),
        (b"\xef\xbb\xbf [\n  " + LINE + b"\n]", "jq -c '.[]' FILE"),
        (b'{\n  "session": "s"\n}', "is one JSON document, an object"),
    ],
)
@pytest.mark.parametrize("is_piped", [False, True])
def test_another_container_is_named(sentence, tmp_path, data, said, is_piped):
    """With what to do; no ledger is made of it."""
    (tmp_path / "x").write_bytes(data)
    assert said in sentence("import", "jsonl", "-" if is_piped else "x", "-l", "t.duckdb", stdin=data)
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_lines_of_something_else_are_named_by_what_they_hold(sentence, tmp_path):
    """So that one sees which recording it is."""
    (tmp_path / "x.jsonl").write_text('{"uuid": 1, "message": {}}')
    assert "its lines hold 'uuid', 'message'; known are jsonl (session and text), mint" in sentence(
        "import", "x.jsonl"
    )
    (tmp_path / "empty").mkdir()
    assert "holds no *.jsonl and no *.jsonl.gz" in sentence("import", "empty")
