"""Values: their canonical JSON, their depth, and times without a zone."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from math import inf, nan
from types import MappingProxyType

import pytest
from pydantic import BaseModel

import actionledger as al
from actionledger.core.canonical import is_deeper, json_text
from actionledger.core.ids import now, utc
from actionledger.core.vocabulary import Reason


class Model(BaseModel):
    name: str


class Odd:
    def __repr__(self) -> str:
        return "<odd \ud800>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ({"b": 1, "a": [True, 1.5, "x"]}, '{"b":1,"a":[true,1.5,"x"]}'),
        ("é🙂\u2028", '"é🙂\u2028"'),
        ("\0\n\x1b", '"\\u0000\\n\\u001b"'),
        ("half \ud83d", '"half \ufffd"'),
        ({"\udc80": ["\ud800", {"a": "\udfff"}]}, '{"\ufffd":["\ufffd",{"a":"\ufffd"}]}'),
        (nan, '"NaN"'),
        ([inf, -inf], '["Infinity","-Infinity"]'),
        (
            ["\ud800", nan, inf, -inf, 1.5, None, True],
            '["\ufffd","NaN","Infinity","-Infinity",1.5,null,true]',
        ),
        ((1, (2,)), "[1,[2]]"),
        ({1: "a", None: "b", (1, 2): "c"}, '{"1":"a","None":"b","1,2":"c"}'),
        ({1: "\ud800", (1, 2): "c"}, '{"1":"\ufffd","(1, 2)":"c"}'),
        (datetime(2026, 5, 4, 12, tzinfo=UTC), '"2026-05-04T12:00:00Z"'),
        (b"text", '"text"'),
        (b"\xff", "\"b'\\\\xff'\""),
        (Odd(), '"<odd \ufffd>"'),
        ([Odd()], '["<odd \ufffd>"]'),
        (Model(name="x"), '{"name":"x"}'),
        (al.Span(1, 2), "[1,2]"),
        (Reason.NOT_FOUND, '"not_found"'),
        (10**400, str(10**400)),
    ],
    ids=repr,
)
def test_any_value_becomes_json_text(value, text):
    """What JSON can't hold becomes text, and the whole can be written as UTF-8 and read by anyone."""
    assert json_text(value) == text
    assert text.encode()
    json.loads(text, parse_constant=pytest.fail)


@pytest.mark.parametrize("end", [1, "\ud800"])
def test_a_deep_value_becomes_json_text(end):
    """As deep as a parser can be told to read."""
    value = end
    for level in range(500):
        value = {"a": value} if level % 2 else [value]
    assert json_text(value).startswith('{"a":[')
    assert json_text(value).encode()


NOON = datetime.fromisoformat("2026-05-04T12:00:00")


def test_times_are_kept_in_utc_without_a_zone():
    """One with a zone is turned, one without is taken for UTC."""
    assert utc(datetime.fromisoformat("2026-05-04T14:00:00+02:00")) == NOON
    assert utc(NOON) == NOON


def test_now_is_such_a_time():
    """It lies between two that the system tells."""
    before = datetime.now(UTC)
    told = now()
    assert told.tzinfo is None
    assert before <= told.replace(tzinfo=UTC) <= datetime.now(UTC)


def nested(levels: int, inner: object, *, with_keys: bool = False) -> object:
    for _ in range(levels):
        inner = {"漢": inner, "b": 1} if with_keys else [0, inner]
    return inner


@pytest.mark.parametrize("with_keys", [False, True])
@pytest.mark.parametrize(("levels", "inner"), [(3, 1), (2, []), (2, {}), (2, {"a": None})])
def test_containers_are_counted_and_not_what_is_in_them(levels, inner, with_keys):
    value = nested(levels, inner, with_keys=with_keys)
    assert [is_deeper(value, limit) for limit in range(5)] == [True, True, True, False, False]


@pytest.mark.parametrize("value", [1, "[[[", None, True, 1.5])
def test_what_is_no_container_has_no_level(value):
    assert not is_deeper(value, 0)


def test_a_value_deeper_than_the_stack_is_looked_at():
    assert is_deeper(nested(100_000, 1), 99_999)
    assert not is_deeper(nested(100_000, 1), 100_000)


def test_other_mappings_count_where_they_are_named():
    value = MappingProxyType({"a": MappingProxyType({"b": [1]})})
    assert not is_deeper(value, 0)
    assert is_deeper(value, 2, (Mapping, list))
    assert not is_deeper(value, 3, (Mapping, list))
