"""DeepSeek's two versions: which of them a call is, and what becomes of the calls around a bad one."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.parsers import DialectParser, parser_for

BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL, CALL_END, SEPARATOR = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"
V3, V31 = parser_for(("deepseek_v3",)), parser_for(("deepseek_v31",))
BOTH = parser_for(("deepseek_v31", "deepseek_v3"))


def v3(name, arguments):
    return f"{CALL}function{SEPARATOR}{name}\n```json\n{arguments}\n```{CALL_END}"


def v31(name, arguments):
    return f"{CALL}{name}{SEPARATOR}{arguments}{CALL_END}"


def test_a_call_has_its_own_place_in_the_section():
    """The section is the block, each call reaches from its first token to its last."""
    text = f"A{BEGIN}{v3('f', '{}')}\n{v3('g', '{}')}{END}B"
    reading = V3.read(text)
    assert reading.blocks[0].span.of(text) == text[1:-1]
    assert [action.span.of(text) for action in reading.actions] == [v3("f", "{}"), v3("g", "{}")]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (f"{BEGIN}{v3('f', '{}')}{END}", "deepseek_v3"),
        (f"{BEGIN}{v31('f', '{}')}{END}", "deepseek_v31"),
        (f"{BEGIN}{v31('function', '{}')}{END}", "deepseek_v31"),
        (f"{BEGIN}{CALL}function{SEPARATOR}f\n{{}}{CALL_END}{END}", "deepseek_v3"),
        (f"{BEGIN}{CALL}function{SEPARATOR}ge", "deepseek_v3"),
        (f"{BEGIN}{CALL}get_ti", "deepseek_v31"),
        (f"{BEGIN}{CALL}get_time{SEPARATOR}", "deepseek_v31"),
    ],
)
def test_what_follows_the_separator_says_which_version_it_is(text, dialect):
    """An object is version 3.1, anything else version 3."""
    (block,) = BOTH.read(text).blocks
    assert block.dialect == dialect


def test_a_section_may_change_its_version_in_the_middle():
    """Each part is a block of the version that it is written in."""
    reading = BOTH.read(f"{BEGIN}{v3('f', '{}')}{v31('g', '{}')}{END}")
    assert [(block.dialect, block.status) for block in reading.blocks] == [
        ("deepseek_v3", BlockStatus.REPAIRED),
        ("deepseek_v31", BlockStatus.STRICT),
    ]


def test_a_bad_call_takes_no_other_with_it():
    """The block before it ends before it, and those behind it are blocks of their own."""
    text = f"{BEGIN}{v3('f', '{}')}{v3('bad', '{]')}{v3('g', '{}')}{END} end"
    reading = V3.read(text)
    assert reading.outcome is Outcome.PARTIAL
    assert [action.name for action in reading.actions] == ["f", "g"]
    assert [block.status for block in reading.blocks] == [
        BlockStatus.REPAIRED,
        BlockStatus.MALFORMED,
        BlockStatus.STRICT,
    ]
    assert reading.narrative == "end"


def test_a_bad_first_call_takes_the_sections_tokens_with_it():
    """No token is left behind in the narrative."""
    reading = V3.read(f"{BEGIN}{v3('bad', '{]')}{END} end")
    assert reading.narrative == "end"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"{BEGIN}{v31('f', '{}')}", [END]),
        (f"{BEGIN}{CALL}f{SEPARATOR}{{}}{END}", [CALL_END]),
        (f"{BEGIN}{CALL}f{SEPARATOR}{{}}", [CALL_END, END]),
        (f"{BEGIN}{CALL}f{SEPARATOR}{{}}{CALL}g{SEPARATOR}{{}}{CALL_END}{END}", [CALL_END]),
    ],
)
def test_tokens_that_are_missing_behind_whole_arguments_are_repaired(text, after):
    """Each repair is the token that belongs there."""
    (block,) = V31.read(text).blocks
    assert [repair.after for repair in block.repairs] == after
    assert {repair.kind for repair in block.repairs} == {RepairKind.UNCLOSED_TAG}


def test_a_strict_parser_refuses_a_section_without_its_end():
    strict = DialectParser(name="p", dialects=V31.dialects, decoding={"repairs": []})
    (block,) = strict.read(f"{BEGIN}{v31('f', '{}')}").blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.UNCLOSED_TAG)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{CALL}get time{SEPARATOR}{{}}{CALL_END}", Reason.WRONG_SHAPE),
        (f"{CALL}get_time{{}}{CALL_END}", Reason.WRONG_SHAPE),
        (f"{CALL}{SEPARATOR}{{}}{CALL_END}", Reason.MISSING_NAME),
        (f"{BEGIN}get_time{SEPARATOR}{{}}{END}", Reason.WRONG_SHAPE),
        (f"{v31('f', '[1]')}", Reason.WRONG_SHAPE),
        (f"{v31('f', '{} x')}", Reason.TEXT_AFTER_VALUE),
    ],
)
def test_a_call_that_lacks_a_part_is_malformed(text, reason):
    """It was meant, so it is not passed over."""
    (block,) = V31.read(text).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, reason)
