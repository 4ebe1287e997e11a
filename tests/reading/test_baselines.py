"""The documents' own parsers: their places are exact, and not even they raise on what a model writes."""

import pytest

from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading.parsers import PARSERS, BaselineParser

BASELINES = sorted(name for name, parser in PARSERS.items() if isinstance(parser, BaselineParser))
BODY = '```%s\n{"%s": [{"type": "list_tasks", "limit": %s}]}\n```'


def test_a_baseline_knows_no_dialects_limits_or_repairs():
    """Its settings are its rules: there is nothing else to change."""
    for name in BASELINES:
        settings = {"name", "version", "requires_action", "reading_rules", "type", "rules"}
        assert set(PARSERS[name].model_dump()) == settings


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gembrain-standard", BODY % ("actions", "actions", "7" * 5000)),
        ("gembrain-iterative", BODY % ("iteration", "next_actions", "7" * 5000)),
        ("gembrain-standard", BODY % ("actions", "actions", "[" * 100_000)),
        ("gembrain-iterative", BODY % ("iteration", "next_actions", "[" * 100_000 + "]" * 100_000)),
    ],
)
def test_what_the_standard_library_refuses_is_malformed(name, text):
    """Too many digits and too many brackets raise other errors than bad syntax does; both are a block's failure."""
    reading = PARSERS[name].read(text)
    assert (reading.outcome, reading.blocks[0].reason) == (Outcome.FAILED, Reason.MALFORMED_JSON)


def test_echelon_passes_over_what_the_standard_library_refuses():
    """The same, and nothing is said."""
    for value in ("7" * 5000, "[" * 50_000, "NaN"):
        text = ['```json\n{"action": "a", "b": ', value, "}\n```"]
        assert PARSERS["echelon-progressive"].read("".join(text)).outcome is Outcome.NO_ACTION


def test_standard_takes_non_finite_numbers_as_the_standard_library_does():
    """No JSON, but its decoder takes it: a fault kept on purpose."""
    reading = PARSERS["gembrain-standard"].read(BODY % ("actions", "actions", "Infinity"))
    assert reading.outcome is Outcome.CLEAN
    assert reading.actions[0].arguments == {"limit": float("inf")}


def test_the_place_of_a_block_is_exact():
    """Span and body are those of the original expressions: from mark to mark, and what is between."""
    text = "🍅\n" + BODY % ("actions", "actions", "1") + "\nend"
    (block,) = PARSERS["gembrain-standard"].read(text).blocks
    assert block.span.of(text) == BODY % ("actions", "actions", "1")
    assert block.body.of(text) == '{"actions": [{"type": "list_tasks", "limit": 1}]}'


def test_standard_takes_blanks_and_lines_behind_the_label():
    """Its expression allows any white space there."""
    text = '```actions  \n\n{"actions": [{"type": "a"}]}\n\n```'
    assert PARSERS["gembrain-standard"].read(text).outcome is Outcome.CLEAN


def test_standard_takes_a_label_that_goes_on():
    """Not so a label with something behind it: white space has to follow."""
    assert PARSERS["gembrain-standard"].read("```actions2\n{}\n```").outcome is Outcome.NO_ACTION


def test_iterative_reaches_back_where_the_label_ends_the_text():
    """The block then begins where the braces do, before its own label."""
    text = 'x {"next_actions": [{"type": "a"}]} ```iteration'
    (block,) = PARSERS["gembrain-iterative"].read(text).blocks
    assert block.span.start == 0


@pytest.mark.parametrize("text", ["```iteration", "```iteration {", "{ ```iteration"])
def test_iterative_fails_without_braces(text):
    """A label with nothing behind it is a step that can't be read."""
    reading = PARSERS["gembrain-iterative"].read(text)
    assert (reading.outcome, reading.blocks[0].reason) == (Outcome.FAILED, Reason.TRUNCATED)


def test_iterative_names_the_control_characters_that_it_escapes():
    """Its repair covers the whole body: what stood there, and what was decoded instead."""
    text = '```iteration\n{"reasoning": "a\tb", "next_actions": []}\n```'
    (repair,) = PARSERS["gembrain-iterative"].read(text).blocks[0].repairs
    assert repair.before == '{"reasoning": "a\tb", "next_actions": []}'
    assert repair.after == '{"reasoning": "a\\tb", "next_actions": []}'


def test_go_tags_finds_a_block_inside_another():
    """Its matches overlap, so a file that shows an action creates the file and runs the action."""
    inner = "<execute_command><command>rm x</command></execute_command>"
    text = f"<create_file><path>a</path><content>{inner}</content></create_file>"
    outer, other = PARSERS["go-tags"].read(text).blocks
    assert outer.span.start < other.span.start < other.span.end < outer.span.end


def test_go_tags_trims_one_line_break_from_snippets_and_all_blanks_from_lines():
    """As its expressions do: a path is stripped, a content isn't."""
    text = (
        "<modify_file><path> a </path>"
        "<search>\n\n x\n</search><replace>\ny</replace></modify_file>"
        "<create_file><path>b</path><content>\n\nz\n</content></create_file>"
    )
    create, modify = PARSERS["go-tags"].read(text).actions
    assert modify.arguments == {"path": "a", "search": "\n x", "replace": "y"}
    assert create.arguments == {"path": "b", "content": "\nz\n"}


def test_the_mint_harness_spans_from_the_first_pair_to_the_last():
    """What it joins is one block, and the prose between belongs to it."""
    text = "a <execute>1</execute> b <execute>2</execute> c"
    reading = PARSERS["mint-harness"].read(text)
    assert reading.blocks[0].span.of(text) == "<execute>1</execute> b <execute>2</execute>"
    assert reading.narrative == "a c"


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_reads_an_empty_response(name, assert_invariants):
    """Empty, or failed where an action is demanded."""
    parser = PARSERS[name]
    reading = parser.read("")
    assert reading.outcome is (Outcome.FAILED if parser.requires_action else Outcome.EMPTY)
    assert_invariants(reading, parser)
