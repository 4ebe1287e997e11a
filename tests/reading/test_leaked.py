"""Calls that a model has left as text where its calls are kept apart from it: failed with a reason of their own, and never an action."""

import json
from itertools import pairwise
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from steps import SPARE, steps_of_reading

import actionledger as al
from actionledger.core.recordings import RecordedCall
from actionledger.core.values import Reading
from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import BlockStatus, Capture, Outcome, Reason
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.leaked import has_sign
from actionledger.reading.recorded import read_recorded, with_calls

OFFER = Offer({"search": ("query", "limit"), "read_file": ("path",)})
CALL = ("search", {"query": "class A", "limit": 2})
INVOKE = '<invoke name="read_file">\n<parameter name="path">a.json</parameter>\n</invoke>'
HERMES = '<tool_call>\n{"name": "search", "arguments": {"query": "y"}}\n</tool_call>'
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
    '{"query": "x"}<|tool_call_end|><|tool_calls_section_end|>'
)
CONTENT, REASONING = Reason.TOOL_MARKUP_IN_CONTENT, Reason.TOOL_MARKUP_IN_REASONING
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]},
        },
    }
    for name, key in (("search", "query"), ("read_file", "path"))
]


def read(text: str, *calls: RecordedCall, names: frozenset[str] = OFFER, thoughts: str = "") -> Reading:
    capture = Capture.ARGUMENTS if any(isinstance(call.arguments, str) for call in calls) else Capture.CALLS
    return read_recorded(with_calls(text, calls), capture, names=names, thoughts=thoughts)


def written_in(dialect: str) -> str:
    """Return the call as a dialect writes it; empty where it can't, or is no format of calls."""
    try:
        return al.render([CALL], dialect=dialect)
    except al.ActionLedgerError:
        return ""


@pytest.mark.parametrize("dialect", [each.name for each in DIALECTS if written_in(each.name)])
@pytest.mark.parametrize("before", ["", "I look it up.\n\n"])
def test_a_text_beside_calls_with_an_offered_name_in_call_form_is_failed(dialect, before):
    """The contract, in every format that writes calls: with its span, and no action."""
    text = before + written_in(dialect)
    reading = read(text)
    assert (reading.outcome, reading.actions) == (Outcome.FAILED, ())
    assert {issue.code for issue in reading.issues} == {CONTENT}
    for block in reading.blocks:
        assert (block.status, block.reason) == (BlockStatus.MALFORMED, CONTENT)
        assert block.issues[0].span == block.span
        assert "search" in block.span.of(text)


@pytest.mark.parametrize("dialect", [each.name for each in DIALECTS if written_in(each.name)])
@pytest.mark.parametrize("before", ["", "I look it up.\n\n"])
def test_thoughts_that_end_with_a_call_are_failed_where_the_message_does_nothing_else(dialect, before):
    """Those of a format without marks as well, where it is known what was offered; beside an answer they were a draft."""
    thoughts = before + written_in(dialect)
    reading = read("", thoughts=thoughts)
    assert (reading.outcome, reading.actions) == (Outcome.FAILED, ())
    assert {issue.code for issue in reading.issues} == {REASONING}
    assert read("It is done.", thoughts=thoughts).outcome is Outcome.NO_ACTION


@pytest.mark.parametrize(
    "text",
    [
        "search(query='a') finds it, so I know enough.",
        "Shall I call search? The user wants no search.",
        '{"query": "class A"}',
        "```python\nfor each in files:\n    search(query=each)\n```",
    ],
)
def test_thoughts_of_a_tool_are_no_call(text):
    assert not read("", thoughts=text).issues


@pytest.mark.parametrize(
    "text", [f"I look.\n\ncourt\n{INVOKE}", f"call\n{INVOKE}", HERMES, KIMI, HERMES[:-20]]
)
def test_marks_tell_where_no_name_is_known(text):
    """A recording need not say what was offered: a format's own marks with a name are enough, cut off or not."""
    reading = read(text, names=frozenset())
    assert (reading.outcome, {issue.code for issue in reading.issues}) == (Outcome.FAILED, {CONTENT})


@pytest.mark.parametrize(
    "text",
    [
        'Let me look.\n\nread_file(path="/w/a.json")',
        '{"name": "read_file", "arguments": {"path": "a"}}',
        'Now:\n\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
    ],
)
@pytest.mark.parametrize("names", [OFFER, frozenset(OFFER), frozenset()])
def test_without_marks_a_name_tells(text, names):
    """Offered, or called by the same session: text of somebody else's tool is nobody's call."""
    assert (read(text, names=names).outcome is Outcome.FAILED) is bool(names)


MENTIONS = [
    "I should call read_file on it, and then search(query) again.",
    "The model wraps its call in <tool_call> tags, and the server parses them.",
    f"It wrote `{INVOKE}` as text.".replace("\n", ""),
    f"It left this as text:\n\n```xml\n{INVOKE}\n```\n\nThat is the bug.",
    f"Each call is written like this:\n\n```\n{HERMES}\n```",
    "> " + INVOKE.replace("\n", "\n> ") + "\n\nThat is what the log says.",
    'It says `read_file(path="a")` in the log.',
    "```python\nread_file(path='a')\nfor each in files:\n    search(query=each)\n```\n\nThat is how it works.",
    'The settings:\n\n```json\n{"permissions": {"read_file": {"allow": true}}}\n```',
    "Run this:\n\n```bash\nnpm test\n```",
    '{"type": "search", "results": []}',
    "The <invoke name= attribute is missing there.",
    "",
]


@pytest.mark.parametrize("text", MENTIONS)
@pytest.mark.parametrize("names", [OFFER, frozenset(OFFER), frozenset()])
def test_a_mention_is_no_leak(text, names):
    """Quoted, fenced, in inline code or in a sentence a call is talked about."""
    reading = read(text, names=names)
    assert reading.outcome in {Outcome.NO_ACTION, Outcome.EMPTY}
    assert not reading.issues


@pytest.mark.parametrize("text", MENTIONS[:-1])
def test_a_mention_beside_a_call_leaves_it_clean(text):
    assert read(text, RecordedCall("c", "search", {"query": "x"})).outcome is Outcome.CLEAN


def test_beside_a_real_call_it_is_a_part_that_is_lost():
    """Before it, behind it, and between two: the spans are those of the recorded text, with the argument strings in it."""
    calls = [
        RecordedCall("c1", "search", '{"query": "a"}', at=0),
        RecordedCall("c2", "search", '{"query": "b"}'),
    ]
    reading = read(f"Well.\n{INVOKE}\nSo.", *calls)
    assert (reading.outcome, [action.call_id for action in reading.actions]) == (
        Outcome.PARTIAL,
        ["c1", "c2"],
    )
    assert [(block.status, block.span.of(reading.text)) for block in reading.blocks] == [
        (BlockStatus.STRICT, '{"query": "a"}'),
        (BlockStatus.MALFORMED, INVOKE),
        (BlockStatus.STRICT, '{"query": "b"}'),
    ]


def test_a_text_that_states_the_call_that_was_made_has_lost_nothing():
    """Some servers hand over a call and leave its text where it was."""
    assert read(HERMES, RecordedCall("c", "search", {"query": "y"})).outcome is Outcome.CLEAN
    assert read(HERMES, RecordedCall("c", "search", {"query": "z"})).outcome is Outcome.PARTIAL


def test_an_argument_is_no_text_of_the_message():
    """Whoever writes a file about calls makes one call."""
    made = RecordedCall("c", "read_file", json.dumps({"path": HERMES}))
    assert read("I write it.", made).outcome is Outcome.CLEAN


def test_a_call_in_thoughts_is_lost_where_the_message_ends_with_them():
    """Where it goes on, it was a draft: that is said, and nothing has failed. A call that was made is no draft that was lost."""
    thoughts = f"I need it. {KIMI}"
    lost = read("", thoughts=thoughts)
    assert (lost.outcome, lost.actions, [issue.code for issue in lost.issues]) == (
        Outcome.FAILED,
        (),
        [REASONING],
    )
    assert lost.issues[0].detail.endswith(f"from 11 to {len(thoughts)}.")
    drafted = read("It is in a.py.", thoughts=thoughts)
    assert (drafted.outcome, drafted.issues[0].code, drafted.actions) == (Outcome.NO_ACTION, REASONING, ())
    other = read("", RecordedCall("c", "read_file", {"path": "a"}), thoughts=thoughts)
    assert (other.outcome, other.issues[0].code) == (Outcome.CLEAN, REASONING)
    made = read("", RecordedCall("c", "search", {"query": "a"}), thoughts=thoughts)
    assert (made.outcome, made.issues) == (Outcome.CLEAN, ())


@pytest.mark.parametrize(
    "thoughts", ["I should call read_file, then search(query='x').", "search(query='x')"]
)
def test_a_thought_names_tools(thoughts):
    """Only a format's own marks leak a call into thoughts."""
    assert read("", thoughts=thoughts).outcome is Outcome.EMPTY


MESSAGES: list[tuple[dict[str, Any], Outcome, list[Reason]]] = [
    (
        {"role": "assistant", "content": f"Let me look.\n\n{HERMES}", "tool_calls": None},
        Outcome.FAILED,
        [CONTENT],
    ),
    (
        {"role": "assistant", "content": "", "reasoning_content": f"Hm. {KIMI}", "tool_calls": []},
        Outcome.FAILED,
        [REASONING],
    ),
    ({"role": "assistant", "content": "", "thinking": f"Hm. {KIMI}"}, Outcome.FAILED, [REASONING]),
    (
        {
            "role": "assistant",
            "content": [{"type": "text", "text": f"I look.\n\ncourt\n{INVOKE}"}],
            "stop_reason": "end_turn",
        },
        Outcome.FAILED,
        [CONTENT],
    ),
    ({"content": [{"type": "thinking", "thinking": f"Hm. {INVOKE}"}]}, Outcome.FAILED, [REASONING]),
    (
        {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": KIMI}]}]},
        Outcome.FAILED,
        [REASONING],
    ),
    (
        {"candidates": [{"content": {"parts": [{"text": KIMI, "thought": True}]}}]},
        Outcome.FAILED,
        [REASONING],
    ),
    ({"candidates": [{"content": {"parts": [{"text": HERMES}]}}]}, Outcome.FAILED, [CONTENT]),
    (
        {"content": [{"reasoningContent": {"reasoningText": {"text": KIMI}}}], "role": "assistant"},
        Outcome.FAILED,
        [REASONING],
    ),
    (
        {
            "role": "assistant",
            "content": HERMES,
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path": "a"}'},
                }
            ],
        },
        Outcome.PARTIAL,
        [CONTENT],
    ),
    (
        {"role": "assistant", "content": "Done.", "reasoning_content": "I call search(query='x') no more."},
        Outcome.NO_ACTION,
        [],
    ),
]


@pytest.mark.parametrize(("message", "outcome", "codes"), MESSAGES)
@pytest.mark.parametrize("tools", [TOOLS, None])
def test_every_text_of_a_provider_s_message_is_looked_at(message, outcome, codes, tools):
    """Whatever the interface calls it, with the tools known and without."""
    result = al.parse_message(message, tools=tools)
    assert (result.outcome, [issue.code for issue in result.issues]) == (outcome, codes)
    assert not [action for action in result.actions if action.name == "search"]


TEXTS = st.lists(
    st.sampled_from(
        [
            HERMES,
            INVOKE,
            KIMI,
            "\n",
            " ",
            "So. ",
            "`",
            "```\n",
            "search(",
            '"search"',
            "read_file {",
            "<tool_call>",
            "漢",
        ]
    ),
    max_size=8,
).map("".join)


@settings(max_examples=examples(200))
@given(TEXTS, TEXTS, st.integers(0, 200))
def test_whatever_is_left_is_never_an_action(text, thoughts, at):
    """Spans hold, blocks are in order, and the only actions are the calls that were made."""
    reading = read(text, RecordedCall("c", "search", '{"query": "z"}', at=at), thoughts=thoughts)
    assert [action.call_id for action in reading.actions] == ["c"]
    spans = [block.span for block in reading.blocks]
    assert spans == sorted(spans)
    for before, after in pairwise(spans):
        assert before.end <= after.start
    assert all(block.span.end <= len(reading.text) for block in reading.blocks)


@pytest.mark.parametrize(
    "piece", ["search" + " " * 40, "<function=", "call" + " " * 30, '"search"\n', "```\nsearch(", HERMES]
)
def test_the_watch_is_linear(piece):
    """Four times the text takes some four times the steps and the characters looked at."""
    count = 20_000 // len(piece)
    read(piece * count)
    few, many = (steps_of_reading(read, piece * times) for times in (count, count * 4))
    for little, much, spare in zip(few, many, SPARE, strict=True):
        assert much < 6 * little + spare


def test_most_texts_are_not_read():
    """A sign is looked for first: prose, code and JSON without the tools' names have none."""
    assert not has_sign("I will now look (as you said) at `a[0]` and {x: 1}; search it, read_file.", OFFER)
    assert has_sign(f"Well.\n{INVOKE}", frozenset())
