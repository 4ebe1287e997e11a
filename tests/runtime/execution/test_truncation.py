"""Any value as a JSON value of bounded size, in bounded time."""

import json
import sys
import tracemalloc
from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from math import inf, nan
from pathlib import PurePosixPath

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel

from actionledger.core.vocabulary import Reason
from actionledger.runtime.execution.outcomes import MAX_DEPTH, MAX_RESULT, truncated

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class Model(BaseModel):
    name: str
    parts: list[int] = []


@dataclass
class Record:
    name: str
    part: Model


class Colour(Enum):
    RED = 3


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no text for you")


def shared(depth: int) -> object:
    value: object = "x"
    for _ in range(depth):
        value = [value, value]
    return value


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def endless() -> object:
    value: dict[str, object] = {}
    value["self"] = [value]
    return value


@settings(max_examples=examples(60))
@given(JSON_VALUES)
def test_a_json_value_stays_as_it_is(value):
    """What fits is whole; half a surrogate pair is the only thing that changes."""
    if "\\ud" not in json.dumps(value):
        assert truncated(value) == value


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (Model(name="x", parts=[1]), {"name": "x", "parts": [1]}),
        (Record("x", Model(name="y")), {"name": "x", "part": {"name": "y", "parts": []}}),
        ({"a"}, ["a"]),
        ((1, (2,)), [1, [2]]),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        ([nan, inf, -inf], ["NaN", "Infinity", "-Infinity"]),
        (Decimal("1.50"), "1.50"),
        (PurePosixPath("/a/b"), "/a/b"),
        ("half \ud83d", "half \ufffd"),
        (b"bytes", "bytes"),
        (10**4000 * 10**4000, "<an integer of 26576 bits>"),
        (Unwritable(), "<Unwritable>"),
        (deque([1]), "deque([1])"),
        ({}, {}),
        ([], []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_has_no_form_for_is_described(value, kept):
    """Nothing fails for want of a form."""
    assert truncated(value) == kept


def test_an_iterator_is_described_and_not_used_up():
    """A result is looked at, never consumed."""
    numbers = iter(range(3))
    assert "range_iterator" in truncated(numbers)
    assert list(numbers) == [0, 1, 2]


HUGE = {
    "shared structure": lambda: shared(40),
    "long text": lambda: "x" * 10**8,
    "long bytes": lambda: b"\xff" * 10**8,
    "long list": lambda: [0] * 10**7,
    "both": lambda: {"a": ["x" * 10**8] * 1000},
    "numbers": lambda: list(range(10**6)),
}
"""Made by the test that needs them: a run that leaves it out keeps none of them."""


@pytest.mark.soak
@pytest.mark.parametrize("kind", HUGE)
def test_a_huge_value_costs_no_more_than_what_is_kept(kind):
    """Forty times shared, a hundred megabytes, ten million items: the beginning, in few steps and with no copy of the rest."""
    value, calls = HUGE[kind](), 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    tracemalloc.start()
    sys.setprofile(count)
    try:
        kept = truncated(value)
    finally:
        sys.setprofile(None)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert calls < 64 * MAX_RESULT
    assert most < 100 * MAX_RESULT
    assert len(json.dumps(kept)) < 3 * MAX_RESULT


@pytest.mark.parametrize("make", [endless, lambda: nested(100_000)], ids=["endless", "deep"])
def test_a_deep_value_ends_at_the_limit(make):
    """What lies below is described."""
    assert f"more than {MAX_DEPTH} levels deep" in json.dumps(truncated(make()))


def test_a_value_at_the_limit_is_whole():
    """The limit counts characters of JSON text, quotes included."""
    assert truncated("x" * (MAX_RESULT - 2)) == "x" * (MAX_RESULT - 2)
    beyond = truncated("x" * (MAX_RESULT - 1))
    assert beyond["truncated"] is True
    assert beyond["limit"] == MAX_RESULT
    assert len(beyond["beginning"]) == MAX_RESULT


def test_an_enumeration_is_kept_by_its_value():
    assert truncated([Colour.RED, Reason.TIMEOUT]) == [3, "timeout"]


@pytest.mark.parametrize("limit", range(20, 60))
def test_a_cut_leaves_no_half_of_a_secret(limit):
    """What a cut left of a key could not be told to be one, so it goes as well."""
    key = "gh" + "p_" + "a1B2" * 9
    beginning = json.dumps(truncated({"env": f"A=1\nKEY={key} x"}, limit))
    assert key in beginning or "ghp" not in beginning
