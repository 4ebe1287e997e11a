"""Converts DuckDB's values to the types of dataclass fields; pydantic would take longer to import than a small ledger to query."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

Make: TypeAlias = Callable[[Any], Any]


@cache
def maker(kind: Any) -> Make:
    """Return a function that converts a row, a structure or a list from DuckDB to a type.

    Args:
        kind: a dataclass, a named tuple, an enum, a list or tuple of them, or one of DuckDB's own types; any of these or None.
    """
    return _making(kind) or _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _making(kind: Any) -> Make | None:
    """Return a function that converts a value; None if none is needed."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _making(inside[0])
    if origin in {Union, UnionType}:
        [make, *others] = [_making(each) for each in inside if each is not NoneType]
        return None if make is None or others else _or_none(make)
    if origin in {list, tuple}:
        make = _making(inside[0]) if origin is list or inside[1:] == (...,) else None
        return _several(origin, make)
    if kind is int:
        return _whole
    if kind is float:
        return float
    return _of_class(kind) if isinstance(kind, type) else None


def _of_class(kind: type) -> Make | None:
    if issubclass(kind, Enum):
        return _member_of(kind)
    if is_dataclass(kind):
        return _of_fields(kind, tuple(each.name for each in fields(kind) if each.init))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _of_fields(kind, kind._fields)
    return None


def _member_of(kind: type[Enum]) -> Make:
    members = {each.value: each for each in kind}
    return lambda value: members.get(value) or kind(value)  # the enum raises for an unknown word


def _or_none(make: Make) -> Make:
    return lambda value: None if value is None else make(value)


def _several(kind: type, make: Make | None) -> Make:
    return kind if make is None else lambda values: kind(map(make, values))


def _whole(value: Any) -> int:
    if type(value) is int:
        return value
    if value != int(value):
        raise ValueError(f"{value!r} is not a whole number.")
    return int(value)


def _of_fields(kind: type, names: tuple[str, ...]) -> Make:
    """Return a function that converts a row, by the order of its fields, or a structure, which may have more fields."""
    types = get_type_hints(kind, include_extras=True)
    makers = [(name, make) for name in names if (make := _making(types[name]))]
    own = frozenset(names)

    def made(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, dict):
            given = dict(zip(names, value, strict=True))
        elif value.keys() <= own:
            given = value.copy()
        else:
            given = {name: each for name, each in value.items() if name in own}
        for name, make in makers:
            if name in given:
                given[name] = make(given[name])
        return kind(**given)

    return made
