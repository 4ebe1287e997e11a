"""openclaw's telemetry: lines about its agents' work, as the plugin telemetry-hal writes them.

``message.in``, ``agent.start`` with the prompt, ``tool.start`` and ``tool.end``, ``agent.end`` with all messages of the session so far, in pi's form.
Tool events have no call identifiers, and the messages hold the same and more. So tool events are only counted, as progress if the session's end is
not there yet. No call is recorded twice when it comes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.shapes.conversation import conversation
from actionledger.imports.shapes.pi_messages import message
from actionledger.imports.sources.access import objects_at, text_at, told as unknown_as
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines

NAME = "openclaw_telemetry"

_TOOLS = frozenset({"tool.start", "tool.end"})
_KINDS = _TOOLS | {"message.in", "message.out", "agent.start", "agent.end", "llm.usage"}


@dataclass(slots=True)
class _Session:
    """A session while its events come in."""

    given: set[str] = field(default_factory=set)
    turns: int = 0
    tools: Counter[str] = field(default_factory=Counter)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a file."""
    passed: Passed = Counter()
    sessions: defaultdict[str, _Session] = defaultdict(_Session)
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        event = item[1]
        kind, name = text_at(event, "type"), text_at(event, "sessionKey")
        if kind in _TOOLS and name:
            sessions[name].tools[kind] += 1
        elif kind == "agent.end" and name:
            yield from _ended(name, sessions[name], event, passed)
        else:
            reason = LeftOutReason.BOOKKEEPING if kind in _KINDS else LeftOutReason.UNKNOWN_KIND
            passed[reason, kind if kind in _KINDS else unknown_as(kind, event)] += 1
    for session in sessions.values():
        for kind, count in session.tools.items():
            passed[LeftOutReason.PROGRESS, kind] += count
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is openclaw's telemetry."""
    first = [each for each in sample.values[:8] if isinstance(each, dict)]
    known = sum(text_at(each, "type") in _KINDS and "ts" in each and "seq" in each for each in first)
    return 1.0 if first and known == len(first) else 0.0


def _ended(name: str, session: _Session, event: JsonMap, passed: Passed) -> Iterator[RecordedSession]:
    """Yield the turns of a session that no earlier end had."""
    whole = conversation(map(message, objects_at(event, "messages")))
    turns = whole.done(Capture.CALLS, splits=True)
    new = tuple(turn for turn in turns if turn.external_id not in session.given)
    if repeated := len(turns) - len(new):
        passed[LeftOutReason.REPEATED_HISTORY, "message"] += repeated
    else:
        passed.update(whole.passed)
    for kind, count in session.tools.items():
        passed[LeftOutReason.DUPLICATE, kind] += count
    session.tools.clear()
    session.given.update(turn.external_id for turn in new)
    placed = tuple(replace(turn, index=session.turns + place) for place, turn in enumerate(new))
    session.turns += len(new)
    if placed:
        yield _piece(name, placed, event)


def _piece(name: str, turns: tuple[RecordedTurn, ...], event: JsonMap) -> RecordedSession:
    return RecordedSession(
        name,
        None,
        next((turn.model for turn in turns if turn.model), ""),
        "",
        turns,
        source=NAME,
        metadata={"agent": text_at(event, "agentId")},
        labels=("subagent",) if ":subagent:" in name else (),
        is_last=False,
    )


SOURCE = Source(
    NAME,
    "openclaw's telemetry",
    Capture.CALLS,
    read,
    recognise,
    loses="The text of calls, the tools that were offered, how long a response took, whose child a session is; a session whose end is missing.",
    fields=("type", "ts", "seq"),
)
