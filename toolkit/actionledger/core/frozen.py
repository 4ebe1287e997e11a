"""Values in bulk: frozen dataclasses made in a quarter of the time, named tuples made in C, and rarer garbage collection."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar

Kind = TypeVar("Kind")


def made_quickly(kind: type[Kind]) -> type[Kind]:
    """Give a frozen dataclass with slots a faster ``__init__``, without a call for each field.

    A frozen class sets each field by ``object.__setattr__``, which costs more than the rest of making a value. Here the
    value temporarily gets a class that isn't frozen; it has the same slots, so Python allows the change and back.

    Args:
        kind: the class; all of its fields are parameters, and it has no ``__post_init__``.

    Returns:
        The same class.

    Raises:
        TypeError: it is another kind of class.

    Example:
        >>> from dataclasses import dataclass
        >>> from actionledger.core.frozen import made_quickly
        >>> @made_quickly
        ... @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(3)
        Point(x=3, y=0)
    """
    own: tuple[Field[Any], ...] = fields(kind)  # type: ignore[arg-type] # it raises TypeError where it is none
    if hasattr(kind, "__post_init__") or not all(each.init for each in own):
        raise TypeError(f"{kind.__name__} does more than to set its fields.")
    slowly = kind.__init__

    @wraps(slowly)
    def first(*given: Any, **named: Any) -> None:
        # made with the first value, since one command makes values of few of the classes
        quickly = _init(kind, own, slowly)
        kind.__init__ = wraps(slowly)(quickly)  # type: ignore[method-assign]
        quickly(*given, **named)

    kind.__init__ = first  # type: ignore[method-assign]
    return kind


def _init(kind: type, own: tuple[Field[Any], ...], slowly: Callable[..., None]) -> Callable[..., None]:
    plain = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    names: dict[str, Any] = {
        "_kind": kind,
        "_unfrozen": type(kind.__name__, (kind,), plain),
        "_slowly": slowly,
        "_change": object.__setattr__,
        "_missing": MISSING,
    }
    names |= {f"_default_of_{each.name}": each.default for each in own if each.default is not MISSING}
    names |= {f"_made_for_{each.name}": each.default_factory for each in own}
    lines = [
        f"def __init__({', '.join(['self', *_parameters(own)])}):",
        " if type(self) is not _kind:",  # a subclass may do more
        f"  return _slowly(self, {', '.join(f'{each.name}={_value(each)}' for each in own)})",
        " _change(self, '__class__', _unfrozen)",
        *(f" self.{each.name} = {_value(each)}" for each in own),
        " self.__class__ = _kind",
    ]
    exec("\n".join(lines), names)  # noqa: S102 - as dataclasses makes its own; all that is in it are names of our own
    made: Callable[..., None] = names["__init__"]
    return made


def _parameters(own: tuple[Field[Any], ...]) -> list[str]:
    """Return the parameters; keyword-only ones are last."""
    named = [_parameter(each) for each in own if each.kw_only]
    return [_parameter(each) for each in own if not each.kw_only] + (["*", *named] if named else [])


def _parameter(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return f"{field.name}=_default_of_{field.name}"
    return field.name if field.default_factory is MISSING else f"{field.name}=_missing"


def _value(field: Field[Any]) -> str:
    if field.default_factory is MISSING:
        return field.name
    return f"_made_for_{field.name}() if {field.name} is _missing else {field.name}"


_Row = TypeVar("_Row", bound=NamedTuple)


def rows_of(kind: type[_Row], rows: Sequence[tuple[Any, ...]]) -> list[_Row]:
    """Return tuples as named tuples, made in C in a third of the time of calling the class for each.

    Args:
        kind: the named tuple.
        rows: all of its fields, in their order, those with a default too.

    Raises:
        TypeError: a field is missing.

    Example:
        >>> from actionledger.core.values import rows_of
        >>> rows_of(al.Span, [(0, 2), (3, 4)])
        [Span(start=0, end=2), Span(start=3, end=4)]
    """
    if rows and len(rows[0]) != len(kind._fields):  # all rows come from the same place
        raise TypeError(f"Expected {len(kind._fields)} fields, got {len(rows[0])}.")
    return [*map(partial(tuple.__new__, kind), rows)]


def row_maker(kind: type[_Row]) -> Callable[[tuple[Any, ...]], _Row]:
    """Return a function that makes a named tuple of a tuple in C; ``_make`` checks the number of fields, which takes twice the time."""
    return partial(tuple.__new__, kind)


_MADE_BETWEEN, _YOUNG, _MIDDLING = 250_000, 20, 100
"""Python's defaults are 700, 10 and 10. With them, an import spent an eighth of its processor time on scanning live values; with 50,000, still a
twentieth. A piece of an import has some hundred thousand values, of which some hundred are in reference cycles.
"""


def collect_seldom() -> None:
    """Make garbage collection rare from now on, in this process."""
    gc.set_threshold(_MADE_BETWEEN, _YOUNG, _MIDDLING)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Make garbage collection rare within the block, in this process."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
