"""Events as lines: what is written to a segment is complete, masked and readable again."""

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, TypeAlias

from pydantic_core import PydanticSerializationError, SchemaSerializer, to_json

from actionledger.core.errors import EventTooLargeError, UsageError
from actionledger.core.events import EVENT, Event, ResponseReceived
from actionledger.core.privacy import mask, mask_lines
from actionledger.core.text import writable
from actionledger.core.vocabulary import Capture, CostOrigin
from actionledger.ledger.storage.segments import LINE_LIMIT


class _Serializers(dict[type, SchemaSerializer]):
    """A serializer for each kind of event: one for all kinds would search for the kind first, a third of its time."""

    def __missing__(self, kind: type) -> SchemaSerializer:
        # Out of the schema of all kinds: to make one of a kind's own takes milliseconds, at the first event of each.
        whole: Any = EVENT.core_schema
        choices = whole["schema"]["choices"] if "definitions" in whole else whole["choices"]
        [schema] = (choice for choice in choices.values() if choice["cls"] is kind)
        made = SchemaSerializer({**whole, "schema": schema} if "definitions" in whole else schema)
        self[kind] = made
        return made


_SERIALIZERS = _Serializers()

# Inside a JSON string a quote has a backslash before it, so this can't be part of the response's own text.
_EXACT, _NOT_EXACT = b'"text_is_exact":true', b'"text_is_exact":false'

_MOST_CHARACTERS_TO_WAIT = 100_000
_PLAIN = {int, float, bool, NoneType, datetime, Capture, CostOrigin}
_values_of = attrgetter(*(each.name for each in fields(ResponseReceived)))


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
    """Write an event as a line, and tell whether the line says what the event does."""
    unmasked = dumped(event, checked=True)
    line = mask(unmasked.line)
    return _finished(unmasked, line), unmasked.is_same and line is unmasked.line


class Unmasked(NamedTuple):
    """An event as JSON in which nothing was masked yet.

    Args:
        line: the JSON in UTF-8, without a line break.
        is_response: whether it says of its own text that it is exact, which is so until something in it is masked.
        is_same: whether it reads as the event itself, as far as anybody looked.
    """

    line: bytes
    is_response: bool
    is_same: bool


def dumped(event: Event, *, checked: bool = False) -> Unmasked:
    """Write an event as JSON, secrets and all."""
    is_response = isinstance(event, ResponseReceived)
    try:
        line, is_same = (
            _SERIALIZERS[type(event)].to_json(event, warnings="error" if checked else False),
            checked,
        )
    except PydanticSerializationError:
        line, is_exact = _dumped_otherwise(event)
        is_same = False
        if is_response and not is_exact:
            line = line.replace(_EXACT, _NOT_EXACT, 1)
    if len(line) >= LINE_LIMIT:
        raise EventTooLargeError(
            f"An event of kind {event.kind} takes {len(line) + 1:,} bytes; a ledger takes at most {LINE_LIMIT:,}: "
            "record a shorter text."
        )
    return Unmasked(line, is_response, is_same)


Waiting: TypeAlias = Unmasked | ResponseReceived
"""An event that is to become a line: as JSON, or as it is where that can wait."""


def waiting(event: Event) -> Waiting:
    """Return what ``masked_lines`` makes a line of, with as little work as can be.

    A response is written as JSON later, while its model's caller no longer waits: that takes three times what all else does once
    caches are cold. What can change meanwhile, can't be written or is long is none of these, so that it is refused now if at all.
    """
    return event if isinstance(event, ResponseReceived) and _can_wait(event) else dumped(event)


def _can_wait(response: ResponseReceived) -> bool:
    characters = 0
    for value in _values_of(response):
        kind = type(value)
        if kind is str:
            characters += len(value)
        elif kind not in _PLAIN or (kind is datetime and value.tzinfo is not None):
            return False
    return characters <= _MOST_CHARACTERS_TO_WAIT


def masked_lines(events: Sequence[Waiting]) -> bytes:
    """Write events as lines, each with its line break; they are masked together, which is faster than one by one."""
    unmasked = [each if isinstance(each, Unmasked) else dumped(each) for each in events]
    return b"".join(line for line, _ in masked(unmasked))


def masked(events: Sequence[Unmasked]) -> list[tuple[bytes, bool]]:
    """Return what ``encoded`` gives of each event; see ``masked_lines``."""
    lines = mask_lines([each.line for each in events])
    return [
        (_finished(each, line), each.is_same and line is each.line)
        for each, line in zip(events, lines, strict=True)
    ]


def _finished(event: Unmasked, line: bytes) -> bytes:
    if event.is_response and line is not event.line:
        line = line.replace(_EXACT, _NOT_EXACT, 1)
    return line + b"\n"


def as_recorded(text: str) -> str:
    """Return a text as a ledger keeps it, secrets masked, so that like is compared with like."""
    kept: str = json.loads(mask(to_json(writable(text))))
    return kept


def _dumped_otherwise(event: Event) -> tuple[bytes, bool]:
    """Return an event as JSON that holds a value of another type than its field's; and whether its texts are in it as they are."""
    try:
        return EVENT.dump_json(event), True
    except PydanticSerializationError:
        pass
    try:
        return to_json(_without_lone_surrogates(EVENT.dump_python(event)), inf_nan_mode="null"), False
    except PydanticSerializationError as error:
        raise UsageError(
            f"An event of kind {event.kind} holds a value that JSON has no form for: {error}."
        ) from error


def _without_lone_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_lone_surrogates(item) for item in value]
    return value
