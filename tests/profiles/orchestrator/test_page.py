"""What docs/orchestrator.md shows is what happens."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from actionledger.profiles.orchestrator.actions import CATALOGUE
from actionledger.profiles.orchestrator.layers import AT_ONCE, LAYERS

PAGE = (Path(__file__).parents[3] / "docs" / "orchestrator.md").read_text(encoding="utf-8")


def fenced(label: str) -> list[str]:
    """Return the bodies of the page's fences of a label."""
    return re.findall(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_run_and_print_what_is_below_them(tmp_path, monkeypatch):
    """All of them, in one empty folder, from top to bottom."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    printed = []
    for code in fenced("python"):
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(code, "docs/orchestrator.md", "exec"), {"__name__": "page"})
        printed.append(out.getvalue())
    reading, store, cascade, handler = printed
    assert [reading, cascade] == fenced("text")
    assert (store, handler) == ("# Issues\n\n", "")


def test_the_table_of_layers_is_the_code_s():
    """Each cell says what the policy does."""
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    shown = {
        (name, layer): cell
        for names, *cells in rows
        for name in re.findall(r"`(\w+)`", names)
        for layer, cell in zip(LAYERS, cells, strict=True)
    }
    assert shown == {
        (name, layer): "at once" if name in AT_ONCE[layer] else "queued"
        for name in CATALOGUE.names
        for layer in LAYERS
    }


def test_every_action_is_described():
    """The table of actions leaves none out."""
    assert {name for name in CATALOGUE.names if f"| `{name}` |" not in PAGE} == set()
