"""Cline's sessions and Roo Code's tasks: blocks of today, and calls as XML in the text before."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports import import_sessions
from actionledger.imports.formats.cline import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

ASK = {
    "role": "user",
    "content": [{"type": "text", "text": "Read a"}, {"type": "file", "path": "a", "content": "x"}],
}
SAID = {
    "id": "msg_1",
    "role": "assistant",
    "content": [
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "toolu_1", "name": "read_files", "input": {"files": ["a"]}},
    ],
    "ts": 1783376873493,
    "modelInfo": {"id": "claude", "provider": "cline"},
    "metrics": {
        "inputTokens": 9,
        "outputTokens": 3,
        "cacheReadTokens": 4,
        "cacheWriteTokens": 0,
        "cost": 0.5,
    },
}


def came(content):
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": content}],
    }


@pytest.fixture
def items(tmp_path):
    """Writes a session of the SDK and returns what is read of it."""

    def of(*messages):
        path = tmp_path / "session.messages.json"
        path.write_text(json.dumps({"version": 1, "agent": "lead", "sessionId": "s1", "messages": messages}))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("cline", 1)]
        return list(read(path))

    return of


@pytest.fixture
def task(tmp_path):
    """Writes a task of the editor and returns its session."""

    def of(*messages, notes=()):
        folder = tmp_path / "1733412345678"
        folder.mkdir(exist_ok=True)
        path = folder / "api_conversation_history.json"
        path.write_text(json.dumps(messages))
        (folder / "ui_messages.json").write_text(json.dumps(notes))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("cline", 1)]
        return path

    return of


def session(items):
    (found,) = (item for item in items if isinstance(item, RecordedSession))
    return found


def test_a_session_has_its_tokens_its_cost_and_its_times(items):
    """Input has what came from the cache already."""
    found = items(ASK, SAID, came([{"query": "a", "result": "x", "success": True}]))
    (turn,) = session(found).turns
    assert (turn.text, turn.prompt, turn.capture, turn.model) == (
        "I read.",
        "Read a",
        Capture.CALLS,
        "claude",
    )
    assert (turn.usage.input_tokens, turn.usage.cached_tokens, turn.usage.cost_usd) == (9, 4, 0.5)
    assert str(turn.occurred_at) == "2026-07-06 22:27:53.493000"
    assert turn.results[0].is_error is False
    assert [(item.reason, item.detail) for item in found if isinstance(item, LeftOut)] == [
        (LeftOutReason.NO_TEXT, "file")
    ]


@pytest.mark.parametrize(
    "content", [[{"query": "a", "error": "gone", "success": False}], '{"success": false}']
)
def test_what_a_tool_says_of_its_success_counts(items, content):
    """Whether it stands there as JSON or as its text."""
    assert session(items(ASK, SAID, came(content))).turns[0].results[0].is_error is True


XML = "I read.\n\n<read_file>\n<path>a</path>\n</read_file>"


def told(*texts):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def old(*results, notes=()):
    messages = [told("<task>\nRead a\n</task>", "<environment_details>\nx\n</environment_details>")]
    for result in results:
        messages += [{"role": "assistant", "content": [{"type": "text", "text": XML}]}, told(*result)]
    return messages


def test_calls_in_the_text_are_read_as_text(task):
    """What came of them is a text of the person's; what the editor put beside it is nobody's."""
    path = task(*old(["[read_file for 'a'] Result:", "text of a", "<environment_details>\nx"]))
    found = list(read(path))
    (turn,) = session(found).turns
    assert (session(found).external_id, turn.text, turn.capture) == ("1733412345678", XML, Capture.TEXT)
    assert (turn.prompt, turn.feedback) == ("<task>\nRead a\n</task>", None)
    assert [(each.call_id, each.output) for each in turn.results] == [("", "text of a")]
    assert [(item.reason, item.count) for item in found if isinstance(item, LeftOut)] == [
        (LeftOutReason.INJECTED_CONTEXT, 2)
    ]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("The user denied this operation.", Reason.REJECTED),
        ("The tool execution failed with the following error:\n<error>\nENOENT\n</error>", Reason.TOOL_ERROR),
        ("Missing value for required parameter 'path'. Please retry.", Reason.SCHEMA_ERROR),
        ("text of a", None),
    ],
)
def test_what_came_of_a_call_in_a_text_is_told_by_its_words(task, said, reason):
    (result,) = session(read(task(*old([f"[read_file for 'a'] Result:\n{said}"])))).turns[0].results
    found = judged(result, SOURCE.wordings)
    assert (found.reason, found.is_inferred) == (reason, True)


def test_what_a_person_says_is_feedback(task):
    assert session(read(task(*old(["No, b."])))).turns[0].feedback == "No, b."


def test_tokens_stand_in_the_notes_beside_a_task(task):
    """One note a turn; where there are more, nobody knows which is whose."""
    note = {
        "say": "api_req_started",
        "text": json.dumps({"tokensIn": 5, "tokensOut": 3, "cacheReads": 4, "cost": 0.5}),
    }
    (turn,) = session(read(task(*old(["ok"]), notes=[note, {"say": "text", "text": "x"}]))).turns
    assert (turn.usage.input_tokens, turn.usage.output_tokens, turn.usage.cost_usd) == (9, 3, 0.5)
    found = list(read(task(*old(["ok"]), notes=[note, note])))
    assert session(found).turns[0].usage.output_tokens is None
    assert (LeftOutReason.BOOKKEEPING, 2) in [(i.reason, i.count) for i in found if isinstance(i, LeftOut)]


def test_a_result_of_a_text_is_found_in_a_ledger(task, ledger):
    """The call is read by a dialect, and what came of it belongs to it."""
    path = task(*old(["[read_file for 'a'] Result:\nThe user denied this operation."]))
    import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
    assert ledger.sql("SELECT name FROM actions").fetchall() == [("read_file",)]
    assert ledger.sql("SELECT status, reason, is_inferred FROM executions").fetchall() == [
        ("denied", "rejected", True)
    ]


@pytest.mark.corpus
def test_a_session_of_others_is_read_whole(corpus, counted):
    """As many turns, calls and tokens as its messages say."""
    (path,) = corpus("agents/cline/*.json")
    messages = [each for each in json.loads(path.read_text())["messages"] if each["role"] == "assistant"]
    found = counted(SOURCE.name, path)
    assert (found["sessions"], found["turns"], found["refused"]) == (1, len(messages), 0)
    assert (
        found["calls"]
        == found["results"]
        == sum(part["type"] == "tool_use" for each in messages for part in each["content"])
    )
    assert found["tokens"] == sum(each["metrics"]["outputTokens"] for each in messages)


def test_arguments_that_could_not_be_parsed_stand_beside_the_message(items):
    """The call has none; it was refused."""
    invalid = {"toolCallId": "toolu_1", "toolName": "read_files", "input": {"rawInputText": '{"files": ["a'}}
    said = SAID | {"metadata": {"invalidToolCalls": [invalid]}}
    refused = came('{"error":"Tool call read_files emitted invalid JSON arguments: no"}')
    refused["content"][0]["is_error"] = True
    (found,) = (item for item in items(ASK, said, refused) if isinstance(item, RecordedSession))
    (turn,) = found.turns
    assert turn.calls[0].arguments == '{"files": ["a'
    assert judged(turn.results[0], SOURCE.wordings) == (ExecutionStatus.FAILED, Reason.SCHEMA_ERROR, False)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("AI_NoSuchToolError: Model tried", (ExecutionStatus.FAILED, Reason.UNKNOWN_ACTION)),
        (
            'Tool "run" requires approval in a TTY session -- NOT a failure.',
            (ExecutionStatus.DENIED, Reason.NOT_APPROVED),
        ),
    ],
)
def test_a_refusal_is_told_by_its_words(items, words, expected):
    """The flag alone says that it is an error."""
    refused = came(words)
    refused["content"][0]["is_error"] = True
    (found,) = (item for item in items(ASK, SAID, refused) if isinstance(item, RecordedSession))
    assert judged(found.turns[0].results[0], SOURCE.wordings)[:2] == expected


def test_a_call_that_is_left_in_the_text_is_none(items):
    """A session's client splits calls off, also of a session in which there was none."""
    shown = "I run it.\n<tool_call>\n{}\n</tool_call>"
    found = items(ASK, {"role": "assistant", "content": [{"type": "text", "text": shown}]})
    (session,) = (each for each in found if isinstance(each, RecordedSession))
    assert [(turn.text, turn.capture) for turn in session.turns] == [(shown, Capture.CALLS)]


def test_what_went_wrong_in_the_client_is_no_answer(items):
    """It stands in the model's place; what comes behind it keeps its own."""
    error = {"role": "assistant", "content": [{"type": "text", "text": "The socket was closed"}]}
    error["metadata"] = {"displayOnly": True, "displayRole": "error"}
    found = items(ASK, SAID, error, ASK, SAID | {"id": "msg_2"})
    (session,) = (item for item in found if isinstance(item, RecordedSession))
    assert [turn.index for turn in session.turns] == [0, 2]
    assert (LeftOutReason.MADE_BY_CLIENT, "error") in {
        (i.reason, i.detail) for i in found if isinstance(i, LeftOut)
    }


def test_a_sub_agent_names_the_session_above_it(tmp_path):
    """Also where nothing is known of that one; another origin is none."""
    for number, origin in enumerate(({"mode": "subagent", "parentThreadId": "s0"}, {"mode": "user"}, "x")):
        path = tmp_path / f"{number}.messages.json"
        head = {"version": 1, "agent": "subagent", "sessionId": f"s0__agent_{number}", "origin": origin}
        path.write_text(json.dumps(head | {"messages": [ASK, SAID]}))
        (found,) = (each for each in read(path) if isinstance(each, RecordedSession))
        assert (found.parent, found.relation) == (("s0", Relation.SUBAGENT) if number == 0 else ("", None))
