"""Real trajectories hold what a count of their steps and messages says, which shares no code with the readers."""

import json
from pathlib import Path

import pytest
from corpus_files import corpus_file, imported

from actionledger.imports import import_path
from actionledger.imports.sources.registry import source_named
from actionledger.ledger import open_ledger

pytestmark = pytest.mark.corpus


FILES = {
    "agents/swe-agent/function-calling.traj": ("swe_agent", 11, 11),
    "agents/swe-agent/xml.traj": ("swe_agent", 11, 11),
    "swe-agent/6e44b9__sweagenttestrepo-1c2844.traj": ("swe_agent", 5, 5),
    "agents/mini-swe-agent/github_issue.traj.json": ("mini_swe_agent", 10, 10),
    "agents/mini-swe-agent/local.traj.json": ("mini_swe_agent", 2, 2),
}
"""The format, responses, and those of them that did something."""


def counted(path: Path) -> tuple[int, int]:
    whole = json.loads(path.read_text())
    if isinstance(whole, dict):
        return len(whole["trajectory"]), sum(bool(step["action"]) for step in whole["trajectory"])
    said = [message["content"] for message in whole if message["role"] == "assistant"]
    return len(said), sum("```mswea_bash_command" in text for text in said)


@pytest.mark.parametrize("name", FILES)
def test_what_a_real_file_holds(name, tmp_path):
    """Every turn, call and result once; a second import adds nothing."""
    path, (form, turns, calls) = corpus_file(name), FILES[name]
    report = imported(path, source_named(form), tmp_path)
    assert (report.turns, report.results) == counted(path) == (turns, calls)


def test_the_command_that_is_read_is_the_one_that_was_run(tmp_path):
    """Of each response with tags, to the character."""
    path = corpus_file("agents/swe-agent/xml.traj")
    run = [step["action"] for step in json.loads(path.read_text())["trajectory"]]
    with open_ledger(tmp_path / "ledger.duckdb") as ledger:
        import_path(path, ledger)
        read = ledger.sql(
            "select arguments->>'command' from actions join turns using (turn_id) order by turns.turn_index"
        ).fetchall()
    assert [command for (command,) in read] == run
