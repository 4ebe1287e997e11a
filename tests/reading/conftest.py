"""What holds of every reading, whatever the text and whatever the parser."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from actionledger.core.values import Block, Issue, RawAction, Reading, Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading import cues
from actionledger.reading.dialects import parameter_tags
from actionledger.reading.dialects.parts import json_values
from actionledger.reading.evidence import candidates, tags
from actionledger.reading.parsers import AnyParser, DialectParser
from actionledger.reading.scan import openings

READ = {BlockStatus.STRICT, BlockStatus.REPAIRED}


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at before or behind a place at most is as small beside the texts of a test as beside a long response.

    None of it hides growth. With its own window of 1,000 code points, ``<function=`` over and over takes 27 calls and 75 characters
    for each opener, in 80,000 code points as in 320,000: the window is copied once more only for openers that the text ends in. Of a
    test's 2,000 code points that is half, which makes the small text dear and the growth look small.
    """
    monkeypatch.setattr(json_values, "_PIECE", 64)
    monkeypatch.setattr(openings, "_LINE", 40)
    monkeypatch.setattr(openings, "_BLANKS", 8)
    monkeypatch.setattr(cues, "_WINDOW", 40)
    monkeypatch.setattr(cues, "_PIECE", 16)
    monkeypatch.setattr(candidates, "_PARAGRAPH", 40)
    monkeypatch.setattr(tags, "_LONGEST_FIELD", 200)
    monkeypatch.setattr(parameter_tags, "_LONGEST_OPENING", 40)


@pytest.fixture(scope="session")
def assert_invariants() -> Callable[[Reading, AnyParser], None]:
    """Return the check of all invariants of a reading."""
    return _assert_invariants


def _assert_invariants(reading: Reading, parser: AnyParser) -> None:
    is_ordered = isinstance(
        parser, DialectParser
    )  # the old parsers may find blocks out of order, and in each other
    assert reading.parser_id == parser.id
    for index, block in enumerate(reading.blocks):
        assert block.index == index
        _assert_block(reading.text, block)
    if is_ordered:
        assert all(before.span.end <= after.span.start for before, after in pairwise(reading.blocks))
    for action in reading.actions:
        _assert_action(reading, action)
    assert all(before.block <= after.block for before, after in pairwise(reading.actions))
    _assert_issues(reading)
    _assert_outcome(reading, parser)
    assert _inked(reading.narrative) == _inked(_outside_blocks(reading))


def _assert_within(inner: Span, outer: Span) -> None:
    assert outer.start <= inner.start <= inner.end <= outer.end


def _assert_block(text: str, block: Block) -> None:
    """A block's parts lie inside it, its repairs say what they changed, and its status fits them."""
    _assert_within(block.span, Span(0, len(text)))
    _assert_within(block.body, block.span)
    assert block.span.of(text)
    for repair in block.repairs:
        _assert_within(repair.span, block.span)
        assert repair.before == repair.span.of(text)
        assert repair.before != repair.after
    assert all(before.span.end <= after.span.start for before, after in pairwise(block.repairs))
    for issue in block.issues:
        assert issue.span is not None
        _assert_within(issue.span, block.span)
    assert (block.reason is None) == (block.status in READ)
    if block.status in READ:
        assert bool(block.repairs) == (block.status is BlockStatus.REPAIRED)
    if block.status is BlockStatus.MALFORMED or block.reason is Reason.BLOCK_LIMIT:
        assert block.reason in {issue.code for issue in block.issues}


def _assert_action(reading: Reading, action: RawAction) -> None:
    """An action stands inside its block and is an illustration where, and only where, the block is ignored."""
    block = reading.blocks[action.block]
    _assert_within(action.span, block.span)
    assert action.dialect == block.dialect
    assert block.status is not BlockStatus.MALFORMED
    assert action.illustration == (block.reason if block.status is BlockStatus.IGNORED else None)


def _assert_issues(reading: Reading) -> None:
    """The issues are the blocks' own in the blocks' order; where none was lost, one may say that nothing was found."""
    of_blocks = [issue for block in reading.blocks for issue in block.issues]
    if Issue(Reason.NO_ACTION_FOUND) in reading.issues:
        assert all(block.status is BlockStatus.IGNORED for block in reading.blocks)
        assert reading.outcome is Outcome.FAILED
        assert list(reading.issues) == [*of_blocks, Issue(Reason.NO_ACTION_FOUND)]
    else:
        assert list(reading.issues) == of_blocks
    for block in reading.blocks:
        starts = [issue.span.start for issue in block.issues if issue.span]
        assert starts == sorted(starts)


def _assert_outcome(reading: Reading, parser: AnyParser) -> None:
    """What was intended shows as an action or an issue, and an outcome promises nothing that the blocks don't hold."""
    meant = [action for action in reading.actions if action.illustration is None]
    statuses = {block.status for block in reading.blocks}
    assert (reading.outcome is Outcome.EMPTY) == (not reading.text.strip() and not parser.requires_action)
    if reading.outcome.has_intent:
        assert meant or reading.issues
    if reading.outcome.is_success:
        assert meant
        assert BlockStatus.MALFORMED not in statuses
    if reading.outcome is Outcome.CLEAN:
        assert BlockStatus.REPAIRED not in statuses
    if reading.outcome in {Outcome.FAILED, Outcome.NO_ACTION, Outcome.ABSTAINED, Outcome.EMPTY}:
        assert not meant
    if parser.requires_action:
        assert reading.outcome not in {Outcome.NO_ACTION, Outcome.EMPTY}


def _outside_blocks(reading: Reading) -> str:
    """Return the text without the blocks that are read or lost and without thoughts; what else is ignored stays."""
    pieces, at = [], 0
    for span in sorted(
        block.span
        for block in reading.blocks
        if block.status is not BlockStatus.IGNORED or block.reason is Reason.REASONING
    ):
        pieces.append(reading.text[at : max(at, span.start)])
        at = max(at, span.end)
    return "".join([*pieces, reading.text[at:]])


def _inked(text: str) -> str:
    """Return a text without its blanks."""
    return "".join(text.split())
