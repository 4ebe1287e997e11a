"""Codex's rollouts: ``~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl``, of the command line and the desktop program.

Defined by ``codex-rs/protocol`` of github.com/openai/codex (``models.rs``, ``protocol.rs``), versions 0.120 to 0.145. A line is
``{timestamp, type, payload}``. What the model wrote are ``response_item`` lines, those between two token counts or results one
response; ``event_msg`` lines say most of it again, and a few things beside it: how a command ended, and what a response took.
Arguments are the text that the model wrote. A sub-agent's or a fork's file begins with a copy of its parent's history.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.common.text import utf8_with_halves
from actionledger.sources.access import object_at, objects_at, text_at, time_at
from actionledger.sources.base import (
    Item,
    LeftOut,
    RecordedCall,
    RecordedSession,
    Refusal,
    Sample,
    Source,
)
from actionledger.sources.containers import OnRead, shown
from actionledger.sources.lines import json_lines
from actionledger.sources.pieces import OpenTurn, SessionPieces
from actionledger.sources.shapes.codex_results import ENDS, UNSAID, WORDINGS, End, ended, result_of
from actionledger.sources.shapes.openai_responses import thoughts_of
from actionledger.sources.usage import usage_of
from actionledger.vocabulary import Capture, LeftOutReason, Relation

Line = Mapping[str, Any]

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_REPEATED = frozenset(
    {"agent_message", "user_message", "agent_reasoning", "agent_reasoning_raw_content", "web_search_end"}
)
_EVENTS = frozenset(
    {
        "task_started", "task_complete", "turn_aborted", "context_compacted", "thread_name_updated", "entered_review_mode",
        "exited_review_mode", "sub_agent_activity", "thread_rolled_back", "item_completed", "undo_completed", "error",
        "stream_error", "background_event", "dynamic_tool_call_request",
    }
)  # fmt: skip
_KINDS = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"})
_INJECTED = re.compile(r"\s*(?:<[a-z_]+(?:>|\s)|# AGENTS\.md instructions)")
"""What a person's message begins with where the client has written it."""


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the session of a rollout in pieces, then what was passed over; so of each, where a stream holds several.

    Args:
        path: the file, plain or gzipped; ``-`` for the standard input.
        on_read: is told how far it is read.

    Raises:
        SourceError: the file can't be opened.
    """
    rollout = _Rollout(path)
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        if rollout.is_over(item[1]):
            yield from rollout.end()
            rollout = _Rollout(path)
        rollout.take(item[1])
        if rollout.pieces and rollout.pieces.is_full():
            yield rollout.pieces.piece()
    yield from rollout.end()


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is a rollout: each line has a time, a kind and a payload."""
    lines = [value for value in sample.values if isinstance(value, dict)]
    fitting = [line for line in lines if "timestamp" in line and isinstance(line.get("payload"), dict)]
    if not fitting or len(fitting) < len(lines):
        return 0.0
    return 1.0 if any(line.get("type") in _KINDS for line in fitting) else 0.0


class _Rollout:
    """The session of one file, as far as its lines have come."""

    def __init__(self, path: Path) -> None:
        self.pieces: SessionPieces | None = None
        self.left_out: Counter[tuple[LeftOutReason, str]] = Counter()
        self._path = path
        self._name = self._anchor = path.name.split(".jsonl")[0]
        self._model = ""
        self._prompt: str | None = None
        self._response: list[tuple[Line, Line]] = []
        self._has_said = False
        self._last = ""
        self._tokens: Any = None
        self._ends: dict[str, End] = {}

    def is_over(self, line: Line) -> bool:
        """Return whether a line begins another session: those that this one comes from have their heads before anything is said."""
        if line.get("type") != "session_meta":
            return False
        return self._has_said and not self._is_own(object_at(line, "payload"))

    def end(self) -> Iterator[Item]:
        """Yield what has not been given away, and what was passed over."""
        self.end_response()
        if self.pieces and not self.pieces.is_empty():
            yield self.pieces.piece(is_last=True)
        elif self.pieces:  # its model and its task are those of its first response
            self.left_out[LeftOutReason.EMPTY, "session"] += 1
        for (reason, detail), count in self.left_out.items():
            yield LeftOut(shown(self._path), reason, detail, count)

    def take(self, line: Line) -> None:
        """Take in a line."""
        kind, payload = text_at(line, "type"), object_at(line, "payload")
        if kind == "response_item":
            self._take_item(line, payload)
        elif kind == "event_msg":
            self._take_event(payload)
        elif kind == "session_meta":
            self._take_meta(payload)
        elif kind == "turn_context":
            self._model = text_at(payload, "model") or self._model
        elif kind == "compacted":
            self.left_out[LeftOutReason.COMPACTED, "history"] += 1
        else:
            known = kind in _KINDS or kind == "inter_agent_communication_metadata"
            reason = LeftOutReason.BOOKKEEPING if known else LeftOutReason.UNKNOWN_KIND
            self.left_out[reason, kind[:40]] += 1

    def end_response(self) -> None:
        """Make a turn of what the model has written since its last response."""
        if not self._response:
            return
        items, self._response = self._response, []
        first = next((item for _, item in items if text_at(item, "type") != "reasoning"), None)
        if first is None and any(_holds_sign(item) for _, item in items):
            first = items[0][1]
        if first is None:  # the file ends here, or nothing came of the thought
            self.left_out[LeftOutReason.EMPTY, "response"] += 1
            return
        pieces = self._session(items[0][0])
        self._last = external_id = self._identity(first)
        is_new = not pieces.has_open(external_id)
        turn = pieces.turn(external_id)
        if is_new:
            turn.occurred_at, turn.model = time_at(items[0][0], "timestamp"), self._model
            turn.prompt = self._prompt
        self._prompt = None
        there = [*turn.texts, *turn.thoughts, *turn.calls.values()]  # a stream may hold a file twice
        for _, item in items:
            if there and (parts := _parts(item)) and all(part in there for part in parts):
                self.left_out[LeftOutReason.DUPLICATE, text_at(item, "type")[:40]] += 1
            else:
                self._take_part(pieces, external_id, item)

    def _take_meta(self, meta: Line) -> None:
        """Take in the head of a file: the first is its own, a later one that of the history which is copied behind it."""
        self.end_response()
        self._anchor = text_at(meta, "id") or self._anchor
        if self._is_own(meta):
            self._has_said = False
        if self.pieces is not None:
            self.left_out[LeftOutReason.BOOKKEEPING, "session_meta"] += 1
            return
        spawned = object_at(object_at(object_at(meta, "source"), "subagent"), "thread_spawn")
        above = text_at(meta, "parent_thread_id") or text_at(spawned, "parent_thread_id")
        parent = above or text_at(meta, "forked_from_id")
        relation = (Relation.SUBAGENT if above else Relation.FORK) if parent else None
        known = {
            key: text_at(meta, key)
            for key in ("cli_version", "cwd", "originator", "agent_nickname", "agent_role")
        }
        self._begin(
            RecordedSession(
                self._anchor,
                None,
                "",
                "",
                (),
                metadata={key: value for key, value in known.items() if value},
                source=SOURCE.name,
                parent=parent,
                relation=relation,
                ids="source",
                started_at=time_at(meta, "timestamp"),
            )
        )

    def _is_own(self, meta: Line) -> bool:
        return self.pieces is None or text_at(meta, "id") in {"", self.pieces.session.external_id}

    def _begin(self, session: RecordedSession) -> SessionPieces:
        self.pieces = SessionPieces(session, Capture.ARGUMENTS)
        return self.pieces

    def _session(self, line: Line) -> SessionPieces:
        """Return the session; its model and task are those of its first response."""
        pieces = self.pieces or self._begin(
            RecordedSession(
                self._name,
                None,
                "",
                "",
                (),
                source=SOURCE.name,
                ids="source",
                started_at=time_at(line, "timestamp"),
            )
        )
        if not pieces.session.model and not pieces.session.task:
            task = (self._prompt or "").strip().split("\n", 1)[0][:200]
            pieces.session = replace(pieces.session, model=self._model, task=task)
        return pieces

    def _identity(self, item: Line) -> str:
        """Return what a response is known by: its first call, or its first text behind what was known before it."""
        known = text_at(item, "call_id")
        if not known:
            text = f"{self._anchor}\n{_text(item)}"
            known = hashlib.sha256(utf8_with_halves(text)).hexdigest()[:32]
        self._anchor = known
        return known

    def _take_item(self, line: Line, item: Line) -> None:
        kind = text_at(item, "type")
        if kind in _CALLS or kind == "reasoning" or (kind == "message" and item.get("role") == "assistant"):
            self._response.append((line, item))
            self._has_said = True
            return
        self.end_response()
        if kind in _RESULTS:
            call_id = text_at(item, "call_id")
            end = self._ends.pop(call_id, UNSAID)
            self._session(line).result(
                result_of(call_id, item.get("output"), end, time_at(line, "timestamp"))
            )
        elif kind == "message":
            self._take_prompt(item)
        elif kind == "agent_message":
            self._prompt = _text(item)
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, kind[:40]] += 1

    def _take_prompt(self, item: Line) -> None:
        text, role = _text(item), text_at(item, "role")
        if role != "user" or _INJECTED.match(text):
            self.left_out[LeftOutReason.INJECTED_CONTEXT, role[:40]] += 1
            return
        self._prompt = f"{self._prompt}\n\n{text}" if self._prompt else text

    def _take_part(self, pieces: SessionPieces, external_id: str, item: Line) -> None:
        kind, turn = text_at(item, "type"), pieces.turn(external_id)
        if kind == "message":
            turn.texts.append(_text(item))
        elif kind == "reasoning":
            self._take_thoughts(turn, item)
        else:
            pieces.call(external_id, _call(kind, item))

    def _take_thoughts(self, turn: OpenTurn, item: Line) -> None:
        if thoughts := thoughts_of(item):
            turn.thoughts += thoughts
        else:
            self.left_out[LeftOutReason.ENCRYPTED, "reasoning"] += 1

    def _take_event(self, event: Line) -> None:
        kind = text_at(event, "type")
        if kind == "token_count":
            self._take_tokens(object_at(event, "info"))
        elif kind in ENDS:
            self._ends[text_at(event, "call_id")] = ended(event)
        elif kind in _REPEATED:
            self.left_out[LeftOutReason.DUPLICATE, kind] += 1
        else:
            reason = LeftOutReason.BOOKKEEPING if kind in _EVENTS else LeftOutReason.UNKNOWN_KIND
            self.left_out[reason, kind[:40]] += 1

    def _take_tokens(self, info: Line) -> None:
        """Give a response its tokens: the count that comes with it; the sum beside it says whether it is a new one."""
        total = info.get("total_token_usage")
        self.end_response()
        if not info or total == self._tokens:
            return
        self._tokens = total
        if self.pieces and self.pieces.has_open(self._last):
            self.pieces.turn(self._last).usage = usage_of(object_at(info, "last_token_usage"))


def _text(item: Line) -> str:
    """Return the texts of an item: of its content, or of the summary of a thought."""
    parts = (*objects_at(item, "content"), *objects_at(item, "summary"))
    return "\n\n".join(filter(None, (text_at(part, "text") for part in parts)))


def _holds_sign(thought: Line) -> bool:
    """Return whether a call may be left in a thought: then the response ends with it, and is one."""
    from actionledger.parsing.leaked import has_sign  # noqa: PLC0415 - loads every dialect, and few files end with a thought

    return has_sign("\n".join(thoughts_of(thought)), frozenset())


def _parts(item: Line) -> Sequence[str | RecordedCall]:
    """Return what an item adds to a response: its text, its thoughts or its call."""
    kind = text_at(item, "type")
    if kind == "reasoning":
        return thoughts_of(item)
    return [_text(item) if kind == "message" else _call(kind, item)]


def _call(kind: str, item: Line) -> RecordedCall:
    call_id, name = text_at(item, "call_id"), text_at(item, "name")
    if kind == "custom_tool_call":
        return RecordedCall(call_id, name, text_at(item, "input"), kind="text")
    if kind == "function_call":
        return RecordedCall(call_id, name, text_at(item, "arguments"))
    return RecordedCall(call_id, kind.removesuffix("_call"), object_at(item, "action"))


_TOOLS = (
    "apply_patch", "exec_command", "list_mcp_resources", "read_mcp_resource", "request_user_input",
    "shell", "shell_command", "spawn_agent", "update_plan", "view_image", "web_search",
    "write_stdin",
)  # fmt: skip
"""The tools that it brings."""

SOURCE = Source(
    "codex",
    "Codex",
    Capture.ARGUMENTS,
    read,
    recognise,
    wordings=WORDINGS,
    loses="Thoughts, where they are encrypted; whether a call failed, where no event says how it ended, but for its words; which tools were offered; how long a response took, why it ended, and what it cost.",
    fields=("timestamp", "type", "payload"),
    tools=_TOOLS,
)
