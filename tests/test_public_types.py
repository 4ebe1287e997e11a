"""Whatever a public function gives has a name that a program can write: in ``al``, or in the room that the page of Python names."""

import ast
import dataclasses
import importlib
import inspect
import re
import sys
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import actionledger as al

PAGE = (Path(__file__).parents[1] / "docs/python.md").read_text(encoding="utf-8")
ROOMS = dict(re.findall(r"^\| `(actionledger\.[\w.]+)` \| (.+?) \|", PAGE, re.MULTILINE))
"""The rooms that the page names beside ``al``, each with the names that it has there."""

WITHIN = {"Ledger.internals"}
"""What the package's own rooms ask alone."""


@cache
def promised(module: ModuleType) -> dict[str, Any]:
    """Return what a module imports for its annotations alone; what is not installed is anything."""
    names: dict[str, Any] = {}
    for block in ast.parse(inspect.getsource(module)).body:
        if not (isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"):
            continue
        for line in block.body:
            for alias in getattr(line, "names", ()):
                names[alias.asname or alias.name] = imported(line, alias.name)
    return names


def imported(line: ast.stmt, name: str) -> Any:
    """Return what a line of imports brings."""
    try:
        if isinstance(line, ast.ImportFrom):
            return getattr(importlib.import_module(line.module or ""), name)
        return importlib.import_module(name)
    except ImportError:
        return Any


def classes(hint: Any) -> Iterator[type]:
    """Yield the package's own classes in a type."""
    inner = typing.get_args(hint)
    if isinstance(hint, type) and not inner and hint.__module__.startswith("actionledger"):
        yield hint
    for each in inner:
        for part in each if isinstance(each, list) else [each]:
            yield from classes(part)


def hints(of: Any, module: str) -> dict[str, Any]:
    """Return the types that something is annotated with; an alias of another module may hold what that one imports for its annotations."""
    beside = [
        made for name, made in [*sys.modules.items()] if name.startswith("actionledger.runtime.execution.")
    ]
    names = {name: made for each in (*beside, sys.modules[module]) for name, made in promised(each).items()}
    return typing.get_type_hints(of, localns=names)


def given() -> Iterator[tuple[str, type]]:
    """Yield what each public function, method, property and field gives, with its name."""
    for name in al.__all__:
        value = getattr(al, name)
        if inspect.isfunction(value):
            yield from of_function(name, value)
        elif inspect.isclass(value):
            yield from of_class(name, value)


def of_function(name: str, function: Any) -> Iterator[tuple[str, type]]:
    """Yield what a function gives."""
    function = inspect.unwrap(function)
    if "return" in getattr(function, "__annotations__", {}):
        for each in classes(hints(function, function.__module__).get("return")):
            yield name, each


def of_class(name: str, cls: type) -> Iterator[tuple[str, type]]:
    """Yield what the methods and properties of a class give, and what its fields are."""
    for base in cls.__mro__:
        if not base.__module__.startswith("actionledger"):
            continue
        for key, member in vars(base).items():
            function = getattr(member, "fget", None) or getattr(member, "__func__", None) or member
            if not key.startswith("_") and inspect.isfunction(function):
                yield from of_function(f"{name}.{key}", function)
        if dataclasses.is_dataclass(base):
            for field, hint in hints(base, base.__module__).items():
                yield from ((f"{name}.{field}", each) for each in classes(hint) if not field.startswith("_"))


def test_the_functions_and_their_types_are_found():
    found = {name: each.__name__ for name, each in given()}
    expected = {
        "loops": "LoopReport",
        "Ledger.verify": "Verification",
        "Ledger.forget": "ForgetReport",
        "FailureReport.groups": "FailureGroup",
        "LoopReport.rate": "Rate",
    }
    assert expected.items() <= found.items()


def test_what_a_public_function_gives_has_a_public_name():
    """Who keeps it, hands it on or annotates with it need not look where it is made."""
    public = {getattr(al, name) for name in al.__all__ if inspect.isclass(getattr(al, name))}
    beside = {
        getattr(importlib.import_module(room), name)
        for room, names in ROOMS.items()
        for name in re.findall(r"`(\w+)`", names)
    }
    nameless = {
        f"{each.__module__}.{each.__name__}": name
        for name, each in given()
        if each not in public | beside and name not in WITHIN and not each.__name__.startswith("_")
    }
    assert nameless == {}


def test_the_rooms_that_are_named_have_what_is_said():
    """Each name is there, is no other of ``al``'s own, and belongs to what something public gives."""
    given_away = {each for _, each in given()}
    for room, names in ROOMS.items():
        for name in re.findall(r"`(\w+)`", names):
            assert getattr(importlib.import_module(room), name) in given_away, f"{room}.{name}"
    assert ROOMS
