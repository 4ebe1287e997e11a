"""Langfuse's exports of eleven frameworks hold what a count of their observations says, which shares no code with the reader."""

import json
import re
from pathlib import Path

import pytest
from corpus_files import corpus_file, held_by, imported, sessions_in
from effort import soaked

from actionledger.imports.formats.langfuse import SOURCE

pytestmark = pytest.mark.corpus


FILES = {
    "agents/langfuse/autogen-2025-06-06.trace.json": (1, 0, 0, 41, 3),
    "agents/langfuse/claude-agent-2025-12-22.trace.json": (4, 2, 2, 34, 232),
    "agents/langfuse/crewai-2025-07-11.trace.json": (1, 0, 0, 190, 164),
    "agents/langfuse/google-adk-2025-08-28.trace.json": (2, 1, 1, 67, 9),
    "agents/langfuse/koog-2025-08-26.trace.json": (2, 2, 2, 215, 125),
    "agents/langfuse/microsoft-agent-2025-12-17.trace.json": (2, 1, 1, 293, 106),
    "agents/langfuse/openai-agents-2025-09-30.trace.json": (2, 1, 1, 140, 44),
    "agents/langfuse/vercel-aisdk-2025-11-17.trace.json": (1, 1, 1, 62, 85),
    "langfuse-export/agno-2025-06-11.trace.json": (2, 1, 1, 826, 245),
    "langfuse-export/langgraph-python-2025-08-22.trace.json": (2, 1, 1, 168, 66),
    "langfuse-export/pydantic-ai-tools-2025-12-04.trace.json": (4, 4, 3, 1315, 209),
}
"""Turns, calls, results, tokens shown and written."""


def counted(path: Path) -> tuple[int, ...]:
    observations = json.loads(path.read_text())["observations"]
    asked = {each["id"] for each in observations if each["type"] == "GENERATION"}
    around = {each["parentObservationId"] for each in observations if each["id"] in asked} & asked
    requests = [each for each in observations if each["id"] in asked - around]
    said = json.dumps([each["output"] for each in observations if each["id"] in asked])
    names = set(re.findall(r"(?:call|toolu)_[A-Za-z0-9]{20,}", said))
    names |= set(re.findall(r"\"function_call\\*\":\{\\*\"args", said))
    tools = [
        each
        for each in observations
        if each["type"] == "TOOL" or re.fullmatch(r"tool\..*|Web-Search|duckduckgo_search", each["name"])
    ]
    return (
        len(requests),
        len(names),
        len(tools),
        sum(each["usageDetails"].get("input", 0) for each in requests),
        sum(each["usageDetails"].get("output", 0) for each in requests),
    )


@pytest.mark.parametrize("name", soaked(FILES, list(FILES)[:3]))
def test_what_a_real_file_holds(name, tmp_path):
    """Every request is one turn, though frameworks tell it twice; a second import adds nothing."""
    path = corpus_file(name)
    found = held_by(sessions_in(path, SOURCE))
    assert found[1:] == counted(path) == FILES[name]
    report = imported(path, SOURCE, tmp_path)
    assert (report.turns, report.calls, report.results) == found[1:4]
