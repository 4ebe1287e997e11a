"""Edit blocks: where the path stands, what the marks divide, and what is left in nobody's way."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects.python_calls import PythonFence
from actionledger.reading.dialects.search_replace import SearchReplace
from actionledger.reading.parsers import DialectParser

PARSER = DialectParser(name="p", dialects=(SearchReplace(),), decoding={"repairs": list(RepairKind)})
EDIT = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"


def paths(text):
    return [action.arguments["path"] for action in PARSER.read(text).actions]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("a.py", "a.py"),
        ("src/a.py", "src/a.py"),
        ("  a.py  ", "a.py"),
        ("`a.py`", "a.py"),
        ("**a.py**:", "a.py"),
        ("### `src/a.py`", "src/a.py"),
        ("# a.py", "a.py"),
        (".gitignore", ".gitignore"),
        ("Makefile", "Makefile"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("C:\\x\\a.py", "C:\\x\\a.py"),
        ("Here is the change:", None),
        ("", None),
        ("...", None),
        ("a | b", None),
    ],
)
@pytest.mark.parametrize(
    "form", ["{line}\n```python\n{edit}\n```", "```python\n{line}\n{edit}\n```", "{line}\n{edit}"]
)
def test_a_path_is_a_line_of_its_own(line, path, form):
    """Above the fence, in it, or above the mark where there is no fence; a sentence is no path."""
    reading = PARSER.read(form.format(line=line, edit=EDIT))
    assert [action.arguments["path"] for action in reading.actions] == ([path] if path else [])
    assert [block.reason for block in reading.blocks] == ([None] if path else [Reason.WRONG_SHAPE])


@pytest.mark.parametrize("fence", ["```", "````", "~~~", "```python"])
def test_a_fence_of_any_kind_is_closed_by_its_own(fence):
    """The block reaches from the path to the closing fence."""
    text = f"x\n\na.py\n{fence}\n{EDIT}\n{fence.removesuffix('python')}\n\ny"
    (block,) = PARSER.read(text).blocks
    assert block.span.of(text) == text.removeprefix("x\n\n").removesuffix("\n\ny")
    assert block.status is BlockStatus.STRICT


def test_an_action_reaches_from_its_path_to_its_last_mark():
    """Each edit of a fence has its own place."""
    text = f"a.py\n```\n{EDIT}\n{EDIT}\nb.py\n{EDIT}\n```"
    reading = PARSER.read(text)
    assert [action.span.of(text) for action in reading.actions] == [
        f"a.py\n```\n{EDIT}",
        EDIT,
        f"b.py\n{EDIT}",
    ]
    assert paths(text) == ["a.py", "a.py", "b.py"]


def test_line_breaks_are_kept_as_they_are():
    """What is searched for has to match a file."""
    reading = PARSER.read(f"a.py\n```\n{EDIT}\n```".replace("\n", "\r\n"))
    assert reading.outcome is Outcome.CLEAN
    assert reading.actions[0].arguments == {"path": "a.py", "search": "a\r\n", "replace": "b\r\n"}


def test_an_edit_behind_a_fenced_one_does_not_take_its_fence():
    """The line that closes one fence opens no other."""
    reading = PARSER.read(f"a.py\n```\n{EDIT}\n```\n{EDIT}")
    assert [block.status for block in reading.blocks] == [BlockStatus.STRICT, BlockStatus.MALFORMED]


def test_a_broken_edit_leaves_the_good_ones_of_its_fence():
    """It is a block of its own, with the reason, and takes the closing fence along."""
    reading = PARSER.read(f"a.py\n```\n{EDIT}\n{EDIT.replace('=======', '')}\n```\nDone.")
    assert reading.outcome is Outcome.PARTIAL
    assert len(reading.actions) == 1
    assert [block.reason for block in reading.blocks] == [None, Reason.WRONG_SHAPE]
    assert reading.narrative == "Done."


@pytest.mark.parametrize(
    ("text", "reason", "end"),
    [
        (f"a.py\n```\n{EDIT[:24]}", Reason.TRUNCATED, ""),
        (f"a.py\n```\n{EDIT[:24]}\n```\nbye", Reason.UNCLOSED_TAG, "\nbye"),
        (f"a.py\n{EDIT[:24]}\n\nb.py\n{EDIT}", Reason.UNCLOSED_TAG, f"b.py\n{EDIT}"),
    ],
)
def test_an_edit_without_its_last_mark_ends_where_something_else_does(text, reason, end):
    """With the text, with its fence, or before the next edit."""
    block = PARSER.read(text).blocks[0]
    assert block.reason is reason
    assert text[block.span.end :] == end


def test_a_missing_fence_end_is_a_repair_that_can_be_forbidden():
    """Without leave to repair, the block is refused."""
    strict = DialectParser(name="p", dialects=(SearchReplace(),), decoding={"repairs": []})
    text = f"a.py\n```\n{EDIT}"
    assert [repair.kind for repair in PARSER.read(text).blocks[0].repairs] == [RepairKind.UNCLOSED_FENCE]
    assert strict.read(text).blocks[0].reason is Reason.UNCLOSED_FENCE


def test_an_edit_of_a_fence_is_not_taken_for_a_program():
    """The code in an edit may call what was offered; that makes no Python fence of it."""
    parser = DialectParser(name="p", dialects=(PythonFence(), SearchReplace()))
    text = f"a.py\n```python\n{EDIT.replace('b', 'f(a=1)')}\n```"
    assert [action.name for action in parser.read(text, frozenset({"f"})).actions] == ["search_replace"]
