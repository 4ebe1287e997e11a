"""The table from exceptions to recorded outcomes, and results as JSON values of limited size."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum, auto
from math import isfinite
from pathlib import PurePath
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from actionledger.core.errors import ActionError
from actionledger.core.patterns import regex
from actionledger.core.text import writable
from actionledger.core.vocabulary import SENTENCES, ExecutionStatus, Reason

MAX_RESULT = 64 * 1024
"""The maximum recorded size of a result, in characters of JSON text."""

MAX_DEPTH = 100
"""The maximum recorded depth of a result, in levels."""

_DESCRIPTION = 200
_LONGEST_INTEGER_BITS = 10_000
_PART_OF_WORD = regex(r"[\w.~+/=%:@-]+\Z", re.ASCII)
_LONGEST_WORD = 300


def truncated(value: Any, limit: int = MAX_RESULT) -> Any:
    """Return a copy as a JSON value; beyond ``limit`` characters an object with ``truncated`` and the ``beginning`` of its JSON text."""
    text, is_whole = _beginning(value, limit)
    return json.loads(text) if is_whole else {"truncated": True, "limit": limit, "beginning": text}


def _beginning(value: Any, limit: int) -> tuple[str, bool]:
    """Return the first characters of a value's JSON text, and whether they are all of it."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, limit, 0):
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            return _whole_words("".join(pieces)[:limit]), False
    return "".join(pieces), True


def _whole_words(text: str) -> str:
    """Return a text without a cut word at its end: half a secret would not be recognised, and so be recorded."""
    end = _PART_OF_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    return text[: end.start()] if end and end.start() > len(text) - _LONGEST_WORD else text


def _pieces(value: Any, limit: int, depth: int) -> Iterator[str]:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str | bytes | bytearray):
        yield _string(value, limit)
    elif value is None or isinstance(value, bool | int | float):
        yield _scalar(value)
    elif depth >= MAX_DEPTH:
        yield _string(f"<{type(value).__name__}: more than {MAX_DEPTH} levels deep>", limit)
    elif isinstance(value, Mapping):
        yield from _object(value.items(), limit, depth)
    elif isinstance(value, BaseModel):
        yield from _object(value, limit, depth)
    elif is_dataclass(value) and not isinstance(value, type):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        yield from _object(named, limit, depth)
    elif isinstance(value, list | tuple | AbstractSet):
        opener = "["
        for item in value:
            yield opener
            yield from _pieces(item, limit, depth + 1)
            opener = ","
        yield "[]" if opener == "[" else "]"
    else:
        yield _string(_described(value), limit)


def _object(items: Iterable[tuple[Any, Any]], limit: int, depth: int) -> Iterator[str]:
    opener = "{"
    for key, item in items:
        yield f"{opener}{_string(key if isinstance(key, str) else _described(key), limit)}:"
        yield from _pieces(item, limit, depth + 1)
        opener = ","
    yield "{}" if opener == "{" else "}"


def _string(value: str | bytes | bytearray, limit: int) -> str:
    # One character beyond the limit shows that the text is too long; the rest is never touched.
    start = value[: limit + 1]
    text = start if isinstance(start, str) else _decoded(bytes(start))
    return json.dumps(writable(text), ensure_ascii=False)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return repr(data[:_DESCRIPTION])


def _scalar(value: float | None) -> str:
    if isinstance(value, float) and not isfinite(value):
        return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'  # noqa: PLR0124 (only NaN differs from itself)
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER_BITS:
        return f'"<an integer of {value.bit_length()} bits>"'
    return json.dumps(value)


def _described(value: Any) -> str:
    """Return a description of a value that JSON can't represent."""
    if isinstance(value, PurePath | UUID | Decimal):
        return str(value)
    if isinstance(value, date | time | timedelta):
        return str(to_jsonable_python(value))
    try:
        return repr(value)[:_DESCRIPTION]
    except Exception:  # noqa: BLE001 - a foreign object may fail even at that
        return f"<{type(value).__name__}>"


MAX_MESSAGE = 2000
"""The maximum recorded length of an error's text, in characters."""


class Again(Enum):
    """Whether a failed action is retried."""

    NEVER = auto()
    IF_IDEMPOTENT = auto()
    """It may have had its effect, so it is retried only if idempotent."""
    ALWAYS = auto()
    """It can't have had any effect."""


class HandlerOutcome(NamedTuple):
    """The outcome of a failed try."""

    status: ExecutionStatus  # the recorded status
    reason: Reason  # the recorded reason
    again: Again = Again.NEVER  # whether it is retried


OUTCOMES: tuple[tuple[type[BaseException], HandlerOutcome], ...] = (
    (KeyboardInterrupt, HandlerOutcome(ExecutionStatus.INTERRUPTED, Reason.STOPPED)),
    (TimeoutError, HandlerOutcome(ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)),
    (BlockingIOError, HandlerOutcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.ALWAYS)),
    (ConnectionRefusedError, HandlerOutcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.ALWAYS)),
    (ConnectionError, HandlerOutcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.IF_IDEMPOTENT)),
    (BaseException, HandlerOutcome(ExecutionStatus.FAILED, Reason.HANDLER_ERROR)),
)
"""The first row that an exception is an instance of applies. An ``ActionError`` carries its own outcome."""


def outcome_of(error: BaseException) -> HandlerOutcome:
    """Return the outcome to record for a handler's exception."""
    if isinstance(error, ActionError):
        again = Again.ALWAYS if error.transient else Again.NEVER
        reason = _reason(error)
        is_late = reason is Reason.TIMEOUT
        return HandlerOutcome(ExecutionStatus.TIMED_OUT if is_late else ExecutionStatus.FAILED, reason, again)
    return next(outcome for kind, outcome in OUTCOMES if isinstance(error, kind))


def message_of(error: BaseException, outcome: HandlerOutcome) -> str:
    """Return the message to the model about an exception: its own sentence, or the reason's with details."""
    if isinstance(error, ActionError):
        return _text(error)[:MAX_MESSAGE]
    return f"{SENTENCES[outcome.reason]} {type(error).__name__}: {_text(error)}"[:MAX_MESSAGE]


def _reason(error: ActionError) -> Reason:
    """Return the error's code; a code that is not in the list is a bug of the handler."""
    try:
        return Reason(error.reason)
    except ValueError:
        return Reason.HANDLER_ERROR


def _text(error: BaseException) -> str:
    try:
        return writable(str(error))
    except Exception:  # noqa: BLE001 - a foreign exception may fail even at that
        return "(the error has no readable text)"
