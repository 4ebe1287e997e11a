"""A document that breaks off: what is whole before that place is kept, what can't be kept by itself is refused."""

import gzip
import json
from pathlib import Path

import pytest
from effort import soaked

import actionledger as al
from actionledger.imports.formats import atif, gemini_cli, inspect, langfuse, langsmith, opencode, otel, tau2
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.json_values import Elements, whole_part

STEPS = [
    {"step_id": 1, "source": "user", "message": "Was?"},
    *(
        {
            "step_id": number,
            "source": "agent",
            "message": f'Nr. {number}: 你好 🙂 " ] }} \\ \u0000',
            "tool_calls": [
                {"tool_call_id": f"c{number}", "function_name": "look", "arguments": {"at": [1, {"b": "]"}]}}
            ],
            "metrics": {"completion_tokens": number},
        }
        for number in range(2, 8)
    ),
]
DOCUMENT = {
    "schema_version": "ATIF-v1.4",
    "session_id": "s",
    "agent": {"name": "a"},
    "steps": STEPS,
    "notes": "end",
}


@pytest.mark.parametrize("indent", soaked([None, 2], [2]))
@pytest.mark.parametrize("is_ascii", [True, False])
def test_each_place_where_a_document_breaks_off_keeps_the_whole_elements(indent: int | None, is_ascii: bool):
    """Counted by where each element ends, which is told by writing the document without what is behind it."""
    text = json.dumps(DOCUMENT, indent=indent, ensure_ascii=is_ascii)
    ends, place = [], 0
    decoder = json.JSONDecoder()
    place = text.index("[", text.index('"steps"')) + 1
    while len(ends) < len(STEPS):
        place = text.index("{", place)
        place = decoder.raw_decode(text, place)[1]
        ends.append(place)
    for cut in range(len(text) - 1):
        part = whole_part(text[:cut], 0, [Elements(("steps",), ("session_id",))])
        kept = sum(end <= cut for end in ends)
        assert (part is None) == (kept == 0), cut
        if part:
            assert part.value["steps"] == STEPS[:kept], cut
            assert part.value["session_id"] == "s"
            assert f"{kept} before that" in part.reason or kept == len(STEPS), cut


def test_a_broken_place_in_the_middle_is_an_end():
    text = json.dumps(DOCUMENT)
    broken = text.replace('"Nr. 5', '"\n"Nr. 5')
    part = whole_part(broken, 0, [Elements(("steps",))])
    assert part is not None
    assert [each["step_id"] for each in part.value["steps"]] == [1, 2, 3, 4]
    assert "of 'steps', 4 before that" in part.reason


def test_a_session_that_has_not_said_its_name_is_refused():
    """Read in again as a whole it would be another session."""
    text = json.dumps({"steps": STEPS, "session_id": "s"})
    wanted = [Elements(("steps",), ("session_id",))]
    assert whole_part(text[: len(text) // 2], 0, wanted) is None
    assert whole_part(text[:-1] + ",", 0, wanted) is not None


def test_a_cut_trajectory_is_completed_by_the_whole_one(tmp_path: Path):
    """Its whole turns are kept and what is missing is said; the whole file adds the rest, and nothing twice."""
    text = json.dumps(DOCUMENT)
    path = tmp_path / "trajectory.json"
    path.write_text(text[: text.index("Nr. 5")])
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        report = al.import_path(path, ledger, format="atif")
        assert (report.turns, report.calls, len(report.refusals)) == (3, 3, 1)
        assert "breaks off at byte" in str(report.refusals[0])
        path.write_text(text)
        report = al.import_path(path, ledger)
        assert (report.turns, report.known, report.differing, report.refusals) == (3, 3, [], [])
        assert ledger.sql(
            "SELECT count(*), count(DISTINCT message_id), sum(output_tokens) FROM turns"
        ).fetchall() == [(6, 6, 27)]


def read_cut(read, tmp_path: Path, value: object, at: str) -> tuple[list, list[str]]:
    text = json.dumps(value)
    path = tmp_path / "cut.json"
    path.write_text(text[: text.rindex(at)])
    items = list(read(path, None))
    turns = [turn.text for item in items if isinstance(item, al.RecordedSession) for turn in item.turns]
    return turns, [str(item) for item in items if isinstance(item, Refusal)]


def test_lists_of_other_formats_are_kept_as_far_as_they_go(tmp_path: Path):
    """Gemini CLI's messages, a list of LangSmith's runs, spans of OTLP."""
    said = [{"id": f"m{n}", "type": "gemini", "content": f"said {n}"} for n in range(4)]
    chat = {"sessionId": "s", "projectHash": "p", "messages": said}
    turns, refused = read_cut(gemini_cli.read, tmp_path, chat, "said 3")
    assert (turns, len(refused)) == (["said 0", "said 1", "said 2"], 1)
    spans = [
        {"traceId": "0" * 31 + "1", "spanId": f"{n:016x}", "name": "chat", "startTimeUnixNano": str(10**18 + n), "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.completion", "value": {"stringValue": f"said {n}"}}]}
        for n in range(4)
    ]  # fmt: skip
    turns, refused = read_cut(
        otel.read, tmp_path, {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, "said 3"
    )
    assert (len(turns), len(refused)) == (3, 1)
    runs = [
        {"id": str(n), "trace_id": "t", "run_type": "llm", "name": "m", "inputs": {},
         "outputs": {"messages": [{"role": "assistant", "content": f"said {n}"}]}}
        for n in range(4)
    ]  # fmt: skip
    turns, refused = read_cut(langsmith.read, tmp_path, runs, "said 3")
    assert (len(turns), len(refused)) == (3, 1)


def jaeger() -> dict:
    """Jaeger's answer: a trace with a span for each response."""
    spans = [
        {"traceID": "0" * 31 + "1", "spanID": f"{n:016x}", "operationName": "chat", "startTime": 10**15 + n, "duration": 5, "references": [],
         "tags": [{"key": "gen_ai.operation.name", "type": "string", "value": "chat"},
                  {"key": "gen_ai.completion", "type": "string", "value": f"said {n}"}]}
        for n in range(4)
    ]  # fmt: skip
    return {"data": [{"traceID": "0" * 31 + "1", "spans": spans, "processes": {}}]}


def langfuse_trace() -> dict:
    observations = [
        {"id": f"o{n}", "traceId": "t", "type": "GENERATION", "name": "g", "startTime": f"2026-02-03T15:19:0{n}.000Z",
         "model": "m", "input": [{"role": "user", "content": f"asked {n}"}], "output": f"said {n}"}
        for n in range(4)
    ]  # fmt: skip
    return {"trace": {"id": "t"}, "observations": observations}


def inspect_log() -> dict:
    samples = [
        {"id": str(n), "epoch": 1, "uuid": f"u{n}", "input": "Guess.", "messages": [], "events": [
            {"event": "model", "model": "m", "input": [], "timestamp": "2025-10-06T10:15:45+02:00", "output": {
                "model": "m", "choices": [{"message": {"id": f"m{n}", "role": "assistant", "content": f"said {n}"}}]}}]}
        for n in range(4)
    ]  # fmt: skip
    return {
        "version": 2,
        "eval": {"run_id": "r", "task_id": "t", "task": "guess", "model": "m"},
        "samples": samples,
    }


def tau2_results() -> dict:
    simulations = [
        {"id": f"s{n}", "task_id": str(n), "reward_info": {"reward": 1.0}, "messages": [
            {"role": "user", "content": "Hi", "turn_idx": 0}, {"role": "assistant", "content": f"said {n}", "turn_idx": 1}]}
        for n in range(4)
    ]  # fmt: skip
    info = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "d"}}
    return {"info": info, "tasks": [], "simulations": simulations}


def opencode_export() -> dict:
    messages = [
        {"info": {"id": f"msg_{n}", "role": "assistant", "time": {"created": 1730000000000 + n}},
         "parts": [{"id": f"p{n}", "type": "text", "text": f"said {n}"}]}
        for n in range(4)
    ]  # fmt: skip
    return {"info": {"id": "s", "projectID": "p", "directory": "/w"}, "messages": messages}


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (otel.read, jaeger()),
        (langfuse.read, langfuse_trace()),
        (inspect.read, inspect_log()),
        (tau2.read, tau2_results()),
        (opencode.read, opencode_export()),
    ],
    ids=["jaeger", "langfuse", "inspect", "tau2", "opencode"],
)
def test_each_format_keeps_the_whole_elements_and_says_how_many(read, value: object, tmp_path: Path):
    """Cut in the last one, three are kept; whole, all four, and nothing is refused."""
    turns, [refused] = read_cut(read, tmp_path, value, "said 3")
    assert turns == ["said 0", "said 1", "said 2"]
    assert "breaks off at byte" in refused
    assert ", 3 before that" in refused
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(value))
    items = list(read(path, None))
    assert len([turn for item in items if isinstance(item, al.RecordedSession) for turn in item.turns]) == 4
    assert [item for item in items if isinstance(item, Refusal)] == []


def test_a_compressed_document_that_breaks_off_is_kept_as_well(tmp_path: Path):
    path = tmp_path / "trajectory.json.gz"
    packed = gzip.compress(json.dumps(DOCUMENT).encode())
    path.write_bytes(packed[:-40])
    items = list(atif.read(path, None))
    refused = [str(item) for item in items if isinstance(item, Refusal)]
    assert any("breaks off" in each for each in refused)
