"""A response that came piece by piece, put together to the body that it would have been in one piece.

``events.py`` takes a recorded stream apart, server-sent events or Amazon's frames; one file an interface knows its pieces. The
arguments of a call stay the text that the model wrote, which some interfaces give in their streams alone. A stream that was cut
gives what came of it, without a reason to stop.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.imports.shapes.streams import anthropic, bedrock, gemini, openai_chat, openai_responses
from actionledger.imports.shapes.streams.events import events_of
from actionledger.imports.sources.access import text_at

__all__ = ["body_of_stream", "events_of", "put_together"]


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
