"""Copilot CLI's sessions: ``~/.copilot/session-state/SESSION/events.jsonl``.

Its events are defined by github/copilot-sdk (``session-events.schema.json``); run with 1.0.102. A line is an event; subagents write theirs between
their parent's, with an ``agentId``. A response's usage comes before its message (``session.usage_record``). A response that was cut by length, or
whose arguments were no object, has only its usage and its calls' results. Sums at the end repeat earlier values.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.recordings import (
    NO_DETAILS,
    Compaction,
    Permission,
    RecordedCall,
    RecordedSession,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes.copilot_results import (
    WORDINGS,
    ended,
    is_by_client,
    result_of,
    shell_of,
    title_beside,
    usage_of,
)
from actionledger.imports.sources.access import (
    NOTHING,
    count_at,
    given_arguments,
    non_empty,
    object_at,
    objects_at,
    of_copilot,
    text_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.pieces import FileSessions, OpenTurn, SessionPieces

Line = JsonMap

NAME = "copilot"

_NOTES = {
    "system.message": LeftOutReason.INJECTED_CONTEXT,
    "skill.invoked": LeftOutReason.INJECTED_CONTEXT,
    "tool.user_requested": LeftOutReason.INJECTED_CONTEXT,
    "session.compaction_start": LeftOutReason.COMPACTED,
    "session.compaction_complete": LeftOutReason.COMPACTED,
    "session.truncation": LeftOutReason.COMPACTED,
    "tool.execution_partial_result": LeftOutReason.PROGRESS,
    "tool.execution_progress": LeftOutReason.PROGRESS,
    "assistant.message_start": LeftOutReason.PROGRESS,
    "assistant.message_delta": LeftOutReason.PROGRESS,
    "assistant.reasoning_delta": LeftOutReason.PROGRESS,
    "assistant.streaming_delta": LeftOutReason.PROGRESS,
} | dict.fromkeys(
    (
        "abort", "assistant.idle", "assistant.intent", "assistant.turn_end", "assistant.turn_start", "hook.end", "hook.start",
        "permission.requested", "session.auto_mode_resolved", "session.background_tasks_changed", "session.context_changed",
        "session.custom_agents_updated", "session.extensions_loaded", "session.handoff", "session.idle", "session.info",
        "session.mcp_server_status_changed", "session.mcp_servers_loaded", "session.mode_changed", "session.model_change",
        "session.plan_changed", "session.remote_steerable_changed", "session.resume", "session.shutdown",
        "session.skills_loaded", "session.snapshot_rewind", "session.start", "session.task_complete",
        "session.title_changed", "session.todos_changed", "session.tools_updated", "session.usage_checkpoint",
        "session.usage_info", "session.warning", "session.workspace_file_changed", "subagent.completed",
        "subagent.configured", "subagent.deselected", "subagent.failed", "subagent.selected", "subagent.started",
    ),
    LeftOutReason.BOOKKEEPING,
)  # fmt: skip
"""The kinds of events that are no part of a response, with their reasons."""

_SUMMING = "model."
"""The prefix of events of a compaction's own request."""


@dataclass(slots=True)
class _Heard:
    """Data of a session that belongs to its next message."""

    prompt: str | None = None
    thought: str = ""
    usage: tuple[str, Line] | None = None
    about: dict[str, str] = field(default_factory=dict)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a file in pieces, then the skip counts."""
    events = _Events(path)
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        if full := events.take(item[1]):
            yield full.piece()
        if events.sessions.is_crowded():
            yield events.sessions.let_go()
    events.end()
    yield from events.sessions.end()
    for (reason, detail), count in events.left_out.items():
        yield LeftOut(shown(path), reason, detail, count)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session: it begins as one, or its events have their place in a chain."""
    lines = [
        value for value in sample.values if isinstance(value, dict) and isinstance(value.get("data"), dict)
    ]
    if any(
        line.get("type") == "session.start"
        and "copilotVersion" in line["data"]
        and "sessionId" in line["data"]
        for line in lines
    ):
        return 1.0
    ours = [line for line in lines if {"type", "id", "parentId", "timestamp"} <= line.keys()]
    return (
        0.8 if any(text_at(line, "type") in {"assistant.message", "user.message"} for line in ours) else 0.0
    )


class _Events:
    """The sessions of one file, with its events so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._head: Line = NOTHING
        self._start: Line = NOTHING
        self.sessions = FileSessions(Capture.CALLS)
        self.left_out: Counter[tuple[LeftOutReason, str]] = Counter()
        self._of: dict[str, _Heard] = {}
        self._names: dict[str, str] = {}
        self._decided: dict[str, Permission] = {}
        self._shells: dict[str, str] = {}
        self._by_client: set[str] = set()

    def take(self, line: Line) -> SessionPieces | None:
        """Add an event; return its session if a piece of it is complete."""
        kind, data = text_at(line, "type"), object_at(line, "data")
        if kind == "session.start":
            self._head, self._start = data, line
        # The name of an event's session; a subagent's is below its parent's.
        agent = text_at(line, "agentId") or text_at(object_at(line, "data"), "parentToolCallId")
        name = f"{self._whole}/{agent}" if agent else self._whole
        if kind == "assistant.message":
            self._take_message(name, line, data)
        elif kind == "tool.execution_complete":
            self._take_result(name, line, data)
        elif kind == "session.usage_record":
            self._tell_unwritten(name, line)
            self._heard(name).usage = (text_at(line, "id"), line)
        elif kind == "user.message":
            source, text, heard = text_at(data, "source"), text_at(data, "content"), self._heard(name)
            if source and not source.startswith(("agent-", "user")):
                self.left_out[LeftOutReason.INJECTED_CONTEXT, "user.message"] += 1
            elif text:
                heard.prompt = f"{heard.prompt}\n\n{text}" if heard.prompt else text
        elif kind == "system.notification":
            self.left_out[LeftOutReason.INJECTED_CONTEXT, "system.notification"] += 1
            call_id = self._shells.pop(text_at(object_at(data, "kind"), "shellId"), "")
            if call_id and (change := ended(data)) is not None:
                self._session(name, line).amend(call_id, change)
        else:
            self._take_note(name, kind, line, data)
        session = (
            self._session(name, line) if kind in {"assistant.message", "tool.execution_complete"} else None
        )
        return session if session and session.is_full() else None

    def end(self) -> None:
        """Count data without a message at the end of the file: the message may come later."""
        waiting = sum(heard.usage is not None for heard in self._of.values())
        if waiting:
            self.left_out[LeftOutReason.NOT_RECORDED, "response"] += waiting

    def _take_message(self, name: str, line: Line, data: Line) -> None:
        requests = list(objects_at(data, "toolRequests"))
        if is_by_client(data, requests):
            self.left_out[LeftOutReason.MADE_BY_CLIENT, "message"] += 1
            self._by_client.update(text_at(each, "toolCallId") for each in requests)
            return
        session, heard = self._session(name, line), self._heard(name)
        told = object_at(object_at(heard.usage[1], "data"), "usage") if heard.usage else NOTHING
        if told and text_at(told, "apiCallId") != text_at(data, "apiCallId"):
            self._tell_unwritten(name, line)
            told = NOTHING
        turn = session.turn(text_at(data, "messageId") or text_at(line, "id"))
        if turn.is_told_again(text_at(line, "id"), data):
            self.left_out[LeftOutReason.DUPLICATE, "line"] += 1
            return
        heard.usage = None
        session.describe(NO_DETAILS)  # it continues after an interruption
        self._begin(turn, heard, line)
        turn.model = text_at(data, "model") or text_at(told, "model")
        turn.usage = usage_of(told) if told else Usage(output_tokens=count_at(data, "outputTokens"))
        text, thought = text_at(data, "content"), text_at(data, "reasoningText") or heard.thought
        heard.thought = ""
        turn.texts = [text] if text else []
        turn.thoughts = [thought] if thought else []
        if not thought and (data.get("reasoningOpaque") or data.get("encryptedContent")):
            self.left_out[LeftOutReason.ENCRYPTED, "reasoning"] += 1
        for each in requests:
            self._take_call(session, turn, each)

    def _take_call(self, session: SessionPieces, turn: OpenTurn, request: Line) -> None:
        call_id, name, given = (
            text_at(request, "toolCallId"),
            text_at(request, "name"),
            request.get("arguments"),
        )
        is_text = text_at(request, "type") == "custom" and isinstance(given, str)
        arguments = given_arguments(given)
        self._names[call_id] = name
        session.call(
            turn.external_id, RecordedCall(call_id, name, arguments, "text" if is_text else "function")
        )

    def _begin(self, turn: OpenTurn, heard: _Heard, line: Line) -> None:
        turn.occurred_at = time_at(line, "timestamp")
        turn.prompt, heard.prompt = heard.prompt, None

    def _tell_unwritten(self, name: str, line: Line) -> None:
        """Add a response without a message: its text is lost, but not its usage."""
        heard = self._heard(name)
        if heard.usage is None:
            return
        key, event = heard.usage
        heard.usage = None
        told = object_at(object_at(event, "data"), "usage")
        turn = self._session(name, line).turn(key)
        self._begin(turn, heard, event)
        turn.model, turn.usage = text_at(told, "model"), usage_of(told)

    def _take_result(self, name: str, line: Line, data: Line) -> None:
        call_id = text_at(data, "toolCallId")
        if call_id in self._by_client:
            self.left_out[LeftOutReason.MADE_BY_CLIENT, "result"] += 1
            return
        session = self._session(name, line)
        if call_id not in self._names:
            self._take_unwritten_call(name, session, call_id)
        result = result_of(line, self._names.get(call_id, ""), self._decided.pop(call_id, None))
        if shell := shell_of(result.output):
            self._shells[shell] = call_id
        session.result(result)

    def _take_unwritten_call(self, name: str, session: SessionPieces, call_id: str) -> None:
        """Add a call that no message has: its arguments were no object, and are lost."""
        heard = self._heard(name)
        if heard.usage is None:
            return
        key, event = heard.usage
        counts = object_at(object_at(object_at(event, "data"), "usage"), "toolCounts")
        self._tell_unwritten(name, event)
        tool = next(iter(counts)) if len(counts) == 1 else ""
        self._names[call_id] = tool
        session.call(key, RecordedCall(call_id, tool, {}))

    def _take_note(self, name: str, kind: str, line: Line, data: Line) -> None:
        """Add an event that is no part of a response, but may describe one, or the session."""
        if kind == "session.error":
            said = f"{text_at(data, 'errorType')} {data.get('statusCode') or ''}".strip()
            self.left_out[LeftOutReason.NO_RESPONSE, said[:40]] += 1
            return
        if kind == "permission.completed":
            if (permission := of_copilot(data)) is not None:
                self._decided[text_at(data, "toolCallId")] = permission
        elif kind == "tool.execution_start":
            self._names.setdefault(text_at(data, "toolCallId"), text_at(data, "toolName"))
        elif kind == "assistant.reasoning":
            self._heard(name).thought = text_at(data, "content")
        elif kind == "session.compaction_complete" and object_at(data, "compactionTokensUsed"):
            self._take_summary(name, line, data)
        elif kind.startswith(_SUMMING):
            self.left_out[LeftOutReason.COMPACTED, kind[:40]] += 1
        elif kind in _NOTES:
            self.left_out[_NOTES[kind], kind] += 1
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, data or line)] += 1
        if kind in {"assistant.turn_end", "session.shutdown"}:
            self._tell_unwritten(name, line)
        if kind == "subagent.started":
            told = {"agent_type": text_at(data, "agentName"), "title": text_at(data, "agentDescription")}
            self._heard(name).about |= non_empty(told)
        elif kind == "session.shutdown" and name in self._of:
            session = self._session(name, line)
            why, when = text_at(data, "shutdownType"), time_at(line, "timestamp")
            session.session = replace(session.session, reason=why, finished_at=when)
        elif kind == "abort" and name in self._of:
            session = self._session(name, line)
            why = text_at(data, "reason")
            session.session = replace(session.session, reason=f"abort {why}".strip())
            session.describe(SessionDetails(aborted=why or "abort"))

    def _take_summary(self, name: str, line: Line, data: Line) -> None:
        """Add the response that a compaction requested, as a session of its own."""
        before, after = (count_at(data, f"{when}CompactionTokens") for when in ("pre", "post"))
        if data.get("success") is not False and (compacted := self.sessions.there(name)):
            compacted.compact(Compaction(tokens_before=before, tokens_after=after))
        attempt = text_at(data, "compactionAttemptId") or text_at(line, "id")
        session = self._session(f"{name}/compaction-{attempt}", line)
        session.session = replace(session.session, labels=("compaction",))
        turn, told = session.turn(attempt), object_at(data, "compactionTokensUsed")
        turn.texts = [text_at(data, "summaryContent")]
        turn.occurred_at, turn.model, turn.usage = (
            time_at(line, "timestamp"),
            text_at(told, "model"),
            usage_of(told),
        )

    def _session(self, name: str, line: Line) -> SessionPieces:
        return self.sessions.get(name, lambda: self._begun(name, line))

    def _begun(self, name: str, line: Line) -> RecordedSession:
        above, heard, context = self._whole, self._heard(name), object_at(self._head, "context")
        is_child = name != above
        known = {
            "version": text_at(self._head, "copilotVersion"),
            **{
                key: text_at(context, key)
                for key in ("cwd", "repository", "branch", "headCommit", "baseCommit")
            },
            **(heard.about if is_child else title_beside(self._path)),
        }
        told = object_at(object_at(heard.usage[1], "data"), "usage") if heard.usage else NOTHING
        return RecordedSession(
            name,
            None,
            text_at(object_at(line, "data"), "model")
            or text_at(told, "model")
            or text_at(self._head, "selectedModel"),
            (heard.prompt or "").strip().split("\n", 1)[0][:200],
            (),
            metadata=non_empty(known),
            source=NAME,
            parent=above if is_child else "",
            relation=Relation.SUBAGENT if is_child else None,
            ids="source",
            started_at=None if is_child else time_at(self._start, "timestamp"),
        )

    def _heard(self, name: str) -> _Heard:
        return self._of.setdefault(name, _Heard())

    @property
    def _whole(self) -> str:
        """Return the session's own name; without a beginning, a file is named by its folder, which is the same."""
        own = self._path.name.split(".jsonl")[0]
        return text_at(self._head, "sessionId") or (self._path.parent.name if own == "events" else own)


_TOOLS = (
    "apply_patch", "ask_user", "bash", "create", "edit", "exit_plan_mode", "fetch_copilot_cli_documentation", "glob", "grep",
    "list_agents", "list_bash", "powershell", "read_agent", "read_bash", "report_intent", "rg", "session_store_sql", "skill", "sql", "stop_bash",
    "store_memory", "task", "task_complete", "update_todo", "view", "web_fetch", "web_search", "write_agent", "write_bash",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "Copilot CLI",
    Capture.CALLS,
    read,
    recognise,
    patterns=("events.jsonl", "*.jsonl", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses="The text of calls: of broken arguments nothing is kept; a text that was cut by its length; tries that broke off; the tools that were offered; which model answered, but for the one that was asked.",
    fields=("type", "data", "id", "timestamp", "parentId"),
    tools=_TOOLS,
    tested="1.0.102",
)
