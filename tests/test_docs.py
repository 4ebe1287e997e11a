"""The documents that are made from the code say what the code says."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import actionledger as al

DOCS = Path(__file__).parents[1] / "docs"
PYTHON = (DOCS / "python.md").read_text(encoding="utf-8")


def test_the_page_of_dialects_is_up_to_date():
    """Every dialect has its section, with its source, its example and its number of cases."""
    made = runpy.run_path(str(DOCS / "dialects.py"))["page"]()
    assert (DOCS / "dialects.md").read_text(encoding="utf-8") == made


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
