"""Commands that went on behind an agent, or were late: how they ended is told elsewhere, or in words."""

import json

import pytest

from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.registry import source_named
from actionledger.imports.sources.wordings import judged, with_end_told

RUNNING = "task_id: bash-1\npid: 7\nstatus: running\nautomatic_notification: true\n"


def outcomes(name, path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    source = source_named(name)
    turns = [turn for item in source.read(path, None) for turn in getattr(item, "turns", ())]
    return [judged(with_end_told(each), source.wordings)[:2] for turn in turns for each in turn.results]


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        ("completed", 0, (ExecutionStatus.SUCCEEDED, None)),
        ("failed", 4, (ExecutionStatus.FAILED, Reason.COMMAND_FAILED)),
        ("timed_out", None, (ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)),
        ("killed", None, (ExecutionStatus.INTERRUPTED, Reason.STOPPED)),
    ],
)
def test_kimi_says_at_its_end_how_a_command_ended_that_went_on(tmp_path, status, code, expected):
    def event(**fields):
        return {"type": "context.append_loop_event", "event": fields, "time": 1}

    lines = [
        {"type": "metadata", "protocol_version": "1.5"},
        event(type="tool.call", stepUuid="a", toolCallId="c1", name="Bash", args={"command": "sleep 9"}),
        event(type="tool.result", toolCallId="c1", result={"output": RUNNING}),
        {"type": "task.terminated", "info": {"status": status, "exitCode": code, "parentToolCallId": "c1"}},
    ]
    assert outcomes("kimi_code", tmp_path / "wire.jsonl", lines) == [expected]


def test_droid_says_in_words_alone_that_a_command_was_late(tmp_path):
    late = "Command timed out after 2 seconds. Consider increasing the timeout for long-running commands.\n"
    call = {"type": "tool_use", "id": "c1", "name": "Execute", "input": {"command": "sleep 9"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "is_error": False, "content": late}
    lines = [
        {"type": "session_start", "id": "s1", "title": "Go"},
        {"type": "message", "id": "a", "message": {"role": "assistant", "content": [call]}},
        {"type": "message", "id": "b", "message": {"role": "user", "content": [result]}},
    ]
    assert outcomes("droid", tmp_path / "s1.jsonl", lines) == [(ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)]
