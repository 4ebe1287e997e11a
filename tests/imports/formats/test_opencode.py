"""Sessions of opencode: its storage tree and its exports."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from given_items import left_out

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports import import_sessions
from actionledger.imports.formats.opencode import SOURCE, read
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged
from actionledger.ledger import open_ledger

INFO = {
    "id": "ses_1",
    "projectID": "p",
    "directory": "/w",
    "parentID": "ses_0",
    "title": "Look",
    "time": {"created": 1730000000000, "updated": 1730000009000},
}
ASK = {"id": "msg_1", "role": "user", "time": {"created": 1730000001000}}
ASKED = [
    {"id": "prt_1", "type": "text", "text": "Look"},
    {"id": "prt_2", "type": "text", "text": "x", "synthetic": True},
]
ANSWER = {
    "id": "msg_2",
    "role": "assistant",
    "modelID": "opus",
    "cost": 0.5,
    "time": {"created": 1730000002000},
    "tokens": {"input": 5, "output": 3, "reasoning": 1, "cache": {"read": 4, "write": 1}},
}


def tool(status="completed", **state):
    kept = {
        "status": status,
        "input": {"command": "ls"},
        "time": {"start": 1730000002500, "end": 1730000003000},
    }
    return {"id": "prt_4", "type": "tool", "callID": "call_1", "tool": "bash", "state": kept | state}


def text(words):
    return {"type": "text", "text": words}


def done(tokens):
    return {"type": "step-finish", "reason": "tool-calls", "tokens": {"output": tokens}, "cost": 0.25}


@pytest.fixture
def export(tmp_path):
    """Writes an export and returns what is read of it."""

    def of(*parts, info=INFO):
        path = tmp_path / "export.json"
        messages = [{"info": ASK, "parts": ASKED}, {"info": ANSWER, "parts": list(parts)}]
        path.write_text(json.dumps({"info": info, "messages": messages}))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
            ("opencode", 1)
        ]
        return list(read(path))

    return of


def session(items):
    (found,) = (item for item in items if isinstance(item, RecordedSession))
    return found


def test_a_message_is_a_turn_with_its_calls_and_what_came_of_them(export):
    """A command that ended badly has failed, whatever the state is called."""
    found = session(export(text("I look."), tool(output="no", metadata={"exit": 2})))
    (turn,) = found.turns
    assert (found.parent, found.relation, turn.prompt, turn.model) == (
        "ses_0",
        Relation.SUBAGENT,
        "Look",
        "opus",
    )
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (10, 4, 4, 0.5)
    (result,) = turn.results
    assert (result.duration_ms, judged(result, SOURCE.wordings).reason) == (500, Reason.COMMAND_FAILED)


def test_each_step_of_a_message_is_a_response(export):
    begin = {"type": "step-start"}
    items = export(begin, tool(output="a"), done(3), begin, text("One."), done(4))
    first, second = session(items).turns
    assert [(turn.external_id, turn.usage.output_tokens, len(turn.results)) for turn in (first, second)] == [
        ("msg_2", 3, 1),
        ("msg_2#1", 4, 0),
    ]


BEGIN = {"type": "step-start"}
HALF = tool("error", input={}, error="Tool execution aborted", metadata={"interrupted": True}) | {
    "callID": "call_0"
}
RETRIED = (
    BEGIN,
    text(""),
    HALF,
    BEGIN,
    text("Again."),
    tool(output="a"),
    done(3),
    BEGIN,
    text("One."),
    done(4),
)
"""A try that broke off in a call, the next one, and a second step."""


def test_a_try_that_broke_off_is_an_answer_of_its_own(export):
    """It has taken nothing that is known; one that had said nothing by then is counted."""
    first, again, last = session(items := export(*RETRIED)).turns
    assert [(turn.external_id, turn.formerly, turn.usage.output_tokens) for turn in (first, again, last)] == [
        ("msg_2#try0", (), None),
        ("msg_2#whole", ("msg_2",), 3),
        ("msg_2#1", (), 4),
    ]
    assert ([call.call_id for call in first.calls], first.usage.finish_reason) == (["call_0"], "error")
    assert ([call.call_id for call in again.calls], again.text) == (["call_1"], "Again.")
    assert (LeftOutReason.NO_RESPONSE, "error") not in left_out(items)
    silent = export(BEGIN, text(""), BEGIN, text("Again."), done(3))
    assert len(session(silent).turns) == 1
    assert left_out(silent)[LeftOutReason.NO_RESPONSE, "error"] == 1
    assert len(session(export(BEGIN, text("A"), BEGIN, text("B"))).turns) == 1, "of a version without ends"


def test_a_ledger_that_has_both_tries_as_one_answer_doubles_nothing(export, tmp_path):
    """As it was while the second try was still to come, and as earlier versions read it."""
    found = session(export(*RETRIED))
    first, again, last = found.turns
    both = replace(
        again, external_id="msg_2", formerly=(), calls=(*first.calls, *again.calls), results=(*first.results, *again.results)
    )  # fmt: skip
    for name, before in (
        ("earlier", (both, replace(last, index=1))),
        ("grown", (replace(first, external_id="msg_2"),)),
    ):
        with open_ledger(tmp_path / f"{name}.duckdb") as ledger:
            for each in (replace(found, turns=before), found, found):
                import_sessions(ledger, [each], source="opencode")
            counts = "SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM actions), (SELECT sum(output_tokens) FROM turns)"
            assert ledger.sql(counts).fetchall() == [(3, 2, 7)], name


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (
            tool("error", error="The user rejected permission to use this specific tool call."),
            Reason.REJECTED,
        ),
        (tool("error", error="oldString not found in content"), Reason.NO_MATCH),
        (tool(output="a", metadata={"exit": 0}), None),
    ],
)
def test_errors_are_told_by_their_words(export, part, reason):
    (result,) = session(export(part)).turns[0].results
    assert judged(result, SOURCE.wordings).reason is reason


def test_a_call_that_is_running_has_no_result_yet(export):
    """And what is neither text nor call is counted."""
    items = export(tool("running"), {"type": "reasoning", "text": "hm"}, {"type": "new"})
    assert (session(items).turns[0].results, session(items).turns[0].reasoning) == ((), "hm")
    assert {(item.reason, item.detail) for item in items if isinstance(item, LeftOut)} == {
        (LeftOutReason.INJECTED_CONTEXT, "synthetic"),
        (LeftOutReason.UNKNOWN_KIND, "new"),
    }


@pytest.mark.parametrize(("goes_on", "aborted"), [(False, "MessageAbortedError"), (True, "")])
def test_a_session_says_with_which_error_its_last_answer_ended(tmp_path, goes_on, aborted):
    broken = {"info": ANSWER | {"error": {"name": "MessageAbortedError"}}, "parts": [text("Well.")]}
    later = {"info": ANSWER | {"id": "msg_3", "time": {"created": 1730000009000}}, "parts": [text("Again.")]}
    messages = [broken, *([later] if goes_on else [])]
    (tmp_path / "export.json").write_text(json.dumps({"info": INFO, "messages": messages}))
    assert session(list(read(tmp_path / "export.json"))).details.aborted == aborted


@pytest.fixture
def tree(tmp_path):
    """Writes a storage tree and returns the session's file."""

    def of(info=INFO):
        files = {
            "session/p/ses_1.json": info,
            "message/ses_1/msg_1.json": ASK,
            "message/ses_1/msg_2.json": ANSWER,
            "part/msg_1/prt_1.json": ASKED[0],
            "part/msg_2/prt_3.json": text("I look."),
            "part/msg_2/prt_4.json": tool(output="a"),
        }
        for name, value in files.items():
            path = tmp_path / "storage" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value))
        return tmp_path / "storage/session/p/ses_1.json"

    return of


def test_a_session_of_the_tree_has_its_messages_and_their_parts(tree, export):
    """It is the same as its export; a file that is cut is refused, and the rest goes on."""
    path = tree()
    assert session(read(path)).turns == session(export(text("I look."), tool(output="a"))).turns
    (path.parents[2] / "part/msg_2/prt_3.json").write_text("{")
    items = list(read(path))
    assert any(isinstance(item, Refusal) for item in items)
    assert len(session(items).turns[0].calls) == 1


def test_an_identifier_is_no_way_out_of_the_tree(tree):
    """It names a folder only where it is a name."""
    assert [
        item for item in read(tree(INFO | {"id": "../message/ses_1"})) if isinstance(item, RecordedSession)
    ] == []


def test_a_message_or_a_part_is_read_with_its_session(tree):
    """By itself it gives nothing, and is counted: as what stands in the session, or as what has none."""
    storage = tree().parents[2]
    for name, value in (
        ("message/ses_1/msg_1.json", {"id": "msg_1", "sessionID": "ses_1", "role": "user"}),
        (
            "part/msg_1/prt_1.json",
            {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text"},
        ),
    ):
        (storage / name).write_text(json.dumps(value))
        assert recognised(sample_of(storage / name))[0].source is SOURCE
        assert [(each.reason, each.count) for each in read(storage / name)] == [(LeftOutReason.DUPLICATE, 1)]
    (storage / "session/p/ses_1.json").unlink()
    assert [each.reason for each in read(storage / name)] == [LeftOutReason.NO_SESSION]


def test_what_is_no_session_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("[]")
    with pytest.raises(SourceError, match="not a session of opencode's but list"):
        list(read(path))


SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
    title text NOT NULL, version text NOT NULL, share_url text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
    data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL, data text NOT NULL);
CREATE INDEX part_session_idx ON part (session_id);
"""


@pytest.fixture
def database(tmp_path):
    """Writes a database with what an export has, and another session; a message of it stands in the newer table, too."""

    def of(*parts):
        path = tmp_path / "opencode.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(SCHEMA)
            row = [INFO[key] for key in ("id", "projectID", "parentID", "directory", "title")]
            columns = (
                "(id, project_id, parent_id, directory, title, slug, version, time_created, time_updated)"
            )
            for given in (row, ["ses_2", "p", None, "/w", "New"]):
                connection.execute(
                    f"INSERT INTO session {columns} VALUES (?, ?, ?, ?, ?, 's', '1.2', ?, ?)",
                    (*given, INFO["time"]["created"], INFO["time"]["updated"]),
                )
            connection.execute("INSERT INTO session_message VALUES ('msg_2', 'ses_1', 'user', 1, '{}')")
            number = 0
            for message, told in ((ASK, ASKED), (ANSWER, parts)):
                data = {key: value for key, value in message.items() if key != "id"}
                created = message["time"]["created"]
                connection.execute(
                    "INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)",
                    (message["id"], created, created, json.dumps(data)),
                )
                for part in told:
                    number += 1
                    kept = {key: value for key, value in part.items() if key != "id"}
                    connection.execute(
                        "INSERT INTO part VALUES (?, ?, 'ses_1', 0, 0, ?)",
                        (f"prt_{number:03}", message["id"], json.dumps(kept)),
                    )
            connection.commit()
        return path

    return of


def test_a_database_holds_what_an_export_does(database, export):
    """Steps, calls and their results; a message of both tables counts once."""
    begin = {"type": "step-start"}
    parts = (begin, tool(output="a"), done(3), begin, text("One."), done(4))
    path = database(*parts)
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("opencode", 1)]
    items = list(read(path))
    found, exported = session(items), session(export(*parts))
    assert found.turns == exported.turns
    assert (found.parent, found.started_at, found.task) == (
        exported.parent,
        exported.started_at,
        exported.task,
    )
    assert [each.name for each in path.parent.iterdir() if "opencode" in each.name] == ["opencode.db"]


def newer(kind, number, **data):
    """A row of the second engine's, as 1.18.33 writes it."""
    data = {"time": {"created": 1730000000000 + number, "completed": 1730000001000 + number}} | data
    return (f"msg_{number}", "ses_1", kind, number, json.dumps(data))


def newer_tool(name, state, **times):
    return {
        "type": "tool",
        "id": f"call_{name}",
        "name": name,
        "state": state,
        "time": {"created": 1} | times,
    }


ENGINE_2 = [
    newer("user", 1, text="Please do the job.", files=[{"uri": "file:///a.png"}]),
    newer("system", 2, text="Skills provide instructions."),
    newer("model-switched", 3, model={"id": "m", "providerID": "lab"}),
    newer(
        "assistant",
        4,
        model={"id": "m", "providerID": "lab"},
        finish="tool-calls",
        tokens={"input": 70, "output": 15, "reasoning": 5, "cache": {"read": 30, "write": 0}},
        content=[
            {"type": "reasoning", "id": "r", "text": "Let me think."},
            {"type": "text", "id": "t", "text": "I list."},
            newer_tool(
                "bash",
                {
                    "status": "completed",
                    "input": {"command": "exit 3"},
                    "content": [
                        {"type": "text", "text": "hi"},
                        {"type": "text", "text": "Exited with code 3."},
                    ],
                    "structured": {"exit": 3},
                },
                ran=1000,
                completed=3000,
            ),
            newer_tool(
                "read",
                {"status": "error", "input": {"path": "x"}, "error": {"type": "unknown", "message": "None."}},
            ),
        ],
    ),
    newer("compaction", 5, reason="auto", summary="s", recent="r"),
    newer(
        "assistant",
        6,
        model={"id": "m"},
        finish="error",
        error={"type": "unknown", "message": "Invalid JSON input"},
        content=[newer_tool("bash", {"status": "pending", "input": '{"command": "ec'})],
    ),
]


@pytest.mark.parametrize("is_alone", [False, True])
def test_messages_of_the_second_engine_are_read_like_the_first_s(tmp_path, is_alone):
    """A version that has no other tables is read, too; what the engine could not decode is the text that the model wrote."""
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.execute(
            "INSERT INTO session VALUES ('ses_1', 'p', NULL, 's', '/w', 'Look', '2.0', NULL, 1, 2)"
        )
        connection.executemany("INSERT INTO session_message VALUES (?, ?, ?, ?, ?)", ENGINE_2)
        if is_alone:
            connection.executescript(
                "ALTER TABLE session RENAME TO session_v2; DROP TABLE part; DROP TABLE message"
            )
        connection.commit()
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("opencode", 1)]
    items = list(read(path))
    found = session(items)
    one, two = found.turns
    assert (one.text, one.reasoning, one.model, one.prompt) == (
        "I list.",
        "Let me think.",
        "m",
        "Please do the job.",
    )
    assert (one.usage.input_tokens, one.usage.output_tokens, one.usage.finish_reason) == (
        100,
        20,
        "tool-calls",
    )
    command, reading = one.results
    assert (command.output, command.exit_status, command.duration_ms) == ("hi\nExited with code 3.", 3, 2000)
    assert (reading.is_error, reading.output) == (True, "None.")
    assert [(call.name, call.arguments) for call in two.calls] == [("bash", '{"command": "ec')]
    assert (two.results, found.details.aborted) == ((), "Invalid JSON input")
    assert left_out(items) == {
        (LeftOutReason.NO_TEXT, "file"): 1,
        (LeftOutReason.INJECTED_CONTEXT, "synthetic"): 1,
        (LeftOutReason.BOOKKEEPING, "model-switched"): 1,
        (LeftOutReason.COMPACTED, "compaction"): 1,
    }


def test_a_part_of_a_database_that_is_no_object_is_refused(database):
    path = database(text("One."), tool(output="a"))
    for data, reason in (
        ("[]", "is not an object, but list"),
        ("{", "is not JSON"),
        (b"\xff", "it is not text"),
    ):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE part SET data = ? WHERE id = 'prt_003'", (data,))
            connection.commit()
        items = list(read(path))
        assert [reason in item.reason for item in items if isinstance(item, Refusal)] == [True]
        assert [(turn.text, len(turn.calls)) for turn in session(items).turns] == [("", 1)]


@pytest.mark.corpus
def test_a_tree_of_others_is_read_whole(corpus, counted):
    """As many messages and calls as its files."""
    paths = corpus("agents/opencode/storage_v2/session/*/*.json")
    parts = [json.loads(path.read_text()) for path in corpus("agents/opencode/storage_v2/part/*/*.json")]
    messages = [
        json.loads(path.read_text()) for path in corpus("agents/opencode/storage_v2/message/*/*.json")
    ]
    found = counted(SOURCE.name, *paths)
    assert (found["sessions"], found["refused"]) == (len(paths), 0)
    assert found["turns"] == sum(each["role"] == "assistant" for each in messages)
    assert found["calls"] == found["results"] == sum(each["type"] == "tool" for each in parts)


@pytest.mark.parametrize(
    ("error", "arguments", "reason"),
    [
        ("Model tried to call unavailable tool 'go'. Available tools: bash", {}, Reason.UNKNOWN_ACTION),
        (
            'Invalid input for tool go: JSON parsing failed: Text: {"a": "b.\nError message: Unterminated string',
            '{"a": "b',
            Reason.SCHEMA_ERROR,
        ),
    ],
)
def test_a_refused_call_is_what_was_called(export, error, arguments, reason):
    """It stands as a tool of another name that has completed: it has the name that the model wrote, and has failed."""
    put = tool(
        input={"tool": "go", "error": error},
        output=f"The arguments provided to the tool are invalid: {error}",
    )
    (turn,) = session(export(put | {"tool": "invalid"})).turns
    assert (turn.calls[0].name, turn.calls[0].arguments) == ("go", arguments)
    assert judged(turn.results[0], SOURCE.wordings) == (ExecutionStatus.FAILED, reason, False)


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        ('JSON parsing failed: Text: {"a": "b.\nError message: no', '{"a": "b'),
        ("It is away.", {"value": '{"a": "b'}),
    ],
)
def test_kilo_puts_arguments_that_are_no_json_into_an_object(export, error, arguments):
    """Only its error tells them from a tool's own argument of that name."""
    put = tool(status="error", input={"value": '{"a": "b'}, error=f"Invalid input for tool bash: {error}")
    (turn,) = session(export(put)).turns
    assert turn.calls[0].arguments == arguments


@pytest.mark.parametrize(("value", "text"), [(None, "null"), (73, "73"), ("go", '"go"'), (["go"], '["go"]')])
def test_kilo_puts_json_that_is_no_object_into_one_too(export, value, text):
    """The model wrote the value alone."""
    error = f"The bash tool was called with invalid arguments: input: Expected object, got {text}.\nPlease rewrite"
    (turn,) = session(export(tool(status="error", input={"value": value}, error=error))).turns
    assert turn.calls[0].arguments == text


@pytest.mark.parametrize(
    ("note", "metadata", "status"),
    [
        (
            "shell tool terminated command after exceeding timeout 2000 ms.",
            {"exit": None},
            ExecutionStatus.TIMED_OUT,
        ),
        ("User aborted the command", {"exit": None}, ExecutionStatus.INTERRUPTED),
        ("exceeding timeout", {"exit": 0}, ExecutionStatus.SUCCEEDED),
        ("exceeding timeout", {}, ExecutionStatus.SUCCEEDED),
    ],
)
def test_a_command_that_was_stopped_is_no_success(export, note, metadata, status):
    """Its state is completed; it has no exit status, and a note says why."""
    said = tool(output=f"begun\n\n<shell_metadata>\n{note}\n</shell_metadata>", metadata=metadata)
    (turn,) = session(export(said)).turns
    assert judged(turn.results[0], SOURCE.wordings).status is status


def test_a_fork_has_the_messages_before_it_under_their_first_names(database):
    """They were copied under new names, with their times and calls; what comes behind is its own."""
    path = database(text("I look."), tool(output="a"))
    with closing(sqlite3.connect(path)) as connection:
        columns = "(id, project_id, directory, title, slug, version, time_created, time_updated)"
        connection.execute(
            f"INSERT INTO session {columns} VALUES ('ses_3', 'p', '/w', 'Look (fork #1)', 's', '1', 1730000010000, 1730000010000)"
        )
        copied = (
            "INSERT INTO message SELECT 'copy_' || id, 'ses_3', time_created, time_updated, data FROM message"
        )
        connection.execute(copied)
        connection.execute(
            "INSERT INTO part SELECT 'copy_' || id, 'copy_' || message_id, 'ses_3', 0, 0, data FROM part"
        )
        later = {key: value for key, value in ANSWER.items() if key != "id"} | {
            "time": {"created": 1730000020000}
        }
        connection.execute(
            "INSERT INTO message VALUES ('msg_9', 'ses_3', 1730000020000, 1730000020000, ?)",
            (json.dumps(later),),
        )
        connection.execute(
            "INSERT INTO part VALUES ('prt_9', 'msg_9', 'ses_3', 0, 0, ?)", (json.dumps(text("More.")),)
        )
        connection.commit()
    trunk, fork = (item for item in read(path) if isinstance(item, RecordedSession))
    assert (fork.parent, fork.relation) == ("ses_1", Relation.FORK)
    assert [turn.external_id for turn in trunk.turns] == ["msg_2"]
    assert [turn.external_id for turn in fork.turns] == ["msg_2", "msg_9"]
    assert [turn.formerly for turn in (*trunk.turns, *fork.turns)] == [(), ("copy_msg_2",), ()]


def test_a_database_of_kilos_is_read_as_what_it_is_a_fork_of(tmp_path):
    """Its indexes name functions that older versions of SQLite take for dangers; its versions are its own."""
    path = tmp_path / "kilo.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE kilo_board (id text)")
        database.execute(
            "CREATE TABLE session (id text, project_id text, parent_id text, directory text, title text, version text, time_created integer)"
        )
        database.execute("CREATE TABLE message (id text, session_id text, time_created integer, data text)")
        database.execute("CREATE TABLE part (id text, message_id text, session_id text, data text)")
        database.execute("CREATE INDEX recall ON message (id, json_extract(data, '$.role'))")
        database.execute("INSERT INTO session VALUES ('s', 'p', NULL, '/home/ada', 'Look', '7.7.9', 1)")
        told = {
            "role": "assistant",
            "modelID": "m",
            "time": {"created": 1},
            "tokens": {"input": 3, "output": 2},
        }
        database.execute("INSERT INTO message VALUES ('m', 's', 1, ?)", (json.dumps(told),))
        said = {"type": "text", "text": "Done."}
        database.execute("INSERT INTO part VALUES ('t', 'm', 's', ?)", (json.dumps(said),))
    (found,) = recognised(sample_of(path))
    assert found.source.name == "opencode"
    (session,) = (item for item in found.source.read(path, None) if isinstance(item, RecordedSession))
    assert (session.metadata["agent"], session.metadata["version"], session.turns[0].text) == (
        "kilo",
        "7.7.9",
        "Done.",
    )
