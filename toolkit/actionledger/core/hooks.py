"""Modules that are loaded when somebody first asks: one of a room above, how a value looks, a package's names."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

_MODULES: dict[str, str] = {}


def register(purpose: str, module: str) -> None:
    """Name the module that does something for the rooms below it.

    Args:
        purpose: what it does.
        module: its dotted name.
    """
    _MODULES[purpose] = module


def module_for(purpose: str) -> Any:
    """Return the module that was registered.

    Args:
        purpose: what it does.
    """
    return import_module(_MODULES[purpose])


def drawn(value: object, how: str, *given: object) -> str:
    """Return how a value looks.

    Args:
        value: what is looked at.
        how: ``line``, ``text``, ``html``, or another form that its class has.
        given: what is drawn of it beside its public fields.

    Returns:
        Text, or HTML in which everything a model wrote is escaped.
    """
    return str(module_for("drawing").drawn(value, how, *given))


class Shown:
    """A value that a terminal shows as a line or a text, and a notebook as HTML."""

    __slots__ = ()

    def __repr__(self) -> str:
        return drawn(self, "line")

    def __str__(self) -> str:
        return drawn(self, "text")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


def by_name(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the module that each name is of.

    Args:
        modules: the names that a package has of a module, with blanks between them, by the module.
    """
    return {name: module for module, names in modules.items() for name in names.split()}


class _Package(ModuleType):
    """A package of which a name stays what its table says, also where a module of it is called the same."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self._MODULES):
            super().__setattr__(name, value)


def lazy_getattr(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return what a package takes for its ``__getattr__``.

    Args:
        package: its ``__name__``.
        modules: the module in it that each name is of, by the name; the package has this table as ``_MODULES``.
    """
    there = sys.modules[package]
    there.__class__ = _Package

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(there, name, value)
        return value

    return load
