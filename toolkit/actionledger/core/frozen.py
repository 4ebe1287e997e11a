"""Values in bulk: frozen dataclasses built and made in a fraction of the time, named tuples made in C, and rarer garbage collection."""

import dataclasses
import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *,
        frozen: bool,
        slots: bool = False,
        kw_only: bool = False,
        eq: bool = True,
        repr: bool = True,  # noqa: A002 - as in the standard library
    ) -> Callable[[type], type]:
        """Make a class a frozen dataclass, as the standard library's decorator of this name does, but in a tenth of the time.

        The standard library compiles eight methods for each class, which is a third of what a small command takes. Here all
        classes share them, and ``__init__`` is compiled at the first value, since one command makes values of few classes. It
        also takes a quarter of the time: a frozen class sets each field by ``object.__setattr__``, so the value temporarily gets a
        class that isn't frozen; that has the same slots, so Python allows the change and back.

        Args:
            frozen: True; said for type checkers.
            slots: as in the standard library, like the following ones.
            kw_only: whether all fields are named.
            eq: whether values are compared and hashed by their fields.
            repr: whether the class gets a ``__repr__``.

        Raises:
            TypeError: the class has a ``__post_init__``, or fields that are no parameters.

        Example:
            >>> from actionledger.core.frozen import dataclass
            >>> @dataclass(frozen=True, slots=True)
            ... class Point:
            ...     x: int
            ...     y: int = 0
            >>> Point(3)
            Point(x=3, y=0)
        """
        assert frozen
        shared = _SHARED | (_COMPARED if eq else {}) | ({"__repr__": _repr} if repr else {})

        def built(kind: type) -> type:
            own = kind.__dict__.keys()
            made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(kind)
            if hasattr(made, "__post_init__") or not all(each.init for each in fields(made)):
                raise TypeError(f"{made.__name__} does more than to set its fields.")
            for name, method in shared.items():
                if name not in own:
                    setattr(made, name, method)
            made.__init__ = _init_at_first(made)
            return made

        return built


def _init_at_first(kind: Any) -> Callable[..., None]:
    def first(value: Any, *given: Any, **named: Any) -> None:
        kind.__init__ = made = _init(kind)
        made(value, *given, **named)

    return first


def _init(kind: type) -> Callable[..., None]:
    own: tuple[Field[Any], ...] = fields(kind)
    plain = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    names: dict[str, Any] = {
        "_kind": kind,
        "_unfrozen": type(kind.__name__, (kind,), plain),
        "_change": object.__setattr__,
        "_missing": MISSING,
    }
    names |= {f"_default_of_{each.name}": each.default for each in own if each.default is not MISSING}
    names |= {f"_made_for_{each.name}": each.default_factory for each in own}
    lines = [
        f"def __init__({', '.join(['self', *_parameters(own)])}):",
        " if type(self) is not _kind:",  # a subclass may have further attributes
        *(f"  _change(self, '{each.name}', {_value(each)})" for each in own),
        "  return",
        " _change(self, '__class__', _unfrozen)",
        *(f" self.{each.name} = {_value(each)}" for each in own),
        " self.__class__ = _kind",
    ]
    exec("\n".join(lines), names)  # noqa: S102 - as dataclasses makes its own; all that is in it are names of our own
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


class _Signature:
    """What ``inspect`` takes for a class's signature: it is made only when somebody asks."""

    def __get__(self, _value: object, kind: Any) -> Any:
        from inspect import Parameter, Signature  # noqa: PLC0415 - slow to load, and only documentation asks

        own = sorted(fields(kind), key=lambda each: each.kw_only is True)
        return Signature(
            [
                Parameter(
                    each.name,
                    Parameter.KEYWORD_ONLY if each.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                    default=_default(each, Parameter.empty),
                    annotation=each.type,
                )
                for each in own
            ],
            return_annotation=None,
        )


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


def _default(field: Field[Any], none: object) -> object:
    if field.default is not MISSING:
        return field.default
    return none if field.default_factory is MISSING else _Factory()


@cache
def _getter(kind: Any) -> Callable[[Any], Any]:
    """Return a function that gets the compared fields."""
    names = [each.name for each in fields(kind) if each.compare]
    return attrgetter(*names) if names else lambda _value: ()


def _eq(self: Any, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    get = _getter(type(self))
    return self is other or get(self) == get(other)


def _hash(self: Any) -> int:
    return hash((_getter(self.__class__)(self),))


def _repr(self: Any) -> str:
    said = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({said})"


def _refuse_change(_self: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_removal(_self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: Sequence[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_SHARED: dict[str, Any] = {
    "__setattr__": _refuse_change,
    "__delattr__": _refuse_removal,
    "__getstate__": _state,
    "__setstate__": _restore,
    "__signature__": _Signature(),
}
_COMPARED: dict[str, Any] = {"__eq__": _eq, "__hash__": _hash}


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
    if rows:
        kind._make(rows[0])  # checks the number of fields; all rows come from the same place
    return list(map(row_maker(kind), rows))


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
