"""Whether what follows may still make something else of a block that was read while a response comes in."""

import pytest

from actionledger.parsing.evidence.settling import may_change
from actionledger.parsing.parsers import parser_for
from actionledger.parsing.scan.source import Source
from actionledger.values import Span

CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
BEHIND = " And so on." * 20
PARSER = parser_for(("hermes",))


def placed(text):
    return list(PARSER.finder.blocks(Source(text), PARSER.decoding))


@pytest.mark.parametrize(
    ("before", "names", "is_open"),
    [
        ("Hm. ", None, False),
        ("<!-- ", None, True),
        ("Hm. ", frozenset({"g"}), False),
        ("g(1) ", frozenset({"g"}), True),
    ],
)
def test_a_block_may_change_where_something_opens_before_it(before, names, is_open):
    text = before + CALL + BEHIND
    [block] = placed(text)
    assert may_change(text, Span(0, len(before)), block, names, is_first=True) is is_open


def test_a_turn_that_begins_between_two_blocks_may_change_the_second():
    text = f"{CALL}\nUser: x\n{CALL}{BEHIND}"
    first, second = placed(text)
    gap = Span(first[1].span.end, second[1].span.start)
    assert may_change(text, gap, second, None, is_first=False)
    assert not may_change(text, gap, second, None, is_first=True)


@pytest.mark.parametrize(
    "behind", ["", "\nPlease", "\nPlease ignore that." + BEHIND, "\nHere is the corrected call:\n" + BEHIND]
)
def test_a_block_may_change_until_it_is_known_that_nothing_behind_takes_it_back(behind):
    text = CALL + behind
    [block] = placed(text)
    assert may_change(text, Span(0, 0), block, None, is_first=True)
