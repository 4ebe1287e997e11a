"""What docs/reasoner.md shows is what happens."""

import re
from pathlib import Path

from actionledger.profiles.reasoner import ActionRegistry, load_chains

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
    """As it stands."""
    (tmp_path / "chains.toml").write_text(fenced("toml"))
    assert list(load_chains(tmp_path / "chains.toml")) == ["comfort"]


def test_every_action_has_its_place_in_the_table():
    """What it looks at and changes is said of each."""
    table = PAGE.split("| action |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) - {"low", "medium", "high"} == set(ActionRegistry().actions)
