"""Trajectories of SWE-agent: ``INSTANCE.traj``.

Defined by ``sweagent/agent/agents.py`` and ``sweagent/types.py`` of github.com/SWE-agent/SWE-agent, 0.6 to 1.1. A step of ``trajectory`` is a turn,
including tries in the wrong form; calls by a provider's interface are in ``history``, which has the other messages as they were written. Their
identifiers may repeat in one file. Each of several attempts is a session. Tokens and costs are the run's.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports.shapes import openai_chat
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.sources.access import (
    NOTHING,
    count_at,
    non_empty,
    number_at,
    object_at,
    objects_at,
    text_at,
)
from actionledger.imports.sources.base import Item, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_document, value_of

_FIELDS = frozenset({"trajectory", "history", "info"})


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the session of a trajectory, or those of its attempts, then the skip counts."""
    try:
        whole = json_document(path, on_read)
    except SourceError as error:
        yield Refusal(shown(path), 0, str(error))
        return
    if not isinstance(whole, dict) or not isinstance(whole.get("trajectory"), list):
        yield Refusal(shown(path), 0, "The document is not a trajectory: it has no list of steps.")
        return
    passed: Passed = Counter()
    config = _config(whole)
    problem = text_at(object_at(config, "problem_statement"), "id")
    instance = problem or path.name.split(".")[0]
    attempts = list(objects_at(whole, "attempts"))
    if attempts:
        passed[LeftOutReason.REPEATED_HISTORY, "trajectory"] += 1
    first = ""
    for attempt in attempts or [whole]:
        session = _session(attempt, whole, instance, first, passed)
        first = first or session.external_id
        yield session
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a trajectory; of a large one only the beginning is there."""
    document = next((value for value in sample.values if isinstance(value, dict)), None)
    if document is not None:
        return float(document.keys() >= _FIELDS)
    head = sample.head[:4000]
    return float(b'"trajectory"' in head and b'"observation"' in sample.head and b'"action"' in head)


def _config(whole: JsonMap) -> JsonMap:
    """Return its configuration, which some versions write as a text."""
    held = whole.get("replay_config")
    try:
        given = value_of(held) if isinstance(held, str) else held
    except (ValueError, RecursionError):
        return NOTHING
    return given if isinstance(given, dict) else NOTHING


def _session(attempt: JsonMap, whole: JsonMap, instance: str, first: str, passed: Passed) -> RecordedSession:
    info, config = object_at(attempt, "info"), _config(whole)
    agent = object_at(config, "agent")
    model = text_at(object_at(agent, "model"), "name") or text_at(object_at(agent, "model"), "model_name")
    turns = tuple(_turns(attempt, agent, passed))
    begun = turns[0].text if turns else ""
    stats = object_at(info, "model_stats")
    known = {
        "instance": instance,
        "environment": text_at(attempt, "environment"),
        "tokens_sent": count_at(stats, "tokens_sent"),
        "tokens_received": count_at(stats, "tokens_received"),
        "api_calls": count_at(stats, "api_calls"),
        "cost_usd": number_at(stats, "instance_cost"),
    }
    return RecordedSession(
        # Only their beginnings distinguish two runs of one problem; a file that grows keeps its beginning.
        f"{instance}-{derived_id('swe_agent', instance, model, first, begun)[:8]}",
        None,
        model,
        _task(config, instance),
        turns,
        reason=text_at(info, "exit_status"),
        metadata=non_empty(known),
        source=SOURCE.name,
        parent=first,
        relation=Relation.FORK if first else None,
    )


def _task(config: JsonMap, instance: str) -> str:
    said = text_at(object_at(config, "problem_statement"), "text") or instance
    return said.strip().split("\n", 1)[0][:200]


def _turns(attempt: JsonMap, agent: JsonMap, passed: Passed) -> Iterator[RecordedTurn]:
    history = [each for each in objects_at(attempt, "history") if each.get("is_demo") is not True]
    if shown_first := sum(each.get("is_demo") is True for each in objects_at(attempt, "history")):
        passed[LeftOutReason.INJECTED_CONTEXT, "demonstration"] += shown_first
    responses = [each for each in history if text_at(each, "role") == "assistant"]
    prompt = _prompt(history)
    splits = text_at(object_at(object_at(agent, "tools"), "parse_function"), "type") == "function_calling"
    splits = splits or any(each.get("tool_calls") for each in responses)
    place = 0
    for number, step in enumerate(objects_at(attempt, "trajectory")):
        response = text_at(step, "response")
        message = NOTHING
        # A try in the wrong form is only in the trajectory.
        if place < len(responses) and _is_of(responses[place], step):
            message, place = responses[place], place + 1
        if not response and not text_at(message, "content") and not message.get("tool_calls"):
            # The end of the run is recorded like a step of the model.
            passed[LeftOutReason.MADE_BY_CLIENT, "step"] += 1
            continue
        yield _turn(number, step, message, prompt, splits=splits)
        prompt = None


def _is_of(message: JsonMap, step: JsonMap) -> bool:
    """Return whether a history message belongs to a step: its text may have been cleaned, but its action is the same."""
    action = text_at(step, "action")
    return text_at(message, "action") == action and (
        bool(action) or text_at(message, "thought") == text_at(step, "thought")
    )


def _prompt(history: list[JsonMap]) -> str | None:
    """Return the model's input before its first response."""
    told: list[str] = []
    for message in history:
        if text_at(message, "role") == "assistant":
            break
        told.append(openai_chat.message(message).text)
    return "\n\n".join(filter(None, told)) or None


def _turn(number: int, step: JsonMap, message: JsonMap, prompt: str | None, *, splits: bool) -> RecordedTurn:
    action, seconds = text_at(step, "action"), number_at(step, "execution_time")
    calls = tuple(openai_chat.message({"role": "assistant", "tool_calls": message.get("tool_calls")}).calls)
    capture = Capture.ARGUMENTS if calls else Capture.CALLS if splits else Capture.TEXT
    if not calls and action.strip():
        calls = (RecordedCall(f"step-{number}", "bash", action, kind="text"),)
    took = None if seconds is None else seconds * 1000
    observed = (RecordedResult(calls[0].call_id, step.get("observation"), duration_ms=took),) if calls else ()
    return RecordedTurn(
        number,
        text_at(step, "response"),
        prompt=prompt,
        external_id=f"step-{number}",
        capture=capture,
        calls=calls,
        results=observed if action.strip() else (),
        demands_action=not calls,
    )


SOURCE = Source(
    "swe_agent",
    "SWE-agent",
    Capture.TEXT,
    read,
    recognise,
    patterns=("*.traj",),
    wordings=(
        Wording(
            r"^Your proposed edit has introduced new syntax error",
            Reason.CODE_ERROR,
            "Your proposed edit has introduced new syntax error(s).",
            is_telling=True,
        ),
        Wording(
            r"^Your edit was not applied \(file not modified\): Found",
            Reason.SEVERAL_MATCHES,
            "Your edit was not applied (file not modified): Found 2 occurrences of 'x'.",
            is_telling=True,
        ),
        Wording(
            r"^Your edit was not applied",
            Reason.NO_MATCH,
            "Your edit was not applied (file not modified): Text 'x' not found in displayed lines.",
            is_telling=True,
        ),
        Wording(
            r"^Your bash command contained syntax errors and was NOT executed|^Interactive operation .{0,80} is not supported",
            Reason.COMMAND_REFUSED,
            "Interactive operation 'vim' is not supported by this environment.",
            is_telling=True,
        ),
        Wording(
            r"^The command '.{0,400}' was cancelled because it took more than|^\s*EXECUTION TIMED OUT",
            Reason.TIMEOUT,
            "The command 'sleep 99' was cancelled because it took more than 30 seconds.",
            is_telling=True,
        ),
        Wording(
            r"^(?:Error: )?No file open\. Use the",
            Reason.NOT_READ,
            "No file open. Use the open command first.",
            is_telling=True,
        ),
        Wording(
            r"^File .{1,200} not found\s*$|^(?:/bin/)?(?:ba)?sh: .{0,200}: (?:command not found|No such file or directory)",
            Reason.NOT_FOUND,
            "bash: foo: command not found",
            is_telling=True,
        ),
        Wording(
            r"(?m)^Traceback \(most recent call last\)",
            Reason.CODE_ERROR,
            "Traceback (most recent call last):\n  File",
            is_telling=True,
        ),
    ),
    loses=(
        "Tokens, costs and times of a single response; whether a command failed, but for its words; calls of a try in the wrong "
        "form; who judged the result."
    ),
    dialects=("command_tags", "qwen3_coder"),
    fields=("trajectory", "history", "info"),
)
