"""MiniMax: parameters kept to the character, and bodies that two readings fit."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.parsers import parser_for

PARSER = parser_for(("minimax",))


def wrapped(body):
    return f"<minimax:tool_call>\n{body}\n</minimax:tool_call>"


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("", ""),
        ("x", "x"),
        ("  x  ", "  x  "),
        ("\nx\n", "x"),
        ("\n  x\n  ", "  x"),
        ("\n\nx\n\n", "\nx\n"),
        ("x\n", "x\n"),
        ("\r\nx\r\n", "x"),
        ('["a", "b"]', '["a", "b"]'),
    ],
)
def test_a_value_on_lines_of_its_own_loses_the_line_breaks_next_to_the_tags(body, value):
    """They are layout; where the value begins behind the tag, all of it is content."""
    text = wrapped(f'<invoke name="f">\n<parameter name="a">{body}</parameter>\n</invoke>')
    assert PARSER.read(text).actions[0].arguments == {"a": value}


def test_an_invocation_has_its_own_place():
    """The action reaches from its tag to its closing tag."""
    call = '<invoke name="f">\n<parameter name="a">1</parameter>\n</invoke>'
    text = wrapped(f'{call}\n<invoke name="g">\n</invoke>')
    first, second = PARSER.read(text).actions
    assert first.span.of(text) == call
    assert second.span.of(text) == '<invoke name="g">\n</invoke>'
    assert first.strings_only


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            '<invoke name="f"><parameter name="a">1<parameter name="b">2</parameter></invoke>',
            Reason.AMBIGUOUS,
        ),
        (
            '<invoke name="f"><parameter name="a">1</parameter><parameter name="a">2</parameter></invoke>',
            Reason.DUPLICATE_KEY,
        ),
        ('<invoke name="f"><parameter name="a">1</invoke>', Reason.UNCLOSED_TAG),
        ('<invoke name="f">1</invoke>', Reason.WRONG_SHAPE),
        ('<invoke name="f"></invoke> and more', Reason.TEXT_AFTER_VALUE),
    ],
)
def test_what_has_no_one_plain_reading_is_malformed(body, reason):
    """A quoted call in a value looks like one that was never closed; which it is can't be known."""
    (block,) = PARSER.read(wrapped(body)).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, reason)


def test_closing_tags_that_are_missing_are_named_where_they_belong():
    """Each repair stands behind the last parameter, or the last invocation."""
    text = '<minimax:tool_call><invoke name="f"><parameter name="a">1</parameter><invoke name="g"></invoke>'
    (block,) = PARSER.read(text).blocks
    assert [(repair.kind, repair.after) for repair in block.repairs] == [
        (RepairKind.UNCLOSED_TAG, "</invoke>"),
        (RepairKind.UNCLOSED_TAG, "</minimax:tool_call>"),
    ]
