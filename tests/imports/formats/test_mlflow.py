"""Traces of MLflow, as its documentation describes them: of version 2, encoded twice, and of version 3."""

import base64
import json

import pytest
from given_items import sessions

from actionledger.core.vocabulary import Capture, Relation
from actionledger.imports.formats.mlflow import SOURCE, read
from actionledger.imports.sources.registry import recognised, sample_of

TRACE = "4bedea77bb33b9c5f280371eae21ea97"
BEGIN = 1_758_026_593_000_000_000


def second(number: int, attributes: dict, parent: int) -> dict:
    return {
        "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{number:016x}"},
        "parent_id": f"0x{parent:016x}" if parent else None,
        "start_time": BEGIN + number * 10**9,
        "end_time": BEGIN + (number + 1) * 10**9,
        "status_code": "OK",
        "attributes": {key: json.dumps(json.dumps(value)) for key, value in attributes.items()},
        "events": [],
    }


def third(number: int, attributes: dict, parent: int) -> dict:
    def written(bits: int, size: int) -> str:
        return base64.b64encode(bits.to_bytes(size)).decode()

    return {
        "trace_id": written(int(TRACE, 16), 16),
        "span_id": written(number, 8),
        "parent_span_id": written(parent, 8) if parent else None,
        "start_time_unix_nano": BEGIN + number * 10**9,
        "end_time_unix_nano": BEGIN + (number + 1) * 10**9,
        "status": {"code": "STATUS_CODE_OK"},
        "attributes": {key: json.dumps(value) for key, value in attributes.items()},
    }


@pytest.fixture
def items(tmp_path):
    """Return what is read of one trace."""

    def read_all(trace: dict) -> list:
        path = tmp_path / "trace.json"
        path.write_text(json.dumps(trace))
        assert recognised(sample_of(path))[0].source is SOURCE
        return list(read(path))

    return read_all


CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": 1,}'}}
REQUEST = {
    "mlflow.spanType": "CHAT_MODEL",
    "mlflow.spanInputs": {"model": "m", "messages": [{"role": "user", "content": "Where?"}]},
    "mlflow.spanOutputs": {
        "choices": [{"message": {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}}]
    },
    "mlflow.chat.tools": [{"type": "function", "function": {"name": "look"}}],
    "mlflow.chat.tokenUsage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13},
}
RAN = {"mlflow.spanType": "TOOL", "mlflow.spanInputs": {"at": 2}, "mlflow.spanOutputs": "here"}


@pytest.mark.parametrize("version", [second, third])
def test_a_trace_is_a_session(items, version):
    """Its requests are turns, its tools' spans what came of their calls, its assessments scores."""
    spans = [
        {"name": "agent", **version(1, {"mlflow.spanType": "AGENT"}, 0)},
        {"name": "Completions_1", **version(2, REQUEST, 1)},
        {"name": "look_2", **version(3, RAN, 1)},
    ]
    info = {
        "trace_id": "tr-1",
        "trace_metadata": {"mlflow.trace.session": "talk"},
        "assessments": [
            {"assessment_name": "right", "feedback": {"value": 0.5}},
            {"assessment_name": "tone", "feedback": {"value": "rude"}},
            {"assessment_name": "parts", "feedback": {"value": [1, 2]}},
            {"assessment_name": "failed", "feedback": {"value": None}},
        ],
    }
    (session,) = sessions(items({"info": info, "data": {"spans": spans}}))
    (turn,) = session.turns
    assert (session.external_id, session.model) == ("talk", "m")
    assert (
        str(session.scores) == "{'right': 0.5, 'parts': nan}"
    )  # what is no number is counted by whoever records it
    assert (session.labels, session.metadata) == (("tone=rude",), {"trace": "tr-1"})
    assert (turn.prompt, turn.text, turn.capture) == ("Where?", "I look.", Capture.ARGUMENTS)
    assert [(each.call_id, each.arguments) for each in turn.calls] == [("a", '{"at": 1,}')]
    assert [(each.call_id, each.output, each.is_error) for each in turn.results] == [("a", "here", False)]
    assert (turn.usage.input_tokens, turn.usage.output_tokens, turn.usage.latency_ms) == (9, 4, 1000)
    assert json.loads(turn.tools)[0]["function"]["name"] == "look"


def test_an_agent_below_a_tool_is_a_child(items):
    """And a failed tool says why."""
    failed = second(3, RAN | {"mlflow.spanOutputs": None}, 1) | {
        "status_code": "ERROR",
        "events": [{"name": "exception", "attributes": {"exception.message": "no such file"}}],
    }
    spans = [
        {"name": "agent", **second(1, {"mlflow.spanType": "AGENT"}, 0)},
        {"name": "chat", **second(2, REQUEST, 1)},
        {"name": "look", **failed},
        {"name": "agent", **second(4, {"mlflow.spanType": "AGENT"}, 3)},
        {"name": "chat", **second(5, REQUEST, 4)},
    ]
    above, below = sessions(items({"info": {"request_id": "tr-1"}, "data": {"spans": spans}}))
    assert (above.external_id, below.parent, below.relation) == (TRACE, TRACE, Relation.SUBAGENT)
    assert [(each.output, each.is_error) for each in above.turns[0].results] == [("no such file", True)]
