"""A model that goes round in circles writes the same opener thousands of times: each is read once, and by what it costs to see it."""

from unittest import mock

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from steps import growth_fault, steps

from actionledger.reading.dialects.parts import json_blocks, marked, value_faults
from actionledger.reading.parsers import PARSERS

MOST = 170
"""How many functions may be called for each of the openers, those in C included; decoding one took six hundred."""

CUT_OFF = [
    "```json\n{\n",
    "```json\n[\n",
    '```json\n{"\n',
    "```json\n[{\n",
    '~~~json\n{"name": "f"\n',
    '```json\n{"a": \n',
]
OPENED = ["```actions\n[{\n", "```plan\n{\n", "~~~action\n[[\n", "functools[["]
BROKEN = ["```actions\n[{\n", '{"\n', "~~~json\n[{\n", '```txt\n{"name": "']
LABELS = ["json", "json", "actions", "plan", "js", ""]
BODIES = st.text("{}[]\":,'ab1 \n\\/#`-action", max_size=20) | st.sampled_from(
    [
        "{",
        "{\n",
        '{"name": "f"',
        '[{"a": 1',
        '{"action": "a"',
        '{"actions": [{"action": "a"',
        "{} x",
        '{"a": 1}',
        '{"a": 1,}',
    ]
)


@pytest.mark.parametrize("unit", [*CUT_OFF, *OPENED])
def test_a_fence_that_the_next_one_cuts_off_costs_little(unit):
    read, count = PARSERS["auto"].read, 300
    read(unit * count)  # what is compiled once is no cost of an opener
    assert steps(lambda: read(unit * count)) < MOST * count


@pytest.mark.parametrize("unit", BROKEN)
def test_a_value_that_breaks_off_costs_the_same_wherever_it_stands(unit):
    """The scanner's error counts the lines before it: where it was shown all of the text, four times the text took sixteen times as many."""
    count = 4_000 // len(unit)
    assert not growth_fault(PARSERS["auto"].read, unit * count, unit * count * 4)


@pytest.mark.parametrize("unit", OPENED)
@pytest.mark.parametrize("behind", ["", "```\n", "]\n```", '{"a": 1}]', "x"])
def test_what_was_read_before_says_the_same_as_reading_it_again(unit, behind):
    for text in (
        unit * 4 + behind,
        f"For example:\n{unit}{unit}a {unit}`{unit}{behind}",
        f"- {unit * 3}{behind}",
    ):
        with mock.patch.object(marked, "_MOST", 0):
            expected = PARSERS["auto"].read(text)
        assert PARSERS["auto"].read(text) == expected


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.sampled_from(LABELS), BODIES, st.booleans()), min_size=1, max_size=6))
def test_what_is_known_beforehand_is_what_reading_says(blocks):
    """Without the looks ahead the same is read: each is known or remembered, and not guessed."""
    text = "".join(f"```{label}\n{body}\n{'```' * closed}\n" for label, body, closed in blocks) + "\nDone."
    for name in ("auto", "orchestrator"):
        read = PARSERS[name].read
        with (
            mock.patch.object(json_blocks, "never_closed", return_value=None),
            mock.patch.object(value_faults, "_LONGEST", -1),
            mock.patch.object(marked, "_MOST", 0),
        ):
            expected = read(text)
        assert read(text) == expected
