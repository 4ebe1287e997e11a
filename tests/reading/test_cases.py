"""The corpus of cases: each file of ``tests/cases`` is one response and what has to come of it."""

from pathlib import Path

import pytest

from actionledger.api import dialect_names
from actionledger.replay.cases import load_case

CASES = Path(__file__).parents[1] / "cases"
FOLDERS = {*dialect_names(), "baselines"}
PATHS = sorted(CASES.glob("*/*.toml"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_response_reads_as_its_case_says(path, assert_invariants):
    """Outcome, blocks, actions, issues and narrative are the expected ones, and the invariants hold."""
    case = load_case(path)
    assert case.why
    assert bool(case.reader.parser) != bool(case.reader.dialects)
    assert case.differences() == ""
    parser = case.reader.chosen_parser()
    assert_invariants(parser.read(case.text), parser)


def test_every_folder_has_cases():
    """A folder that went missing would take its cases out of the run without a word."""
    assert {path.parent.name for path in PATHS} >= FOLDERS
