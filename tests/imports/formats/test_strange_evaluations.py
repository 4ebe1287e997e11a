"""Whatever a recording of an evaluation or a software agent holds, its source goes on, and nothing else is lost."""

import json
from pathlib import Path

import pytest
from given_items import check_items
from hostile_values import with_one_part_changed

from actionledger.core.recordings import RecordedSession
from actionledger.imports.sources.base import Item, Refusal
from actionledger.imports.sources.registry import recognised, sample_of, source_named

AT = "2026-04-16T09:34:38.581Z"

LINES = {
    "gorilla_apibench": [
        {"question_id": 1, "text": "{'api_call': 'f()'}", "answer_id": "a", "model_id": "m"},
        {"question_id": 2, "text": "{'api_call': 'g()'}", "answer_id": "b", "model_id": "m"},
    ],
    "openhands": [
        {
            "id": "p",
            "kind": "SystemPromptEvent",
            "system_prompt": {"text": "Be brief."},
            "tools": [{"title": "t", "mcp_tool": {"inputSchema": {"type": "object"}}}],
        },
        {
            "id": "e",
            "timestamp": AT,
            "source": "agent",
            "kind": "ActionEvent",
            "thought": [{"type": "text", "text": "I look."}],
            "reasoning_content": "Hm.",
            "tool_name": "t",
            "tool_call_id": "a",
            "tool_call": {"id": "a", "name": "t", "arguments": "{}"},
            "llm_response_id": "r",
        },
        {
            "id": "o",
            "kind": "ObservationEvent",
            "tool_call_id": "a",
            "action_id": "e",
            "observation": {"content": [{"text": "x"}], "is_error": True, "exit_code": 1, "timeout": False},
        },
        {"id": "r", "kind": "UserRejectObservation", "action_id": "e", "rejection_reason": "No."},
        {"id": "u", "kind": "ConversationStateUpdateEvent"},
    ],
}
"""A few lines of each format whose lines are JSON objects."""

DOCUMENTS = {
    "intercode": {
        "0": {
            "environment": "ic_bash",
            "task_id": 0,
            "query": "Find it.",
            "turn_history": {
                "actions": ["ls"],
                "thoughts": ["Hm."],
                "observations": ["a.py"],
                "valid_action": [False],
            },
            "summary": {"max_reward": 1},
        }
    },
    "toolbench": {
        "win": True,
        "tree": {
            "tree": {
                "node_type": "Action Input",
                "children": [
                    {
                        "node_type": "Thought",
                        "description": "Hm.",
                        "children": [
                            {
                                "node_type": "Action",
                                "description": "find",
                                "children": [
                                    {
                                        "node_type": "Action Input",
                                        "description": "{}",
                                        "observation": "x",
                                        "observation_code": 11,
                                        "pruned": True,
                                        "children": [],
                                    }
                                ],
                            }
                        ],
                    }
                ],
            }
        },
        "answer_generation": {"query": "Find it.", "function": [{"name": "find"}], "train_messages": [[]]},
    },
    "openhands": [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Go."}, "timestamp": AT},
        {"id": 1, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": []}},
        {
            "id": 2,
            "source": "agent",
            "action": "run",
            "args": {"command": "ls", "thought": "Hm."},
            "tool_call_metadata": {
                "tool_call_id": "a",
                "model_response": {
                    "id": "r",
                    "choices": [
                        {
                            "message": {
                                "tool_calls": [{"id": "a", "function": {"name": "t", "arguments": "{}"}}]
                            }
                        }
                    ],
                    "usage": {"prompt_tokens": 1},
                },
            },
        },
        {
            "id": 3,
            "cause": 2,
            "observation": "run",
            "content": "x",
            "extras": {"exit_code": 1, "metadata": {"exit_code": 1}},
        },
        {"id": 4, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Hm."}},
    ],
    "swe_agent": {
        "trajectory": [
            {"action": "ls", "observation": "x", "response": "I look.", "thought": "I.", "execution_time": 1}
        ],
        "history": [
            {"role": "user", "content": [{"type": "text", "text": "Go."}]},
            {
                "role": "assistant",
                "action": "ls",
                "thought": "I.",
                "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": "{}"}}],
            },
        ],
        "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 1, "instance_cost": 0.5}},
        "replay_config": {
            "problem_statement": {"id": "p", "text": "Mend it."},
            "agent": {
                "model": {"name": "m"},
                "tools": {"parse_function": {"type": "function_calling"}},
            },
        },
    },
    "mini_swe_agent": {
        "info": {"exit_status": "Submitted", "model_stats": {"instance_cost": 1}, "config": {"model": {}}},
        "messages": [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": "```bash\nls\n```",
                "extra": {"response": {"usage": {"prompt_tokens": 1}}, "cost": 1, "timestamp": 1.5},
            },
            {"role": "user", "content": "<returncode>1</returncode>", "extra": {"returncode": 1}},
            {"role": "user", "content": "x", "extra": {"model_response": "No."}},
            {
                "object": "response",
                "output": [{"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}],
            },
            {"type": "function_call_output", "call_id": "c", "output": "ok"},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "p",
    },
    "inspect": {
        "version": 2,
        "status": "success",
        "eval": {"run_id": "r", "task_id": "t", "model": "m", "packages": {"inspect_ai": "0.3"}},
        "samples": [
            {
                "id": 1,
                "epoch": 1,
                "uuid": "u",
                "input": [{"role": "user", "content": "Go."}],
                "messages": [
                    {"id": "m1", "role": "assistant", "content": "I look."},
                    {
                        "role": "tool",
                        "tool_call_id": "a",
                        "content": "x",
                        "error": {"type": "timeout", "message": "x"},
                    },
                ],
                "scores": {"match": {"value": "C"}, "many": {"value": {"a": 1}}},
                "limit": {"type": "token"},
                "error": {"message": "x"},
                "attachments": {"h": "text"},
                "message_pool": [{"role": "user", "content": [{"type": "text", "text": "attachment://h"}]}],
                "events": [
                    {"event": "span_begin", "id": "s1", "parent_id": "s2", "type": "agent", "name": "n"},
                    {"event": "span_begin", "id": "s2", "parent_id": "s1", "type": "agent", "name": "n"},
                    {
                        "event": "model",
                        "model": "m",
                        "span_id": "s1",
                        "timestamp": AT,
                        "input_refs": [[0, 1]],
                        "tools": [{"name": "bash", "parameters": {}}],
                        "output": {
                            "model": "m",
                            "choices": [
                                {
                                    "message": {
                                        "id": "m1",
                                        "content": [
                                            {"type": "reasoning", "reasoning": "Hm."},
                                            {"type": "tool_use", "id": "w", "name": "s", "arguments": "{}"},
                                        ],
                                        "tool_calls": [
                                            {"id": "a", "function": "bash", "arguments": {"x": 1}}
                                        ],
                                    },
                                    "stop_reason": "stop",
                                }
                            ],
                            "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
                        },
                        "call": {
                            "response": {
                                "choices": [
                                    {
                                        "message": {
                                            "tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]
                                        }
                                    }
                                ]
                            }
                        },
                    },
                    {"event": "step", "action": "begin", "type": "scorer", "name": "n"},
                    {
                        "event": "tool",
                        "id": "a",
                        "function": "bash",
                        "result": [{"text": "x"}],
                        "events": [{"event": "model"}],
                        "working_time": 1,
                        "completed": AT,
                    },
                ],
            }
        ],
    },
}
"""A small document of each format whose files are one JSON document."""


def written(name: str, folder: Path, changed: object = None) -> Path:
    """Write a format's document, or its lines, or what has become of them."""
    path = folder / "recording.json"
    if name in DOCUMENTS:
        path.write_text(json.dumps(changed or DOCUMENTS[name]))
    else:
        lines = changed if isinstance(changed, list) else LINES[name]
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def read(name: str, path: Path) -> list[Item]:
    return list(source_named(name).read(path, None))


@pytest.mark.scaled
@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_value_in_a_document_stops_a_source(name, tmp_path):
    """Each part of it, replaced by each strange value or left out."""
    for changed in with_one_part_changed(DOCUMENTS[name]):
        check_items(read(name, written(name, tmp_path, changed)), source_named(name).wordings)


@pytest.mark.scaled
@pytest.mark.parametrize("name", LINES)
def test_no_value_in_a_line_stops_a_source(name, tmp_path):
    for changed in with_one_part_changed(LINES[name]):
        check_items(read(name, written(f"lines of {name}", tmp_path, changed)), source_named(name).wordings)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_is_cut_is_refused(name, tmp_path):
    """And raises nothing else; of a list, what stands whole in it is kept beside."""
    path = written(name, tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    kept = {RecordedSession} if isinstance(DOCUMENTS[name], list) else set()
    assert {type(item) for item in read(name, path)} == {Refusal} | kept


@pytest.mark.parametrize("name", LINES)
def test_a_file_of_lines_that_is_cut_keeps_what_it_had(name, tmp_path):
    """Wherever it breaks off in its last line, that one is refused."""
    path = written(f"lines of {name}", tmp_path, LINES[name])
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last + 1, len(whole) - 1, 7):
        path.write_bytes(whole[:end])
        items = read(name, path)
        assert [item.line for item in items if isinstance(item, Refusal)][:1] in ([len(LINES[name])], [0])
        assert any(isinstance(item, RecordedSession) and item.turns for item in items)


@pytest.mark.parametrize("name", [*DOCUMENTS, *(name for name in LINES if name not in DOCUMENTS)])
def test_a_format_is_its_own_and_no_others(name, tmp_path):
    """It is recognised for sure, and by no other format as surely."""
    first, *others = recognised(sample_of(written(name, tmp_path)))
    assert (first.source.name, first.sureness) == (name, 1)
    assert all(other.sureness < 1 for other in others)
