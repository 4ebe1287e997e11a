"""Columns from annotations: what an event's fields say of themselves is what the tables, the rows and their checks are made of.

``take`` makes the columns that a table has of one kind of value. A field's Python type decides about its column:

=================================  =====================================================================
``str``, an enum or a literal      ``VARCHAR``
``int``, ``float``, ``bool``       ``INTEGER``, ``DOUBLE``, ``BOOLEAN``
``datetime``                       ``TIMESTAMP``
``Span``                           two columns, ``…_start`` and ``…_end``
``dict``, a tuple of texts         ``JSON``
a tuple of other values            none: each is a row of another table
annotated with ``events.stored``   what is said there: ``UUID``, ``JSON``, ``BIGINT``, or no column
=================================  =====================================================================
"""

import dataclasses
from collections.abc import Callable
from datetime import datetime
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from pydantic_core import to_json

from actionledger.events.base import Recorded
from actionledger.events.stored import Stored
from actionledger.values import Span

Read: TypeAlias = Callable[[Any], Any]
"""Takes a column's value from the value that the row is made of."""

ALL = "*"
"""Every field that is not named beside it, in the order of the class; not those that only ``events`` keeps."""

OWN = "own"
"""The same without the fields that the class inherits."""

IN_EVENTS = ("event_id", "kind", "recorded_at")
"""What every event has, and the table ``events`` keeps; another table has a column of it where it names it."""

# The first that fits: an enum is a text, and a bool an integer.
_TYPES = {
    str: "VARCHAR",
    bool: "BOOLEAN",
    int: "INTEGER",
    float: "DOUBLE",
    datetime: "TIMESTAMP",
    dict: "JSON",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column, and where its values come from.

    Args:
        name: its name.
        sql_type: its DuckDB type.
        read: takes its value from the value that the row is made of; None becomes NULL.
        source: the class of that value.
        field: the field or property that it is taken from.
    """

    name: str
    sql_type: str
    read: Read
    source: type
    field: str


def take(source: type, *picks: str, **names: str) -> tuple[Column, ...]:
    """Return the columns that a table has of one kind of value.

    Args:
        source: a dataclass.
        picks: names of its fields and properties, in the order of the columns; ``ALL`` or ``OWN`` once for those that are
            not named.
        names: what the columns of fields are called that are not called like them; a field that is not among ``picks``
            comes last.

    Raises:
        TypeError: a field is of a type that no column is known for.
    """
    fields: list[str] = []
    for pick in picks:
        fields += [name for name in _all(source, pick) if name not in picks] if pick in {ALL, OWN} else [pick]
    fields += [name for name in names if name not in fields]
    return tuple(column for field in fields for column in _columns(source, field, names.get(field, field)))


def _all(source: type, which: str) -> list[str]:
    own = get_annotations(source)
    names = [field.name for field in dataclasses.fields(source) if which == ALL or field.name in own]
    return [name for name in names if not (issubclass(source, Recorded) and name in IN_EVENTS)]


def _columns(source: type, field: str, name: str) -> list[Column]:
    kind, stored = _annotation(source, field)
    read: Read = attrgetter(field)
    if kind is Span:
        ends = {"start": _start_of(read), "end": _end_of(read)}
        return [Column(f"{name}_{end}", "INTEGER", taken, source, field) for end, taken in ends.items()]
    try:
        sql_type = _type_of(kind) if stored is None else stored.sql_type
    except TypeError as error:
        raise TypeError(f"{source.__name__}.{field}: {error}") from None
    if stored is not None and stored.empty_is_null:
        read = _none_if_empty(read)
    if sql_type == "JSON" and kind is not str:
        read = _as_json(read)
    return [Column(name, sql_type, read, source, field)] if sql_type else []


def _type_of(kind: Any) -> str:
    """Return the DuckDB type of a Python type; empty where each of its values is a row of another table."""
    origin = get_origin(kind) or kind
    if origin is tuple:
        return "JSON" if get_args(kind)[0] is str else ""
    if origin is Literal:
        return "VARCHAR"
    for python_type, sql_type in _TYPES.items():
        if isinstance(origin, type) and issubclass(origin, python_type):
            return sql_type
    raise TypeError(f"no column is known for {kind}; annotate it with Stored(…).")


def _annotation(source: type, field: str) -> tuple[Any, Stored | None]:
    """Return a field's type without ``None``, and what it is annotated with."""
    hint = _hints(source).get(field)
    if hint is None:
        hint = _hints(getattr(source, field).fget)["return"]  # of a property
    members = [member for member in get_args(hint) if member is not NoneType]
    if NoneType in get_args(hint) and len(members) == 1:
        [hint] = members
    if get_origin(hint) is not Annotated:
        return hint, None
    return hint.__origin__, next(note for note in hint.__metadata__ if isinstance(note, Stored))


@cache
def _hints(what: Any) -> dict[str, Any]:
    return get_type_hints(what, include_extras=True)


def _start_of(read: Read) -> Read:
    return lambda value: None if (span := read(value)) is None else span.start


def _end_of(read: Read) -> Read:
    return lambda value: None if (span := read(value)) is None else span.end


def _none_if_empty(read: Read) -> Read:
    return lambda value: read(value) or None


def _as_json(read: Read) -> Read:
    return lambda value: to_json(read(value)).decode()
