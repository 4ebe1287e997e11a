"""Real logs of Inspect hold what a count of their events says, which shares no code with the reader."""

import json
import zipfile
from pathlib import Path

import pytest
from corpus_files import corpus_file, held_by, imported, sessions_in
from effort import soaked

from actionledger.imports.formats.inspect import SOURCE, read
from actionledger.imports.sources.base import LeftOut

pytestmark = pytest.mark.corpus


FILES = {
    "agents/inspect/log_message_deduplication.eval": (1, 6, 5, 5, 0, 0),
    "agents/inspect/log_streaming.eval": (4, 4, 0, 0, 252, 6),
    "agents/inspect/log_tool_call_error.json": (1, 0, 0, 0, 0, 0),
    "inspect-logs/2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval": (10, 10, 0, 0, 620, 20),
    "inspect-logs/2025-05-12T20-27-36-04-00_browser.json": (1, 5, 4, 4, 15235, 281),
    "inspect-logs/2025-05-12T20-28-13-04-00_popularity.json": (3, 3, 0, 0, 192, 6),
    "inspect-logs/2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval": (16, 32, 0, 0, 5279, 5622),
    "inspect-logs/2025-11-07T10-59-47-05-00_websearch-addition-problem_LqPDntDnkk4h2fSqQ8i6CE.eval": (1, 1, 0, 0, 587, 33),
    "inspect-logs/log_read_sample.eval": (1, 1, 0, 0, 66, 3),
}  # fmt: skip
"""Samples, responses, calls, results, tokens shown and written."""


def counted(path: Path) -> tuple[int, ...]:
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            samples = [json.loads(archive.read(name)) for name in names]
    else:
        samples = json.loads(path.read_text())["samples"]
    events = [event for sample in samples for event in sample.get("events", [])]
    outputs = [event["output"] for event in events if event["event"] == "model"]
    messages = [choice["message"] for output in outputs for choice in output["choices"]]
    usages = [output.get("usage") or {} for output in outputs]
    return (
        len(samples),
        len(messages),
        sum(len(message.get("tool_calls") or []) for message in messages),
        sum(event["event"] == "tool" for event in events),
        sum(usage.get("input_tokens", 0) for usage in usages),
        sum(usage.get("output_tokens", 0) for usage in usages),
    )


@pytest.mark.parametrize("name", soaked(FILES, list(FILES)[:3]))
def test_what_a_real_file_holds(name, tmp_path):
    """Every turn, call, result and token once; a second import adds nothing."""
    path = corpus_file(name)
    sessions = sessions_in(path, SOURCE)
    found = held_by(sessions)._replace(sessions=sum(not each.parent for each in sessions))
    assert found == counted(path) == FILES[name]
    assert not any(
        "attachment://" in turn.text + (turn.prompt or "") for each in sessions for turn in each.turns
    )
    report = imported(path, SOURCE, tmp_path)
    assert (report.turns, report.calls, report.results) == found[1:4]


def test_results_of_calls_that_were_cut_away_are_counted():
    """A log with nothing but eleven results."""
    path = corpus_file("agents/inspect/log_tool_call_error.json")
    assert [(str(each.reason), each.count) for each in read(path) if isinstance(each, LeftOut)] == [
        ("no_call", 11)
    ]
