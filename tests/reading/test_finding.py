"""Which fence an issue names, where one was not closed."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.parsers import PARSERS, parser_for

ACTION = '{"action": "update_plan", "plan": "x"}'
BLOCK = f"```json\n{ACTION}\n```\n"
SAID = " either holds this, as an example, or was to be closed before it."


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"```python\n1\n\n{BLOCK}", "'```python' at 0"),
        (f"Look:\n\n````text\n1\n\n{BLOCK}", "'````text' at 7"),
        (f"````text\n1\n~~~bash\n2\n{BLOCK}", "'````text' at 0"),
        (f"~~~bash\n1\n````text\n2\n{BLOCK}", "'~~~bash' at 0"),
        (f"~~~~\n1\n`````\n2\n~~~bash\n3\n{BLOCK}", "'~~~~' at 0"),
        (f"```text\n1\n```\n~~~bash\n2\n````\n3\n{BLOCK}", "'~~~bash' at 14"),
        (f"漢字 😀\n\n````text\n1\n~~~\n{BLOCK}", "'````text' at 6"),
        (f"```markdown\n{BLOCK}And so on.\n", "'```markdown' at 0"),
        (f"Look:\n````a\n1\n~~~markdown\n2\n~~~\n{BLOCK}", "'````a' at 6"),
    ],
)
def test_the_first_fence_that_nothing_closes_is_named(text: str, named: str) -> None:
    """It holds all that follows, so it is the one that puts the block in doubt; further ones may be its content."""
    reading = PARSERS["orchestrator"].read(text)
    lost = [issue for issue in reading.issues if issue.code is Reason.UNCLOSED_FENCE]
    assert [issue.detail for issue in lost] == [named + SAID]
    assert [block.span for block in reading.blocks] == [issue.span for issue in lost]
    assert reading.actions == ()


def test_each_block_behind_an_open_fence_names_that_fence() -> None:
    """Also where another fence was left open between the blocks."""
    text = f"````text\n{BLOCK}~~~\n{BLOCK}"
    reading = PARSERS["orchestrator"].read(text)
    assert [issue.detail for issue in reading.issues] == ["'````text' at 0" + SAID] * 2
    assert {block.status for block in reading.blocks} == {BlockStatus.MALFORMED}


@pytest.mark.parametrize("mark", ["```", "````", "``````", "~~~", "~~~~~"])
@pytest.mark.parametrize(
    ("dialect", "label", "content"),
    [
        ("json_action", "json", ACTION),
        ("actions", "actions", '{"actions": [{"type": "a"}]}'),
        ("search_replace", "python", "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"),
    ],
)
def test_a_repair_names_the_fence_that_is_missing(mark: str, dialect: str, label: str, content: str) -> None:
    """With the characters of the one that was opened."""
    text = f"{mark}{label}\n{content}\n"
    repairs = [
        repair
        for block in parser_for((dialect,)).read(text).blocks
        for repair in block.repairs
        if repair.kind is RepairKind.UNCLOSED_FENCE
    ]
    assert [(repair.before, repair.after) for repair in repairs] == [("", "\n" + mark)]


def test_an_example_behind_an_edit_within_a_fence_stays_one() -> None:
    """The edit, which fences don't concern, is meant; whether its fence closes says nothing of the block behind it."""
    edit = "app.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    example = '```actions\n{"actions": [{"type": "a"}]}\n```\n'
    blocks = parser_for(("actions", "search_replace")).read(f"```\n{edit}{example}```\n").blocks
    assert [(block.dialect, block.status) for block in blocks] == [
        ("search_replace", BlockStatus.REPAIRED),
        ("actions", BlockStatus.IGNORED),
    ]


def test_a_fence_of_mere_data_that_holds_a_fence_is_looked_into() -> None:
    """What stands in it by itself is a block of its own."""
    inner = '```json\n{"y": 2}\n```'
    text = f'```json\n{{"x": 1}}\n```python\n1\n{inner}\n'
    blocks = PARSERS["orchestrator"].read(text).blocks
    assert [block.span.of(text) for block in blocks][-1] == inner
