"""A recorded request and its response, however they were stored: decoded, as JSON text, as bytes, as a stream."""

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
    """Return a stream's events; what is no JSON object, such as the word that ends OpenAI's, is no event."""
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
        pass  # what follows a line that is none is no stream any more
    return found


def _listed(raw: bytes) -> list[Any]:
    """Return the values of a list, as Gemini streams where nobody asks for events."""
    value = _stream_decoded(raw.decode(errors="replace"))
    return value if isinstance(value, list) else []


def _stream_decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _framed(raw: bytes) -> Iterator[JsonDict]:
    """Yield the payload of each frame under the name of its event; a frame that is cut ends the stream."""
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
    """Return the headers of a frame that are texts, up to one that is none."""
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
    """Return the body that a stream adds up to; None where it is no stream of a known interface."""
    return put_together(events_of(data))


def put_together(events: Sequence[JsonMap]) -> JsonDict | None:
    """Return the body that events add up to, with the error that broke it off; None where they are of no known interface."""
    body = _body(events)
    error = next(filter(None, map(_error, events)), None)
    return body if error is None else (body or {}) | {"error": error}


def _error(event: JsonMap) -> object:
    """Return what an event says has failed; one of OpenAI's is itself the error."""
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


# Which of the shapes a body has.
class BodyShape(Protocol):
    """An interface, which is a module: how its bodies are read.

    Attributes:
        NAME: what the interface is called.
        KEEPS: how much of what the model wrote its bodies have.
    """

    NAME: str
    KEEPS: Capture

    def usage(self, value: JsonMap, /) -> Usage:
        """Read what a response took."""

    def is_request(self, body: JsonMap, /) -> bool:
        """Return whether a body asks by this interface."""

    def request(self, body: JsonMap, /) -> Request:
        """Read what a model was asked."""

    def is_response(self, body: JsonMap, /) -> bool:
        """Return whether a body answers by this interface."""

    def response(self, body: JsonMap, /) -> Response:
        """Read what a model answered."""


SHAPES: tuple[BodyShape, ...] = (bedrock, anthropic, openai_chat, openai_responses, gemini)
"""Every shape, those whose bodies say more of themselves first."""


def shape_of_request(body: JsonMap) -> BodyShape | None:
    """Return by which interface a body asks; None where that isn't known."""
    return next((shape for shape in SHAPES if shape.is_request(body)), None)


def shape_of_response(body: JsonMap) -> BodyShape | None:
    """Return by which interface a body answers; None where that isn't known."""
    return next((shape for shape in SHAPES if shape.is_response(body)), None)


MAX_DEPTH = 200
"""How deep a body may be nested."""

_MODEL = regex(r"/models?/([^/:?]+)")
_GZIP = b"\x1f\x8b"
_LARGEST = 64 * 2**20


def decoded_body(value: object) -> JsonDict | None:
    """Return a body as an object; None where it holds none."""
    return _decoded(value)[0]


def exchange_of(
    request: object, response: object, address: str = "", headers: Iterable[tuple[str, str]] = ()
) -> Exchange | None:
    """Return a request and its response as one exchange; None where the two are nothing of a model's."""
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
    # Streams have the text of arguments, also where a body has them parsed.
    keeps = Capture.ARGUMENTS if is_stream else shape.KEEPS
    return Exchange(read, keeps, _request(shape, asked, address, headers))


def inner(value: object) -> object:
    """Return a body without what a recorder has put around it: ``body``, ``json`` or ``content`` beside headers and a status."""
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
    """Return what a model answered until an error broke it off, which is why it stopped where nothing else is said."""
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
    """Return what was asked, by the interface that answered; other keys than its own say nothing."""
    if not asked:
        return None
    found = shape.request(asked)
    named = _MODEL.search(address)
    model = found.model or (named[1] if named else "")
    return replace(found, model=model, owner=owner_of(asked, headers))


def _decoded(value: object) -> tuple[JsonDict | None, bool]:
    """Return a body as an object, if it is one, and whether it came as a stream."""
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
