"""The shapes of providers' messages: what is text, what is a call, what came of it, what it took."""

from functools import reduce

import pytest
from hypothesis import given, strategies as st

from actionledger.core.recordings import RecordedCall, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes import (
    anthropic,
    anthropic as anthropic_stream,
    bedrock,
    bedrock as bedrock_stream,
    gemini,
    openai_chat,
    openai_chat as openai_stream,
    openai_responses,
)
from actionledger.imports.shapes.bodies import SHAPES, shape_of_request, shape_of_response
from actionledger.imports.shapes.conversation import conversation

OPENAI = {
    "id": "chatcmpl-1",
    "created": 1700000000,
    "model": "gpt-4o",
    "choices": [
        {
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "Looking.",
                "reasoning_content": "hm",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"path": "a"'},
                    },
                    {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
                ],
            },
        }
    ],
    "usage": {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    },
}
RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "created_at": 1700000000,
    "model": "gpt-5",
    "output": [
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "On it."}]},
        {"type": "web_search_call", "id": "ws", "status": "completed"},
        {"type": "function_call", "id": "fc", "call_id": "c1", "name": "read", "arguments": '{"path":"a"}'},
        {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin"},
        {"type": "local_shell_call", "call_id": "c3", "action": {"type": "exec", "command": ["ls"]}},
    ],
    "usage": {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
    },
}
ANTHROPIC = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "model": "claude",
    "stop_reason": "tool_use",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "text", "text": "Then this."},
    ],
    "usage": {
        "input_tokens": 3,
        "cache_creation_input_tokens": 4,
        "cache_read_input_tokens": 5,
        "output_tokens": 6,
    },
}
GEMINI = {
    "responseId": "g1",
    "modelVersion": "gemini-2.5",
    "candidates": [
        {
            "finishReason": "STOP",
            "content": {
                "role": "model",
                "parts": [
                    {"text": "thoughts", "thought": True},
                    {"text": "Looking."},
                    {"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "x"},
                ],
            },
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 10,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "cachedContentTokenCount": 4,
    },
}
BEDROCK = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"text": "Looking."},
                {"toolUse": {"toolUseId": "t1", "name": "read", "input": {"path": "a"}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 3, "outputTokens": 6, "cacheReadInputTokens": 7},
    "metrics": {"latencyMs": 120},
}
BODIES = {
    "openai_chat": OPENAI,
    "openai_responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "bedrock": BEDROCK,
}


def test_a_chat_completion_keeps_argument_strings_and_what_it_took():
    """A cut string stays as it was written, a custom tool's text is a text, thoughts stand apart."""
    (found,) = openai_chat.response(OPENAI).messages
    assert (found.text, found.message_id, found.model) == ("Looking.", "chatcmpl-1", "gpt-4o")
    assert found.calls == [
        RecordedCall("c1", "read", '{"path": "a"', at=8),
        RecordedCall("c2", "patch", "*** Begin", "text", at=8),
    ]
    assert found.usage == Usage(
        input_tokens=10, output_tokens=5, cached_tokens=4, reasoning_tokens=2, finish_reason="tool_calls"
    )
    assert str(found.occurred_at) == "2023-11-14 22:13:20"
    assert (found.reasoning, found.passed) == ("hm", {})


def test_two_blocks_of_one_number_are_both_kept():
    """A gateway that numbers all blocks alike has lost none of them."""
    text = [
        {"type": "message_start", "message": {"role": "assistant"}},
        *(
            event
            for name in ("read", "write")
            for event in (
                {
                    "type": "content_block_start",
                    "index": 0,
                    "content_block": {"type": "tool_use", "name": name},
                },
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "input_json_delta", "partial_json": "{}"},
                },
                {"type": "content_block_stop", "index": 0},
            )
        ),
    ]
    assert [(block["name"], block["input"]) for block in anthropic_stream.body(text)["content"]] == [
        ("read", "{}"),
        ("write", "{}"),
    ]


def test_two_blocks_of_one_number_in_a_stream_of_bedrock_are_both_kept():
    """What began first stands first, whether it is a text or a call."""
    said = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Looking."}}}
    calls = [
        event
        for name in ("read", "write")
        for event in (
            {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"name": name}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{}"}}}},
        )
    ]
    [text, *found] = bedrock_stream.body([said, *calls])["output"]["message"]["content"]
    assert text == {"text": "Looking."}
    assert [(each["toolUse"]["name"], each["toolUse"]["input"]) for each in found] == [
        ("read", "{}"),
        ("write", "{}"),
    ]


@pytest.mark.parametrize("call_ids", [("a", "b"), ("", "")])
def test_two_calls_of_one_number_in_a_stream_of_openai_are_both_kept(call_ids):
    """By their identifiers, and by their names where they have none."""
    events = [
        {
            "choices": [
                {
                    "index": 0,
                    "delta": {
                        "tool_calls": [
                            {"index": 0, "id": call_id, "function": {"name": name, "arguments": "{}"}}
                        ]
                    },
                }
            ]
        }
        for call_id, name in zip(call_ids, ("read", "write"), strict=True)
    ]
    [choice] = openai_stream.body(events)["choices"]
    assert [each["function"] for each in choice["message"]["tool_calls"]] == [
        {"name": "read", "arguments": "{}"},
        {"name": "write", "arguments": "{}"},
    ]


def test_thoughts_that_a_provider_counts_apart_are_output():
    """xAI's total is the sum of three; OpenAI's is the sum of two."""
    took = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    assert openai_chat.usage({**took, "total_tokens": 35}).output_tokens == 25
    assert openai_chat.usage({**took, "completion_tokens": 25, "total_tokens": 35}).output_tokens == 25
    assert openai_chat.usage(took).output_tokens == 25  # more thoughts than output can't be among it


def test_the_function_call_of_old_is_one_call_without_an_identifier():
    """Its result names the function, and goes by place."""
    talk = conversation(
        map(
            openai_chat.message,
            [
                {"role": "user", "content": "Read a"},
                {"role": "assistant", "content": None, "function_call": {"name": "read", "arguments": "{}"}},
                {"role": "function", "name": "read", "content": "text of a"},
            ],
        )
    )
    (turn,) = talk.done(Capture.ARGUMENTS)
    assert turn.calls == (RecordedCall("", "read", "{}", at=0),)
    assert [result.output for result in turn.results] == ["text of a"]


def test_several_choices_are_several_messages_and_tokens_count_once():
    """The first has what all of them took."""
    choice = {"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}
    found = openai_chat.response({**OPENAI, "choices": [choice, choice]}).messages
    assert [each.message_id for each in found] == ["chatcmpl-1", "chatcmpl-1#1"]
    assert [each.usage.output_tokens for each in found] == [5, None]


def test_a_response_of_items_is_one_message():
    """What the provider ran itself is no call, encrypted thoughts are counted."""
    (found,) = openai_responses.response(RESPONSES).messages
    assert found.text == "On it."
    assert [(each.call_id, each.name, each.arguments, each.kind) for each in found.calls] == [
        ("c1", "read", '{"path":"a"}', "function"),
        ("c2", "apply_patch", "*** Begin", "text"),
        ("c3", "local_shell", {"type": "exec", "command": ["ls"]}, "function"),
    ]
    assert found.passed == {
        (LeftOutReason.ENCRYPTED, "reasoning"): 1,
        (LeftOutReason.RUN_BY_PROVIDER, "web_search_call"): 1,
    }
    assert (found.usage.input_tokens, found.usage.cached_tokens, found.usage.reasoning_tokens) == (10, 4, 2)


def test_a_list_of_items_is_told_apart_by_who_wrote_them():
    """Calls and the message beside them are one turn, outputs are results."""
    items = [
        {"role": "user", "content": "Read a"},
        *RESPONSES["output"],
        {"type": "function_call_output", "call_id": "c1", "output": "text of a"},
        {
            "type": "custom_tool_call_output",
            "call_id": "c2",
            "output": [{"type": "input_text", "text": "Done"}],
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]
    first, last = conversation(openai_responses.messages(items)).done(Capture.ARGUMENTS)
    assert (first.prompt, len(first.calls), last.text) == ("Read a", 3, "Done.")
    assert [(each.call_id, each.output) for each in first.results] == [("c1", "text of a"), ("c2", "Done")]


def test_anthropic_counts_what_caches_gave_and_took_as_input():
    """A call stands at its place between two texts; only thoughts that can be read are no cipher."""
    (found,) = anthropic.response(ANTHROPIC).messages
    assert (found.text, found.reasoning) == ("Looking.Then this.", "hm")
    assert found.calls == [RecordedCall("t1", "Read", {"path": "a"}, at=8)]
    assert found.usage == Usage(
        input_tokens=12, output_tokens=6, cached_tokens=5, cache_write_tokens=4, finish_reason="tool_use"
    )
    assert found.passed == {
        (LeftOutReason.ENCRYPTED, "thinking"): 1,
        (LeftOutReason.RUN_BY_PROVIDER, "web_search"): 1,
        (LeftOutReason.RUN_BY_PROVIDER, "web_search_tool_result"): 1,
    }


def test_results_in_a_persons_message_go_to_their_calls():
    """What the person says beside them is feedback."""
    talk = conversation(
        map(
            anthropic.message,
            [
                {"role": "user", "content": "Read a"},
                ANTHROPIC,
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t1",
                            "is_error": True,
                            "content": [{"type": "text", "text": "no such file"}],
                        },
                        {"type": "text", "text": "Try b."},
                    ],
                },
                {"role": "assistant", "content": "All right."},
            ],
        )
    )
    first, second = talk.done(Capture.CALLS)
    assert (first.prompt, first.feedback, second.prompt) == ("Read a", "Try b.", None)
    (result,) = first.results
    assert (result.call_id, result.output, result.is_error) == ("t1", "no such file", True)
    assert first.capture is second.capture is Capture.CALLS


def test_gemini_thoughts_are_output_and_no_text():
    """A result without an identifier goes by place; one that says error is one."""
    (found,) = gemini.response(GEMINI).messages
    assert (found.text, found.message_id) == ("Looking.", "g1")
    assert found.calls == [RecordedCall("", "read", {"path": "a"}, at=8)]
    assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.reasoning_tokens) == (10, 5, 2)
    came = gemini.message(
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"error": "gone"}}}]}
    )
    assert [(each.output, each.is_error) for each in came.results] == [({"error": "gone"}, True)]


def test_bedrock_says_no_model_and_counts_caches_apart():
    """Its latency is the response's, its result's status says whether it is an error."""
    (found,) = bedrock.response(BEDROCK).messages
    assert (found.text, found.usage.input_tokens, found.usage.latency_ms) == ("Looking.", 10, 120)
    came = bedrock.message(
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"text": "gone"}]}},
                {"toolResult": {"toolUseId": "t2", "content": [{"json": {"a": 1}}]}},
            ],
        }
    )
    assert [(each.output, each.is_error) for each in came.results] == [("gone", True), ({"a": 1}, None)]


def test_a_conversation_without_tools_or_calls_is_text():
    """All that the model wrote is there, so that a text is read for calls."""
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "<tool_call>{}</tool_call>"}]
    (turn,) = conversation(map(openai_chat.message, said)).done(Capture.ARGUMENTS)
    assert turn.capture is Capture.TEXT
    (turn,) = conversation(map(openai_chat.message, said)).done(Capture.ARGUMENTS, '[{"name": "read"}]')
    assert turn.capture is Capture.ARGUMENTS


def test_a_result_of_no_call_is_counted():
    """It isn't given to the call of another."""
    talk = conversation([openai_chat.message({"role": "tool", "tool_call_id": "c9", "content": "x"})])
    assert talk.done(Capture.ARGUMENTS) == ()
    assert talk.passed == {(LeftOutReason.NO_CALL, ""): 1}


@pytest.mark.parametrize("name", BODIES)
def test_a_response_has_one_shape(name):
    """No other interface takes it for its own."""
    assert [shape.NAME for shape in SHAPES if shape.is_response(BODIES[name])] == [name]
    found = shape_of_response(BODIES[name])
    assert found is not None
    assert name == found.NAME


REQUESTS = {
    "openai_chat": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]},
    "openai_responses": {"model": "gpt-5", "input": "Hi"},
    "anthropic": {
        "model": "claude",
        "max_tokens": 9,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hi"}],
    },
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "inferenceConfig": {}},
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_told_by_its_body(name):
    """And what was asked last is a person's."""
    found = shape_of_request(REQUESTS[name])
    assert found is not None
    assert name == found.NAME
    last = found.request(REQUESTS[name]).messages[-1]
    assert (last.speaker, last.text) == ("person", "Hi")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def put(value: object, path: list[int], other: object) -> object:
    """Return a value in which one place, found by numbers, holds another."""
    if not path or not isinstance(value, dict | list) or not value:
        return other
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = keys[path[0] % len(keys)]
    changed = value.copy()
    changed[key] = put(value[key], path[1:], other)
    return changed


@given(
    st.sampled_from(sorted(BODIES)),
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=7), min_size=1, max_size=3),
    VALUES,
)
def test_wrong_types_never_raise(name, paths, other):
    """Whatever stands where, a body is read or not known."""
    for whole in (BODIES[name], REQUESTS[name]):
        body = reduce(lambda value, path: put(value, path, other), paths, whole)
        if not isinstance(body, dict):
            continue
        for shape in SHAPES:
            shape.is_request(body)
            shape.is_response(body)
            conversation([*shape.request(body).messages, *shape.response(body).messages]).done(shape.KEEPS)
