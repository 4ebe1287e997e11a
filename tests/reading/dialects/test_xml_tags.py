"""Tags whose fields are tags: exact places, raw bodies, and what no plain reading is found for."""

import pytest

from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.parsers import PARSERS, DialectParser

CODER = PARSERS["coder"]


def only_block(text):
    (block,) = CODER.read(text).blocks
    return block


def test_block_body_and_action_have_exact_places():
    """The block and its action are tag to tag, the body what is between."""
    tag = "<read_file>\n<path>a</path>\n</read_file>"
    text = f"🍅 {tag} é"
    reading = CODER.read(text)
    assert reading.blocks[0].span.of(text) == reading.actions[0].span.of(text) == tag
    assert reading.blocks[0].body.of(text) == "\n<path>a</path>\n"


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("", ""),
        ("x", "x"),
        ("\nx\n", "x\n"),
        ("\n\nx", "\nx"),
        (" \t\nx", "x"),
        ("\r\nx\r\n", "x\r\n"),
        ("  x  ", "  x  "),
        ("\n", ""),
        ("\n  x", "  x"),
    ],
)
def test_a_content_loses_the_line_break_behind_its_tag_and_no_more(body, content):
    """A file's text is kept to the character."""
    reading = CODER.read(f"<create_file><path>a</path><content>{body}</content></create_file>")
    assert reading.actions[0].arguments["content"] == content


@pytest.mark.parametrize(
    ("body", "snippet"),
    [
        ("x", "x"),
        ("\nx\n", "x"),
        ("\n  x\n  ", "  x"),
        ("\n\nx\n\n", "\nx\n"),
        ("\r\nx\r\n", "x"),
        ("\n", ""),
    ],
)
def test_a_snippet_loses_one_line_break_at_each_end(body, snippet):
    """Text to search for has to match a file, so its own indentation stays."""
    text = f"<modify_file><path>a</path><search>{body}</search><replace>{body}</replace></modify_file>"
    arguments = CODER.read(text).actions[0].arguments
    assert (arguments["search"], arguments["replace"]) == (snippet, snippet)


def test_a_missing_closing_tag_is_repaired_where_the_last_field_ends():
    """The repair says which tag is missing; what follows stays outside."""
    text = "<read_file><path>a</path>\nmore"
    block = only_block(text)
    (repair,) = block.repairs
    assert (repair.kind, repair.span, repair.after) == (RepairKind.UNCLOSED_TAG, Span(25, 25), "</read_file>")
    assert block.span.of(text) == "<read_file><path>a</path>"


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("<read_file><path>a", Reason.UNCLOSED_TAG, "<path>"),
        ("<read_file>\n<path>a</read_file>", Reason.UNCLOSED_TAG, "<path>"),
        ("<read_file><path>a</path> x</read_file>", Reason.WRONG_SHAPE, " x"),
        ("<read_file><path>a</path><b>1</b></read_file>", Reason.WRONG_SHAPE, "<b>1</b>"),
        (
            "<read_file><path>a <read_file><path>b</path></read_file>",
            Reason.UNCLOSED_TAG,
            "<path>",
        ),
    ],
)
def test_what_has_no_plain_reading_says_why_and_where(text, reason, place):
    """One issue, at the tag that is never closed or at the text that is no field."""
    block = only_block(text)
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, reason)
    (issue,) = block.issues
    assert (issue.code, issue.span.of(text)) == (reason, place)


def test_an_open_field_ends_where_the_next_action_begins():
    """What it was to hold can't be known, but the next action isn't part of it."""
    text = "<execute_command><command>a\n<read_file><path>b</path></read_file>"
    lost, read = CODER.read(text).blocks
    assert lost.span.of(text) == "<execute_command><command>a\n"
    assert read.status is BlockStatus.STRICT


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("`", "`", BlockStatus.IGNORED),
        ("``", "``", BlockStatus.IGNORED),
        ("x ```", "```", BlockStatus.IGNORED),
        ("'", "'", BlockStatus.STRICT),
        ("", "`", BlockStatus.STRICT),
        ("` ", "`", BlockStatus.STRICT),
    ],
)
def test_an_action_right_behind_a_backtick_is_quoted(before, after, status):
    """Inline code shows an action, it doesn't order one."""
    assert only_block(f"{before}<read_file><path>a</path></read_file>{after}").status is status


def test_half_an_action_in_inline_code_is_a_mention():
    """A tag that is named needs no closing one: it is shown, and nothing is said to be lost."""
    reading = CODER.read("`<read_file><path>` opens it, then the path.")
    assert reading.outcome is Outcome.NO_ACTION
    assert [block.reason for block in reading.blocks] == [Reason.EXAMPLE]
    assert reading.issues == ()


def test_other_tags_than_the_documented_ones():
    """A format is data: a parser may know other actions and fields."""
    own = XmlTags(tags=(("note", (("text", "content"), ("tag", "line"))),))
    parser = DialectParser(name="p", dialects=(own,))
    reading = parser.read(
        "<note>\n<tag> a </tag>\n<text>\nb\n</text>\n</note><read_file><path>c</path></read_file>"
    )
    assert [(action.name, action.arguments) for action in reading.actions] == [
        ("note", {"tag": "a", "text": "b\n"})
    ]


@pytest.mark.parametrize("name", ["READ_FILE", "Read_file", "read-file"])
def test_a_name_in_another_spelling_is_told_beside_its_attributes(name):
    """Each of the two changes is a repair of its own."""
    repairs = only_block(f'<{name} path="a"/>').repairs
    assert [(repair.kind, repair.before) for repair in repairs] == [
        (RepairKind.TAG_SPELLING, f"<{name}"),
        (RepairKind.TAG_ATTRIBUTES, ' path="a"/>'),
    ]


@pytest.mark.parametrize(
    ("content", "value", "repairs"),
    [
        ("hello\n</content>\n", "hello\n", [("</content>", "")]),
        ("<content>\nhello\n", "hello\n", [("<content>", "")]),
        ("a </content> b\n", "a </content> b\n", [("</content>", "&lt;/content>")]),
        ("<content>x</content> and more\n", "<content>x</content> and more\n", []),
    ],
)
def test_a_fields_own_tags_in_it_are_said(content, value, repairs):
    """One that stands twice is taken away, one in a sentence stays; what is closed there is a document's."""
    text = f"<create_file>\n<path>a</path>\n<content>\n{content}</content>\n</create_file>"
    [block] = CODER.read(text).blocks
    assert [(repair.before, repair.after) for repair in block.repairs] == repairs
    [action] = CODER.read(text).actions
    assert action.arguments == {"path": "a", "content": value}


def test_a_field_that_is_one_or_has_both_tags_twice_is_ambiguous():
    """It may be a file with such a root, or ``x``."""
    text = "<create_file>\n<path>a</path>\n<content>\n<content>x</content>\n</content>\n</create_file>"
    reading = CODER.read(text)
    assert [block.reason for block in reading.blocks] == [Reason.AMBIGUOUS]


@pytest.mark.parametrize(("body", "content"), [("\nx\n", {"content": "x\n"}), (" \n", {})])
def test_the_last_field_needs_no_tag_where_attributes_give_the_others(body, content):
    """What stands between the tags is that field; where nothing does, it is missing."""
    (action,) = CODER.read(f'<create_file path="a">{body}</create_file>').actions
    assert action.arguments == {"path": "a", **content}
