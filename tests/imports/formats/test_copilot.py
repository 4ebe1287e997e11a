"""Copilot CLI's events: what its versions have and have not, and what the client does in the model's place."""

import pytest

from actionledger.core.recordings import Compaction, RecordedSession
from actionledger.core.vocabulary import ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.formats.copilot import SOURCE
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.wordings import judged, with_end_told

START = {
    "type": "session.start",
    "id": "e0",
    "parentId": None,
    "timestamp": "2026-11-29T07:00:00.000Z",
    "data": {"sessionId": "s1", "copilotVersion": "1.0.102", "context": {"cwd": "/w", "branch": "main"}},
}


def event(kind, number, agent=None, **data):
    of = {"agentId": agent} if agent else {}
    return {
        "type": kind,
        "data": data,
        "id": f"e{number}",
        "parentId": "e0",
        "timestamp": "2026-11-29T07:00:01.000Z",
    } | of


def request(name="bash", arguments=None, call_id="c1"):
    return {
        "toolCallId": call_id,
        "name": name,
        "arguments": arguments or {"command": "x"},
        "type": "function",
    }


def sessions(items):
    return [item for item in items if isinstance(item, RecordedSession)]


def test_a_message_of_an_older_version_is_a_turn(read_lines):
    """It has no model and no call of an interface; a command's exit status stands in its text alone."""
    items = read_lines(
        SOURCE,
        START,
        event("user.message", 1, content="Look"),
        event(
            "assistant.message",
            2,
            content="",
            toolRequests=[{"toolCallId": "c1", "name": "bash", "arguments": {}}],
        ),
        event(
            "tool.execution_complete",
            3,
            toolCallId="c1",
            success=True,
            result={"content": "x\n<exited with exit code 3>"},
        ),
    )
    (session,) = sessions(items)
    (turn,) = session.turns
    assert (turn.external_id, turn.prompt, session.metadata["branch"]) == ("e2", "Look", "main")
    assert judged(with_end_told(turn.results[0]), SOURCE.wordings)[:2] == (
        ExecutionStatus.FAILED,
        Reason.COMMAND_FAILED,
    )


@pytest.mark.parametrize(
    ("kind", "by"),
    [
        ("denied-interactively-by-user", "person"),
        ("denied-no-approval-rule-and-could-not-request-from-user", "policy"),
        ("denied-by-permission-request-hook", "hook"),
    ],
)
def test_who_has_refused_a_call_is_told(read_lines, kind, by):
    """By the event that says how a permission was decided."""
    items = read_lines(
        SOURCE,
        START,
        event("assistant.message", 1, messageId="m", model="opus", content="", toolRequests=[request()]),
        event("permission.completed", 2, toolCallId="c1", result={"kind": kind}),
        event(
            "tool.execution_complete",
            3,
            toolCallId="c1",
            success=False,
            error={"message": "no", "code": "denied"},
        ),
    )
    assert [result.refused_by for result in sessions(items)[0].turns[0].results] == [by]


def test_a_response_without_a_message_is_there_with_what_it_took(read_lines):
    """Its text was cut by its length; one at the end of a file may get its message yet."""
    used = {"apiCallId": "a1", "inputTokens": 9, "outputTokens": 4, "finishReason": "length", "model": "opus"}
    items = read_lines(
        SOURCE,
        START,
        event("session.usage_record", 1, usage=used),
        event("assistant.turn_end", 2, turnId="0"),
        event("session.usage_record", 3, usage=used | {"apiCallId": "a2"}),
    )
    (turn,) = sessions(items)[0].turns
    assert (turn.text, turn.usage.output_tokens, turn.usage.finish_reason) == ("", 4, "length")
    waiting = [
        item for item in items if isinstance(item, LeftOut) and item.reason is LeftOutReason.NOT_RECORDED
    ]
    assert [(item.detail, item.count) for item in waiting] == [("response", 1)]


def test_a_run_that_only_failed_is_a_session(read_lines):
    items = read_lines(
        SOURCE,
        START,
        event("user.message", 1, content="Look"),
        event("session.error", 2, errorType="query", statusCode=400),
        event("session.shutdown", 3, shutdownType="routine"),
    )
    assert [len(session.turns) for session in sessions(items)] == [0]
    assert any(item.detail == "query 400" for item in items if isinstance(item, LeftOut))


def test_a_compaction_stands_before_the_response_that_follows_it(read_lines):
    """The response that it has asked for is a session of its own; one that failed has changed nothing."""
    told = {"model": "m", "inputTokens": 31, "outputTokens": 2}
    sizes = {"preCompactionTokens": 104, "postCompactionTokens": 37, "compactionTokensUsed": told}
    items = read_lines(
        SOURCE,
        START,
        event("assistant.message", 1, messageId="m1", content="Before."),
        event("session.compaction_complete", 2, success=True, compactionAttemptId="a", **sizes),
        event("assistant.message", 3, messageId="m2", content="After."),
        event("session.compaction_complete", 4, success=False, compactionAttemptId="b", **sizes),
        event("assistant.message", 5, messageId="m3", content="Later."),
    )
    found = [turn for each in sessions(items) if each.external_id == "s1" for turn in each.turns]
    assert [(turn.text, turn.compaction) for turn in found] == [
        ("Before.", None),
        ("After.", Compaction(tokens_before=104, tokens_after=37)),
        ("Later.", None),
    ]
