"""ATIF, the Agent Trajectory Interchange Format, which Harbor writes for every agent that it runs: ``trajectory.json``.

Defined by ``docs/rfcs/0001-trajectory-format.md`` of github.com/laude-institute/harbor, versions 1.0 to 1.7. A step of the source ``agent`` is a
turn; its calls' results are in the step. Arguments are parsed. If an agent doesn't use its provider's calls, the message is the raw response, and one
observation answers it. Subagents are embedded (1.7) or in files of their own, like continuations: those refer to their predecessor only by their own
name (``NAME-cont-1``, ``NAME-summarization-1-summary``).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import (
    RecordedCall,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes.answers import compaction_of, with_outcome, with_own
from actionledger.imports.shapes.base import Passed, left_out, tools_text
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.sources.access import (
    count_at,
    non_empty,
    number_at,
    object_at,
    objects_at,
    scores_of,
    text_at,
    texts_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Item, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, json_objects

_VERSION = regex(rb'"schema_version"\s*:\s*"ATIF-v')
_CONTINUED = regex(r"(?P<base>.+)-cont-(?P<number>\d+)\Z", re.DOTALL)
_SUMMARISED = regex(r"(?P<base>.+)-summarization-\d+(?:-\w+)?\Z", re.DOTALL)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield each trajectory of a file, with those that it embeds, then the skip counts."""
    passed: Passed = Counter()
    for item in json_objects(path, on_read, Elements(("steps",), known_by=("session_id",))):
        if isinstance(item, Refusal):
            yield item
        elif isinstance(item.get("steps"), list):
            yield from _sessions(item, _Above(), passed)
        else:
            yield Refusal(shown(path), 0, "The object is not a trajectory: it has no list of steps.")
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a trajectory: it names its version of the format."""
    return float(bool(_VERSION.search(sample.head)))


@dataclass(frozen=True, slots=True)
class _Above:
    """The trajectory around an embedded one."""

    name: str = ""
    run: str = ""


def _sessions(trajectory: JsonMap, above: _Above, passed: Passed) -> Iterator[RecordedSession]:
    name = _name(trajectory, above)
    parent, relation = (above.name, Relation.SUBAGENT) if above.name else _predecessor(name)
    agent = object_at(trajectory, "agent")
    told = [text for text in (_text(step) for step in _of(trajectory, "user")) if text]
    # Our own export's values of a session for which the format has no field; none in other trajectories.
    extra = object_at(trajectory, "extra")
    own = extra if "actionledger_session_id" in extra else {}
    turns = tuple(_turns(trajectory, passed))
    yield RecordedSession(
        name,
        None,
        text_at(agent, "model_name") or next((turn.model for turn in turns if turn.model), ""),
        text_at(own, "task") or (told[0] if told else "").strip().split("\n", 1)[0][:200],
        turns,
        success=success if isinstance(success := own.get("success"), bool) else None,
        reason=text_at(own, "end_reason"),
        scores=scores_of(object_at(own, "scores").items()),
        labels=texts_at(own, "labels"),
        metadata=_metadata(trajectory, agent),
        details=SessionDetails(agent=text_at(agent, "name"), agent_version=text_at(agent, "version")),
        source=SOURCE.name,
        parent=parent,
        relation=relation if parent else None,
    )
    run = text_at(trajectory, "session_id") or above.run
    for child in objects_at(trajectory, "subagent_trajectories"):
        yield from _sessions(child, _Above(name, run), passed)


def _name(trajectory: JsonMap, above: _Above) -> str:
    """Return a trajectory's name: one run may have several (1.7), and an embedded one belongs to its parent's."""
    run = text_at(trajectory, "session_id") or above.run
    own = text_at(trajectory, "trajectory_id")
    if run and (own or not above.name):
        return f"{run}/{own}" if own else run
    first = next(_of(trajectory, "user", "system", "agent"), {})
    begun = derived_id("atif", above.name, text_at(first, "timestamp"), _text(first))
    return f"{run}/{begun}" if run else own or begun


def _predecessor(name: str) -> tuple[str, Relation | None]:
    """Return the session that this one continues, or is a subagent of, by Harbor's names."""
    if found := _SUMMARISED.fullmatch(name):
        return found["base"], Relation.SUBAGENT
    if found := _CONTINUED.fullmatch(name):
        number = int(found["number"][:9])
        return found["base"] if number < 2 else f"{found['base']}-cont-{number - 1}", Relation.CONTINUATION
    return "", None


def _metadata(trajectory: JsonMap, agent: JsonMap) -> JsonDict:
    known = {
        "agent": text_at(agent, "name"),
        "agent_version": text_at(agent, "version"),
        "schema_version": text_at(trajectory, "schema_version"),
        "notes": text_at(trajectory, "notes"),
        "continued_in": text_at(trajectory, "continued_trajectory_ref"),
    }
    return non_empty(known)


def _turns(trajectory: JsonMap, passed: Passed) -> Iterator[RecordedTurn]:
    tools = tools_text(object_at(trajectory, "agent").get("tool_definitions"))
    splits = bool(tools) or any(step.get("tool_calls") for step in _of(trajectory, "agent"))
    told: list[str] = []
    for place, step in enumerate(objects_at(trajectory, "steps")):
        source = text_at(step, "source")
        if source in {"user", "system"}:
            told.extend(filter(None, (_text(step, passed), *_notes(step, passed))))
        elif source != "agent":
            passed[LeftOutReason.UNKNOWN_KIND, unknown_as(source, step)] += 1
        elif step.get("is_copied_context") is True:
            passed[LeftOutReason.REPEATED_HISTORY, "step"] += 1
        elif count_at(step, "llm_call_count") == 0:
            passed[LeftOutReason.MADE_BY_CLIENT, "step"] += 1
        else:
            prompt = "\n\n".join(told) if told else None
            told.clear()
            yield _turn(step, place, prompt, tools, passed, splits=splits)


def _turn(
    step: JsonMap, place: int, prompt: str | None, tools: str, passed: Passed, *, splits: bool
) -> RecordedTurn:
    calls = tuple(
        RecordedCall(
            text_at(call, "tool_call_id"), text_at(call, "function_name"), _arguments(call.get("arguments"))
        )
        for call in objects_at(step, "tool_calls")
    )
    results = tuple(_results(step, passed))
    # A response without calls that has an observation was parsed as text.
    is_raw = not calls and (bool(results) or not splits)
    number = count_at(step, "step_id")
    answered = [each.output for each in results if isinstance(each.output, str) and each.output]
    extra = object_at(step, "extra")
    # Whether our own export says that the message is the raw response, and the calls were parsed from it.
    return RecordedTurn(
        place,
        _text(step, passed),
        prompt=prompt,
        feedback="\n\n".join(answered) if is_raw and answered else None,
        occurred_at=time_at(step, "timestamp"),
        external_id=f"step-{place + 1 if number is None else number}",
        capture=Capture.TEXT if is_raw or (text_at(extra, "capture") == Capture.TEXT) else Capture.CALLS,
        calls=calls,
        results=results,
        usage=_usage(object_at(step, "metrics"), extra),
        tools=tools,
        model=text_at(step, "model_name"),
        reasoning=text_at(step, "reasoning_content"),
        compaction=compaction_of(extra, "") if "capture" in extra else None,
    )


def _arguments(given: object) -> str | JsonMap:
    return given if isinstance(given, str | Mapping) else {}


def _results(step: JsonMap, passed: Passed) -> Iterator[RecordedResult]:
    """Yield the results of a step's calls; one without an identifier belongs to the next call in order."""
    for result in objects_at(object_at(step, "observation"), "results"):
        content = result.get("content")
        if "source_call_id" in result or content is not None:
            output = _joined(content, passed) if isinstance(content, list) else content
            yield with_outcome(
                RecordedResult(text_at(result, "source_call_id"), output), object_at(result, "extra")
            )


def _notes(step: JsonMap, passed: Passed) -> Iterator[str]:
    """Yield the observations of a step of another source: a summary that replaces the history, or a note."""
    is_summary = bool(object_at(object_at(step, "extra"), "context_management"))
    for result in _results(step, passed):
        if is_summary:
            passed[LeftOutReason.COMPACTED, "step"] += 1
        elif isinstance(result.output, str):
            yield result.output


def _usage(metrics: JsonMap, extra: JsonMap) -> Usage:
    more = object_at(metrics, "extra")
    thought = count_at(more, "reasoning_tokens")
    took = Usage(
        input_tokens=count_at(metrics, "prompt_tokens"),
        output_tokens=count_at(metrics, "completion_tokens"),
        cached_tokens=count_at(metrics, "cached_tokens"),
        reasoning_tokens=count_at(more, "reasoning_output_tokens") if thought is None else thought,
        cache_write_tokens=count_at(more, "cache_write_tokens"),
        cost_usd=number_at(metrics, "cost_usd"),
    )
    # Only our own export says how much of a response was kept, and has values without a field in the format.
    return with_own(took, extra, "") if "capture" in extra else took


def _of(trajectory: JsonMap, *sources: str) -> Iterator[JsonMap]:
    return (step for step in objects_at(trajectory, "steps") if text_at(step, "source") in sources)


def _text(step: JsonMap, passed: Passed | None = None) -> str:
    message = step.get("message")
    return _joined(message, passed) if isinstance(message, list) else text_at(step, "message")


def _joined(parts: list[Any], passed: Passed | None = None) -> str:
    """Return the texts of a content (1.6); its images are skipped."""
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    if passed is not None and (missing := sum(not isinstance(text, str) for text in texts)):
        passed[LeftOutReason.NO_TEXT, "content"] += missing
    return "\n".join(text for text in texts if isinstance(text, str))


SOURCE = Source(
    "atif",
    "ATIF (Harbor)",
    Capture.CALLS,
    read,
    recognise,
    patterns=("trajectory*.json", "*.trajectory.json", "*.atif.json", "*.atif.jsonl"),
    wordings=WORDINGS,
    loses="Argument strings, which are parsed; whether a call failed, but for its words; which of several calls an observation without an identifier answers, and whether one without calls answers any; steps that no model was asked for; how long a response took; token identifiers.",
    fields=("schema_version", "session_id", "agent", "steps"),
    tested="1.7",
)
