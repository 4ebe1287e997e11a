"""What people are told an unknown file is nearest to."""

import json

import pytest

from actionledger.errors import SourceError
from actionledger.importing.paths import import_path
from actionledger.sources.registry import sources

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
    ("langfuse", {"trace": {}, "observation": []}),
    ("otel", {"resource_spans": []}),
]


@pytest.mark.parametrize(("name", "value"), NEAR, ids=[name for name, _ in NEAR])
def test_a_near_miss_is_told_what_it_is_nearest_to(tmp_path, name, value):
    """A field that is missing or called otherwise makes no other format nearer."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value))
    with pytest.raises(SourceError) as told:
        import_path(path, tmp_path / "l.duckdb")
    assert f"nearest is {name} (" in str(told.value)


def test_every_source_says_what_its_files_hold():
    """Else nobody is told that a file is near to it."""
    assert {each.name for each in sources().values() if not each.fields} <= WITHOUT_NAMES
