"""Names of a package that are loaded when somebody asks for them: most who need one of its modules need no other."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_when_asked(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return what a package takes for its ``__getattr__``.

    Args:
        package: its ``__name__``.
        modules: the module in it that each name is of, by the name.
    """

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load
