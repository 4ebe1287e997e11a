"""MINT's two tags: raw bodies, exact places, and what counts as quoted."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.parsers import PARSERS

MINT = PARSERS["mint"]


def test_block_and_body_have_exact_places():
    """The block is tag to tag; the body is what is between, blanks included."""
    text = "é 🍅\n<execute>\n print(1)\n</execute>"
    (block,) = MINT.read(text).blocks
    assert block.span.of(text) == "<execute>\n print(1)\n</execute>"
    assert block.body.of(text) == "\n print(1)\n"


@pytest.mark.parametrize(
    ("text", "reason", "place", "span"),
    [
        ("<execute> \n</execute>", Reason.EMPTY_BLOCK, " \n", "<execute> \n</execute>"),
        ("<execute>a", Reason.UNCLOSED_TAG, "<execute>", "<execute>a"),
        ("<solution>a</execute>", Reason.UNCLOSED_TAG, "<solution>", "<solution>a</execute>"),
    ],
)
def test_what_cant_be_read_says_why_and_where(text, reason, place, span):
    """The issue points at the empty body or at the tag that is never closed."""
    (block,) = MINT.read(text).blocks
    (issue,) = block.issues
    assert (block.status, issue.code, issue.span.of(text)) == (BlockStatus.MALFORMED, reason, place)
    assert block.span.of(text) == span


@pytest.mark.parametrize("second", ["execute", "solution"])
def test_an_open_tag_ends_where_the_next_one_opens(second):
    """The pair behind it is read, whichever it is."""
    text = f"<execute>a\n<{second}>b</{second}>"
    lost, read = MINT.read(text).blocks
    assert (lost.reason, lost.span.of(text)) == (Reason.UNCLOSED_TAG, "<execute>a\n")
    assert read.status is BlockStatus.STRICT


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("`<execute>a</execute>`", [BlockStatus.IGNORED]),
        ("``<execute>a</execute>``", [BlockStatus.IGNORED]),
        ("```<execute>a</execute>```", [BlockStatus.STRICT]),
        ("`<execute>` and `</execute>`", [BlockStatus.IGNORED]),
        ("`<execute>`, then <solution>5</solution>", [BlockStatus.STRICT]),
    ],
)
def test_a_tag_right_behind_a_backtick_is_quoted_unless_that_is_a_fence(text, statuses):
    """Inline code quotes; a fence around the protocol's own tags doesn't."""
    assert [block.status for block in MINT.read(text).blocks] == statuses


def test_thoughts_in_other_tags_are_none_of_its_matter():
    """The protocol's own thought tag and a reasoning model's stay in the narrative."""
    text = "<think>a</think>\n<thought>b</thought>\n<execute>c</execute>"
    assert MINT.read(text).narrative == "<think>a</think>\n<thought>b</thought>"


@pytest.mark.parametrize(
    ("text", "actions", "reason"),
    [
        ("Now.\n```python\nprint(1)\n```\nDone.", [("execute", {"code": "print(1)"})], None),
        ("<solution>42</solution>", [("solution", {"answer": "42"})], None),
        ("<execute>print(1)</execute>", [("execute", {"code": "print(1)"})], None),
        ("```python\nprint(1)", [], Reason.UNCLOSED_FENCE),
        ("```python3\nprint(1)\n```", [], None),
        ("```python\n\n```", [], Reason.EMPTY_BLOCK),
    ],
)
def test_where_a_prompt_asks_for_fences_a_fence_of_python_is_code(text, actions, reason):
    """By that parser alone; the tags stay what they are."""
    found = PARSERS["mint-fences"].read(text)
    assert [(each.name, each.arguments) for each in found.actions] == actions
    assert reason is None or reason in {issue.code for issue in found.issues}
    assert all(block.span.of(text) for block in found.blocks)
    fenced = "```" in text
    assert bool(MINT.read(text).actions) is (bool(actions) and not fenced)
