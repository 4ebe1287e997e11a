"""Columns from annotations: event fields define the tables' columns, the rows and their checks.

``take`` makes the columns for one kind of value. A field's Python type determines its column:

=================================  =====================================================================
``str``, an enum or a literal      ``VARCHAR``
``int``, ``float``, ``bool``       ``INTEGER``, ``DOUBLE``, ``BOOLEAN``
``datetime``                       ``TIMESTAMP``
``Span``                           two columns, ``…_start`` and ``…_end``
``dict``, a tuple of texts         ``JSON``
a tuple of other values            none: each is a row of another table
annotated with ``events.stored``   its type: ``UUID``, ``JSON``, ``BIGINT``, or no column
=================================  =====================================================================
"""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum
from functools import cache
from inspect import get_annotations
from math import isfinite
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from actionledger.core.events.base import NOT_STORED, Recorded, Stored
from actionledger.core.values import Span

Values: TypeAlias = tuple[Any, ...]
"""The values of a row, in the order of its table's ``staged``; None is NULL."""

Read: TypeAlias = Callable[[Any], Any]
"""Converts a field's value to its column's value."""

ALL = "*"
"""Every field that is not named next to it, in the order of the class, except those that only ``events`` keeps."""

OWN = "own"
"""The same without inherited fields."""

IN_EVENTS = ("event_id", "kind", "recorded_at")
"""Fields of every event that the table ``events`` keeps; another table has a column for one only if it names it."""

# The first match counts: an enum may be a str, and a bool is an int.
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
    """A column and the source of its values."""

    name: str
    sql_type: str  # its DuckDB type
    field: str  # the field or property with its values, or a part of it: `text`, `span.start`
    read: Read | None = None  # converts the field's value to the column's; None if they are the same
    # whether it comes after the others in the order of digests, which can't change for existing ledgers
    is_last: bool = False
    blank: str | None = None  # replaces its values when no text is to be shown; None if it holds no text


class Part:
    """The columns of a table, in order, for one class of values."""

    def __init__(self, source: type, columns: Sequence[Column]) -> None:
        self.source = source
        self.columns = columns
        ordered = sorted(columns, key=attrgetter("is_last"))
        self._fields = getter([column.field for column in ordered])
        self._made = [(place, column.read) for place, column in enumerate(ordered) if column.read is not None]
        self.staged = tuple(column.name for column in ordered)
        """The columns in the order of ``values``."""

    def values(self, thing: Any) -> Values:
        """Return the columns' values for an object of the class."""
        fields = self._fields(thing)
        if not self._made:
            return fields
        values = list(fields)
        for place, read in self._made:
            values[place] = read(values[place])
        return tuple(values)

    def by_column(self, things: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the values of each column for some objects of the class; see ``values``."""
        columns: list[Sequence[Any]] = list(zip(*map(self._fields, things), strict=True))
        for place, read in self._made:
            columns[place] = tuple(map(read, columns[place]))
        return columns


def take(source: type, /, *picks: str, **names: str) -> Part:
    """Return the columns of a table for one kind of value."""
    fields: list[str] = []
    for pick in picks:
        fields += [name for name in _all(source, pick) if name not in picks] if pick in {ALL, OWN} else [pick]
    fields += [name for name in names if name not in fields]
    taken = (_columns(source, field, names.get(field, field)) for field in fields)
    return Part(source, [column for columns in taken for column in columns])


def _all(source: type, which: str) -> list[str]:
    own = get_annotations(source)
    names = [field.name for field in dataclasses.fields(source) if which == ALL or field.name in own]
    return [name for name in names if not (issubclass(source, Recorded) and name in IN_EVENTS)]


def _columns(source: type, field: str, name: str) -> list[Column]:
    kind, stored, may_be_none = annotation(source, field)
    if kind is Span:
        return [_end_of_span(name, field, end, may_be_none=may_be_none) for end in ("start", "end")]
    if stored is not None:
        read: Read | None = _none_if_empty if stored.empty_is_null else None
        is_text = stored.sql_type in {"VARCHAR", "JSON"} and not stored.is_word
        blank = stored.blank if is_text else None
        is_stored = stored is not NOT_STORED
        return [Column(name, stored.sql_type, field, read, read is not None, blank)] if is_stored else []
    try:
        sql_type = type_of(kind)
    except TypeError as error:
        raise TypeError(f"{source.__name__}.{field}: {error}") from None
    if not sql_type:
        return []
    blank = _blank_of(kind, name)
    if isinstance(kind, type) and issubclass(kind, Enum):
        # Its text instead of the member, which takes pydantic as long to write as ten texts.
        if may_be_none:
            return [Column(name, sql_type, field, _text_of_member, blank=blank)]
        return [Column(name, sql_type, f"{field}._value_", blank=blank)]
    return [Column(name, sql_type, field, _READ.get(sql_type), sql_type == "JSON", blank)]


def _end_of_span(name: str, field: str, end: str, *, may_be_none: bool) -> Column:
    if may_be_none:
        return Column(f"{name}_{end}", "INTEGER", field, _end_if_any(end), is_last=True)
    return Column(f"{name}_{end}", "INTEGER", f"{field}.{end}", is_last=True)


def _blank_of(kind: Any, name: str) -> str | None:
    """Return the replacement for a field's values when no text is to be shown; None if its type holds no text."""
    if get_origin(kind) is tuple:
        return "[]"
    if get_origin(kind) is dict:
        return "{}" if get_args(kind)[1] is Any else None
    # Objects within a parse name their dialect as their event does.
    return "" if kind is str and name != "dialect" else None


def getter(fields: Sequence[str]) -> Callable[[Any], Values]:
    """Return a function that gets several fields in one call; for a single one ``attrgetter`` would return no tuple."""
    if len(fields) > 1:
        return attrgetter(*fields)
    getters = [attrgetter(field) for field in fields]
    return lambda thing: tuple(get(thing) for get in getters)


def type_of(kind: Any) -> str:
    """Return the DuckDB type of a Python type; empty if its values are rows of another table."""
    origin = get_origin(kind) or kind
    if origin is tuple:
        return "JSON" if get_args(kind)[0] is str else ""
    if origin is Literal:
        return "VARCHAR"
    for python_type, sql_type in _TYPES.items():
        if isinstance(origin, type) and issubclass(origin, python_type):
            return sql_type
    raise TypeError(f"no column is known for {kind}; annotate it with Stored(…).")


def annotation(source: type, field: str) -> tuple[Any, Stored | None, bool]:
    """Return a field's or property's type without ``None``, its annotation, and whether it may be ``None``."""
    hint = _hints(source).get(field)
    if hint is None:
        hint = _hints(getattr(source, field).fget)["return"]  # of a property
    may_be_none = NoneType in get_args(hint)
    members = [member for member in get_args(hint) if member is not NoneType]
    if may_be_none and len(members) == 1:
        [hint] = members
    if get_origin(hint) is not Annotated:
        return hint, None, may_be_none
    stored = next(note for note in hint.__metadata__ if isinstance(note, Stored))
    return hint.__origin__, stored, may_be_none


@cache
def _hints(what: Any) -> dict[str, Any]:
    return get_type_hints(what, include_extras=True)


def _end_if_any(end: str) -> Read:
    return lambda span: None if span is None else getattr(span, end)


def _text_of_member(member: Enum | None) -> Any:
    return None if member is None else member._value_


def _none_if_empty(value: Any) -> Any:
    return value or None


def as_json(value: Any) -> str:
    """Return a value that is no text as JSON text."""
    from pydantic_core import to_json  # noqa: PLC0415 - slow to load, and a reader needs none

    return to_json(value).decode()


def _amount(value: float | None) -> float | None:
    """Return a number as DuckDB gives it back: always a float, and None if JSON can't represent it."""
    return None if value is None or not isfinite(value) else float(value)


_READ: dict[str, Read] = {"JSON": as_json, "DOUBLE": _amount}
"""Converters by SQL type, for values that are not recorded as their field has them."""
