"""Batches: a provider's answers to a file of requests, one answer per line, in any order.

- OpenAI (https://platform.openai.com/docs/guides/batch), and Groq, Mistral, Azure and vLLM, which write the same: ``id``, ``custom_id``,
  ``response`` with ``status_code`` and ``body``, ``error``;
- Anthropic (https://docs.anthropic.com/en/docs/build-with-claude/batch-processing): ``custom_id``, ``result`` of the type ``succeeded`` with its
  ``message``, ``errored``, ``canceled`` or ``expired``;
- Vertex and Gemini: ``request`` and ``response`` in one line, ``key`` or ``custom_id``, ``status``.

Requests are in the submitted file (``custom_id``, ``body`` or ``params``): if it is next to the answers, under the same name with ``input`` for
``output``, it gives the prompts and tools. Each answer is a session of its own, with its ``custom_id`` as a label.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import Passed, Request, left_out
from actionledger.imports.shapes.bodies import exchange_of
from actionledger.imports.shapes.conversation import capture_of
from actionledger.imports.shapes.exchanges import Exchange
from actionledger.imports.sources.access import object_at, text_at
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.files import STANDARD_INPUT
from actionledger.imports.sources.json_values import json_lines

NAME = "openai_batch"

_ASKED = ("body", "params", "request")
_OUTPUT = regex("(?i)output|results?")


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session for each answer of a batch; requests in a file of requests are only counted."""
    asked = _requests_beside(path)
    passed: Passed = Counter()
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        line = item[1]
        name = _name(line)
        if _answer(line) is None and _asked(line):
            passed[LeftOutReason.BOOKKEEPING, "request"] += 1
            continue
        own = _asked(line) or asked.get(name)
        exchange = exchange_of(own, _answer(line))
        if exchange is None:
            passed[LeftOutReason.NO_RESPONSE, _why(line)] += 1
            continue
        yield from _session(name, exchange, passed)
    yield from left_out(shown(path), passed)


def _session(name: str, exchange: Exchange, passed: Passed) -> Iterator[RecordedSession]:
    request, answered = exchange.request or Request(()), exchange.response.messages
    for message in (*request.messages, *answered):
        passed.update(message.passed)
    if repeated := sum(each.speaker == "model" for each in request.messages):
        passed[LeftOutReason.REPEATED_HISTORY, "message"] += repeated
    if not answered:
        passed[LeftOutReason.NO_RESPONSE, exchange.response.error] += 1
        return
    told = "\n\n".join(each.text for each in request.messages if each.speaker == "person" and each.text)
    turns = tuple(
        RecordedTurn(
            place,
            message.text,
            told or None,
            occurred_at=message.occurred_at,
            external_id=message.message_id,
            capture=capture_of(message.calls, exchange.keeps, has_tools=bool(request.tools)),
            calls=tuple(message.calls),
            usage=message.usage,
            tools=request.tools,
            reasoning=message.reasoning,
        )
        for place, message in enumerate(answered)
    )
    # Names such as request-1 occur in many batches.
    own = f"{name}/{answered[0].message_id}" if answered[0].message_id else name
    yield RecordedSession(
        own, None, answered[0].model or request.model, "", turns, source=NAME, labels=(name,)
    )


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a batch."""
    first = sample.first
    if not isinstance(first, dict) or not _name(first):
        return 0.0
    if "custom_id" in first and (
        "response" in first or "result" in first or "params" in first or "body" in first
    ):
        return 1.0
    return 0.9 if "key" in first and isinstance(first.get("request"), dict) else 0.0


def _requests_beside(path: Path) -> dict[str, JsonMap]:
    """Return the requests by name, if their file is next to the answers."""
    beside = path.with_name(_OUTPUT.sub("input", path.name))
    if path in {STANDARD_INPUT, beside} or not beside.is_file():
        return {}
    found = {}
    try:
        for item in json_lines(beside):
            if not isinstance(item, Refusal) and (asked := _asked(item[1])):
                found[_name(item[1])] = asked
    except SourceError:
        pass  # the answers are complete without it
    return found


def _asked(line: JsonMap) -> JsonMap:
    return next((line[key] for key in _ASKED if isinstance(line.get(key), dict)), {})


def _name(line: JsonMap) -> str:
    return text_at(line, "custom_id") or text_at(line, "key")


def _answer(line: JsonMap) -> JsonMap | None:
    """Return the body of an answer; None if there is none."""
    response = object_at(line, "response")
    body = object_at(response, "body") or object_at(object_at(line, "result"), "message") or response
    return body or None


def _why(line: JsonMap) -> str:
    """Return why there is no answer, in a word."""
    error = object_at(line, "error") or object_at(object_at(line, "result"), "error")
    inner = object_at(error, "error") or error
    status = line.get("status")
    said = text_at(inner, "code") or text_at(inner, "type") or text_at(object_at(line, "result"), "type")
    return said or (status if isinstance(status, str) else "")


SOURCE = Source(
    NAME,
    "Batches of OpenAI, Anthropic and others",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.jsonl", "*.jsonl.gz"),
    loses="What was asked, unless the file of requests lies beside the answers (`…output…` and `…input…`); how long an answer took, unless the provider says it.",
    fields=("custom_id", "response", "error"),
    other_fields=(
        ("custom_id", "method", "url", "body"),
        ("custom_id", "result"),
        ("key", "request", "response"),
    ),
)
