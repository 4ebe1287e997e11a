"""How a run ends, its bounded output, and the result that is made of it: the same for every sandbox."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

from actionledger.runtime.sandbox import messages
from actionledger.runtime.sandbox.base import Api, CodeError, CodeOutcome, CodeResult, Limits
from actionledger.runtime.sandbox.budget import BUDGET, CancelledError, NoRoomError
from actionledger.runtime.sandbox.host_calls import HostCalls
from actionledger.runtime.sandbox.inside.frames import STREAMS, FrameError
from actionledger.runtime.sandbox.inside.plain import TooLargeError, shown, well_formed
from actionledger.runtime.sandbox.messages import cut_line

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
