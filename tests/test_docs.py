"""The documents that are made from the code say what the code says."""

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al

DOCS = Path(__file__).parents[1] / "docs"
PAGES = (*sorted(DOCS.rglob("*.md")), DOCS.parent / "README.md")
PYTHON = (DOCS / "python.md").read_text(encoding="utf-8")


def test_the_page_of_dialects_is_up_to_date():
    """Every dialect has its section, with its source, its example and its number of cases."""
    made = runpy.run_path(str(DOCS / "dialects.py"))["page"]()
    assert (DOCS / "dialects.md").read_text(encoding="utf-8") == made


def test_the_page_of_tables_is_up_to_date():
    """Every column that people read is there, with its type and its field's words."""
    made = runpy.run_path(str(DOCS / "tables.py"))["page"]()
    assert (DOCS / "tables.md").read_text(encoding="utf-8") == made
    assert not re.search(r"\|\s*\|$", made, re.MULTILINE)


def test_the_page_of_python_names_what_is_public():
    """Each function and most classes have their task, and no name is made up."""
    named = set(re.findall(r"`(\w+)", PYTHON))
    public = {name for name in al.__all__ if callable(getattr(al, name))}
    functions = {name for name in public if not isinstance(getattr(al, name), type)}
    assert functions <= named
    assert {"Runtime", "Policy", "Catalogue", "StreamParser"} <= named


def test_the_example_of_the_page_of_python_prints_what_is_below_it(tmp_path):
    """It runs in an empty folder as it stands."""
    code, said = (
        re.search(rf"^```{kind}\n(.*?)^```$", PYTHON, re.DOTALL | re.MULTILINE)[1]
        for kind in ("python", "text")
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == said, done.stderr


def python_examples() -> Iterator[tuple[str, str]]:
    """Yield each Python example of each page with where it stands; what a longer fence holds is a model's text and none."""
    for page in PAGES:
        mark, label, begin, body = "", "", 0, list[str]()
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
            if not mark and (opened := re.match(r"(`{3,}|~{3,})\s*(\w*)", line)):
                mark, label, begin, body = opened[1], opened[2], number, []
            elif mark and re.fullmatch(rf"{mark}{mark[0]}*\s*", line):
                if label == "python":
                    yield f"{page.name}:{begin}", "\n".join(body)
                mark = ""
            else:
                body.append(line)


EXAMPLES = dict(python_examples())


def test_the_examples_of_the_pages_are_found():
    """Those of most pages; the texts of models in the page of dialects are none."""
    pages = {place.partition(":")[0] for place in EXAMPLES}
    assert {"README.md", "assistant.md", "coder.md", "orchestrator.md", "python.md", "reasoner.md"} <= pages
    assert "dialects.md" not in pages


@pytest.mark.parametrize("place", EXAMPLES)
def test_an_example_runs_alone(tmp_path, place):
    """In an empty folder, with nothing but what it imports itself, and without a word of complaint."""
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[place]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_of_repairs_is_up_to_date():
    """Every fault of the table has its row, and the example prints what is below it."""
    made = runpy.run_path(str(DOCS / "json_repairs.py"))["page"]()
    assert (DOCS / "json_repairs.md").read_text(encoding="utf-8") == made
    code, said = (
        re.search(rf"^```{kind}\n(.*?)^```$", made, re.DOTALL | re.MULTILINE)[1]
        for kind in ("python", "text")
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == said, done.stderr
