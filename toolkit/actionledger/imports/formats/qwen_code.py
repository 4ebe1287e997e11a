"""Qwen Code's chats: ``~/.qwen/projects/FOLDER/chats/SESSION.jsonl``, and ``subagents/SESSION/agent-TYPE-CALL.jsonl``.

Defined by QwenLM/qwen-code, ``packages/core/src/services/chatRecordingService.ts``; run with 0.24.4. Messages are Gemini's, the frame around them is
Claude Code's: ``uuid``, ``parentUuid``, ``sessionId``. A line of a main session is one response with its tokens; a subagent writes one line for its
text and one for each call. Before a line comes the client's telemetry of the response (``ui_telemetry``): the model that answered and times. For a
response without a line, it is the only record. A fork begins with copies, each with its original line (``forkedFrom``).
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes import gemini
from actionledger.imports.shapes.claude_results import notified
from actionledger.imports.shapes.qwen_results import WORDINGS, call_of, of_event, results_of, usage_of
from actionledger.imports.sources.access import (
    NOTHING,
    non_empty,
    number_at,
    object_at,
    text_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.pieces import FileSessions, OpenTurn, SessionPieces

Line = JsonMap

NAME = "qwen_code"

_KINDS = frozenset({"user", "assistant", "tool_result", "system"})
_MAIN = "########"
"""The part after the session's name in the name of a main request."""

_UNSEEN = {"managed-": "memory", "compress-": "compaction"}
"""Name prefixes and kinds of agents and requests without a transcript, of which telemetry is the only record."""

_HOOKED = "<qwen:user-prompt-submit-context>"
_WORD = regex(r"[a-z_-]*")
_PARTS = regex(r"[#/]")
_MOST_TOLD = 256
"""How many calls without a result are remembered."""
_MOST_BESIDE = 2**16
"""How many bytes of the file next to a subagent's lines are read."""

_NOTES = frozenset(
    {
        "agent_bootstrap", "agent_launch_prompt", "agent_retry", "agent_session_ready", "at_command", "attribution_snapshot",
        "background_task_completed", "branch_checkpoint", "custom_title", "file_history_snapshot", "goal_runtime", "goal_state",
        "goal_turn_end", "omni_recall", "parent_session", "realtime_message", "rewind", "session_artifact_event",
        "session_artifact_snapshot", "session_model", "session_source", "session_sources_snapshot", "slash_command",
        "turn_result", "user_text_elements",
    }
)  # fmt: skip
"""The client's own notes."""


@dataclass(slots=True)
class _Heard:
    """Data of a session that belongs to its next message."""

    prompt: str | None = None
    response: tuple[str, Line] | None = None
    broken: list[tuple[str, Line]] = field(default_factory=list)
    calls: dict[str, Line] = field(default_factory=dict)
    goes_on: str = ""


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a chat's file in pieces, then the skip counts."""
    chat = _Chat(path)
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        if full := chat.take(item[1]):
            yield full.piece()
        if chat.sessions.is_crowded():
            yield chat.sessions.let_go()
    chat.end()
    yield from chat.sessions.end()
    for (reason, detail), count in chat.left_out.items():
        yield LeftOut(shown(path), reason, detail, count)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a chat: its lines have a place in a tree, and messages with parts."""
    lines = [value for value in sample.values if isinstance(value, dict) and "sessionId" in value]
    has_place = [
        line for line in lines if {"uuid", "parentUuid"} <= line.keys() and text_at(line, "type") in _KINDS
    ]
    return float(any("parts" in object_at(line, "message") for line in has_place))


class _Chat:
    """The sessions of one file, with its lines so far."""

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, path.name.split(".jsonl")[0]
        self.sessions = FileSessions(Capture.CALLS)
        self.left_out: Counter[tuple[LeftOutReason, str]] = Counter()
        self._of: dict[str, _Heard] = {}

    def take(self, line: Line) -> SessionPieces | None:
        """Add a line; return its session if a piece of it is complete."""
        kind = text_at(line, "type")
        if kind == "assistant":
            self._take_message(line)
        elif kind == "tool_result":
            self._take_result(line)
        elif kind == "user":
            self._take_words(line)
        elif kind == "system":
            self._take_note(line, text_at(line, "subtype"))
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, line)] += 1
        name = self._name(line)
        session = self._session(name, line) if kind in {"assistant", "tool_result"} else None
        return session if session and session.is_full() else None

    def end(self) -> None:
        """Count data without a message at the end of the file: the message may come later."""
        for heard in self._of.values():
            self._count_broken(heard)
            self.left_out[LeftOutReason.NOT_RECORDED, "response"] += heard.response is not None
        self.left_out = +self.left_out

    def _take_message(self, line: Line) -> None:
        name, key = self._name(line), _key(line)
        session, heard = self._session(name, line), self._heard(name)
        is_part = line.get("isSidechain") is True and "agentRound" not in line and heard.goes_on
        message = gemini.message({**object_at(line, "message"), "role": "model"})
        event = NOTHING if is_part else self._measured(session, heard, line)
        text = message.text if is_part else self._last_try(session, heard, line, message.text, event)
        is_new = not session.has_open(key)
        turn = session.turn(heard.goes_on if is_part else key)
        if turn.is_told_again(key, line.get("message")):
            self.left_out[LeftOutReason.DUPLICATE, "line"] += 1
            return
        if is_new and not is_part:
            turn.occurred_at = time_at(line, "timestamp")
            turn.prompt, heard.prompt = heard.prompt, None
            turn.model = text_at(event, "model") or text_at(line, "model")
            turn.usage = usage_of(object_at(line, "usageMetadata"), event)
            if not session.session.model:
                session.session = replace(session.session, model=turn.model)
        self.left_out.update(message.passed)
        turn.texts += [text] if text else []
        turn.thoughts += [message.reasoning] if message.reasoning else []
        for call in message.calls:
            session.call(turn.external_id, replace(call, at=None))
        heard.goes_on = turn.external_id if line.get("isSidechain") is True else ""

    def _measured(self, session: SessionPieces, heard: _Heard, line: Line) -> Line:
        """Return a message's telemetry; the latest may be of another response, which has no message."""
        if heard.response is None:
            return NOTHING
        _, event = heard.response
        took = object_at(line, "usageMetadata")
        if took and event.get("output_token_count") != took.get("candidatesTokenCount"):
            self._tell_unwritten(session, heard)
            return NOTHING
        heard.response = None
        return event

    def _last_try(self, session: SessionPieces, heard: _Heard, line: Line, text: str, event: Line) -> str:
        """Return the text of a message's last try: the client joins it to an earlier try that was cut off."""
        said = text_at(event, "response_text")
        if heard.broken and said and text.endswith(said) and len(text) > len(said):
            key, error = heard.broken.pop()
            turn = session.turn(key)
            turn.texts = [text[: -len(said)]]
            turn.occurred_at = time_at(line, "timestamp")
            turn.prompt, heard.prompt = heard.prompt, None
            turn.model = text_at(error, "model")
            turn.usage = Usage(finish_reason="error", latency_ms=number_at(error, "duration_ms"))
            text = said
        self._count_broken(heard)
        return text

    def _tell_unwritten(self, session: SessionPieces, heard: _Heard) -> None:
        """Add a response that has telemetry but no line: it was empty, and was retried."""
        if heard.response is None:
            return
        key, event = heard.response
        heard.response = None
        self._take_event(session.turn(key), event)
        turn = session.turn(key)
        turn.prompt, heard.prompt = heard.prompt, None

    def _take_event(self, turn: OpenTurn, event: Line) -> None:
        """Add a response's telemetry: its words and its usage."""
        text = text_at(event, "response_text")
        turn.texts = [text] if text else []
        turn.occurred_at = time_at(event, "event.timestamp")
        turn.model = text_at(event, "model")
        turn.usage = usage_of(NOTHING, event)

    def _count_broken(self, heard: _Heard) -> None:
        for _, error in heard.broken:
            said = error.get("status_code") or text_at(error, "error_type")
            self.left_out[LeftOutReason.NO_RESPONSE, f"api_error {said}".strip()[:40]] += 1
        heard.broken.clear()

    def _take_result(self, line: Line) -> None:
        name = self._name(line)
        session, heard = self._session(name, line), self._heard(name)
        heard.goes_on = ""
        for result in results_of(line, heard.calls):
            heard.calls.pop(result.call_id, None)
            session.result(result)

    def _take_words(self, line: Line) -> None:
        """Add a user message, from a person or the client."""
        name = self._name(line)
        heard = self._heard(name)
        heard.goes_on = ""
        kind, message = (
            text_at(line, "subtype"),
            gemini.message({**object_at(line, "message"), "role": "user"}),
        )
        self.left_out.update(message.passed)
        text = message.text.partition(_HOOKED)[0].rstrip("\n") if _HOOKED in message.text else message.text
        if kind == "notification" and (found := notified(text)) is not None:
            self._session(name, line).amend(*found)
        if kind not in {"", "mid_turn_user_message"}:
            self.left_out[LeftOutReason.INJECTED_CONTEXT, "user"] += 1
        elif text:
            heard.prompt = f"{heard.prompt}\n\n{text}" if heard.prompt else text
        self._tell_unwritten(self._session(name, line), heard)
        self._count_broken(heard)

    def _take_note(self, line: Line, kind: str) -> None:
        payload = object_at(line, "systemPayload")
        if kind == "ui_telemetry":
            self._take_telemetry(line, object_at(payload, "uiEvent"))
            return
        if kind == "chat_compression":
            self.left_out[LeftOutReason.COMPACTED, kind] += 1
            return
        if kind not in _NOTES:
            self.left_out[LeftOutReason.UNKNOWN_KIND, unknown_as(f"system {kind}", payload)] += 1
            return
        self.left_out[LeftOutReason.BOOKKEEPING, kind] += 1
        session = self._session(self._name(line), line)
        if kind == "custom_title" and (title := text_at(payload, "customTitle")):
            origin = {"title": title, "title_source": text_at(payload, "titleSource")}
            session.session = replace(session.session, metadata={**session.session.metadata, **origin})
        elif kind == "parent_session" and (parent := text_at(payload, "parentSessionId")):
            session.session = replace(session.session, parent=parent, relation=Relation.SUBAGENT)

    def _take_telemetry(self, line: Line, event: Line) -> None:
        """Add telemetry to the session that it belongs to."""
        kind, agent = text_at(event, "event.name").partition(".")[2], text_at(event, "subagent_id")
        asked, name = text_at(event, "prompt_id"), self._name(line)
        whose = agent or next((part for part in _PARTS.split(asked) if _unseen(part)), "")
        if kind not in {"api_response", "api_error", "tool_call"}:
            self.left_out[LeftOutReason.BOOKKEEPING, "ui_telemetry"] += 1
        elif _unseen(whose):
            self._take_unseen(f"{name}/{whose}", line, kind, event)
        elif kind == "tool_call":
            calls = self._heard(name).calls
            calls[text_at(event, "call_id")] = event
            if len(calls) > _MOST_TOLD:
                del calls[next(iter(calls))]
        elif agent:
            self.left_out[LeftOutReason.DUPLICATE, "ui_telemetry"] += kind == "api_response"
        elif _MAIN not in asked:
            self.left_out[LeftOutReason.NO_SESSION, _WORD.match(asked)[0].strip("-")[:40]] += 1  # type: ignore[index]
        elif kind == "api_error":
            self._heard(name).broken.append((_key(line), event))
        else:
            heard = self._heard(name)
            self._tell_unwritten(self._session(name, line), heard)
            heard.response = (_key(line), event)

    def _take_unseen(self, name: str, line: Line, kind: str, event: Line) -> None:
        """Add the telemetry of an agent without a transcript: its words, its calls and their results."""
        session, heard = self._session(name, line), self._heard(name)
        if kind == "api_error":
            heard.broken.append((_key(line), event))
        elif kind == "api_response":
            heard.goes_on = _key(line)
            self._take_event(session.turn(heard.goes_on), event)
        elif heard.goes_on:
            session.call(heard.goes_on, call_of(event))
            session.result(of_event(event))

    def _session(self, name: str, line: Line) -> SessionPieces:
        return self.sessions.get(name, lambda: self._begun(name, line))

    def _begun(self, name: str, line: Line) -> RecordedSession:
        above = text_at(line, "sessionId") or self._file
        origin = text_at(object_at(line, "forkedFrom"), "sessionId")
        is_agent = name != above
        known = {key: text_at(line, key) for key in ("version", "cwd", "gitBranch")}
        known["agent_type"] = text_at(line, "agentName")
        return RecordedSession(
            name,
            None,
            text_at(line, "model") or (_model_beside(self._path) if is_agent else ""),
            (self._heard(name).prompt or "").strip().split("\n", 1)[0][:200],
            (),
            metadata=non_empty(known),
            source=NAME,
            parent=above if is_agent else origin,
            relation=Relation.SUBAGENT if is_agent else Relation.FORK if origin else None,
            labels=_unseen(name.rpartition("/")[2]) if is_agent else (),
            ids="source",
        )

    def _heard(self, name: str) -> _Heard:
        return self._of.setdefault(name, _Heard())

    def _name(self, line: Line) -> str:
        """Return the name of a line's session; a subagent's is below its parent's."""
        session, agent = text_at(line, "sessionId") or self._file, text_at(line, "agentId")
        return f"{session}/{agent}" if agent else session


def _model_beside(path: Path) -> str:
    """Return a subagent's model from the file next to its lines; empty if that can't be read."""
    beside = path.with_name(path.name.split(".jsonl")[0] + ".meta.json")
    try:
        told = json.loads(beside.read_bytes()[:_MOST_BESIDE]) if beside.is_file() else None
    except (OSError, ValueError, RecursionError):
        return ""
    return text_at(told, "model")[:200] if isinstance(told, dict) else ""


def _unseen(name: str) -> tuple[str, ...]:
    """Return the kind of an agent or request that has only telemetry; empty for any other."""
    return tuple(what for begins, what in _UNSEEN.items() if name.startswith(begins))


def _key(line: Line) -> str:
    """Return a line's identifier; the original's for a copy in a fork."""
    return text_at(object_at(line, "forkedFrom"), "messageUuid") or text_at(line, "uuid")


_TOOLS = (
    "agent", "ask_user_question", "edit", "exit_plan_mode", "get_goal", "glob", "grep_search", "list_agents", "list_directory",
    "notebook_edit", "read_file", "run_shell_command", "save_memory", "skill", "todo_write", "tool_call", "tool_search",
    "update_goal", "web_fetch", "web_search", "write_file",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "Qwen Code",
    Capture.CALLS,
    read,
    recognise,
    wordings=WORDINGS,
    loses="The text of calls: broken arguments are mended before they are written down; why a response ended; the tools that were offered; thoughts and calls of a try that broke off.",
    fields=("uuid", "parentUuid", "sessionId", "cwd", "version"),
    tools=_TOOLS,
    tested="0.24.4",
)
