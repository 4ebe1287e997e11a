"""Blocks that were read in places that quote, or in a turn that the model invented."""

import pytest

from actionledger.reading.evidence.echoes import without_echoes
from actionledger.reading.parsers import parser_for
from actionledger.reading.scan.source import Source

CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
PARSER = parser_for(("hermes",))


def placed(text):
    return list(PARSER.finder.blocks(Source(text), PARSER.decoding))


@pytest.mark.parametrize(
    ("text", "details"),
    [
        (CALL, []),
        (f"{CALL}\n{CALL}", []),
        (f"<tool_response>{CALL}</tool_response>", ["It stands in a tool's echo."]),
        (f"{CALL}\nUser: hi\n{CALL}", ["It stands behind a turn that the model wrote itself."]),
    ],
)
def test_a_block_that_quotes_is_an_illustration_that_is_said(text, details):
    found = without_echoes(Source(text), placed(text))
    assert [issue.detail for _, block in found for issue in block.issues] == details
    statuses = [str(block.status) for _, block in found]
    assert statuses == ["strict"] * (len(found) - len(details)) + ["ignored"] * len(details)
