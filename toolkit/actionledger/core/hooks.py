"""Modules that are imported on first use: one of a higher layer, the drawing of values, a package's names."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

_MODULES: dict[str, str] = {}


def register(purpose: str, module: str) -> None:
    """Register the dotted name of the module that serves a purpose for lower layers."""
    _MODULES[purpose] = module


def module_for(purpose: str) -> Any:
    """Return the module that is registered for a purpose."""
    return import_module(_MODULES[purpose])


def drawn(value: object, how: str, *given: object) -> str:
    """Return a value as ``line``, ``text``, ``html`` (a model's text is escaped) or another form of its class, with more than its fields."""
    return str(module_for("drawing").drawn(value, how, *given))


class Shown:
    """A value that a terminal displays as a line or a text, and a notebook as HTML."""

    __slots__ = ()

    def __repr__(self) -> str:
        return drawn(self, "line")

    def __str__(self) -> str:
        return drawn(self, "text")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


def by_name(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each name, from a package's names in each of its modules, separated by blanks."""
    return {name: module for module, names in modules.items() for name in names.split()}


class _Package(ModuleType):
    """A package whose lazy names are not overwritten when a submodule of the same name is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self._MODULES):
            super().__setattr__(name, value)


def lazy_getattr(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a function for a package's ``__getattr__``, from its ``__name__`` and its table ``_MODULES`` of names and modules."""
    there = sys.modules[package]
    there.__class__ = _Package

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(there, name, value)
        return value

    return load
