"""Kimi K2: names from identifiers."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.parsers import parser_for

PARSER = parser_for(("kimi_k2",))


def call(identifier, arguments="{}"):
    return f"<|tool_call_begin|>{identifier}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("functions.get_time:0", "get_time"),
        ("functions.get_time:12", "get_time"),
        ("functions.get_time", "get_time"),
        ("get_time:0", "get_time"),
        ("functions.maps.find_2:1", "maps.find_2"),
        ("functions.2fa:0", "2fa"),
        (" functions.get_time:0 ", "get_time"),
    ],
)
def test_the_name_stands_in_the_identifier_which_is_kept_whole(identifier, name):
    """The answer to a call names it by all of its identifier."""
    (action,) = PARSER.read(call(identifier)).actions
    assert (action.name, action.call_id) == (name, identifier.strip())


@pytest.mark.parametrize("identifier", ["0", "functions.0:1", "12:3"])
def test_a_number_is_no_name(identifier):
    """Which tool was meant can't be known."""
    (block,) = PARSER.read(call(identifier)).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.MISSING_NAME)


def test_a_call_without_the_token_before_its_arguments_is_malformed():
    """It was meant, so it is not passed over."""
    (block,) = PARSER.read('<|tool_call_begin|>functions.f:0{"a": 1}<|tool_call_end|>').blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.WRONG_SHAPE)


def test_a_call_has_its_own_place_in_the_section():
    """It reaches from its first token to its last."""
    text = f"<|tool_calls_section_begin|>{call('f:0')}{call('g:1')}<|tool_calls_section_end|>"
    reading = PARSER.read(text)
    assert [action.span.of(text) for action in reading.actions] == [call("f:0"), call("g:1")]
    assert len(reading.blocks) == 1
