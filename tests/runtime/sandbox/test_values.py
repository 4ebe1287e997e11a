"""The values around a run: limits, the api, the bounds of what crosses, the frames."""

import json
import math
import os
from collections import Counter, OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, IntEnum

import pytest
from hypothesis import given, strategies

from actionledger.core.errors import UsageError
from actionledger.runtime.sandbox.base import Api, CodeError, Limits
from actionledger.runtime.sandbox.inside.frames import FrameError, beyond, packed, receive, send, unpacked
from actionledger.runtime.sandbox.inside.plain import Bounds, NotPlainError, TooLargeError, exact, shown

BOUNDS = Bounds(nodes=100, size=1000, depth=5)
JSON = strategies.recursive(
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats(allow_nan=False)
    | strategies.text(strategies.characters(codec="utf-8")),
    lambda inner: (
        strategies.lists(inner)
        | strategies.dictionaries(strategies.text(strategies.characters(codec="utf-8")), inner)
    ),
    max_leaves=10,
)


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize("name", ["seconds", "calls", "output", "value_depth"])
def test_a_limit_is_more_than_nothing(name):
    """A limit of nothing is a mistake, not a switch."""
    with pytest.raises(UsageError, match=f"'{name}' is 0; it must be more than 0"):
        Limits(**{name: 0})


def test_python_needs_some_memory():
    """Less than that, and every run would crash."""
    with pytest.raises(UsageError, match="Python itself needs"):
        Limits(memory=2**20)


@pytest.mark.parametrize(
    ("name", "methods", "message"),
    [
        ("g b", [], "can't call 'g b'"),
        ("a.b", [], "called 'a.b'"),
        ("gb", ["_hidden"], "can't call '_hidden'"),
        ("gb", ["a..b"], "can't call 'a..b'"),
        ("gb", ["import"], "can't call 'import'"),
        ("gb", ["a.__class__"], "can't call 'a.__class__'"),
        ("gb", ["log"], "the sandbox's own"),
        ("gb", ["tasks", "tasks.create"], "'tasks' can't be a method and hold 'tasks.create'"),
        ("gb", ["log.write"], "'log' can't be a method"),
    ],
)
def test_names_that_code_could_not_write_are_refused(name, methods, message):
    """The developer hears of it at once, not the model later."""
    with pytest.raises(UsageError, match=message):
        Api(name, dict.fromkeys(methods, print))


def test_an_api_keeps_to_what_it_was_given():
    """Who changes the dict later doesn't change what the code may call."""
    methods = {"a": print}
    api = Api(methods=methods)
    methods["b"] = print
    assert list(api.methods) == ["a"]


@given(JSON)
def test_json_crosses_as_it_is(value):
    """What is JSON is copied as it is."""
    assert exact(value, Bounds(10_000, 10**6, 50)).value == value


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        ({1, 2}, NotPlainError, "not set"),
        (b"x", NotPlainError, "not bytes"),
        ({1: "a"}, NotPlainError, "keys of its dicts, not int"),
        (datetime(2026, 1, 1, tzinfo=UTC), NotPlainError, "not datetime"),
        ("\ud800", NotPlainError, "surrogate"),
        ([0] * 100, TooLargeError, "more than 100 values"),
        ("x" * 1001, TooLargeError, "larger than 1,000 bytes"),
        ("ü" * 501, TooLargeError, "larger than 1,000 bytes"),
        ({"x" * 1001: 1}, TooLargeError, "larger than 1,000 bytes"),
        ([[[[[[1]]]]]], TooLargeError, "deeper than 5"),
        (1 << 12_001, TooLargeError, "larger than 1,000 bytes"),
        (1 << 7_000, None, ""),
        (["ü" * 499], None, ""),
    ],
)
def test_what_crosses_is_bounded(value, error, says):
    """By its kind, its nodes, its bytes and its depth, at the last that is allowed and the first that isn't."""
    if error is None:
        assert exact(value, BOUNDS).value == value
        return
    with pytest.raises(error, match=says):
        exact(value, BOUNDS)


def test_a_large_integer_is_refused_whatever_its_bytes():
    """Python can't write it, and would say so where nobody listens."""
    with pytest.raises(TooLargeError, match="bits"):
        shown(1 << 20_000, Bounds(10, 10**6, 5))


def test_shared_structure_is_refused_before_it_is_copied():
    """Forty lists that hold each other twice: the walk ends at the bound."""
    value = []
    for _ in range(40):
        value = [value, value]
    with pytest.raises(TooLargeError):
        shown(value, BOUNDS)


@pytest.mark.parametrize(
    ("value", "as_shown"),
    [
        ((1, {2}), [1, [2]]),
        (Counter("aab"), {"a": 2, "b": 1}),
        (OrderedDict(x=1), {"x": 1}),
        (
            {1: 1, None: 2, 2.5: 3, (1, 2): 4, False: 5},
            {"1": 1, "null": 2, "2.5": 3, "(1, 2)": 4, "false": 5},
        ),
        (Decimal("1.50"), "1.50"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (b"ab", "b'ab'"),
        ("a\ud800", "a\\ud800"),
        (range(3), "range(0, 3)"),
    ],
)
def test_what_is_no_json_is_shown(value, as_shown):
    """As the nearest thing that JSON has."""
    assert shown(value, BOUNDS).value == as_shown


def test_an_object_that_cannot_be_shown_is_named():
    """Its own __repr__ may be its fault."""

    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert shown(Broken(), BOUNDS).value == "<Broken>"


def test_numbers_that_json_lacks_are_kept():
    """NaN and infinity are results too; who records them decides how."""
    assert math.isnan(exact(math.nan, BOUNDS).value)


@given(JSON)
def test_frames_come_back_as_they_were(value):
    """Whatever JSON holds."""
    assert unpacked(packed({"kind": "x", "value": value})[4:]) == {"kind": "x", "value": value}


def test_frames_go_through_a_pipe():
    reader, writer = os.pipe()
    frame = {"kind": "x", "value": "\ud800" + "ü" * 1000}
    send(writer, frame)
    assert receive(reader) == frame
    os.close(writer)
    with pytest.raises(EOFError):
        receive(reader)
    os.close(reader)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"1", b"{", b"\xff", b"[" * 100_000, b'{"a":' + b"9" * 5000 + b"}"]
)
def test_bytes_that_are_no_frame_are_refused(body):
    """With one error, whatever is wrong with them."""
    with pytest.raises(FrameError):
        unpacked(body)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (CodeError("KeyError", "'x'", 3, "d['x']"), "KeyError: 'x' (line 3: d['x'])"),
        (CodeError("KeyError", "'x'", 3), "KeyError: 'x' (line 3)"),
        (CodeError("KeyboardInterrupt", ""), "KeyboardInterrupt"),
    ],
)
def test_an_error_reads_as_a_sentence(error, text):
    """With as much as is known of it."""
    assert str(error) == text


@given(JSON)
def test_values_are_counted_without_reading_them(value):
    """The count before reading is never below the true one, whatever the texts hold, nor above its double."""
    body, count = packed({"kind": "x", "value": value})[4:], len(list(nodes(value)))
    assert beyond(body, 2 * count + 3, 1000) == ""
    assert beyond(body, count - 1, 1000) == "values"


def test_texts_full_of_commas_are_one_value():
    """Punctuation inside of texts counts for nothing; a text that never ends is passed over once."""
    assert beyond(json.dumps(['a,[{,\\",' * 100]).encode(), 2, 1) == ""
    assert beyond(b'"' + b'\\"' * 500_000, 1, 0) == ""


@pytest.mark.parametrize("nesting", [50, 51, 1000, 1_000_000])
def test_depth_is_known_before_reading(nesting):
    """However deep: whoever reads it would need a stack as deep."""
    body = b"[" * nesting + b"]" * nesting
    assert beyond(body, 2 * nesting, 50) == ("" if nesting <= 50 else "depth")


def nodes(value):
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(inner)
