"""Results of promptfoo: the document of ``promptfoo eval -o results.json`` (and of its export), or the lines of ``-o results.jsonl``.

Defined by ``src/types/index.ts`` of github.com/promptfoo/promptfoo (``EvaluateSummaryV3``, ``EvaluateResult``). A result is one answer of one provider to
one test. Its ``output`` is what the provider's adapter made of the answer: a message, a list of calls, or words with each call as an object of
JSON on lines of its own. Some adapters keep the provider's own answer, too, as ``raw``. The calls are not run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import Message, Passed, left_out, tools_text
from actionledger.imports.shapes.bodies import decoded_body, shape_of_response
from actionledger.imports.shapes.conversation import conversation
from actionledger.imports.shapes.framework_messages import decoded, message_of, request_of
from actionledger.imports.shapes.observations import offered
from actionledger.imports.sources.access import (
    as_list,
    count_at,
    number_at,
    object_at,
    objects_at,
    score_of,
    text_at,
    time_at,
    told,
)
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, document_or_part, json_lines, objects_of
from actionledger.imports.sources.usage import with_thoughts

NAME = "promptfoo"

_KEYS = frozenset({"gradingResult", "promptIdx", "testIdx", "testCase", "provider"})
_ADAPTERS = frozenset({"chat", "completion", "messages", "responses"})
"""Which of a provider's interfaces is asked: it stands between the provider and the model."""
_CALL = regex(r'(?m)^\{(?=[^\n]{0,400}"type":"(?:tool_use|function_call)")[^\n]*\}$\n*')
_THOUGHT = regex(r"\AThinking: (?P<thought>.*?)\nSignature: [^\n]*\n\n", re.DOTALL)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session for each result."""
    passed: Passed = Counter()
    for result, whole in _results(path, on_read):
        if isinstance(result, Refusal):
            yield result
        elif "provider" not in result:
            passed[LeftOutReason.UNKNOWN_KIND, told(text_at(result, "type"), result)] += 1
        else:
            yield from _session(result, whole, passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample has results of promptfoo."""
    objects = objects_of(sample)
    if objects and (objects[0].keys() >= _KEYS or "evalId" in objects[0]):
        return 1.0
    return 0.9 if not objects and sample.head.lstrip()[:60].startswith(b'{\n  "evalId"') else 0.0


def _results(path: Path, on_read: OnRead | None) -> Iterator[tuple[JsonMap | Refusal, JsonMap]]:
    """Yield each result with the document that it stands in, which is empty for lines."""
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        for item in json_lines(path, on_read):
            yield (item, {}) if isinstance(item, Refusal) else (item[1], {})
        return
    document, reason = document_or_part(path, on_read, Elements(("results", "results")))
    if reason:
        yield Refusal(shown(path), 0, reason), {}
    held = object_at({"document": document}, "document")
    for each in objects_at(object_at(held, "results"), "results"):
        yield each, held


def _session(result: JsonMap, whole: JsonMap, passed: Passed) -> Recorded:
    asked = object_at(result, "provider")
    answer = _answer(object_at(result, "response"), asked)
    if answer is None:
        passed[LeftOutReason.NO_RESPONSE, "result"] += 1
        return
    answer.usage = replace(answer.usage, latency_ms=answer.usage.latency_ms or number_at(result, "latencyMs"))
    prompt = object_at(result, "prompt")
    talk = conversation([*request_of(prompt.get("raw")).messages, answer])
    turns = talk.done(Capture.ARGUMENTS, _tools(whole, asked))
    passed.update(talk.passed)
    success, test = result.get("success"), object_at(result, "testCase")
    scores = {"score": score_of(result.get("score"))}
    scores |= {str(name): score_of(each) for name, each in object_at(result, "namedScores").items()}
    yield RecordedSession(
        text_at(result, "id")
        or f"{text_at(whole, 'evalId')}/{result.get('promptIdx')}/{result.get('testIdx')}",
        None,
        answer.model,
        text_at(test, "description") or text_at(prompt, "label")[:200],
        turns,
        success if isinstance(success, bool) else None,
        "",
        {"evaluation": text_at(whole, "evalId"), "provider": text_at(asked, "label") or text_at(asked, "id")},
        source=NAME,
        scores={name: score for name, score in scores.items() if score is not None},
        started_at=time_at(object_at(whole, "results"), "timestamp"),
    )


def _answer(response: JsonMap, asked: JsonMap) -> Message | None:
    """Return what a provider answered, from its own answer if that was kept; None if there is no answer."""
    body = decoded_body(response.get("raw"))
    shape = shape_of_response(body) if body is not None else None
    found = next(iter(shape.response(body).messages), None) if shape and body is not None else None
    if found is None and response.get("output") is None:
        return None
    found = found or _of_output(response["output"])
    usage = found.usage.filled(_usage(response))
    found.usage = replace(usage, finish_reason=usage.finish_reason or text_at(response, "finishReason")[:80])
    found.model = found.model or _model(text_at(asked, "id"))
    return found


def _of_output(output: Any) -> Message:
    """Return an answer as an adapter gives it."""
    if isinstance(output, Mapping) and ("role" in output or "tool_calls" in output):
        return message_of(output, is_answer=True)
    calls = list(_calls_in(as_list(output) if not isinstance(output, str) else []))
    found = Message("model")
    if calls:
        for call in calls:
            _take(call, found)
    elif isinstance(output, str):
        _take_words(output, found)
    else:
        found.say(str(output))
    return found


def _calls_in(values: list[Any]) -> Iterator[JsonMap]:
    for each in values:
        if isinstance(each, Mapping) and ("function" in each or ("name" in each and "arguments" in each)):
            yield each


def _take_words(output: str, found: Message) -> None:
    """Take words with their calls, and a thought before them if it is signed: without that, a model may have written it."""
    if thought := _THOUGHT.match(output):
        found.think(thought["thought"], detail="thinking")
        output = output[thought.end() :]
    place = 0
    for call in _CALL.finditer(output):
        held = decoded(call[0].strip())
        if isinstance(held, Mapping):
            found.say(output[place : call.start()].removesuffix("\n").removesuffix("\n"))
            _take(held, found)
            place = call.end()
    found.say(output[place:])


def _take(call: JsonMap, found: Message) -> None:
    """Take a call in the form of any provider."""
    inner = object_at(call, "function") or call
    given = inner.get("arguments", inner.get("input"))
    found.call(call.get("call_id") or call.get("id"), inner.get("name"), given)


def _usage(response: JsonMap) -> Usage:
    """Return the tokens of an answer; promptfoo writes 0 for cached tokens and thoughts of which its adapter says nothing."""
    took = object_at(response, "tokenUsage")
    details = object_at(took, "completionDetails")
    prompt, thought = count_at(took, "prompt"), count_at(details, "reasoning") or None
    return Usage(
        input_tokens=prompt,
        output_tokens=with_thoughts(count_at(took, "completion"), thought, count_at(took, "total"), prompt),
        cached_tokens=count_at(details, "cacheReadInputTokens") or None,
        cache_write_tokens=count_at(details, "cacheCreationInputTokens") or None,
        reasoning_tokens=thought,
        cost_usd=number_at(response, "cost"),
        latency_ms=number_at(response, "latencyMs"),
    )


def _model(name: str) -> str:
    """Return the model in a provider's name, such as ``openai:chat:gpt-5``."""
    _, _, model = name.partition(":")
    first, _, rest = model.partition(":")
    return (rest if first in _ADAPTERS and rest else model) or name


def _tools(whole: JsonMap, asked: JsonMap) -> str:
    """Return the tools that a provider of an evaluation was told of."""
    for each in objects_at(object_at(whole, "config"), "providers"):
        if text_at(each, "id") == text_at(asked, "id") and text_at(each, "label") == text_at(asked, "label"):
            return tools_text(offered(as_list(object_at(each, "config").get("tools"))))
    return ""


SOURCE = Source(
    NAME,
    "promptfoo",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    loses="When an answer was given; the model that answered, but for the one that was asked; argument strings of providers that parse them; in lines, the "
    "tools that were offered; what graders said in words.",
    fields=("evalId", "results"),
    other_fields=(("promptIdx", "testIdx", "testCase", "gradingResult"),),
    tested="0.123.1",
)
