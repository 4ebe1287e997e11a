"""Calls that a recording has beside the text."""

from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.core.vocabulary import BlockStatus, Capture, Outcome
from actionledger.reading.messages import split_message
from actionledger.reading.recorded import read_recorded, with_calls


class Call(NamedTuple):
    call_id: str
    name: str
    arguments: Any
    kind: str = "function"
    at: int | None = None


TEXTS = st.text(alphabet='a{}"\n :漢👍🏽\u0301\r\0', max_size=30)
CALLS = st.builds(
    Call,
    call_id=st.text(max_size=3),
    name=st.text(max_size=3),
    arguments=TEXTS | st.just('{"a": 1}') | st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    kind=st.sampled_from(["function", "text"]),
    at=st.none() | st.integers(0, 40),
)


@settings(max_examples=examples(300))
@given(TEXTS, st.lists(CALLS, max_size=5), st.sampled_from([Capture.ARGUMENTS, Capture.CALLS]))
def test_every_block_is_its_argument_string(text, calls, capture):
    """Whatever was written and wherever: nothing of the text is lost, and spans say where each call stands."""
    whole, placed = with_calls(text, calls)
    reading = read_recorded(with_calls(text, calls), capture)
    assert reading.text == whole
    assert len(reading.blocks) == len(calls)
    for (call, span), block in zip(placed, reading.blocks, strict=True):
        written = call.arguments if isinstance(call.arguments, str) else ""
        assert block.span == span
        assert span.of(whole) == written
        for repair in block.repairs:
            assert repair.span.of(whole) == repair.before
    rest, place = "", 0
    for _, span in placed:
        rest += whole[place : span.start]
        place = span.end
    assert (rest + whole[place:]).replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize(
    ("calls", "outcome"),
    [
        ((), Outcome.NO_ACTION),
        ((Call("c", "f", '{"a": 1}'),), Outcome.CLEAN),
        ((Call("c", "f", "{'a': 1}"),), Outcome.REPAIRED),
        ((Call("c", "f", '{"a": 1'),), Outcome.FAILED),
        ((Call("c", "f", '{"a": 1} {"b": 2}'),), Outcome.FAILED),
        ((Call("c", "f", '"a"'), Call("c", "f", {})), Outcome.PARTIAL),
        ((Call("c", "f", MappingProxyType({"a": 1})),), Outcome.CLEAN),
        ((Call("c", "f", [1]),), Outcome.FAILED),
    ],
)
def test_what_came_of_reading(calls, outcome):
    """As for calls within a text: nothing is guessed where two readings are plausible or the end is missing."""
    assert read_recorded(with_calls("Well.", calls), Capture.ARGUMENTS).outcome is outcome


def test_arguments_nested_too_deep_are_refused():
    """A recording may hold anything."""
    value: Any = 1
    for _ in range(300):
        value = {"a": value}
    [block] = read_recorded(with_calls("", (Call("c", "f", value),)), Capture.CALLS).blocks
    assert (block.status, str(block.reason)) == (BlockStatus.MALFORMED, "too_deep")


FUNCTION = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1,}'}}


@pytest.mark.parametrize(
    ("message", "text", "calls", "capture"),
    [
        (
            {"role": "assistant", "content": "Hm.", "tool_calls": [FUNCTION]},
            "Hm.",
            [("c1", "f", '{"a": 1,}', "function", 3)],
            Capture.ARGUMENTS,
        ),
        (
            {
                "output": [
                    {"type": "message", "content": [{"type": "output_text", "text": "A"}]},
                    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{oops"},
                    {"type": "custom_tool_call", "call_id": "c2", "name": "g", "input": "*** Begin"},
                ]
            },
            "A",
            [("c1", "f", "{oops", "function", 1), ("c2", "g", "*** Begin", "text", 1)],
            Capture.ARGUMENTS,
        ),
        (
            {
                "content": [
                    {"type": "tool_use", "id": "t", "name": "f", "input": {}},
                    {"type": "text", "text": "B"},
                ]
            },
            "B",
            [("t", "f", {}, "function", 0)],
            Capture.CALLS,
        ),
        (
            {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]},
            "",
            [("", "f", {}, "function", 0)],
            Capture.CALLS,
        ),
        ("no message", "", [], Capture.ARGUMENTS),
        (None, "", [], Capture.ARGUMENTS),
    ],
)
def test_a_message_is_split_as_it_is(message, text, calls, capture):
    """Arguments stay what the model wrote, broken ones too."""
    split = split_message(message)
    assert (split.text, [tuple(call) for call in split.calls], split.capture) == (text, calls, capture)


def test_a_patch_that_is_none_is_refused_where_its_hunk_is() -> None:
    """Codex records a patch as the text of a call."""
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\nold\n*** End Patch"
    good = patch.replace("old\n", "")
    calls = (Call("c1", "apply_patch", good, "text"), Call("c2", "apply_patch", patch, "text"))
    reading = read_recorded(with_calls("Now.", calls), Capture.ARGUMENTS)
    assert [action.arguments for action in reading.actions] == [{"input": good}]
    assert [issue.span.of(reading.text) for issue in reading.issues] == ["old"]
