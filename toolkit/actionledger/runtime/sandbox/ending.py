"""Calls from the code to the host, checked and counted; how a run ends, its bounded output, and its result."""

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
"""The most characters of a host exception's text that the code is told."""


class LimitExceededError(Exception):
    """A run is beyond one of its limits; the text says which, and reads on after 'the code'."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The value that a host method returned, as plain JSON data."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The error that a host method raised.

    Args:
        type: the name of the nearest built-in class.
        message: its text.
    """

    type: str
    message: str


class HostCalls:
    """The host's side of one run's calls.

    Args:
        api: what may be called.
        limits: how much.
    """

    def __init__(self, api: Api, limits: Limits) -> None:
        self.api = api
        self.calls = 0
        self.limits = limits
        self._size = 0
        self._logs: list[str] = []
        self._log_room = limits.output

    @property
    def logs(self) -> tuple[str, ...]:
        """What the code logged, in order."""
        return tuple(self._logs)

    def log(self, message: str) -> None:
        """Keep a logged message, as far as there is room."""
        message = well_formed(message)
        if self._log_room > 0:
            self._logs.append(message[: self._log_room])
            # An empty message takes room too.
            self._log_room -= len(message) + 1

    def call(self, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Returned | Raised:
        """Have a method called, if it may be."""
        self.calls += 1
        if self.calls > self.limits.calls:
            raise LimitExceededError(f"made more than {self.limits.calls:,} calls of {self.api.name}")
        given = self._bounded([arguments, keywords], "passed arguments that")
        method = self.api.methods.get(path)
        if method is None:
            return Raised("AttributeError", no_method(self.api.name, path, (*self.api.methods, LOG)))
        try:
            answer = method(*given[0], **given[1])
        except Exception as error:  # noqa: BLE001 - what a host method raises is for the code to handle
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
            # The process checks its arguments itself and tells the code; one that doesn't is not to be trusted.
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
    """Return the name of the nearest built-in class that says more than that there was an error."""
    for kind in type(error).__mro__:
        if kind is not Exception and getattr(builtins, kind.__name__, None) is kind:
            return kind.__name__ if kind is not BaseException else "RuntimeError"
    return "RuntimeError"


def _text(error: Exception) -> str:
    """Return an error's text; an error may fail even at that."""
    try:
        # KeyError shows its argument as code; raised anew from that text it would be quoted twice.
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    except Exception:  # noqa: BLE001 - as above
        text = "(the error has no readable text)"
    return well_formed(text)[:MAX_MESSAGE]


_LONGEST_WORD = 300
"""The longest secret that is not cut into, in characters."""

_LAST_WORD = re.compile(r"(?<=\s)\S+\Z")


class Output:
    """The captured texts of a run.

    Args:
        most: the most characters that are kept of each stream.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: dict[str, list[str]] = {name: [] for name in STREAMS}
        self._left = dict.fromkeys(self._parts, most)
        self._cut: set[str] = set()

    def add(self, stream: str, text: str, *, cut: bool = False) -> None:
        """Keep a text as far as there is room."""
        if stream not in self._parts:
            raise FrameError("there is no such stream")
        kept = text[: self._left[stream]]
        if kept:
            self._parts[stream].append(kept)
            self._left[stream] -= len(kept)
        if cut or len(kept) < len(text):
            self._cut.add(stream)

    def text(self, stream: str) -> str:
        """Return what was kept of a stream; where it was cut, the last line says so."""
        kept = well_formed("".join(self._parts[stream]))
        if stream not in self._cut:
            return kept
        return _whole_words(kept) + cut_line(self._most)


def _whole_words(text: str) -> str:
    """Return a text that was cut without its last word, as far as it is no long one: half of a secret is not known as such."""
    found = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    return text[: found.start()] if found else text


_MAX_TYPE, _MAX_MESSAGE, _MAX_SOURCE = 200, 4000, 200


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ended.

    Args:
        outcome: what came of it.
        value: the value of the last expression.
        error: the exception that ended it.
        message: what the model is told.
    """

    outcome: CodeOutcome
    value: Any = None
    error: CodeError | None = None
    message: str = ""


Runner = Callable[[HostCalls, Output], RunEnding]
"""Runs code that was found short enough, with what answers its calls and what keeps its output."""


def measured(
    sandbox: str, code: str, api: Api, limits: Limits, runner: Runner, *, cancel: Event | None
) -> CodeResult:
    """Have code run; return the result."""
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
    """Return how a run ended that came to its end, with a value that no one has measured yet."""
    try:
        return RunEnding(CodeOutcome.SUCCEEDED, shown(value, limits.result_bounds).value)
    except TooLargeError as error:
        return too_large(str(error))


def too_large(what: str) -> RunEnding:
    """Return how a run ended whose last expression is too large."""
    return RunEnding(
        CodeOutcome.LIMIT_EXCEEDED, message=messages.result_too_large(well_formed(what)[:_MAX_TYPE])
    )


def raised(kind: str, text: str, line: int | None, code: str, host: HostCalls) -> RunEnding:
    """Return how a run ended that raised an exception; type, text and line may be a stranger's."""
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
    """Return how a run ended that nothing could confine."""
    return RunEnding(CodeOutcome.REFUSED, message=messages.refused_sandbox())


def cancelled() -> RunEnding:
    """Return how a run ended that was called off."""
    return RunEnding(CodeOutcome.CANCELLED, message=messages.cancelled())


def timed_out(limits: Limits) -> RunEnding:
    """Return how a run ended that took too long."""
    return RunEnding(CodeOutcome.TIMED_OUT, message=messages.timed_out(limits))


def limit_exceeded(what: str) -> RunEnding:
    """Return how a run ended that was beyond a limit."""
    return RunEnding(CodeOutcome.LIMIT_EXCEEDED, message=messages.limit_exceeded(what))


def crashed(message: str) -> RunEnding:
    """Return how a run ended whose process did not end as it should."""
    return RunEnding(CodeOutcome.CRASHED, message=message)
