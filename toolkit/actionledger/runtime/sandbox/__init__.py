"""A place for code that a model wrote: it reaches the methods that it is given, and nothing else."""

from actionledger.runtime.sandbox.api import Api, HostMethod
from actionledger.runtime.sandbox.base import Availability, CodeError, CodeOutcome, CodeResult, Sandbox
from actionledger.runtime.sandbox.choosing import choose, sandbox_names
from actionledger.runtime.sandbox.limits import Limits

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
