"""Sessions of pi, and of openclaw, which uses its engine: ``~/.pi/agent/sessions/--CWD--/TIME_ID.jsonl``, openclaw's ``openclaw-agent.sqlite``.

Defined by badlogic/pi-mono, later earendil-works/pi, ``packages/coding-agent/src/core/session-manager.ts``: a line ``session``, then a line for each
message and each change; from version 2 on the lines are a tree. A fork begins with a copy of its origin: the copied messages are the same turns.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic_core import from_json

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.compressed import unpacked_zstd
from actionledger.core.patterns import regex
from actionledger.core.recordings import (
    Billed,
    Compaction,
    RecordedSession,
    RecordedTurn,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation, TitleOrigin
from actionledger.imports.shapes.base import Message, Passed, left_out
from actionledger.imports.shapes.pi_messages import OfferedTools, message, usage
from actionledger.imports.sources.access import count_at, object_at, text_at, time_at, told as unknown_as
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source, Wording, seen
from actionledger.imports.sources.containers import OnRead, head_of, shown
from actionledger.imports.sources.databases import HEADER, Database, Row, is_database_with
from actionledger.imports.sources.json_values import MAX_DEPTH, json_lines
from actionledger.imports.sources.usage import broken_off, with_billed

# openclaw's database of an agent, ``~/.openclaw/agents/AGENT/agent/openclaw-agent.sqlite``, with transcripts since 2026.9.
TABLES: Mapping[str, frozenset[str]] = {"transcript_events": frozenset({"session_id", "seq", "event_json"})}
"""The columns by which it is recognized."""

MAX_EVENT = 4 * 2**20
"""The largest event that openclaw packs, in bytes."""


def events_of_database(path: Path, on_read: OnRead | None = None) -> Iterator[tuple[int, JsonDict] | Refusal]:
    """Yield the events of a database by session, each with its number; an unreadable event is a refusal."""
    columns = ("session_id", "seq", "event_json", "event_zstd")
    with Database.at(path) as database:
        for number, row in enumerate(
            database.rows("transcript_events", columns, order=("session_id", "seq")), 1
        ):
            try:
                yield number, _event(row)
            except ValueError as error:
                where = f"event {row.get('seq')} of session {str(row.get('session_id'))[:80]!r}"
                yield Refusal(shown(path), 0, f"The {where} can't be read: {error}.")
    if on_read:
        on_read(path.stat().st_size)


def _event(row: Row) -> JsonDict:
    text, packed = row.get("event_json"), row.get("event_zstd")
    if text is None and isinstance(packed, bytes):
        text = unpacked_zstd(packed, MAX_EVENT)
    if not isinstance(text, str | bytes):
        raise ValueError("it holds no text")  # noqa: TRY004 - another program's value
    value = from_json(text)
    if not isinstance(value, dict):
        raise ValueError(f"it is not an object, but {type(value).__name__}")  # noqa: TRY004 - the same
    if is_deeper(value, MAX_DEPTH):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    return value


NAME = "pi"

_PARENT = regex(r"_([0-9a-fA-F-]{16,})\.jsonl$")
_OTHERS = {
    "compaction": LeftOutReason.COMPACTED,
    "branch_summary": LeftOutReason.COMPACTED,
    "custom_message": LeftOutReason.INJECTED_CONTEXT,
    "model_change": LeftOutReason.BOOKKEEPING,
    "thinking_level_change": LeftOutReason.BOOKKEEPING,
    "custom": LeftOutReason.BOOKKEEPING,
    "label": LeftOutReason.BOOKKEEPING,
    "context_edit": LeftOutReason.BOOKKEEPING,
    "usage": LeftOutReason.BOOKKEEPING,
    "session_info": LeftOutReason.BOOKKEEPING,
}
"""The lines that are no messages, with their reasons."""


class _Reading:
    """A session while its lines come in: a turn is yielded when the next one begins."""

    def __init__(self) -> None:
        self.head: JsonMap = {}
        self.name = ""
        self.passed: Passed = Counter()
        self._open: RecordedTurn | None = None
        self._told: list[str] = []
        self._count = 0
        self._beside: list[tuple[str, Usage]] = []
        self.tools = OfferedTools()
        self.compaction: Compaction | None = None

    def add(self, message: Message) -> Recorded:
        """Add a message; yield the turn before, which it closes."""
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

    def bill(self, kind: str, took: JsonMap) -> None:
        """Add usage outside of responses, such as a history summary's: the next response includes it."""
        found = usage(took)
        if found.input_tokens or found.output_tokens or found.cost_usd:
            self._beside.append((kind, found))

    def given(self) -> Recorded:
        """Yield the open turn, if there is one."""
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
                aborted=broken_off(turn.usage.finish_reason),
            ),
            ids="source",
            is_last=False,
            started_at=time_at(self.head, "timestamp"),
        )

    def _begin(self, message: Message) -> None:
        prompt = "\n\n".join(self._told) if self._told and not self._count else None
        self._told.clear()
        usage = message.usage
        for kind, took in self._beside:
            # A response's usage includes the summary of the history before it: no message answers that, but it is billed.
            counts: JsonDict = {
                name: getattr(took, name) or 0
                for name in ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")
            }
            with_it = with_billed(usage, [Billed(kind=kind, **counts)])
            costs = [each for each in (usage.cost_usd, took.cost_usd) if each is not None]
            usage = replace(with_it, cost_usd=sum(costs) if usage.cost_usd is not None else None)
        self._beside.clear()
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
            compaction=self.compaction,
            # Arguments of a cut-off answer may be incomplete: nothing says so.
            tools="" if broken_off(usage.finish_reason) else self.tools.text,
        )
        self.compaction = None
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
            said = object_at(line, "message")
            yield from reading.add(message(said))
            if said.get("role") != "assistant":
                reading.tools.take(said)
                reading.bill("tool", object_at(said, "usage"))
        else:
            reading.tools.begin_anew(object_at(line, "systemMessage"))
            reading.bill(text_at(line, "kind")[:80] or kind, object_at(line, "usage"))
            if kind == "compaction":
                reading.compaction = Compaction(tokens_before=count_at(line, "tokensBefore"))
            reason = _OTHERS.get(kind, LeftOutReason.UNKNOWN_KIND)
            reading.passed[reason, kind if kind in _OTHERS else unknown_as(kind, line)] += 1
    yield from reading.given()
    yield from left_out(shown(path), reading.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session of pi's."""
    if is_database_with(sample, TABLES):
        return 1.0
    first = sample.first
    if not isinstance(first, dict) or first.get("type") != "session":
        return 0.0
    return 1.0 if {"id", "timestamp", "cwd"} <= first.keys() else 0.0


_TOOLS = (
    "bash", "edit", "find", "grep", "ls", "read", "write",
)  # fmt: skip
"""The agent's built-in tools."""

_WORDINGS = seen(
    "",
    "1.6.0",
    (
        Wording(
            r"^(?:Validation failed|Invalid arguments) for tool",
            Reason.SCHEMA_ERROR,
            'Validation failed for tool "bash":\n  - command: must have required properties command',
        ),
        Wording(r"^Tool \S{0,80} ?not found", Reason.UNKNOWN_ACTION, "Tool  not found"),
        Wording(r"^Tool execution was blocked\s*\Z", Reason.NOT_APPROVED, "Tool execution was blocked"),
        Wording(
            r"(?:^Operation|(?:^|\n\n)Command) aborted\s*\Z",
            Reason.STOPPED,
            "Built 3 of 9\n\nCommand aborted",
        ),
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
    loses="The text of calls, but of those that can't be parsed (since 1.3); before 1.0, the tools that were offered and how long a response took; instructions; which branch of a session a turn is on.",
    fields=("type", "id", "timestamp", "cwd"),
    tools=_TOOLS,
    tested="3",
)
