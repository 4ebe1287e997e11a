"""What a program hands over to be taken in: each value is of the kind that its field is for, or a sentence says which is not."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from actionledger.core.errors import UsageError

_Fits = Callable[[Any], bool]


def refuse_other_kinds(item: object) -> None:
    """Refuse a value of one of the types of ``sources.base`` with a field of another kind, however deep in it."""
    if not is_dataclass(item):
        return  # whoever takes it says that it is none
    kind: Any = type(item)
    for name, hint, fits in _fields(kind):
        value = getattr(item, name)
        if not fits(value):
            takes = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
            raise UsageError(
                f"{type(item).__name__}.{name} takes {takes.replace('actionledger.imports.sources.base.', '')}, "
                f"not {value!r:.60} of the type {type(value).__name__}."
            )
        for each in value if isinstance(value, tuple | list) else (value,):
            if is_dataclass(each):
                refuse_other_kinds(each)


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any, _Fits], ...]:
    hints = get_type_hints(kind)
    return tuple((each.name, hints[each.name], _fitting(hints[each.name])) for each in fields(kind))


def _fitting(hint: Any) -> _Fits:
    """Return what says of a value whether it is of a kind."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda _value: True
    if origin in {Union, UnionType}:
        kinds = [_fitting(each) for each in inner]
        return lambda value: any(fits(value) for fits in kinds)
    if origin is Literal:
        return lambda value: value in inner
    if origin is tuple:
        of_each = _fitting(inner[0])
        return lambda value: isinstance(value, tuple | list) and all(map(of_each, value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        of_value = _fitting(inner[1])
        return lambda value: isinstance(value, Mapping) and all(map(of_value, value.values()))
    if issubclass(hint, Enum):
        return lambda value: isinstance(value, str) and value in set(hint)
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    return lambda value: isinstance(value, int | float if hint is float else hint)
