"""``dataclass`` as the standard library has it, of which hundreds cost little: its methods are shared, not compiled for each class.

``__init__`` is compiled when the first value of a class is made; a command makes values of a few classes.
"""

import dataclasses
import inspect
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Make a dataclass, with the options of the standard library's."""
        return (lambda made: _made(made, **options)) if cls is None else _made(cls, **options)


__all__ = ["dataclass"]

_MISSING = dataclasses.MISSING


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()
"""Where nothing is given for a field whose value is made."""


def _made(cls: type, *, frozen: bool = False, eq: bool = True, **options: bool) -> type:
    if options.get("order"):
        return dataclasses.dataclass(cls, frozen=frozen, eq=eq, **options)
    shows = options.pop("repr", True)
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else its signature is looked for
    own = set(vars(cls))
    if own >= {"__eq__", "__hash__"} and cls.__hash__ is None:
        own.remove("__hash__")  # Python has put it there for the other's sake
    inherits = any("__dataclass_fields__" in vars(base) for base in cls.__mro__[1:])
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen and inherits, **options)(cls)
    fields = dataclasses.fields(cls)
    added: dict[str, Any] = {"__init__": _first_init(cls, frozen=frozen), "__signature__": _Signature()}
    if shows:
        added["__repr__"] = _repr(tuple(each.name for each in fields if each.repr))
    if eq:
        values = _values(tuple(each.name for each in fields if each.compare))
        added["__eq__"] = _eq(values)
        added["__hash__"] = _hash(values) if frozen else None
    if frozen and not inherits:
        added |= _frozen(cls, frozenset(each.name for each in fields))
        vars(cls)["__dataclass_params__"].frozen = True
    for name, method in added.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _first_init(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return what stands for ``__init__`` until a value is made."""

    def __init__(self: object, /, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        compiled()(self, *args, **kwargs)

    def compiled() -> Callable[..., None]:
        init = _compiled_init(cls, frozen=frozen)
        if vars(cls)["__init__"] is __init__:
            cls.__init__ = init  # type: ignore[misc]
        return init

    __init__.compiled = compiled  # type: ignore[attr-defined]
    return __init__


def _compiled_init(cls: type, *, frozen: bool) -> Callable[..., None]:
    fields = sorted(dataclasses.fields(cls), key=lambda each: bool(each.kw_only))
    known: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FACTORY}
    parameters, lines = ["self"], []
    for place, each in enumerate(fields):
        value = each.name
        if each.kw_only and "*" not in parameters:
            parameters.append("*")
        if each.default_factory is not _MISSING:
            known[f"_made_{place}"] = each.default_factory
            value = f"_made_{place}() if {each.name} is _factory else {each.name}"
            parameters.append(f"{each.name}=_factory")
        elif each.default is not _MISSING:
            known[f"_default_{place}"] = each.default
            parameters.append(f"{each.name}=_default_{place}")
        else:
            parameters.append(each.name)
        lines.append(f"_set(self, {each.name!r}, {value})" if frozen else f"self.{each.name} = {value}")
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else ["pass"]
    body = "\n ".join(lines)
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)  # noqa: S102 - as the standard library does
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    init.__annotations__ = {each.name: each.type for each in fields} | {"return": None}
    return init


class _Signature:
    """What a class is called with, for those who look."""

    def __get__(self, value: object, cls: type) -> inspect.Signature:
        init = cls.__init__  # type: ignore[misc]
        found = inspect.signature(init.compiled() if hasattr(init, "compiled") else init)
        return found.replace(parameters=list(found.parameters.values())[1:])


def _repr(names: tuple[str, ...]) -> Callable[[object], str]:
    @recursive_repr()
    def __repr__(self: object) -> str:  # noqa: N807
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _values(names: tuple[str, ...]) -> Callable[[object], tuple[Any, ...]]:
    """Return what gives the values of fields."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _eq(values: Callable[[object], tuple[Any, ...]]) -> Callable[[object, object], bool]:
    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[object], tuple[Any, ...]]) -> Callable[[object], int]:
    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _frozen(cls: type, names: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """Return the methods that refuse a change, and those by which values are copied and pickled all the same."""

    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)  # type: ignore[arg-type]

    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)  # type: ignore[arg-type]

    methods: dict[str, Callable[..., Any]] = {"__setattr__": __setattr__, "__delattr__": __delattr__}
    return (
        methods | {"__getstate__": _state, "__setstate__": _restore} if "__slots__" in vars(cls) else methods
    )


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
