"""The children of a session, with what they came to, as plain SQL over the views counts it."""

from pathlib import Path

import pytest

from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import ExecutionStatus, Outcome, Reason, Relation, RunKind
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries.base import ATTEMPTED

from .conftest import MONDAY, Book, call

FAMILY = {"first": "parent", "second": "parent", "grandchild": "first", "stranger": "somebody"}

_PLAIN = """
SELECT session_id::VARCHAR, external_id, relation,
       (SELECT count(*) FROM turns WHERE turns.session_id = sessions.session_id),
       (SELECT count(*) FROM executions
        WHERE executions.session_id = sessions.session_id AND list_contains($attempted, status) AND status <> 'succeeded')
FROM sessions WHERE parent_session_id = $parent::UUID ORDER BY external_id"""


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a parent, its two children, a child of one of them and one of somebody else's, each with failures of its own."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("parent")
    for place, (name, parent) in enumerate(FAMILY.items()):
        above = derived_id("session", parent)
        book.session(name, parent_session_id=above, relation=Relation.SUBAGENT)
        for index in range(place + 1):
            book.turn(name, index, "<wait>")
            book.read(name, index, Outcome.CLEAN, actions=(call("wait", arguments={"of": [name, index]}),))
            book.execute(name, index, 0, ExecutionStatus.FAILED, reason=Reason.HANDLER_ERROR)
    book.turn("first", 1, "Done.", MONDAY)
    book.read("first", 1, Outcome.NO_ACTION)
    path = tmp_path_factory.mktemp("family") / "family.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        ledger.flush()
    return path


@pytest.mark.parametrize(
    ("parent", "numbers"),
    [
        ("parent", {"first": (2, 1), "second": (2, 2)}),
        ("first", {"grandchild": (3, 3)}),
        ("second", {}),
    ],
)
def test_children_have_their_own_numbers(
    family: Path, parent: str, numbers: dict[str, tuple[int, int]]
) -> None:
    """Their turns and what failed in them, and nobody else's."""
    parent_id = derived_id("session", parent)
    with open_ledger(family, read_only=True) as ledger:
        found = queries.children(ledger, parent_id)
        plain = ledger.sql(_PLAIN, {"parent": parent_id, "attempted": ATTEMPTED}).fetchall()
    assert {each.external_id: (each.turns, each.failed) for each in found} == numbers
    assert [
        (each.session_id, each.external_id, each.relation, each.turns, each.failed) for each in found
    ] == plain
