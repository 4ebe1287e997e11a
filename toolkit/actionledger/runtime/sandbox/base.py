"""The sandbox protocol: a run's limits, the methods for its code, and the result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from keyword import iskeyword
from threading import Event
from types import MappingProxyType
from typing import Any, Protocol

from actionledger.core.draws import draw
from actionledger.core.errors import UsageError
from actionledger.runtime.sandbox.inside.plain import Bounds

HostMethod = Callable[..., Any]
"""Takes and returns JSON values; its exceptions are raised in the code."""

LOG = "log"
"""The method that every api has; its messages are stored with the result."""


@dataclass(frozen=True, slots=True)
class Api:
    """The object that the code can use to call the host.

    A method runs in the host's thread and can't be interrupted: it must end by itself.
    """

    name: str = "gb"  # its name in the code
    # its methods by dotted name: `create_task` is `gb.create_task`, `tasks.create` is `gb.tasks.create`
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


_KIB, _MIB = 2**10, 2**20
_LEAST_MEMORY = 128 * _MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one run.

    Args:
        seconds: wall time, including host calls, in seconds.
        memory: the process's address space, in bytes.
        code_size: the length of the code, in characters.
        value_nodes: the number of values in the arguments or the answer of a host call, or in the result.
        value_size: the size of their texts and numbers, in bytes.
        value_depth: their nesting.
        result_size: the size of texts and numbers in the result, in bytes.
        calls: the number of host calls.
        calls_size: the size of all host calls' arguments and answers together, in bytes.
        output: the captured length of stdout, of stderr and of log messages each, in characters.
        start_seconds: the time for the process to start and confine itself, in seconds.

    Raises:
        UsageError: a limit that no run could keep.
    """

    seconds: float = 30.0
    memory: int = 512 * _MIB
    code_size: int = 256 * _KIB
    value_nodes: int = 100_000
    value_size: int = 4 * _MIB
    value_depth: int = 50
    result_size: int = 1 * _MIB
    calls: int = 1000
    calls_size: int = 16 * _MIB
    output: int = 256 * _KIB
    start_seconds: float = 10.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not value > 0:
                raise UsageError(f"The sandbox's limit {one.name!r} is {value}; it must be more than 0.")
        if self.memory < _LEAST_MEMORY:
            raise UsageError(
                f"The sandbox's limit 'memory' is {self.memory:,} bytes; Python itself needs {_LEAST_MEMORY:,}."
            )

    @property
    def value_bounds(self) -> Bounds:
        """The limits of a host call's arguments and answer."""
        return Bounds(self.value_nodes, self.value_size, self.value_depth)

    @property
    def result_bounds(self) -> Bounds:
        """The limits of the result."""
        return Bounds(self.value_nodes, min(self.value_size, self.result_size), self.value_depth)

    @property
    def frame_size(self) -> int:
        """The maximum size of a message from the process, in bytes: a value with its punctuation and escapes."""
        return 2 * self.value_size + 16 * self.value_nodes + 64 * _KIB

    @property
    def run_size(self) -> int:
        """The maximum size of all messages in a run, in bytes: far more than an honest process sends."""
        return 4 * self.calls_size + 64 * self.output + 2 * self.frame_size


DEFAULT_LIMITS = Limits()


class CodeOutcome(StrEnum):
    """The outcome of running model-written code."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    LIMIT_EXCEEDED = "limit_exceeded"
    CRASHED = "crashed"
    REFUSED = "refused"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class CodeError:
    """An uncaught exception of the code."""

    type: str  # its class's name
    message: str
    line: int | None = None  # the innermost line of the code in the traceback, from 1; None if unknown
    source: str = ""  # that line's text; empty if unknown

    def __str__(self) -> str:
        text = f"{self.type}: {self.message}" if self.message else self.type
        if self.line is None:
            return text
        return f"{text} (line {self.line}: {self.source})" if self.source else f"{text} (line {self.line})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeResult:
    """The result of one run."""

    outcome: CodeOutcome
    sandbox: str  # the name of the sandbox that ran it
    stdout: str = ""  # the code's standard output; if it was cut, its last line says so
    stderr: str = ""  # the code's standard error, cut in the same way
    # the value of the last expression, as JSON can represent it; None if the code didn't succeed
    value: Any = None
    error: CodeError | None = None  # the exception that ended it; None if none did
    message: str = ""  # one or two sentences for the model if it didn't succeed; empty otherwise
    logs: tuple[str, ...] = ()  # the code's log messages, in order
    calls: int = 0  # the number of host calls
    elapsed_ms: float = 0.0  # the duration, in milliseconds

    @property
    def succeeded(self) -> bool:
        """Whether the code ran to its end."""
        return self.outcome is CodeOutcome.SUCCEEDED

    def as_document(self) -> dict[str, Any]:
        """Return the result with the six keys that the assistant's document documents."""
        return {
            "success": self.succeeded,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "result": self.value,
            "error": self.message,
            "execution_time": draw("duration", lambda: self.elapsed_ms / 1000),
        }


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a sandbox can be used on this machine."""

    available: bool  # whether it can be used
    reason: str  # for the operator: its means of confinement, or what is missing and what to do

    def __bool__(self) -> bool:
        return self.available


class Sandbox(Protocol):
    """Runs a model's code, which can reach only the given methods."""

    @property
    def name(self) -> str:
        """Its name, such as ``"confined"``."""

    def available(self) -> Availability:
        """Return whether it can be used here; the first answer is cached."""

    def run(
        self, code: str, *, api: Api = NO_API, limits: Limits = DEFAULT_LIMITS, cancel: Event | None = None
    ) -> CodeResult:
        """Run code; every effect of the code is an outcome, never an exception."""

    def close(self) -> None:
        """End the spare process; the sandbox can still be used."""
