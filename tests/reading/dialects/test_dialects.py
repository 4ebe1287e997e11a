"""What holds of every dialect: it reads its own example, and says truly what it looks for."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.parsers import DialectParser

OFFERED = {"python_fence": frozenset({"get_weather"})}
"""The dialects that read calls of offered tools alone, and what their examples call."""

each_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)


@each_dialect
def test_a_dialect_reads_its_own_example(dialect, assert_invariants):
    """The example is a well-formed response: strictly readable, with at least one named action."""
    parser = DialectParser(name="p", dialects=(dialect,), decoding={"repairs": []})
    reading = parser.read(dialect.example, OFFERED.get(dialect.name))
    assert reading.outcome is Outcome.CLEAN
    assert {block.status for block in reading.blocks} == {BlockStatus.STRICT}
    assert all(action.name and action.dialect == dialect.name for action in reading.actions)
    assert all(action.strings_only or not dialect.strings_only for action in reading.actions)
    assert_invariants(reading, parser)


@each_dialect
def test_a_dialect_says_where_it_comes_from_and_what_opens_it(dialect):
    """A format without a source can't be checked, one without openers can't be found."""
    assert dialect.source
    assert dialect.fence_labels or dialect.literals or dialect.line_patterns
    assert all(label == label.lower().strip() for label in dialect.fence_labels)


@each_dialect
def test_an_example_is_found_in_prose_as_well(dialect):
    """Text before and after makes no difference and is the narrative."""
    parser = DialectParser(name="p", dialects=(dialect,))
    names = OFFERED.get(dialect.name)
    alone = parser.read(dialect.example, names)
    within = parser.read(f"Before.\n\n{dialect.example}\n\nAfter.", names)
    assert within.outcome is Outcome.CLEAN
    assert [action.arguments for action in within.actions] == [action.arguments for action in alone.actions]
    assert within.narrative.startswith("Before.")
    assert within.narrative.endswith("After.")
