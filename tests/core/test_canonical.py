"""Any value as the one JSON text that is recorded, hashed and compared."""

import json
from datetime import UTC, datetime
from math import inf, nan

import pytest
from pydantic import BaseModel

import actionledger as al
from actionledger.core.canonical import json_text
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
