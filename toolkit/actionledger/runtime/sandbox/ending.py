"""Calls from the code to the host, checked and counted; a run's outcome, its limited output and its result."""

import builtins
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

from actionledger.runtime.sandbox import messages
from actionledger.runtime.sandbox.base import LOG, Api, CodeError, CodeOutcome, CodeResult, Limits
from actionledger.runtime.sandbox.budget import BUDGET, CancelledError, NoRoomError
from actionledger.runtime.sandbox.inside.frames import STREAMS, FrameError
from actionledger.runtime.sandbox.inside.plain import (
    NotPlainError,
    TooLargeError,
    exact,
    no_method,
    shown,
    well_formed,
)
from actionledger.runtime.sandbox.messages import cut_line

MAX_MESSAGE = 2000
"""The maximum length of a host exception's text for the code."""


class LimitExceededError(Exception):
    """A run exceeds one of its limits; the text is a clause whose subject is 'the code'."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The value that a host method returned, as plain JSON data."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """A host method's error."""

    type: str  # the name of the nearest built-in class
    message: str


class HostCalls:
    """The host's side of the calls in one run."""

    def __init__(self, api: Api, limits: Limits) -> None:
        self.api = api
        self.calls = 0
        self.limits = limits
        self._size = 0
        self._logs: list[str] = []
        self._log_room = limits.output

    @property
    def logs(self) -> tuple[str, ...]:
        """The code's log messages, in order."""
        return tuple(self._logs)

    def log(self, message: str) -> None:
        """Store a log message, within the limit."""
        message = well_formed(message)
        if self._log_room > 0:
            self._logs.append(message[: self._log_room])
            # An empty message counts too.
            self._log_room -= len(message) + 1

    def call(self, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Returned | Raised:
        """Call a method, if it is permitted."""
        self.calls += 1
        if self.calls > self.limits.calls:
            raise LimitExceededError(f"made more than {self.limits.calls:,} calls of {self.api.name}")
        given = self._bounded([arguments, keywords], "passed arguments that")
        method = self.api.methods.get(path)
        if method is None:
            return Raised("AttributeError", no_method(self.api.name, path, (*self.api.methods, LOG)))
        try:
            answer = method(*given[0], **given[1])
        except Exception as error:  # noqa: BLE001 - the code has to handle a host method's exceptions
            return Raised(_builtin_name(error), _text(error))
        return self._answer(path, answer)

    def _answer(self, path: str, answer: object) -> Returned | Raised:
        try:
            measured = exact(answer, self.limits.value_bounds)
        except NotPlainError as error:
            return Raised("TypeError", f"the answer of {self.api.name}.{path}() {error}")
        except TooLargeError as error:
            return Raised("ValueError", f"the answer of {self.api.name}.{path}() {error}; ask for less")
        self._spend(measured.size)
        return Returned(measured.value)

    def _bounded(self, value: list[Any], what: str) -> Any:
        try:
            measured = exact(value, self.limits.value_bounds)
        except (NotPlainError, TooLargeError) as error:
            # A trusted process checks its own arguments and reports errors to the code.
            raise LimitExceededError(f"{what} {error}") from None
        self._spend(measured.size)
        return measured.value

    def _spend(self, size: int) -> None:
        self._size += size
        if self._size > self.limits.calls_size:
            raise LimitExceededError(
                f"moved more than {self.limits.calls_size:,} bytes through calls of {self.api.name}"
            )


def _builtin_name(error: Exception) -> str:
    """Return the name of the nearest built-in class that is more specific than ``Exception``."""
    for kind in type(error).__mro__:
        if kind is not Exception and getattr(builtins, kind.__name__, None) is kind:
            return kind.__name__ if kind is not BaseException else "RuntimeError"
    return "RuntimeError"


def _text(error: Exception) -> str:
    """Return an error's text; even that may fail."""
    try:
        # KeyError shows its argument as a literal, which would be quoted twice when raised again from that text.
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    except Exception:  # noqa: BLE001 - as above
        text = "(the error has no readable text)"
    return well_formed(text)[:MAX_MESSAGE]


_LONGEST_WORD = 300
"""The maximum length of a secret that is never cut, in characters."""

_LAST_WORD = re.compile(r"(?<=\s)\S+\Z")


class Output:
    """The captured output of a run."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: dict[str, list[str]] = {name: [] for name in STREAMS}
        self._left = dict.fromkeys(self._parts, most)
        self._cut: set[str] = set()

    def add(self, stream: str, text: str, *, cut: bool = False) -> None:
        """Store a text, within the limit."""
        if stream not in self._parts:
            raise FrameError("there is no such stream")
        kept = text[: self._left[stream]]
        if kept:
            self._parts[stream].append(kept)
            self._left[stream] -= len(kept)
        if cut or len(kept) < len(text):
            self._cut.add(stream)

    def text(self, stream: str) -> str:
        """Return a stream's stored text; if it was cut, the last line says so."""
        kept = well_formed("".join(self._parts[stream]))
        if stream not in self._cut:
            return kept
        return _whole_words(kept) + cut_line(self._most)


def _whole_words(text: str) -> str:
    """Return a cut text without its last word, unless that is long: half a secret would not be recognised."""
    found = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    return text[: found.start()] if found else text


_MAX_TYPE, _MAX_MESSAGE, _MAX_SOURCE = 200, 4000, 200


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ended."""

    outcome: CodeOutcome
    value: Any = None  # the value of the last expression
    error: CodeError | None = None  # the exception that ended it
    message: str = ""  # the message to the model


Runner = Callable[[HostCalls, Output], RunEnding]
"""Runs code of checked length, with the host's side of its calls and its output."""


def measured(
    sandbox: str, code: str, api: Api, limits: Limits, runner: Runner, *, cancel: Event | None
) -> CodeResult:
    """Run code with a runner; return the result."""
    began = time.monotonic()
    host, output = HostCalls(api, limits), Output(limits.output)
    if len(code) > limits.code_size:
        ending = RunEnding(CodeOutcome.REFUSED, message=messages.refused_size(limits, len(code)))
    else:
        try:
            with BUDGET.run(limits.start_seconds + limits.seconds, cancel):
                began = time.monotonic()
                ending = runner(host, output)
        except NoRoomError:
            ending = RunEnding(CodeOutcome.REFUSED, message=messages.refused_room(BUDGET.runs))
        except CancelledError:
            ending = cancelled()
    return CodeResult(
        outcome=ending.outcome,
        sandbox=sandbox,
        stdout=output.text("stdout"),
        stderr=output.text("stderr"),
        value=ending.value,
        error=ending.error,
        message=ending.message,
        logs=host.logs,
        calls=host.calls,
        elapsed_ms=(time.monotonic() - began) * 1000,
    )


def succeeded(value: object, limits: Limits) -> RunEnding:
    """Return the ending of a completed run, whose value is not measured yet."""
    try:
        return RunEnding(CodeOutcome.SUCCEEDED, shown(value, limits.result_bounds).value)
    except TooLargeError as error:
        return too_large(str(error))


def too_large(what: str) -> RunEnding:
    """Return the ending of a run whose last expression is too large."""
    return RunEnding(
        CodeOutcome.LIMIT_EXCEEDED, message=messages.result_too_large(well_formed(what)[:_MAX_TYPE])
    )


def raised(kind: str, text: str, line: int | None, code: str, host: HostCalls) -> RunEnding:
    """Return the ending of a run with an exception; type, text and line are untrusted."""
    lines = code.split("\n")
    known = line if line is not None and 1 <= line <= len(lines) else None
    error = CodeError(
        type=well_formed(kind)[:_MAX_TYPE],
        message=well_formed(text)[:_MAX_MESSAGE],
        line=known,
        source=well_formed(lines[known - 1]).strip()[:_MAX_SOURCE] if known else "",
    )
    if error.type == "MemoryError":
        return RunEnding(CodeOutcome.LIMIT_EXCEEDED, error=error, message=messages.out_of_memory(host.limits))
    return RunEnding(CodeOutcome.FAILED, error=error, message=messages.failed(error, host.api.name))


def refused() -> RunEnding:
    """Return the ending of a run that no sandbox could confine."""
    return RunEnding(CodeOutcome.REFUSED, message=messages.refused_sandbox())


def cancelled() -> RunEnding:
    return RunEnding(CodeOutcome.CANCELLED, message=messages.cancelled())


def timed_out(limits: Limits) -> RunEnding:
    """Return the ending of a run that exceeded its time limit."""
    return RunEnding(CodeOutcome.TIMED_OUT, message=messages.timed_out(limits))


def limit_exceeded(what: str) -> RunEnding:
    """Return the ending of a run that exceeded another limit."""
    return RunEnding(CodeOutcome.LIMIT_EXCEEDED, message=messages.limit_exceeded(what))


def crashed(message: str) -> RunEnding:
    """Return the ending of a run whose process ended unexpectedly."""
    return RunEnding(CodeOutcome.CRASHED, message=message)
