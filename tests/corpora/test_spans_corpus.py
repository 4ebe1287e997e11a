"""Spans that agents exported hold what a count of their operations says, which shares no code with the reader."""

import json
from pathlib import Path

import pytest
from corpus_files import corpus_file, held_by, imported, sessions_in
from effort import soaked

from actionledger.imports.formats.otel import SOURCE

pytestmark = pytest.mark.corpus


FILES = {
    "otel-genai-any-agent/GOOGLE_trace.json": (1, 3, 3, 3, 2251, 86),
    "otel-genai-any-agent/LANGCHAIN_trace.json": (1, 4, 2, 2, 1262, 125),
    "otel-genai-any-agent/OPENAI_trace.json": (1, 3, 2, 2, 1020, 76),
    "otel-genai-any-agent/SMOLAGENTS_trace.json": (1, 3, 3, 3, 2294, 87),
    "otel-cli-agents/codex-B.session_task_turn.json": (0, 0, 0, 0, 0, 0),
    "otel-cli-agents/gemini-B.llm_call.json": (1, 1, 0, 0, 767, 30),
    "otel-cli-agents/opencode-B.doStream.json": (1, 1, 0, 0, 12632, 13),
    "otel-vercel-ai-sdk/vercel-ai-v6-all-spans.json": (4, 4, 0, 0, 142, 297),
}
"""Sessions, turns, calls, results, tokens shown and written."""


def counted(path: Path) -> tuple[int, ...]:
    whole = json.loads(path.read_text())
    spans = whole if isinstance(whole, list) else whole.get("spans", [whole])
    requests, tools, traces, calls = [], 0, set(), 0
    for span in spans:
        given = span["attributes"]
        operation = given.get("gen_ai.operation.name") or given.get("ai.operationId", "").rpartition(".")[2]
        tools += operation == "execute_tool"
        if operation in {"call_llm", "llm_call", "doGenerate", "doStream"}:
            requests.append(given)
            context = span.get("context") or span.get("spanContext") or {}
            traces.add(context.get("trace_id", context.get("traceId")))
            calls += given.get("gen_ai.output", "").count('"tool.name"')
    return (
        len(traces),
        len(requests),
        calls,
        tools,
        sum(given["gen_ai.usage.input_tokens"] for given in requests),
        sum(given["gen_ai.usage.output_tokens"] for given in requests),
    )


@pytest.mark.parametrize("name", soaked(FILES, list(FILES)[:3]))
def test_what_a_real_file_holds(name, tmp_path):
    """Every request is one turn, however often its history is shown; a second import adds nothing."""
    path = corpus_file(f"agents/{name}")
    found = held_by(sessions_in(path, SOURCE))
    assert found == counted(path) == FILES[name]
    report = imported(path, SOURCE, tmp_path)
    assert (report.sessions, report.turns, report.calls, report.results) == found[:4]
