"""Rows as values of their fields' types, packed identifiers, and what a query selects."""

import dataclasses
import importlib
import pickle
import pkgutil
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints
from uuid import UUID

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter

from actionledger.core.vocabulary import Outcome
from actionledger.ledger import queries
from actionledger.ledger.queries.base import maker, picked, rows
from actionledger.ledger.queries.packed import KnownTurn, PackedIds, PackedTurns


class Place(NamedTuple):
    start: int
    end: int = 0


@dataclass(frozen=True, slots=True)
class Inner:
    outcome: Outcome
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    place: Place
    outcome: Outcome | None
    inner: tuple[Inner, ...]
    listed: list[Inner] | None
    share: float | None
    word: Literal["a", "b"]
    at: datetime
    count: Annotated[int, "a count"]
    found: dict[str, Any] = field(default_factory=dict)


ROW = {
    "name": "x",
    "place": {"start": 1, "end": 2},
    "outcome": "clean",
    "inner": [{"outcome": "failed", "share": 1}],
    "listed": [],
    "share": 2,
    "word": "a",
    "at": datetime(2026, 1, 2),
    "count": 3.0,
}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"outcome": None, "listed": None, "share": None},
        {"place": (1, 2), "inner": [], "listed": [{"outcome": "clean"}]},
        {"found": {"a": [1]}, "beside": "a column that no field is for"},
    ],
)
def test_a_row_becomes_what_pydantic_makes_of_it(change: dict[str, Any]) -> None:
    given = ROW | change
    made = maker(Row)(dict(given))
    assert made == TypeAdapter(Row).validate_python(given)
    assert [type(getattr(made, each.name)) for each in dataclasses.fields(Row) if each.name == "share"] == [
        type(None) if made.share is None else float
    ]
    assert made.count == 3
    assert type(made.count) is int


def test_a_row_in_the_order_of_its_fields_is_one_too() -> None:
    made = maker(Row)(dict(ROW))
    values = [ROW[each.name] for each in dataclasses.fields(Row) if each.name in ROW]
    assert maker(Row)([*values, {}]) == made
    with pytest.raises(ValueError, match="zip"):
        maker(Row)(values)


def test_what_fits_no_field_is_refused() -> None:
    for change in ({"outcome": "a word of a later version"}, {"count": 3.5}, {"place": {"start": "one"}}):
        with pytest.raises(ValueError, match=r"is not a valid|not a whole number|invalid literal"):
            maker(Row)(ROW | change)
    with pytest.raises(TypeError, match="name"):
        maker(Row)({name: value for name, value in ROW.items() if name != "name"})


def test_every_row_of_a_query_has_a_maker() -> None:
    made = 0  # so that the loop is seen to find them
    for module in pkgutil.iter_modules(queries.__path__):
        loaded = importlib.import_module(f"{queries.__name__}.{module.name}")
        for kind in vars(loaded).values():
            if (
                isinstance(kind, type)
                and dataclasses.is_dataclass(kind)
                and kind.__module__ == loaded.__name__
            ):
                assert get_type_hints(kind)
                assert callable(maker(kind))
                made += 1
    assert made > 50


# Few upper halves, so that many are alike in them.
IDS = st.builds(
    lambda upper, lower: str(UUID(int=upper << 64 | lower)),
    st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 1]),
    st.integers(0, 2**64 - 1) | st.integers(0, 3),
)
TURNS = st.builds(
    KnownTurn,
    st.integers(0, 2**64 - 1).map("{:016x}".format),
    st.integers(0, 2**31 - 1),
    st.integers(0, 2**31 - 1),
    st.none() | st.integers(0, 2**63 - 1),
    st.booleans(),
    place=st.integers(-(2**63), 2**63 - 1),
    session_id=st.just(""),
)


@given(st.sets(IDS), st.lists(IDS))
def test_ids_are_those_that_were_given(there: set[str], asked: list[str]):
    packed = PackedIds(there)
    assert len(packed) == len(there)
    assert all(each in packed for each in there)
    assert [each in packed for each in asked] == [each in there for each in asked]


@given(st.dictionaries(IDS, TURNS), st.lists(IDS))
def test_turns_are_those_that_were_given_also_in_another_process(
    there: dict[str, KnownTurn], asked: list[str]
):
    packed = pickle.loads(pickle.dumps(PackedTurns(there.items())))
    assert len(packed) == len(there)
    assert {each: packed.get(each) for each in there} == there
    assert [packed.get(each) for each in asked] == [there.get(each) for each in asked]


def test_nothing_is_in_none():
    assert "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11" not in PackedIds()
    assert PackedTurns().get("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11") is None
    assert not PackedIds()
    assert not PackedTurns()


@dataclass(frozen=True, slots=True)
class Counted:
    run_id: str
    arguments: str
    kind: str
    count: int


def test_each_field_is_a_column():
    """In order; identifiers and JSON as text, what is computed by its SQL."""
    assert picked(Counted, count="count(*)") == (
        "run_id::VARCHAR AS run_id, arguments::VARCHAR AS arguments, kind, count(*) AS count"
    )
    assert picked(Counted, kind="run_kind", count="7").endswith("run_kind AS kind, 7 AS count")


def test_what_is_picked_becomes_the_row(tmp_path):
    """A field that is picked needs no word in the statement."""
    from actionledger.ledger import open_ledger

    values = "(SELECT uuid() AS run_id, '{\"a\":1}'::JSON AS arguments, 'k' AS kind)"
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        [row] = rows(ledger, Counted, f"SELECT {picked(Counted, count='1')} FROM {values}")
    assert (row.arguments, row.kind, row.count, len(row.run_id)) == ('{"a":1}', "k", 1, 36)
