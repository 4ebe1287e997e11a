"""What the page of coverage claims is there: each place, each test, a row for each action and numbered case."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import actionledger as al

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
STATES = ("built", "otherwise", "measured", "not built")
DOCUMENTS = (
    "Action parsing",
    "Improvement plan",
    "Action parser validation",
    "Action tags",
    "Action-based architecture",
)
PROFILES = ("assistant", "orchestrator", "coder", "reasoner")
NUMBERED = (
    *(("Action parsing", f"Edge case, text {number}") for number in range(1, 8)),
    *(("Action parsing", f"Edge case, code {number}") for number in range(1, 7)),
    *(("Action parsing", f"Architecture issue {number}") for number in range(1, 9)),
    *(("Action parser validation", f"Edge case {number}") for number in range(1, 6)),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One statement of one document."""

    document: str
    section: str
    statement: str
    state: str
    why: str
    places: tuple[str, ...]
    tests: tuple[str, ...]


def code(cell: str) -> tuple[str, ...]:
    """Return what a cell has in backticks."""
    return tuple(re.findall(r"`([^`]+)`", cell))


def rows() -> list[Row]:
    """Return all rows of the page's tables, in order."""
    found = []
    for part in PAGE.split("\n## ")[1:]:
        document, _, body = part.partition("\n")
        for line in body.splitlines():
            if not line.startswith("| ") or line.startswith("| section |"):
                continue
            section, statement, claim, places, tests = (cell.strip() for cell in line.strip("|").split(" | "))
            state, _, why = claim.partition(": ")
            found.append(Row(document, section, statement, state, why, code(places), code(tests)))
    return found


ROWS = rows()


@cache
def names_in(path: str) -> frozenset[str]:
    """Return the names that a Python file defines, at its top or in its classes."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    return frozenset(name for body in bodies for statement in body for name in defined_by(statement))


def defined_by(statement: ast.stmt) -> list[str]:
    """Return the names that a statement gives to something."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def test_every_document_has_its_table():
    """All five, in their order, and each has rows."""
    assert tuple(dict.fromkeys(row.document for row in ROWS)) == DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_row_has_a_state_of_the_closed_list(document):
    """What is not simply built says why; a metric says by which command it is measured."""
    for row in (row for row in ROWS if row.document == document):
        assert row.state in STATES, row
        assert bool(row.why) == (row.state != "built"), row
        if row.state == "measured":
            assert code(row.why), row


def test_every_place_is_there():
    """Each file or folder, and each name in it that is given."""
    for place in {place for row in ROWS for place in row.places}:
        path, _, name = place.partition(":")
        assert (ROOT / path).exists(), place
        assert not name or name in names_in(path), place


def test_every_test_is_there():
    """By file and name, without what a parameter adds."""
    for test in {test for row in ROWS for test in row.tests}:
        path, _, name = test.partition("::")
        assert re.fullmatch(r"tests/(?:\w+/)*test_\w+\.py", path), test
        assert (ROOT / path).is_file(), test
        assert name.startswith("test_"), test
        assert name in names_in(path), test


def test_what_is_built_has_a_place_and_a_test():
    """Both for whatever is said to be there; what is not built claims neither."""
    for row in ROWS:
        if row.state in ("built", "otherwise"):
            assert row.places, row
            assert row.tests, row
        elif row.state == "not built":
            assert not row.tests, row


@pytest.mark.parametrize("profile", PROFILES)
def test_every_action_has_a_row(profile):
    """Each action of a document's catalogue is named in a statement."""
    named = {name for row in ROWS for name in code(row.statement)}
    assert [name for name in al.profile(profile).catalogue.names if name not in named] == []


@pytest.mark.parametrize(("document", "section"), NUMBERED)
def test_every_numbered_case_has_a_row(document, section):
    """The edge cases and the architecture issues of the documents, number by number."""
    assert [row for row in ROWS if (row.document, row.section) == (document, section)]


def test_the_counts_are_those_of_the_tables():
    """The summary on top says how many rows have which state."""
    for document in DOCUMENTS:
        counts = [sum((row.document, row.state) == (document, state) for row in ROWS) for state in STATES]
        assert f"| {document} | {' | '.join(map(str, counts))} |" in PAGE
