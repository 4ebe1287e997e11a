"""Spans of Langfuse's SDK, as a collector takes them: observations with their input and output as JSON text."""

import json

import pytest

from actionledger.core.vocabulary import Capture
from actionledger.imports.formats.otel import SOURCE, step_of
from actionledger.imports.shapes.spans import Span
from actionledger.imports.shapes.steps import Step
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
