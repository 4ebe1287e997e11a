"""Spans of Langfuse's and of Strands' own tracers."""

import json

import pytest

from actionledger.core.vocabulary import Capture
from actionledger.imports.formats.otel import SOURCE, step_of
from actionledger.imports.shapes import genai_spans
from actionledger.imports.shapes.spans import Span
from actionledger.imports.shapes.steps import Step
from actionledger.imports.shapes.traces import Traces
from actionledger.imports.sources.registry import recognised, sample_of

CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": 1,}'}}


def step(kind: str, **attributes: object) -> Step:
    given = {f"langfuse.observation.{key.replace('__', '.')}": value for key, value in attributes.items()}
    told = {"langfuse.observation.type": kind, "session.id": "talk"} | given
    return step_of(Span("1", "t", name="look", attributes=told, scope="langfuse-sdk"))


@pytest.mark.parametrize(
    "details",
    [
        {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}},
        {"input": 4, "output": 4, "total": 13, "input_cached_tokens": 5},
    ],
)
def test_a_generation_is_a_request(details):
    """With what was asked, offered and answered as it was written, and its tokens in either's words."""
    found = step(
        "generation",
        input=json.dumps(
            {
                "messages": [{"role": "user", "content": "Where?"}],
                "tools": [CALL | {"function": {"name": "look"}}],
            }
        ),
        output=json.dumps({"role": "assistant", "content": None, "tool_calls": [CALL]}),
        model__name="m",
        usage_details=json.dumps(details),
    )
    assert (found.kind, found.session, found.model, found.keeps) == ("model", "talk", "m", Capture.ARGUMENTS)
    assert [call.arguments for message in found.said for call in message.calls] == ['{"at": 1,}']
    assert json.loads(found.tools)[0]["function"]["name"] == "look"
    assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.cached_tokens) == (9, 4, 5)


def test_a_generation_without_its_output_says_nothing():
    """Tokens are known all the same."""
    found = step("generation", model__name="m", usage_details='{"input": 9, "output": 4}')
    assert (found.said, found.usage.input_tokens) == ([], 9)


def test_a_tool_was_given_what_its_function_was():
    """By name, or the only argument without one; its level says that it failed."""
    named = step("tool", input='{"args": [], "kwargs": {"at": 1}}', output="here")
    assert (named.arguments, named.output, named.is_error) == ({"at": 1}, "here", None)
    failed = step("tool", input='{"args": [1], "kwargs": {}}', level="ERROR", status_message="gone")
    assert (failed.arguments, failed.output, failed.is_error) == (1, "gone", True)
    assert step("span", input="{}").kind == "other"


def test_a_collectors_file_of_them_is_recognised(tmp_path):
    """Although it has none of the conventions' names."""
    attributes = [{"key": "langfuse.observation.type", "value": {"stringValue": "generation"}}]
    spans = [{"traceId": "1" * 32, "spanId": "2" * 16, "name": "x", "attributes": attributes}]
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    assert recognised(sample_of(path))[0].source is SOURCE


SCOPE = "strands.telemetry.tracer"
DETAILS = "gen_ai.client.inference.operation.details"
CALLED = [{"text": "I look."}, {"toolUse": {"toolUseId": "a", "name": "look", "input": {"at": 1}}}]
CAME = [{"toolResult": {"toolUseId": "a", "status": "error", "content": [{"text": "gone"}]}}]


def strands_step(operation: str, *events: tuple[str, dict], **attributes: object) -> Step:
    given = {"gen_ai.operation.name": operation, "gen_ai.system": "strands-agents"}
    told = given | {key.replace("__", "."): value for key, value in attributes.items()}
    return genai_spans.step_of(Span("1", "t", attributes=told, events=list(events), scope=SCOPE))


def test_blocks_in_events_are_messages():
    """Instructions, a person's words, a call, what came of it and the answer; arguments come parsed."""
    found = strands_step(
        "chat",
        ("gen_ai.system.message", {"content": json.dumps([{"text": "Be brief."}])}),
        ("gen_ai.user.message", {"content": json.dumps([{"text": "Where?"}])}),
        ("gen_ai.assistant.message", {"content": json.dumps(CALLED)}),
        ("gen_ai.tool.message", {"content": json.dumps(CAME)}),
        ("gen_ai.choice", {"message": json.dumps(CALLED), "finish_reason": "tool_use"}),
        gen_ai__server__time_to_first_token=7,
    )
    assert [(each.speaker, each.text) for each in found.shown[:2]] == [
        ("system", "Be brief."),
        ("person", "Where?"),
    ]
    assert [(each.call_id, each.output, each.is_error) for each in found.shown[3].results] == [
        ("a", "gone", True)
    ]
    (answer,) = found.said
    assert (answer.text, answer.usage.finish_reason) == ("I look.", "tool_use")
    assert [(call.call_id, call.name, call.arguments) for call in answer.calls] == [("a", "look", {"at": 1})]
    assert (found.keeps, found.usage.time_to_first_token_ms) == (Capture.CALLS, 7)


def test_a_text_that_is_no_block_is_a_text():
    """What a model writes may be a list of JSON itself."""
    (answer,) = strands_step("chat", ("gen_ai.choice", {"message": '["a", "b"]'})).said
    assert answer.text or answer.is_empty
    assert not answer.calls


def test_a_tools_arguments_and_result_are_events():
    """Its status says that it failed, whatever the span's is."""
    found = strands_step(
        "execute_tool",
        ("gen_ai.tool.message", {"content": '{"at": 1}', "id": "a"}),
        ("gen_ai.choice", {"message": json.dumps([{"text": "Error: gone"}]), "id": "a"}),
        gen_ai__tool__name="look",
        gen_ai__tool__call__id="a",
        gen_ai__tool__status="error",
    )
    assert (found.arguments, found.output, found.is_error) == ('{"at": 1}', "Error: gone", True)


def test_several_events_of_one_name_are_one_telling():
    """One has the instructions, one what was shown, one the answer."""
    parts = [{"type": "tool_call", "id": "a", "name": "look", "arguments": {"at": 1}}]
    found = strands_step(
        "chat",
        (DETAILS, {"gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}])}),
        (
            DETAILS,
            {
                "gen_ai.input.messages": json.dumps(
                    [{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]
                )
            },
        ),
        (
            DETAILS,
            {
                "gen_ai.output.messages": json.dumps(
                    [{"role": "assistant", "parts": parts, "finish_reason": "tool_use"}]
                )
            },
        ),
    )
    assert [each.text for each in found.shown] == ["Be brief.", "Where?"]
    assert [call.arguments for message in found.said for call in message.calls] == [{"at": 1}]


def test_calls_are_split_off_where_no_tools_are_named():
    """A call that is left in the text is no call of its own."""
    shown = "I run it.\n<tool_call>\n{}\n</tool_call>"
    traces = Traces("otel")
    assert not list(
        traces.add(strands_step("chat", ("gen_ai.choice", {"message": json.dumps([{"text": shown}])})))
    )
    ((turn,),) = (session.turns for session in traces.rest())
    assert (turn.text, turn.capture) == (shown, Capture.CALLS)
