"""A place for code that a model wrote: it reaches the methods that it is given, and nothing else."""

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
