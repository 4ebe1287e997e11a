"""What a place makes of a call."""

import pytest

from actionledger.core.values import Span
from actionledger.reading.evidence.places import Quotations, inked, is_document, may_quote, stands_alone


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<result>f()</result>", "It stands in a tool's echo."),
        ("<pre>f()</pre>", "It stands in a quotation."),
        ("<!-- f() -->", "It stands in a comment."),
        ("Output: f()\n\nDone.", "It stands behind the label of an echo."),
        ("> f()", "It stands in a block quote."),
        ("Done.\n\n    f()\n", "It stands in an indented block."),
        ("Output: x\n\nf()", None),
        ("a <result> f()", None),
        ("    f()\n", None),
    ],
)
def test_a_quotation_is_said_by_what_it_is(text, why):
    start = text.index("f()")
    found = Quotations(text).around(Span(start, start + 3))
    assert (found.why if found else None) == why


@pytest.mark.parametrize("opener", ["<ſtdout>", "[THİNK]", "<|ſtart_thinking|>", "◁thin\u212a▷"])
def test_letters_that_count_as_others_name_no_tag(opener):
    """Without regard to case a pattern takes them for ASCII letters, which they are not in lower case."""
    text = f"{opener}\nf()"
    assert Quotations(text).around(Span(len(opener) + 1, len(text))) is None


def test_a_quotation_that_may_open_is_waited_for():
    assert may_quote("a <!-- b", 0, 8)
    assert not may_quote("a <!-- b", 6, 8)


def test_ink_is_what_is_no_blank_token_or_thought():
    text = "<|im_start|> think f() </s>\n"
    assert inked(text, []).of(text) == "think f()"
    assert inked(text, [Span(13, 18)]).of(text) == "f()"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("- f()\n", True), ("Sure: f()", True), ("say f()", False), ("f() now", False)],
)
def test_a_call_stands_alone_behind_a_lists_marker_or_a_colon(text, is_one):
    start = text.index("f()")
    assert stands_alone(text, Span(start, start + 3), 0) is is_one


def test_two_headings_make_a_document():
    assert (is_document("# A\n\n## B\n"), is_document("# A\n"), is_document("# User\n## Tool\n")) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize("hidden", ["\ufeff", "\u200b", "\u2060"])
def test_what_nobody_sees_is_no_word_beside_a_call(hidden):
    """A byte order mark before a call, or a character without a width behind it, leaves it all of its line."""
    for text in (f"{hidden}f()", f"f(){hidden}", f"Now:\n{hidden}f(){hidden}\r\nDone."):
        start = text.index("f()")
        assert stands_alone(text, Span(start, start + 3), 0)
    assert inked(f"{hidden}f(){hidden}", ()) == Span(1, 4)
    assert not stands_alone(f"a {hidden}f()", Span(3, 6), 0)
