"""Mistral: identifiers, places, and words behind the marker that are no names."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.parsers import parser_for

PARSER = parser_for(("mistral",))


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}, "id": "abc123xyz"}]',
        '[TOOL_CALLS]f[CALL_ID]abc123xyz[ARGS]{"a": 1}',
        '[TOOL_CALLS] f [CALL_ID] abc123xyz [ARGS] {"a": 1}',
    ],
)
def test_the_identifier_of_a_call_is_kept_in_every_form(text):
    """The answer to a call names it."""
    (action,) = PARSER.read(text).actions
    assert (action.name, action.arguments, action.call_id) == ("f", {"a": 1}, "abc123xyz")


def test_a_named_call_reaches_from_its_marker_to_its_arguments_end():
    """Block and action are the same stretch, and each call is one."""
    text = 'Hi[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g{} and'
    reading = PARSER.read(text)
    assert [action.span.of(text) for action in reading.actions] == [
        '[TOOL_CALLS]f[ARGS]{"a": 1}',
        "[TOOL_CALLS]g{}",
    ]
    assert [block.span.of(text) for block in reading.blocks] == [
        action.span.of(text) for action in reading.actions
    ]


@pytest.mark.parametrize(
    "text", ["[TOOL_CALLS] f {", "[TOOL_CALLS] name", "[TOOL_CALLS]f is", "[TOOL_CALLS]: {}"]
)
def test_a_word_behind_the_marker_is_no_name_by_itself(text):
    """A blank before it, or other text behind it, makes a sentence of it."""
    assert PARSER.read(text).outcome is Outcome.NO_ACTION


@pytest.mark.parametrize(
    "text", ["[TOOL_CALLS]", "[TOOL_CALLS]f", "[TOOL_CALLS]f[ARGS]", "[TOOL_CALLS]f[CALL_ID]abc[ARGS]\n"]
)
def test_a_call_that_the_text_ends_with_is_cut_off(text):
    """Somebody was about to call, and that is not passed over in silence."""
    (block,) = PARSER.read(text).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.TRUNCATED)
