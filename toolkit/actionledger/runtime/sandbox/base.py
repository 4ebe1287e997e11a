"""What a sandbox is, and what it says of a run."""

from dataclasses import dataclass
from enum import StrEnum
from threading import Event
from typing import Any, Protocol

from actionledger.core.draws import draw
from actionledger.runtime.sandbox.api import NO_API, Api
from actionledger.runtime.sandbox.limits import Limits

DEFAULT_LIMITS = Limits()


class CodeOutcome(StrEnum):
    """What came of running model-written code."""

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
    """What came of one run.

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
        """What it is called, such as ``"confined"``."""

    def available(self) -> Availability:
        """Say whether it can be used here; the first answer is kept."""

    def run(
        self, code: str, *, api: Api = NO_API, limits: Limits = DEFAULT_LIMITS, cancel: Event | None = None
    ) -> CodeResult:
        """Run code; whatever it does is an outcome, never an exception."""

    def close(self) -> None:
        """Let go of what is kept ready; the sandbox can still be used."""
