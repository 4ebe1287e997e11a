"""A recorded request and its response in any stored form: decoded, as JSON text, as bytes, as a stream."""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.text import to_any_bytes
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import anthropic, bedrock, gemini, openai_chat, openai_responses
from actionledger.imports.shapes.base import Request, Response, error_kind, owner_of
from actionledger.imports.shapes.exchanges import Exchange
from actionledger.imports.sources.access import text_at
from actionledger.runtime.models.errors import MalformedError
from actionledger.runtime.models.stream import events as server_events

__all__ = ["body_of_stream", "events_of", "put_together"]

# The events of a recorded stream: server-sent ones (https://html.spec.whatwg.org/multipage/server-sent-events.html), a list of
# JSON values, or frames of Amazon's (application/vnd.amazon.eventstream, https://smithy.io/2.0/aws/amazon-eventstream.html).
_PRELUDE = struct.Struct(">III")
_CHECKSUM = 4
_TEXT = 7
_NAME = ":event-type"
_LARGEST_FRAME = 16 * 2**20


def events_of(data: str | bytes) -> list[JsonDict]:
    """Return a stream's events; anything but a JSON object, such as the word that ends OpenAI's, is no event."""
    raw = to_any_bytes(data) if isinstance(data, str) else data
    if len(raw) > _PRELUDE.size and raw[0] == 0 and _NAME.encode() in raw[:256]:
        return list(_framed(raw))
    if raw.lstrip().startswith(b"["):
        return [each for each in _listed(raw) if isinstance(each, dict)]
    found = []
    try:
        for event in server_events([raw]):
            value = _stream_decoded(event.data)
            if isinstance(value, dict):
                found.append(value)
    except MalformedError:
        pass  # after an invalid line, the rest is no stream
    return found


def _listed(raw: bytes) -> list[Any]:
    """Return the values of a list, as Gemini streams if no events are requested."""
    value = _stream_decoded(raw.decode(errors="replace"))
    return value if isinstance(value, list) else []


def _stream_decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _framed(raw: bytes) -> Iterator[JsonDict]:
    """Yield each frame's payload under its event's name; a cut frame ends the stream."""
    at = 0
    while at + _PRELUDE.size + _CHECKSUM <= len(raw):
        length, of_headers, _checksum = _PRELUDE.unpack_from(raw, at)
        end, body = at + length, at + _PRELUDE.size + of_headers
        if not (_PRELUDE.size + of_headers + _CHECKSUM <= length <= _LARGEST_FRAME) or end > len(raw):
            return
        name = _headers(raw[at + _PRELUDE.size : body]).get(_NAME, "")
        payload = _stream_decoded(raw[body : end - _CHECKSUM].decode(errors="replace"))
        if name and isinstance(payload, dict):
            yield {name: payload}
        at = end


def _headers(raw: bytes) -> dict[str, str]:
    """Return a frame's text headers, up to the first one of another type."""
    found, at = dict[str, str](), 0
    while at < len(raw):
        name_end = at + 1 + raw[at]
        if name_end + 3 > len(raw) or raw[name_end] != _TEXT:
            break
        length = int.from_bytes(raw[name_end + 1 : name_end + 3])
        value = raw[name_end + 3 : name_end + 3 + length]
        found[raw[at + 1 : name_end].decode(errors="replace")] = value.decode(errors="replace")
        at = name_end + 3 + length
    return found


def body_of_stream(data: str | bytes) -> JsonDict | None:
    """Return the body that a stream adds up to; None if its interface is unknown."""
    return put_together(events_of(data))


def put_together(events: Sequence[JsonMap]) -> JsonDict | None:
    """Return the body that events add up to, with the error that ended it; None if their interface is unknown."""
    body = _body(events)
    error = next(filter(None, map(_error, events)), None)
    return body if error is None else (body or {}) | {"error": error}


def _error(event: JsonMap) -> object:
    """Return an event's error; an error event of OpenAI is the error itself."""
    return event.get("error") or (event if text_at(event, "type") == "error" else None)


def _body(events: Sequence[JsonMap]) -> JsonDict | None:
    for event in events:
        if "choices" in event:
            return openai_chat.body(events)
        if "candidates" in event or "usageMetadata" in event:
            return gemini.body(events)
        if text_at(event, "type").startswith("response."):
            return openai_responses.body(events)
        if text_at(event, "type") in anthropic.KINDS:
            return anthropic.body(events)
        if event.keys() & bedrock.KINDS:
            return bedrock.body(events)
    return None


# Find the shape of a body.
class BodyShape(Protocol):
    """An interface, as a module that reads its bodies."""

    NAME: str  # the interface's name
    KEEPS: Capture  # how much of the model's output its bodies have

    def usage(self, value: JsonMap, /) -> Usage:
        """Read a response's usage."""

    def is_request(self, body: JsonMap, /) -> bool:
        """Return whether a body is a request of this interface."""

    def request(self, body: JsonMap, /) -> Request:
        """Read a request."""

    def is_response(self, body: JsonMap, /) -> bool:
        """Return whether a body is a response of this interface."""

    def response(self, body: JsonMap, /) -> Response:
        """Read a response."""


SHAPES: tuple[BodyShape, ...] = (bedrock, anthropic, openai_chat, openai_responses, gemini)
"""Every shape; those with more specific bodies first."""


def shape_of_request(body: JsonMap) -> BodyShape | None:
    """Return the interface of a request body; None if unknown."""
    return next((shape for shape in SHAPES if shape.is_request(body)), None)


def shape_of_response(body: JsonMap) -> BodyShape | None:
    """Return the interface of a response body; None if unknown."""
    return next((shape for shape in SHAPES if shape.is_response(body)), None)


MAX_DEPTH = 200
"""The deepest nesting of a body."""

_MODEL = regex(r"/models?/([^/:?]+)")
_GZIP = b"\x1f\x8b"
_LARGEST = 64 * 2**20


def decoded_body(value: object) -> JsonDict | None:
    """Return a body as an object; None if it holds none."""
    return _decoded(value)[0]


def exchange_of(
    request: object, response: object, address: str = "", headers: Iterable[tuple[str, str]] = ()
) -> Exchange | None:
    """Return a request and its response as one exchange; None if they belong to no model."""
    asked = _decoded(request)[0] or {}
    body, is_stream = _decoded(response)
    answered = body or {}
    shape = shape_of_response(answered)
    if shape is not None:
        read = _broken_off(shape.response(answered))
    elif (shape := shape_of_request(asked)) is None:
        return None
    else:
        said = error_kind(answered.get("error") or answered.get("__type"))
        read = Response((), said or ("unreadable body" if response else "no body"))
    # Streams have the text of arguments, even if the interface's bodies have them parsed.
    keeps = Capture.ARGUMENTS if is_stream else shape.KEEPS
    return Exchange(read, keeps, _request(shape, asked, address, headers))


def inner(value: object) -> object:
    """Return a body without a recorder's wrapping: ``body``, ``json`` or ``content`` next to headers and a status."""
    if not isinstance(value, Mapping):
        return value
    told = next(
        (value[key] for key in ("parsed_body", "body", "json", "data") if value.get(key) is not None), None
    )
    if told is None or shape_of_response(value) or shape_of_request(value):
        return value
    is_text = isinstance(told, Mapping) and told.keys() <= {"string", "text", "encoding"}
    return next((told[key] for key in ("string", "text") if key in told), None) if is_text else told


def _broken_off(read: Response) -> Response:
    """Return a response that an error cut off, with the error as its finish reason if it has no other."""
    if not read.error or not read.messages or read.messages[0].usage.finish_reason:
        return read
    if all(message.is_empty for message in read.messages):
        return Response((), read.error)
    first, *others = read.messages
    return replace(
        read, messages=(replace(first, usage=replace(first.usage, finish_reason=read.error)), *others)
    )


def _request(
    shape: BodyShape, asked: JsonMap, address: str, headers: Iterable[tuple[str, str]]
) -> Request | None:
    """Return the request, read by the interface of the response; keys of other interfaces are ignored."""
    if not asked:
        return None
    found = shape.request(asked)
    named = _MODEL.search(address)
    model = found.model or (named[1] if named else "")
    return replace(found, model=model, owner=owner_of(asked, headers))


def _decoded(value: object) -> tuple[JsonDict | None, bool]:
    """Return a body as an object, or None, and whether it came as a stream."""
    if isinstance(value, dict):
        return value, False
    if isinstance(value, bytes) and value.startswith(_GZIP):
        value = _unzipped(value)
    if not isinstance(value, str | bytes) or not value:
        return None, False
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        decoded = None
    if isinstance(decoded, dict):
        return (None if is_deeper(decoded, MAX_DEPTH) else decoded), False
    return body_of_stream(value), True


def _unzipped(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, _LARGEST)
    except zlib.error:
        return b""
