"""Whatever stands in a recording, a source goes on: what it can't use is passed over, and what it gives is what a ledger takes."""

import json
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from given_items import check_items
from hostile_values import with_one_part_changed

from actionledger.core.errors import SourceError
from actionledger.imports.sources.base import Item, Refusal
from actionledger.imports.sources.registry import recognised, sample_of, source_named


def beside(name: str) -> ModuleType:
    """Return the module of tests beside this one, whose recordings are changed here."""
    spec = spec_from_file_location(f"recordings_{name}", Path(__file__).with_name(f"test_{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


wire, batch, logs, gemini, cline, pi, stream, tau, opencode, goose, promptfoo, vscode = map(
    beside,
    (
        "cassettes",
        "openai_batch",
        "completion_log",
        "gemini_cli",
        "cline",
        "pi",
        "agent_sdk_stream",
        "tau",
        "opencode",
        "goose",
        "promptfoo",
        "vscode_chat",
    ),
)

DOCUMENTS = {
    "provider_wire": {
        "request": wire.asked(),
        "response": wire.answer("chatcmpl-0000001", content="Hi", tool_calls=[wire.CALL]),
    },
    "openai_batch": batch.answered("a"),
    "completion_log": logs.log(logs.body(1, tool_calls=[logs.CALL]), logs.SAID, logs.CAME),
    "gemini_cli": gemini.HEAD | {"messages": [gemini.ASK, gemini.turn(toolCalls=[gemini.call("a")])]},
    "cline": {
        "version": 1,
        "agent": "lead",
        "sessionId": "s1",
        "messages": [cline.ASK, cline.SAID, cline.came("x")],
    },
    "promptfoo": promptfoo.document(),
    "vscode_chat": vscode.CHAT,
    "tau_bench": [tau.episode()],
    "tau2": tau.result(tau.simulation()),
    "goose": {
        "id": "20251001_1",
        "working_dir": "/w",
        "extension_data": {},
        "model_config": {"model_name": "m"},
        "conversation": goose.MESSAGES,
    },
    "opencode": {
        "info": opencode.INFO,
        "messages": [
            {"info": opencode.ASK, "parts": opencode.ASKED},
            {
                "info": opencode.ANSWER,
                "parts": [opencode.tool(output="a", metadata={"exit": 1}), opencode.done(3)],
            },
        ],
    },
}
"""A recording of each format that is one document, or one line."""

LINES = {
    "pi": [pi.HEAD, *({"type": "message", "message": each} for each in (pi.ASK, pi.SAID, pi.CAME, pi.LAST))],
    "openclaw_telemetry": [
        pi.event("tool.start"),
        pi.event("agent.end", messages=[pi.ASK, pi.SAID, pi.CAME]),
    ],
    "agent_sdk_stream": [
        stream.INIT,
        stream.said(stream.text("x"), stream.call("t1")),
        stream.came("t1"),
        stream.RESULT,
    ],
    "gemini_cli": [gemini.HEAD, gemini.ASK, gemini.turn(toolCalls=[gemini.call("a")])],
}
"""A recording of each format that is lines, a few of them."""

STREAMS = {"chat": wire.CHAT, "messages": wire.MESSAGES, "responses": wire.RESPONSES}


def read(name: str, path: Path) -> list[Item]:
    try:
        return list(source_named(name).read(path, None))
    except SourceError:
        return []


@pytest.mark.scaled
@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_value_in_a_document_stops_a_source(name, tmp_path):
    """Each part, replaced by each strange value or left out."""
    path = tmp_path / f"{name}.json"
    for changed in with_one_part_changed(DOCUMENTS[name]):
        path.write_text(json.dumps(changed))
        check_items(read(name, path), source_named(name).wordings)
        recognised(sample_of(path))


@pytest.mark.scaled
@pytest.mark.parametrize("name", LINES)
def test_no_value_in_a_line_stops_a_source(name, tmp_path):
    path = tmp_path / f"{name}.jsonl"
    for place, line in enumerate(LINES[name]):
        for changed in with_one_part_changed(line):
            lines = [*LINES[name][:place], changed, *LINES[name][place + 1 :]]
            path.write_text("".join(json.dumps(each) + "\n" for each in lines))
            check_items(read(name, path), source_named(name).wordings)


@pytest.mark.scaled
@pytest.mark.parametrize("name", STREAMS)
def test_no_value_in_a_stream_stops_a_source(name, tmp_path):
    path = tmp_path / "stream.txt"
    events = [json.loads(line.removeprefix("data: ")) for line in STREAMS[name].split("\n\n") if "{" in line]
    for place, event in enumerate(events):
        for changed in with_one_part_changed(event):
            path.write_text(wire.sent(*events[:place], changed, *events[place + 1 :]))
            check_items(read("provider_wire", path), source_named("provider_wire").wordings)


@pytest.mark.parametrize("name", LINES)
def test_a_file_of_lines_that_is_cut_keeps_what_it_had(name, tmp_path):
    """Wherever it breaks off in its last line, that one is refused."""
    path = tmp_path / f"{name}.jsonl"
    whole = "".join(json.dumps(each) + "\n" for each in LINES[name]).encode()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last + 1, len(whole) - 1, 11):
        path.write_bytes(whole[:end])
        items = read(name, path)
        check_items(items, source_named(name).wordings)
        assert sum(isinstance(item, Refusal) for item in items) == 1


def written(name: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / f"{name}.json"
        if name in DOCUMENTS:
            path.write_text(json.dumps(DOCUMENTS[name]))
        else:
            path.write_text("".join(json.dumps(each) + "\n" for each in LINES[name]))
        return path

    return write


@pytest.mark.parametrize("name", [*DOCUMENTS, *(name for name in LINES if name not in DOCUMENTS)])
def test_a_format_is_its_own_and_no_others(name, tmp_path):
    """No other format takes it for one of its own."""
    found = recognised(sample_of(written(name)(tmp_path)))
    assert [each.source.name for each in found] == [name]
