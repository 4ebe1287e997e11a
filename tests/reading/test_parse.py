"""From blocks to a reading: who gets an opening, what is ignored, what came of it all, what is left to read."""

import pytest

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.parse import assembled
from actionledger.reading.parsers import DialectParser, parser_for

ACTIONS = dialect_named("actions")
BLOCK = '```actions\n{"actions": [{"type": "%s"}]}\n```'
READ_FILE = "<read_file><path>%s</path></read_file>"


def parser(*names, **settings):
    return DialectParser(name="test", dialects=tuple(dialect_named(name) for name in names), **settings)


def statuses(reading):
    return [(block.dialect, block.status.value, block.reason) for block in reading.blocks]


def names(reading):
    return [action.name for action in reading.actions]


# Who gets what


def test_the_block_that_begins_first_wins_from_outside():
    """A fenced block inside a file's content is content."""
    content = BLOCK % "list_tasks" + "\n"
    text = f"<create_file>\n<path>a.md</path>\n<content>\n{content}</content>\n</create_file>"
    reading = parser("actions", "xml_tags").read(text)
    assert statuses(reading) == [("xml_tags", "strict", None)]
    assert reading.actions[0].arguments["content"] == content


def test_the_block_that_begins_first_wins_from_inside():
    """Tags inside a JSON string are content."""
    reading = parser("xml_tags", "actions").read(BLOCK % (READ_FILE % "a"))
    assert statuses(reading) == [("actions", "strict", None)]


def test_blocks_of_several_dialects_come_in_text_order():
    """The order of the dialects in the parser doesn't matter where they don't compete."""
    text = f"{READ_FILE % 'a'}\n{BLOCK % 'b'}\n{READ_FILE % 'c'}"
    for dialects in (("actions", "xml_tags"), ("xml_tags", "actions")):
        reading = parser(*dialects).read(text)
        assert names(reading) == ["read_file", "b", "read_file"]
        assert [block.index for block in reading.blocks] == [0, 1, 2]
        assert [action.block for action in reading.actions] == [0, 1, 2]


@pytest.mark.parametrize("dialects", [("json_action", "plan"), ("plan", "json_action")])
def test_a_block_that_is_data_to_one_dialect_goes_to_the_next(dialects):
    """Two dialects share the label; each takes what has its own shape, whichever is asked first."""
    text = (
        '```json\n{"action": "a"}\n```\n```json\n{"actions": [{"action": "b"}]}\n```\n```json\n{"c": 1}\n```'
    )
    reading = parser(*dialects).read(text)
    assert statuses(reading) == [
        ("json_action", "strict", None),
        ("plan", "strict", None),
        (dialects[0], "ignored", Reason.NOT_AN_ACTION),
    ]


def test_a_foreign_fence_makes_examples_of_what_respects_fences():
    """Of two tag dialects in somebody's code, only the one whose tags are special to the protocol is meant."""
    text = f"```\n{READ_FILE % 'a'}\n<execute>b</execute>\n```\n{READ_FILE % 'c'}"
    reading = parser("xml_tags", "mint").read(text)
    assert statuses(reading) == [
        ("xml_tags", "ignored", Reason.EXAMPLE),
        ("mint", "strict", None),
        ("xml_tags", "strict", None),
    ]
    assert [action.illustration for action in reading.actions] == [Reason.EXAMPLE, None, None]


def test_a_tag_in_a_foreign_fence_never_reaches_out_of_it():
    """The fence's end is the end of the text that a block inside it may take."""
    text = "```\n<read_file><path>a\n```\n</path></read_file>"
    (block,) = parser("xml_tags").read(text).blocks
    assert (block.reason, block.span.of(text)) == (Reason.EXAMPLE, "<read_file><path>a\n")


def test_a_parser_without_dialects_finds_nothing():
    reading = parser().read(BLOCK % "a")
    assert (reading.outcome, reading.blocks) == (Outcome.NO_ACTION, ())


def test_strict_decoding_refuses_what_lenient_decoding_repairs():
    """The options of a parser reach every dialect, fences and tags included."""
    text = f"<read_file><path>a</path>\n{BLOCK % 'b'}\n```actions\n{{" + '"actions": [{"type": "c"}]}'
    lenient = parser("actions", "xml_tags")
    strict = parser("actions", "xml_tags", decoding={"repairs": []})
    assert [block.status.value for block in lenient.read(text).blocks] == ["repaired", "strict", "repaired"]
    assert statuses(strict.read(text)) == [
        ("xml_tags", "malformed", Reason.UNCLOSED_TAG),
        ("actions", "strict", None),
        ("actions", "malformed", Reason.UNCLOSED_FENCE),
    ]


# The limit of blocks


@pytest.mark.parametrize(("limit", "kept"), [(1, 1), (2, 2), (3, 3), (4, 3), (None, 3)])
def test_blocks_beyond_the_limit_are_ignored(limit, kept):
    """Each of them has an issue, its actions are illustrations, and the response counts as partly read."""
    text = "\n".join(BLOCK % name for name in "abc")
    reading = parser("actions", max_blocks=limit).read(text)
    over = [block for block in reading.blocks if block.reason is Reason.BLOCK_LIMIT]
    assert len(reading.blocks) - len(over) == kept
    assert [issue.code for issue in reading.issues] == [Reason.BLOCK_LIMIT] * len(over)
    assert [issue.span for issue in reading.issues] == [block.span for block in over]
    assert sum(action.illustration is Reason.BLOCK_LIMIT for action in reading.actions) == len(over)
    assert reading.outcome is (Outcome.PARTIAL if over else Outcome.CLEAN)


def test_what_is_ignored_anyway_doesnt_count_for_the_limit():
    """Data and examples use up nothing; a block that can't be read does."""
    data, broken = '```json\n{"a": 1}\n```\n', '```json\n{"action": }\n```\n'
    good = '```json\n{"action": "c"}\n```\n'
    assert parser("json_action", max_blocks=1).read(data + good).outcome is Outcome.CLEAN
    reading = parser("json_action", max_blocks=1).read(broken + good)
    assert [block.reason for block in reading.blocks] == [Reason.MISSING_VALUE, Reason.BLOCK_LIMIT]
    assert reading.outcome is Outcome.FAILED


# What came of it


def block(status, *, at=0, actions=1, issues=()):
    """Return a block of one character with so many actions."""
    span = Span(at, at + 1)
    reason = {BlockStatus.MALFORMED: Reason.MALFORMED_JSON, BlockStatus.IGNORED: Reason.EXAMPLE}.get(status)
    repair = Repair(RepairKind.COMMENT, span, "x", "")
    issue = (Issue(Reason.MALFORMED_JSON, span),) if status is BlockStatus.MALFORMED else ()
    written = () if status is BlockStatus.MALFORMED else (Written("a", {}, span),) * actions
    repairs = (repair,) if status is BlockStatus.REPAIRED else ()
    return ACTIONS, Found(status, span, span, written, reason, repairs, (*issue, *issues))


STRICT, REPAIRED = block(BlockStatus.STRICT), block(BlockStatus.REPAIRED)
MALFORMED, IGNORED = block(BlockStatus.MALFORMED), block(BlockStatus.IGNORED)
NOTHING = block(BlockStatus.STRICT, actions=0)
CUT = block(BlockStatus.REPAIRED, issues=(Issue(Reason.TRUNCATED, Span(0, 1)),))
DOUBLED = block(BlockStatus.STRICT, issues=(Issue(Reason.DUPLICATE_KEY, Span(0, 1)),))


@pytest.mark.parametrize(
    ("placed", "outcome", "demanded"),
    [
        ([], Outcome.NO_ACTION, Outcome.FAILED),
        ([IGNORED], Outcome.NO_ACTION, Outcome.FAILED),
        ([NOTHING], Outcome.ABSTAINED, Outcome.ABSTAINED),
        ([NOTHING, IGNORED], Outcome.ABSTAINED, Outcome.ABSTAINED),
        ([STRICT], Outcome.CLEAN, Outcome.CLEAN),
        ([STRICT, NOTHING, IGNORED], Outcome.CLEAN, Outcome.CLEAN),
        ([DOUBLED], Outcome.CLEAN, Outcome.CLEAN),
        ([REPAIRED], Outcome.REPAIRED, Outcome.REPAIRED),
        ([STRICT, REPAIRED], Outcome.REPAIRED, Outcome.REPAIRED),
        ([CUT], Outcome.PARTIAL, Outcome.PARTIAL),
        ([STRICT, MALFORMED], Outcome.PARTIAL, Outcome.PARTIAL),
        ([MALFORMED, NOTHING], Outcome.PARTIAL, Outcome.PARTIAL),
        ([MALFORMED], Outcome.FAILED, Outcome.FAILED),
        ([MALFORMED, IGNORED], Outcome.FAILED, Outcome.FAILED),
    ],
)
def test_the_outcome_follows_from_the_blocks(placed, outcome, demanded):
    """Once where the protocol lets a model be silent, once where it demands an action in every turn."""
    for requires_action, expected in ((False, outcome), (True, demanded)):
        reading = assembled("x", placed, requires_action=requires_action, parser_id="p")
        assert (reading.outcome, reading.parser_id) == (expected, "p")


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u3000"])
def test_a_blank_response_is_empty_unless_an_action_is_demanded(text):
    """Nothing was written, so nothing was intended; where an action is due, it is missing."""
    assert assembled(text, [], requires_action=False, parser_id="p").outcome is Outcome.EMPTY
    reading = assembled(text, [], requires_action=True, parser_id="p")
    assert (reading.outcome, reading.issues) == (Outcome.FAILED, (Issue(Reason.NO_ACTION_FOUND),))


def test_a_failure_always_has_an_issue_and_needs_no_second_one():
    """That nothing was found is said only where no block says why."""
    missing = assembled("x", [IGNORED], requires_action=True, parser_id="p")
    assert [issue.code for issue in missing.issues] == [Reason.NO_ACTION_FOUND]
    broken = assembled("x", [MALFORMED], requires_action=True, parser_id="p")
    assert [issue.code for issue in broken.issues] == [Reason.MALFORMED_JSON]


# What is left to read


@pytest.mark.parametrize(
    ("text", "narrative"),
    [
        ("#", ""),
        ("  #\n", ""),
        ("a\n\n#\n\nb", "a\n\nb"),
        ("a\n#\nb", "a\n\nb"),
        ("a\n\n\n#\n\n\n\nb", "a\n\nb"),
        ("a #b", "a b"),
        ("a # b", "a b"),
        ("a#\nb", "a\n\nb"),
        ("a#\r\nb", "a\n\nb"),
        ("a\n#b", "a\n\nb"),
        ("a\n  #  \nb", "a\n\nb"),
        ("#\n\nb", "b"),
        ("a\n\n#", "a"),
        ("a\n#\n#\nb", "a\n\nb"),
        ("#\n#\n#", ""),
        ("a\n#\n \n#\nb\n#\nc", "a\n\nb\n\nc"),
        ("a\n\n\nb\n#", "a\n\n\nb"),
        ("  a\n    b\n#", "a\n    b"),
    ],
)
def test_the_narrative_is_the_text_without_its_blocks(text, narrative):
    """Where a block had lines of its own a blank line is left, inside a line a blank; inner lines stay as they are."""
    placed = [block(BlockStatus.STRICT, at=at) for at, character in enumerate(text) if character == "#"]
    assert assembled(text, placed, requires_action=False, parser_id="p").narrative == narrative


def test_what_is_ignored_stays_in_the_narrative():
    """An example was written to be read."""
    placed = [block(BlockStatus.IGNORED, at=2), block(BlockStatus.MALFORMED, at=4)]
    assert assembled("a # # b", placed, requires_action=False, parser_id="p").narrative == "a # b"


def test_a_parser_for_dialects_reads_what_they_read():
    """The short way to a parser: the dialects in their default forms, every repair allowed, no limit."""
    text = "\n".join(BLOCK % name for name in "abcdef")
    assert names(parser_for(("actions",)).read(text)) == list("abcdef")
