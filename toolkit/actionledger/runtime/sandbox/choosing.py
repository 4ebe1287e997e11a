"""Which sandbox to use: one by its name, or the best that proves itself here. Never none."""

import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType

from actionledger.core.errors import SandboxError, UnknownNameError
from actionledger.runtime.sandbox.base import Sandbox
from actionledger.runtime.sandbox.bubblewrap import BubblewrapSandbox
from actionledger.runtime.sandbox.confined import ConfinedSandbox
from actionledger.runtime.sandbox.container import ContainerSandbox
from actionledger.runtime.sandbox.monty import MontySandbox

AUTO = "auto"

_SANDBOXES: Mapping[str, Callable[[], Sandbox]] = MappingProxyType(
    {
        "confined": ConfinedSandbox,
        "monty": MontySandbox,
        "bubblewrap": BubblewrapSandbox,
        "container": ContainerSandbox,
    }
)

_AUTOMATIC = ("confined", "monty")
"""What ``auto`` tries, in this order; the others cost more, and are there for those who ask."""


def sandbox_names() -> tuple[str, ...]:
    """Return the names of the sandboxes, available here or not."""
    return tuple(_SANDBOXES)


def choose(name: str = AUTO) -> Sandbox:
    """Return a sandbox that has proved itself on this machine."""
    if name != AUTO and name not in _SANDBOXES:
        raise UnknownNameError("sandbox", name, (AUTO, *_SANDBOXES))
    tried: list[str] = []
    for candidate in _AUTOMATIC if name == AUTO else (name,):
        sandbox = _SANDBOXES[candidate]()
        availability = sandbox.available()
        if availability:
            if tried:
                _say_what_is_lost(candidate, tried)
            return sandbox
        sandbox.close()
        tried.append(f"{candidate}: {availability.reason}")
    raise SandboxError(
        f"Model-written code can't be run here, since nothing can confine it ({'; '.join(tried)}). "
        "Mend one of these, or choose another sandbox: 'bubblewrap', 'container', or 'monty' with "
        "actionledger[sandbox] installed."
    )


def _say_what_is_lost(chosen: str, tried: list[str]) -> None:
    """Tell the operator that code runs in another sandbox than the first, and what that lacks."""
    warnings.warn(
        f"Model-written code runs in {chosen!r} here, which has a part of Python only: code that works elsewhere may fail. "
        f"Better ones are not available ({'; '.join(tried)}); choose one by its name to have it required.",
        RuntimeWarning,
        stacklevel=3,
    )
