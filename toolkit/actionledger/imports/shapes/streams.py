"""A response that came piece by piece, put together to the body that it would have been in one piece.

``events.py`` takes a recorded stream apart, server-sent events or Amazon's frames; one file an interface knows its pieces. The
arguments of a call stay the text that the model wrote, which some interfaces give in their streams alone. A stream that was cut
gives what came of it, without a reason to stop.
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actionledger.core.text import to_any_bytes
from actionledger.imports.shapes import anthropic, bedrock, gemini, openai_chat, openai_responses
from actionledger.imports.sources.access import text_at
from actionledger.runtime.models.malformed import MalformedError
from actionledger.runtime.models.sse import events as server_events

__all__ = ["body_of_stream", "events_of", "put_together"]

# The events of a recorded stream: server-sent ones (https://html.spec.whatwg.org/multipage/server-sent-events.html), a list of
# JSON values, or frames of Amazon's (application/vnd.amazon.eventstream, https://smithy.io/2.0/aws/amazon-eventstream.html).
_PRELUDE = struct.Struct(">III")
_CHECKSUM = 4
_TEXT = 7
_NAME = ":event-type"
_LARGEST_FRAME = 16 * 2**20


def events_of(data: str | bytes) -> list[dict[str, Any]]:
    """Return a stream's events; what is no JSON object, such as the word that ends OpenAI's, is no event."""
    raw = to_any_bytes(data) if isinstance(data, str) else data
    if _is_framed(raw):
        return list(_framed(raw))
    if raw.lstrip().startswith(b"["):
        return [each for each in _listed(raw) if isinstance(each, dict)]
    found = []
    try:
        for event in server_events([raw]):
            value = _decoded(event.data)
            if isinstance(value, dict):
                found.append(value)
    except MalformedError:
        pass  # what follows a line that is none is no stream any more
    return found


def _listed(raw: bytes) -> list[Any]:
    """Return the values of a list, as Gemini streams where nobody asks for events."""
    value = _decoded(raw.decode(errors="replace"))
    return value if isinstance(value, list) else []


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_framed(raw: bytes) -> bool:
    return len(raw) > _PRELUDE.size and raw[0] == 0 and _NAME.encode() in raw[:256]


def _framed(raw: bytes) -> Iterator[dict[str, Any]]:
    """Yield the payload of each frame under the name of its event; a frame that is cut ends the stream."""
    at = 0
    while at + _PRELUDE.size + _CHECKSUM <= len(raw):
        length, of_headers, _checksum = _PRELUDE.unpack_from(raw, at)
        end, body = at + length, at + _PRELUDE.size + of_headers
        if not (_PRELUDE.size + of_headers + _CHECKSUM <= length <= _LARGEST_FRAME) or end > len(raw):
            return
        name = _headers(raw[at + _PRELUDE.size : body]).get(_NAME, "")
        payload = _decoded(raw[body : end - _CHECKSUM].decode(errors="replace"))
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


def body_of_stream(data: str | bytes) -> dict[str, Any] | None:
    """Return the body that a stream adds up to; None where it is no stream of a known interface."""
    return put_together(events_of(data))


def put_together(events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the body that events add up to, with the error that broke it off; None where they are of no known interface."""
    body = _body(events)
    error = next(filter(None, map(_error, events)), None)
    return body if error is None else (body or {}) | {"error": error}


def _error(event: Mapping[str, Any]) -> object:
    """Return what an event says has failed; one of OpenAI's is itself the error."""
    return event.get("error") or (event if text_at(event, "type") == "error" else None)


def _body(events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
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
