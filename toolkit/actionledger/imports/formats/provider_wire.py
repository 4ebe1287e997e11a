"""Provider bodies as programs store them: requests with their responses, or responses alone.

There is no standard: a line, a document, or an item of a list is

- a pair, ``{"request": …, "response": …}``, ``request_body`` and ``response_body``, each a body, its JSON text, or an object with
  the ``body`` in it; a response may be the text of its stream;
- a request with its ``response`` next to its own keys, as LiteLLM's callbacks and the ``history`` of DSPy's models have it, with the tools among its
  ``model_parameters`` or ``kwargs``;
- a response alone, of OpenAI's chat and Responses (and the many that speak them), Anthropic's, Gemini's, Bedrock's Converse.

A file may also be just a stream, as ``curl -N`` saves it. Sessions are found by what requests repeat: ``shapes.exchanges``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import Message, left_out, since_epoch
from actionledger.imports.shapes.bodies import (
    decoded_body,
    exchange_of,
    inner,
    shape_of_request,
    shape_of_response,
)
from actionledger.imports.shapes.exchanges import Exchange, Exchanges
from actionledger.imports.sources.access import number_at, object_at, text_at, time_at, told as unknown_as
from actionledger.imports.sources.base import LeftOut, Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, opened, shown
from actionledger.imports.sources.json_values import numbered_objects

NAME = "provider_wire"

_REQUESTS = ("request", "request_body", "requestBody", "raw_request", "req")
_RESPONSES = ("response", "response_body", "responseBody", "raw_response", "resp")
_TIMES = ("timestamp", "time", "created_at", "startTime", "start_time")
_PARAMETERS = ("model_parameters", "kwargs")
"""Where LiteLLM and DSPy have what a request has beside its messages."""
_OTHERS = frozenset({"custom_id", "interactions", "kwargs"})
"""The keys of other formats with such bodies: batches, cassettes, OpenHands' logs."""
_DSPY = frozenset({"messages", "response", "kwargs", "outputs", "uuid"})

_WINDOW = 64
"""How many requests wait for one that began earlier: LiteLLM's callbacks run in threads, and write them down out of order."""

_STREAM = (b"data:", b"event:")
_LARGEST_STREAM = 64 * 2**20


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a file."""
    exchanges = Exchanges(NAME)
    if _is_stream(path):
        yield from _stream(path, exchanges, on_read)
    else:
        for entry in _by_beginnings(numbered_objects(path, on_read)):
            if isinstance(entry, Refusal):
                yield entry
            elif (exchange := _exchange(entry)) is not None:
                yield from exchanges.add(exchange)
            else:
                yield LeftOut(
                    shown(path), LeftOutReason.UNKNOWN_KIND, unknown_as(text_at(entry, "type"), entry)
                )
    yield from left_out(shown(path), exchanges.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds provider bodies."""
    if sample.head.lstrip().startswith(_STREAM):
        return (
            0.8
            if b'"choices"' in sample.head or b'"type"' in sample.head or b'"candidates"' in sample.head
            else 0.0
        )
    first = sample.first
    if isinstance(first, list):
        first = first[0] if first else None
    if not isinstance(first, dict) or (first.keys() & _OTHERS and not first.keys() >= _DSPY):
        return 0.0
    if shape_of_response(first) is not None:
        return 0.8
    _asked, answered = _pair(first)
    body = decoded_body(answered)
    return 0.9 if body is not None and shape_of_response(body) is not None else 0.0


def _by_beginnings(items: Iterable[tuple[int, JsonMap] | Refusal]) -> Iterator[JsonMap | Refusal]:
    """Yield entries in order, those that say when their request began by that."""
    waiting: list[tuple[float, int, JsonMap]] = []
    for place, item in enumerate(items):
        begun = None if isinstance(item, Refusal) else number_at(item[1], "startTime")
        if isinstance(item, Refusal) or begun is None:
            yield item if isinstance(item, Refusal) else item[1]
            continue
        heappush(waiting, (begun, place, item[1]))
        if len(waiting) > _WINDOW:
            yield heappop(waiting)[2]
    while waiting:
        yield heappop(waiting)[2]


def _stream(path: Path, exchanges: Exchanges, on_read: OnRead | None) -> Recorded:
    with opened(path, on_read, only_lines=False) as file:
        exchange = exchange_of(None, file.read(_LARGEST_STREAM))
    if exchange is None:
        yield Refusal(shown(path), 0, "The stream is of no interface that is known.")
    else:
        yield from exchanges.add(exchange)


def _is_stream(path: Path) -> bool:
    if str(path) == "-":
        return False
    with opened(path, only_lines=False) as file:
        return file.read(64).lstrip().startswith(_STREAM)


def _exchange(entry: JsonMap) -> Exchange | None:
    if shape_of_response(entry) is not None:
        return exchange_of(None, entry)
    asked, answered = _pair(entry)
    found = exchange_of(asked, answered, text_at(entry, "url"))
    if found is None or not found.response.messages:
        return found
    first, *others = found.response.messages
    return found._replace(response=replace(found.response, messages=(_timed(first, entry), *others)))


def _pair(entry: JsonMap) -> tuple[object, object]:
    """Return the request and the response."""
    answered = next((entry[key] for key in _RESPONSES if entry.get(key) is not None), None)
    asked = next((entry[key] for key in _REQUESTS if entry.get(key) is not None), None)
    if asked is None and shape_of_request(entry) is not None:
        beside = next((held for key in _PARAMETERS if (held := object_at(entry, key))), {})
        asked = {"tools": beside.get("tools"), **entry}
    return inner(asked), inner(answered)


def _timed(message: Message, entry: JsonMap) -> Message:
    """Return a message with its recorder's times, if it has none itself."""
    usage = message.usage
    took = [number_at(entry, key) for key in ("latency_ms", "duration_ms")]
    if usage.latency_ms is None:
        usage = replace(usage, latency_ms=next((each for each in took if each is not None), None))
    times = [time_at(entry, key) or since_epoch(entry.get(key)) for key in _TIMES]
    at = next((each for each in times if each is not None), None)
    return replace(message, usage=usage, occurred_at=message.occurred_at or at)


SOURCE = Source(
    NAME,
    "Providers' bodies",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.jsonl", "*.jsonl.gz", "*.json"),
    loses="Headers; which requests belong together, where they name no session and neither words nor calls of an answer come back in a request; a message of a model in a request that no response here had, which is not a turn: it may be anybody's.",
    fields=("request", "response"),
)
