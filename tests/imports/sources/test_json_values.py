"""The JSON of a file: one document, a list, lines, and what breaks off."""

import gzip
import json
from pathlib import Path

import pytest
from effort import soaked

import actionledger as al
from actionledger.core.errors import SourceError
from actionledger.imports.formats import atif, gemini_cli, inspect, langfuse, langsmith, opencode, otel, tau2
from actionledger.imports.sources import json_values
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.json_values import (
    Elements,
    json_document,
    json_objects,
    numbered_objects,
    value_of,
    whole_part,
)

ONE, TWO = {"a": 1}, {"b": [2, {"c": "é\n"}]}


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        f"\n{json.dumps(ONE)}\n{json.dumps(TWO)}",
        json.dumps([ONE, TWO]),
        json.dumps([ONE, TWO], indent=2),
        json.dumps(ONE, indent=2) + "\n" + json.dumps(TWO, indent=2) + "\n",
        "\ufeff" + json.dumps(ONE, indent=2) + json.dumps(TWO),
        json.dumps(ONE) + json.dumps(TWO),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_objects_are_read_however_they_stand(tmp_path, text, zipped):
    path = tmp_path / "x.json"
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    assert list(json_objects(path)) == [ONE, TWO]


def test_what_is_no_object_is_refused(tmp_path):
    """And the rest goes on; a broken end keeps what was before it."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps([ONE, 5, TWO], indent=1))
    one, refused, two = json_objects(path)
    assert (one, two) == (ONE, TWO)
    assert "no object but int" in str(refused)
    path.write_text(json.dumps(ONE, indent=1) + "\n{'")
    kept, broken = json_objects(path)
    assert kept == ONE
    assert isinstance(broken, Refusal)
    path.write_bytes(gzip.compress(json.dumps([ONE], indent=1).encode())[:-6])
    assert any(isinstance(each, Refusal) for each in json_objects(path))


def test_too_deep_a_value_is_refused(tmp_path):
    """It is no recursion without an end."""
    path = tmp_path / "x.json"
    path.write_text("\n" + "[" * 5000 + "]" * 5000)
    assert [type(each) for each in json_objects(path)] == [Refusal]


def test_a_file_that_isnt_there_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="nowhere"):
        list(json_objects(tmp_path / "nowhere.json"))


def test_a_broken_first_line_costs_itself_alone(tmp_path):
    """The rest are lines all the same, each with its number; a list's elements have their places."""
    path = tmp_path / "spans.jsonl"
    path.write_text('{"cut": \n{"a": 1}\n\n{"b": 2}\n')
    refusal, *found = numbered_objects(path)
    assert isinstance(refusal, Refusal)
    assert (refusal.line, found) == (1, [(2, {"a": 1}), (4, {"b": 2})])
    path.write_text('[{"a": 1},\n5,\n{}\n]')
    assert [each if isinstance(each, tuple) else each.line for each in numbered_objects(path)] == [
        (1, {"a": 1}),
        2,
        (3, {}),
    ]


@pytest.mark.parametrize("half", ["\ud800", "\\ud800"])
def test_a_half_of_a_letter_stays_in_a_value(half):
    """Whether the text has it as an escape or holds it itself, as the text of an attribute does."""
    assert value_of(f'{{"a": "{half}"}}') == {"a": "\ud800"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_document_is_read(tmp_path, pack):
    """Over several lines, gzipped, with half a character and a byte order mark."""
    path = tmp_path / "x.json"
    path.write_bytes(pack(b'\xef\xbb\xbf{\n "a": ["\\ud83d", 1]\n}\n'))
    assert json_document(path) == {"a": ["\ud83d", 1]}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": ', "is not JSON"),
        (b"PK\x03\x04", "zip"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "nested deeper|is not JSON"),
        (gzip.compress(b"[1, 2]" * 100, mtime=0)[:-9], "breaks off"),
        (b" " * 100, "more than 64"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path, monkeypatch, data, why):
    monkeypatch.setattr(json_values, "MAX_DOCUMENT", 64 if data.startswith(b" ") else 2**20)
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=why):
        json_document(path)


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
