"""What was imported before is known again: recordings of agents have the identifiers that ledgers have of them, and importing twice doubles nothing."""

import hashlib
import json

import pytest

from actionledger import import_path, open_ledger

AT = "2026-06-17T11:20:24Z"


def _codex(kind: str, **payload) -> dict:
    return {"timestamp": AT, "type": kind, "payload": payload}


def _claude(kind: str, uuid: str, message: dict) -> dict:
    return {
        "type": kind,
        "sessionId": "s",
        "uuid": uuid,
        "parentUuid": None,
        "timestamp": AT,
        "message": message,
    }


_TOKENS = {"last_token_usage": {"output_tokens": 3}, "total_token_usage": {"output_tokens": 3}}
_BLOCKS = [
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
]
_GIVEN = [{"type": "tool_result", "tool_use_id": "t1", "content": "a", "is_error": False}]
_SHELL = [{"functionResponse": {"response": {"output": "a"}}}]

FILES = {
    "rollout-1.jsonl": [
        _codex("session_meta", id="s", timestamp=AT),
        _codex("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "I look."}]),
        _codex("response_item", type="function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c1"),
        _codex("response_item", type="function_call", name="exec_command", arguments='{"cmd":', call_id="c2"),
        _codex("event_msg", type="exec_command_end", call_id="c1", exit_code=3),
        _codex("response_item", type="function_call_output", call_id="c1", output="a"),
        _codex("response_item", type="function_call_output", call_id="c2", output="failed to parse function arguments: x"),
        _codex("event_msg", type="token_count", info=_TOKENS),
        _codex("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
    ],
    "session.jsonl": [
        _claude("assistant", "u1", {"id": "m1", "model": "m", "role": "assistant", "content": _BLOCKS}),
        _claude("user", "u2", {"role": "user", "content": _GIVEN}),
        _claude("assistant", "u3", {"id": "m2", "model": "m", "role": "assistant", "content": _BLOCKS[:1]}),
    ],
    "session-1.jsonl": [
        {"sessionId": "s", "projectHash": "ab", "startTime": AT},
        {"id": "g1", "type": "gemini", "content": "I look.", "toolCalls": [{"id": "c1", "name": "run_shell_command", "args": {}, "result": _SHELL, "status": "success"}]},
        {"id": "g2", "type": "gemini", "content": "Done.", "tokens": {"input": 1, "output": 2}},
    ],
    "pi.jsonl": [
        {"type": "session", "id": "11111111-1111-1111-1111-111111111111", "timestamp": AT, "cwd": "/w"},
        {"type": "message", "message": {"role": "assistant", "timestamp": 1, "content": [{"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}]}},
        {"type": "message", "message": {"role": "toolResult", "toolCallId": "c1", "content": "a", "isError": False}},
    ],
    "s.messages.json": [{"version": 1, "agent": "lead", "sessionId": "s", "messages": [{"role": "assistant", "content": _BLOCKS}, {"role": "user", "content": _GIVEN}]}],
}  # fmt: skip
"""Recordings as the importers have known them for long, none with what has changed since."""

KNOWN = {
    "rollout-1.jsonl": "cb89327939641889",
    "session.jsonl": "2c24a7c25c58ba07",
    "session-1.jsonl": "6f49b3939ef26205",
    "pi.jsonl": "183464fc203d998e",
    "s.messages.json": "17bdb5fbeb18b1a9",
}
"""What the identifiers of their turns, actions and executions come to in the ledgers that there are: these may not change."""

_IDS = """
SELECT turn_id::VARCHAR FROM turns UNION ALL SELECT action_id::VARCHAR FROM actions
UNION ALL SELECT execution_id::VARCHAR || action_id::VARCHAR FROM executions ORDER BY ALL"""


@pytest.mark.parametrize("name", FILES)
def test_what_was_imported_has_the_same_names(tmp_path, name):
    """A ledger of before knows all of it, and a second import adds nothing."""
    path = tmp_path / name
    for _ in range(2):
        path.write_text("".join(json.dumps(line) + "\n" for line in FILES[name]))
        import_path(path, tmp_path / "x.duckdb")
        with open_ledger(tmp_path / "x.duckdb") as ledger:
            ids = [row[0] for row in ledger.sql(_IDS).fetchall()]
            assert ledger.sql("SELECT count(*) FROM superseded").fetchall() == [(0,)]
        assert hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16] == KNOWN[name]
