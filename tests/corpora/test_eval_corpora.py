"""Real episodes of InterCode and trees of ToolBench hold what a count of their own says, which shares no code with the readers."""

import gzip
import json
from pathlib import Path

import pytest
from corpus_files import corpus_file, imported, sessions_in

from actionledger.imports.formats import intercode, toolbench
from actionledger.imports.sources.registry import recognised, sample_of

pytestmark = pytest.mark.corpus


EPISODES = (4_440, 24_408)
"""Sessions and actions in all files of InterCode."""

TREES = {
    "G1_answer-10_ChatGPT_DFS_woFilter_w2.json": 3,
    "G1_answer-11_ChatGPT_DFS_woFilter_w2.json": 4,
    "G2_answer-127_ChatGPT_DFS_woFilter_w2.json": 7,
    "G3_answer-21_ChatGPT_DFS_woFilter_w2.json": 4,
}
"""Actions in the whole tree."""


def test_every_action_of_intercode_is_a_turn():
    """In all files; what could not be run is an error."""
    files = sorted(corpus_file("intercode").rglob("*.json.gz"))
    assert files
    total_sessions = total_turns = 0
    for path in files:
        whole = json.loads(gzip.decompress(path.read_bytes()))
        episodes = list(whole.get("logs", whole).values())
        actions = sum(len(each["turn_history"]["actions"]) for each in episodes)
        sessions = sessions_in(path, intercode.SOURCE)
        assert recognised(sample_of(path))[0].source is intercode.SOURCE
        assert (len(sessions), sum(len(each.turns) for each in sessions)) == (len(episodes), actions), (
            path.name
        )
        invalid = sum(each["turn_history"].get("valid_action", []).count(False) for each in episodes)
        turns = [turn for each in sessions for turn in each.turns]
        failed = [result for turn in turns for result in turn.results if result.is_error]
        assert len(failed) + sum(not turn.calls for turn in turns) == invalid
        total_sessions, total_turns = total_sessions + len(sessions), total_turns + actions
    assert (total_sessions, total_turns) == EPISODES


@pytest.mark.parametrize("name", TREES)
def test_every_action_of_a_tree_is_a_call(name, tmp_path):
    """Once, on the way to the answer or on a branch; a second import adds nothing."""
    path = corpus_file(f"agents/toolbench/{name}")
    assert path.read_text().count('"node_type": "Action",') - _copied(path) == TREES[name]
    report = imported(path, toolbench.SOURCE, tmp_path)
    assert (report.calls, report.results) == (TREES[name], TREES[name])


def _copied(path: Path) -> int:
    """Return how many actions stand a second time behind the tree."""
    whole = json.loads(path.read_text())
    rest = {key: value for key, value in whole.items() if key != "tree"}
    return json.dumps(rest).count('"node_type": "Action",')
