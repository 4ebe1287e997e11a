"""Spans of LangSmith's own exporter (``LANGSMITH_OTEL_ENABLED``), as its SDK 0.15.1 writes them for LangGraph."""

import json

from actionledger.imports.formats.otel import SOURCE
from actionledger.imports.shapes.genai_spans import step_of
from actionledger.imports.shapes.spans import spans_of
from actionledger.imports.sources.registry import recognised, sample_of

USAGE = {
    "input_tokens": 41,
    "output_tokens": 13,
    "total_tokens": 54,
    "input_token_details": {"cache_read": 17},
    "output_token_details": {"reasoning": 3},
}
SAID = {
    "content": "I look.",
    "type": "ai",
    "response_metadata": {"model_name": "served", "finish_reason": "tool_calls"},
    "tool_calls": [{"id": "a", "name": "look", "args": {"at": 1}, "type": "tool_call"}],
    "usage_metadata": USAGE,
}
MESSAGE = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": SAID,
}
FAILED = [{"name": "exception", "attributes": {"exception.message": "RuntimeError('no such place')"}}]


def span(kind: str, asked: dict, came: dict, events: list | None = None, **more: str) -> dict:
    operation = {"llm": "chat", "tool": "execute_tool"}[kind]
    return {
        "name": kind,
        "context": {"trace_id": "0x0a", "span_id": "0x0b"},
        "start_time": "2026-12-01T16:00:00Z",
        "end_time": "2026-12-01T16:00:01Z",
        "status": {"status_code": "OK"},
        "attributes": {
            "langsmith.span.kind": kind,
            "gen_ai.operation.name": operation,
            "gen_ai.prompt": json.dumps(asked),
            "gen_ai.completion": json.dumps(came),
            **more,
        },
        "events": events or [],
    }


def step(*args, **more):
    return step_of(next(spans_of(span(*args, **more))))


def test_an_answer_has_what_the_attributes_leave_out():
    """The model that answered, cached tokens and thoughts are in LangChain's message alone."""
    came = {"generations": [[{"text": "I look.", "message": MESSAGE}]]}
    sums = {
        "gen_ai.request.model": "asked",
        "gen_ai.usage.input_tokens": 41,
        "gen_ai.usage.output_tokens": 13,
        "langsmith.metadata.thread_id": "talk",
    }
    found = step("llm", {"messages": [[]]}, came, **sums)
    assert (found.model, found.session) == ("served", "talk")
    took = found.usage
    assert (took.input_tokens, took.output_tokens, took.cached_tokens, took.reasoning_tokens) == (
        41,
        13,
        17,
        3,
    )
    assert took.finish_reason == "tool_calls"


def test_a_tool_has_its_arguments_and_its_result():
    """LangChain's message is the result, and its mark says whether the run failed."""
    came = {"output": {"content": "here", "type": "tool", "tool_call_id": "a", "status": "success"}}
    good = step("tool", {"at": 1}, came)
    assert (json.loads(good.arguments), good.output, good.is_error) == ({"at": 1}, "here", False)
    bad = step("tool", {"at": 1}, {"output": came["output"] | {"status": "error"}})
    assert bad.is_error is True


def test_a_run_that_raised_has_failed_whatever_its_status():
    """The exporter sets OK as a run begins, and OpenTelemetry lets nothing overrule that."""
    tool = step("tool", {"at": 1}, {}, FAILED)
    assert (tool.is_error, tool.output) == (True, "RuntimeError('no such place')")
    empty = {"generations": [[{"text": "", "message": MESSAGE | {"kwargs": {"content": "", "type": "ai"}}}]]}
    assert step("llm", {"messages": [[]]}, empty, FAILED).is_error is True


def test_another_recorder_may_note_an_exception_that_was_handled():
    """Its status counts."""
    made = span("tool", {}, {}, FAILED)
    del made["attributes"]["langsmith.span.kind"]
    assert step_of(next(spans_of(made))).is_error is False


def test_a_file_of_such_spans_is_told_by_its_form(tmp_path):
    """As OpenTelemetry's, which its console exporter writes."""
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(span("tool", {}, {})))
    assert recognised(sample_of(path))[0].source is SOURCE
