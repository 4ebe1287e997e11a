"""What a place makes of a call: cues, echoes, invented turns, and what may still follow."""

import pytest

from actionledger.core.values import Span
from actionledger.reading.evidence.echoes import without_echoes
from actionledger.reading.evidence.places import (
    Quotations,
    inked,
    invented_from,
    is_choice,
    is_document,
    may_quote,
    speaks_against,
    stands_alone,
)
from actionledger.reading.parsers import parser_for
from actionledger.reading.scan.source import Source
from actionledger.reading.stream import may_change, waits_for_prose


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


@pytest.mark.parametrize(
    ("before", "behind", "why"),
    [
        ("I look it up:", "", ""),
        ("For example:", "", "The sentence before it shows or forbids it."),
        ("Shall I run it?", "", "It is asked about first."),
        ("Here it is.", "Soll ich das tun?", "It is asked about first."),
        ("I cannot do it.", "", "The sentence around it says that it is not done."),
        ("Here it is.", "is not needed", "The sentence around it says that it is not done."),
        ("The documentation has it.", "", "The sentence before it describes a call."),
        ("I cannot do that. Now another one.", "", ""),
    ],
)
def test_the_last_sentence_and_what_follows_speak_against_a_call(before, behind, why):
    text = f"{before}\n\nf()\n\n{behind}"
    start = len(before) + 2
    assert speaks_against(Source(text), start, start + 3) == why


@pytest.mark.parametrize(
    ("between", "is_one"), [("\nor\n", True), ("\n\noder\n", True), ("\nand\n", False), ("\norder\n", False)]
)
def test_or_between_two_makes_a_choice(between, is_one):
    assert is_choice(between) is is_one


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


BEHIND = " And so on." * 20


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


@pytest.mark.parametrize(
    "marker",
    ["User:", "Observation:", "用户：", "### Human", "<|im_start|>user", "<tool_response>", "[INST]"],
)
def test_another_ones_turn_begins_at_its_marker(marker):
    text = f"f()\n{marker} and so on"
    text = text if marker != "### Human" else "f()\n### Human\nand so on"
    found = invented_from(text, 3)
    assert found is not None
    assert marker.startswith(found.of(text).strip().rstrip(":"))


@pytest.mark.parametrize(
    "text", ["f()\n<|im_start|>assistant\n", "The user: Ada.", "f()\nUsers: 3", "<start_of_turn>model\nf()"]
)
def test_the_models_own_turn_and_a_word_in_a_sentence_are_none(text):
    assert invented_from(text, 0) is None


def test_what_stands_before_the_place_is_not_asked():
    assert invented_from("User: hi\nf()", 9) is None
