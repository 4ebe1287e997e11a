"""Traces of OpenAI's Agents SDK 0.24.0, as its ``export()`` has written them, over chat and over Responses."""

import json

import pytest
from given_items import sessions

from actionledger.core.vocabulary import Capture
from actionledger.imports.formats import openai_agents
from actionledger.imports.sources.registry import recognised, sample_of

TRACE = {
    "object": "trace",
    "id": "trace_1",
    "workflow_name": "lab flow",
    "group_id": "talk-1",
    "metadata": None,
}
USAGE = {
    "input_tokens": 40,
    "output_tokens": 9,
    "input_tokens_details": {"cached_tokens": 17},
    "output_tokens_details": {"reasoning_tokens": 3},
}
ASK = {"role": "user", "content": "Look."}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "a"}'}}
SAID = {
    "role": "assistant",
    "content": "I look.",
    "refusal": None,
    "function_call": None,
    "tool_calls": [CALL],
}
AWAY = {"message": "Error running tool (non-fatal)", "data": {"tool_name": "look", "error": "redacted"}}


def span(number, above=0, error=None, **data):
    return {
        "object": "trace.span", "id": f"span_{number}", "trace_id": "trace_1", "parent_id": f"span_{above}" if above else None,
        "started_at": f"2026-12-01T13:14:{number:02}.000000+00:00", "ended_at": f"2026-12-01T13:14:{number:02}.500000+00:00",
        "span_data": data, "error": error,
    }  # fmt: skip


AGENT = span(1, type="agent", name="lab", handoffs=[], tools=["look"], output_type="str")
TURN = span(2, 1, type="custom", name="turn", data={"sdk_span_type": "turn", "turn": 1})
ASKED = span(
    3, 2, type="generation", input=[ASK], output=[SAID], model="asked-1", model_config={}, usage=USAGE
)
TOLD = span(3, 2, type="response", response_id="resp_1", usage=USAGE)
RAN = span(
    4, 2, AWAY, type="function", name="look", input='{"at": "a"}', output="An error occurred.", mcp_data=None
)


def read(tmp_path, *lines, name="trace.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
        ("openai_agents", 1)
    ]
    return list(openai_agents.read(path))


@pytest.mark.parametrize(
    "lines", [(TRACE, ASKED, RAN, TURN, AGENT), ({"data": [TRACE, ASKED, RAN, TURN, AGENT]},)]
)
def test_a_request_over_chat_has_its_call_and_what_came_of_it(lines, tmp_path):
    """As lines of ``export()``, and as a body of the SDK's own exporter."""
    (session,) = sessions(read(tmp_path, *lines))
    (turn,) = session.turns
    assert (session.external_id, session.model, session.metadata["workflow"]) == (
        "talk-1",
        "asked-1",
        "lab flow",
    )
    assert (turn.text, turn.prompt, turn.capture) == ("I look.", "Look.", Capture.ARGUMENTS)
    assert [(call.call_id, call.arguments) for call in turn.calls] == [("c1", '{"at": "a"}')]
    usage = turn.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens) == (
        40,
        17,
        9,
        3,
    )
    assert [(each.call_id, each.output, each.is_error) for each in turn.results] == [
        ("c1", "An error occurred.", True)
    ]


def test_a_request_over_responses_has_its_tokens_and_the_calls_that_ran(tmp_path):
    fine = span(5, 2, type="function", name="look", input='{"at": "b"}', output="b", mcp_data=None)
    (session,) = sessions(read(tmp_path, TRACE, TOLD, RAN, fine, TURN, AGENT))
    (turn,) = session.turns
    assert (turn.text, turn.usage.output_tokens, turn.capture) == ("", 9, Capture.CALLS)
    assert [(call.name, call.arguments) for call in turn.calls] == [
        ("look", {"at": "a"}),
        ("look", {"at": "b"}),
    ]
    assert [each.is_error for each in turn.results] == [True, False]


def test_a_trace_without_a_group_is_a_session_of_its_own(tmp_path):
    (session,) = sessions(read(tmp_path, TRACE | {"group_id": None}, ASKED))
    assert session.external_id == "trace_1"
