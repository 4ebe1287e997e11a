"""Sessions of goose: its database, the lines of before, its exports."""

import gzip
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from given_items import sessions

import actionledger as al
from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import LeftOutReason, Reason
from actionledger.imports.formats.goose import SOURCE, read
from actionledger.imports.live.watcher import Watcher
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER,
    accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER,
    schedule_id TEXT, recipe_json TEXT, user_recipe_values_json TEXT, provider_name TEXT, model_config_json TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT);
CREATE INDEX idx_messages_session ON messages(session_id);
"""
FIRST_SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL);
"""
SESSION = "20251001_1"
DECLINED = "The user has declined to run this tool. DO NOT attempt to call this tool again."


def text(words):
    return {"type": "text", "text": words}


def call(name="developer__shell", call_id="call_1", **arguments):
    return {"type": "toolRequest", "id": call_id, "toolCall": {"status": "success", "value": {"name": name, "arguments": arguments}}}  # fmt: skip


def came(words, call_id="call_1", **more):
    shown = {"type": "text", "text": f"For people: {words}", "annotations": {"audience": ["user"]}}
    value = {"content": [{"type": "text", "text": words}, shown], "isError": False} | more
    return {"type": "toolResponse", "id": call_id, "toolResult": {"status": "success", "value": value}}


MESSAGES = [
    {"id": "m1", "role": "user", "created": 1759300000, "content": [text("Look, 你好 🙂")]},
    {"id": "m2", "role": "assistant", "created": 1759300001, "content": [text("I look."), call(command="ls")]},
    {"id": "m3", "role": "user", "created": 1759300002, "content": [came("a.py")]},
    {"id": "m4", "role": "assistant", "created": 1759300003, "content": [text("There is a.py.")]},
]  # fmt: skip


def insert(connection, messages, session=SESSION):
    for each in messages:
        row = (each.get("id"), session, each["role"], json.dumps(each["content"]), each["created"])
        metadata = json.dumps(each["metadata"]) if "metadata" in each else None
        connection.execute(
            "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (*row, metadata),
        )
    connection.commit()


def made(path: Path, messages, session=SESSION) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.execute(
            "INSERT INTO sessions (id, name, working_dir, created_at, provider_name, model_config_json, accumulated_total_tokens) "
            "VALUES (?, 'Look', '/w', '2025-10-01 06:26:40', 'anthropic', '{\"model_name\": \"opus\"}', 99)",
            (session,),
        )
        insert(connection, messages, session)
    return path


def test_a_database_is_known_and_read(tmp_path):
    """A call has what came of it, without what only people are shown; nothing is left beside it."""
    path = made(tmp_path / "sessions.db", MESSAGES)
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("goose", 1)]
    [found] = sessions(read(path))
    assert (found.external_id, found.model, found.task) == (SESSION, "opus", "Look")
    assert found.metadata == {"cwd": "/w", "provider": "anthropic", "accumulated_total_tokens": 99}
    first, second = found.turns
    assert (first.prompt, first.external_id, first.text) == ("Look, 你好 🙂", "m2", "I look.")
    assert [(each.name, each.arguments, each.at) for each in first.calls] == [
        ("developer__shell", {"command": "ls"}, 7)
    ]
    assert [(each.output, each.is_error) for each in first.results] == [("a.py", False)]
    assert second.text == "There is a.py."
    assert [each.name for each in tmp_path.iterdir()] == ["sessions.db"]


def test_what_stands_in_the_log_counts_and_nothing_is_written(tmp_path):
    """A program has the database open, and has merged nothing; what it writes later is imported then, and nothing twice."""
    path = made(tmp_path / "sessions.db", [])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        insert(writer, MESSAGES[:3])
        before = {each.name: each.stat().st_size for each in tmp_path.iterdir()}
        assert set(before) == {"sessions.db", "sessions.db-wal", "sessions.db-shm"}
        with al.open_ledger(tmp_path.parent / f"{tmp_path.name}.duckdb", in_background=False) as ledger:
            assert al.import_path(path, ledger).turns == 1
            assert {each.name: each.stat().st_size for each in tmp_path.iterdir()} == before
            assert al.import_path(path, ledger).unchanged == 1
            insert(writer, MESSAGES[3:])
            report = al.import_path(path, ledger)
            assert (report.turns, report.known, report.differing) == (1, 1, [])
            assert ledger.sql("SELECT count(*), count(DISTINCT message_id) FROM turns").fetchall() == [(2, 2)]


def test_a_folder_is_watched_with_what_stands_in_a_log(tmp_path):
    """The database itself doesn't change meanwhile."""
    path = made(tmp_path / "sessions.db", [])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        insert(writer, MESSAGES[:3])
        past = path.stat().st_mtime - 60
        os.utime(path, (past, past))
        with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
            watcher = Watcher(tmp_path, ledger)
            assert [watcher.take().turns, watcher.take().turns] == [1, 0]
            state = path.stat()
            insert(writer, MESSAGES[3:])
            assert (path.stat().st_size, path.stat().st_mtime) == (state.st_size, state.st_mtime)
            assert watcher.take().turns == 1


def test_what_was_not_written_to_its_end_does_not_count(tmp_path):
    """A journal is rolled back in the copy, and lies there as before."""
    path = made(tmp_path / "sessions.db", MESSAGES)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("PRAGMA cache_spill = 1")
        writer.execute("BEGIN")
        for number in range(200):
            row = (f"x{number}", SESSION, "assistant", json.dumps([text("x" * 4000)]), number)
            writer.execute(
                "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES (?, ?, ?, ?, ?)",
                row,
            )
        journal = path.with_name("sessions.db-journal").read_bytes()
        assert journal
        [found] = sessions(read(path))
        assert path.with_name("sessions.db-journal").read_bytes() == journal
    assert len(found.turns) == 2


def test_the_first_version_of_the_database_is_read(tmp_path):
    """Its messages have no identifiers."""
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST_SCHEMA)
        connection.execute("INSERT INTO sessions (id, description, working_dir) VALUES ('s', 'Look', '/w')")
        for each in MESSAGES:
            row = (each["role"], json.dumps(each["content"]), each["created"])
            connection.execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('s', ?, ?, ?)",
                row,
            )
        connection.commit()
    [found] = sessions(read(path))
    assert [(turn.external_id, len(turn.calls)) for turn in found.turns] == [("", 1), ("", 0)]


def lines(folder: Path, messages, name="20250801_101010") -> Path:
    path = folder / f"{name}.jsonl"
    first = {"working_dir": "/w", "description": "Look", "message_count": len(messages), "total_tokens": 99}
    path.write_text("".join(json.dumps(each) + "\n" for each in [first, *messages]))
    return path


def test_lines_that_a_database_took_over_are_the_same_turns(tmp_path):
    """The database has named their messages itself."""
    nameless = [{key: each[key] for key in each if key != "id"} for each in MESSAGES]
    path = lines(tmp_path, nameless)
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("goose", 1)]
    named = [
        each | {"id": f"msg_{path.stem}_0f0e0d0c-0000-4000-8000-00000000000{n}"}
        for n, each in enumerate(MESSAGES)
    ]
    database = made(tmp_path / "sessions.db", named, session=path.stem)
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        assert al.import_path(path, ledger).turns == 2
        report = al.import_path(database, ledger)
        assert (report.turns, report.known, report.differing) == (0, 2, [])


def test_an_export_is_read_on_one_line_and_on_several(tmp_path):
    info = {"id": SESSION, "working_dir": "/w", "name": "Look", "extension_data": {}}
    turns = sessions(read(made(tmp_path / "sessions.db", MESSAGES)))[0].turns
    for indent in (None, 2):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(info | {"conversation": MESSAGES}, indent=indent))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("goose", 1)]
        assert sessions(read(path))[0].turns == turns
        path.write_text(path.read_text()[:-120])
        cut = list(read(path))
        assert [len(each.turns) for each in sessions(cut)] == [1]
        assert any(isinstance(item, Refusal) and "breaks off" in item.reason for item in cut)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (came(DECLINED, isError=True), Reason.REJECTED),
        ({"type": "toolResponse", "id": "call_1", "toolResult": {"status": "success", "value": [text(DECLINED)]}}, Reason.REJECTED),
        ({"type": "toolResponse", "id": "call_1", "toolResult": {"status": "error", "error": "Broken"}}, Reason.TOOL_ERROR),
        (came("declined to run this tool"), None),
    ],
)  # fmt: skip
def test_errors_are_told_by_their_field_and_their_words(tmp_path, result, reason):
    messages = [*MESSAGES[:2], {"id": "m3", "role": "user", "created": 3, "content": [result]}]
    [found] = sessions(read(made(tmp_path / "sessions.db", messages)))
    [only] = found.turns[0].results
    assert judged(only, SOURCE.wordings).reason is reason


def test_pieces_of_a_message_are_one_turn_and_a_summary_is_none(tmp_path):
    """What is for the model alone, thoughts that can't be read and unknown parts are counted."""
    messages = [
        {"id": "a", "role": "assistant", "created": 1, "content": [{"type": "thinking", "thinking": "hm", "signature": ""}]},
        {"id": "a", "role": "assistant", "created": 1, "content": [text("One, "), call(call_id="c1")]},
        {"id": "a", "role": "assistant", "created": 1, "content": [text("two."), call(call_id="c2")]},
        {"id": "b", "role": "user", "created": 2, "content": [text("Summary")], "metadata": {"userVisible": False}},
        {"id": "a", "role": "assistant", "created": 3, "content": [text("Later."), {"type": "redactedThinking", "data": ""}, {"type": "new"}]},
    ]  # fmt: skip
    items = list(read(made(tmp_path / "sessions.db", messages)))
    first, second = sessions(items)[0].turns
    assert (first.text, first.reasoning, [each.at for each in first.calls]) == ("One, two.", "hm", [5, 9])
    assert (second.text, second.external_id, second.prompt) == ("Later.", "a#1", None)
    assert {(item.reason, item.detail) for item in items if isinstance(item, LeftOut)} == {
        (LeftOutReason.INJECTED_CONTEXT, "for the model alone"),
        (LeftOutReason.ENCRYPTED, "redactedThinking"),
        (LeftOutReason.UNKNOWN_KIND, "new"),
    }


def test_a_row_that_holds_no_json_is_refused_and_the_rest_goes_on(tmp_path):
    path = made(tmp_path / "sessions.db", MESSAGES)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE messages SET content_json = ? WHERE id = 4", (b"\xff\xfe",))
        connection.execute("INSERT INTO sessions (id, working_dir) VALUES ('t', '/w')")
        insert(connection, [each | {"id": f"t{each['id']}"} for each in MESSAGES], "t")
        connection.execute("UPDATE messages SET content_json = '[' || char(10) WHERE id = 8")
        connection.commit()
    items = list(read(path))
    assert [len(each.turns) for each in sessions(items)] == [1, 1]
    refused = [item.reason for item in items if isinstance(item, Refusal)]
    assert [each[:36] for each in refused] == [
        "The content of message 4 of session ",
        "The content of message 8 of session ",
    ]


def test_a_database_that_is_cut_is_refused_with_a_sentence(tmp_path):
    """At any place, with what could be read kept."""
    path = made(tmp_path / "sessions.db", MESSAGES * 100)
    whole = path.read_bytes()
    for end in range(100, len(whole), len(whole) // 9):
        path.write_bytes(whole[:end])
        assert refusals_of(path), end


def refusals_of(path: Path) -> list[str]:
    try:
        return [item.reason for item in read(path) if isinstance(item, Refusal)]
    except SourceError as error:
        return [str(error)]


def test_an_import_says_that_a_database_is_cut(tmp_path):
    """It can't be known for goose's any more."""
    path = made(tmp_path / "sessions.db", MESSAGES)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(SourceError, match="can't be read"):
        al.import_path(path, tmp_path / "l.duckdb")


@pytest.mark.parametrize("table", ["sessions", "messages"])
def test_views_that_somebody_put_in_a_tables_place_are_not_run(tmp_path, table):
    """It would go on forever."""
    path = made(tmp_path / "sessions.db", MESSAGES)
    with closing(sqlite3.connect(path)) as connection:
        columns = ", ".join(f"n AS {row[1]}" for row in connection.execute(f"PRAGMA table_info({table})"))
        connection.execute(f"DROP TABLE {table}")
        connection.execute(
            f"CREATE VIEW {table} AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT {columns} FROM c"
        )
    assert recognised(sample_of(path)) == []
    with pytest.raises(SourceError, match=f"no table '{table}'"):
        list(read(path))


def test_a_database_of_another_program_is_named_for_what_it_is(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE sessions (id, name)")
    with pytest.raises(SourceError, match="it is an SQLite database"):
        al.import_path(path, tmp_path / "l.duckdb")


def test_a_compressed_database_is_to_be_unpacked(tmp_path):
    path = tmp_path / "sessions.db.gz"
    path.write_bytes(gzip.compress(made(tmp_path / "sessions.db", MESSAGES).read_bytes()))
    with pytest.raises(SourceError, match="unpack it"):
        list(read(path))
