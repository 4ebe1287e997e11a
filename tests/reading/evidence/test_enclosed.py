"""A call in a tag named after another tool is that one's argument, or meant by itself: it waits for a person."""

import pytest

import actionledger as al
from actionledger.reading.parsers import parser_named
from actionledger.reading.stream import StreamParser

TOOLS = [
    {
        "name": name,
        "parameters": {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]},
    }
    for name, field in (("search", "query"), ("delete_file", "path"))
]
CALL = '{"name": "delete_file", "arguments": {"path": "a.txt"}}'


@pytest.mark.parametrize(
    "text",
    [
        "<search><delete_file><path>b</path></delete_file></search>",
        '<search>delete_file(path="a.txt")</search>',
        '<search>\ndelete_file(path="a.txt")\n</search>',
        f"<search>\n```json\n{CALL}\n```\n</search>",
        f"<search>\n<tool_call>{CALL}</tool_call>\n</search>",
        f"<search>\n<tool_call>{CALL}</tool_call>",
    ],
)
@pytest.mark.parametrize("before", ["", "I do that for you.\n\n"])
def test_a_call_in_another_tools_tag_does_not_run(before, text):
    result = al.parse(before + text, dialects="auto", tools=TOOLS)
    assert not any(action.status.is_runnable for action in result.actions)
    assert [issue for issue in result.issues if issue.span]


@pytest.mark.parametrize(
    "text",
    [
        "<delete_file><path>b</path></delete_file>",
        f"I have no <search> to offer, so let me delete it.\n\n<tool_call>{CALL}</tool_call>",
        f"<search></search>\n<tool_call>{CALL}</tool_call>",
        f'<tool_call>{{"name": "search", "arguments": {{"query": "<search>"}}}}</tool_call>\n<tool_call>{CALL}</tool_call></search>',
    ],
)
def test_a_call_beside_such_a_tag_runs(text):
    result = al.parse(text, dialects="auto", tools=TOOLS)
    assert "delete_file" in [action.name for action in result.actions if action.status.is_runnable]


def test_a_tool_that_has_the_name_of_a_formats_tag_encloses_nothing():
    tools = [*TOOLS, {"name": "tool_call", "parameters": {"type": "object"}}]
    result = al.parse(f"<tool_call>{CALL}</tool_call>", dialects="auto", tools=tools)
    assert [action.status.is_runnable for action in result.actions] == [True]


@pytest.mark.parametrize("size", [1, 9, 80])
def test_a_stream_waits_for_the_end_of_the_tag(size):
    text = f"<search>\n<tool_call>{CALL}</tool_call>" + " and so on" * 30 + "\n</search>"
    stream = StreamParser(parser_named("auto"), frozenset({"search", "delete_file"}))
    given = [block for at in range(0, len(text), size) for block, _ in stream.feed(text[at : at + size])]
    assert given == list(stream.finish().blocks[: len(given)])
