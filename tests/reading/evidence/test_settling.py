"""Whether what follows may still make something else of a block that was read while a response comes in."""

import pytest

from actionledger.core.values import Span
from actionledger.reading.parsers import parser_for
from actionledger.reading.scan.source import Source
from actionledger.reading.stream import may_change, waits_for_prose

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
    text = before + CALL
    [block] = placed(text)
    assert may_change(text, Span(0, len(before)), block, names, is_first=True) is is_open


def test_a_turn_that_begins_between_two_blocks_may_change_the_second():
    text = f"{CALL}\nUser: x\n{CALL}"
    first, second = placed(text)
    gap = Span(first[1].span.end, second[1].span.start)
    assert may_change(text, gap, second, None, is_first=False)
    assert not may_change(text, gap, second, None, is_first=True)


@pytest.mark.parametrize(
    ("before", "behind", "waits"),
    [
        ("", "", True),
        ("", "\nPlease", True),
        ("", "\nPlease ignore that." + BEHIND, True),
        ("", "\nHere is the corrected call:\n" + BEHIND, True),
        ("I would then use this:\n", BEHIND, True),
        ("", BEHIND, False),
        ("", "\n" + CALL, False),
    ],
)
def test_a_block_waits_until_it_is_known_what_the_prose_around_it_says(before, behind, waits):
    text = before + CALL + behind
    [block, *_] = placed(text)
    assert waits_for_prose(text, Span(0, len(before)), block) is waits
