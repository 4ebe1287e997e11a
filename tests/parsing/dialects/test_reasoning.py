"""What a model thinks to itself: out of the narrative, and never an action."""

import pytest

from actionledger.parsing.parsers import PARSERS, DialectParser
from actionledger.vocabulary import BlockStatus, Outcome, Reason

ASSISTANT = PARSERS["assistant"]
BLOCK = '```actions\n{"actions": [{"type": "%s"}]}\n```'


def reasons(reading):
    return [block.reason for block in reading.blocks]


def test_thoughts_are_an_ignored_block_with_an_exact_place():
    """Tag to tag, and what is between."""
    text = "<think>\nHm 🍅.\n</think>\nDone."
    reading = ASSISTANT.read(text)
    (block,) = reading.blocks
    assert (block.status, block.reason, block.dialect) == (
        BlockStatus.IGNORED,
        Reason.REASONING,
        "reasoning",
    )
    assert (block.span.of(text), block.body.of(text)) == ("<think>\nHm 🍅.\n</think>", "\nHm 🍅.\n")
    assert (reading.outcome, reading.narrative, reading.issues) == (Outcome.NO_ACTION, "Done.", ())


def test_an_action_in_thoughts_is_not_meant():
    """What the model considers is no order; what it writes after is one."""
    reading = ASSISTANT.read(f"<think>\n{BLOCK % 'a'}\n</think>\n{BLOCK % 'b'}")
    assert reasons(reading) == [Reason.REASONING, None]
    assert [action.name for action in reading.actions] == ["b"]
    assert reading.outcome is Outcome.CLEAN


def test_a_closing_tag_alone_ends_the_thoughts_that_the_response_begins_with():
    """Some templates write the opening tag for the model."""
    text = f"I might\n{BLOCK % 'a'}\n</think>\nSo:\n{BLOCK % 'b'}"
    reading = ASSISTANT.read(text)
    assert reasons(reading) == [Reason.REASONING] * 3 + [None]
    assert reading.blocks[2].span.of(text).endswith("</think>")
    thought, meant = reading.actions
    assert (thought.name, thought.illustration) == ("a", Reason.REASONING)
    assert (meant.name, meant.illustration) == ("b", None)
    assert reading.narrative == "So:"


@pytest.mark.parametrize("start", ["", " \n"])
def test_a_response_that_is_cut_off_thinking_says_so(start):
    """Nothing was decided yet: no action, and an issue that tells why."""
    text = f"{start}<think>\nLet me {BLOCK % 'a'}"
    reading = ASSISTANT.read(text)
    assert (reading.outcome, reading.narrative, reading.actions) == (Outcome.NO_ACTION, "", ())
    assert [(issue.code, issue.span.of(text)) for issue in reading.issues] == [
        (Reason.UNCLOSED_TAG, "<think>")
    ]


def test_an_open_tag_in_the_middle_is_a_mention():
    """A tag that is named holds nothing."""
    reading = ASSISTANT.read(f"The <think> tag.\n{BLOCK % 'a'}")
    assert reasons(reading) == [None]


def test_tags_in_inline_code_are_quoted():
    """They stay in the narrative, as any quoted text does."""
    reading = ASSISTANT.read("Write `<think>so</think>` first.")
    assert reasons(reading) == [Reason.EXAMPLE]
    assert reading.narrative == "Write `<think>so</think>` first."
    assert reasons(ASSISTANT.read("It ends with `</think>`.")) == []


def test_tags_inside_a_block_are_content():
    """The block that begins first wins."""
    text = '```actions\n{"actions": [{"type": "a", "b": "<think>c</think>"}]}\n```'
    assert ASSISTANT.read(text).actions[0].arguments == {"b": "<think>c</think>"}


def test_tags_inside_a_foreign_fence_are_somebodys_code():
    """They are no thoughts of this model."""
    text = "```\n<think>a</think>\n```"
    reading = ASSISTANT.read(text)
    assert (reading.blocks, reading.narrative) == ((), text)


def test_a_parser_may_take_the_tags_for_prose():
    """The setting turns it off altogether."""
    plain = DialectParser(name="p", dialects=ASSISTANT.dialects, reasoning=False)
    reading = plain.read(f"<think>{BLOCK % 'a'}\n</think>")
    assert (reasons(reading), reading.narrative.startswith("<think>")) == ([None], True)


def test_a_closing_tag_within_a_line_is_a_mention():
    """A response that merely writes about the tag keeps its actions."""
    reading = ASSISTANT.read(f"{BLOCK % 'a'}\nI close my thoughts with </think> as always.")
    assert reasons(reading) == [None]
    assert [(action.name, action.illustration) for action in reading.actions] == [("a", None)]
