"""Sessions of pi, and of openclaw, which runs its engine: ``~/.pi/agent/sessions/--CWD--/TIME_ID.jsonl``, openclaw's ``openclaw-agent.sqlite``.

Defined by badlogic/pi-mono, ``packages/coding-agent/src/core/session-manager.ts``: a line ``session``, then a line for each message and for each thing
that changed; from version 2 on the lines are a tree. A session that was branched off begins with a copy of what it branched from:
these messages are the same turns, and it is a fork.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.values.recordings import RecordedSession, RecordedTurn, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation, TitleOrigin
from actionledger.imports.shapes import pi
from actionledger.imports.shapes.base import Message, Passed, left_out
from actionledger.imports.shapes.openclaw_database import TABLES, events_of_database
from actionledger.imports.sources.access import object_at, text_at, time_at
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source, Wording, seen
from actionledger.imports.sources.containers import OnRead, head_of, shown
from actionledger.imports.sources.databases import HEADER, is_database_with
from actionledger.imports.sources.lines import json_lines
from actionledger.imports.sources.unknown_kinds import told as unknown_as

NAME = "pi"

_PARENT = re.compile(r"_([0-9a-fA-F-]{16,})\.jsonl$")
_OTHERS = {
    "compaction": LeftOutReason.COMPACTED,
    "branch_summary": LeftOutReason.COMPACTED,
    "custom_message": LeftOutReason.INJECTED_CONTEXT,
    "model_change": LeftOutReason.BOOKKEEPING,
    "thinking_level_change": LeftOutReason.BOOKKEEPING,
    "custom": LeftOutReason.BOOKKEEPING,
    "label": LeftOutReason.BOOKKEEPING,
    "session_info": LeftOutReason.BOOKKEEPING,
}
"""What the lines that are no messages are."""

_SUMMARIES = ("compaction", "branch_summary")
"""Those that a model was asked for."""


class _Reading:
    """A session while its lines come in: a turn is given when the next one begins."""

    def __init__(self) -> None:
        self.head: Mapping[str, Any] = {}
        self.name = ""
        self.passed: Passed = Counter()
        self._open: RecordedTurn | None = None
        self._told: list[str] = []
        self._count = 0
        self._summaries: list[tuple[str, Usage]] = []

    def add(self, message: Message) -> Recorded:
        """Take a message; yield the turn before, which it closes."""
        self.passed.update(message.passed)
        if message.speaker == "model":
            yield from self.given()
            if message.is_empty and not message.usage.output_tokens and not message.passed:
                self.passed[LeftOutReason.NO_RESPONSE, message.usage.finish_reason] += 1
                return
            self._begin(message)
        elif message.text:
            self._told.append(message.text)
        if not message.results:
            return
        if self._open is None:
            self.passed[LeftOutReason.NO_CALL, ""] += len(message.results)
        else:
            results = (*self._open.results, *message.results)
            self._open = replace(self._open, results=results)

    def sum_up(self, kind: str, took: Usage) -> None:
        """Take what it took to sum up the history: the next response has it among its own, since it was made for that one."""
        if took.input_tokens or took.output_tokens or took.cost_usd:
            self._summaries.append((kind, took))

    def given(self) -> Recorded:
        """Yield the turn that is open, if one is."""
        if self._open is None:
            return
        turn = replace(self._open, feedback="\n\n".join(self._told) or None)
        self._told.clear()
        self._open = None
        above = text_at(self.head, "parentSession") or text_at(self.head, "branchedFrom")
        parent = _PARENT.search(above)
        yield RecordedSession(
            text_at(self.head, "id"),
            None,
            turn.model or text_at(self.head, "modelId"),
            "",
            (turn,),
            source=NAME,
            parent=parent[1] if parent else "",
            relation=Relation.FORK if parent else None,
            metadata={"cwd": text_at(self.head, "cwd"), "version": self.head.get("version")},
            details=SessionDetails(
                title=self.name,
                title_from=TitleOrigin.PERSON if self.name else None,
                project=text_at(self.head, "cwd"),
                agent=NAME,
            ),
            ids="source",
            is_last=False,
            started_at=time_at(self.head, "timestamp"),
        )

    def _begin(self, message: Message) -> None:
        prompt = "\n\n".join(self._told) if self._told and not self._count else None
        self._told.clear()
        usage = message.usage
        for kind, took in self._summaries:
            usage = pi.with_summary(usage, kind, took)
        self._summaries.clear()
        self._open = RecordedTurn(
            self._count,
            message.text,
            prompt,
            occurred_at=message.occurred_at,
            external_id=message.message_id,
            capture=Capture.CALLS,
            calls=tuple(message.calls),
            usage=usage,
            model=message.model,
            reasoning=message.reasoning,
        )
        self._count += 1


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file, turn by turn."""
    reading = _Reading()
    is_database = head_of(path, len(HEADER), 0).startswith(HEADER)
    for item in events_of_database(path, on_read) if is_database else json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, line = item
        kind = text_at(line, "type")
        if kind == "session" and text_at(line, "id"):
            yield from reading.given()
            passed, reading = reading.passed, _Reading()
            reading.head, reading.passed = line, passed
        elif kind == "session_info" and text_at(line, "name"):
            reading.name = text_at(line, "name")
        elif kind == "message" and not reading.head:
            yield Refusal(shown(path), number, "No line before says which session this message is of.")
        elif kind == "message":
            yield from reading.add(pi.message(object_at(line, "message")))
        else:
            if kind in _SUMMARIES:
                reading.sum_up(kind, pi.usage(object_at(line, "usage")))
            reason = _OTHERS.get(kind, LeftOutReason.UNKNOWN_KIND)
            reading.passed[reason, kind if kind in _OTHERS else unknown_as(kind, line)] += 1
    yield from reading.given()
    yield from left_out(shown(path), reading.passed)


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is a session of pi's."""
    if is_database_with(sample, TABLES):
        return 1.0
    first = sample.values[0] if sample.values else None
    if not isinstance(first, dict) or first.get("type") != "session":
        return 0.0
    return 1.0 if {"id", "timestamp", "cwd"} <= first.keys() else 0.0


_TOOLS = (
    "bash", "edit", "find", "grep", "ls", "read", "write",
)  # fmt: skip
"""The tools that it brings."""

_WORDINGS = seen(
    "",
    "0.73.1",
    (
        Wording(
            r"^Validation failed for tool",
            Reason.SCHEMA_ERROR,
            'Validation failed for tool "bash":\n  - command: must have required properties command',
        ),
        Wording(r"^Tool \S{0,80} ?not found", Reason.UNKNOWN_ACTION, "Tool  not found"),
        Wording(
            r"^Could not find the exact text in ",
            Reason.NO_MATCH,
            "Could not find the exact text in notes.txt. The old text must match exactly.",
        ),
    ),
)

SOURCE = Source(
    NAME,
    "pi and openclaw",
    Capture.CALLS,
    read,
    recognise,
    patterns=("*.jsonl", "*.jsonl.gz", "openclaw-agent*.sqlite"),
    wordings=_WORDINGS,
    loses="The text of calls, the tools that were offered, instructions, how long a response took, which branch of a session a turn is on.",
    fields=("type", "id", "timestamp", "cwd"),
    tools=_TOOLS,
)
"""The format."""
