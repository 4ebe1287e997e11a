"""Calls left as text in recordings whose calls stand apart: each importer's messages are looked at, and results keep their calls."""

import json
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.vocabulary import Capture
from actionledger.imports.paths import import_path

AT = "2026-07-03T10:00:0{}.000Z"
QWEN = "<tool_call>\n<function={}>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>"
INVOKE = 'I look.\n\ncourt\n<invoke name="Read">\n<parameter name="file_path">/w/a</parameter>\n</invoke>'
GLM = "I search.\n<tool_call>search<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>"
MARKLESS = 'I look.\n\n{}(path="a.json")'

Files = dict[str, list[Any]]


def claude_code(text: str, thought: str = "") -> Files:
    place = {"sessionId": "s1", "cwd": "/w", "version": "2.1.200", "isSidechain": False}
    blocks = [{"type": "thinking", "thinking": thought}] if thought else [{"type": "text", "text": text}]
    message = {"id": "m1", "role": "assistant", "model": "opus", "content": blocks, "stop_reason": "end_turn"}
    usage = {"input_tokens": 3, "output_tokens": 50}
    return {
        "s1.jsonl": [
            {**place, "type": "user", "uuid": "u1", "parentUuid": None, "timestamp": AT.format(1), "message": {"role": "user", "content": "Read"}},
            {**place, "type": "assistant", "uuid": "a2", "parentUuid": "u1", "timestamp": AT.format(2), "message": {**message, "usage": usage}},
        ]
    }  # fmt: skip


def codex(text: str, thought: str = "") -> Files:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    if thought:
        said = {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": thought}],
            "encrypted_content": None,
        }
    tokens = {"input_tokens": 3, "output_tokens": 50, "total_tokens": 53}
    counted = {"type": "token_count", "info": {"last_token_usage": tokens, "total_token_usage": tokens}}
    lines = [
        ("session_meta", {"id": "s1", "timestamp": AT.format(1), "cwd": "/w", "cli_version": "0.150.0"}),
        (
            "response_item",
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
        ),
        ("response_item", said),
        ("event_msg", counted),
    ]
    return {"rollout-1.jsonl": [{"timestamp": AT.format(n), "type": kind, "payload": it} for n, (kind, it) in enumerate(lines)]}  # fmt: skip


def opencode(text: str, thought: str = "") -> Files:
    info = {
        "id": "ses_1",
        "projectID": "p",
        "directory": "/w",
        "title": "Look",
        "time": {"created": 1, "updated": 2},
    }
    asked = {
        "info": {"id": "msg_1", "role": "user", "time": {"created": 1}},
        "parts": [{"id": "prt_1", "type": "text", "text": "Look"}],
    }
    part = (
        {"id": "prt_2", "type": "reasoning", "text": thought}
        if thought
        else {"id": "prt_2", "type": "text", "text": text}
    )
    tokens = {"input": 3, "output": 50, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    answer = {"id": "msg_2", "role": "assistant", "modelID": "m", "time": {"created": 2}, "tokens": tokens}
    return {"ses_1.json": [{"info": info, "messages": [asked, {"info": answer, "parts": [part]}]}]}  # fmt: skip


def gemini_cli(text: str, thought: str = "") -> Files:
    thoughts = [{"subject": "Look", "description": thought}] if thought else []
    tokens = {"input": 3, "output": 50, "cached": 0, "thoughts": 0, "tool": 0, "total": 53}
    said = {
        "id": "g1",
        "type": "gemini",
        "content": "" if thought else text,
        "thoughts": thoughts,
        "model": "m",
        "tokens": tokens,
    }
    asked = {"id": "u1", "type": "user", "content": [{"text": "Look"}]}
    head = {"sessionId": "s1", "projectHash": "ab", "startTime": AT.format(1)}
    return {"session-1.json": [head | {"messages": [asked, said]}]}  # fmt: skip


def pi(text: str, thought: str = "") -> Files:
    content = [{"type": "thinking", "thinking": thought}] if thought else [{"type": "text", "text": text}]
    said = {
        "role": "assistant",
        "content": content,
        "model": "m",
        "usage": {"input": 3, "output": 50},
        "stopReason": "stop",
        "timestamp": 2,
    }
    head = {
        "type": "session",
        "id": "11111111-1111-1111-1111-111111111111",
        "timestamp": AT.format(1),
        "cwd": "/w",
    }
    asked = {"role": "user", "content": [{"type": "text", "text": "Look"}], "timestamp": 1}
    return {"s.jsonl": [head, *({"type": "message", "message": each} for each in (asked, said))]}  # fmt: skip


def bodies(text: str, thought: str = "") -> Files:
    tool = {
        "type": "function",
        "function": {
            "name": "search",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
        },
    }
    request = {"model": "glm-5", "messages": [{"role": "user", "content": "q"}], "tools": [tool]}
    message = {
        "role": "assistant",
        "content": "" if thought else text,
        "reasoning_content": thought or None,
        "tool_calls": None,
    }
    response = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1787000000, "model": "glm-5"}
    response |= {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    response |= {"usage": {"prompt_tokens": 3, "completion_tokens": 50, "total_tokens": 53}}
    return {"wire.jsonl": [{"request": request, "response": response}]}  # fmt: skip


WRITERS = {
    "claude_code": (claude_code, "Read", INVOKE),
    "codex": (codex, "exec_command", QWEN.format("exec_command")),
    "opencode": (opencode, "read", QWEN.format("read")),
    "gemini_cli": (gemini_cli, "read_file", QWEN.format("read_file")),
    "pi": (pi, "read", QWEN.format("read")),
    "provider_wire": (bodies, "search", GLM),
}


@pytest.fixture
def imported(tmp_path: Path):
    """Import what a recording holds, and return a ledger with it."""
    ledgers = []

    def of(files: Files, source: str) -> al.Ledger:
        for name, lines in files.items():
            (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        ledger = al.open_ledger(tmp_path / "l.duckdb")
        ledgers.append(ledger)
        report = import_path(tmp_path / next(iter(files)), ledger, format=source, workers=1)
        assert (report.turns, report.refusals) == (1, [])
        return ledger

    yield of
    for ledger in ledgers:
        ledger.close()


def found(ledger: al.Ledger) -> list[Any]:
    return ledger.sql("SELECT outcome, reason, action_count FROM parse_attempts").fetchall()


@pytest.mark.parametrize("source", WRITERS)
def test_a_call_left_as_text_has_failed(imported, source):
    """In each recording: an issue with its span in the recorded text, a group of failures with its tokens, and no action."""
    write, name, text = WRITERS[source]
    ledger = imported(write(text), source)
    assert found(ledger) == [("failed", "tool_markup_in_content", 0)]
    [(recorded, start, end)] = ledger.sql(
        "SELECT text, span_start, span_end FROM issues JOIN turns USING (turn_id)"
    ).fetchall()
    assert name in recorded[start:end]
    assert ledger.sql("SELECT count(*) FROM actions").fetchall() == [(0,)]
    [group] = al.failures(ledger).groups
    assert (str(group.key.code), group.spent.input_tokens, group.spent.output_tokens) == (
        "tool_markup_in_content",
        3,
        50,
    )


@pytest.mark.parametrize("source", WRITERS)
def test_a_name_of_a_tool_that_the_agent_brings_tells(imported, source):
    """No mark of any format, nobody says what was offered, and nothing has been called yet."""
    write, name, _ = WRITERS[source]
    assert found(imported(write(MARKLESS.format(name)), source)) == [("failed", "tool_markup_in_content", 0)]


@pytest.mark.parametrize("source", WRITERS)
@pytest.mark.parametrize(
    "text",
    ["I should call {} next.", "It left `{}(path='a')` as text.", "```\n{}(path='a')\n```\n\nSo it was."],
)
def test_a_mention_is_none(imported, source, text):
    write, name, _ = WRITERS[source]
    assert found(imported(write(text.format(name)), source)) == [("no_action", None, 0)]


@pytest.mark.parametrize("source", WRITERS)
def test_a_call_left_in_thoughts_has_failed(imported, source):
    """Where the message holds nothing else; the thoughts are no part of the recorded text."""
    write, _, text = WRITERS[source]
    assert found(imported(write("", thought=text), source)) == [("failed", "tool_markup_in_reasoning", 0)]


def test_results_keep_their_calls(ledger):
    """Calls without an identifier are known by their place, whatever text stands before them."""
    calls = (al.RecordedCall("", "read", {"path": "a"}), al.RecordedCall("", "read", {"path": "b"}))
    results = (al.RecordedResult("", "A"), al.RecordedResult("", "B"))
    text = QWEN.format("search")
    turn = al.RecordedTurn(0, text, capture=Capture.CALLS, calls=calls, results=results)
    al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
    assert ledger.sql("SELECT outcome, reason FROM parse_attempts").fetchall() == [
        ("partial", "tool_markup_in_content")
    ]
    query = "SELECT actions.arguments, result FROM executions JOIN actions USING (action_id) ORDER BY 1"
    assert ledger.sql(query).fetchall() == [('{"path":"a"}', '"A"'), ('{"path":"b"}', '"B"')]


def test_a_name_that_the_session_has_called_tells(ledger):
    """Where nothing else says which tools there are."""
    made = al.RecordedTurn(
        0, "", capture=Capture.CALLS, calls=(al.RecordedCall("c", "look_up", {"key": "a"}),)
    )
    left = al.RecordedTurn(1, 'Now:\n\nlook_up(key="b")', capture=Capture.CALLS)
    for name, turns in (("s", (made, left)), ("t", (left,))):
        al.import_sessions(ledger, [al.RecordedSession(name, None, "m", "", turns)])
    outcomes = ledger.sql("SELECT outcome FROM parse_attempts ORDER BY outcome").fetchall()
    assert outcomes == [("clean",), ("failed",), ("no_action",)]


def test_rereading_leaves_them_alone(ledger):
    """Texts beside calls are no raw texts: another parser reads none of them again, and the first readings stand."""
    turns = (al.RecordedTurn(0, INVOKE, capture=Capture.CALLS), al.RecordedTurn(1, GLM))
    al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", turns)])
    report = al.reparse(ledger, parser="auto", workers=1)
    assert (report.turns, report.counts["same"]) == (1, 1)
