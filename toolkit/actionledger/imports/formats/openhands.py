"""Recordings of OpenHands: trajectories and ``output.jsonl`` before version 1, since then a conversation's folder.

Defined by ``openhands/events`` of github.com/All-Hands-AI/OpenHands (0.9 to 0.62) and ``openhands-sdk/openhands/sdk/event`` of
github.com/OpenHands/software-agent-sdk (1.x). Before version 1 a file is a list of events, or a line for each instance with its ``history``: of
events, or of pairs of an action and its observation. Since then there is one event per file in ``events/`` next to a ``base_state.json``, which is
the file to import, or one event per line in an export. The provider's whole answer is in ``tool_call_metadata`` (V0), the argument strings in
``tool_call`` (V1); events of one answer are one turn.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.shapes.openhands_events import KINDS, V0Events, V1Events, begun, events_of
from actionledger.imports.sources.access import non_empty, number_at, object_at, text_at, time_at
from actionledger.imports.sources.base import Item, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_document, json_objects, objects_of

_EVENT = regex(r"event-\d+-.+\.json")


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a recording, long ones in pieces, then the skip counts."""
    passed: Passed = Counter()
    objects = json_objects(path, on_read)
    first = next((each for each in objects if not isinstance(each, Refusal)), None)
    if first is None:
        yield Refusal(shown(path), 0, "It holds no event of OpenHands.")
    elif "history" in first:
        yield from _instances(chain([first], objects), path, passed)
    elif _is_state(first):
        yield from _conversation(first, path, _events_beside(path), passed)
    elif "kind" in first and _EVENT.fullmatch(path.name) and path.parent.name == "events":
        # In a folder without a state, only the first event's file yields the conversation; other event files repeat it.
        state = path.parent.parent / "base_state.json"
        if state.exists() or path != _files(path.parent)[0]:
            passed[LeftOutReason.DUPLICATE, "event"] += 1
        else:
            yield from _conversation({"id": path.parent.parent.name}, path, _events_beside(state), passed)
    elif "kind" in first:
        yield from _conversation({}, path, chain([first], objects), passed)
    else:
        yield from _stream(chain([first], objects), path, passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a recording of OpenHands, by its first object."""
    first = next(iter(objects_of(sample)), None)
    if first is None:
        return 0.0
    if _is_state(first) or text_at(first, "kind") in KINDS:
        return float("id" in first)
    if isinstance(first.get("history"), list):
        return float(any(_is_event(event) for event in events_of(first["history"][:5])))
    return float(_is_event(first))


def _is_event(value: JsonMap) -> bool:
    if "role" in value:  # a message of SWE-agent's, which has its action next to it
        return False
    is_action = bool(text_at(value, "action")) and (
        "args" in value or "content" in value or "thought" in value
    )
    return is_action or (bool(text_at(value, "observation")) and "content" in value)


def _is_state(value: JsonMap) -> bool:
    return {"id", "agent", "workspace", "execution_status"} <= value.keys()


def _instances(lines: Iterator[JsonMap | Refusal], path: Path, passed: Passed) -> Iterator[Item]:
    for line in lines:
        if isinstance(line, Refusal):
            yield line
            continue
        held = line.get("history")
        history = held if isinstance(held, list) else []
        issue = object_at(line, "issue")
        numbered = "/".join(str(issue[key]) for key in ("owner", "repo", "number") if key in issue)
        instance = text_at(line, "instance_id") or numbered or path.name.split(".")[0]
        reading = V0Events(
            RecordedSession(
                f"{instance}-{derived_id('openhands', instance, begun(history))[:8]}",
                None,
                text_at(object_at(object_at(line, "metadata"), "llm_config"), "model"),
                (text_at(issue, "title") or text_at(line, "instruction")).strip().split("\n", 1)[0][:200],
                (),
                _success(line),
                reason=text_at(line, "error"),
                metadata=_metadata(line, instance),
                source=SOURCE.name,
            ),
            passed,
        )
        yield from _given(reading, events_of(history))


def _success(line: JsonMap) -> bool | None:
    """Return an instance's success as judged by the harness, or by the resolver itself."""
    result = object_at(line, "test_result")
    held = (
        line.get("success"),
        line.get("resolved"),
        result.get("resolved"),
        object_at(result, "report").get("resolved"),
    )
    return next((each for each in held if isinstance(each, bool)), None)


def _metadata(line: JsonMap, instance: str) -> JsonDict:
    known = {
        "instance": instance,
        "agent": text_at(object_at(line, "metadata"), "agent_class"),
        "cost_usd": number_at(object_at(line, "metrics"), "accumulated_cost"),
    }
    return non_empty(known)


def _stream(events: Iterator[JsonMap | Refusal], path: Path, passed: Passed) -> Iterator[Item]:
    whole: list[Any] = []
    for event in events:
        if isinstance(event, Refusal):
            yield event
        else:
            whole.append(event)
    name = path.name.split(".")[0]
    asked = next((object_at(each, "args") for each in whole if text_at(each, "action") == "message"), {})
    session = RecordedSession(
        f"{name}-{derived_id('openhands', begun(whole))[:8]}",
        None,
        "",
        text_at(asked, "content").strip().split("\n", 1)[0][:200],
        (),
        source=SOURCE.name,
        started_at=time_at(whole[0], "timestamp"),
    )
    yield from _given(V0Events(session, passed), iter(whole))


def _conversation(
    state: JsonMap, path: Path, events: Iterator[JsonMap | Refusal], passed: Passed
) -> Iterator[Item]:
    llm = object_at(object_at(state, "agent"), "llm")
    name = text_at(state, "id") or path.name.split(".")[0]
    session = RecordedSession(
        name,
        None,
        text_at(llm, "model"),
        "",
        (),
        reason=text_at(state, "execution_status"),
        source=SOURCE.name,
    )
    yield from _given(V1Events(session, state, passed), events)


def _given(reading: V0Events | V1Events, events: Iterator[JsonMap | Refusal]) -> Iterator[Item]:
    for event in events:
        if isinstance(event, Refusal):
            yield event
            continue
        reading.take(event)
        if reading.pieces.is_full():
            yield reading.pieces.piece()
    yield reading.pieces.piece(is_last=True)


def _files(folder: Path) -> list[Path]:
    """Return a folder's event files in the order of the numbers in their names."""
    return sorted(folder.glob("event-*.json"))


def _events_beside(path: Path) -> Iterator[JsonMap | Refusal]:
    files = _files(path.parent / "events")
    if not files:
        yield Refusal(
            shown(path), 0, "There is no event beside it: give the conversation's folder as it was written."
        )
    for file in files:
        try:
            event = json_document(file)
        except SourceError as error:
            yield Refusal(shown(file), 0, str(error))
            continue
        yield event if isinstance(event, dict) else Refusal(shown(file), 0, "It is not an object.")


SOURCE = Source(
    "openhands",
    "OpenHands",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("base_state.json", "output*.jsonl", "*.jsonl", "*.json"),
    wordings=(
        Wording(
            r"^\[?Your proposed edit has introduced new syntax error",
            Reason.CODE_ERROR,
            "[Your proposed edit has introduced new syntax error(s). Please understand the errors",
            is_telling=True,
        ),
        Wording(
            r"^ERROR:\s+No replacement was performed.{0,200}(?:did not appear|not appear verbatim)",
            Reason.NO_MATCH,
            "ERROR:\nNo replacement was performed, old_str `x` did not appear verbatim in a.py.",
            is_telling=True,
        ),
        Wording(
            r"^ERROR:\s+No replacement was performed. Multiple",
            Reason.SEVERAL_MATCHES,
            "ERROR:\nNo replacement was performed. Multiple occurrences of old_str",
            is_telling=True,
        ),
        Wording(
            r"^Tool '[^']{1,80}' not found",
            Reason.UNKNOWN_ACTION,
            "Tool 'reader' not found. Available: ['terminal']",
        ),
        Wording(
            r"^Error validating (?:args|tool)",
            Reason.SCHEMA_ERROR,
            "Error validating args {} for tool 'terminal'",
        ),
        Wording(
            r"^Cannot execute multiple commands at once",
            Reason.COMMAND_REFUSED,
            "Cannot execute multiple commands at once.",
            is_telling=True,
        ),
        Wording(r"^ERROR:\s", Reason.TOOL_ERROR, "ERROR:\nInvalid `path` parameter", is_telling=True),
        Wording(
            r"(?m)^Traceback \(most recent call last\)",
            Reason.CODE_ERROR,
            "x\nTraceback (most recent call last):",
            is_telling=True,
        ),
        Wording(
            r"^(?:/bin/)?(?:ba)?sh: (?:line \d+: )?.{0,200}: command not found",
            Reason.NOT_FOUND,
            "bash: line 1: foo: command not found",
            is_telling=True,
        ),
    ),
    loses=(
        "The raw text of agents that used no provider's calls (before version 1); whether code failed, but for its words; tokens, "
        "where neither the answer nor the conversation's state has them; who of several agents acted (delegation before version 1)."
    ),
    fields=("id", "timestamp", "source"),
)
