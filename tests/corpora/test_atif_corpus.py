"""Trajectories that Harbor wrote hold what a count of their steps says, which shares no code with the reader."""

import json
from pathlib import Path

import pytest
from corpus_files import corpus_file, held_by, imported, sessions_in
from effort import soaked

from actionledger.imports.formats.atif import SOURCE

pytestmark = pytest.mark.corpus


FILES = {
    "harbor_openhands.json": (1, 2, 2, 1, 220, 80),
    "harbor_terminus2_continuation.json": (1, 3, 0, 3, 2252, 160),
    "harbor_terminus2_continuation_cont1.json": (1, 4, 0, 4, 4250, 530),
    "harbor_terminus2_invalid_json.json": (1, 4, 3, 4, 2417, 200),
    "harbor_terminus2_timeout.json": (1, 3, 3, 3, 882, 115),
    "openhands.no_function_calling.json": (1, 2, 0, 1, 220, 80),
    "parallel_tools_mixed_results.json": (1, 2, 3, 3, 1200, 105),
    "v17_embedded_subagents.json": (2, 2, 0, 0, 67, 21),
}
"""Sessions, turns, calls, results, tokens shown and written."""


def counted(path: Path) -> tuple[int, ...]:
    whole = json.loads(path.read_text())
    documents = [whole, *whole.get("subagent_trajectories", [])]
    steps = [
        step
        for document in documents
        for step in document["steps"]
        if step["source"] == "agent" and not step.get("is_copied_context") and step.get("llm_call_count") != 0
    ]
    metrics = [step.get("metrics", {}) for step in steps]
    return (
        len(documents),
        len(steps),
        sum(len(step.get("tool_calls") or []) for step in steps),
        sum(len(step.get("observation", {}).get("results", [])) for step in steps),
        sum(each.get("prompt_tokens", 0) for each in metrics),
        sum(each.get("completion_tokens", 0) for each in metrics),
    )


@pytest.mark.parametrize("name", soaked(FILES, list(FILES)[:3]))
def test_what_a_real_file_holds(name, tmp_path):
    """Every turn, call, result and token once; a second import adds nothing."""
    path = corpus_file(f"agents/atif/{name}")
    found = held_by(sessions_in(path, SOURCE))
    assert found == counted(path) == FILES[name]
    report = imported(path, SOURCE, tmp_path)
    assert (report.sessions, report.turns) == found[:2]
