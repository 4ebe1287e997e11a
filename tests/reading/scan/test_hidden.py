"""Bytes that nobody sees in the lines of a fence: the block is read, and each stretch of them is a repair."""

import pytest

from actionledger.core.vocabulary import RepairKind
from actionledger.reading.parsers import PARSERS

VALUE = '{"actions": [{"type": "create_task", "content": "漢字"}]}'
HIDDEN = ["\ufeff", "\u200b", "\u200d", "\u2060\ufeff"]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    "text",
    [
        "{0}```actions\n{1}\n```",
        "Here:\n {0}```actions\n{1}\n```\nbye",
        "```{0}actions\n{1}\n```",
        "```act{0}ions\n{1}\n```",
        "```actions{0}\n{1}\n```",
        "``` {0} actions {0}\n{1}\n{0}```\nbye",
        "```actions\n{1}\n```{0}\nbye",
    ],
)
def test_a_fence_with_hidden_characters_is_read_and_they_are_named(text, hidden):
    """The one action is there, the status says that something was repaired, and the spans are exact."""
    text = text.format(hidden, VALUE)
    reading = PARSERS["assistant"].read(text)
    assert [action.name for action in reading.actions] == ["create_task"]
    (block,) = reading.blocks
    assert str(block.status) == "repaired"
    spaces = [repair for repair in block.repairs if repair.kind is RepairKind.SPACE]
    assert "".join(repair.before for repair in spaces) == hidden * text.count(hidden)
    assert all(repair.span.of(text) == repair.before for repair in spaces)


def test_a_fence_without_them_needs_no_repair():
    """Nor does one with such characters in its value alone."""
    reading = PARSERS["assistant"].read(f"```actions\n{VALUE.replace('字', '字' + HIDDEN[0])}\n```")
    assert [str(block.status) for block in reading.blocks] == ["strict"]
