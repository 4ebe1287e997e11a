"""A sandbox for a model's code, which can reach only the given methods."""

from actionledger.runtime.sandbox.backends import choose, sandbox_names
from actionledger.runtime.sandbox.base import (
    Api,
    Availability,
    CodeError,
    CodeOutcome,
    CodeResult,
    HostMethod,
    Limits,
    Sandbox,
)

__all__ = [
    "Api",
    "Availability",
    "CodeError",
    "CodeOutcome",
    "CodeResult",
    "HostMethod",
    "Limits",
    "Sandbox",
    "choose",
    "sandbox_names",
]
