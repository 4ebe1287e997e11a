"""What a room asks of one that stands above it: the package names the module, and it is loaded when it is first asked."""

from importlib import import_module
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
