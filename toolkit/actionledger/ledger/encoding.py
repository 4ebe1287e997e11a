"""Events as lines: what is written to a segment is complete, masked and readable again."""

import json
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, SchemaSerializer, to_json

from actionledger.errors import EventTooLargeError, UsageError
from actionledger.events import EVENT, Event, ResponseReceived
from actionledger.privacy import mask
from actionledger.text import writable

LINE_LIMIT = 64 * 1024 * 1024
"""The length of the longest line, in bytes, its line break included."""

_SERIALIZERS: dict[type, SchemaSerializer] = {}

# Inside a JSON string a quote has a backslash before it, so this can't be part of the response's own text.
_EXACT, _NOT_EXACT = b'"text_is_exact":true', b'"text_is_exact":false'


def encode(event: Event) -> bytes:
    """Write an event as a line.

    Args:
        event: what happened.

    Returns:
        The line in UTF-8 with its line break; secrets are masked, lone surrogates replaced by U+FFFD.

    Raises:
        EventTooLargeError: the line would be longer than ``LINE_LIMIT``.
        UsageError: the event holds a value that JSON has no form for.
    """
    return encoded(event)[0]


def encoded(event: Event) -> tuple[bytes, bool]:
    """Write an event as a line, and tell whether the line says what the event does.

    Args:
        event: what happened.

    Returns:
        The line, as ``encode`` gives it; whether it reads as the event itself: nothing in it had to be masked or replaced.

    Raises:
        EventTooLargeError: the line would be longer than ``LINE_LIMIT``.
        UsageError: the event holds a value that JSON has no form for.
    """
    dumped, is_exact, is_same = _dump(event)
    line = mask(dumped)
    if isinstance(event, ResponseReceived) and not (is_exact and line is dumped):
        line = line.replace(_EXACT, _NOT_EXACT, 1)
    if len(line) >= LINE_LIMIT:
        raise EventTooLargeError(
            f"An event of kind {event.kind} takes {len(line) + 1:,} bytes; a ledger takes at most {LINE_LIMIT:,}: "
            "record a shorter text."
        )
    return line + b"\n", is_same and line is dumped


def as_recorded(text: str) -> str:
    """Return a text as a ledger keeps it, secrets masked, so that like is compared with like."""
    kept: str = json.loads(mask(to_json(writable(text))))
    return kept


def _dump(event: Event) -> tuple[bytes, bool, bool]:
    """Return an event as JSON, whether its texts are in it as they are, and whether each value is of its field's type."""
    try:
        return _serializer_of(type(event)).to_json(event, warnings="error"), True, True
    except PydanticSerializationError:
        pass
    try:
        return EVENT.dump_json(event), True, False
    except PydanticSerializationError:
        pass
    try:
        return to_json(_without_lone_surrogates(EVENT.dump_python(event)), inf_nan_mode="null"), False, False
    except PydanticSerializationError as error:
        raise UsageError(
            f"An event of kind {event.kind} holds a value that JSON has no form for: {error}."
        ) from error


def _serializer_of(kind: type) -> SchemaSerializer:
    """Return what writes events of a kind: that of all kinds looks for the kind first, which takes a third of its time."""
    if kind not in _SERIALIZERS:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        _SERIALIZERS[kind] = adapter.serializer
    return _SERIALIZERS[kind]


def _without_lone_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_lone_surrogates(item) for item in value]
    return value
