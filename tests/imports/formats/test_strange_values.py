"""Whatever a line holds, a source goes on: what it can't use is passed over, and nothing else is lost."""

import json
from pathlib import Path

import pytest
from given_items import check_items
from hostile_values import with_one_part_changed

from actionledger.core.recordings import RecordedSession
from actionledger.imports.sources.base import Item, Refusal
from actionledger.imports.sources.registry import recognised, sample_of, source_named

AT = "2026-04-16T09:34:38.581Z"
CLAUDE = {"sessionId": "s1", "parentUuid": None, "timestamp": AT, "version": "2"}

TRAJECTORY = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s1",
    "trajectory_id": "t1",
    "agent": {"name": "n", "model_name": "m", "tool_definitions": [{"function": {"name": "run"}}]},
    "steps": [
        {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "Do it."}]},
        {
            "step_id": 2,
            "timestamp": AT,
            "source": "agent",
            "message": "I do.",
            "reasoning_content": "Hm.",
            "tool_calls": [{"tool_call_id": "a", "function_name": "run", "arguments": {"x": 1}}],
            "observation": {"results": [{"source_call_id": "a", "content": "ok"}]},
            "metrics": {"prompt_tokens": 1, "completion_tokens": 2, "extra": {"reasoning_tokens": 1}},
        },
    ],
}

CALLED = [{"type": "tool_call", "id": "a", "name": "run", "arguments": {"x": 1}}]
SPAN = {
    "traceId": "4bedea77bb33b9c5f280371eae21ea97",
    "spanId": "00000000000000aa",
    "name": "chat m",
    "startTimeUnixNano": "1758026593000000000",
    "endTimeUnixNano": "1758026594000000000",
    "status": {"code": 2},
}


def spans(*given: dict) -> dict:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(given)}]}]}


def attributes(**given: object) -> dict:
    listed = [
        {"key": key.replace("__", "."), "value": {"stringValue": json.dumps(each)}}
        for key, each in given.items()
    ]
    return {"attributes": listed}


REQUEST = SPAN | attributes(
    gen_ai__request__model="m",
    gen_ai__input__messages=[{"role": "user", "parts": [{"type": "text", "content": "Do it."}]}],
    gen_ai__output__messages=[{"role": "assistant", "parts": CALLED}],
)
RAN = attributes(gen_ai__operation__name="execute_tool", gen_ai__tool__name="run", gen_ai__output="ok")
PHOENIX = {
    "context": {"trace_id": "4bedea77bb33b9c5f280371eae21ea97", "span_id": "00000000000000aa"},
    "name": "ChatCompletion",
    "start_time": AT,
    "status_code": "OK",
    "attributes": {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Do it.",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "a",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "run",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
        "llm.token_count.completion": 3,
    },
}

GENERATION = {
    "id": "o1",
    "traceId": "t1",
    "type": "GENERATION",
    "name": "chat",
    "parentObservationId": None,
    "startTime": AT,
    "input": {
        "messages": [{"role": "user", "content": "Do it."}],
        "tools": [{"name": "run", "parameters": {}}],
    },
    "output": {
        "role": "assistant",
        "content": "I do.",
        "tool_calls": [{"id": "a", "function": {"name": "run", "arguments": "{}"}}],
    },
    "usageDetails": {"input": 1, "output": 2, "total": 3},
    "costDetails": {"total": 0.5},
    "metadata": {"attributes": {"session.id": "s"}},
}
OBSERVED = {
    "trace": {"id": "t1", "tags": ["x"], "scores": [{"name": "n", "value": 1}]},
    "observations": [
        GENERATION,
        GENERATION | {"id": "o2", "type": "TOOL", "name": "run", "parentObservationId": "o1"},
    ],
}

RUN = {
    "id": "r1",
    "trace_id": "r1",
    "parent_run_id": None,
    "run_type": "llm",
    "name": "ChatOpenAI",
    "start_time": AT,
    "inputs": {"messages": [[{"lc": 1, "id": ["x", "HumanMessage"], "kwargs": {"content": "Do it."}}]]},
    "outputs": {
        "generations": [
            [
                {
                    "text": "I do.",
                    "message": {
                        "type": "ai",
                        "content": "I do.",
                        "tool_calls": [{"id": "a", "name": "run", "args": {}}],
                        "usage_metadata": {"output_tokens": 3},
                    },
                }
            ]
        ]
    },
    "extra": {"metadata": {"ls_model_name": "m"}, "invocation_params": {"tools": [{"name": "run"}]}},
    "feedback_stats": {"right": {"avg": 1}},
    "total_cost": "0.5",
}
TRACED = {
    "info": {
        "trace_id": "tr-1",
        "trace_metadata": {"mlflow.trace.session": "s"},
        "assessments": [{"name": "n"}],
    },
    "data": {
        "spans": [
            {
                "trace_id": "EjRWeJASNFZ4kBI0VniQEg==",
                "span_id": "EjRWeJASNFY=",
                "name": "chat",
                "start_time_unix_nano": 1758026593000000000,
                "status": {"code": "STATUS_CODE_OK"},
                "attributes": {
                    "mlflow.spanType": '"CHAT_MODEL"',
                    "mlflow.spanInputs": '{"messages": [{"role": "user", "content": "Do it."}]}',
                    "mlflow.spanOutputs": '{"role": "assistant", "content": "I do."}',
                    "mlflow.chat.tokenUsage": '{"output_tokens": 3}',
                },
            }
        ]
    },
}
ROW = {
    "id": "i1",
    "span_id": "s1",
    "root_span_id": "s1",
    "span_parents": ["s0"],
    "span_attributes": {"name": "chat", "type": "llm"},
    "metrics": {"start": 1758026593.0, "end": 1758026594.0, "completion_tokens": 3},
    "metadata": {"model": "m", "tools": [{"name": "run"}]},
    "input": [{"role": "user", "content": "Do it."}],
    "output": [{"index": 0, "message": {"role": "assistant", "content": "I do."}}],
    "scores": {"right": 1},
}
AGENTS_SPAN = {
    "object": "trace.span",
    "id": "s1",
    "trace_id": "t1",
    "parent_id": None,
    "started_at": "2026-12-01T13:14:48.398654+00:00",
    "ended_at": "2026-12-01T13:14:49.883287+00:00",
    "error": None,
    "span_data": {
        "type": "generation",
        "input": [{"role": "user", "content": "Do it."}],
        "output": [{"role": "assistant", "content": "I do."}],
        "model": "m",
        "usage": {"output_tokens": 3},
    },
}

LINES = {
    "langsmith": [RUN, RUN | {"id": "r2", "run_type": "tool", "error": "no", "parent_run_id": "r1"}],
    "mlflow": [TRACED, TRACED | {"info": {"request_id": "tr-2"}}],
    "braintrust": [
        ROW,
        {"id": "i1", "span_id": "s1", "root_span_id": "s1", "_is_merge": True, "tags": ["x"]},
    ],
    "langfuse": [OBSERVED, GENERATION | {"traceId": "t2"}],
    "otel": [
        spans(REQUEST),
        spans(SPAN | RAN | {"spanId": "00000000000000bb", "events": [{"name": "exception"}]}),
    ],
    "openai_agents": [
        {"object": "trace", "id": "t1", "workflow_name": "w", "group_id": "g1", "metadata": {"a": "b"}},
        AGENTS_SPAN,
        AGENTS_SPAN
        | {"id": "s2", "span_data": {"type": "function", "name": "run", "input": "{}", "output": "a"}},
    ],
    "openinference": [PHOENIX, PHOENIX | {"context": {"trace_id": "ab" * 16, "span_id": "00000000000000bb"}}],
    "atif": [
        TRAJECTORY | {"session_id": "s0"},
        TRAJECTORY | {"subagent_trajectories": [{"steps": [{"source": "agent", "message": "Done."}]}]},
    ],
    "claude_code": [
        CLAUDE
        | {
            "type": "assistant",
            "uuid": "u1",
            "message": {
                "id": "m1",
                "model": "m",
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "thinking", "thinking": "Hm."},
                    {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}},
                ],
                "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3},
            },
        },
        CLAUDE
        | {
            "type": "user",
            "uuid": "u2",
            "message": {
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "a",
                        "content": [{"type": "text", "text": "x"}],
                        "is_error": True,
                    }
                ]
            },
            "toolUseResult": {"durationMs": 5, "interrupted": False},
        },
    ],
    "codex": [
        {
            "timestamp": AT,
            "type": "session_meta",
            "payload": {"id": "s1", "timestamp": AT, "source": {"subagent": {}}},
        },
        {
            "timestamp": AT,
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "I look."}],
            },
        },
        {
            "timestamp": AT,
            "type": "response_item",
            "payload": {"type": "function_call", "name": "exec", "arguments": "{}", "call_id": "a"},
        },
        {
            "timestamp": AT,
            "type": "event_msg",
            "payload": {
                "type": "token_count",
                "info": {"last_token_usage": {"output_tokens": 3}, "total_token_usage": {"output_tokens": 3}},
            },
        },
        {
            "timestamp": AT,
            "type": "event_msg",
            "payload": {
                "type": "exec_command_end",
                "call_id": "a",
                "exit_code": 0,
                "duration": {"secs": 1, "nanos": 1},
            },
        },
        {
            "timestamp": AT,
            "type": "response_item",
            "payload": {
                "type": "function_call_output",
                "call_id": "a",
                "output": '{"output": "x", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}',
            },
        },
    ],
}
"""A few lines of each format whose lines are JSON objects."""


def written(path: Path, lines: list[object]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def read(name: str, path: Path) -> list[Item]:
    return list(source_named(name).read(path, None))


@pytest.mark.scaled
@pytest.mark.parametrize("name", LINES)
def test_no_value_stops_a_source(name, tmp_path):
    """Each part of each line, replaced by each strange value or left out: what is told of it still is what it should be."""
    path, lines = tmp_path / "recording.jsonl", LINES[name]
    for place, line in enumerate(lines):
        for changed in with_one_part_changed(line):
            items = read(name, written(path, [*lines[:place], changed, *lines[place + 1 :]]))
            check_items(items, source_named(name).wordings)


@pytest.mark.parametrize("name", LINES)
def test_a_cut_file_keeps_what_it_had(name, tmp_path):
    """Wherever it breaks off, the lines before are read, and the broken one is refused."""
    path = written(tmp_path / "recording.jsonl", LINES[name])
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last + 1, len(whole) - 1, 7):
        path.write_bytes(whole[:end])
        items = read(name, path)
        assert [item.line for item in items if isinstance(item, Refusal)] == [len(LINES[name])]
        assert any(isinstance(item, RecordedSession) and item.turns for item in items)


@pytest.mark.parametrize("name", LINES)
def test_a_format_is_its_own_and_no_others(name, tmp_path):
    """Its lines are recognised for sure, and by no other format as surely."""
    path = written(tmp_path / "recording.jsonl", LINES[name])
    first, *others = recognised(sample_of(path))
    assert (first.source.name, first.sureness) == (name, 1)
    assert all(other.sureness < 1 for other in others)
