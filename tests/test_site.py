"""The documentation site: every page has its place, every link leads somewhere, and it can be built."""

import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import actionledger as al

ROOT = Path(__file__).parents[1]
SITE = runpy.run_path(str(ROOT / "docs" / "build_site.py"))
MODEL = runpy.run_path(str(ROOT / "docs" / "data_model.py"))
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("notebooks", "data")),
]
FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1`*~*\s*$", re.DOTALL | re.MULTILINE)


def prose(page: Path) -> str:
    """Return what is neither code nor a model's text."""
    return re.sub(r"(`+)[^`].*?\1", lambda code: "x" * len(code[0]), FENCED.sub("", page.read_text("utf-8")))


def anchors(page: Path) -> set[str]:
    """Return what headings are known by, as GitHub and the site make it of their words."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-") for words in plain}


LINKS = [
    (page, target)
    for page in PAGES
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text("utf-8")))
    if "://" not in target
]


def test_there_are_links():
    """The test below looks at something."""
    assert len(LINKS) > 150
    assert sum("#" in target for _, target in LINKS) > 20


def test_every_link_leads_to_a_file_and_a_heading():
    """Within the repository; the site checks its own once more when it is built."""
    broken = []
    for page, target in LINKS:
        path, _, anchor = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        if not to.exists() or (anchor and anchor not in anchors(to)):
            broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_every_page_has_one_place(tmp_path):
    """In the site's navigation; and each notebook, with what its cells gave, is one."""
    SITE["write_pages"](tmp_path / "pages")
    listed = re.findall(r'"([\w/.-]+\.md)"', SITE["configuration"](tmp_path / "pages"))
    pages = {page.relative_to(tmp_path / "pages").as_posix() for page in (tmp_path / "pages").rglob("*.md")}
    assert sorted(listed) == sorted(pages)
    notebook = (tmp_path / "pages/notebooks/your_own_logs.md").read_text("utf-8")
    assert "3 sessions with 26 turns" in notebook
    pictures = re.findall(r"!\[[^]]*\]\(([\w.-]+)\)", notebook)
    assert pictures
    assert all((tmp_path / "pages/notebooks" / name).exists() for name in pictures)


def test_what_a_notebook_printed_is_text(tmp_path):
    """A model's text in an output closes no fence, and is no markup."""
    hostile = "```\n<script>alert(1)</script>\n````"
    cell = {"cell_type": "code", "source": ["1"], "outputs": [{"text": [hostile]}]}
    SITE["write_notebook"]({"cells": [cell]}, tmp_path / "page")
    assert (tmp_path / "page.md").read_text("utf-8").endswith(f"`````text\n{hostile}\n`````\n")


def test_every_public_name_has_one_place_in_the_reference():
    """In one of its pages; charts and statistics are each one by itself."""
    named = [name for modules in SITE["REFERENCE"].values() for name in SITE["names_of"](modules)]
    assert sorted(named) == sorted(set(al.__all__) - {"__version__", *SITE["ROOMS"]})


def test_the_picture_of_the_tables_is_true(ledger):
    """It is up to date, each table that people read is in it, and both sides of a join have its column."""
    assert MODEL["FILE"].read_text("utf-8") == MODEL["drawing"]()
    headings = re.findall(r"^## (\w+)$", (ROOT / "docs/tables.md").read_text("utf-8"), re.MULTILINE)
    apart = {
        "events",
        "quarantine",
        "left_out",
        "superseded",
        "unacted_turns",
        "session_outcomes",
        "permissions",
        "recorded_verdicts",
    }
    assert set(headings) - apart <= set(MODEL["PLACES"])
    assert set(MODEL["PLACES"]) <= set(headings)
    for join in MODEL["JOINS"]:
        for table in (join.one, join.many):
            assert join.by in {row[0] for row in ledger.sql(f"DESCRIBE {table}").fetchall()}, join


@pytest.mark.soak
@pytest.mark.skipif(find_spec("zensical") is None, reason="the extra docs is not installed")
def test_the_site_can_be_built(tmp_path, capfd):
    """Strictly: a link, an anchor or a name of a docstring that leads nowhere is an error; and no page asks another host."""
    built = SITE["build"](tmp_path / "site")
    assert "No issues found" in "".join(capfd.readouterr())
    pages = list(built.rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        asked = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', page.read_text("utf-8")
        )
        assert [address for address in asked if "w3.org" not in address] == [], page
    assert sys.version_info >= (3, 11)
