"""``import`` and ``ingest``: what can be read is taken in, and the rest is named."""

import gzip
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from actionledger.cli.exits import ExitCode
from actionledger.cli.imports import SHOWN_REFUSALS
from actionledger.imports import Importer
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
    done = run("import", log, "-l", "team.duckdb")
    assert done.code == 0
    assert (
        "Seen: 1 file of Lines of JSON, a turn each (jsonl, 90% sure; --format NAME overrules)." in done.err
    )
    assert "3 sessions with 6 new turns imported; 0 turns were already recorded; 0 lines refused." in done.out
    assert "Next: actionledger report --ledger team.duckdb" in done.out
    assert len(turns(tmp_path / "team.duckdb")) == 6


def test_a_second_time_everything_is_known(run, log):
    """Nothing is doubled, and that is no error: what is as it was is not even read, what changed is known turn by turn."""
    run("import", log, "-l", "team.duckdb")
    done = run("import", log, "-l", "team.duckdb")
    assert done.code == 0
    assert (
        "0 sessions with 0 new turns imported; 0 turns were already recorded; 1 unchanged file skipped"
        in done.out
    )
    log.touch()
    again = run("import", log, "-l", "team.duckdb")
    assert "0 sessions with 0 new turns imported; 6 turns were already recorded; 0 lines" in again.out


def test_what_finds_nothing_new_loads_neither_a_format_nor_duckdb(run, log, tmp_path):
    """It takes less time than loading them would."""
    run("import", log, "-l", "team.duckdb")
    code = (
        "import sys, actionledger.cli.imports\nfrom actionledger.imports import import_path\n"
        "print(import_path(sys.argv[1], 'team.duckdb').unchanged, *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, log], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    unchanged, *loaded = done.stdout.split()
    assert unchanged == "1"
    slow = {"duckdb", "pydantic", "jsonschema", "rapidfuzz", "sqlite3"}
    rooms = (
        "actionledger.ledger.ledger",
        "actionledger.ledger.queries",
        "actionledger.core.events",
        "actionledger.runtime.models",
        "actionledger.reading",
        "actionledger.imports.formats.",
    )
    assert {name for name in loaded if name in slow or name.startswith(rooms)} == set()


def test_refused_lines_have_their_own_exit_code(run, tmp_path):
    """Each is named with its file, line and reason, as text; the others are taken in."""
    lines = (
        b'{"session": "s", "text": "a"}',
        b"[bold]oops[/nope]",
        b'{"session": "s"}',
        b'{"session": "s", "text": "b"}',
    )
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(lines))
    done = run("import", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert "1 session with 2 new turns imported; 0 turns were already recorded; 2 lines refused." in done.out
    assert "refused log.jsonl:2: The line is not JSON" in done.err
    assert "refused log.jsonl:3: The field 'text': Field required." in done.err
    assert len(turns(tmp_path / "team.duckdb")) == 2


def test_a_turn_with_another_text_is_told(run, tmp_path):
    """Apart from what was there already, by its session and place; what was recorded first is kept, and the exit code says so."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"session": "s", "text": "a"}\n{"session": "s", "text": "b"}\n')
    run("import", "log.jsonl", "-l", "team.duckdb")
    texts = ("other", "b", "c")
    path.write_text("\n".join(json.dumps({"session": "s", "text": text}) for text in texts))
    done = run("import", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert (
        "1 session with 1 new turn imported; 1 turn was already recorded; 1 turn has other content under the same id, and what was "
        "recorded first is kept; 0 lines refused." in done.out
    )
    assert (
        "differs log.jsonl: s#0: other content under the same id; what was recorded first is kept."
        in done.err
    )
    kept = run("sql", "FROM turns SELECT text ORDER BY turn_index", "-l", "team.duckdb", "--json").value
    assert [row["text"] for row in kept] == ["a", "b", "c"]


def test_a_flood_of_refusals_is_cut_and_kept(run, tmp_path):
    """The rest is in the ledger, and the printed command finds it."""
    (tmp_path / "log.jsonl").write_text('{"session": "s", "text": "a"}\n' + "oops\n" * (SHOWN_REFUSALS + 5))
    done = run("import", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert done.err.count("refused log.jsonl:") == SHOWN_REFUSALS
    assert "… and 5 more: actionledger sql -l team.duckdb" in done.err
    kept = run("sql", "-l", "team.duckdb", "FROM events WHERE code = 'line_refused'", "--json").value
    assert len(kept) == SHOWN_REFUSALS + 5


def test_files_that_are_refused_for_one_reason_are_told_once(run, tmp_path, monkeypatch):
    """As many cassettes are without their package; the next reason is not behind twenty of the same."""
    (tmp_path / "some").mkdir()
    monkeypatch.setitem(sys.modules, "yaml", None)
    for number in range(30):
        (tmp_path / f"some/{number:02}.yaml").write_text(
            "interactions:\n- request:\n    method: POST\n    uri: https://api.example/v1\n"
        )
    (tmp_path / "some/z.jsonl").write_text('{"session": "s", "text": "t"}\nno line\n')
    done = run("import", "some", "-l", "team.duckdb")
    said = done.err
    assert "31 lines, files or turns refused." in done.out
    assert said.count("refused") == 2
    assert "refused 30 times, the first of some/00.yaml: Reading cassettes needs yaml" in said
    assert "some/z.jsonl:2: The line is not JSON" in said


def test_a_hostile_line_changes_no_terminal(run, tmp_path):
    """A refusal may quote it, with escapes made visible."""
    hostile = "\x1b[31m\x9b[bold]x[/nope]"
    (tmp_path / "log.jsonl").write_text(json.dumps({"session": "s", "text": "a", "profile": hostile}))
    done = run("import", "log.jsonl", "-l", "team.duckdb")
    assert done.code == 1
    assert "[bold]x[/nope]" in done.err
    assert not set(done.out + done.err) & {"\x1b", "\x9b"}


def test_the_profile_of_lines_that_name_none(run, tmp_path):
    """It is none unless given; lines that name one keep it."""
    (tmp_path / "log.jsonl").write_text(
        '{"session": "a", "text": "x"}\n{"session": "b", "text": "x", "profile": "reasoner"}'
    )
    run("import", "log.jsonl", "-l", "team.duckdb", "--profile", "coder")
    assert turns(tmp_path / "team.duckdb") == [("a", 0, "coder"), ("b", 0, "reasoner")]
    run("import", "log.jsonl", "-l", "other.duckdb")
    assert turns(tmp_path / "other.duckdb") == [("a", 0, "none"), ("b", 0, "reasoner")]


def test_sessions_of_two_sources_are_kept_apart(run, log, tmp_path):
    """By the file's name, or as the source is called."""
    (tmp_path / "other.jsonl").write_bytes(log.read_bytes())
    run("import", log, "-l", "team.duckdb")
    assert "3 sessions with 6 new turns" in run("import", "other.jsonl", "-l", "team.duckdb").out
    assert (
        "6 turns were already recorded"
        in run("import", "other.jsonl", "-l", "team.duckdb", "--source", "log").out
    )


def test_a_gzipped_file_is_taken_in(run, log, tmp_path):
    """Its name says so; it is the same source."""
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(log.read_bytes()))
    run("import", "log.jsonl.gz", "-l", "team.duckdb")
    assert "6 turns were already recorded" in run("import", log, "-l", "team.duckdb").out


def test_a_folder_of_mints_recordings_is_taken_in(run, tmp_path):
    """Every file below it; the folders name the model."""
    for model in ("one", "two"):
        folder = tmp_path / "mint" / model / "F=None" / "max5" / "reasoning" / "math"
        folder.mkdir(parents=True)
        (folder / "results.jsonl.gz").write_bytes(gzip.compress(json.dumps(MINT).encode()))
    done = run("import", "mint", "-l", "team.duckdb")
    assert done.code == 0
    assert "2 sessions with 2 new turns imported" in done.out
    with open_ledger(tmp_path / "team.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT model, task FROM sessions ORDER BY 1").fetchall() == [
            ("one", "math"),
            ("two", "math"),
        ]


def test_the_ledger_can_be_named_by_the_environment(run, log, tmp_path, monkeypatch):
    """So that it need not be written every time."""
    monkeypatch.setenv("ACTIONLEDGER_LEDGER", "named.duckdb")
    run("import", log)
    assert len(turns(tmp_path / "named.duckdb")) == 6


def test_a_hostile_name_of_a_ledger_is_text(run, log):
    """What looks like markup in a path is part of the path."""
    done = run("import", log, "-l", "[bold]x[ /nope].duckdb")
    assert done.code == 0
    assert "--ledger [bold]x[ /nope].duckdb" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "missing.jsonl"), "There is no file 'missing.jsonl' to import."),
        (("import", "log.jsonl", "-p", "asistant"), "Did you mean 'assistant'?"),
        (("import", "*.csv"), "No file fits the pattern '*.csv'."),
        (("import", ".", "-f", "mint"), "'.' holds no recording of a known format, but 1 file: 1 × .jsonl."),
        (("import", "log.jsonl", "-l", "log.jsonl"), "is not a DuckDB database"),
        (("import", "log.jsonl", "-l", "."), "is a folder"),
        (("ingest", "-l", "log.jsonl"), "is not a DuckDB database"),
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
    done = run("import", "log.jsonl.gz", "-l", "team.duckdb")
    assert done.code == 1
    assert "1 line refused" in done.out
    assert "breaks off" in done.err
    assert len(turns(tmp_path / "team.duckdb")) > 100


def test_what_was_flushed_can_be_taken_in(run, log):
    """The counts are said; where there is nothing left, they are nothing."""
    run("import", log, "-l", "team.duckdb")
    done = run("ingest", "-l", "team.duckdb")
    assert done.code == 0
    assert "0 events loaded, 0 known already, 0 lines that can't be read" in done.out


def test_what_is_piped_in_is_taken_in(run, log, tmp_path):
    """Plain or gzipped; a refusal says where it comes from."""
    done = run("import", "-", "-l", "team.duckdb", stdin=log.read_bytes() + b"\noops\n")
    assert done.code == 1
    assert "3 sessions with 6 new turns imported" in done.out
    assert "refused standard input:7: The line is not JSON" in done.err
    zipped = gzip.compress(log.read_bytes())
    again = run("import", "-", "-l", "team.duckdb", stdin=zipped)
    assert (again.code, "6 turns were already recorded" in again.out) == (0, True)


def test_a_folder_of_lines_is_taken_in(run, log, tmp_path):
    """Each file's sessions are its own, also where they share their names; a file by itself is the same source."""
    for name in ("more/a.jsonl", "more/deeper/a.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(log.read_bytes())
    (tmp_path / "more/b.jsonl.gz").write_bytes(gzip.compress(log.read_bytes()))
    (tmp_path / "more/notes.txt").write_text("nothing")
    done = run("import", "more", "-l", "team.duckdb")
    assert (done.code, "9 sessions with 18 new turns" in done.out) == (0, True)
    (tmp_path / "more/a.jsonl").touch()
    assert "6 turns were already recorded" in run("import", "more/a.jsonl", "-l", "team.duckdb").out


def test_the_format_is_found_out(run, log, tmp_path):
    """By what the lines hold, whatever the file is called."""
    (tmp_path / "a").write_bytes(log.read_bytes())
    (tmp_path / "results.jsonl").write_text(json.dumps(MINT))
    assert "3 sessions with 6 new turns" in run("import", "./a", "-l", "team.duckdb").out
    assert "1 session with 1 new turn " in run("import", "results.jsonl", "-l", "team.duckdb").out
    with open_ledger(tmp_path / "team.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT DISTINCT source FROM sessions ORDER BY 1").fetchall() == [("a",), ("mint",)]


def test_a_format_that_a_file_is_not_of_is_told(run, tmp_path):
    """Where it was named: nothing is taken in, and that is no success; how sure it is was nobody's question."""
    line = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Hello."}}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    done = run("import", "a.jsonl", "--format", "codex", "-l", "team.duckdb")
    assert done.code == 1
    assert "1 file of Codex (codex, as --format says)" in " ".join(done.err.split())
    assert "Nothing there is what codex has: without --format it is found out what it is." in " ".join(
        done.err.split()
    )
    assert run("import", "a.jsonl", "--format", "claude_code", "-l", "team.duckdb").code == 0


LINE = b'{"session": "s", "text": "t"}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PAR1rest", "it is a Parquet file; say which column holds what: --map"),
        (b"\0" * 8 + b"DUCK", "it is a DuckDB database; if it is a ledger, ask it"),
        (b"SQLite format 3\0", " database"),
        (b"x" * 257 + b"ustar", "it is a tar archive; unpack it"),
        (gzip.compress(b"x" * 257 + b"ustar", mtime=0), "it is a tar archive"),
        (gzip.compress(gzip.compress(LINE, mtime=0), mtime=0), "it is compressed twice; unpack it once"),
        (b"[" + LINE + b"]", "'session', 'text'; nearest is jsonl"),
        (b"[1, 2]", "it holds JSON, but no objects with fields (1 × array)"),
        (b'{"a":', "it holds JSON, but no objects with fields (1 × empty or cut object)"),
        (b"Dear Ada,", "it is not JSON and no table, and begins with 'Dear Ada,'"),
        (b"", "it is empty"),
    ],
)
@pytest.mark.parametrize("is_piped", [False, True])
def test_another_container_is_named(sentence, tmp_path, data, said, is_piped):
    """With what to do; no ledger is made of it."""
    (tmp_path / "x").write_bytes(data)
    told = sentence("import", "-" if is_piped else "x", "-l", "t.duckdb", stdin=data)
    assert said in told
    assert told.startswith(f"The format of {'standard input' if is_piped else 'x'!r} is not known: ")
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[" + LINE + b"]", "is one JSON document, a list"),
        (b"\xef\xbb\xbf [\n  " + LINE + b"\n]", "jq -c '.[]' FILE"),
        (b'{\n  "session": "s"\n}', "is one JSON document, an object"),
        (b"SQLite format 3\0", "'x' is an SQLite database, not lines of JSON"),
    ],
)
def test_what_is_no_line_of_json_is_said_where_lines_are_asked_for(run, tmp_path, data, said):
    """The one who names the format is told why it doesn't fit."""
    (tmp_path / "x").write_bytes(data)
    done = run("import", "x", "--format", "jsonl", "-l", "t.duckdb")
    assert (done.code, said in done.err) == (1, True)


def test_lines_of_something_else_are_named_by_what_they_hold(sentence, tmp_path):
    """So that one sees which recording it is, what is near to it, and how it would be read."""
    (tmp_path / "x.jsonl").write_text('{"session": 1, "sesion_id": 1, "response": {}}')
    told = sentence("import", "x.jsonl")
    assert "its objects hold 'session', 'sesion_id', 'response'; nearest is jsonl (session and text)" in told
    assert "if each is a turn: --map text=response." in told
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/notes.md").touch()
    (tmp_path / "folder/x.jsonl").write_text('{"a": 1}')
    told = sentence("import", "folder")
    assert "'folder' holds no recording of a known format, but 2 files: 1 × .md, 1 × .jsonl" in told


def test_a_folder_of_several_formats(run, log, tmp_path):
    """Each file is recognised; what is none is counted as left out, and the ledger says so, too."""
    folder = tmp_path / "all"
    (folder / "deep").mkdir(parents=True)
    (folder / "log.jsonl").write_bytes(log.read_bytes())
    (folder / "deep/results.jsonl").write_text(json.dumps(MINT))
    (folder / "deep/other.jsonl").write_text('{"level": "info"}')
    (folder / "notes.md").write_text("nothing")
    done = run("import", "all", "-l", "team.duckdb")
    assert done.code == 0
    assert "4 sessions with 7 new turns imported" in done.out
    assert "1 file of MINT-bench's results (mint, sure)" in done.err
    assert "skipped 2: A file in a folder that is not a recording in a known format." in done.err
    assert "actionledger sql 'FROM left_out SELECT path, reason, detail, sum(count) AS count" in done.err
    kept = run(
        "sql",
        "FROM left_out SELECT path, reason, detail, count ORDER BY detail",
        "-l",
        "team.duckdb",
        "--json",
    ).value
    assert [(row["path"], row["detail"], row["count"]) for row in kept] == [
        ("all", ".jsonl", 1),
        ("all", ".md", 1),
    ]


def test_what_raw_text_looks_like_is_proposed(run, tmp_path):
    """Where nobody said how to read it, and only there."""
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    texts = [call] * 3 + ["Nothing."]
    lines = [json.dumps({"session": "s", "text": text}) for text in texts]
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    done = run("import", "log.jsonl", "-l", "a.duckdb")
    assert "Of 4 turns of raw text, 3 turns look like hermes." in done.err
    assert "--dialect hermes tries only that one" in done.err
    told = run("import", "log.jsonl", "-l", "b.duckdb", "--dialect", "hermes")
    assert "raw text" not in told.err
    found = run("sql", "SELECT DISTINCT dialect FROM actions", "-l", "b.duckdb", "--json").value
    assert found == [{"dialect": "hermes"}]


def test_raw_text_is_checked_against_tools_of_a_file(run, tmp_path):
    """As the model was offered them."""
    call = '<tool_call>{"name": "add", "arguments": {"a": "x"}}</tool_call>'
    (tmp_path / "log.jsonl").write_text(json.dumps({"session": "s", "text": call}))
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    (tmp_path / "tools.json").write_text(
        json.dumps([{"type": "function", "function": {"name": "add", "parameters": schema}}])
    )
    run("import", "log.jsonl", "-l", "a.duckdb", "--tools", "tools.json")
    assert run("sql", "SELECT name, status FROM actions", "-l", "a.duckdb", "--json").value == [
        {"name": "add", "status": "invalid"}
    ]


@pytest.mark.parametrize("command", [("import", "log.jsonl"), ("recheck",)])
def test_what_is_no_schema_in_a_file_of_tools_is_said_once(run, tmp_path, command):
    """In a sentence, as any other note; Python's own warning named a line of this program."""
    call = '<tool_call>{"name": "add", "arguments": {"a": "x"}}</tool_call>'
    (tmp_path / "log.jsonl").write_text(json.dumps({"session": "s", "text": call}))
    names = [f"tool_{number}" for number in range(22)]
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "objekt"}}} for name in names
    ]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    run("import", "log.jsonl", "-l", "a.duckdb")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        done = run(*command, "-l", "a.duckdb", "--tools", "tools.json")
    assert (done.code, [str(each.message) for each in warned]) == (0, [])
    said = [line for line in done.err.splitlines() if "no JSON Schema" in line]
    assert said[0] == (
        "The parameters of the tool 'tool_0' are no JSON Schema, at type: 'objekt' is not a type; that is not checked."
    )
    assert (len(said), "… and 2 more of the kind." in done.err) == (20, True)


def test_a_table_is_taken_in_by_its_columns(run, tmp_path):
    """Named as they are, or told; where nobody tells, the columns are shown."""
    (tmp_path / "log.csv").write_text('chat,response\nc,"<execute>1\n+1</execute>"\nc,Two.\n')
    told = run("import", "log.csv", "-l", "a.duckdb")
    assert (told.code, "its columns are 'chat', 'response'" in told.err) == (1, True)
    done = run("import", "log.csv", "-l", "a.duckdb", "--map", "session=chat,text=response")
    assert (done.code, "1 session with 2 new turns imported" in done.out) == (0, True)


def test_one_who_stops_an_import_is_told_what_was_kept(run, log, monkeypatch):
    """And what to do; what was read until then is there, and nothing is doubled afterwards."""
    read = Importer.take
    seen = []

    def take(self, item, *rest):
        seen.append(item)
        if len(seen) == 3:
            raise KeyboardInterrupt
        read(self, item, *rest)

    monkeypatch.setattr(Importer, "take", take)
    done = run("import", log, "-l", "team.duckdb")
    assert done.code == ExitCode.STOPPED
    assert "Stopped. Everything imported so far is kept; the same command imports the rest." in done.out
    assert "2 sessions with 5 new turns imported" in done.out
    monkeypatch.undo()
    again = run("import", log, "-l", log.parent / "team.duckdb")
    assert "1 session with 1 new turn imported; 5 turns were already recorded" in again.out


def test_a_turn_that_takes_an_earlier_state_s_place_is_told_apart(run):
    """A recording that grew while it was read: what is new is more than the ledger gets rows."""
    message = {
        "id": "m1",
        "role": "assistant",
        "model": "m",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    for number, said in enumerate(("On", "On it.")):
        line = {
            "type": "assistant",
            "uuid": f"u{number}",
            "parentUuid": None,
            "sessionId": "s1",
            "version": "2.0.0",
            "timestamp": "2026-05-04T08:00:00Z",
            "message": message | {"content": [{"type": "text", "text": said}]},
        }
        Path("s1.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        done = run("import", "s1.jsonl", "--format", "claude_code", "-l", "team.duckdb")
    assert "1 new turn (1 of them replace a partial version) imported" in done.out
    assert run("sql", "SELECT count(*) AS n FROM turns", "-l", "team.duckdb", "--json").out.count("1") == 1
