"""What the code may call: an allow-list of the host's functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from types import MappingProxyType
from typing import Any

from actionledger.core.errors import UsageError

HostMethod = Callable[..., Any]
"""Takes JSON values, returns one; what it raises is raised in the code."""

LOG = "log"
"""The method that every api has: what the code logs is kept with its result."""


@dataclass(frozen=True, slots=True)
class Api:
    """The object that the code is given.

    A method runs in the host's thread and can't be interrupted: it has to end by itself.

    Args:
        name: what the code calls it.
        methods: its methods by dotted name: ``create_task`` is ``gb.create_task``, ``tasks.create`` is ``gb.tasks.create``.

    Raises:
        UsageError: a name that can't be written in code, or that stands for two things.
    """

    name: str = "gb"
    methods: Mapping[str, HostMethod] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", MappingProxyType(dict(self.methods)))
        for path in (self.name, *self.methods):
            if not all(map(_is_public_name, path.split("."))):
                raise UsageError(
                    f"The code can't call {path!r}: use public Python names, with dots between them."
                )
        if "." in self.name:
            raise UsageError(
                f"The code can't be given an object called {self.name!r}: use a name without dots."
            )
        if LOG in self.methods:
            raise UsageError(f"The method {LOG!r} is the sandbox's own; give yours another name.")
        for path in self.methods:
            parts = path.split(".")
            for end in range(1, len(parts)):
                if (above := ".".join(parts[:end])) in {*self.methods, LOG}:
                    raise UsageError(f"{above!r} can't be a method and hold {path!r}; rename one of them.")


def _is_public_name(text: str) -> bool:
    return text.isidentifier() and not iskeyword(text) and not text.startswith("_")


NO_API = Api()
"""An api whose only method is ``log``."""
