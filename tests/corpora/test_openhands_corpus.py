"""Real recordings of OpenHands hold what a count of their events says, which shares no code with the reader."""

import json
from pathlib import Path

import pytest
from corpus_files import corpus_file, held_by, imported, sessions_in
from effort import soaked

from actionledger.imports.formats.openhands import SOURCE

pytestmark = pytest.mark.corpus


FILES = {
    "openhands-v0/basic.json": (1, 2, 2, 1, 8132, 1312),
    "openhands-v0/resolver-output.jsonl": (2, 26, 26, 24, 0, 0),
    "openhands-v1/cd94562403b9487ebdd4018e3f531dfd/base_state.json": (1, 3, 2, 2, 11583, 94),
    "openhands-v1/goal-events.jsonl": (1, 2, 2, 2, 0, 0),
}
"""Sessions, responses, calls, results, tokens shown and written."""


def counted_v0(path: Path) -> tuple[int, ...]:
    text = path.read_text()
    streams = (
        [json.loads(text)]
        if text.startswith("[")
        else [json.loads(line)["history"] for line in text.splitlines()]
    )
    events = [event for stream in streams for event in stream]
    acts = [event for event in events if event.get("action") not in {None, "message"}]
    usages = [
        act["tool_call_metadata"]["model_response"]["usage"] for act in acts if "tool_call_metadata" in act
    ]
    return (
        len(streams),
        len(acts),
        len(acts),
        sum("observation" in event for event in events),
        sum(usage["prompt_tokens"] for usage in usages),
        sum(usage["completion_tokens"] for usage in usages),
    )


def counted_v1(path: Path) -> tuple[int, ...]:
    if path.name == "base_state.json":
        events = [json.loads(file.read_text()) for file in path.parent.glob("events/*.json")]
        state = json.loads(path.read_text())["stats"]["usage_to_metrics"]["agent"]["accumulated_token_usage"]
    else:
        events, state = [json.loads(line) for line in path.read_text().splitlines()], {}
    calls = {event["tool_call_id"] for event in events if event["kind"] == "ActionEvent"}
    answers = {event["llm_response_id"] for event in events if event.get("llm_response_id")}
    results = [
        event for event in events if event["kind"] == "ObservationEvent" and event["tool_call_id"] in calls
    ]
    tokens = (state.get("prompt_tokens", 0), state.get("completion_tokens", 0))
    return 1, len(answers), len(calls), len(results), *tokens


@pytest.mark.parametrize("name", soaked(FILES, list(FILES)[:3]))
def test_what_a_real_file_holds(name, tmp_path):
    """Every turn, call, result and token once; a second import adds nothing."""
    path = corpus_file(f"agents/{name}")
    found = held_by(sessions_in(path, SOURCE))
    assert found == (counted_v1(path) if "v1" in name else counted_v0(path)) == FILES[name]
    report = imported(path, SOURCE, tmp_path)
    assert (report.sessions, report.turns, report.calls, report.results) == found[:4]
