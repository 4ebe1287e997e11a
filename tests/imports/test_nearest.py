"""What people are told an unknown file is nearest to."""

import json
from pathlib import Path

import pytest

from actionledger.core.errors import SourceError
from actionledger.imports.paths import import_path
from actionledger.imports.sources.registry import recognised, sample_of, sources

AGENTS = Path(__file__).parents[3] / "shared" / "corpora" / "agents"

WITHOUT_NAMES = {"aider", "intercode", "table"}
"""Formats without fields: Markdown, episodes under their numbers, and tables, whose columns are those of ``jsonl``."""

NEAR = [
    ("codex", {"timestamp": "x", "kind": "x", "payload": {}}),
    ("claude_code", {"session_id": "x", "uuid": "x", "parentUuid": None, "message": {}}),
    ("atif", {"schemaVersion": "x", "session_id": "x", "agent": {}, "steps": []}),
    ("langsmith", {"runType": "x", "trace_id": "x", "dotted_order": "x", "inputs": {}}),
    ("gemini_cli", {"sessionId": "x", "project_hash": "x", "startTime": "x"}),
    ("tau_bench", {"task": 1, "reward": 0, "info": {}, "traj": [], "trial": 0}),
    ("swe_agent", {"trajectories": [], "history": [], "info": {}}),
    ("toolbench", {"answer_generated": {}, "tree": {}, "win": True}),
    ("braintrust", {"rootSpanId": "x", "span_id": "x", "span_attributes": {}, "metrics": {}}),
    ("openai_batch", {"customid": "x", "response": {}, "error": None}),
    ("opencode", {"id": "x", "projectId": "x", "directory": "x"}),
    ("goose", {"workingDir": "x", "description": "x", "message_count": 1}),
    ("goose", {"id": "x", "workingDir": "x", "extension_data": {}, "conversation": []}),
    ("otel", {"span_name": "x", "attributes": {}, "scopeName": "x"}),
    ("otel", {"name": "x", "trace_id": "x", "spanID": "x", "attributes": {}}),
    ("openai_batch", {"customId": "x", "method": "x", "url": "x", "body": {}}),
    ("openai_batch", {"customId": "x", "result": {}}),
    ("agent_sdk_stream", {"types": "x", "subtype": "x", "sessionId": "x"}),
    ("langfuse", {"trace": {}, "observation": []}),
    ("otel", {"resource_spans": []}),
]


@pytest.mark.parametrize(
    ("name", "value"), NEAR, ids=[f"{name}-{number}" for number, (name, _) in enumerate(NEAR)]
)
def test_a_near_miss_is_told_what_it_is_nearest_to(tmp_path, name, value):
    """A field that is missing or called otherwise makes no other format nearer."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value))
    with pytest.raises(SourceError) as told:
        import_path(path, tmp_path / "l.duckdb")
    assert f"nearest is {name} (" in str(told.value)


def test_lines_in_utf16_without_a_mark_are_told_what_they_are(tmp_path: Path):
    """They aren't guessed at; the sentence showed their bytes, NUL behind each letter."""
    path = tmp_path / "log.jsonl"
    path.write_bytes('{"session": "s", "text": "é"}\n'.encode("utf-16-le"))
    with pytest.raises(SourceError, match="it is in UTF-16LE without a byte order mark: iconv -f UTF-16LE"):
        import_path(path, tmp_path / "l.duckdb")


WITHOUT_OBJECTS = {"inspect", "cassettes", "mini_swe_agent", "openhands"}
"""Formats with files of other kinds: archives, YAML, bare lists of messages, whose fields are everybody's, and states beside the events."""


@pytest.mark.corpus
def test_what_others_recorded_holds_what_its_format_is_said_to_hold():
    """Every file that a format is sure of has all fields of one of its kinds."""
    files = [path for path in sorted(AGENTS.rglob("*")) if path.is_file()]
    if not files:
        pytest.skip("The recordings are not here: expected in shared/corpora/agents beside the checkout.")
    lacking = []
    for path in files:
        sample = sample_of(path)
        first = next(iter(recognised(sample)), None)
        objects = [
            each for value in sample.values for each in (value if isinstance(value, list) else [value])
        ]
        there = {key for each in objects if isinstance(each, dict) for key in each}
        if first is None or first.source.name in WITHOUT_NAMES | WITHOUT_OBJECTS:
            continue
        if not any(there.issuperset(kind) for kind in (first.source.fields, *first.source.other_fields)):
            lacking.append((first.source.name, path.name))
    assert lacking == []


def test_every_source_says_what_its_files_hold():
    """Else nobody is told that a file is near to it."""
    lacking = {each.name for each in sources().values() if not each.fields} - WITHOUT_NAMES
    assert not lacking, "give the SOURCE its fields"
