"""What goose 1.52.0 wrote into its database when it was run against a scripted model: rows of those runs, with shorter texts."""

import json
import sqlite3
from contextlib import closing

import pytest
from given_items import sessions

import actionledger as al
from actionledger.core.vocabulary import ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.formats.goose import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.wordings import judged

SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', session_type TEXT NOT NULL DEFAULT 'user',
    working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, goose_mode TEXT NOT NULL DEFAULT 'auto',
    model_config_json TEXT, parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    model TEXT, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cost REAL);
"""
CUT = (
    "-32602: The model's response was truncated — it hit the output token limit while generating this tool call.\n"
    'Received 13 characters; cut off at: {"command": "'
)


def asks(words="Do it."):
    return "user", "msg_u", [{"type": "text", "text": words}], {}


def says(message_id, text="", calls=(), usage=None):
    """A message of the model's; each call has its place, identifier, name and arguments."""
    content = [{"type": "text", "text": text}] if text else []
    for place, call_id, name, arguments in calls:
        made = {"status": "success", "value": {"name": name, "arguments": arguments}}
        content.append(
            {
                "type": "toolRequest",
                "id": call_id,
                "toolCall": made,
                "_meta": {"goose.toolCall.providerIndex": place},
            }
        )
    metadata = {"inference": {"provider": "openai", "requestedModel": "asked"}}
    counts = {"inputTokens": usage, "outputTokens": 30, "cacheReadTokens": 20, "elapsedMs": 144, "timeToFirstTokenMs": 69}  # fmt: skip
    return "assistant", message_id, content, metadata | ({"usage": counts} if usage else {})


def came(call_id, text="", structured=None, *, is_error=False, error=""):
    value = {"content": [{"type": "text", "text": text}], "isError": is_error}
    value |= {"structuredContent": structured} if structured else {}
    told = {"status": "error", "error": error} if error else {"status": "success", "value": value}
    return "user", f"msg_{call_id}", [{"type": "toolResponse", "id": call_id, "toolResult": told}], {}


def database(path, *told, served=()):
    """A database of sessions, each a tuple of its name, its columns and its messages."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        for name, columns, messages in told:
            row = {"id": name, "working_dir": "/w"} | columns
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO sessions ({', '.join(row)}) VALUES ({marks})", (*row.values(),))
            for number, (role, message_id, content, metadata) in enumerate(messages):
                connection.execute(
                    "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (message_id, name, role, json.dumps(content), 100 + number, json.dumps(metadata)),
                )
        connection.executemany(
            "INSERT INTO usage_ledger (session_id, created_timestamp, model, input_tokens, output_tokens, cache_read_tokens, cost) "
            "VALUES (?, 1, ?, ?, 30, 20, 0.5)",
            served,
        )
        connection.commit()
    return path


SHELL = {"stdout": "a", "stderr": "", "exit_code": 0}


def test_a_response_has_its_tokens_its_times_and_the_model_that_answered(tmp_path):
    """The message says which model was asked, the table of responses which one answered; one of its rows has no message."""
    told = [asks(), says("c1", "One.", [(0, "k", "shell", {"command": "ls"})], 100), came("k", "a", SHELL), says("c2", "Two.", usage=300)]  # fmt: skip
    served = [("s", "served", 100), ("s", "served", 200), ("s", "other", 300)]
    [found] = sessions(
        read(database(tmp_path / "sessions.db", ("s", {"goose_mode": "approve"}, told), served=served))
    )
    first, second = found.turns
    assert first.usage == al.Usage(
        input_tokens=100, output_tokens=30, cached_tokens=20, cost_usd=0.5, latency_ms=144, time_to_first_token_ms=69
    )  # fmt: skip
    assert [first.model, second.model] == ["served", "other"]
    assert found.details.permission_mode == "approve"
    [without] = sessions(read(database(tmp_path / "other.db", ("s", {}, told))))
    assert [turn.model for turn in without.turns] == ["asked", "asked"]


def test_a_response_with_several_calls_is_one_turn(tmp_path):
    """goose writes a message for each call, with the earlier call's result between them; a later response begins at place 0."""
    told = [
        asks(),
        says("c1", "Both.", [(0, "k0", "shell", {"command": "a"})], 100),
        came("k0", "a", SHELL),
        says("m1", "", [(1, "k1", "shell", {"command": "b"})]),
        came("k1", "b\n\nCommand exited with code 4", SHELL | {"exit_code": 4}, is_error=True),
        says("c2", "", [(0, "k2", "shell", {"command": "c"})], 200),
        came("k2", "c", SHELL),
    ]
    [found] = sessions(read(database(tmp_path / "sessions.db", ("s", {}, told))))
    first, second = found.turns
    assert ([call.call_id for call in first.calls], first.formerly) == (["k0", "k1"], ("m1",))
    assert [judged(result, SOURCE.wordings).status for result in first.results] == [
        ExecutionStatus.SUCCEEDED,
        ExecutionStatus.FAILED,
    ]
    assert first.results[1].exit_status == 4
    assert [call.call_id for call in second.calls] == ["k2"]


@pytest.mark.parametrize(
    ("error", "name", "arguments", "reason"),
    [
        (CUT, "", '{"command": "', Reason.SCHEMA_ERROR),
        (CUT.replace("13", "90"), "", '…{"command": "', Reason.SCHEMA_ERROR),
        ("-32602: Tool arguments for shell (id k) must be a JSON object, got an array. Raw arguments: '[\"it's\"]'", "shell", '["it\'s"]', Reason.SCHEMA_ERROR),
        ("-32602: Tool arguments for shell (id k) were truncated because the model reached its output token limit", "shell", {}, Reason.SCHEMA_ERROR),
        ("-32600: Tool 'teleport' was not advertised for this model turn", "teleport", {}, Reason.UNKNOWN_ACTION),
    ],
)  # fmt: skip
def test_a_call_that_could_not_be_read_has_the_name_and_the_text_of_its_error(
    tmp_path, error, name, arguments, reason
):
    """goose stores it as ``unparseable_tool_call`` without arguments, and as running well."""
    told = [
        asks(),
        says("c1", "", [(0, "k", "unparseable_tool_call", {})], 100),
        came("k", error=error),
        says("c2", "So."),
    ]
    [found] = sessions(read(database(tmp_path / "sessions.db", ("s", {}, told))))
    [call] = found.turns[0].calls
    assert (call.name, call.arguments) == (name, arguments)
    assert judged(found.turns[0].results[0], SOURCE.wordings).reason is reason
    is_cut = "output token limit" in error and name == "shell"
    assert found.turns[0].usage.finish_reason == ("length" if is_cut else "")


@pytest.mark.parametrize(
    ("structured", "text", "status", "reason"),
    [
        ({"stdout": "a", "stderr": "", "timed_out": True}, "a\n\nCommand timed out after 2 seconds", ExecutionStatus.TIMED_OUT, Reason.TIMEOUT),
        ({"stdout": "a", "stderr": ""}, "a", ExecutionStatus.FAILED, Reason.COMMAND_FAILED),
        ({"stdout": "", "stderr": "Error: Failed to parse arguments: x"}, "Error: Failed to parse arguments: x", ExecutionStatus.FAILED, Reason.SCHEMA_ERROR),
        (None, "No match found for the specified text.", ExecutionStatus.FAILED, Reason.NO_MATCH),
    ],
)  # fmt: skip
def test_a_failure_is_told_by_how_the_command_ended(tmp_path, structured, text, status, reason):
    """A command that a signal ended has no exit status, and its words are its output alone."""
    told = [asks(), says("c1", "", [(0, "k", "shell", {"command": "ls"})], 100), came("k", text, structured, is_error=True)]  # fmt: skip
    [found] = sessions(read(database(tmp_path / "sessions.db", ("s", {}, told))))
    told_of = judged(found.turns[0].results[0], SOURCE.wordings)
    assert (told_of.status, told_of.reason) == (status, reason)


TRUNK = [asks(), says("c1", "Trunk.", [(0, "k", "shell", {"command": "ls"})], 100), came("k", "a", SHELL), says("c2", "End.", usage=200)]  # fmt: skip


def test_a_fork_has_its_own_messages_alone_and_names_its_origin(tmp_path):
    """A fork begins with a copy of all messages, under their names and times, and does not say so."""
    branch = [
        *TRUNK,
        ("user", "msg_v", [{"type": "text", "text": "On."}], {}),
        says("c3", "Branch.", usage=300),
    ]
    again = [*branch, says("c4", "Twig.", usage=400)]
    path = database(tmp_path / "sessions.db", ("1", {}, TRUNK), ("2", {}, branch), ("3", {}, again))
    items = list(read(path))
    trunk, fork, twig = sessions(items)
    assert [[turn.text for turn in each.turns] for each in (trunk, fork, twig)] == [
        ["Trunk.", "End."],
        ["Branch."],
        ["Twig."],
    ]
    assert [(each.parent, each.relation) for each in (trunk, fork, twig)] == [
        ("", None),
        ("1", Relation.FORK),
        ("2", Relation.FORK),
    ]
    assert trunk.turns[0].formerly == (("2", "c1"), ("3", "c1"))
    assert sum(isinstance(item, LeftOut) and item.reason is LeftOutReason.DUPLICATE for item in items) == 2


def test_an_answer_that_another_session_has_under_the_same_name_is_no_copy(tmp_path):
    """Some servers give their answers the same names again: only what a session begins with is a copy."""
    other = [("user", "msg_w", [{"type": "text", "text": "Other."}], {}), *TRUNK[1:]]
    found = sessions(read(database(tmp_path / "sessions.db", ("1", {}, TRUNK), ("2", {}, other))))
    assert [(len(each.turns), each.parent) for each in found] == [(2, ""), (2, "")]


def test_a_delegated_task_is_a_session_below(tmp_path):
    child = {"session_type": "sub_agent", "parent_session_id": "1"}
    helper = [("user", "msg_h", [{"type": "text", "text": "Look."}], {}), says("c9", "Seen.", usage=900)]
    found = sessions(read(database(tmp_path / "sessions.db", ("1", {}, TRUNK), ("2", child, helper))))
    assert [(each.parent, each.relation) for each in found] == [("", None), ("1", Relation.SUBAGENT)]


def test_copies_that_an_earlier_version_recorded_are_superseded(tmp_path):
    """Before, a fork's copies and a response's later calls were turns of their own."""
    branch = [*TRUNK, says("c3", "Branch.", usage=300)]
    path = database(tmp_path / "sessions.db", ("1", {}, TRUNK), ("2", {}, branch))
    call = al.RecordedCall("k", "shell", {"command": "ls"})
    copy = al.RecordedTurn(0, "Trunk.", external_id="c1", capture=al.Capture.CALLS, calls=(call,))
    before = al.RecordedSession("2", None, "asked", "", (copy,), source="goose")
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        al.import_sessions(ledger, [before])
        al.import_path(path, ledger)
        assert ledger.sql("SELECT text FROM turns ORDER BY text").fetchall() == [
            ("Branch.",),
            ("End.",),
            ("Trunk.",),
        ]
