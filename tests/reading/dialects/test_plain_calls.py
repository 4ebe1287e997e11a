"""The usual call between two markers is read at a glance, and just as it is read without that."""

from unittest import mock

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from steps import steps

from actionledger.core.values.calls import Offer
from actionledger.reading.dialects.parts import json_shapes, marked
from actionledger.reading.parsers import PARSERS, parser_for

USUAL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n'
PIECES = [
    '{"name": "f", "arguments": {"a": 1}}',
    '{"name": "f", "arguments": {"a": "</tool_call>"}}',
    '{"name": "f", "arguments": {"a": "<tool_call>"}}',
    '{"name": "f", "arguments": {"a": 1, "a": 2}}',
    '{"name": "f", "parameters": {}, "id": "1"}',
    '{"name": " ", "arguments": {}}',
    '{"arguments": {}, "name": "f"}',
    '{"name": "f", "arguments": "{}"}',
    '{"name": "f", "arguments": {"a": NaN}}',
    '[{"name": "f", "arguments": {}}]',
    '{"name": "f", "arguments": {"a": 1}',
    "<tool_call>",
    "</tool_call>",
    "<tool_call>\n",
    "\n</tool_call>\n",
    " x ",
]


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.booleans())
def test_a_plain_call_is_read_as_any_other(text, is_cut):
    """Also where its text holds the markers, where a key stands twice, and where nothing closes it."""
    for read in (parser_for(("hermes",)).read, PARSERS["auto"].read):
        with mock.patch.object(marked, "plain_call", return_value=None):
            expected = read(text, is_cut=is_cut)
        assert read(text, is_cut=is_cut) == expected


ITEMS = [
    '{"action": "update_plan", "plan": "a"}',
    '{"type": "create_task", "content": "a"}',
    '{"name": "f"}',
    '{"actions": [{"type": "list_tasks"}, {"action": "x"}]}',
    '{"next_actions": [{"type": "list_tasks"}], "is_final": "yes"}',
    '{"actions": "[]"}',
    "[]",
    "1",
    "{",
]


@settings(max_examples=examples(300))
@given(
    st.sampled_from(["json", "actions", "iteration"]),
    st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3),
    st.booleans(),
)
def test_a_value_just_as_its_format_has_it_is_read_as_any_other(label, items, is_list):
    body = f"[{', '.join(items)}]" if is_list else "\n".join(items)
    text = f"Now:\n\n```{label}\n{body}\n```"
    for name in ("assistant", "orchestrator", "reasoner", "assistant-iterative"):
        with mock.patch.object(json_shapes.JsonShape, "_plain_actions", return_value=None):
            expected = PARSERS[name].read(text)
        assert PARSERS[name].read(text) == expected


@pytest.mark.parametrize("names", [None, Offer({"get_weather": ("city",)})])
def test_a_usual_call_takes_few_steps(names):
    """Counted, not timed: it took more than two hundred."""
    read, count = parser_for(("hermes",)).read, 100
    read(USUAL, names)
    assert steps(lambda: read(USUAL * count, names)) < 160 * count
