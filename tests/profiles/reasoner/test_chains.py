"""Chains from a file, and what docs/reasoner.md shows."""

import re
from pathlib import Path

import pytest

from actionledger.core.errors import UsageError
from actionledger.profiles.reasoner import ActionRegistry, load_chains
from actionledger.profiles.reasoner.actions import SILENT_CATALOGUE

ONE = '[a]\nwhen = "now"\n[[a.actions]]\naction = "think"\ncontext = "x"\n'


def load(tmp_path, text, **given):
    (tmp_path / "chains.toml").write_text(text)
    return load_chains(tmp_path / "chains.toml", **given)


def test_a_chain_is_read(tmp_path):
    """With its name, when it fits, and its actions."""
    chain = load(tmp_path, ONE)["a"]
    assert (chain.name, chain.when, chain.actions) == ("a", "now", (("think", {"context": "x"}),))
    assert chain.written() == '```json\n{"actions": [{"action": "think", "context": "x"}]}\n```'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[a", "can't be read"),
        ("a = 1", "a table of 'when' and 'actions'"),
        ('[a]\nwhen = "x"\nactions = []\nother = 1', "a table of 'when' and 'actions'"),
        ("[a]\nactions = []", "lacks 'when'"),
        ('[a]\nwhen = "now"', "a list of tables"),
        ('[a]\nwhen = "now"\nactions = [{}]', "a list of tables"),
        ('[a]\nwhen = "now"\nactions = [{action = "sing", context = "x"}]', "action 1 \\(sing\\)"),
        ('[a]\nwhen = "now"\nactions = [{action = "think"}]', "action 1 \\(think\\): context"),
    ],
)
def test_a_chain_that_is_none_is_refused(tmp_path, text, why):
    """The error names the chain and what is wrong with it."""
    with pytest.raises(UsageError, match=why):
        load(tmp_path, text)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="can't be read"):
        load_chains(tmp_path / "none.toml")


def test_a_chain_is_checked_against_the_actions_that_there_are(tmp_path):
    """A silent persona has no chain that speaks."""
    text = ONE.replace("think", "speak")
    assert load(tmp_path, text)
    with pytest.raises(UsageError, match="speak"):
        load(tmp_path, text, catalogue=SILENT_CATALOGUE)


PAGE = (Path(__file__).parents[3] / "docs" / "reasoner.md").read_text(encoding="utf-8")


def fenced(label: str) -> str:
    """Return the body of the page's first fence of a label."""
    found = re.search(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def test_the_example_prints_what_is_below_it(tmp_path, forked):
    """It runs in an empty folder as it stands."""
    code = PAGE.split("```python\n")[1].split("\n```\n\n```text")[0]
    done = forked.run(code, tmp_path)
    assert done.stderr == ""
    assert done.stdout == fenced("text")


def test_the_chain_can_be_loaded(tmp_path):
    (tmp_path / "chains.toml").write_text(fenced("toml"))
    assert list(load_chains(tmp_path / "chains.toml")) == ["comfort"]


def test_every_action_has_its_place_in_the_table():
    """What it looks at and changes is said of each."""
    table = PAGE.split("| action |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) - {"low", "medium", "high"} == set(ActionRegistry().actions)
