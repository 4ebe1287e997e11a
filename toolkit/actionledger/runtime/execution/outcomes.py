"""The one table from exceptions to recorded outcomes, and results as JSON values of bounded size."""

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
"""The most that is kept of a result, in characters of JSON text."""

MAX_DEPTH = 100
"""How many levels of a result are kept."""

_DESCRIPTION = 200
_LONGEST_INTEGER_BITS = 10_000
_PART_OF_WORD = regex(r"[\w.~+/=%:@-]+\Z", re.ASCII)
_LONGEST_WORD = 300


def truncated(value: Any, limit: int = MAX_RESULT) -> Any:
    """Return a value as a JSON value, or its beginning if that is longer than the limit.

    Args:
        value: anything at all; what JSON can't hold is described in its place.
        limit: the most that is kept, in characters of JSON text.

    Returns:
        A JSON value that shares nothing with the value given; for one beyond the limit, an object with ``truncated`` and
        the ``beginning`` of its JSON text.
    """
    text, is_whole = _beginning(value, limit)
    return json.loads(text) if is_whole else {"truncated": True, "limit": limit, "beginning": text}


def _beginning(value: Any, limit: int) -> tuple[str, bool]:
    """Return the first characters of a value's JSON text, and whether that is all of it."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, limit, 0):
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            return _whole_words("".join(pieces)[:limit]), False
    return "".join(pieces), True


def _whole_words(text: str) -> str:
    """Return a text without the part of a word at its end: half a secret would not be known as one, and be recorded."""
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
    # One character more than fits shows that it doesn't; the rest of a huge text is never touched.
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
    """Return what stands for a value that JSON has no form for."""
    if isinstance(value, PurePath | UUID | Decimal):
        return str(value)
    if isinstance(value, date | time | timedelta):
        return str(to_jsonable_python(value))
    try:
        return repr(value)[:_DESCRIPTION]
    except Exception:  # noqa: BLE001 - a stranger's object may fail even at that
        return f"<{type(value).__name__}>"


MAX_MESSAGE = 2000
"""The most that is kept of an error's text, in characters."""


class Again(Enum):
    """Whether an action that failed is tried again."""

    NEVER = auto()
    IF_IDEMPOTENT = auto()
    """It may have had its effect: only an action that may be run twice is."""
    ALWAYS = auto()
    """It can't have had any effect."""


class HandlerOutcome(NamedTuple):
    """The outcome of a try that did not succeed.

    Args:
        status: what is recorded.
        reason: why.
        again: whether it is tried again.
    """

    status: ExecutionStatus
    reason: Reason
    again: Again = Again.NEVER


OUTCOMES: tuple[tuple[type[BaseException], HandlerOutcome], ...] = (
    (KeyboardInterrupt, HandlerOutcome(ExecutionStatus.INTERRUPTED, Reason.STOPPED)),
    (TimeoutError, HandlerOutcome(ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)),
    (BlockingIOError, HandlerOutcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.ALWAYS)),
    (ConnectionRefusedError, HandlerOutcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.ALWAYS)),
    (ConnectionError, HandlerOutcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.IF_IDEMPOTENT)),
    (BaseException, HandlerOutcome(ExecutionStatus.FAILED, Reason.HANDLER_ERROR)),
)
"""From the top: the first kind that an exception is of decides. An ``ActionError`` speaks for itself."""


def outcome_of(error: BaseException) -> HandlerOutcome:
    """Return what an exception of a handler is recorded as."""
    if isinstance(error, ActionError):
        again = Again.ALWAYS if error.transient else Again.NEVER
        reason = _reason(error)
        is_late = reason is Reason.TIMEOUT
        return HandlerOutcome(ExecutionStatus.TIMED_OUT if is_late else ExecutionStatus.FAILED, reason, again)
    return next(outcome for kind, outcome in OUTCOMES if isinstance(error, kind))


def message_of(error: BaseException, outcome: HandlerOutcome) -> str:
    """Return what the model is told of an exception: its own sentence, or the reason's with the particulars."""
    if isinstance(error, ActionError):
        return _text(error)[:MAX_MESSAGE]
    return f"{SENTENCES[outcome.reason]} {type(error).__name__}: {_text(error)}"[:MAX_MESSAGE]


def _reason(error: ActionError) -> Reason:
    """Return the error's code; one that isn't in the list is the handler's mistake."""
    try:
        return Reason(error.reason)
    except ValueError:
        return Reason.HANDLER_ERROR


def _text(error: BaseException) -> str:
    try:
        return writable(str(error))
    except Exception:  # noqa: BLE001 - a stranger's exception may fail even at that
        return "(the error has no readable text)"
