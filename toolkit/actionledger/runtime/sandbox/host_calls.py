"""The one way from the code to the host: every call is checked, counted and bounded here."""

import builtins
from dataclasses import dataclass
from typing import Any

from actionledger.runtime.sandbox.base import LOG, Api, Limits
from actionledger.runtime.sandbox.inside.plain import (
    NotPlainError,
    TooLargeError,
    exact,
    no_method,
    well_formed,
)

MAX_MESSAGE = 2000
"""The most characters of a host exception's text that the code is told."""


class LimitExceededError(Exception):
    """A run is beyond one of its limits; the text says which, and reads on after 'the code'."""


@dataclass(frozen=True, slots=True)
class Returned:
    """What a host method gave back, as plain JSON data."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """What a host method raised.

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
