"""Values: their canonical JSON, their depth, times without a zone, and frozen dataclasses."""

import json
import pickle
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from datetime import UTC, datetime
from inspect import signature
from math import inf, nan
from types import MappingProxyType

import pytest
from pydantic import BaseModel

import actionledger as al
from actionledger.core.canonical import is_deeper, json_text
from actionledger.core.events import ResponseParsed, ResponseReceived
from actionledger.core.frozen import made_quickly
from actionledger.core.ids import now, utc
from actionledger.core.recordings import RecordedSession, RecordedTurn
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


@dataclass(frozen=True, slots=True)
class Slowly:
    first: int
    second: str = "two"
    third: list[int] = field(default_factory=list)
    last: bool = field(kw_only=True, default=False)


@made_quickly
@dataclass(frozen=True, slots=True)
class Quickly:
    first: int
    second: str = "two"
    third: list[int] = field(default_factory=list)
    last: bool = field(kw_only=True, default=False)


@pytest.mark.parametrize(
    ("args", "named"), [((1,), {}), ((1, "x", [3]), {"last": True}), ((), {"first": 0, "third": None})]
)
def test_it_holds_what_its_own_init_sets(args: tuple[object, ...], named: dict[str, object]) -> None:
    slow, quick = Slowly(*args, **named), Quickly(*args, **named)  # type: ignore[arg-type]
    assert [getattr(quick, each.name) for each in fields(quick)] == [
        getattr(slow, each.name) for each in fields(slow)
    ]
    assert type(quick) is Quickly
    assert [*signature(Quickly).parameters] == [*signature(Slowly).parameters]


@pytest.mark.parametrize("args", [(), (1, 2, 3, 4), (1, 2, [], True)])
def test_it_refuses_what_its_own_init_refuses(args: tuple[object, ...]) -> None:
    for kind in (Slowly, Quickly):
        with pytest.raises(TypeError):
            kind(*args)  # type: ignore[arg-type]


def test_it_is_frozen_hashed_copied_and_kept_as_before() -> None:
    made = Quickly(1, third=())  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        made.first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.first
    assert hash(made) == hash(Quickly(1, third=()))  # type: ignore[arg-type]
    assert replace(made, first=2) == Quickly(2, third=())  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(made)) == made


def test_two_do_not_share_what_is_made_for_each() -> None:
    assert Quickly(1).third is not Quickly(1).third


def test_a_subclass_stays_one_whatever_it_has_beside() -> None:
    class Named(Quickly):
        def __init__(self, first: int, name: str) -> None:
            super().__init__(first)
            object.__setattr__(self, "name", name)

    made = Named(1, "one")
    assert (type(made), made.first, made.second, made.third, vars(made)) == (
        Named,
        1,
        "two",
        [],
        {"name": "one"},
    )


def test_a_class_that_does_more_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked:
        first: int

        def __post_init__(self) -> None:
            raise ValueError

    with pytest.raises(TypeError, match="Checked does more"):
        made_quickly(Checked)


@pytest.mark.parametrize("kind", [ResponseReceived, ResponseParsed, RecordedTurn, RecordedSession])
def test_what_an_import_makes_by_the_thousand_is_made_so(kind: type) -> None:
    with suppress(TypeError):
        kind()  # the first value, or a try at one, makes it
    assert "_unfrozen" in kind.__init__.__globals__  # type: ignore[misc]
