"""OpenHands' completion logs: one file per request to a model, with its response, cost and time.

Written if ``log_completions`` is on: by OpenHands up to 0.x (``openhands/llm/llm.py``: ``messages``, ``response``, ``args``, ``kwargs``,
``timestamp``, ``cost``; with ``fncall_messages`` and ``fncall_response`` for models without native calls) and by its SDK (``openhands/sdk/llm``:
``messages``, ``tools``, ``kwargs``, ``context_window``, ``response``, ``cost``, ``latency_sec``; with ``raw_messages`` and ``raw_response``). A model
without native calls writes ``<function=NAME>`` and ``<parameter=KEY>`` into its text and is stopped at ``</function``. If that text was kept, it is
the turn's text, and the calls next to it are what OpenHands parsed. A file doesn't name its conversation: that is identified by the folder and by the
person's first message.
"""

from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import openai_chat
from actionledger.imports.shapes.base import Message, Request, Response, left_out, since_epoch
from actionledger.imports.shapes.exchanges import Exchange, Exchanges
from actionledger.imports.sources.access import number_at, object_at, objects_at, text_at
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import numbered_objects

NAME = "completion_log"

_CALL = regex(r"<function=\w")
_FILE = regex(r"-\d{9,11}\.\d+\.json(?:\.gz)?$")
_KEYS = frozenset({"messages", "response", "kwargs", "timestamp"})


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the turn of a file, and the results of earlier calls in its request."""
    for item in numbered_objects(path, on_read):
        if isinstance(item, Refusal):
            yield item
        elif not _KEYS - {"timestamp"} <= item[1].keys():
            yield Refusal(shown(path), item[0], "The object has no messages with a response and kwargs.")
        else:
            yield from _read(path, item[1])


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a completion log."""
    first = sample.first
    if isinstance(first, dict):
        if "outputs" in first:
            return 0.0  # an entry of DSPy's history, which has all these keys, too
        return 1.0 if first.keys() >= _KEYS and "choices" in object_at(first, "response") else 0.0
    # A long history exceeds the sample, and the response comes after it.
    is_begun = sample.head[:200].lstrip().startswith(b'{"messages"') or b'"messages": [' in sample.head[:40]
    return 0.9 if is_begun and _FILE.search(sample.path.name) else 0.0


def _read(path: Path, log: JsonMap) -> Recorded:
    told = log.get("fncall_messages") or log.get("messages")
    body = object_at(log, "fncall_response") or object_at(log, "response")
    asked = openai_chat.request(
        {"messages": told, "tools": (log.get("tools") or object_at(log, "kwargs").get("tools"))}
    )
    answered = openai_chat.response(body)
    exchanges = Exchanges(NAME, _session(path, asked))
    for piece in exchanges.add(Exchange(_timed(answered, log), Capture.ARGUMENTS, asked)):
        yield _with_text(piece, _written(log))
    yield from left_out(shown(path), exchanges.passed)


def _session(path: Path, asked: Request) -> str:
    opening = next((each.text for each in asked.messages if each.speaker == "person"), "")
    return f"{path.absolute().parent.name}/{derived_id(opening)[:8]}"


def _timed(answered: Response, log: JsonMap) -> Response:
    """Return a response with the log's times and cost; its timestamp is when the response came."""
    seconds = number_at(log, "latency_sec")
    cost = number_at(log, "cost")
    messages: list[Message] = []
    for each in answered.messages[:1]:
        usage = replace(each.usage, cost_usd=cost if cost is not None else each.usage.cost_usd)
        if seconds is not None:
            usage = replace(usage, latency_ms=seconds * 1000)
        at = since_epoch(log.get("timestamp")) or each.occurred_at
        messages.append(replace(each, usage=usage, occurred_at=at))
    return replace(answered, messages=(*messages, *answered.messages[1:]))


def _written(log: JsonMap) -> str:
    """Return the text of a model without native calls, with its calls in it; empty if it was not kept."""
    raw = object_at(log, "response") if "fncall_response" in log else object_at(log, "raw_response")
    text = text_at(object_at(next(objects_at(raw, "choices"), {}), "message"), "content")
    return text if _CALL.search(text) else ""


def _with_text(piece: RecordedSession, written: str) -> RecordedSession:
    if not written or not piece.turns:
        return piece
    first: RecordedTurn = replace(piece.turns[0], text=written, capture=Capture.TEXT)
    return replace(piece, turns=(first, *piece.turns[1:]))


SOURCE = Source(
    NAME,
    "OpenHands' logs of completions",
    Capture.TEXT,
    read,
    recognise,
    patterns=("*.json",),
    loses="Which conversation a request belongs to, which is told by its folder and its first message; whether a call failed; "
    "the last calls' results, which no further request repeats.",
    fields=("messages", "response", "kwargs", "timestamp"),
)
