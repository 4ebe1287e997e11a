"""Provider message JSON as raw actions."""

import pytest
from effort import examples
from hypothesis import example, given, settings, strategies as st

from actionledger.core.values import RawAction, Span
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading.messages import read_message

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
        "role",
        "content",
        "tool_calls",
        "toolCalls",
        "function",
        "name",
        "arguments",
        "args",
        "id",
        "type",
        "text",
        "output",
        "parts",
        "choices",
        "message",
        "candidates",
        "functionCall",
        "function_call",
        "input",
        "call_id",
        "custom",
        "thought",
        "tool_name",
        "toolName",
        "parameters",
        "part_kind",
        "additional_kwargs",
        "invalid_tool_calls",
        "toolUse",
        "action",
        "delta",
        "data",
        "kwargs",
        "response",
        "error",
        "payload",
        "finishReason",
    ]
)
WORDS = st.sampled_from(
    [
        "assistant",
        "text",
        "tool_use",
        "tool_call",
        "tool-call",
        "function_call",
        "message",
        "custom_tool_call",
        "shell_call",
        "server_tool_use",
        "thinking",
        "invalid_tool_call",
        "MALFORMED_FUNCTION_CALL",
        "{",
        "{}",
        "x",
        '{"a": 1}',
        "",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=examples(300))
@given(message=st.dictionaries(KEYS, VALUES, max_size=5) | VALUES)
def test_any_json_can_be_read(message):
    """Whatever an interface returns, every call has a place in the text, or there is an issue."""
    read = read_message(message)
    for action in read.actions:
        assert 0 <= action.span.start == action.span.end <= len(read.text)
        assert isinstance(action.arguments, dict)
        assert read.blocks[action.block].span == action.span
    assert all(issue.span and issue.span.end <= len(read.text) for issue in read.issues)
    assert [block.index for block in read.blocks] == list(range(len(read.blocks)))


OTHERS = {
    "thinking",
    "server_tool_use",
    "tool_use",
    "tool_call",
    "tool-call",
    "function_call",
    "custom_tool_call",
    "shell_call",
}
CALLS = st.sampled_from(
    [
        {"name": "f", "args": {"n": 1}},
        {"type": "tool_call", "name": "f", "arguments": {"n": 1}},
        {"part_kind": "tool-call", "tool_name": "f", "args": {"n": 1}},
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}},
        {"type": "tool_use", "name": "f", "input": {"n": 1}},
        {"functionCall": {"name": "f", "args": {"n": 1}}},
        {"toolUse": {"name": "f", "input": {"n": 1}}},
        {"toolName": "f", "input": {"n": 1}},
        {"tool": "g", "tool_calls": [{"name": "f", "args": {"n": 1}}]},
    ]
)
PLACES = st.lists(
    st.sampled_from(
        [*["content", "parts", "output", "tool_calls", "message", "data", "fingerprints", "steps", "x"], 0]
    ),
    max_size=4,
)


@settings(max_examples=examples(300))
@example(call={"name": "f", "args": {"n": 1}}, places=["parts", "parts"], beside={"type": "message"})
@example(call={"name": "f", "args": {"n": 1}}, places=["content", "tool_calls"], beside={"arguments": "{}"})
@example(
    call={"name": "f", "args": {"n": 1}}, places=["parts", "content", "content"], beside={"type": "message"}
)
@example(call={"name": "f", "args": {"n": 1}}, places=["parts", 0, "content", 0], beside={"type": "message"})
@given(
    call=CALLS,
    places=PLACES,
    beside=st.dictionaries(KEYS, WORDS.filter(lambda word: word not in OTHERS), max_size=2),
)
def test_a_call_anywhere_is_read_or_an_issue(call, places, beside):
    """However deep it lies and under which keys: it is read with its arguments, or it is said that something is not."""
    message = call
    for place in places:
        message = [message] if place == 0 else {**beside, place: message}
    read = read_message(message)
    assert read.issues or [action.arguments for action in read.actions] == [{"n": 1}]


CALL = ("f", {"a": 1}, "c1")
LANGCHAIN_CALL = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
VERCEL_CALL = {"type": "tool-call", "toolName": "f", "toolCallId": "c1", "input": {"a": 1}}
FURTHER = {
    "langchain": {"type": "ai", "content": "", "tool_calls": [LANGCHAIN_CALL], "invalid_tool_calls": []},
    "langchain as a constructor": {"lc": 1, "kwargs": {"content": "", "tool_calls": [LANGCHAIN_CALL]}},
    "langchain as a dict": {"type": "ai", "data": {"content": "", "tool_calls": [LANGCHAIN_CALL]}},
    "langchain content blocks": {"role": "assistant", "content": [LANGCHAIN_CALL]},
    "langchain additional": {"content": "", "additional_kwargs": {"tool_calls": [CHAT_CALL]}},
    "langchain three times": {
        "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
        "tool_calls": [LANGCHAIN_CALL],
        "additional_kwargs": {"tool_calls": [CHAT_CALL]},
    },
    "opentelemetry": {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}}],
    },
    "opentelemetry text": {
        "parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": '{"a": 1}'}]
    },
    "pydantic-ai": {
        "kind": "response",
        "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": '{"a": 1}', "tool_call_id": "c1"}],
    },
    "vercel": {"role": "assistant", "content": [VERCEL_CALL]},
    "bedrock": {
        "output": {
            "message": {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": 1}}}],
            }
        },
        "stopReason": "tool_use",
    },
    "gemini snake": {
        "candidates": [
            {"content": {"parts": [{"function_call": {"id": "c1", "name": "f", "args": {"a": 1}}}]}}
        ]
    },
    "gemini part": {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}},
    "ollama": {
        "model": "qwen3",
        "message": {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}],
        },
    },
    "cohere 1": {"text": "", "tool_calls": [{"id": "c1", "name": "f", "parameters": {"a": 1}}]},
    "cohere 2": {
        "message": {"role": "assistant", "tool_plan": "I call.", "tool_calls": [CHAT_CALL]},
        "finish_reason": "TOOL_CALL",
    },
    "inspect": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "function": "f", "arguments": {"a": 1}, "type": "function"}],
    },
    "responses item": RESPONSES["output"][2],
    "list of parts": [RESPONSES["output"][2]],
    "list of items": RESPONSES["output"],
    "background response": {"type": "response.completed", "response": RESPONSES},
    "line of a batch": {
        "custom_id": "1",
        "response": {"status_code": 200, "body": {"choices": [{"message": CHAT}]}},
    },
}


@pytest.mark.parametrize("message", FURTHER.values(), ids=FURTHER)
def test_further_spellings_are_read(message):
    """Frameworks and clouds write the same call under keys of their own; each is read once."""
    read = read_message(message)
    assert [(action.name, action.arguments, action.call_id) for action in read.actions] == [CALL]
    assert (read.issues, read.outcome) == ((), Outcome.CLEAN)


def test_two_calls_of_one_place_are_two():
    """Only what stands in two places of a message is the same call."""
    read = read_message({"content": "", "tool_calls": [LANGCHAIN_CALL, dict(LANGCHAIN_CALL)]})
    assert len(read.actions) == 2


def test_a_call_that_stands_in_two_places_with_other_arguments_is_an_issue():
    """The first is read; that the other says something else is said."""
    other = {"id": "c1", "function": {"name": "f", "arguments": '{"a": 2}'}}
    read = read_message({"tool_calls": [LANGCHAIN_CALL], "additional_kwargs": {"tool_calls": [other]}})
    assert [action.arguments for action in read.actions] == [{"a": 1}]
    assert [issue.code for issue in read.issues] == [Reason.AMBIGUOUS]


@pytest.mark.parametrize(
    ("message", "code", "said"),
    [
        ({"tool_calls": [{"name": "f", "payload": {"a": 1}}]}, Reason.WRONG_SHAPE, "'payload'"),
        ({"tool_calls": [{"name": "f", "args": None, "payload": {"a": 1}}]}, Reason.WRONG_SHAPE, "'payload'"),
        ({"tool_calls": [{"name": "f", "args": {}, "input": {"a": 1}}]}, Reason.AMBIGUOUS, "'args', 'input'"),
        (
            {"invalid_tool_calls": [{"name": "f", "args": "{oops", "id": "c", "error": "no JSON"}]},
            Reason.TRUNCATED,
            "'{oops' (no JSON)",
        ),
        (
            {"tool_calls": [{"function": "f", "arguments": {}, "parse_error": "bad"}]},
            Reason.MALFORMED_JSON,
            "'bad'",
        ),
        ({"content": [{"type": "hologram", "call": 1}]}, Reason.WRONG_SHAPE, "type 'hologram'"),
        ({"parts": [{"mystery": 1}]}, Reason.WRONG_SHAPE, "'mystery'"),
        ({"content": 5}, Reason.WRONG_SHAPE, "but int"),
        ({"role": "assistant", "content": None, "surprise": [1]}, Reason.WRONG_SHAPE, "'surprise'"),
        (
            {"content": "", "fingerprints": [{"name": "f", "arguments": {}}]},
            Reason.WRONG_SHAPE,
            "'fingerprints.0'",
        ),
        ({"content": "", "tool_use": {"name": "f"}}, Reason.WRONG_SHAPE, "'tool_use'"),
        ({"choices": []}, Reason.WRONG_SHAPE, "0 choices"),
        ({"choices": [{"delta": {"content": "x"}}]}, Reason.WRONG_SHAPE, "a piece of a stream"),
        ({"candidates": []}, Reason.WRONG_SHAPE, "no candidate"),
        (
            {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "call f("}]},
            Reason.MALFORMED_JSON,
            "'call f('",
        ),
        ({"output": [], "error": {"message": "overloaded"}}, Reason.WRONG_SHAPE, "overloaded"),
        ({"output": [{"type": "shell_call", "call_id": "c"}]}, Reason.WRONG_SHAPE, "action, operation"),
        ("f()", Reason.WRONG_SHAPE, "a text"),
        (None, Reason.WRONG_SHAPE, "null"),
        (7, Reason.WRONG_SHAPE, "a number"),
        ([], Reason.WRONG_SHAPE, "an empty list"),
        ([CHAT, CHAT], Reason.WRONG_SHAPE, "known"),
    ],
)
def test_a_shape_that_is_not_known_is_an_issue(message, code, said):
    """It says what was seen; nothing is read as no action, and no call without its arguments."""
    read = read_message(message)
    assert read.actions == ()
    assert read.outcome is Outcome.FAILED
    assert read.issues[0].code is code
    assert said in read.issues[0].detail


def test_the_tools_that_the_caller_runs_for_openai_are_calls():
    """A shell, a patch and a computer run on the caller's side; what ran on theirs is no call."""
    action = {"type": "exec", "command": ["ls"]}
    items = [
        {"type": "local_shell_call", "call_id": "c1", "action": action},
        {"type": "tool_search_call", "execution": "server", "arguments": {}},
        {"type": "computer_call", "call_id": "c2", "actions": [{"type": "click"}]},
    ]
    read = read_message({"output": items})
    assert [(each.name, each.arguments) for each in read.actions] == [
        ("local_shell", action),
        ("computer", {"actions": [{"type": "click"}]}),
    ]


def test_arguments_nested_without_end_are_an_issue():
    """A value deeper than the reader's limit is refused in peace, as an object and as text."""
    deep = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for arguments in (deep, '{"a":' * 5_000 + "1" + "}" * 5_000):
        read = read_message({"tool_calls": [{"name": "f", "args": arguments}]})
        assert [issue.code for issue in read.issues] == [Reason.TOO_DEEP]


@pytest.mark.parametrize("beside", ["index", "status", "caller", "cache_control", "created_at", "origin"])
def test_what_providers_put_beside_a_name_is_no_argument_under_another_key(beside):
    """A call without arguments stays one; any other key may be what they are called."""
    calls = [{"type": "tool_use", "id": "1", "name": "f", key: "x"} for key in (beside, "city")]
    read = [read_message({"role": "assistant", "content": [call]}) for call in calls]
    assert [len(each.actions) for each in read] == [1, 0]
    assert [[issue.code for issue in each.issues] for each in read] == [[], [Reason.WRONG_SHAPE]]
