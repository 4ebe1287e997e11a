"""Provider message JSON as raw actions."""

import pytest
from hypothesis import given, settings, strategies as st

from actionledger.parsing.providers import read_message
from actionledger.values import RawAction, Span
from actionledger.vocabulary import Outcome, Reason

CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
CHAT = {"role": "assistant", "content": "Let me see.", "tool_calls": [CHAT_CALL]}
RESPONSES = {
    "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me see."}]},
        {"type": "function_call", "name": "f", "arguments": '{"a": 1}', "call_id": "c1"},
        {"type": "web_search_call", "id": "ws1", "status": "completed"},
    ]
}
ANTHROPIC = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "A call is due."},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
    ],
}
GEMINI = {
    "role": "model",
    "parts": [
        {"text": "A call is due.", "thought": True},
        {"text": "Let me see."},
        {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}},
        {"executableCode": {"language": "PYTHON", "code": "1"}},
    ],
}
WRAPPED = {
    "openai_chat": [CHAT, {"object": "chat.completion", "choices": [{"index": 0, "message": CHAT}]}],
    "openai_responses": [RESPONSES],
    "anthropic": [ANTHROPIC, {"role": "assistant", "content": ANTHROPIC["content"]}],
    "gemini": [GEMINI, {"content": GEMINI, "finishReason": "STOP"}, {"candidates": [{"content": GEMINI}]}],
}
SPELLINGS = [
    pytest.param(name, message, id=f"{name}-{at}")
    for name, messages in WRAPPED.items()
    for at, message in enumerate(messages)
]


@pytest.mark.parametrize(("dialect", "message"), SPELLINGS)
def test_every_spelling_says_the_same(dialect, message):
    """Text, call and identifier; thoughts and what the provider ran itself are neither."""
    read = read_message(message)
    assert read.text == read.narrative == "Let me see."
    assert read.actions == (RawAction("f", {"a": 1}, Span(11, 11), dialect, 0, call_id="c1"),)
    assert (read.outcome, read.issues) == (Outcome.CLEAN, ())
    assert [(block.dialect, block.span) for block in read.blocks] == [(dialect, Span(11, 11))]


def test_calls_stand_where_they_were_made():
    """A call's span is the empty one at its place between the texts."""
    content = [
        {"type": "tool_use", "id": "1", "name": "f", "input": {}},
        {"type": "text", "text": "é🍅"},
        {"type": "tool_use", "id": "2", "name": "g", "input": {}},
    ]
    read = read_message({"role": "assistant", "content": content})
    assert [(action.span, action.block) for action in read.actions] == [(Span(0, 0), 0), (Span(2, 2), 1)]
    assert read.text == "é🍅"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("{", Reason.TRUNCATED),
        ('{"a": ', Reason.TRUNCATED),
        ("{a: 1}", Reason.UNQUOTED_KEY),
        ('{"a": 1} x', Reason.TEXT_AFTER_VALUE),
        ("[1]", Reason.WRONG_SHAPE),
        ('"x"', Reason.WRONG_SHAPE),
        (5, Reason.WRONG_SHAPE),
        ([1], Reason.WRONG_SHAPE),
    ],
)
def test_arguments_that_can_not_be_read_are_an_issue(arguments, reason):
    """The call is no action then, and the good one beside it stays."""
    broken = {"id": "c2", "type": "function", "function": {"name": "g", "arguments": arguments}}
    read = read_message(CHAT | {"tool_calls": [broken, CHAT_CALL]})
    assert [(action.name, action.block) for action in read.actions] == [("f", 1)]
    assert [issue.code for issue in read.issues] == [reason]
    assert read.issues[0].detail
    assert read.outcome is Outcome.PARTIAL


@pytest.mark.parametrize("arguments", ["{}", "", None, {}])
def test_a_call_may_have_no_arguments(arguments):
    """Providers write an empty object, an empty text or nothing."""
    read = read_message(
        CHAT | {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": arguments}}]}
    )
    assert read.actions[0].arguments == {}
    assert read.issues == ()


def test_a_custom_tool_is_given_its_input_as_it_is():
    """Free text is one argument."""
    chat = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "f", "input": "x"}}],
    }
    responses = {"output": [{"type": "custom_tool_call", "name": "f", "input": "x", "call_id": "c"}]}
    for message in (chat, responses):
        read = read_message(message)
        assert [(action.name, action.arguments) for action in read.actions] == [("f", {"input": "x"})]


def test_the_older_spelling_of_a_call_is_read():
    """OpenAI's interface had one ``function_call`` a message at first."""
    read = read_message(
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    )
    assert [(action.name, action.call_id) for action in read.actions] == [("f", None)]


def test_a_call_without_a_name_has_an_empty_one():
    """Checking says that it is missing."""
    read = read_message({"role": "assistant", "content": [{"type": "tool_use", "input": {}}]})
    assert read.actions[0].name == ""
    assert read.outcome is Outcome.CLEAN


@pytest.mark.parametrize("message", [{}, {"error": {"message": "overloaded"}}, {"data": []}])
def test_what_is_no_message_is_an_issue(message):
    """Nothing raises, and nothing goes by in silence."""
    read = read_message(message)
    assert (read.text, read.actions, read.outcome) == ("", (), Outcome.FAILED)
    assert [issue.code for issue in read.issues] == [Reason.WRONG_SHAPE]


@pytest.mark.parametrize(("text", "outcome"), [("Good morning.", Outcome.NO_ACTION), ("", Outcome.EMPTY)])
def test_a_message_without_calls_is_read_too(text, outcome):
    """As any response in which nothing is asked for."""
    assert read_message({"role": "assistant", "content": text}).outcome is outcome


KEYS = st.sampled_from(
    [
        *(
            "role",
            "content",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "id",
            "type",
            "text",
            "output",
            "parts",
        ),
        *(
            "choices",
            "message",
            "candidates",
            "functionCall",
            "args",
            "input",
            "call_id",
            "custom",
            "thought",
        ),
        "function_call",
    ]
)
WORDS = st.sampled_from(
    [
        "assistant",
        "text",
        "tool_use",
        "function_call",
        "message",
        "custom_tool_call",
        "{",
        "{}",
        '{"a": 1}',
        "x",
        "",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@settings(deadline=None, max_examples=300)
@given(message=st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_json_can_be_read(message):
    """Whatever an interface returns, every call has a place in the text, or there is an issue."""
    read = read_message(message)
    for action in read.actions:
        assert 0 <= action.span.start == action.span.end <= len(read.text)
        assert isinstance(action.arguments, dict)
        assert read.blocks[action.block].span == action.span
    assert all(issue.span and issue.span.end <= len(read.text) for issue in read.issues)
    assert [block.index for block in read.blocks] == list(range(len(read.blocks)))
