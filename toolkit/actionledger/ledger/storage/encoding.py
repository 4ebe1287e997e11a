"""Encode events as the lines of segments: complete, masked and parseable."""

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
    """A serializer for each kind of event: a common one takes a third of its time to find the kind."""

    def __missing__(self, kind: type) -> SchemaSerializer:
        # Taken from the schema of all kinds: building a kind's own schema takes milliseconds, at the first event of each.
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
    """Encode an event as a line in UTF-8 with its line break; secrets are masked, lone surrogates replaced by U+FFFD."""
    return encoded(event)[0]


def encoded(event: Event) -> tuple[bytes, bool]:
    """Encode an event as a line; return the line, and whether it decodes to the same event."""
    unmasked = dumped(event, checked=True)
    line = mask(unmasked.line)
    return _finished(unmasked, line), unmasked.is_same and line is unmasked.line


class Unmasked(NamedTuple):
    """An event as JSON before masking."""

    line: bytes  # the JSON in UTF-8, without a line break
    is_response: bool  # whether it has a field that says that its text is exact, which masking makes false
    is_same: bool  # whether it is known to decode to the same event


def dumped(event: Event, *, checked: bool = False) -> Unmasked:
    """Encode an event as JSON, with its secrets."""
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
"""An event that is to become a line: as JSON, or unchanged if encoding can wait."""


def waiting(event: Event) -> Waiting:
    """Return an event in the form that ``masked_lines`` takes, with as little work as possible.

    A response is encoded later, when the model's caller no longer waits: with cold caches, encoding takes three times as long as the rest. A response
    that is mutable, long or can't be encoded is encoded now, so that an error is raised now.
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
    """Encode events as lines, each with its line break; masking them together is faster than one by one."""
    unmasked = [each if isinstance(each, Unmasked) else dumped(each) for each in events]
    return b"".join(line for line, _ in masked(unmasked))


def masked(events: Sequence[Unmasked]) -> list[tuple[bytes, bool]]:
    """Return the result of ``encoded`` for each event; see ``masked_lines``."""
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
    """Return a text as a ledger stores it, with secrets masked, for comparisons with stored texts."""
    kept: str = json.loads(mask(to_json(writable(text))))
    return kept


def _dumped_otherwise(event: Event) -> tuple[bytes, bool]:
    """Encode an event that has a value of the wrong type; return the JSON, and whether its texts are unchanged."""
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
