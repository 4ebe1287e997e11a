"""Trajectories of mini-swe-agent: ``*.traj.json``, a bare list of messages at first, then ``{info, messages, trajectory_format}``.

Defined by ``src/minisweagent`` of github.com/SWE-agent/mini-swe-agent (``agents/default.py``, ``models/utils``), versions 1 and 2. An assistant
message is a turn: in version 1 the raw response with one fenced block of bash, in version 2 a message with a provider's calls. A response in the
wrong form is in the note that answers it (``extra.model_response``, since 2.4 the whole body as ``extra.response``), and none of its calls is run.
Results contain ``<returncode>`` or have it as a field.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult, RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes import openai_chat, openai_responses
from actionledger.imports.shapes.base import Message, Passed, left_out, since_epoch
from actionledger.imports.shapes.conversation import conversation
from actionledger.imports.sources.access import (
    exit_status_of,
    non_empty,
    number_at,
    object_at,
    objects_at,
    text_at,
)
from actionledger.imports.sources.base import Item, Refusal, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, document_or_part

_FENCED = regex(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_RETURNED = regex(r"\A\s*<returncode>\s*(-?\d{1,10})\s*</returncode>")
_REFUSED = regex(r"(?i)\A\s*(?:please always provide exactly one action|<?format_error|format error)")
_NAMES = regex(rb'"trajectory_format"\s*:\s*"mini-swe-agent')
_MARKS = regex(rb"mswea_bash_command|COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT")


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the session of a trajectory, then the skip counts."""
    try:
        whole, reason = document_or_part(path, on_read, Elements(("messages",), known_by=("instance_id",)))
    except SourceError as error:
        yield Refusal(shown(path), 0, str(error))
        return
    if reason:
        yield Refusal(shown(path), 0, reason)
    held = {"messages": whole} if isinstance(whole, list) else whole
    if not isinstance(held, dict) or not isinstance(held.get("messages"), list):
        yield Refusal(shown(path), 0, "The document is not a trajectory: it has no list of messages.")
        return
    passed: Passed = Counter()
    session = _session(held, path, passed)
    if not session.turns and held["messages"]:
        passed[LeftOutReason.NO_RESPONSE, "trajectory"] += 1
    if session.turns or session.reason:
        yield session
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a trajectory: it says so, or it is a list of messages with the agent's final command."""
    if sample.head.lstrip().startswith(b"{"):
        return float(bool(_NAMES.search(sample.head)) or (b'"mini_version"' in sample.head[:100_000]))
    is_list = sample.head.lstrip().startswith(b"[")
    return float(is_list and b'"role"' in sample.head[:400] and bool(_MARKS.search(sample.head)))


def _session(held: JsonMap, path: Path, passed: Passed) -> RecordedSession:
    info = object_at(held, "info")
    stats, config = object_at(info, "model_stats"), object_at(info, "config")
    instance = text_at(held, "instance_id") or path.name.split(".")[0]
    passed.update(_no_objects(held["messages"]))
    told = conversation(_messages(held))
    passed.update(told.passed)
    splits = any(call.kind == "function" for turn in told.turns for call in turn.calls)
    turns = tuple(
        replace(
            turn,
            external_id=f"turn-{turn.index}",
            capture=Capture.ARGUMENTS if splits else Capture.TEXT,
            prompt="\n\n".join(filter(None, (told.system, turn.prompt))) if turn.index == 0 else turn.prompt,
            demands_action=not turn.calls and bool(_REFUSED.match(turn.feedback or "")),
        )
        for turn in told.done(Capture.ARGUMENTS)
    )
    begun = turns[0].text if turns else ""
    model = text_at(object_at(config, "model"), "model_name")
    known = {
        "instance": instance,
        "mini_version": text_at(info, "mini_version"),
        "cost_usd": number_at(stats, "instance_cost"),
    }
    return RecordedSession(
        f"{instance}-{derived_id('mini_swe_agent', instance, model, begun)[:8]}",
        None,
        model or next((turn.model for turn in turns if turn.model), ""),
        instance,
        turns,
        reason=text_at(info, "exit_status"),
        metadata=non_empty(known),
        source=SOURCE.name,
    )


def _no_objects(values: list[Any]) -> Passed:
    return Counter(
        (LeftOutReason.NOT_AN_OBJECT, type(each).__name__) for each in values if not isinstance(each, dict)
    )


def _messages(held: JsonMap) -> Iterator[Message]:
    waiting = ""
    values = list(objects_at(held, "messages"))
    for number, value in enumerate(values):
        extra = object_at(value, "extra")
        if text_at(value, "object") == "response" or text_at(value, "role") == "assistant":
            said = _response(value, extra)
            # The runtime may require fences with another label: then its note says that it found none.
            is_read = not said.calls and not any(
                bool(_REFUSED.match(openai_chat.message(each).text))
                for each in values[number + 1 : number + 2]
            )
            commands = _FENCED.findall(said.text) if is_read else []
            waiting = f"command-{number}" if len(commands) == 1 else ""
            if waiting:
                said.call(waiting, "bash", commands[0].strip(), "text")
            yield said
            continue
        note = openai_chat.message(value)
        refused = _refused(extra)
        if refused is not None:
            yield refused
            waiting = ""
            note.results = [
                RecordedResult(call.call_id, note.text, is_error=True, reason=Reason.SCHEMA_ERROR)
                for call in refused.calls
                if call.call_id
            ]
        if text_at(value, "role") == "exit":
            note = Message("system")
            note.pass_over(LeftOutReason.BOOKKEEPING, "exit")
        elif text_at(value, "type") == "function_call_output":
            # Read a call's result, in the form of the Responses interface.
            found = Message("tool")
            found.result(value.get("call_id"), value.get("output"))
            note = found
        elif waiting and note.speaker == "person":
            note.result(waiting, note.text)
            note.text, waiting = "", ""
        if note.is_empty and not note.passed:
            note.pass_over(LeftOutReason.EMPTY, "message")
        note.results = [replace(each, exit_status=_exit(each.output, extra)) for each in note.results]
        yield note


def _refused(extra: JsonMap) -> Message | None:
    """Return the response in the wrong form from the note that answers it, its only record; None if there is none."""
    if text_at(extra, "model_response"):
        return Message("model", text_at(extra, "model_response"))
    raw = object_at(extra, "response")
    if not raw:
        return None
    said = object_at(next(objects_at(raw, "choices"), {}), "message")
    return _response({"role": "assistant", **said} if said else raw, extra)


def _response(value: JsonMap, extra: JsonMap) -> Message:
    if text_at(value, "object") == "response":
        answered = openai_responses.response(value).messages
        said = answered[0] if answered else Message("model")
    else:
        said = openai_chat.message(value)
        raw = object_at(extra, "response")
        if raw:
            choice = next(objects_at(raw, "choices"), {})
            taken = openai_chat.usage(object_at(raw, "usage"))
            said.usage = replace(taken, finish_reason=text_at(choice, "finish_reason")[:80])
            said.model = text_at(raw, "model")
    said.message_id = ""
    said.usage = _with_cost(said.usage, number_at(extra, "cost"))
    said.occurred_at = said.occurred_at or _time(extra) or _time(value)
    return said


def _with_cost(usage: Usage, cost: float | None) -> Usage:
    return usage if cost is None else replace(usage, cost_usd=cost)


def _time(value: JsonMap) -> datetime | None:
    return since_epoch(value.get("timestamp"))


def _exit(output: object, extra: JsonMap) -> int | None:
    if (held := exit_status_of(extra.get("returncode"))) is not None:
        return held
    found = _RETURNED.match(output) if isinstance(output, str) else None
    return exit_status_of(int(found[1])) if found else None


SOURCE = Source(
    "mini_swe_agent",
    "mini-swe-agent",
    Capture.TEXT,
    read,
    recognise,
    patterns=("*.traj.json",),
    wordings=(
        Wording(
            r"^The last command <command>(?s:.{0,1500}?)</command> timed out",
            Reason.TIMEOUT,
            "The last command <command>sleep 99</command> timed out and has been killed.",
            is_telling=True,
        ),
        Wording(
            r"action was not executed",
            Reason.CANCELLED,
            "<exception>action was not executed</exception>",
            is_telling=True,
        ),
    ),
    loses=(
        "Tokens and times, where the provider's response isn't kept; calls in the wrong form of version 2 before 2.4; whether "
        "the change solved the problem."
    ),
    dialects=("bash_fence",),
    fields=("info", "messages", "trajectory_format"),
)
