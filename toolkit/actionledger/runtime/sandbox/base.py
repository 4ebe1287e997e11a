"""The sandbox protocol: limits of a run, the methods that the code may call, and the result."""

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


_KIB, _MIB = 2**10, 2**20
_LEAST_MEMORY = 128 * _MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one run may use.

    Args:
        seconds: wall time, host calls included.
        memory: address space of the process, in bytes.
        code_size: the code, in characters.
        value_nodes: values in the arguments or the answer of one host call, or in the result.
        value_size: bytes of the texts and numbers in these.
        value_depth: nesting of these.
        result_size: bytes of the texts and numbers in the result.
        calls: host calls.
        calls_size: bytes of the arguments and answers of all host calls together.
        output: captured characters of stdout; the same of stderr; the same of logged messages.
        start_seconds: time for the process to start and to shut itself in.

    Raises:
        UsageError: a limit that nothing could stay within.
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
        """How large the arguments and the answer of a host call may be."""
        return Bounds(self.value_nodes, self.value_size, self.value_depth)

    @property
    def result_bounds(self) -> Bounds:
        """How large the result may be."""
        return Bounds(self.value_nodes, min(self.value_size, self.result_size), self.value_depth)

    @property
    def frame_size(self) -> int:
        """How long one message from the process may be, in bytes: a value with its punctuation and escapes."""
        return 2 * self.value_size + 16 * self.value_nodes + 64 * _KIB

    @property
    def run_size(self) -> int:
        """How long all messages of a run may be together, in bytes: far more than an honest process sends."""
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
    """An exception that the code raised and didn't catch.

    Args:
        type: its class's name.
        message: its text.
        line: the innermost line of the code that it passed through, from 1; None where that isn't known.
        source: that line's text; empty where it isn't known.
    """

    type: str
    message: str
    line: int | None = None
    source: str = ""

    def __str__(self) -> str:
        text = f"{self.type}: {self.message}" if self.message else self.type
        if self.line is None:
            return text
        return f"{text} (line {self.line}: {self.source})" if self.source else f"{text} (line {self.line})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeResult:
    """The result of one run.

    Args:
        outcome: what came of it.
        sandbox: the name of the sandbox that ran it.
        stdout: what the code printed; where it was cut, its last line says so.
        stderr: what the code wrote there; cut likewise.
        value: the value of the last expression, as JSON can show it; None where the code didn't succeed.
        error: the exception that ended it; None where none did.
        message: one or two sentences for the model where it didn't succeed; empty otherwise.
        logs: what the code logged, in order.
        calls: how many host calls it made.
        elapsed_ms: how long it took, in milliseconds.
    """

    outcome: CodeOutcome
    sandbox: str
    stdout: str = ""
    stderr: str = ""
    value: Any = None
    error: CodeError | None = None
    message: str = ""
    logs: tuple[str, ...] = ()
    calls: int = 0
    elapsed_ms: float = 0.0

    @property
    def succeeded(self) -> bool:
        """Whether the code ran to its end."""
        return self.outcome is CodeOutcome.SUCCEEDED

    def as_document(self) -> dict[str, Any]:
        """Return the result with the six keys that the assistant's document promises the model."""
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
    """Whether a sandbox can be used here.

    Args:
        available: whether it can.
        reason: for the operator: what it confines with, or what is missing and what to do.
    """

    available: bool
    reason: str

    def __bool__(self) -> bool:
        return self.available


class Sandbox(Protocol):
    """Runs code that a model wrote, and lets it reach nothing but the methods that it is given."""

    @property
    def name(self) -> str:
        """Its name, such as ``"confined"``."""

    def available(self) -> Availability:
        """Say whether it can be used here; the first answer is kept."""

    def run(
        self, code: str, *, api: Api = NO_API, limits: Limits = DEFAULT_LIMITS, cancel: Event | None = None
    ) -> CodeResult:
        """Run code; whatever it does is an outcome, never an exception."""

    def close(self) -> None:
        """Let go of what is kept ready; the sandbox can still be used."""
