"""Crush's database: parts of messages in one column, arguments as they were written, sessions of sub-agents."""

import json
import sqlite3
from contextlib import closing

import pytest
from given_items import check_items
from hostile_values import with_one_part_changed

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.formats.crush import SOURCE, read
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged


def part(kind, **data):
    return {"type": kind, "data": data}


ASK = ("u1", "user", [part("text", text="Look"), part("finish", reason="stop", time=0)])
SAID = (
    "a1",
    "assistant",
    [
        part("reasoning", thinking="Let me think.", signature=""),
        part("text", text="I look."),
        part(
            "tool_call",
            id="c1",
            name="bash",
            input='{"command": "exit 3"}',
            provider_executed=False,
            finished=True,
        ),
        part("tool_call", id="c2", name="edit", input='{"file_path": "x', finished=True),
        part("finish", reason="tool_use", time=1730000002),
    ],
)
CAME = (
    "t1",
    "tool",
    [
        part(
            "tool_result",
            tool_call_id="c1",
            name="bash",
            content="out\nExit code 3\n\n<cwd>/w</cwd>",
            is_error=False,
        ),
        part(
            "tool_result",
            tool_call_id="c2",
            name="edit",
            content="old_string not found in file.",
            is_error=True,
        ),
    ],
)


@pytest.fixture
def database(tmp_path):
    """Writes a database and returns its path."""

    def of(*messages, sessions=(("s1", None, "A look"),)):
        path = tmp_path / "crush.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as opened, opened:
            opened.execute(
                "CREATE TABLE sessions (id text, parent_session_id text, title text, prompt_tokens integer, completion_tokens integer, cost real, created_at integer, updated_at integer)"
            )
            opened.execute(
                "CREATE TABLE messages (id text, session_id text, role text, parts text, model text, created_at integer, finished_at integer)"
            )
            for name, above, title in sessions:
                opened.execute(
                    "INSERT INTO sessions VALUES (?, ?, ?, 12, 3, 0.5, 1730000000, 1730000009)",
                    (name, above, title),
                )
            for place, (name, role, parts) in enumerate(messages):
                text = parts if isinstance(parts, str) else json.dumps(parts)
                row = (name, sessions[-1][0], role, text, "opus", 1730000000 + place)
                opened.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, NULL)", row)
        return path

    return of


def test_a_message_is_a_turn_with_its_arguments_as_they_were_written(database):
    """A command's exit status stands in its text; the session has the tokens."""
    path = database(ASK, SAID, CAME)
    assert [(each.source, each.sureness) for each in recognised(sample_of(path))] == [(SOURCE, 1.0)]
    (session,) = (item for item in read(path) if isinstance(item, RecordedSession))
    (turn,) = session.turns
    assert (turn.text, turn.reasoning, turn.prompt, turn.capture) == (
        "I look.",
        "Let me think.",
        "Look",
        Capture.ARGUMENTS,
    )
    assert [call.arguments for call in turn.calls] == ['{"command": "exit 3"}', '{"file_path": "x']
    assert [judged(result, SOURCE.wordings)[:2] for result in turn.results] == [
        (ExecutionStatus.FAILED, Reason.COMMAND_FAILED),
        (ExecutionStatus.FAILED, Reason.NO_MATCH),
    ]
    assert (turn.usage.finish_reason, turn.usage.output_tokens, session.metadata["output_tokens"]) == (
        "tool_use",
        None,
        3,
    )
    assert (session.metadata["title"], session.model) == ("A look", "opus")


def test_a_session_of_a_sub_agent_is_its_parents(database):
    """By the column that names it."""
    path = database(ASK, SAID, sessions=[("s1", None, "A look"), ("a1$$c1", "s1", "New Agent Session")])
    (session,) = (item for item in read(path) if isinstance(item, RecordedSession))
    assert (session.external_id, session.parent, session.relation) == ("a1$$c1", "s1", Relation.SUBAGENT)


def test_what_is_unknown_or_broken_is_told(database):
    """The other messages are there."""
    items = list(
        read(database(("x", "assistant", "[{"), SAID, ("y", "assistant", [part("hologram", beam=1)])))
    )
    assert sum(isinstance(item, Refusal) for item in items) == 1
    assert [(item.reason, item.detail) for item in items if isinstance(item, LeftOut)] == [
        (LeftOutReason.UNKNOWN_KIND, "hologram (beam)")
    ]


@pytest.mark.scaled
def test_no_value_in_a_part_stops_a_source(database):
    """Each part of a message, replaced by each strange value or left out."""
    for name, role, parts in (SAID, CAME):
        for changed in with_one_part_changed(parts):
            check_items(list(read(database(ASK, SAID, (f"{name}x", role, changed)))), SOURCE.wordings)


@pytest.mark.parametrize("reason", ["canceled", "end_turn"])
def test_a_last_answer_that_was_broken_off_says_so(database, reason):
    path = database(ASK, ("a", "assistant", [part("text", text="Well."), part("finish", reason=reason)]))
    (session,) = (each for each in read(path) if isinstance(each, RecordedSession))
    assert session.details.aborted == ("canceled" if reason == "canceled" else "")
