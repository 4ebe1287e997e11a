"""Simulations of tau2-bench: one document with ``info``, ``tasks`` and ``simulations``.

Defined by sierra-research/tau2-bench, ``src/tau2/data_model/simulation.py`` and ``message.py``. An agent's message has parsed calls, and if its
``raw_data`` was kept, the provider's response with the argument strings. A simulated user may make calls too: those and their results are not the
agent's. A voice run (``ticks``) has no messages.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes import openai_chat
from actionledger.imports.shapes.base import Message, Passed, left_out
from actionledger.imports.shapes.conversation import conversation
from actionledger.imports.sources.access import number_at, object_at, objects_at, score_of, text_at, time_at
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, document_or_part

NAME = "tau2"


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session for each simulation."""
    document, reason = document_or_part(path, on_read, Elements(("simulations",), known_by=("info",)))
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(document, dict) or "info" not in document:
        raise SourceError(f"{shown(path)!r} is not a result of tau2-bench: it holds no info.")
    passed: Passed = Counter()
    if not isinstance(document.get("simulations"), list):
        passed[LeftOutReason.EMPTY, "simulations"] += 1
    for simulation in objects_at(document, "simulations"):
        yield from _simulation(simulation, object_at(document, "info"), passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a result of tau2-bench."""
    first = sample.first
    if isinstance(first, dict):
        has_info = "num_trials" in object_at(first, "info") and "tasks" in first
        return 1.0 if has_info and "timestamp" in first else 0.0
    head = sample.head.lstrip()[:4000]
    return 1.0 if first is None and b'"info"' in head and b'"num_trials"' in head else 0.0


def _simulation(simulation: JsonMap, info: JsonMap, passed: Passed) -> Recorded:
    whole = conversation(_messages(simulation, passed))
    turns = whole.done(Capture.CALLS)
    passed.update(whole.passed)
    if not turns:
        passed[LeftOutReason.NO_TEXT if simulation.get("ticks") else LeftOutReason.EMPTY, "simulation"] += 1
        return
    told = object_at(simulation, "reward_info")
    reward = score_of(told.get("reward"))
    task = str(simulation.get("task_id", ""))[:80]
    parts = {key: score_of(part) for key, part in object_at(told, "reward_breakdown").items()}
    scores = {"reward": reward, **parts, "agent_cost": number_at(simulation, "agent_cost")}
    yield RecordedSession(
        text_at(simulation, "id") or f"{task}/{simulation.get('trial', 0)}",
        None,
        text_at(object_at(info, "agent_info"), "llm"),
        f"task {task}",
        turns,
        None if reward is None else reward >= 1 - 1e-6,
        text_at(simulation, "termination_reason")[:80],
        {"task_id": task, "trial": simulation.get("trial"), "system": text_at(simulation, "policy")},
        source=NAME,
        scores={key: value for key, value in scores.items() if value is not None},
        started_at=time_at(simulation, "start_time"),
        finished_at=time_at(simulation, "end_time"),
    )


def _messages(simulation: JsonMap, passed: Passed) -> Iterator[Message]:
    for value in objects_at(simulation, "messages"):
        role = text_at(value, "role")
        if role == "assistant":
            yield _of_agent(value)
        elif role == "tool":
            for each in objects_at(value, "tool_messages") if "tool_messages" in value else (value,):
                if text_at(each, "requestor") == "user":
                    passed[LeftOutReason.MADE_BY_CLIENT, "user's tool"] += 1
                    continue
                found = Message("tool")
                is_error = each.get("error")
                found.result(
                    each.get("id"),
                    each.get("content"),
                    is_error=is_error if isinstance(is_error, bool) else None,
                )
                yield found
        else:
            if role == "user" and value.get("tool_calls"):
                passed[LeftOutReason.MADE_BY_CLIENT, "user's call"] += 1
            yield openai_chat.message({"role": role, "content": value.get("content")})


def _of_agent(value: JsonMap) -> Message:
    """Return an agent's message, with its argument strings if the provider's response was kept."""
    raw = next(objects_at(object_at(value, "raw_data"), "choices"), {})
    found = openai_chat.message({**object_at(raw, "message"), "role": "assistant"})
    if found.is_empty:
        found = Message("model")
        found.say(value.get("content"))
        for call in objects_at(value, "tool_calls"):
            found.call(call.get("id"), call.get("name"), call.get("arguments"))
    took = openai_chat.usage(object_at(value, "usage"))
    usage: Usage = replace(took, cost_usd=number_at(value, "cost"))
    found.usage, found.message_id = usage, ""
    found.occurred_at = time_at(value, "timestamp")
    return found


SOURCE = Source(
    NAME,
    "tau2-bench",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.json.gz"),
    loses="Argument strings, unless the provider's responses were kept; the tools that were offered; how long a "
    "response took; voice runs, which have no messages; calls of the simulated user.",
    fields=("timestamp", "info", "tasks"),
)
