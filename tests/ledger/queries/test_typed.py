"""Values of the rows, structures and lists that DuckDB gives, by the types of their fields: as pydantic would make them."""

import dataclasses
import importlib
import pkgutil
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import pytest
from pydantic import TypeAdapter

from actionledger.core.vocabulary import Outcome
from actionledger.ledger import queries
from actionledger.ledger.queries.typed import maker


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
