"""The recordings of real agents with one part of a line replaced by something that nobody expects there."""

import json
from pathlib import Path

import pytest
from given_items import check_items
from hostile_values import with_one_part_changed

from actionledger.core.errors import SourceError
from actionledger.imports.sources.registry import recognised, sample_of, source_named

RECORDINGS = Path(__file__).parents[1] / "recordings"
RUNS = {
    "copilot": ("edits", "subagent", "timeout"),
    "droid": ("errors", "resume"),
    "kimi_code": ("good", "subagent"),
    "qwen_code": ("cut", "empty", "resume", "subagent_bg"),
}


def lines_of(name):
    """A line of each kind, with what is in it, in the order of their files."""
    kinds, lines = set(), []
    for run in RUNS[name]:
        for path in sorted((RECORDINGS / name / run).rglob("*.jsonl")):
            for line in map(json.loads, path.read_text().splitlines()):
                inner = (
                    line.get("event")
                    or line.get("message")
                    or line.get("data")
                    or line.get("systemPayload")
                    or {}
                )
                kind = (line["type"], line.get("subtype"), tuple(sorted(inner)))
                if kind not in kinds:
                    kinds.add(kind)
                    lines.append(line)
    return lines


def read(name, path):
    try:
        return list(source_named(name).read(path, None))
    except SourceError:
        return []


@pytest.mark.scaled
@pytest.mark.parametrize("name", RUNS)
def test_no_value_in_a_line_stops_a_source(name, tmp_path):
    """Each part of a line of each kind."""
    path, lines = tmp_path / f"{name}.jsonl", lines_of(name)
    written = [json.dumps(line) for line in lines]
    for place, line in enumerate(lines):
        for changed in with_one_part_changed(line):
            path.write_text("\n".join([*written[:place], json.dumps(changed), *written[place + 1 :]]))
            check_items(read(name, path), source_named(name).wordings)
            if place < 2:
                recognised(sample_of(path))


@pytest.mark.scaled
def test_no_value_in_a_document_stops_a_source(tmp_path):
    (whole,) = (RECORDINGS / "continue_cli" / "exit3").glob("[0-9a-f]*.json")
    path = tmp_path / "session.json"
    for changed in with_one_part_changed(json.loads(whole.read_text())):
        path.write_text(json.dumps(changed))
        check_items(read("continue_cli", path), source_named("continue_cli").wordings)
        recognised(sample_of(path))
