"""The documents that are made from the code say what the code says."""

import re
import runpy
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


def test_what_is_said_about_where_to_add_is_there():
    """Each file and folder that the table names (of what a newcomer makes: where it goes), and each test."""
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Where to add")[2].partition("\n## ")[0]
    named = [word for code in re.findall(r"`([^`\n]+)`", table) for word in code.split() if "/" in word]
    folders = (
        DOCS.parent,
        DOCS.parent / "toolkit/actionledger",
        DOCS.parent / "dashboard/actionledger_dashboard",
    )
    places = {each.partition("NAME")[0] for each in named}
    assert len(places) > 20
    assert [each for each in places if not any((folder / each).exists() for folder in folders)] == []


def test_the_picture_of_the_house_is_true():
    """Each file and folder that it names is there, and each that lies on the ground floor is named."""
    package = DOCS.parent / "toolkit/actionledger"
    picture = (
        (DOCS / "architecture.md").read_text(encoding="utf-8").partition("```\n")[2].partition("\n```")[0]
    )
    named = set(re.findall(r"[\w/]+(?:\.py\b|/)", picture.partition("\n")[2]))
    places = [
        package,
        *(folder for folder in package.rglob("*") if folder.is_dir()),
        DOCS.parent / "dashboard",
    ]
    places.append(DOCS.parent)
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []
    here = {path.name + "/" * path.is_dir() for path in package.iterdir()}
    ground = {name for name in here if not name.startswith(("_", ".", "py.typed"))}
    assert sorted(ground - named) == []


def cells(page: str, row: str) -> list[list[str]]:
    """Return the cells of the rows of a table, without its head; the table's first cell is given."""
    table = re.search(rf"^\| {row} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_page_of_python_teaches_what_a_newcomer_sees():
    """What ``dir`` shows is what the two tables name, and what they say that each has is there."""
    spans = [span for _, use, gives in cells(PYTHON, "to") for span in re.findall(r"`([^`]+)`", use + gives)]
    used = [name[0] for name in (re.match(r"\w+(?![\w=])", span) for span in spans) if name]
    given = {re.fullmatch(r"`(\w+)`", name)[1]: has for name, _, has in cells(PYTHON, "what comes back")}
    assert {*used, *given, "__version__"} == set(dir(al))
    for name, has in given.items():
        promised = set(re.findall(r"`\.(\w+)", has))
        assert promised <= {*dir(getattr(al, name)), *getattr(getattr(al, name), "__annotations__", ())}, name


EXPERIMENTS, STATISTICS = (
    (DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("experiments", "statistics")
)
SHOWN = re.findall(
    r"^```python\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```$",
    PYTHON + EXPERIMENTS + STATISTICS,
    re.MULTILINE,
)


def test_the_examples_with_an_output_are_found():
    """The test below looks at something."""
    assert len(SHOWN) == 4


@pytest.mark.parametrize(("code", "said"), SHOWN, ids=range(len(SHOWN)))
def test_an_example_prints_what_is_below_it(tmp_path, forked, code, said):
    """It runs in an empty folder as it stands."""
    done = forked.run(code, tmp_path)
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


def test_what_becomes_of_an_example_is_told(tmp_path, forked):
    """Its status, what it says, what it leaves in its folder; and no name of one is known to the next."""
    done = forked.run("import atexit, sys\natexit.register(print, 2)\nprint(1)\nsys.exit(3)", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "1\n2\n", "")
    done = forked.run("open('made', 'w').close()\nsys", tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "NameError: name 'sys' is not defined")
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


@pytest.mark.parametrize("place", EXAMPLES)
def test_an_example_runs_alone(tmp_path, place, forked):
    """In an empty folder, with no name but those it imports itself, and without a word of complaint.

    The README's, whose output is compared, begins with nothing.
    """
    done = forked.run(EXAMPLES[place], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_of_repairs_is_up_to_date(tmp_path, forked):
    """Every fault of the table has its row, and the example prints what is below it."""
    made = runpy.run_path(str(DOCS / "json_repairs.py"))["page"]()
    assert (DOCS / "json_repairs.md").read_text(encoding="utf-8") == made
    code, said = (
        re.search(rf"^```{kind}\n(.*?)^```$", made, re.DOTALL | re.MULTILINE)[1]
        for kind in ("python", "text")
    )
    done = forked.run(code, tmp_path)
    assert done.stdout == said, done.stderr
