"""Blocks of the fenced formats under another label or without a fence: exact places, and what makes them plain."""

import pytest

from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.parsers import PARSERS, DialectParser, parser_for

LIST = '{"actions": [{"type": "list_tasks"}]}'
PLAN = '{"action": "update_plan", "plan": "x"}'


def read(text, name="assistant", names=None):
    return PARSERS[name].read(text, names and frozenset(names))


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("```action", "action", "```actions"),
        ("```json", "json", "```actions"),
        ("  ```JSON actions ", "JSON actions", "  ```actions "),
        ("~~~ text", "text", "~~~ actions"),
        ("```", "", "```actions"),
    ],
)
def test_the_repair_is_the_label(line, before, after):
    """Put in place of what stood there, it gives the line that was meant."""
    text = f"x\n{line}\n{LIST}\n{line.split()[0][:3]}"
    (block,) = read(text).blocks
    (repair,) = block.repairs
    assert (repair.kind, repair.before, repair.after) == (RepairKind.MISLABELLED_FENCE, before, "actions")
    mended = text[: repair.span.start] + repair.after + text[repair.span.end :]
    assert mended.splitlines()[1] == after


def test_the_repair_of_a_missing_fence_stands_before_the_value():
    """The block is the value, from its first bracket to its last."""
    text = f"I list them.\n\n {LIST}\n\nThere."
    (block,) = read(text).blocks
    start = text.index("{")
    assert block.span == block.body == Span(start, start + len(LIST))
    assert [(repair.kind, repair.span, repair.after) for repair in block.repairs] == [
        (RepairKind.MISSING_FENCE, Span(start, start), "```actions\n")
    ]


@pytest.mark.parametrize("kind", [RepairKind.MISLABELLED_FENCE, RepairKind.MISSING_FENCE])
def test_a_parser_that_may_not_mend_them_finds_nothing(kind):
    """Each kind is allowed by itself."""
    decoding = {"repairs": set(RepairKind) - {kind}}
    parser = DialectParser(name="p", dialects=PARSERS["assistant"].dialects, decoding=decoding)
    outcomes = [parser.read(text).outcome for text in (f"```json\n{LIST}\n```", LIST)]
    is_first = kind is RepairKind.MISLABELLED_FENCE
    assert outcomes == [Outcome.NO_ACTION, Outcome.REPAIRED][:: 1 if is_first else -1]


@pytest.mark.parametrize(
    ("text", "otherwise"), [(f"```\n{LIST}\n```", Outcome.NO_ACTION), (LIST, Outcome.FAILED)]
)
def test_a_name_that_was_offered_is_asked_for_where_that_is_known(text, otherwise):
    """Another name is not run: in a fence without a label it may be data, without a fence its model is told."""
    assert read(text, names=["list_tasks"]).outcome is Outcome.REPAIRED
    assert read(text, names=["other"]).outcome is otherwise


@pytest.mark.parametrize(
    ("value", "is_plain"),
    [
        ('{"action": "update_plan"}', True),
        ('{"action": "escalate"}', False),
        ('{"action": "Opened", "id": 7}', False),
        ('[{"action": "update_plan"}, {"action": "escalate"}]', True),
        ('{"id": 7, "action": "update_plan"}', False),
        ('{"action": 7}', False),
    ],
)
def test_an_object_with_a_name_of_several_words_is_an_action(value, is_plain):
    """The key alone may be anybody's: an event of a page has it too."""
    for text in (f"```\n{value}\n```", value):
        assert (read(text, "orchestrator").outcome is Outcome.REPAIRED) is is_plain


@pytest.mark.parametrize(
    "text",
    [
        f"> {LIST}",
        f"\t{LIST}",
        f"```python\n{LIST}\n```",
        f"```json\n// what the page sends:\nsend({LIST})\n```",
        f"````markdown\n```json\n{LIST}\n```\n````",
        f"<pre>\n\n```sh\ncurl -d '{LIST}'\n```\n</pre>",
        '```json\n{"actions": []}\n```',
        '```json\n{"actions": [1, 2]}\n```',
        '```json\n{"actions": [{"type": "Action.Submit"}]}\n```',
        '```json\n{"actions": [{"type": "Action.Submit", "x": }]}\n```',
    ],
)
def test_what_is_quoted_shown_or_data_is_not_meant(text):
    """Nothing is done, and nothing is said to be lost."""
    reading = read(text)
    assert reading.outcome is Outcome.NO_ACTION
    assert not reading.issues
    assert all(action.illustration is Reason.EXAMPLE for action in reading.actions)
    assert reading.narrative.strip() == text.strip()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (f"Send {LIST} to it.", "Text stands beside it on its line."),
        (f"{LIST} is it.", "Text stands beside it on its line."),
        (f"- {LIST}", "It stands in an item of a list."),
        (f"const step =\n{LIST}", "The line before it goes on with it."),
    ],
)
def test_a_value_within_a_sentence_is_said(text, where):
    """It may be meant, so nothing is done with it, and it doesn't go by without a word."""
    reading = read(text)
    assert reading.issues[0].detail == where
    assert reading.outcome is Outcome.NO_ACTION
    assert [(issue.code, issue.span.of(text)) for issue in reading.issues] == [(Reason.CALL_IN_PROSE, LIST)]
    assert [action.illustration for action in reading.actions] == [Reason.CALL_IN_PROSE]


@pytest.mark.parametrize(
    "text",
    [
        f"It is:\n{LIST}",
        f"It is:\n\n{LIST}",
        f"{LIST}\nThat is it.",
        f"First.\n{LIST}\nThen.",
        "It is:\n{actions: [{'type': 'list_tasks'}]}\nThere.",
    ],
)
def test_a_value_alone_on_its_lines_is_read(text):
    """Text on the lines before and behind it says nothing about it."""
    reading = read(text)
    assert reading.outcome is Outcome.REPAIRED
    assert [action.name for action in reading.actions if action.illustration is None] == ["list_tasks"]
    assert reading.blocks[0].repairs[0].kind is RepairKind.MISSING_FENCE


def test_a_broken_value_between_lines_of_text_is_a_loss():
    """It says by its beginning that it was meant, and which text behind it is its own can't be known."""
    reading = read(f"It is:\n{BROKEN}\nThere.")
    assert (reading.outcome, reading.blocks[0].reason) == (Outcome.FAILED, Reason.MISSING_VALUE)


def test_beside_a_block_with_the_label_another_one_is_an_example():
    """It is kept as an illustration, and the issue says why."""
    reading = read(f"```actions\n{LIST}\n```\n\n{LIST}")
    assert [block.status for block in reading.blocks] == [BlockStatus.STRICT, BlockStatus.IGNORED]
    assert [action.illustration for action in reading.actions] == [None, Reason.EXAMPLE]
    assert [issue.code for issue in reading.issues] == [Reason.MISSING_FENCE]


BROKEN = '{"actions": [{"type": "list_tasks", "limit": }]}'


@pytest.mark.parametrize("text", [f"```json\n{BROKEN}\n```", BROKEN])
def test_a_block_that_was_plainly_meant_and_cant_be_read_is_a_loss(text):
    """A value is missing; that it was an action is plain from its beginning."""
    reading = read(text)
    assert (reading.outcome, reading.blocks[0].reason) == (Outcome.FAILED, Reason.MISSING_VALUE)


def test_of_all_dialects_the_one_with_the_shape_reads_a_block():
    """What names its actions by another key is another format's."""
    for text, dialect in (
        (LIST, "actions"),
        ('{"actions": [{"action": "think"}]}', "plan"),
        (PLAN, "json_action"),
        ('{"next_actions": [{"type": "list_tasks"}]}', "iteration"),
    ):
        for written in (f"```json\n{text}\n```", f"```\n{text}\n```", text):
            reading = read(written, "auto")
            assert [action.dialect for action in reading.actions] == [dialect]


def test_a_string_may_hold_another_formats_fence():
    """Raw line breaks and a fence in a string: the value goes on behind it, for it was not whole before."""
    text = (
        '```json\n{"action": "request_info", "question": "Like\n```typescript\nlet a = 1\n```\nthis?"}\n```'
    )
    (block,) = parser_for(("json_action",)).read(text).blocks
    assert block.span.of(text) == text
    assert [repair.kind for repair in block.repairs] == [RepairKind.CONTROL_CHARACTER]
